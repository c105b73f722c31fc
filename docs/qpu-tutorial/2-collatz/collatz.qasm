# How many steps of "halve if even, else three times plus one" it takes to reach 1.
#
# uniforms
#   0  the first of sixteen numbers in a row, at least 1
#   1  where the sixteen counts go

    mov r0, elem_num
    add r0, r0, unif            # lane 0 has the first number, lane 1 the next ...
    mov r1, 0                   # steps so far

:step
    and.setf -, r0, 1           # Z is set in lanes whose number is even
    shr r2, r0, 1               # n / 2
    add r3, r0, r0
    add r3, r3, r0
    add r3, r3, 1               # 3 n + 1
    mov.ifnz r2, r3             # lanes with an odd number take the latter
    sub.setf -, r0, 1           # Z is set in lanes that have arrived
    mov.ifnz r0, r2             # the others go on ...
    add.ifnz r1, r1, 1          # ... and count
    brr.anynz -, r:step         # as long as there is such a lane
    nop
    nop
    nop

    mov r2, qpu_num             # each QPU has a row of the VPM of its own
    ldi r0, vpm_setup(1, 1, h32(0))
    add vw_setup, r0, r2
    mov vpm, r1
    shl r2, r2, 7
    ldi r0, vdw_setup_0(1, 16, dma_h32(0, 0))
    add vw_setup, r0, r2
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif
    read vw_wait
    nop; thrend
    nop
    nop
