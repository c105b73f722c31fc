# Looks up memory by TMU0, four lookups ahead.
#
# uniforms
#   0  repetitions, at least 1, of eight lookups each
#   1  address that lane 0 looks up first
#   2  bytes from a lane's address to the next lane's
#   3  bytes from a lookup to the next
#   4  bits of the offset that count, so that lookups go round
#
# Any number of QPUs. What is looked up does not matter.

.set left,     r0
.set base,     ra0      # address of each lane's word
.set offset,   r1
.set step,     rb0
.set mask,     ra1

                    mov left, unif
                    mov r2, unif
                    mov r3, unif
                    mul24 r3, r3, elem_num
                    add base, r2, r3
                    mov step, unif
                    mov mask, unif
                    ldi offset, 0
.rep i, 4
                    and offset, offset, mask
                    add t0s, base, offset
                    add offset, offset, step
.endr
:again
                    sub.setf left, left, 1
.rep i, 7
                    and offset, offset, mask; ldtmu0
                    add t0s, base, offset
                    add offset, offset, step
.endr
                    and offset, offset, mask; ldtmu0
                    brr.anynz -, r:again
                    add t0s, base, offset
                    add offset, offset, step
                    nop
.rep i, 4
                    nop;                    ldtmu0
.endr
                    nop;                    thrend
                    nop
                    nop
