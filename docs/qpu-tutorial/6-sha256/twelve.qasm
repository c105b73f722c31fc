# SHA-256 of sixteen blocks, one in each lane, by each of up to twelve QPUs: as sixteen.qasm, with a
# loop that fits the instruction cache, and rows of the VPM of its own for each QPU.
#
# uniforms
#   0  address of the blocks, 64 bytes each, one behind the other
#   1  where the digests go, eight words each, one behind the other
#   2  address of the round constants
#
# VPM: rows 4q to 4q+3 belong to QPU q.

.include "rounds.qinc"

.set counter, rb8
.set result,  rb10

# Eight rounds. Words 8 to 15 move to where the next eight look for them, with new ones behind.
.macro eight_rounds
  .rep j, 8
    round j
    schedule word(j), word(j + 1 & 7), word(8 + (j + 1 & 7)), word(8 + (j + 6 & 7))
    mov word(j), word(8 + j)
    mov word(8 + j), r1
  .endr
.endm

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
    mov result, unif
    mov unif_addr, unif         # uniforms come from there now
    begin
    mov counter, 8
:rounds
    eight_rounds
    mov r0, counter
    sub.setf counter, r0, 1
    brr.anynz -, r:rounds
    nop
    nop
    nop
    finish

# Four words of sixteen digests at a time: each lane's are four words in a row, 32 bytes apart
    mov r0, qpu_num
    shl r0, r0, 2
    ldi r1, vpm_setup(4, 1, h32(0))
    add r1, r1, r0
    shl r0, r0, 7
    ldi r2, vdw_setup_0(16, 4, dma_v32(0, 0))
    add r2, r2, r0
    ldi vw_setup, vdw_setup_1(16)
.rep part, 2
    mov vw_setup, r1
  .rep i, 4
    mov vpm, state(4 * part + i, 0)
  .endr
    mov vw_setup, r2
    mov r0, result
  .if part
    ldi r3, 16
    add r0, r0, r3
  .endif
    mov vw_addr, r0
    read vw_wait
.endr
    nop; thrend
    nop
    nop
