/* gpu_fft_trans.h: GPU_FFT's transposition, of one plan's results to another's input. */
#ifndef QPUSCOPE_GPU_FFT_TRANS_H
#define QPUSCOPE_GPU_FFT_TRANS_H

#include "gpu_fft.h"

struct GPU_FFT_TRANS {
    struct GPU_FFT_BASE base;
};

/* As gpu_fft_prepare. Point x of transform y of src->out goes to point y of transform x of dst->in. */
int gpu_fft_trans_prepare(int mb, struct GPU_FFT *src, struct GPU_FFT *dst, struct GPU_FFT_TRANS **out);
unsigned gpu_fft_trans_execute(struct GPU_FFT_TRANS *info);
void gpu_fft_trans_release(struct GPU_FFT_TRANS *info);

#endif
