# Copies rows of 64 bytes: read by TMU0, stored by VDW.
#
# uniforms
#   0  address to read, aligned to 4 bytes
#   1  address to write, aligned to 4 bytes
#   2  number of rows; 0 does nothing
#   3  first row of the VPM to use
#   4  rows of a store, n: even, 2 to 32; the VPM rows from the first on to the first + 2n - 1 are used
#
# Any number of QPUs at a time, each with its own part of the memory and its own rows of the VPM, of
# which there are 64: n = 2 for 12 QPUs, 4 for 8, 32 for one. What is read must not be written by
# anyone meanwhile. Semaphores and the mutex are not used.
#
# While one half of the VPM rows is stored the other is filled. Reads run four rows ahead, and never
# past the last row.

.set from,     r1       # address of each lane's word in the next row
.set row,      r2       # 64
.set last,     ra0      # address of each lane's word in the last row
.set to,       ra1
.set left,     ra2      # rows still to be stored
.set rows,     ra3      # rows of this store
.set counter,  ra4
.set fill,     ra5      # VPM write setup of the half that is filled
.set store,    ra6      # VDW setup of the same, without its number of rows
.set most,     rb0      # n
.set flip,     rb1      # turns the setups into those of the other half
.set flip_store, rb2

                    shl r0, elem_num, 2
                    add from, r0, unif
                    mov to, unif
                    mov left, unif
                    mov r3, unif                        # first row
                    mov most, unif
                    sub.setf r0, left, 1
                    brr.alln -, r:done                  # no row
                    shl r0, r0, 6
                    add last, from, r0
                    ldi r0, vpm_setup(1, 1, h32(0))
                    add fill, r3, r0
                    ldi r2, vdw_setup_0(0, 16, dma_h32(0, 0))
                    shl r0, r3, 7
                    add store, r0, r2
                    add r3, r3, most                    # first row of the other half
                    shl r3, r3, 7
                    xor r0, r0, r3
                    shr flip, r0, 7
                    mov flip_store, r0
                    ldi vw_setup, vdw_setup_1(0)
                    ldi row, 64
                    min t0s, from, last
.rep i, 3
                    add from, from, row
                    min t0s, from, last
.endr

:next_store
                    min rows, left, most
                    mov vw_setup, fill
                    mov r3, rows
                    add r3, r3, 1
                    shr counter, r3, 1
                    nop
:two_rows
                    sub.setf counter, counter, 1
                    add from, from, row;    ldtmu0
                    brr.anynz -, r:two_rows
                    min t0s, from, last;    mov vpm, r4
                    add from, from, row;    ldtmu0
                    min t0s, from, last;    mov vpm, r4

                    shl r0, rows, 8
                    shl r0, r0, 15
                    read vw_wait                        # the other half is free again
                    add vw_setup, store, r0
                    mov vw_addr, to
                    shl r0, rows, 6
                    add to, to, r0
                    mov r3, rows
                    xor fill, fill, flip
                    sub.setf left, left, r3
                    brr.anynz -, r:next_store
                    xor store, store, flip_store
                    nop
                    nop

.rep i, 4
                    nop;                    ldtmu0
.endr
                    read vw_wait
:done
                    nop;                    thrend
                    nop
                    nop
