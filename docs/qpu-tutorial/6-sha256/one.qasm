# SHA-256 of one block, the same in all lanes.
#
# uniforms
#   0 to 15   the block, as numbers
#   16 to 79  the round constants
#   80        where the digest goes, eight words

.include "rounds.qinc"

.set counter, rb8

.rep t, 16
    mov word(t), unif
.endr
    begin
    mov counter, 4
:rounds
.rep j, 16
    round j
    extend j
.endr
    mov r0, counter
    sub.setf counter, r0, 1
    brr.anynz -, r:rounds
    nop
    nop
    nop
    finish

    ldi vw_setup, vpm_setup(8, 1, h32(0))
.rep i, 8
    mov vpm, state(i, 0)
.endr
    ldi vw_setup, vdw_setup_0(1, 8, dma_v32(0, 0))  # column 0, eight words down: lane 0's digest
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif
    read vw_wait
    nop; thrend
    nop
    nop
