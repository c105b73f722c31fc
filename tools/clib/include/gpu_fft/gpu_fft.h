/* gpu_fft.h: the interface of GPU_FFT 3.0, for programs that were written for it and run on libqpuscope.
 *
 * Names, arguments and the order of fields are those that GPU_FFT's callers and its other files rely on. With
 * a checkout of raspberrypi/userland its own header says the same; a test compares the two.
 */
#ifndef QPUSCOPE_GPU_FFT_H
#define QPUSCOPE_GPU_FFT_H

/* Its header has this guard. */
#define __GPU_FFT__

#define GPU_FFT_QPUS 8
#define GPU_FFT_PI 3.14159265358979323846

#define GPU_FFT_FWD 0 /* exponents negative */
#define GPU_FFT_REV 1 /* exponents positive; neither direction scales */

struct GPU_FFT_COMPLEX {
    float re, im;
};

/* A place in memory as V3D and as the ARM see it. */
struct GPU_FFT_PTR {
    unsigned vc;
    union {
        struct GPU_FFT_COMPLEX *cptr;
        void *vptr;
        char *bptr;
        float *fptr;
        unsigned *uptr;
    } arm;
};

struct GPU_FFT_BASE {
    int mb;
    unsigned handle, size, vc_msg, vc_code, vc_unifs[GPU_FFT_QPUS], peri_size;
    volatile unsigned *peri;
};

/* A plan: transform number j reads in + j * step and writes out + j * step. */
struct GPU_FFT {
    struct GPU_FFT_BASE base;
    struct GPU_FFT_COMPLEX *in, *out;
    int x, y, step; /* points, transforms, points from one transform to the next */
};

/* 0; or -1: V3D cannot be enabled, -2: no such length, -3: out of memory, -4: no access to the peripherals,
 * -5: no libbcm_host. */
int gpu_fft_prepare(int mb, int log2_N, int direction, int jobs, struct GPU_FFT **fft);
unsigned gpu_fft_execute(struct GPU_FFT *info); /* 0, or 0x80000000 when the programs did not end */
void gpu_fft_release(struct GPU_FFT *info);

/* Between the files of GPU_FFT. */
int gpu_fft_twiddle_size(int, int *, int *, int *);
void gpu_fft_twiddle_data(int, int, float *);
unsigned int gpu_fft_shader_size(int);
unsigned int *gpu_fft_shader_code(int);
int gpu_fft_alloc(int mb, unsigned size, struct GPU_FFT_PTR *ptr);
unsigned gpu_fft_base_exec(struct GPU_FFT_BASE *base, int num_qpus);
void gpu_fft_base_release(struct GPU_FFT_BASE *base);
unsigned gpu_fft_ptr_inc(struct GPU_FFT_PTR *ptr, int bytes);

#endif
