/* Transforms a tone on twelve simulated QPUs, forward and back, and prints errors and clocks.
 *
 * cc -std=c99 examples/fft.c -o fft $(pkg-config --cflags --libs qpuscope) -lm
 * ./fft 4096
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "qpuscope.h"

#define PI 3.14159265358979323846
#define BIN 3

/* The tone at bin 3: its transform is `points` there, and 0 elsewhere. */
static double tone(uint32_t points, uint32_t at, int part)
{
    double angle = 2.0 * PI * BIN * at / points;
    return part == 0 ? cos(angle) : sin(angle);
}

static int failed(void)
{
    fprintf(stderr, "fft: %s\n", qpuscope_message());
    return 1;
}

/* Transforms in place; prints the clocks. */
static int transform(uint32_t points, uint32_t direction, float *data)
{
    qpuscope_fft_options options = { 0 };
    qpuscope_fft_result result = { 0 };
    qpuscope_fft *plan;
    int32_t status;

    options.struct_size = sizeof options;
    options.points = points;
    options.direction = direction;
    options.scale = direction == QPUSCOPE_INVERSE ? QPUSCOPE_BY_POINTS : QPUSCOPE_UNSCALED;
    result.struct_size = sizeof result;
    if (qpuscope_fft_prepare(&options, &plan) != QPUSCOPE_OK)
        return failed();
    status = qpuscope_fft_execute(plan, data, 2 * (size_t)points, data, 2 * (size_t)points, &result);
    qpuscope_fft_release(plan);
    if (status != QPUSCOPE_OK)
        return failed();
    printf("%s: %" PRIu64 " V3D clocks, %.1f us at %.0f MHz (modelled)\n",
           direction == QPUSCOPE_INVERSE ? "inverse" : "forward", result.cycles,
           1e6 * (double)result.cycles / result.clock_hz, 1e-6 * result.clock_hz);
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t points = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1024;
    float *data = calloc(2 * (size_t)points + 1, sizeof *data);
    double wrong = 0.0;
    int status;

    if (!data)
        return 1;
    for (uint32_t i = 0; i < 2 * points; i++)
        data[i] = (float)tone(points, i / 2, i % 2);
    status = transform(points, QPUSCOPE_FORWARD, data);
    if (status == 0) {
        for (uint32_t i = 0; i < 2 * points; i++) {
            double expected = i == 2 * BIN ? points : 0.0;
            wrong += pow(data[i] - expected, 2.0);
        }
        printf("relative rms error %.1e\n", sqrt(wrong) / points);
        status = transform(points, QPUSCOPE_INVERSE, data);
    }
    if (status == 0) {
        wrong = 0.0;
        for (uint32_t i = 0; i < 2 * points; i++)
            wrong += pow(data[i] - tone(points, i / 2, i % 2), 2.0);
        printf("relative rms error %.1e\n", sqrt(wrong / points));
    }
    free(data);
    return status;
}
