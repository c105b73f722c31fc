@ Exception handlers: each prints what the exception left, and returns behind the instruction
@ (aborts of fetches return to r9).


.macro show_status
    mrs     r1, spsr
    show    "spsr="
    mrs     r1, cpsr
    show    "cpsr="
.endm

.text
.balign 32
vectors:
    b       .
    b       undefined_handler
    b       svc_handler
    b       prefetch_handler
    b       data_handler
    b       .
    b       irq_handler
    b       fiq_handler

undefined_handler:
    push    {r0-r3, r12, lr}
    ldr     r1, [lr, #-4]
    show    "UND insn="
    show_status
    pop     {r0-r3, r12, lr}
    movs    pc, lr

svc_handler:
    push    {r0-r3, r12, lr}
    ldr     r1, [lr, #-4]
    show    "SVC insn="
    show_status
    pop     {r0-r3, r12, lr}
    push    {r1}
    ldr     r1, [lr, #-4]
    and     r1, r1, #0xff
    cmp     r1, #0xff
    pop     {r1}
    beq     1f
    add     r0, r0, #0x100
    movs    pc, lr
1:  push    {r0}
    mrs     r0, spsr
    bic     r0, r0, #0x1f
    orr     r0, r0, #0x13
    msr     spsr_cxsf, r0
    pop     {r0}
    movs    pc, lr

prefetch_handler:
    push    {r0-r3, r12, lr}
    mrc     p15, 0, r1, c5, c0, 1
    show    "PAB ifsr="
    mrc     p15, 0, r1, c6, c0, 2
    show    "ifar="
    show_status
    pop     {r0-r3, r12, lr}
    movs    pc, r9

data_handler:
    push    {r0-r3, r12, lr}
    ldr     r1, [lr, #-8]
    show    "DAB insn="
    mrc     p15, 0, r1, c5, c0, 0
    show    "dfsr="
    mrc     p15, 0, r1, c6, c0, 0
    show    "dfar="
    show_status
    pop     {r0-r3, r12, lr}
    subs    pc, lr, #4

irq_handler:
    sub     lr, lr, #4
    push    {r0-r3, r12, lr}
    ldr     r3, =0x2000b200
    ldr     r1, [r3, #4]
    show    "pending1="
    ldr     r3, =0x20003000
    mov     r1, #2
    str     r1, [r3]
    add     r8, r8, #1
    pop     {r0-r3, r12, lr}
    movs    pc, lr

@ Uses the banked r8 to r12 only.
fiq_handler:
    ldr     r8, =0x20003000
    mov     r9, #2
    str     r9, [r8]
    ldr     r8, =0x00200500
    ldr     r9, [r8]
    add     r9, r9, #1
    str     r9, [r8]
    subs    pc, lr, #4
    .ltorg
