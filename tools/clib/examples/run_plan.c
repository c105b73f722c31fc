/* Runs an exported plan on the simulated V3D, as a driver would on a board.
 *
 * qpu export 4096 --to c -o fft_4096.h
 * cc -std=c99 -DPLAN=fft_4096 '-DPLAN_H="fft_4096.h"' -I. examples/run_plan.c -o run_plan $(pkg-config --cflags --libs qpuscope)
 * ./run_plan                  transforms noise, and compares every bit with qpuscope_fft_execute
 * ./run_plan INPUT OUTPUT     transforms a file of 32-bit floats into another
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpuscope.h"
#include PLAN_H

/* Where the memory lies for V3D; under Linux, what mem_lock says. */
#define ADDRESS 0x01000000u
#define PLANE 4

static const qpuscope_plan *const plan = &PLAN;

/* Puts code, lists and tables into the memory. */
static void load(char *memory, uint32_t address)
{
    for (uint32_t i = 0; i < plan->part_count; i++)
        memcpy(memory + plan->parts[i].offset, plan->parts[i].words, 4 * (size_t)plan->parts[i].count);
    for (uint32_t i = 0; i < plan->address_count; i++) {
        uint32_t word;
        memcpy(&word, memory + plan->addresses[i], sizeof word);
        word += address;
        memcpy(memory + plan->addresses[i], &word, sizeof word);
    }
}

/* Runs all launches. v3d_sim_run clears all caches before each, and lets programs start on all QPUs. */
static int run(char *memory, uint32_t address)
{
    v3d_sim_region region = { 0 };
    v3d_sim_options options = { 0 };
    char message[512];

    region.bus_address = address;
    region.data = memory;
    region.size = plan->bytes;
    options.struct_size = sizeof options;
    options.flags = V3D_SIM_STRICT;
    for (uint32_t i = 0; i < plan->launch_count; i++) {
        const qpuscope_launch *launch = &plan->launches[i];
        v3d_sim_program programs[12];
        v3d_sim_result result = { 0 };

        result.struct_size = sizeof result;
        for (uint32_t j = 0; j < launch->count; j++) {
            programs[j].code = address + launch->programs[j][0];
            programs[j].uniforms = address + launch->programs[j][1];
        }
        if (v3d_sim_run(&region, 1, programs, launch->count, &options, &result, message, sizeof message)
            != V3D_SIM_COMPLETED) {
            fprintf(stderr, "run_plan: launch %" PRIu32 ": %s\n", i, message);
            return 1;
        }
        printf("launch %" PRIu32 ": %" PRIu32 " programs, %" PRIu64 " V3D clocks\n", i, launch->count, result.cycles);
    }
    return 0;
}

/* The same transform by the library: 0 when all bits are the same. */
static int compare(const float *input, const float *output)
{
    qpuscope_fft_options options = { 0 };
    qpuscope_fft_sizes sizes = { 0 };
    qpuscope_fft *fft;
    float *expected = malloc(plan->output_bytes);
    uint64_t differ = 0;

    options.struct_size = sizeof options;
    sizes.struct_size = sizeof sizes;
    options.kind = plan->kind;
    options.points = plan->points;
    options.direction = plan->direction;
    options.batch = plan->batch;
    options.segments = plan->segments;
    options.scale = plan->scale;
    options.board = plan->alias == 0x40000000u ? V3D_SIM_PI1 : V3D_SIM_PI2;
    if (!expected || qpuscope_fft_prepare(&options, &fft) != QPUSCOPE_OK
        || qpuscope_fft_sizes_of(fft, &sizes) != QPUSCOPE_OK
        || qpuscope_fft_execute(fft, input, sizes.input_count, expected, plan->output_bytes / 4, NULL) != QPUSCOPE_OK) {
        fprintf(stderr, "run_plan: %s\n", qpuscope_message());
        return 1;
    }
    for (uint64_t i = 0; i < sizes.output_count; i++)
        differ += memcmp(&output[i], &expected[i], sizeof *output) != 0;
    qpuscope_fft_release(fft);
    free(expected);
    if (differ) {
        printf("%" PRIu64 " of %" PRIu64 " floats differ\n", differ, sizes.output_count);
        return 1;
    }
    printf("%" PRIu64 " floats, all bits those of qpuscope_fft_execute\n", sizes.output_count);
    return 0;
}

static int with_files(const char *name, char *memory, uint32_t bytes, int is_input)
{
    FILE *file = fopen(name, is_input ? "rb" : "wb");
    size_t done = 0;
    int is_good;

    if (file)
        done = is_input ? fread(memory, 1, bytes, file) : fwrite(memory, 1, bytes, file);
    is_good = file && done == bytes;
    if (file && fclose(file) != 0)
        is_good = 0;
    if (!is_good)
        fprintf(stderr, "run_plan: cannot %s %" PRIu32 " bytes of %s\n", is_input ? "read" : "write", bytes, name);
    return is_good ? 0 : 1;
}

int main(int argc, char **argv)
{
    uint32_t address = plan->alias | ADDRESS;
    char *memory = calloc(1, plan->bytes);
    float *input = malloc(plan->input_bytes);
    uint32_t state = 1;

    if (!memory || !input || (argc != 1 && argc != 3)) {
        fprintf(stderr, "usage: run_plan [INPUT OUTPUT]\n");
        return 2;
    }
    load(memory, address);
    for (uint32_t i = 0; i < plan->input_bytes / 4; i++) {
        state = state * 1664525u + 1013904223u;
        input[i] = (float)(int32_t)state / 2147483648.0f;
    }
    if (argc == 3 && with_files(argv[1], (char *)input, plan->input_bytes, 1))
        return 1;
    memcpy(memory + plan->input, input, plan->input_bytes);
    if (run(memory, address))
        return 1;
    if (argc == 3)
        return with_files(argv[2], memory + plan->output, plan->output_bytes, 0);
    return plan->kind == PLANE ? 0 : compare(input, (const float *)(void *)(memory + plan->output));
}
