# A loop without work: the frame of one of any length. Whoever places it puts `nop`s at the label and corrects
# the branch (`src/microbench/code.rs`).
#
# uniforms
#   0  times round, at least 1

                    mov r0, unif
.rep i, 7
                    nop
.endr
:again                                                      # at the start of a line of 64 bytes
                    sub.setf r0, r0, 1
                    brr.anynz -, r:again
                    nop
                    nop
                    nop
                    nop;                    thrend
                    nop
                    nop
