# SHA-256 of sixteen blocks, one in each lane.
#
# uniforms
#   0        address of the blocks, 64 bytes each, one behind the other
#   1 to 64  the round constants
#   65       where the digests go, eight words each, one behind the other

.include "rounds.qinc"

.set counter, rb8

# Lane l looks up word t of block l. The first byte of a word is the upper one in SHA-256, and the
# lower one here.
    ldi rb9, 0xff00ff00
    shl r0, elem_num, 6
    add r0, r0, unif
.rep t, 16
    mov t0s, r0
    add r0, r0, 4
    nop; ldtmu0
    mov r1, r4
    ror r2, r1, 8
    and r2, r2, rb9             # bytes 0 and 2 of the result, counted from the upper end
    ror r1, r1, -8
    not r3, rb9
    and r1, r1, r3              # bytes 1 and 3
    or word(t), r1, r2
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
    ldi vw_setup, vdw_setup_0(16, 8, dma_v32(0, 0)) # sixteen columns, eight words down: all digests
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif
    read vw_wait
    nop; thrend
    nop
    nop
