# Says on which QPU it runs.
#
# uniforms
#   0  address of the result: 16 words, all of them the QPU's number
#
# One QPU; row 0 of the VPM.

                    ldi vw_setup, vpm_setup(1, 1, h32(0))           # QPU to VPM: row 0
                    mov vpm, qpu_num
                    ldi vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0)) # VPM to memory: 1 row of 16 words
                    ldi vw_setup, vdw_setup_1(0)
                    mov vw_addr, unif                               # starts the store
                    read vw_wait                                    # until it is done
                    nop;                    thrend
                    nop
                    nop
