/* Spectra of a board: of samples that are sent, or of whatever it sends.
 *
 * cc -std=c99 examples/spectra.c -o spectra $(pkg-config --cflags --libs qpuscope) -lm
 * ./spectra /dev/ttyUSB0              sends a tone, prints the strongest bin of its spectrum
 * ./spectra sim:target/kernel.img     the same on a virtual Pi in this process
 * ./spectra PORT --generator          prints that of three spectra of the board's own generator
 * ./spectra recorded.bin --listen     prints that of each spectrum in recorded bytes, or on a line
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "qpuscope.h"

#define PI 3.14159265358979323846
#define COUNT 8192
#define RATE 48000
#define TONE 1000.0
#define FAST_BAUD 921600

static int failed(qpuscope_board *board)
{
    fprintf(stderr, "spectra: %s\n", qpuscope_message());
    qpuscope_board_close(board);
    return 1;
}

/* Greets the board, sets it up, and makes the line faster. */
static int32_t prepare(qpuscope_board *board, const char *settings)
{
    qpuscope_info info = { 0 };
    int32_t status;

    info.struct_size = sizeof info;
    status = qpuscope_board_info(board, &info);
    if (status != QPUSCOPE_OK)
        return status;
    printf("%s, firmware %s\n", info.board, info.firmware);
    status = qpuscope_board_set(board, settings);
    return status != QPUSCOPE_OK ? status : qpuscope_board_baud(board, FAST_BAUD);
}

/* Sends half a full scale of 1 kHz. */
static int32_t send(qpuscope_board *board)
{
    static float samples[COUNT];
    qpuscope_upload upload = { 0 };
    int32_t status = prepare(board, "n=1024 window=hann overlap=512 avg=all out=f32");

    if (status != QPUSCOPE_OK)
        return status;
    for (int i = 0; i < COUNT; i++)
        samples[i] = (float)(0.5 * sin(2.0 * PI * TONE * i / RATE));
    upload.struct_size = sizeof upload;
    upload.format = QPUSCOPE_F32;
    upload.rate_numerator = RATE;
    upload.samples = samples;
    upload.count = COUNT;
    return qpuscope_board_upload(board, &upload, NULL);
}

static void print(const qpuscope_spectrum *spectrum)
{
    uint32_t peak = 0;
    double bin;

    for (uint32_t i = 0; i < spectrum->bin_count; i++)
        if (spectrum->power[i] > spectrum->power[peak])
            peak = i;
    bin = (double)spectrum->first_bin + peak;
    printf("record %u: %u points, %u blocks, strongest %.1f Hz at %.2f dBFS, by the %s\n",
           (unsigned)spectrum->record, (unsigned)spectrum->points, (unsigned)spectrum->averages,
           spectrum->centre_hz + bin * spectrum->rate_hz / spectrum->points,
           10.0 * log10(spectrum->power[peak]), spectrum->by_qpus ? "QPUs" : "ARM");
}

int main(int argc, char **argv)
{
    qpuscope_board *board;
    qpuscope_spectrum spectrum = { 0 };
    const char *mode = argc == 3 ? argv[2] : "";
    int is_listening = strcmp(mode, "--listen") == 0;
    int is_generating = strcmp(mode, "--generator") == 0;
    int left = is_generating ? 3 : -1;
    int32_t status = QPUSCOPE_OK;

    if (argc < 2 || argc > 3 || (argc == 3 && !is_listening && !is_generating)) {
        fprintf(stderr, "usage: spectra PORT [--generator | --listen]\n");
        return 2;
    }
    if (qpuscope_board_open(argv[1], 0, &board) != QPUSCOPE_OK)
        return failed(NULL);
    if (is_generating) {
        status = prepare(board, "n=1024 window=hann overlap=0 avg=16 out=f32");
        if (status == QPUSCOPE_OK)
            status = qpuscope_board_start(board);
    } else if (!is_listening) {
        status = send(board);
    }
    if (status != QPUSCOPE_OK)
        return failed(board);
    spectrum.struct_size = sizeof spectrum;
    /* Those of an upload have come; others are waited for. */
    while (left != 0
           && (status = qpuscope_board_read(board, argc == 3 ? 5.0 : 0.0, &spectrum)) == QPUSCOPE_OK) {
        print(&spectrum);
        left--;
    }
    if (status < 0)
        return failed(board);
    qpuscope_board_close(board);
    return 0;
}
