@ Status registers, user mode, SRS and RFE, banked registers, interrupts and WFI.

.text
test_modes:
    push    {lr}
    cpsie   af
    mrs     r1, cpsr
    show    "cpsr="
    cpsid   af
    mrs     r1, cpsr
    show    "cpsr="

    say     "[usr]\n"
    cps     #0x1f
    ldr     sp, =0x01a00000
    cps     #0x10
    mov     r0, #0x22
    svc     #0x34
    mov     r4, r0
    mrs     r5, cpsr
    mrc     p15, 0, r1, c1, c0, 0           @ undefined in user mode
    svc     #0xff                           @ back to SVC mode
    mov     r1, r4
    show    "ret="
    mov     r1, r5
    show    "cpsr="

    say     "[srs/rfe]\n"
    mov     r4, sp
    adr     lr, 1f
    mrs     r0, cpsr
    msr     spsr_cxsf, r0
    srsdb   sp!, #0x13
    rfeia   sp!
    b       .
1:  sub     r1, r4, sp
    show    "ret="

    say     "[banks]\n"
    mov     r8, #8
    cps     #0x11
    mov     r8, #0x11
    mov     r12, #0x11
    cps     #0x13
    mov     r1, r8
    show    "r8="
    cps     #0x11
    mov     r1, r8
    cps     #0x13
    show    "r8_fiq="
    ldr     r3, =0x00200400
    mov     r4, sp
    stmia   r3, {sp, lr}^
    ldr     r1, [r3]
    show    "sp_usr="
    mov     r0, #0x55
    str     r0, [r3]
    ldmia   r3, {sp}^
    nop
    stmia   r3, {sp}^
    ldr     r1, [r3]
    show    "sp_usr="
    sub     r1, r4, sp
    show    "sp_svc="

    say     "[irq]\n"
    ldr     r3, =0x20003000
    ldr     r1, [r3, #4]
    add     r1, r1, #2000
    str     r1, [r3, #0x10]
    mov     r1, #2
    ldr     r2, =0x2000b200
    str     r1, [r2, #0x10]
    mov     r8, #0
    cpsie   i
    mov     r0, #0
2:  cmp     r8, #0
    bne     3f
    mcr     p15, 0, r0, c7, c0, 4           @ WFI
    b       2b
3:  cpsid   i
    mov     r1, r8
    show    "irqs="

    say     "[fiq]\n"
    ldr     r3, =0x20003000
    ldr     r1, [r3, #4]
    add     r1, r1, #2000
    str     r1, [r3, #0x10]
    mov     r1, #2
    ldr     r2, =0x2000b200
    str     r1, [r2, #0x1c]
    mov     r1, #0x81
    str     r1, [r2, #0x0c]
    mov     r0, #0
    ldr     r4, =0x00200500
    str     r0, [r4]
    cpsie   f
4:  ldr     r1, [r4]
    cmp     r1, #0
    beq     4b
    cpsid   f
    ldr     r1, [r4]
    show    "fiqs="
    pop     {pc}
    .ltorg
