@ The VFP by hand: what the compiler does not emit, and the cumulative flags.

@ Loads two singles, clears FPSCR's flags, does one operation, shows the result and FPSCR.
.macro flags_of operation, n, m
    ldr     r0, =\n
    vmov    s1, r0
    ldr     r0, =\m
    vmov    s2, r0
    mov     r0, #0x03000000
    vmsr    fpscr, r0
    \operation s0, s1, s2
    vmov    r1, s0
    vmrs    r4, fpscr
    show    "\operation="
    mov     r1, r4
    show    "fpscr="
.endm

.text
test_vfp:
    push    {r4, lr}
    bl      vfp_checks
    mov     r1, r0
    show    "vfp="

    flags_of vadd.f32, 0x3f800000, 0x3f800000   @ exact
    flags_of vadd.f32, 0x3f800000, 0x2f800000   @ inexact
    flags_of vadd.f32, 0x7f7fffff, 0x7f7fffff   @ overflow
    flags_of vsub.f32, 0x7f800000, 0x7f800000   @ invalid
    flags_of vsub.f32, 0x00800001, 0x00800000   @ result flushed
    flags_of vadd.f32, 0x00000001, 0x3f800000   @ operand flushed
    flags_of vmul.f32, 0x00800000, 0x3f7fffff   @ tiny before rounding
    flags_of vmul.f32, 0x3f800001, 0x3f800001
    flags_of vmul.f32, 0x20000000, 0x1f000000   @ flushed
    flags_of vnmul.f32, 0x40000000, 0x40400000
    flags_of vmul.f32, 0x7fa00000, 0x3f800000   @ signalling NaN
    flags_of vdiv.f32, 0x3f800000, 0x00000000   @ division by zero
    flags_of vdiv.f32, 0x00000000, 0x00000000
    flags_of vdiv.f32, 0x3f800000, 0x40400000
    flags_of vmla.f32, 0x40490fdb, 0x402df854
    flags_of vmls.f32, 0x40490fdb, 0x402df854
    flags_of vnmla.f32, 0x40490fdb, 0x402df854
    flags_of vnmls.f32, 0x40490fdb, 0x402df854

    ldr     r0, =0x40000000
    vmov    s1, r0
    vsqrt.f32 s0, s1
    vmov    r1, s0
    show    "sqrt="
    vcvt.f64.f32 d2, s1
    vsqrt.f64 d3, d2
    vmov    r1, r4, d3
    show    "sqrt="
    mov     r1, r4
    show    "sqrt="
    vneg.f32 s1, s1
    vsqrt.f32 s0, s1
    vmov    r1, s0
    show    "sqrt="
    vmrs    r1, fpscr
    show    "fpscr="

    @ Conversions: halves to even, out of range, NaN.
    mov     r0, #0x03000000
    vmsr    fpscr, r0
    ldr     r0, =0x40200000                 @ 2.5
    vmov    s1, r0
    vcvtr.s32.f32 s0, s1
    vmov    r1, s0
    show    "cvtr="
    vcvt.s32.f32 s0, s1
    vmov    r1, s0
    show    "cvt="
    vneg.f32 s1, s1
    vcvt.u32.f32 s0, s1
    vmov    r1, s0
    show    "cvt="
    vmrs    r1, fpscr
    show    "fpscr="
    ldr     r0, =0x7fc00000
    vmov    s1, r0
    vcvt.s32.f32 s0, s1
    vmov    r1, s0
    show    "cvt="
    ldr     r0, =0xfffffffd
    vmov    s1, r0
    vcvt.f32.u32 s0, s1
    vmov    r1, s0
    show    "cvt="
    vcvt.f64.s32 d1, s1
    vmov    r4, r1, d1
    show    "cvt="

    @ Comparisons.
    mov     r0, #0x03000000
    vmsr    fpscr, r0
    ldr     r0, =0x7fc00000
    vmov    s1, r0
    vcmp.f32 s1, s1
    vmrs    r1, fpscr
    show    "cmp="
    vcmpe.f32 s1, #0
    vmrs    r1, fpscr
    show    "cmp="
    ldr     r0, =0x80000000
    vmov    s1, r0
    vcmp.f32 s1, #0
    vmrs    APSR_nzcv, fpscr
    moveq   r1, #1
    movne   r1, #0
    show    "cmp="

    @ Block transfers of VFP registers.
    ldr     r3, =0x00200300
    vstmia  r3!, {s0-s3}
    vldmdb  r3!, {s8-s11}
    vmov    r1, s11
    show    "vldm="
    vstr    d3, [r3, #8]
    vldr    d4, [r3, #8]
    vmov    r1, s9
    show    "vldr="
    pop     {r4, pc}
    .ltorg
