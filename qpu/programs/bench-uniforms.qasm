# Reads four uniforms in each of some lines, and goes round these lines.
#
# uniforms
#   0  repetitions, at least 1
#   1  address of the first line
#   2  how many lines there are, at least 1
#
# Two uniforms are fetched ahead of those that are read, and lie in the same line.

.set left,     ra0
.set first,    rb0
.set lines,    rb1
.set line,     r0
.set counter,  r1
.set step,     r2

                    mov left, unif
                    mov first, unif
                    mov lines, unif
                    ldi step, 64
:again
                    mov line, first
                    mov counter, lines
:line
                    mov unif_addr, line
                    add line, line, step
                    sub.setf counter, counter, 1
                    mov r3, unif
                    brr.anynz -, r:line
                    mov r3, unif
                    mov r3, unif
                    mov r3, unif
                    sub.setf left, left, 1
                    nop
                    brr.anynz -, r:again
                    nop
                    nop
                    nop
                    nop;                    thrend
                    nop
                    nop
