/* Adds a uniform and 128, stores the sum sixteen times, and prints what it took.
 *
 * cc -std=c99 examples/store.c -o store $(pkg-config --cflags --libs qpuscope)
 */
#include <inttypes.h>
#include <stdio.h>

#include "v3d_sim.h"

/* vc4asm's words. */
static uint64_t code[] = {
    0x1002082715827d80, /* mov r0, unif */
    0xe00208e700000080, /* ldi r3, 128 */
    0xe0021c6700001a00, /* ldi vw_setup, horizontal, 32 bits, row 0 */
    0x100208270c9e70c0, /* add r0, r0, r3 */
    0x10020c27159e7000, /* mov vpm, r0 */
    0xe0021c6780904000, /* ldi vw_setup, one row of 16 words */
    0xe0021c67c0000000, /* ldi vw_setup, stride 0 */
    0x1002086715827d80, /* mov r1, unif */
    0x10021ca7159e7240, /* mov vw_addr, r1 */
    0x100209e7159f2e00, /* read vw_wait */
    0x300009e7009e7000, /* thrend */
    0x100009e7009e7000,
    0x100009e7009e7000,
};

int main(void)
{
    uint32_t uniforms[] = { 1000, 0x40003000 };
    uint32_t out[16] = { 0 };
    v3d_sim_region memory[] = {
        { 0x40001000, V3D_SIM_READ_ONLY, code, sizeof code },
        { 0x40002000, V3D_SIM_READ_ONLY, uniforms, sizeof uniforms },
        { 0x40003000, 0, out, sizeof out },
    };
    v3d_sim_program program = { 0x40001000, 0x40002000 };
    v3d_sim_options options = { 0 };
    v3d_sim_result result = { 0 };
    char message[512];
    int32_t status;

    options.struct_size = sizeof options;
    options.flags = V3D_SIM_STRICT;
    result.struct_size = sizeof result;
    status = v3d_sim_run(memory, 3, &program, 1, &options, &result, message, sizeof message);
    if (status != V3D_SIM_COMPLETED) {
        fprintf(stderr, "status %" PRId32 ": %s\n", status, message);
        return 1;
    }
    printf("%" PRIu32 " %" PRIu32 "\n", out[0], out[15]);
    printf("%" PRIu64 " instructions on QPU 11, %" PRIu64 " bytes stored\n",
           result.instructions[11], result.vdw_bytes);
    return 0;
}
