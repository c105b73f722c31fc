    fadd.ifz r0, r1, 0.5; fmul.ifnz rb3, r2, r3
    mov ra1.16a, r4.8b
    and.setf -, elem_num, 1; mov r2, r0 << 3
    mov r0, r1 >> r5
    v8adds r0, ra2.unpack8a, rb5; mov vpm, r1; ldtmu0
    ldi vw_setup, vdw_setup_0(16, 16, dma_h32(0,0))
    mov vr_setup, vpm_setup(1, 1, v32(16,3)) - 1
    mov r0, [0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,-2]
    sacq -, 3
    mov -, srel(4)
    bra.allnn ra2, rb3, 0, ra4
    read unif; read vw_wait
    nop # !bits 0x10020827_009e7000
    mov r0, 64; add r1, r1, 16
    mov r0, sin(M_PI / 4) ** 2 !^ ~3 <=> -1 >>> 4
