# Writes vectors to the VPM, as fast as it takes them.
#
# uniforms
#   0  repetitions, at least 1, of sixteen vectors each
#   1  VPM write setup of the first of four vectors that are written again and again
#
# Any number of QPUs, each with four vectors of its own.

.set left,     r0
.set setup,    rb0

                    mov left, unif
                    mov setup, unif
                    nop
:again
                    sub.setf left, left, 1
.rep i, 3
                    mov vw_setup, setup
  .rep j, 4
                    mov vpm, elem_num
  .endr
.endr
                    mov vw_setup, setup
                    mov vpm, elem_num
                    brr.anynz -, r:again
                    mov vpm, elem_num
                    mov vpm, elem_num
                    mov vpm, elem_num
                    nop;                    thrend
                    nop
                    nop
