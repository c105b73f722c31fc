/* A QPU program run by the mailbox, as under Linux on a Raspberry Pi; here on the simulated V3D.
 *
 * cc -std=c99 -I DIR/include/gpu_fft examples/mailbox.c -o mailbox -L DIR/lib -lqpuscope_mailbox -lqpuscope \
 *    -Wl,-rpath,DIR/lib
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "mailbox.h"

#define BUS_TO_PHYS(address) ((address) & ~0xc0000000u)

/* Adds 128 to a uniform and stores the sum sixteen times; vc4asm's words. */
static const uint64_t code[] = {
    0x1002082715827d80, 0xe00208e700000080, 0xe0021c6700001a00, 0x100208270c9e70c0, 0x10020c27159e7000,
    0xe0021c6780904000, 0xe0021c67c0000000, 0x1002086715827d80, 0x10021ca7159e7240, 0x100209e7159f2e00,
    0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

struct memory {
    uint64_t code[16];
    uint32_t uniforms[16], out[16], message[2];
};

int main(void)
{
    int mailbox = mbox_open();
    unsigned handle = mem_alloc(mailbox, sizeof(struct memory), 4096, 0xc);
    unsigned bus = mem_lock(mailbox, handle);
    struct memory *memory = mapmem(BUS_TO_PHYS(bus), sizeof *memory);

    if (!handle || !memory || qpu_enable(mailbox, 1))
        return 1;
    memcpy(memory->code, code, sizeof code);
    memory->uniforms[0] = 1000;
    memory->uniforms[1] = bus + (unsigned)offsetof(struct memory, out);
    memory->message[0] = bus + (unsigned)offsetof(struct memory, uniforms);
    memory->message[1] = bus + (unsigned)offsetof(struct memory, code);
    if (execute_qpu(mailbox, 1, bus + (unsigned)offsetof(struct memory, message), 1, 1000))
        return 1;
    printf("%u %u\n", (unsigned)memory->out[0], (unsigned)memory->out[15]);

    /* What is not there. */
    if (mapmem(0x20c00000, 4096) || !execute_qpu(mailbox, 1, 0x5000000, 1, 1000))
        return 1;
    mem_unlock(mailbox, handle);
    mem_free(mailbox, handle);
    qpu_enable(mailbox, 0);
    mbox_close(mailbox);
    return 0;
}
