/* What is wrong with arguments is said, and nothing runs. Prints a line for each case. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "v3d_sim.h"

static uint64_t code[4];
static uint32_t data[16];
static v3d_sim_region memory[2];
static v3d_sim_program program;
static v3d_sim_options options;
static v3d_sim_result result;
static char message[512];

static void reset(void)
{
    /* thrend, nop, nop */
    code[0] = 0x300009e7009e7000u;
    code[1] = code[2] = 0x100009e7009e7000u;
    memory[0] = (v3d_sim_region){ 0x1000, V3D_SIM_READ_ONLY, code, sizeof code };
    memory[1] = (v3d_sim_region){ 0x2000, 0, data, sizeof data };
    program = (v3d_sim_program){ 0x1000, 0 };
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    memset(&result, 0, sizeof result);
    result.struct_size = sizeof result;
}

static void run(const char *what)
{
    int32_t status = v3d_sim_run(memory, 2, &program, 1, &options, &result, message, sizeof message);
    printf("%s: %d %s\n", what, (int)status, message);
    reset();
}

int main(void)
{
    int32_t status;

    reset();
    run("nothing wrong");
    memory[1].data = NULL;
    run("no data");
    memory[1].size = 0;
    run("no size");
    memory[1].size = (size_t)-1;
    run("too much");
    memory[1].bus_address = 0x3ffffff0;
    run("beyond the end");
    memory[1].bus_address = 0x2002;
    run("an odd region");
    memory[1].bus_address = 0xc0001018;
    run("shared addresses");
    memory[1].data = code;
    run("shared bytes");
    memory[1].flags = 2;
    run("a flag");
    program.code = 0x1004;
    run("odd code");
    program.uniforms = 2;
    run("odd uniforms");
    options.struct_size = 8;
    run("other options");
    result.struct_size = 8;
    run("another result");
    options.board = 9;
    run("a board");
    options.flags = 64;
    run("an option");
    options.clock_hz = 1;
    run("a clock");

    status = v3d_sim_run(NULL, 1, &program, 1, NULL, NULL, message, sizeof message);
    printf("no regions: %d %s\n", (int)status, message);
    status = v3d_sim_run((v3d_sim_region *)((char *)memory + 1), 1, &program, 1, NULL, NULL,
                         message, sizeof message);
    printf("odd list: %d %.24s\n", (int)status, message);
    status = v3d_sim_run(memory, (size_t)-1, &program, 1, NULL, NULL, NULL, 0);
    printf("too many: %d\n", (int)status);
    status = v3d_sim_run(memory, 2, &program, 1, NULL, NULL, NULL, 9);
    printf("no message: %d\n", (int)status);
    status = v3d_sim_run(NULL, 0, NULL, 0, NULL, NULL, NULL, 0);
    printf("nothing to do: %d\n", (int)status);

    program.code = 0x5000;
    status = v3d_sim_run(memory, 2, &program, 1, &options, &result, message, 12);
    printf("no code: %d qpu %u pc %#x '%s'\n", (int)status, (unsigned)result.fault_qpu,
           (unsigned)result.fault_pc, message);
    printf("sizes: %zu %zu %zu %zu\n", sizeof(v3d_sim_region), sizeof(v3d_sim_program),
           sizeof(v3d_sim_options), sizeof(v3d_sim_result));
    return 0;
}
