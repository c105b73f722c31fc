@ Entry: the stack, the VFP as the firmware has it, one transform, or the making of one
@ plan or of digests, between two readings of the cycle counter, and the end.
@
@ The task lies behind the first branch (guest_fft::Task). Memory from 0x0100_0000 is the points and the
@ twiddles, the plan or the digests, which Rust sees as one structure at a time; the stack ends at
@ 0x0100_0000. Caches and MMU are on, as in the firmware. The translation table lies at 0x4000, below
@ the image.
@
@ CCNT counts clocks of the core in 32 bits, PMN0 the instructions that were executed. The longest
@ transform takes some 2^31 clocks.
@
@ Sources: ARM1176JZF-S TRM (DDI 0301H), section 3.2.51 (PMNC) to 3.2.53 (PMN0), chapter 6 (sections
@ of ARMv6), chapter 20 (VFP); BCM2835's watchdog as in Linux `bcm2835_wdt.c`.

.syntax unified
.arm

.section .text.start, "ax", %progbits
.global _start
_start:
    b       begin
    .word   0
task:
    .ascii  "FFT6"                          @ magic
    .word   0                               @ engine
    .word   0                               @ log2n
    .word   0                               @ radix
    .word   0                               @ inverse
    .word   0                               @ status
    .word   0                               @ clocks
    .word   0                               @ instructions

engines:
    .word   {prepare_f32}, {transform_f32}
    .word   {prepare_f64}, {transform_f64}
    .word   {prepare_microfft}, {transform_microfft}
    .word   {prepare_plan}, {make_plan}
    .word   {prepare_digests}, {make_digests}

begin:
    cpsid   aif
    mrc     p15, 0, r0, c1, c0, 0           @ SCTLR: unaligned loads as ARMv6 has them
    orr     r0, r0, #(1 << 22)
    bic     r0, r0, #2
    mcr     p15, 0, r0, c1, c0, 0
    mrc     p15, 0, r0, c1, c0, 2           @ CPACR: full access to CP10 and CP11
    orr     r0, r0, #(0xf << 20)
    mcr     p15, 0, r0, c1, c0, 2
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 4
    mov     r0, #0x40000000                 @ FPEXC.EN
    vmsr    fpexc, r0
    mov     r0, #0x03000000                 @ RunFast: FPSCR.FZ and DN
    vmsr    fpscr, r0
    bl      mmu_on
    ldr     r4, =0x01000000                 @ points and twiddles
    mov     sp, r4
    ldr     r5, =task
    mov     r6, #2                          @ refused
    ldr     r0, [r5, #4]
    cmp     r0, #5
    bhs     1f
    ldr     r7, =engines
    add     r7, r7, r0, lsl #3
    mov     r0, r4
    mov     r1, r5
    ldr     r2, [r7]
    blx     r2
    cmp     r0, #0
    beq     1f
    ldr     r0, =0x00700007                 @ PMNC: count, from 0; PMN0 event 7
    mcr     p15, 0, r0, c15, c12, 0
    mov     r0, r4
    mov     r1, r5
    ldr     r2, [r7, #4]
    mrc     p15, 0, r8, c15, c12, 1         @ CCNT
    mrc     p15, 0, r10, c15, c12, 2        @ PMN0
    blx     r2
    mrc     p15, 0, r11, c15, c12, 2
    mrc     p15, 0, r9, c15, c12, 1
    sub     r9, r9, r8
    sub     r11, r11, r10
    str     r9, [r5, #24]
    str     r11, [r5, #28]
    mov     r6, #1                          @ done
1:  str     r6, [r5, #20]
    mov     r0, #0                          @ what is read of this is in memory
    mcr     p15, 0, r0, c7, c10, 0
    mcr     p15, 0, r0, c7, c10, 4
    ldr     r0, =0x20100000                 @ the watchdog resets the board
    ldr     r1, =0x5a000001
    str     r1, [r0, #0x24]
    ldr     r1, =0x5a000020
    str     r1, [r0, #0x1c]
    mov     r2, #0
2:  mcr     p15, 0, r2, c7, c0, 4           @ wait for interrupt
    b       2b
    .ltorg

@ Sections, virtual = physical: RAM write-back to 0x1fff_ffff, of which the image's 16 MiB are
@ executable, one MiB of devices after each other to 0x20ff_ffff, and nothing behind them.
mmu_on:
    mov     r0, #0x4000
    mov     r1, #0
    ldr     r3, =0x00001c0e                 @ TEX 001, AP 11, C, B
    ldr     r6, =0x00000c16                 @ shared device, AP 11, XN
1:  mov     r2, r1, lsl #20
    cmp     r1, #0x10
    orreq   r3, r3, #0x10                   @ XN
    cmp     r1, #0x200
    orrlo   r2, r2, r3
    orrhs   r2, r2, r6
    cmp     r1, #0x210
    movhs   r2, #0
    str     r2, [r0, r1, lsl #2]
    add     r1, r1, #1
    cmp     r1, #0x1000
    blo     1b
    mov     r1, #0
    mcr     p15, 0, r1, c7, c7, 0           @ both caches and the TLBs hold nothing
    mcr     p15, 0, r1, c8, c7, 0
    mcr     p15, 0, r1, c7, c10, 4
    mcr     p15, 0, r1, c2, c0, 2           @ TTBCR: TTBR0 alone
    mcr     p15, 0, r0, c2, c0, 0           @ TTBR0
    mov     r1, #1
    mcr     p15, 0, r1, c3, c0, 0           @ DACR: client of domain 0
    mrc     p15, 0, r1, c1, c0, 0
    orr     r1, r1, #(1 << 23)              @ SCTLR.XP
    orr     r1, r1, #(3 << 11)              @ I, Z
    orr     r1, r1, #5                      @ C, M
    mcr     p15, 0, r1, c1, c0, 0
    mov     r1, #0
    mcr     p15, 0, r1, c7, c5, 4
    bx      lr
    .ltorg
