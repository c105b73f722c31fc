/* qpuscope.h: transforms on simulated QPUs of VideoCore IV, and spectra of qpuscope boards.
 *
 * libqpuscope has three parts:
 *
 *     v3d_sim_run()         runs QPU programs on a simulated V3D, over memory of yours (v3d_sim.h)
 *     qpuscope_fft_*()      transforms on the twelve QPUs of that V3D, by the plans of qpuscope's firmware
 *     qpuscope_board_*()    a board with that firmware, at a serial port, on TCP or in this process
 *
 * Install it with `cargo xtask clib DIR`; compile with `cc $(pkg-config --cflags --libs qpuscope)`, where
 * PKG_CONFIG_PATH is DIR/lib/pkgconfig, and add -Wl,-rpath,DIR/lib for a folder that is not the system's.
 *
 * A transform:
 *
 *     qpuscope_fft_options options = { 0 };
 *     qpuscope_fft *plan;
 *     options.struct_size = sizeof options;
 *     options.points = 1024;
 *     if (qpuscope_fft_prepare(&options, &plan) != QPUSCOPE_OK)
 *         fprintf(stderr, "%s\n", qpuscope_message());
 *     qpuscope_fft_execute(plan, in, 2048, out, 2048, NULL);      // floats: real part, imaginary part
 *     qpuscope_fft_release(plan);
 *
 * Every call but the void ones returns QPUSCOPE_OK or another status, with a sentence that says what to do
 * in qpuscope_message(). Structures begin with struct_size, which you set to sizeof.
 *
 * Threads: calls on different plans and boards may run at once; on one of them, one at a time.
 */
#ifndef QPUSCOPE_H
#define QPUSCOPE_H

#include <stddef.h>
#include <stdint.h>

#include "v3d_sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the calls return. Errors are below 0. */
enum {
    QPUSCOPE_OK = 0,
    QPUSCOPE_NOTHING = 4,           /* no spectrum came in that time */
    QPUSCOPE_ENDED = 5,             /* the recording has ended */

    QPUSCOPE_ERROR_NULL = -1,       /* a pointer is NULL that must not be */
    QPUSCOPE_ERROR_SIZE = -2,       /* struct_size or a count is not what it must be */
    QPUSCOPE_ERROR_ALIGNMENT = -3,  /* a pointer is not aligned for its type */
    QPUSCOPE_ERROR_OPTION = -5,     /* an option, a length or a setting has no meaning */
    QPUSCOPE_ERROR_INTERNAL = -6,   /* the library failed: report it */
    QPUSCOPE_ERROR_MEMORY = -7,     /* a board has not got the memory that the plan needs */
    QPUSCOPE_ERROR_DEVICE = -8,     /* there is no such port, or nobody answers at it */
    QPUSCOPE_ERROR_LINK = -9,       /* the line broke, or what comes is no protocol */
    QPUSCOPE_ERROR_BOARD = -10,     /* the board refused, or did not do it */
    QPUSCOPE_ERROR_INTEGRITY = -11  /* something was lost, or the result cannot be trusted */
};

/* The sentence about this thread's last call of a qpuscope_ function, in UTF-8; empty when that returned
 * QPUSCOPE_OK. It stays where it is until this thread's next call. */
const char *qpuscope_message(void);

/* ---- Transforms ---- */

/* qpuscope_fft_options.kind. Numbers of points are powers of two. A complex number is two floats, real part
 * first. Transforms of a batch follow each other, qpuscope_fft_sizes.input_step and .output_step apart. */
enum {
    /* 16 to 4194304 complex points to as many bins, 0 to N-1; inverse, bins to points. */
    QPUSCOPE_COMPLEX = 0,
    /* 32 to 8388608 real points to complex bins 0 to N/2, then 14 floats that are 0; inverse, bins in that
     * form (imaginary parts of bins 0 and N/2 are 0) to real points. */
    QPUSCOPE_REAL = 1,
    /* Complex samples to the mean of |X|^2 over `segments` transforms of 32 to 4194304 points that follow each
     * other: floats for bins -N/2 to N/2-1. No inverse. */
    QPUSCOPE_POWERS = 2,
    /* The same of 32 to 8388608 real samples: floats for bins 0 to N/2, then 15 that are 0. */
    QPUSCOPE_REAL_POWERS = 3
};

/* qpuscope_fft_options.direction */
enum {
    QPUSCOPE_FORWARD = 0,           /* exponents negative */
    QPUSCOPE_INVERSE = 1            /* exponents positive */
};

/* qpuscope_fft_options.scale: the factor of the results, except of powers */
enum {
    QPUSCOPE_UNSCALED = 0,          /* forward, then inverse, gives N times the input */
    QPUSCOPE_BY_POINTS = 1,         /* 1/N */
    QPUSCOPE_BY_ROOT = 2            /* 1/sqrt(N) */
};

/* qpuscope_fft_options.flags */
#define QPUSCOPE_FUNCTIONAL 1u      /* results only: faster, and cycles are no figure for the chip */

/* What to transform. Set all of it to zero, then struct_size and points, then what you want otherwise. */
typedef struct qpuscope_fft_options {
    uint32_t struct_size;           /* sizeof(qpuscope_fft_options) */
    uint32_t kind;                  /* QPUSCOPE_COMPLEX ... */
    uint32_t points;                /* N, of one transform */
    uint32_t direction;             /* QPUSCOPE_FORWARD or QPUSCOPE_INVERSE */
    uint32_t batch;                 /* transforms that one execution does; 0 for 1 */
    uint32_t segments;              /* of powers: transforms in each mean; 0 for 1 */
    uint32_t scale;                 /* QPUSCOPE_UNSCALED ... */
    uint32_t board;                 /* V3D_SIM_PI1 ... */
    uint32_t clock_hz;              /* of V3D, 50000000 to 1000000000; 0 for the board's */
    uint32_t flags;                 /* QPUSCOPE_FUNCTIONAL or 0 */
} qpuscope_fft_options;

/* How much a plan reads and writes. Set struct_size before the call. */
typedef struct qpuscope_fft_sizes {
    uint32_t struct_size;           /* sizeof(qpuscope_fft_sizes) */
    uint32_t reserved;              /* 0 */
    uint64_t input_count;           /* floats that an execution reads */
    uint64_t input_step;            /* floats from the start of one transform's input to the next one's */
    uint64_t output_count;          /* floats that an execution writes */
    uint64_t output_step;           /* floats from the start of one transform's output to the next one's */
    uint64_t memory_bytes;          /* what the plan takes of a board's memory, input and output included */
} qpuscope_fft_sizes;

/* What an execution took. Set struct_size before the call. */
typedef struct qpuscope_fft_result {
    uint32_t struct_size;           /* sizeof(qpuscope_fft_result) */
    uint32_t timed;                 /* 1: cycles is a figure for the chip, by the cycle model */
    uint32_t clock_hz;              /* of V3D */
    uint32_t programs;              /* QPU programs that ran */
    uint64_t cycles;                /* V3D clocks from the first request to the end of the last program; the
                                     * first execution of a plan also fills the instruction caches */
} qpuscope_fft_result;

typedef struct qpuscope_fft qpuscope_fft;

/* Makes a plan, and a simulated V3D of its own that it is ready on. *plan is NULL unless the call returns
 * QPUSCOPE_OK. */
int32_t qpuscope_fft_prepare(const qpuscope_fft_options *options, qpuscope_fft **plan);

int32_t qpuscope_fft_sizes_of(qpuscope_fft *plan, qpuscope_fft_sizes *sizes);

/* Transforms `input` into `output`, which may be the same memory. The counts are those of your arrays, in
 * floats; they are checked. result may be NULL. */
int32_t qpuscope_fft_execute(qpuscope_fft *plan, const float *input, size_t input_count,
                             float *output, size_t output_count, qpuscope_fft_result *result);

/* Gives a plan back; NULL is allowed. */
void qpuscope_fft_release(qpuscope_fft *plan);

/* A matrix of complex points, and where its transpose goes. Set all of it to zero, then struct_size, rows and
 * columns. */
typedef struct qpuscope_transpose_options {
    uint32_t struct_size;           /* sizeof(qpuscope_transpose_options) */
    uint32_t rows;                  /* a multiple of 8 */
    uint32_t columns;               /* a multiple of 16 */
    uint32_t from_step;             /* points from a row of the matrix to the next; 0 for `columns` */
    uint32_t to_step;               /* points from a row of the transpose to the next, at most 8199; 0 for `rows` */
    uint32_t board;                 /* V3D_SIM_PI1 ... */
    uint32_t clock_hz;              /* of V3D, 50000000 to 1000000000; 0 for the board's */
    uint32_t flags;                 /* QPUSCOPE_FUNCTIONAL or 0 */
} qpuscope_transpose_options;

/* Point x of row y of `from` becomes point y of row x of `to`, by a program on four QPUs. What lies between the
 * rows of `to` stays. The counts are those of your arrays, in floats; they are checked. result may be NULL.
 * Transforms of a plane need it only for data that others have: qpuscope's own planes (`qpu fft2`) do not. */
int32_t qpuscope_transpose(const qpuscope_transpose_options *options, const float *from, size_t from_count,
                           float *to, size_t to_count, qpuscope_fft_result *result);

/* ---- Boards ---- */

typedef struct qpuscope_board qpuscope_board;

/* What a board says of itself. Set struct_size before the call. Texts end with 0; a longer one is cut. */
typedef struct qpuscope_info {
    uint32_t struct_size;           /* sizeof(qpuscope_info) */
    uint32_t board_revision;
    uint32_t memory_bytes;          /* of the ARM */
    uint32_t baud;                  /* rate of the line */
    uint32_t arm_hz, core_hz, v3d_hz, uart_hz; /* clocks; 0 where the board does not know */
    char engine[16];                /* "qpu" or "cpu": what computes with the present settings */
    char board[64];                 /* its name */
    char firmware[32];              /* its version */
    char capabilities[1024];        /* key=value words */
} qpuscope_info;

/* qpuscope_upload.format */
enum {
    QPUSCOPE_U8 = 0,                /* offset binary: (x - 127.5) / 127.5 of full scale */
    QPUSCOPE_I16 = 1,               /* x / 32768 of full scale */
    QPUSCOPE_F32 = 2                /* full scale is 1.0 */
};

/* Samples to send. Set all of it to zero first. */
typedef struct qpuscope_upload {
    uint32_t struct_size;           /* sizeof(qpuscope_upload) */
    uint32_t format;                /* QPUSCOPE_U8 ... */
    uint32_t is_complex;            /* 1: a sample is a pair of numbers, I and Q */
    uint32_t reserved;              /* 0 */
    uint64_t rate_numerator;        /* samples a second, as a fraction: 48000 and 0, or 1 and 3600 */
    uint64_t rate_denominator;      /* 0 for 1 */
    const void *samples;
    uint64_t count;                 /* samples, not numbers */
} qpuscope_upload;

/* A spectrum. Set struct_size before the call.
 *
 * power[i] is that of the bin with number first_bin + i, at centre_hz + (first_bin + i) * rate_hz / points.
 * 1.0 is a sine of full scale, 0 dBFS; the level in dB is 10 * log10(power[i]). NaN was lost on the line. */
typedef struct qpuscope_spectrum {
    uint32_t struct_size;           /* sizeof(qpuscope_spectrum) */
    uint32_t points;                /* of the transform */
    int32_t first_bin;              /* below 0 for complex samples */
    uint32_t bin_count;             /* entries of power */
    uint32_t is_complex;
    uint32_t averages;              /* blocks in it */
    uint32_t record;                /* its number in its stream */
    uint32_t by_qpus;               /* 0: the ARM computed it */
    double rate_hz;                 /* samples a second */
    double centre_hz;               /* what 0 Hz of complex samples stands for */
    double enbw_bins;               /* equivalent noise bandwidth of the window */
    double device_s;                /* seconds since the board started */
    const double *power;            /* yours to read until the next qpuscope_board_read or _close */
} qpuscope_spectrum;

/* Opens a port: "/dev/ttyUSB0", "tcp:HOST:PORT", "sim:kernel.img" for a virtual Pi in this process, or a file
 * with recorded bytes of a line. baud is the rate at which the board speaks now, 9600 to 4000000; 0 for 115200,
 * with which every board starts. Nothing is sent: an instrument that streams goes on. *board is NULL unless the call returns
 * QPUSCOPE_OK. */
int32_t qpuscope_board_open(const char *port, uint32_t baud, qpuscope_board **board);

/* Asks the board who it is. From here on it waits for commands. */
int32_t qpuscope_board_info(qpuscope_board *board, qpuscope_info *info);

/* Ends what the board is doing, and changes settings: "n=1024 window=hann overlap=512 avg=all". The words are
 * in docs/protocol.md. */
int32_t qpuscope_board_set(qpuscope_board *board, const char *words);

/* Changes the rate of the line on both sides, to 9600 to 4000000, or 0 for 115200; where it does not work, both
 * go back, and the call returns QPUSCOPE_OK. */
int32_t qpuscope_board_baud(qpuscope_board *board, uint32_t baud);

/* Starts the spectra of the board's generator. */
int32_t qpuscope_board_start(qpuscope_board *board);

/* Ends what the board is doing, sends samples, and waits for all spectra of them, which
 * qpuscope_board_read then gives one after the other. *spectra is their number; spectra may be NULL. */
int32_t qpuscope_board_upload(qpuscope_board *board, const qpuscope_upload *upload, uint32_t *spectra);

/* Gives the next spectrum: of an upload, else the next that comes within so many seconds (of a virtual Pi:
 * virtual ones), 0 to 1e9. Returns QPUSCOPE_NOTHING when none did, QPUSCOPE_ENDED behind the last of a recording. */
int32_t qpuscope_board_read(qpuscope_board *board, double seconds, qpuscope_spectrum *spectrum);

/* Closes the port, behind a change back to 115200 baud; NULL is allowed. */
void qpuscope_board_close(qpuscope_board *board);

#ifdef __cplusplus
}
#endif

#endif
