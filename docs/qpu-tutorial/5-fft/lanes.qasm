# A transform of sixteen points, one in each lane.
#
# uniforms
#   0  address of sixteen real parts, then sixteen imaginary parts
#   1  address of the twiddle factors: three times sixteen real and sixteen imaginary parts
#   2  where the sixteen real and the sixteen imaginary parts of the result go

.set twiddles, ra0

# Lane l takes point l with its four bits in reverse order.
    mov r0, 0
.rep bit, 4
    and.setf -, elem_num, 1 << bit
    add.ifnz r0, r0, 8 >> bit
.endr
    shl r0, r0, 2
    ldi r1, 64
    add r0, r0, unif
    mov t0s, r0
    add t0s, r0, r1
    shl r3, elem_num, 2
    add twiddles, r3, unif
    nop; ldtmu0
    mov r0, r4; ldtmu0          # real parts
    mov r1, r4                  # imaginary parts

# Multiplies by the next row of twiddle factors, (r0 + i r1) (c + i d)
.macro twiddle
    ldi r3, 64
    mov t0s, twiddles
    add t0s, twiddles, r3
    add r3, r3, r3
    add twiddles, twiddles, r3
    nop; ldtmu0                 # r4 = c
    fmul r2, r0, r4
    fmul r3, r1, r4; ldtmu0     # r4 = d
    fmul r0, r0, r4
    fmul r1, r1, r4
    fadd r3, r3, r0
    fsub r0, r2, r1
    mov r1, r3
.endm

# Butterflies between lanes `distance` apart: the lower takes the sum, the upper the difference.
.macro butterflies, distance
    and.setf -, elem_num, distance
    mov r2, r0 << distance      # lower lanes: what the upper ones have
    mov.ifnz r2, r0 >> distance # upper lanes: what the lower ones have
    mov r3, r1 << distance
    mov.ifnz r3, r1 >> distance
    fadd.ifz r0, r2, r0
    fsub.ifnz r0, r2, r0
    fadd.ifz r1, r3, r1
    fsub.ifnz r1, r3, r1
.endm

    butterflies 1
    twiddle
    butterflies 2
    twiddle
    butterflies 4
    twiddle
    butterflies 8

    ldi vw_setup, vpm_setup(2, 1, h32(0))
    mov vpm, r0
    mov vpm, r1
    ldi vw_setup, vdw_setup_0(2, 16, dma_h32(0, 0))
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif
    read vw_wait
    nop; thrend
    nop
    nop
