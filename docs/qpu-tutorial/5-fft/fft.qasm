# A transform of 256 points in the registers of one QPU.
#
# uniforms
#   0  address of 256 real parts, then 256 imaginary parts
#   1  address of the twiddle factors
#   2  where the result goes, in the same form
#
# Point 16 n + m is row n, column m; bin k + 16 l is row l, column k. Give `bias` with -D.
#
# VPM: rows 0 to 15 for real parts, 16 to 31 for imaginary parts.

.include "transform16.qinc"

.set twiddles, ra28
.set row,      rb28
.set back,     ra30

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

# Bin k of column m, which is lane m, times W^mk
    shl r0, elem_num, 2
    add twiddles, r0, unif
    ldi row, 64
.rep i, 15
    mov t0s, twiddles
    add twiddles, twiddles, row
    nop
    mov t0s, twiddles
    add twiddles, twiddles, row
    .lset p, place(i + 1)
    nop; ldtmu0                 # real part
    fmul r0, re(p), r4
    fmul r1, im(p), r4; ldtmu0  # imaginary part
    fmul r2, im(p), r4
    fmul r3, re(p), r4
    fsub re(p), r0, r2
    fadd im(p), r1, r3
.endr

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
