/* mailbox.h: the calls by which programs under Linux get memory of the VideoCore and run QPU programs.
 *
 * libqpuscope_mailbox has all of them. libqpuscope_gpu_fft has mbox_open and mbox_close.
 */
#ifndef QPUSCOPE_MAILBOX_H
#define QPUSCOPE_MAILBOX_H

int mbox_open(void);
void mbox_close(int file_desc);

unsigned mem_alloc(int file_desc, unsigned size, unsigned align, unsigned flags); /* a handle; 0: no memory */
unsigned mem_free(int file_desc, unsigned handle);                                /* 0 */
unsigned mem_lock(int file_desc, unsigned handle);                                /* a bus address */
unsigned mem_unlock(int file_desc, unsigned handle);                              /* 0 */
void *mapmem(unsigned base, unsigned size); /* of a bus address without its alias */
void unmapmem(void *addr, unsigned size);

/* control: bus address of num_qpus pairs of uniforms and code. 0, or 0x80000000 when they did not end. */
unsigned execute_qpu(int file_desc, unsigned num_qpus, unsigned control, unsigned noflush, unsigned timeout);
unsigned execute_code(int file_desc, unsigned code, unsigned r0, unsigned r1, unsigned r2, unsigned r3,
                      unsigned r4, unsigned r5);
unsigned qpu_enable(int file_desc, unsigned enable); /* 0 */

#endif
