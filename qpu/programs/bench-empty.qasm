# Does nothing: the shortest program. What its launch takes is all there is.
#
# uniforms
#   none; two are fetched ahead and not used

                    nop;                    thrend
                    nop
                    nop
