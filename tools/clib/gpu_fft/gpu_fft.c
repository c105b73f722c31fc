/* libqpuscope_gpu_fft: programs for GPU_FFT on qpuscope's own plans.
 *
 * gpu_fft_prepare, _execute, _release, gpu_fft_trans_*, mbox_open and mbox_close, written from their interface.
 * Results are not the bits of GPU_FFT: qpuscope's programs have their own order of operations. Lengths are
 * GPU_FFT's, 2^8 to 2^22, and so are the error codes. A transposition needs whole tiles, as GPU_FFT's: multiples
 * of 8 transforms and of 16 points.
 *
 * With QPUSCOPE_CLOCKS set in the environment the cycle model is at work, and each execution writes its V3D
 * clocks to standard error.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu_fft.h"
#include "gpu_fft_trans.h"
#include "mailbox.h"
#include "qpuscope.h"

#define MIN_LOG2 8
#define MAX_LOG2 22

/* What gpu_fft_prepare returns. */
#define NO_LENGTH (-2)
#define NO_MEMORY (-3)
/* What an execution returns when it failed. */
#define TIMED_OUT 0x80000000u

struct plan {
    struct GPU_FFT seen; /* first, so that a caller's pointer is one to the whole */
    qpuscope_fft *fft;
    qpuscope_fft_sizes sizes;
};

struct transposition {
    struct GPU_FFT_TRANS seen;
    struct plan *source, *destination;
};

int mbox_open(void)
{
    return 0;
}

void mbox_close(int file_desc)
{
    (void)file_desc;
}

void gpu_fft_release(struct GPU_FFT *info)
{
    struct plan *plan = (struct plan *)info;
    if (!plan)
        return;
    qpuscope_fft_release(plan->fft);
    free(plan->seen.in);
    free(plan->seen.out);
    free(plan);
}

int gpu_fft_prepare(int mb, int log2_N, int direction, int jobs, struct GPU_FFT **fft)
{
    qpuscope_fft_options options = { 0 };
    struct plan *plan;

    if (log2_N < MIN_LOG2 || log2_N > MAX_LOG2)
        return NO_LENGTH;
    if (jobs < 1)
        return NO_MEMORY;
    plan = calloc(1, sizeof *plan);
    if (!plan)
        return NO_MEMORY;
    options.struct_size = sizeof options;
    options.points = (uint32_t)1 << log2_N;
    options.direction = direction == GPU_FFT_FWD ? QPUSCOPE_FORWARD : QPUSCOPE_INVERSE;
    options.batch = (uint32_t)jobs;
    options.flags = getenv("QPUSCOPE_CLOCKS") ? 0 : QPUSCOPE_FUNCTIONAL;
    plan->sizes.struct_size = sizeof plan->sizes;
    if (qpuscope_fft_prepare(&options, &plan->fft) != QPUSCOPE_OK
        || qpuscope_fft_sizes_of(plan->fft, &plan->sizes) != QPUSCOPE_OK) {
        fprintf(stderr, "gpu_fft_prepare: %s\n", qpuscope_message());
        gpu_fft_release(&plan->seen);
        return NO_MEMORY;
    }
    plan->seen.base.mb = mb;
    plan->seen.in = calloc(plan->sizes.input_count, sizeof(float));
    plan->seen.out = calloc(plan->sizes.output_count, sizeof(float));
    plan->seen.x = 1 << log2_N;
    plan->seen.y = jobs;
    plan->seen.step = 1 << log2_N;
    if (!plan->seen.in || !plan->seen.out) {
        gpu_fft_release(&plan->seen);
        return NO_MEMORY;
    }
    *fft = &plan->seen;
    return 0;
}

static unsigned failed(const char *call)
{
    fprintf(stderr, "%s: %s\n", call, qpuscope_message());
    return TIMED_OUT;
}

/* Writes the clocks, if they are figures for the chip. */
static unsigned done(const char *call, const qpuscope_fft_result *result)
{
    if (result->timed)
        fprintf(stderr, "%s: %llu V3D clocks, %.1f us at %.0f MHz (modelled)\n", call,
                (unsigned long long)result->cycles, 1e6 * (double)result->cycles / result->clock_hz,
                1e-6 * result->clock_hz);
    return 0;
}

unsigned gpu_fft_execute(struct GPU_FFT *info)
{
    struct plan *plan = (struct plan *)info;
    qpuscope_fft_result result = { 0 };

    if (!plan)
        return TIMED_OUT;
    result.struct_size = sizeof result;
    if (qpuscope_fft_execute(plan->fft, &info->in->re, plan->sizes.input_count, &info->out->re,
                             plan->sizes.output_count, &result) != QPUSCOPE_OK)
        return failed("gpu_fft_execute");
    return done("gpu_fft_execute", &result);
}

/* As many rows and columns as both plans have. */
static qpuscope_transpose_options common(const struct GPU_FFT *src, const struct GPU_FFT *dst)
{
    qpuscope_transpose_options options = { 0 };

    options.struct_size = sizeof options;
    options.rows = (uint32_t)(src->y < dst->x ? src->y : dst->x);
    options.columns = (uint32_t)(src->x < dst->y ? src->x : dst->y);
    options.from_step = (uint32_t)src->step;
    options.to_step = (uint32_t)dst->step;
    options.flags = getenv("QPUSCOPE_CLOCKS") ? 0 : QPUSCOPE_FUNCTIONAL;
    return options;
}

int gpu_fft_trans_prepare(int mb, struct GPU_FFT *src, struct GPU_FFT *dst, struct GPU_FFT_TRANS **out)
{
    struct transposition *made = src && dst ? calloc(1, sizeof *made) : NULL;

    if (!made)
        return NO_MEMORY;
    made->seen.base.mb = mb;
    made->source = (struct plan *)src;
    made->destination = (struct plan *)dst;
    *out = &made->seen;
    return 0;
}

unsigned gpu_fft_trans_execute(struct GPU_FFT_TRANS *info)
{
    const struct transposition *both = (const struct transposition *)info;
    const struct plan *src, *dst;
    qpuscope_transpose_options options;
    qpuscope_fft_result result = { 0 };

    if (!both)
        return TIMED_OUT;
    src = both->source;
    dst = both->destination;
    options = common(&src->seen, &dst->seen);
    result.struct_size = sizeof result;
    if (qpuscope_transpose(&options, &src->seen.out->re, src->sizes.output_count, &dst->seen.in->re,
                           dst->sizes.input_count, &result) != QPUSCOPE_OK)
        return failed("gpu_fft_trans_execute");
    return done("gpu_fft_trans_execute", &result);
}

void gpu_fft_trans_release(struct GPU_FFT_TRANS *info)
{
    free(info);
}
