# A transform of rows and columns, 16 x 16 points, in the registers of one QPU.
#
# uniforms
#   0  address of 256 real parts, row by row, then 256 imaginary parts
#   1  where the result goes, in the same form, but with rows and columns exchanged
#
# VPM: rows 0 to 15 for real parts, 16 to 31 for imaginary parts.

.set bias, 0
.include "transform16.qinc"

.set back, ra30

# Row n becomes re(n) and im(n); a column is a lane
    shl r0, elem_num, 2
    add r0, r0, unif
    ldi r1, 1024
    ldi r2, 64
.rep n, 16
    mov t0s, r0                 # real parts
    add t0s, r0, r1             # imaginary parts
    add r0, r0, r2
    nop; ldtmu0
    mov re(n), r4; ldtmu0
    mov im(n), r4
.endr
    load_cosines

    brr back, r:transform       # columns
    nop
    nop
    nop

# Registers and lanes change places: rows in, columns out
    ldi vw_setup, vpm_setup(16, 1, h32(0))
.rep k, 16
    mov vpm, re(place(k))
.endr
.rep k, 16
    mov vpm, im(place(k))
.endr
    ldi vr_setup, vpm_setup(16, 1, v32(0, 0))
.rep n, 16
    mov re(n), vpm
.endr
    ldi vr_setup, vpm_setup(16, 1, v32(16, 0))
.rep n, 16
    mov im(n), vpm
.endr

    brr back, r:transform       # what were rows
    nop
    nop
    nop

    ldi vw_setup, vpm_setup(16, 1, h32(0))
.rep k, 16
    mov vpm, re(place(k))
.endr
.rep k, 16
    mov vpm, im(place(k))
.endr
    ldi vw_setup, vdw_setup_0(32, 16, dma_h32(0, 0))
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif
    read vw_wait
    nop; thrend
    nop
    nop

:transform
    transform16
    bra -, back
    nop
    nop
    nop
