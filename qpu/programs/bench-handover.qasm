# Two QPUs hand the right to go on to each other and back, by semaphores 0 and 1.
#
# uniforms
#   0  times there and back, at least 1
#   1  0 for the QPU that begins, 1 for the other
#
# Two QPUs, one with each value of uniform 1. Both semaphores are 0 before and after.

                    mov r0, unif
                    mov.setf r1, unif
                    brr.anynz -, r:second
                    nop
                    nop
                    nop
:first
                    sub.setf r0, r0, 1
                    srel -, 0
                    brr.anynz -, r:first
                    sacq -, 1
                    nop
                    nop
                    nop;                    thrend
                    nop
                    nop
:second
                    sub.setf r0, r0, 1
                    brr.anynz -, r:second
                    sacq -, 0
                    srel -, 1
                    nop
                    nop;                    thrend
                    nop
                    nop
