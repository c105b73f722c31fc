# Keeps a QPU busy: 20 clocks each time round.
#
# uniforms
#   0  times round, at least 1

                    mov r0, unif
:again
                    sub.setf r0, r0, 1
                    brr.anynz -, r:again
                    nop
                    nop
                    nop
                    nop;                    thrend
                    nop
                    nop
