# Never ends: what V3D has to be restarted for.
#
# uniforms
#   none; two are fetched ahead and not used

:again
                    brr -, r:again
                    nop
                    nop
                    nop
                    nop;                    thrend
                    nop
                    nop
