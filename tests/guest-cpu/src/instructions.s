@ Data processing, multiplies, media instructions, block transfers, CP15.

@ Adds r1 and the flags to the hash in r10.
.macro mix
    mrs     r2, cpsr
    eor     r10, r10, r1
    add     r10, r10, r2, lsr #24
    mov     r10, r10, ror #27
    add     r10, r10, r10, lsl #3
.endm

.text
test_instructions:
    push    {lr}
    ldr     r4, =0x7fff8001
    ldr     r5, =0x00020003
    uadd8   r1, r4, r5
    sel     r1, r4, r1
    qadd16  r2, r4, r5
    eor     r1, r1, r2
    smlad   r1, r4, r5, r1
    rev     r1, r1
    uxtab   r1, r1, r4
    usat    r2, #7, r4
    add     r1, r1, r2
    umaal   r1, r2, r4, r5
    pkhbt   r1, r1, r2, lsl #3
    show    "media="

    @ Every operation over a walk of operands, flags included.
    mov     r10, #0
    ldr     r11, =0x9e3779b9
    ldr     r7, =0x80000001
    mov     r8, #200
1:  add     r7, r7, r11
    eor     r9, r7, r7, ror #13
    ands    r6, r8, #63
    adds    r1, r7, r9
    mix
    adcs    r1, r7, r9, lsl #3
    mix
    sbcs    r1, r9, r7, ror #5
    mix
    rscs    r1, r7, r9, asr #31
    mix
    subs    r1, r7, r9, lsr r6
    mix
    movs    r1, r7, lsl r6
    mix
    movs    r1, r7, asr r6
    mix
    mvns    r1, r9, ror r6
    mix
    movs    r1, r7, rrx
    mix
    bics    r1, r7, r9, lsr #32
    mix
    eors    r1, r7, #0xff000000
    mix
    teq     r7, r9, lsl #1
    cmn     r7, r9
    mix
    muls    r1, r7, r9
    mix
    mlas    r1, r7, r9, r10
    mix
    umulls  r1, r3, r7, r9
    mix
    smlals  r1, r3, r7, r9
    mix
    smulls  r3, r1, r7, r9
    mix
    clz     r1, r9
    mix
    qadd    r1, r7, r9
    mix
    qdsub   r1, r7, r9
    mix
    smlabt  r1, r7, r9, r10
    mix
    smlawb  r1, r7, r9, r10
    mix
    smlaltb r1, r3, r7, r9
    mix
    smulwt  r1, r7, r9
    mix
    smulbb  r1, r7, r9
    mix
    msr     cpsr_f, #0
    subs    r8, r8, #1
    bne     1b
    mov     r1, r10
    show    "arithmetic="

    mov     r8, #200
2:  add     r7, r7, r11
    eor     r9, r7, r7, ror #13
    msr     cpsr_fs, #0
    sadd8   r1, r7, r9
    mix
    usub8   r1, r7, r9
    mix
    sel     r1, r7, r9
    mix
    sadd16  r1, r7, r9
    mix
    sel     r1, r7, r9
    mix
    usub16  r1, r7, r9
    mix
    uadd16  r1, r7, r9
    sel     r1, r7, r9
    mix
    sasx    r1, r7, r9
    sel     r1, r1, r9
    mix
    usax    r1, r7, r9
    sel     r1, r1, r9
    mix
    qadd8   r1, r7, r9
    mix
    uqsub8  r1, r7, r9
    mix
    uqadd16 r1, r7, r9
    mix
    qasx    r1, r7, r9
    mix
    shadd8  r1, r7, r9
    mix
    uhsub16 r1, r7, r9
    mix
    shsax   r1, r7, r9
    mix
    ssat    r1, #17, r7, asr #3
    mix
    usat    r1, #9, r9, lsl #2
    mix
    ssat16  r1, #9, r7
    mix
    usat16  r1, #5, r9
    mix
    sxtb    r1, r7, ror #8
    mix
    sxtab16 r1, r9, r7, ror #16
    mix
    uxtb16  r1, r7
    mix
    sxtah   r1, r9, r7
    mix
    uxth    r1, r7, ror #24
    mix
    rev16   r1, r7
    mix
    revsh   r1, r7
    mix
    pkhtb   r1, r7, r9, asr #7
    mix
    smuad   r1, r7, r9
    mix
    smlsdx  r1, r7, r9, r10
    mix
    smlald  r1, r3, r7, r9
    mix
    smlsldx r1, r3, r7, r9
    mix
    smmulr  r1, r7, r9
    mix
    smmla   r1, r7, r9, r10
    mix
    smmlsr  r1, r7, r9, r10
    mix
    usad8   r1, r7, r9
    mix
    usada8  r1, r7, r9, r10
    mix
    umaal   r1, r3, r7, r9
    mix
    subs    r8, r8, #1
    bne     2b
    mov     r1, r10
    show    "parallel="

    @ Block transfers and addressing modes.
    ldr     r3, =0x00200100
    mov     r4, #1
    mov     r5, #2
    mov     r6, #3
    mov     r7, #4
    mov     r12, r3
    stmia   r12!, {r4-r7}
    stmib   r12!, {r4, r6}
    stmda   r12, {r5, r7}
    stmdb   r12!, {r6}
    sub     r1, r12, r3
    show    "base="
    ldmib   r3, {r4, r5, r6}
    add     r1, r4, r5, lsl #8
    add     r1, r1, r6, lsl #16
    show    "ldm="
    add     r12, r3, #0x18
    ldmdb   r12!, {r4, r5}
    ldmda   r12, {r6, r7}
    add     r1, r4, r5, lsl #8
    add     r1, r1, r6, lsl #16
    add     r1, r1, r7, lsl #24
    show    "ldm="
    ldr     r4, =0x8899aabb
    str     r4, [r3]
    mov     r5, #4
    ldrsb   r1, [r3, #1]
    show    "ldrsb="
    ldrsh   r1, [r3], r5
    show    "ldrsh="
    strd    r4, r5, [r3, #4]!
    ldrd    r6, r7, [r3], #-8
    eor     r1, r6, r7
    show    "ldrd="
    mov     r6, #2
    ldr     r1, [r3, r6, lsl #2]
    show    "ldr="
    ldrt    r1, [r3], #4
    show    "ldrt="
    strbt   r4, [r3], #-4
    ldrb    r1, [r3, #4]
    show    "ldrb="

    say     "[hints]\n"
    .word   0xe320f000                      @ nop
    .word   0xe320f001                      @ yield
    .word   0xe320f004                      @ sev
    .word   0xe320f002                      @ wfe
    pld     [r3]
    say     "ok\n"

    say     "[cp15]\n"
    mov     r0, #0
    mcr     p15, 0, r0, c7, c10, 4
    mcr     p15, 0, r0, c7, c10, 5
    mcr     p15, 0, r0, c7, c14, 0
    mcr     p15, 0, r0, c7, c10, 0
    mcr     p15, 0, r0, c7, c6, 0
    mcr     p15, 0, r0, c7, c5, 0
    mcr     p15, 0, r0, c7, c5, 6
    ldr     r1, =0x00200000
    mcr     p15, 0, r1, c7, c14, 1
    mcr     p15, 0, r1, c7, c10, 1
    mcr     p15, 0, r1, c7, c6, 1
    add     r2, r1, #0x100
    mcrr    p15, 0, r2, r1, c14
    mcrr    p15, 0, r2, r1, c12
    mcrr    p15, 0, r2, r1, c6
    mrc     p15, 0, r1, c7, c10, 6
    show    "dirty="
    mov     r0, #5
    mcr     p15, 0, r0, c15, c12, 0
    mrc     p15, 0, r4, c15, c12, 1
    nop
    nop
    mrc     p15, 0, r5, c15, c12, 1
    sub     r1, r5, r4
    cmp     r1, #0
    movne   r1, #1
    show    "ccnt_moves="
    ldr     r1, =0x1234
    mcr     p15, 0, r1, c13, c0, 3
    mrc     p15, 0, r1, c13, c0, 3
    show    "tls="

    ldr     r3, =patched
    bl      patched
    ldr     r0, =0xe3a01002                 @ mov r1, #2
    str     r0, [r3]
    mov     r0, #0
    mcr     p15, 0, r3, c7, c10, 1
    mcr     p15, 0, r0, c7, c10, 4
    mcr     p15, 0, r3, c7, c5, 1
    mcr     p15, 0, r0, c7, c5, 6
    mcr     p15, 0, r0, c7, c5, 4
    bl      patched
    show    "selfmod="
    pop     {pc}
patched:
    mov     r1, #1
    bx      lr
    .ltorg
