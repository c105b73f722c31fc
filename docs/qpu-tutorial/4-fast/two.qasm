# Adds up rows of 16 words: as both.qasm, by any number of QPUs, each with rows of its own.
#
# uniforms
#   0  address of the first row; eight rows behind the last are read and not used
#   1  number of rows, a multiple of 8
#   2  where the sixteen sums go

.set rows, ra0

    mov tmurs, 1                # our TMU0 is TMU0, whichever QPU this is
    shl r0, elem_num, 2
    add r0, r0, unif
    mov rows, unif
    ldi r2, 64
    mov r1, 0
.rep i, 4
    add r0, r0, r2; mov t0s, r0
    add r0, r0, r2; mov t1s, r0
.endr

:rows
    sub.setf rows, rows, 8
    nop; ldtmu0
.rep i, 4
    add r0, r0, r2; mov t0s, r0
    add r1, r1, r4; ldtmu1
    add r0, r0, r2; mov t1s, r0
  .if i < 3
    add r1, r1, r4; ldtmu0
  .else
    add r1, r1, r4
  .endif
.endr
.back 3
    brr.anynz -, r:rows
.endb

.rep i, 4
    nop; ldtmu0
    nop; ldtmu1
.endr
    mov r2, qpu_num             # each QPU has a row of the VPM of its own
    ldi r0, vpm_setup(1, 1, h32(0))
    add vw_setup, r0, r2
    mov vpm, r1
    shl r2, r2, 7
    ldi r0, vdw_setup_0(1, 16, dma_h32(0, 0))
    add vw_setup, r0, r2
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif
    read vw_wait
    nop; thrend
    nop
    nop
