@ Text on the PL011, and the macros that the other files print with.
@
@ `say "text"` prints a string, `show "name="` a string and r1 in hexadecimal. Both keep r2 to r12;
@ they clobber r0, r1, lr and the flags, in the same way on every machine, so that printed status
@ registers are comparable.

.syntax unified
.arm

.macro say text
    ldr     r0, =.Ltext\@
    bl      puts
    .pushsection .rodata
.Ltext\@: .asciz "\text"
    .popsection
.endm

.macro show text
    ldr     r0, =.Ltext\@
    bl      put_value
    .pushsection .rodata
.Ltext\@: .asciz "\text"
    .popsection
.endm

.text
@ GPIO 14 and 15 to ALT0, then 115,200 baud from the 3 MHz clock that QEMU has.
uart_init:
    ldr     r3, =0x20200004
    ldr     r0, =(4 << 12) | (4 << 15)
    str     r0, [r3]
    ldr     r3, =0x20201000
    mov     r0, #0
    str     r0, [r3, #0x30]
    mov     r0, #1
    str     r0, [r3, #0x24]
    mov     r0, #40
    str     r0, [r3, #0x28]
    mov     r0, #0x70
    str     r0, [r3, #0x2c]
    ldr     r0, =0x301
    str     r0, [r3, #0x30]
    bx      lr

putc:
    push    {r1, r2}
    ldr     r1, =0x20201000
1:  ldr     r2, [r1, #0x18]
    tst     r2, #0x20
    bne     1b
    str     r0, [r1]
    pop     {r1, r2}
    bx      lr

@ Waits until the last byte has left.
uart_drain:
    ldr     r1, =0x20201000
1:  ldr     r2, [r1, #0x18]
    tst     r2, #0x08
    bne     1b
    bx      lr

puts:
    push    {r4, lr}
    mov     r4, r0
1:  ldrb    r0, [r4], #1
    cmp     r0, #0
    popeq   {r4, pc}
    bl      putc
    b       1b

put_value:
    push    {r4, r5, lr}
    mov     r5, r1
    bl      puts
    mov     r4, #28
1:  mov     r0, r5, lsr r4
    and     r0, r0, #15
    cmp     r0, #10
    addlo   r0, r0, #'0'
    addhs   r0, r0, #('a' - 10)
    bl      putc
    subs    r4, r4, #4
    bpl     1b
    mov     r0, #'\n'
    bl      putc
    pop     {r4, r5, pc}
    .ltorg
