@ What runs before Rust on an ARM1176 (Raspberry Pi 1 and Zero), and the exception vectors.
@
@ The boot firmware enters at 0x8000 in SVC mode with MMU and caches off, r2 = ATAGs or 0. It does so
@ on later boards too, whose peripherals lie elsewhere: those are told apart first. What must
@ hold before the first Rust instruction: a stack for every mode, VBAR at our vectors (SCTLR.V clear),
@ VFP on (the target passes floats in VFP registers) and in RunFast mode, and a zeroed .bss. The main
@ stack is filled with one word, so that what was never used of it can be told later.
@
@ RunFast (FPSCR = FZ | DN): outside it the VFP11 hands subnormal operands and results to "support
@ code" through the undefined-instruction vector, and there is none here.
@
@ ARMv6 has no DSB/ISB mnemonics; CP15 c7 does their work. The assembler is told the architecture
@ here because LLVM does not pass target features to global_asm (rust-lang/rust 127269).
@
@ Sources: ARM1176JZF-S TRM (DDI 0301), chapters 3 and 18 to 22; ARM ARM (DDI 0100), section A2.6.

.arch armv6k
.fpu vfpv2
.arm

.equ MODE_FIQ, 0x11
.equ MODE_IRQ, 0x12
.equ MODE_SVC, 0x13
.equ MODE_ABT, 0x17
.equ MODE_UND, 0x1b

.equ STACK_PAINT, 0x57ac57ac            @ PAINT in kernel/src/arch/armv6/stack.rs

.section .text.boot, "ax", %progbits
.global _start
_start:
    mov     r4, r2
    mrc     p15, 0, r0, c0, c0, 0       @ MIDR, part number in bits 15:4
    ldr     r1, =0x0000b760
    eor     r0, r0, r1
    mov     r0, r0, lsl #16
    cmp     r0, #0x00100000             @ all but the revision as in an ARM1176
    bhs     other_processor
    mrc     p15, 0, r0, c1, c0, 0       @ SCTLR: high vectors, I-cache, prediction off
    bic     r0, r0, #0x3800
    bic     r0, r0, #0x0007             @ MMU, alignment check, D-cache off
    mcr     p15, 0, r0, c1, c0, 0
    ldr     r0, =vectors
    mcr     p15, 0, r0, c12, c0, 0      @ VBAR

    cpsid   aif, #MODE_FIQ
    ldr     sp, =__exception_stack_top
    cps     #MODE_UND
    ldr     sp, =__exception_stack_top
    cps     #MODE_ABT
    ldr     sp, =__exception_stack_top
    cps     #MODE_IRQ
    ldr     sp, =__irq_stack_top
    cps     #MODE_SVC
    ldr     sp, =__stack_top

    mrc     p15, 0, r0, c1, c0, 2       @ CPACR: full access to CP10 and CP11
    orr     r0, r0, #0x00f00000
    mcr     p15, 0, r0, c1, c0, 2
    mov     r1, #0
    mcr     p15, 0, r1, c7, c5, 4       @ prefetch flush (ISB)
    mov     r0, #0x40000000             @ FPEXC.EN
    vmsr    fpexc, r0
    mov     r0, #0x03000000             @ FPSCR: FZ | DN
    vmsr    fpscr, r0

    ldr     r0, =__bss_start
    ldr     r1, =__bss_end
    mov     r2, #0
    mov     r3, #0
    mov     r5, #0
    mov     r6, #0
    b       2f
1:  stmia   r0!, {r2, r3, r5, r6}       @ both ends are 64-byte aligned
    stmia   r0!, {r2, r3, r5, r6}
2:  cmp     r0, r1
    blo     1b

    ldr     r0, =__stack_bottom
    mov     r1, sp
    ldr     r2, =STACK_PAINT
    mov     r3, r2
    mov     r5, r2
    mov     r6, r2
3:  stmia   r0!, {r2, r3, r5, r6}
    cmp     r0, r1
    blo     3b

    mov     r0, r4
    bl      kernel_main
4:  b       4b                          @ kernel_main does not return

.balign 32
vectors:
    ldr     pc, =_start
    ldr     pc, =undefined
    ldr     pc, =supervisor_call
    ldr     pc, =prefetch_abort
    ldr     pc, =data_abort
    ldr     pc, =reserved_vector
    ldr     pc, =irq
    ldr     pc, =fiq

@ A data abort that is awaited (`take_pending_abort` in kernel/src/arch/armv6/exception.rs) leaves its status
@ and returns; LR_abt is 8 bytes behind where to.
data_abort:
    push    {r0, r1}
    ldr     r0, =KERNEL_AWAITED_ABORT
    ldr     r1, [r0]
    cmp     r1, #0x80000000             @ AWAITED
    mrceq   p15, 0, r1, c5, c0, 0       @ DFSR
    streq   r1, [r0]
    pop     {r0, r1}
    bne     fatal_data_abort
    subs    pc, lr, #8

@ Everything but IRQ is the end of this run: save what a report needs and call Rust, which reports
@ and resets the board. The frame is `Frame` in kernel/src/arch/armv6/exception.rs.
.macro fatal name, kind, mode
\name:
    sub     sp, sp, #72
    stmia   sp, {r0-r12}
    mrs     r2, spsr
    str     lr, [sp, #60]
    str     r2, [sp, #64]
    mov     r1, sp
    cps     #MODE_SVC
    mov     r2, sp
    mov     r3, lr
    cps     #\mode
    str     r2, [sp, #52]
    str     r3, [sp, #56]
    mov     r0, #\kind
    bl      kernel_exception
.endm

fatal undefined,       1, MODE_UND
fatal supervisor_call, 2, MODE_SVC
fatal prefetch_abort,  3, MODE_ABT
fatal fatal_data_abort, 4, MODE_ABT
fatal reserved_vector, 5, MODE_SVC
fatal fiq,             7, MODE_FIQ

@ The handler is Rust and may use any caller-saved register, VFP's included. An exclusive access that
@ was interrupted must fail (clrex).
irq:
    sub     lr, lr, #4
    push    {r0-r3, r12, lr}
    vpush   {d0-d7}
    vmrs    r0, fpscr
    push    {r0, r1}
    bl      kernel_irq
    pop     {r0, r1}
    vmsr    fpscr, r0
    vpop    {d0-d7}
    clrex
    ldm     sp!, {r0-r3, r12, pc}^

@ A Raspberry Pi 2 or 3: the same boot files start this image there as well, in HYP mode. One core
@ says so on the wires that a Pi 1 would use and all stop; nothing else here would work, or fail in a
@ way that can be seen. The UART's clock is that of config.txt, 48 MHz. A Zero 2 W would say the same,
@ if a card with its device tree started the image there (Circle, boot/README).
.equ UART_CLOCKS_64THS, 1667            @ 4 * 48 MHz / 115,200 baud

other_processor:
    mrc     p15, 0, r0, c0, c0, 5       @ MPIDR: the number of the core
    tst     r0, #3
    bne     3f
    ldr     r1, =0x3f200000             @ GPIO of the BCM2836 and BCM2837
    ldr     r0, [r1, #0x04]             @ GPFSEL1: pins 14 and 15 to ALT0
    bic     r0, r0, #0x0003f000
    orr     r0, r0, #0x00024000
    str     r0, [r1, #0x04]
    add     r1, r1, #0x1000             @ PL011
    mov     r0, #0
    str     r0, [r1, #0x30]             @ CR: off
    str     r0, [r1, #0x2c]             @ LCRH: FIFOs flushed
    mov     r0, #(UART_CLOCKS_64THS / 64)
    str     r0, [r1, #0x24]             @ IBRD
    mov     r0, #(UART_CLOCKS_64THS % 64)
    str     r0, [r1, #0x28]             @ FBRD
    mov     r0, #0x70
    str     r0, [r1, #0x2c]             @ LCRH: eight bits, FIFOs
    mov     r0, #0x100
    orr     r0, r0, #0x001
    str     r0, [r1, #0x30]             @ CR: transmit
    adr     r2, refusal
1:  ldrb    r0, [r2], #1
    cmp     r0, #0
    beq     3f
2:  ldr     r3, [r1, #0x18]             @ FR.TXFF
    tst     r3, #0x20
    bne     2b
    str     r0, [r1]
    b       1b
3:  b       3b

refusal:
    .asciz  "\r\nqpuscope: this image is for a Raspberry Pi 1 or Zero (BCM2835); this board has another processor\r\n"
.balign 4

.ltorg
