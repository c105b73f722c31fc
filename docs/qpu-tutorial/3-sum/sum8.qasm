# The sum of 256 numbers, by eight QPUs: as sum.qasm.
#
# uniforms
#   0  address of this QPU's 32 numbers
#   1  its part n, 0 to 7; part 0 puts the sums together
#   2  where the sum goes, sixteen times
#
# VPM: rows 2n and 2n+1 for the numbers of part n, row 16+n for its sums. Semaphore 0 counts the parts
# that are ready.

.set part, ra0

    mov ra1, unif
    mov part, unif

# Memory to VPM: 2 rows of 16 words
    ldi r1, vdr_setup_0(3, 16, 2, vdr_h32(1, 0, 0))
    shl r0, part, 5
    add vr_setup, r1, r0
    mov vr_addr, ra1            # starts the load
    read vr_wait

# VPM to registers, one row at a time
    shl r0, part, 1
    ldi r1, vpm_setup(2, 1, h32(0))
    add vr_setup, r1, r0
    mov r0, vpm
    add r0, r0, vpm             # sixteen sums of two

# This part's sums, where part 0 will look for them
    ldi r1, vpm_setup(1, 1, h32(16))
    add r1, r1, part
    mov vw_setup, r1
    mov vpm, r0
    mov vr_setup, r1
    mov r0, vpm                 # read back: now they have arrived

    mov.setf -, part
    brr.anynz -, r:ready
    nop
    nop
    nop

# Part 0
.rep i, 7
    sacq -, 0                   # the other seven are ready
.endr
    ldi vr_setup, vpm_setup(7, 1, h32(17))
.rep i, 7
    add r0, r0, vpm             # sixteen sums of sixteen
.endr
.rep i, 4
    nop
    mov r1, r0 >> (8 >> i)      # the sums of the lanes 8, 4, 2, 1 further down
    add r0, r0, r1
.endr
    ldi vw_setup, vpm_setup(1, 1, h32(16))
    mov vpm, r0
    ldi vw_setup, vdw_setup_0(1, 16, dma_h32(16, 0))
    ldi vw_setup, vdw_setup_1(0)
    mov vw_addr, unif
    read vw_wait
    nop; thrend
    nop
    nop

:ready
    srel -, 0
    nop; thrend
    nop
    nop
