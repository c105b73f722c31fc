/* libqpuscope_mailbox: the mailbox of a Raspberry Pi, with a simulated V3D behind it.
 *
 * For programs that bring QPU code of their own: GPU_FFT with its shaders (this stands for its gpu_fft_base.c
 * and mailbox.c), and others that get memory by mem_alloc and run programs by execute_qpu. Written from the
 * interface. Memory is the host's, at bus addresses as V3D's; 384 MiB, as a Pi 1 can leave beside its system.
 *
 * Programs ran on real chips, so what breaks a rule is no fault here unless nothing could be computed. With
 * QPUSCOPE_CLOCKS set in the environment the cycle model is at work, and each launch writes its V3D clocks
 * to standard error. One thread at a time, as with the mailbox.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_fft.h"
#include "mailbox.h"
#include "v3d_sim.h"

#define PAGE 4096u
#define ALIAS 0xc0000000u
#define ALL_BYTES (384u << 20)
/* What the mailbox answers when programs did not end. */
#define TIMED_OUT 0x80000000u
/* Memory that V3D reads through the system L2, and the ARM without its caches. */
#define DIRECT_COHERENT 0xcu
/* Of V3D's clock on a Pi 1, in a millisecond. */
#define CLOCKS_PER_MS 250000u
#define MOST_QPUS 12

struct block {
    struct block *next; /* in order of addresses */
    unsigned handle, start, size, alias;
    char *data;
};

static struct block *blocks;
static unsigned last_handle;

int mbox_open(void)
{
    return 0;
}

void mbox_close(int file_desc)
{
    (void)file_desc;
}

static struct block *find(unsigned handle)
{
    struct block *block = blocks;
    while (block && block->handle != handle)
        block = block->next;
    return block;
}

/* The block with `size` bytes from `base` on, whatever the alias. */
static struct block *at(unsigned base, unsigned size)
{
    struct block *block;
    base &= ~ALIAS;
    for (block = blocks; block; block = block->next)
        if (base >= block->start && base - block->start <= block->size
            && size <= block->size - (base - block->start))
            return block;
    return NULL;
}

/* The alias that the firmware gives memory with these flags. */
static unsigned alias_of(unsigned flags)
{
    switch (flags & 0xc) {
    case 0x4: return 0xc0000000u; /* direct */
    case 0x8: return 0x80000000u; /* coherent */
    case 0xc: return 0x40000000u; /* both */
    default: return 0;
    }
}

unsigned mem_alloc(int file_desc, unsigned size, unsigned align, unsigned flags)
{
    struct block **link = &blocks;
    struct block *made;
    uint64_t start = PAGE, step = align > PAGE ? align : PAGE;

    (void)file_desc;
    if (size == 0 || size > ALL_BYTES || (step & (step - 1)))
        return 0;
    start = step;
    /* A page is left free between two blocks, so that a program that leaves its own is noticed. */
    while (*link && start + size + PAGE > (*link)->start) {
        start = ((uint64_t)(*link)->start + (*link)->size + PAGE + step - 1) & ~(step - 1);
        link = &(*link)->next;
    }
    if (start + size > ALL_BYTES)
        return 0;
    made = calloc(1, sizeof *made);
    if (!made)
        return 0;
    /* calloc's memory is aligned for every type, and a page may be asked for. The rest of the last page is there
     * on a board, too, and gpu_fft_alloc writes its head however small the block is. */
    made->data = calloc(((size_t)size + PAGE - 1) / PAGE, PAGE);
    if (!made->data) {
        free(made);
        return 0;
    }
    made->handle = ++last_handle;
    made->start = (unsigned)start;
    made->size = size;
    made->alias = alias_of(flags);
    made->next = *link;
    *link = made;
    return made->handle;
}

unsigned mem_free(int file_desc, unsigned handle)
{
    struct block **link = &blocks;
    struct block *block;

    (void)file_desc;
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    block = *link;
    if (!block)
        return 1;
    *link = block->next;
    free(block->data);
    free(block);
    return 0;
}

unsigned mem_lock(int file_desc, unsigned handle)
{
    struct block *block = find(handle);
    (void)file_desc;
    return block ? block->start | block->alias : 0;
}

unsigned mem_unlock(int file_desc, unsigned handle)
{
    (void)file_desc;
    return find(handle) ? 0 : 1;
}

void *mapmem(unsigned base, unsigned size)
{
    struct block *block = at(base, size);
    if (block)
        return block->data + ((base & ~ALIAS) - block->start);
    fprintf(stderr, "mapmem: %u bytes at 0x%08x are no memory of mem_alloc; the registers of the peripherals are "
            "not simulated here: use execute_qpu\n", size, base);
    return NULL;
}

void unmapmem(void *addr, unsigned size)
{
    (void)addr;
    (void)size;
}

unsigned qpu_enable(int file_desc, unsigned enable)
{
    (void)file_desc;
    (void)enable;
    return 0;
}

unsigned execute_code(int file_desc, unsigned code, unsigned r0, unsigned r1, unsigned r2, unsigned r3,
                      unsigned r4, unsigned r5)
{
    (void)file_desc, (void)code, (void)r0, (void)r1, (void)r2, (void)r3, (void)r4, (void)r5;
    fprintf(stderr, "execute_code: the vector processor is not simulated; QPU programs run by execute_qpu\n");
    return TIMED_OUT;
}

/* Runs programs on all memory that there is. */
static unsigned run(const v3d_sim_program *programs, unsigned count, uint64_t limit)
{
    v3d_sim_region *regions;
    v3d_sim_options options = { 0 };
    v3d_sim_result result = { 0 };
    struct block *block;
    char message[2048];
    size_t number = 0;
    int32_t status;

    for (block = blocks; block; block = block->next)
        number++;
    regions = calloc(number + 1, sizeof *regions);
    if (!regions)
        return TIMED_OUT;
    number = 0;
    for (block = blocks; block; block = block->next) {
        regions[number].bus_address = block->start | block->alias;
        regions[number].data = block->data;
        regions[number++].size = block->size;
    }
    options.struct_size = sizeof options;
    options.limit_cycles = limit;
    options.flags = getenv("QPUSCOPE_CLOCKS") ? 0 : V3D_SIM_FUNCTIONAL;
    result.struct_size = sizeof result;
    status = v3d_sim_run(regions, number, programs, count, &options, &result, message, sizeof message);
    free(regions);
    if (status != V3D_SIM_COMPLETED) {
        fprintf(stderr, "the programs did not end: %s\n", message);
        return TIMED_OUT;
    }
    if (result.timed)
        fprintf(stderr, "%llu V3D clocks, %.1f us at %.0f MHz (modelled)\n", (unsigned long long)result.cycles,
                1e6 * (double)result.cycles / result.clock_hz, 1e-6 * result.clock_hz);
    return 0;
}

unsigned execute_qpu(int file_desc, unsigned num_qpus, unsigned control, unsigned noflush, unsigned timeout)
{
    v3d_sim_program programs[MOST_QPUS];
    struct block *block;
    uint32_t pairs[MOST_QPUS][2];
    unsigned number;

    (void)file_desc;
    (void)noflush;
    if (num_qpus > MOST_QPUS) {
        fprintf(stderr, "execute_qpu: %u programs; there are %d QPUs\n", num_qpus, MOST_QPUS);
        return TIMED_OUT;
    }
    block = at(control, num_qpus * 8);
    if (!block) {
        fprintf(stderr, "execute_qpu: there is no memory at 0x%08x for %u pairs of uniforms and code\n", control,
                num_qpus);
        return TIMED_OUT;
    }
    memcpy(pairs, block->data + ((control & ~ALIAS) - block->start), num_qpus * 8);
    for (number = 0; number < num_qpus; number++) {
        programs[number].uniforms = pairs[number][0];
        programs[number].code = pairs[number][1];
    }
    return run(programs, num_qpus, (uint64_t)timeout * CLOCKS_PER_MS);
}

/* GPU_FFT's part. */

int gpu_fft_alloc(int mb, unsigned size, struct GPU_FFT_PTR *ptr)
{
    struct GPU_FFT_BASE *base;
    unsigned handle;

    if (qpu_enable(mb, 1))
        return -1;
    handle = mem_alloc(mb, size, PAGE, DIRECT_COHERENT);
    if (!handle)
        return -3;
    ptr->vc = mem_lock(mb, handle);
    ptr->arm.vptr = mapmem(ptr->vc, size);
    /* A plan lies in the memory of its block, and begins with this. */
    base = ptr->arm.vptr;
    base->mb = mb;
    base->handle = handle;
    base->size = size;
    return 0;
}

void gpu_fft_base_release(struct GPU_FFT_BASE *base)
{
    int mb = base->mb;
    unsigned handle = base->handle;

    mem_unlock(mb, handle);
    mem_free(mb, handle);
    qpu_enable(mb, 0);
}

unsigned gpu_fft_ptr_inc(struct GPU_FFT_PTR *ptr, int bytes)
{
    unsigned before = ptr->vc;
    ptr->vc += (unsigned)bytes;
    ptr->arm.bptr += bytes;
    return before;
}

unsigned gpu_fft_base_exec(struct GPU_FFT_BASE *base, int num_qpus)
{
    v3d_sim_program programs[GPU_FFT_QPUS];
    int number;

    if (num_qpus < 0 || num_qpus > GPU_FFT_QPUS)
        return TIMED_OUT;
    /* Long transforms have a message; it takes up to two seconds, as GPU_FFT lets it. */
    if (base->vc_msg)
        return execute_qpu(base->mb, (unsigned)num_qpus, base->vc_msg, 1, 2000);
    for (number = 0; number < num_qpus; number++) {
        programs[number].code = base->vc_code;
        programs[number].uniforms = base->vc_unifs[number];
    }
    return run(programs, (unsigned)num_qpus, 0);
}
