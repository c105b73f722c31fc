# Adds up rows of 16 words: one row requested, waited for, added, and so on.
#
# uniforms
#   0  address of the first row
#   1  number of rows
#   2  where the sixteen sums go

.set rows, ra0

    shl r0, elem_num, 2
    add r0, r0, unif            # each lane's word in the row
    mov rows, unif
    ldi r2, 64
    mov r1, 0                   # the sums

:row
    mov t0s, r0                 # request
    add r0, r0, r2
    nop; ldtmu0                 # wait: the row is in r4
    add r1, r1, r4
    sub.setf rows, rows, 1
    brr.anynz -, r:row
    nop
    nop
    nop

    ldi vw_setup, vpm_setup(1, 1, h32(0))
    mov vpm, r1
    ldi vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif
    read vw_wait
    nop; thrend
    nop
    nop
