@ Entry, identification, stacks, VFP, MMU, and the order of the tests.

.section .text.start, "ax", %progbits
.global _start
_start:
    mrs     r6, cpsr
    cpsid   aif
    ldr     sp, =0x01f00000
    bl      uart_init
    say     "hello\n"
    mov     r1, r6
    show    "cpsr="
    mrc     p15, 0, r1, c0, c0, 0
    show    "midr="
    mrc     p15, 0, r1, c0, c0, 1
    show    "ctr="
    mrc     p15, 0, r1, c1, c0, 0
    show    "sctlr="
    mrc     p15, 0, r1, c1, c0, 1
    show    "actlr="
    cps     #0x12
    ldr     sp, =0x01e00000
    cps     #0x17
    ldr     sp, =0x01d00000
    cps     #0x1b
    ldr     sp, =0x01c00000
    cps     #0x11
    ldr     sp, =0x01b00000
    cps     #0x13
    mrs     r1, cpsr
    show    "cpsr="
    mrc     p15, 0, r0, c1, c0, 0           @ U set, A clear, I-cache on
    orr     r0, r0, #(1 << 22)
    bic     r0, r0, #2
    orr     r0, r0, #(1 << 12)
    mcr     p15, 0, r0, c1, c0, 0
    ldr     r0, =vectors
    mcr     p15, 0, r0, c12, c0, 0
    mrc     p15, 0, r1, c12, c0, 0
    cmp     r1, r0
    movne   r1, #0
    moveq   r1, #1
    show    "vbar="
    say     "[vfp off]\n"
    .word   0xee300a00                      @ vadd.f32 s0, s0, s0: undefined
    mrc     p15, 0, r0, c1, c0, 2
    orr     r0, r0, #(0xf << 20)
    mcr     p15, 0, r0, c1, c0, 2
    mov     r0, #0
    mcr     p15, 0, r0, c7, c5, 4
    mov     r0, #0x40000000
    vmsr    fpexc, r0
    mov     r0, #0x03000000
    vmsr    fpscr, r0
    vmrs    r1, fpsid
    show    "fpsid="
    bl      mmu_on
    mrc     p15, 0, r1, c1, c0, 0
    show    "sctlr="

    bl      test_memory
    bl      test_instructions
    bl      test_vfp
    bl      test_modes

    say     "done\n"
    bl      uart_drain
    ldr     r0, =0x20100000                 @ the watchdog resets the board
    ldr     r1, =0x5a000001
    str     r1, [r0, #0x24]
    ldr     r1, =0x5a000020
    str     r1, [r0, #0x1c]
    mov     r2, #0
1:  mcr     p15, 0, r2, c7, c0, 4
    b       1b
    .ltorg

.text
@ Sections, virtual = physical: the first MiB executable, RAM to 0x1fff_ffff write-back, Device to
@ 0x3fff_ffff, faults from 0x4000_0000; 0x3000_0000 is a read-only alias of 0x0020_0000.
mmu_on:
    ldr     r0, =0x00100000
    mov     r1, #0
    ldr     r3, =0x00001c0e
    ldr     r6, =0x00000c16
3:  mov     r2, r1, lsl #20
    cmp     r1, #1
    orreq   r3, r3, #0x10
    cmp     r1, #0x200
    orrlo   r2, r2, r3
    orrhs   r2, r2, r6
    cmp     r1, #0x400
    movhs   r2, #0
    cmp     r1, #0x300
    ldreq   r2, =0x0020941e
    str     r2, [r0, r1, lsl #2]
    add     r1, r1, #1
    cmp     r1, #0x1000
    blo     3b
    @ 0x3020_0000: a table of pages at 0x0010_8000: a small one, a small one that is XN, a large one.
    ldr     r2, =0x00108001
    ldr     r1, =0x302
    str     r2, [r0, r1, lsl #2]
    ldr     r3, =0x00108000
    mov     r1, #0
4:  mov     r2, #0
    str     r2, [r3, r1, lsl #2]
    add     r1, r1, #1
    cmp     r1, #0x100
    blo     4b
    ldr     r2, =0x0020207e                 @ TEX 001, AP 11, C, B
    str     r2, [r3]
    ldr     r2, =0x0020326f                 @ TEX 001, APX and AP: read-only for all, XN
    str     r2, [r3, #4]
    ldr     r2, =0x0021103d                 @ large page, TEX 001, AP 11, C, B
    mov     r1, #0x10
5:  str     r2, [r3, r1, lsl #2]
    add     r1, r1, #1
    cmp     r1, #0x20
    blo     5b
    mov     r1, #0
    mcr     p15, 0, r1, c7, c7, 0
    mcr     p15, 0, r1, c8, c7, 0
    mcr     p15, 0, r1, c7, c10, 4
    mcr     p15, 0, r1, c2, c0, 2
    orr     r0, r0, #0x9
    mcr     p15, 0, r0, c2, c0, 0
    mov     r1, #1
    mcr     p15, 0, r1, c3, c0, 0
    mrc     p15, 0, r1, c1, c0, 0
    orr     r1, r1, #(1 << 23)
    orr     r1, r1, #(1 << 11)
    orr     r1, r1, #5
    mcr     p15, 0, r1, c1, c0, 0
    mov     r1, #0
    mcr     p15, 0, r1, c7, c5, 4
    bx      lr
    .ltorg
