# hello: a number plus 0x1234, sixteen times.
#
# uniforms
#   0  the number
#   1  address of the result: 16 words, one from each lane, all the same
#
# One QPU; row 0 of the VPM. Start it on one QPU at a time.

                    ldi r1, 0x1234
                    add r0, r1, unif
                    ldi vw_setup, vpm_setup(1, 1, h32(0))           # QPU to VPM: row 0
                    mov vpm, r0
                    ldi vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0)) # VPM to memory: 1 row of 16 words
                    ldi vw_setup, vdw_setup_1(0)
                    mov vw_addr, unif                               # starts the store
                    read vw_wait                                    # until it is done
                    nop;                    thrend
                    nop
                    nop
