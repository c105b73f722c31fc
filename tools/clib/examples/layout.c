/* Sizes and places in the structures of qpuscope.h, and what its calls say to wrong arguments. */
#include <stdio.h>
#include <string.h>

#include "qpuscope.h"

static void said(const char *what, int32_t status)
{
    printf("%s: %d %s\n", what, (int)status, qpuscope_message());
}

int main(void)
{
    qpuscope_fft_options options = { 0 };
    qpuscope_fft_sizes sizes = { 0 };
    qpuscope_transpose_options transpose = { 0 };
    qpuscope_upload upload = { 0 };
    qpuscope_spectrum spectrum = { 0 };
    qpuscope_info info = { 0 };
    qpuscope_fft *plan = NULL;
    qpuscope_board *board = NULL;
    float data[64] = { 0 };

    printf("%zu %zu %zu %zu %zu %zu\n", sizeof options, sizeof sizes, sizeof(qpuscope_fft_result), sizeof info,
           sizeof upload, sizeof spectrum);
    printf("%zu %zu %zu %zu %zu\n", offsetof(qpuscope_fft_sizes, memory_bytes),
           offsetof(qpuscope_fft_result, cycles), offsetof(qpuscope_info, capabilities),
           offsetof(qpuscope_upload, samples), offsetof(qpuscope_spectrum, power));

    said("no options", qpuscope_fft_prepare(NULL, &plan));
    said("no plan", qpuscope_fft_prepare(&options, NULL));
    said("no size", qpuscope_fft_prepare(&options, &plan));
    options.struct_size = sizeof options;
    options.points = 1000;
    said("1000 points", qpuscope_fft_prepare(&options, &plan));
    options.points = 1u << 23;
    said("too many", qpuscope_fft_prepare(&options, &plan));
    options.points = 1u << 20;
    options.batch = 64;
    said("too much", qpuscope_fft_prepare(&options, &plan));
    options.points = 16;
    options.batch = 0;
    options.kind = 4;
    said("kind", qpuscope_fft_prepare(&options, &plan));
    options.kind = QPUSCOPE_POWERS;
    options.direction = QPUSCOPE_INVERSE;
    said("back from powers", qpuscope_fft_prepare(&options, &plan));
    options.kind = QPUSCOPE_COMPLEX;
    options.direction = 2;
    said("direction", qpuscope_fft_prepare(&options, &plan));
    options.direction = QPUSCOPE_FORWARD;
    options.scale = 3;
    said("scale", qpuscope_fft_prepare(&options, &plan));
    options.scale = 0;
    options.board = 5;
    said("board", qpuscope_fft_prepare(&options, &plan));
    options.board = 0;
    options.flags = 2;
    said("flags", qpuscope_fft_prepare(&options, &plan));
    options.flags = 0;
    options.clock_hz = 1;
    said("clock", qpuscope_fft_prepare(&options, &plan));
    options.clock_hz = 0;
    printf("plan is %s\n", plan ? "there" : "NULL");

    said("nothing to execute", qpuscope_fft_execute(NULL, data, 64, data, 64, NULL));
    said("good", qpuscope_fft_prepare(&options, &plan));
    said("short", qpuscope_fft_execute(plan, data, 31, data, 64, NULL));
    said("no output", qpuscope_fft_execute(plan, data, 64, NULL, 64, NULL));
    said("sizes", qpuscope_fft_sizes_of(plan, &sizes));
    said("in place", qpuscope_fft_execute(plan, data, 64, data, 64, NULL));
    qpuscope_fft_release(plan);
    qpuscope_fft_release(NULL);

    said("no matrix", qpuscope_transpose(NULL, data, 64, data, 64, NULL));
    said("no tiles", qpuscope_transpose(&transpose, data, 64, data, 64, NULL));
    transpose.struct_size = sizeof transpose;
    transpose.rows = 8;
    transpose.columns = 8;
    said("half a tile", qpuscope_transpose(&transpose, data, 64, data, 64, NULL));
    transpose.columns = 16;
    transpose.to_step = 4;
    said("rows in rows", qpuscope_transpose(&transpose, data, 64, data, 64, NULL));
    transpose.to_step = 0;
    said("a short matrix", qpuscope_transpose(&transpose, data, 64, data, 64, NULL));

    said("no port", qpuscope_board_open(NULL, 0, &board));
    said("absent port", qpuscope_board_open("/dev/absent", 0, &board));
    said("a rate", qpuscope_board_open("sim:absent.img", 1, &board));
    said("no image", qpuscope_board_open("sim:absent.img", 0, &board));
    said("no board", qpuscope_board_info(NULL, &info));
    said("nobody to send to", qpuscope_board_upload(NULL, &upload, NULL));
    said("nobody to read from", qpuscope_board_read(NULL, 1.0, &spectrum));
    qpuscope_board_close(NULL);
    return 0;
}
