/* v3d_sim.h: run QPU programs of VideoCore IV on a simulated V3D, over memory of your own.
 *
 * One call, v3d_sim_run(), does what a driver does on a Raspberry Pi: it queues programs (code and
 * uniforms addresses, as in SRQPC and SRQUA), lets the twelve QPUs run them to their end, and says what
 * they did. Memory is what you name: regions of your own memory at bus addresses. Programs read and
 * write it in place; nothing is copied. Words in it are little-endian, as on the chip.
 *
 *     uint64_t code[] = { ... };                    // QPU instructions
 *     uint32_t uniforms[] = { 1000, 0x40003000 }, out[16];
 *     v3d_sim_region memory[] = {
 *         { 0x40001000, V3D_SIM_READ_ONLY, code, sizeof code },
 *         { 0x40002000, V3D_SIM_READ_ONLY, uniforms, sizeof uniforms },
 *         { 0x40003000, 0, out, sizeof out },
 *     };
 *     v3d_sim_program program = { 0x40001000, 0x40002000 };
 *     v3d_sim_result result = { .struct_size = sizeof result };
 *     char message[512];
 *     int status = v3d_sim_run(memory, 3, &program, 1, NULL, &result, message, sizeof message);
 *
 * It is a part of libqpuscope: install that with `cargo xtask clib DIR`, link with -lqpuscope, or with
 * libqpuscope.a and -lpthread -ldl -lm.
 *
 * Threads: calls share nothing, so several may run at once on different memory. During a call nothing
 * else may write the memory that it names, nor read what programs write.
 */
#ifndef V3D_SIM_H
#define V3D_SIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What v3d_sim_run() returns. 0 and above: the programs ran, and result says how far. Below: nothing
 * ran, an argument is wrong, and the message says which. */
enum {
    V3D_SIM_COMPLETED = 0,      /* all programs ended */
    V3D_SIM_FAULT = 1,          /* a program did what leaves nothing to compute; see the message */
    V3D_SIM_DEADLOCK = 2,       /* no QPU could go on */
    V3D_SIM_CYCLE_LIMIT = 3,    /* limit_cycles passed */

    V3D_SIM_ERROR_NULL = -1,    /* a pointer is NULL that must not be */
    V3D_SIM_ERROR_SIZE = -2,    /* struct_size, a region's size or a count is out of range */
    V3D_SIM_ERROR_ALIGNMENT = -3, /* a pointer or an address is not a multiple of what it must be */
    V3D_SIM_ERROR_OVERLAP = -4, /* two regions share bus addresses, or host memory */
    V3D_SIM_ERROR_OPTION = -5,  /* an option or a flag has an unknown value */
    V3D_SIM_ERROR_INTERNAL = -6 /* the simulator failed: report it. Memory may be half written */
};

/* v3d_sim_region.flags */
#define V3D_SIM_READ_ONLY 1u    /* a store into it is a fault */

/* A part of your memory, and where V3D sees it. The top two bits of the address are the alias; all
 * aliases are the same memory. Regions must not overlap, and may touch. */
typedef struct v3d_sim_region {
    uint32_t bus_address;       /* of the first byte; a multiple of 4 */
    uint32_t flags;             /* V3D_SIM_READ_ONLY or 0 */
    void *data;                 /* not NULL; is only read when V3D_SIM_READ_ONLY is set */
    size_t size;                /* bytes; 1 to what is left of the 1 GiB behind the alias */
} v3d_sim_region;

/* A program, queued in the order of the list; the first starts on QPU 11. */
typedef struct v3d_sim_program {
    uint32_t code;              /* bus address of the first instruction; a multiple of 8 */
    uint32_t uniforms;          /* bus address of the first uniform; a multiple of 4; 0 for none */
} v3d_sim_program;

/* v3d_sim_options.board */
enum {
    V3D_SIM_PI1 = 0,            /* 250 MHz; alias 0x4 through the 128 KiB system L2 */
    V3D_SIM_PI2 = 1,            /* 250 MHz; alias 0xC */
    V3D_SIM_ZERO = 2,           /* 300 MHz; as Pi 1 */
    V3D_SIM_PI3 = 3,            /* 400 MHz; alias 0xC */
    V3D_SIM_ZERO2 = 4           /* 300 MHz; alias 0xC */
};

/* v3d_sim_options.flags */
#define V3D_SIM_FUNCTIONAL 1u   /* results only: faster, and cycles are no figure for the chip */
#define V3D_SIM_STRICT 2u       /* what is forbidden or undefined is a fault, not a warning */
#define V3D_SIM_SEEDED 4u       /* functional, QPUs in the order that seed makes: shows missing waits */

/* How to run. Set all of it to zero, then struct_size, then what you want otherwise. */
typedef struct v3d_sim_options {
    uint32_t struct_size;       /* sizeof(v3d_sim_options) */
    uint32_t board;             /* V3D_SIM_PI1 ... */
    uint32_t clock_hz;          /* of V3D, 50000000 to 1000000000; 0 for the board's */
    uint32_t flags;             /* V3D_SIM_FUNCTIONAL | ... */
    uint64_t limit_cycles;      /* V3D clocks after which the run is stopped; 0 for 10^9 */
    uint64_t seed;              /* with V3D_SIM_SEEDED */
} v3d_sim_options;

/* What was done. Set struct_size before the call. Written when the call returns 0 or more. */
typedef struct v3d_sim_result {
    uint32_t struct_size;       /* sizeof(v3d_sim_result) */
    int32_t status;             /* as returned */
    uint32_t timed;             /* 1: cycles, stalls and cache counters are figures for the chip */
    uint32_t clock_hz;          /* of V3D */
    uint64_t cycles;            /* V3D clocks from the first program to the end */
    uint64_t instructions[12];  /* executed, by QPU */
    uint64_t stall_cycles[12];  /* for which a QPU with a program waited */
    uint64_t counters[30];      /* the performance counter sources by id */
    uint64_t tmu_requests;      /* vectors looked up */
    uint64_t vdr_commands, vdr_bytes; /* DMA loads, and bytes that they read */
    uint64_t vdw_commands, vdw_bytes; /* DMA stores, and bytes that they wrote */
    uint64_t host_interrupts;
    uint32_t warnings;          /* kinds of warnings; the message has them */
    uint32_t fault_qpu;         /* with V3D_SIM_FAULT: the QPU, and the address of the instruction; */
    uint32_t fault_pc;          /* 0xffffffff where no instruction is to blame */
    uint32_t reserved;          /* 0 */
} v3d_sim_result;

/* Runs programs to their end.
 *
 * regions, programs: lists of region_count and program_count entries; read before anything runs. A
 *     list may be NULL when its count is 0. More than 16 programs wait for a free QPU, as on the chip.
 * options: NULL for a Pi 1 with time, without strictness.
 * result: NULL if you do not want it.
 * message: what went wrong, and warnings, as lines of UTF-8; cut to message_size bytes with its
 *     terminating 0. Empty when there is nothing to say. NULL with message_size 0 if you do not want it.
 *
 * Returns V3D_SIM_COMPLETED, another status above 0, or an error below 0. */
int32_t v3d_sim_run(const v3d_sim_region *regions, size_t region_count,
                    const v3d_sim_program *programs, size_t program_count,
                    const v3d_sim_options *options, v3d_sim_result *result,
                    char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
