# A number plus 0x1234, sixteen times.

    ldi r1, 0x1234
    add r0, r1, unif            # the first uniform: the number

    ldi vw_setup, vpm_setup(1, 1, h32(0))
    mov vpm, r0                 # sixteen sums, one from each lane, into row 0 of the VPM

    ldi vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif           # the second uniform: where they go; this starts the store
    read vw_wait                # until it is done

    nop; thrend
    nop
    nop
