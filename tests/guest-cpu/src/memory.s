@ Calls, aborts, alignment and page tables.

.text
test_memory:
    push    {lr}
    say     "[svc]\n"
    mov     r0, #0x11
    svc     #0x12
    mov     r1, r0
    show    "ret="
    say     "[und]\n"
    .word   0xe7f000f0

    say     "[dabort]\n"
    ldr     r3, =0x40000124
    ldr     r4, [r3]
    say     "[dabort w]\n"
    str     r4, [r3, #4]
    ldr     r3, =0x30000010                 @ read-only
    str     r4, [r3]
    ldr     r3, =0x40000124                 @ no write-back on an abort
    strb    r4, [r3], #4
    mov     r1, r3
    show    "ret="
    ldr     r3, =0x40000200
    mov     r4, #7
    ldmia   r3!, {r4, r5}
    mov     r1, r3
    show    "ret="

    say     "[pabort]\n"
    ldr     r3, =0x50000000
    ldr     r9, =after_abort
    bx      r3
after_abort:
    ldr     r3, =0x00300000                 @ XN; holds "mov pc, r9"
    ldr     r9, =0xe1a0f009
    str     r9, [r3]
    ldr     r9, =after_xn
    bx      r3
after_xn:
    say     "[bkpt]\n"
    ldr     r9, =after_bkpt
    bkpt    #1
after_bkpt:
    mov     r9, #0

    say     "[pages]\n"
    ldr     r3, =0x30200000                 @ small page -> 0x0020_2000
    ldr     r4, =0x00202000
    ldr     r5, =0x12345678
    str     r5, [r3, #0x10]
    ldr     r1, [r4, #0x10]
    show    "small="
    add     r3, r3, #0x1000
    ldr     r1, [r3]
    str     r5, [r3]                        @ read-only page: permission fault
    ldr     r6, =0x30214000                 @ large page -> 0x0021_4000
    ldr     r4, =0x00214000
    str     r5, [r6]
    ldr     r1, [r4]
    show    "large="
    add     r3, r3, #0x1000
    ldr     r1, [r3]                        @ no page: translation fault

    say     "[unaligned]\n"
    ldr     r3, =0x00200000
    ldr     r0, =0x44332211
    str     r0, [r3]
    ldr     r0, =0x88776655
    str     r0, [r3, #4]
    ldr     r1, [r3, #1]
    show    "ret="
    ldrh    r1, [r3, #3]
    show    "ret="
    ldr     r1, =0xaabbccdd
    str     r1, [r3, #0x15]
    strh    r1, [r3, #0x1b]
    ldr     r1, [r3, #0x14]
    bic     r1, r1, #0xff
    show    "ret="
    ldrb    r1, [r3, #0x1c]
    show    "ret="
    say     "[ldm unaligned]\n"
    add     r3, r3, #2
    mov     r4, #0
    ldmia   r3, {r4, r5}
    mov     r1, r4
    show    "ret="
    say     "[ldrex unaligned]\n"
    ldrex   r4, [r3]
    say     "[sctlr.A]\n"
    mrc     p15, 0, r0, c1, c0, 0
    orr     r0, r0, #2
    mcr     p15, 0, r0, c1, c0, 0
    ldr     r4, [r3, #1]
    mrc     p15, 0, r0, c1, c0, 0
    bic     r0, r0, #2
    mcr     p15, 0, r0, c1, c0, 0

    ldr     r3, =0x00200000
    ldrex   r4, [r3]
    add     r4, r4, #1
    strex   r1, r4, [r3]
    show    "strex="
    strex   r1, r4, [r3]
    show    "strex="
    ldrexd  r4, r5, [r3]
    strexd  r1, r4, r5, [r3]
    show    "strex="
    ldrexb  r4, [r3]
    strexb  r1, r4, [r3]
    show    "strex="
    ldrexh  r4, [r3]
    clrex
    strexh  r1, r4, [r3]
    show    "strex="
    swp     r1, r4, [r3]
    show    "swp="
    swpb    r1, r4, [r3]
    show    "swp="
    pop     {pc}
    .ltorg
