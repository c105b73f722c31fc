# Transposes a matrix of complex points, in tiles of 8 rows by 16 columns: of each row TMU0 reads
# sixteen real and then sixteen imaginary parts, which become two rows of a block of the VPM, whose
# columns VDW stores: eight points in a line.
#
# uniforms
#   0  address of the first tile to read, aligned to 4 bytes
#   1  address of the tile that it becomes, aligned to 4 bytes
#   2  bytes from a row of the source to the next
#   3  bytes from a row of the result to the next
#   4  tiles from left to right in the source, at least 1
#   5  bands of 8 source rows, at least 1
#   6  bytes from a band of this QPU to its next, in the source
#   7  the same in the result, where it is a step to the right
#   8  first row of the VPM block: 0, 16, 32 or 48
#
# One to four QPUs at a time, each with a block of the VPM and bands of its own. Rows of the result are
# at most 65,599 bytes apart (the stride of a store has 16 bits). Source and result must not overlap.
# Semaphores and the mutex are not used.

.set from,      r1      # address of each lane's word to be requested
.set next_row,  r2      # bytes from imaginary parts to the real ones of the next row
.set tile,      ra0     # address of each lane's first word of the tile
.set to,        ra1
.set tiles,     ra2     # in a band
.set bands,     ra3     # still to be done
.set counter,   ra4     # tiles of the band, still to be done
.set band,      ra5     # address of each lane's first word of the band
.set band_to,   ra6
.set band_step, rb1
.set band_to_step, rb2
.set fill,      rb3     # VPM write setup
.set store,     rb4     # VDW setup
.set tile_to_step, rb5
.set tile_step, rb6
.set part,      rb7     # bytes from real parts to imaginary ones

                    shl r0, elem_num, 3
                    add band, r0, unif
                    mov band_to, unif
                    mov r0, unif
                    sub next_row, r0, 4
                    mov r3, unif
                    shl tile_to_step, r3, 4
                    ldi r0, vdw_setup_1(0) - 64
                    add vw_setup, r0, r3
                    mov tiles, unif
                    mov bands, unif
                    mov band_step, unif
                    mov band_to_step, unif
                    mov r3, unif
                    ldi r0, vpm_setup(1, 1, h32(0))
                    add fill, r3, r0
                    shl r3, r3, 7
                    ldi r0, vdw_setup_0(16, 16, dma_v32(0, 0))
                    add store, r3, r0
                    ldi tile_step, 128
                    ldi part, 4

:next_band
                    mov tile, band
                    mov to, band_to
                    mov counter, tiles

:next_tile
                    mov from, tile
                    mov t0s, from
                    add from, from, part
                    mov t0s, from
                    add from, from, next_row
                    mov t0s, from
                    add from, from, part
                    mov t0s, from
                    read vw_wait                        # the block is free again
                    mov vw_setup, fill
.rep i, 8
                    add from, from, next_row;   ldtmu0
  .if i < 6
                    mov t0s, from;              mov vpm, r4
  .else
                    mov vpm, r4
  .endif
                    add from, from, part;       ldtmu0
  .if i < 6
                    mov t0s, from;              mov vpm, r4
  .else
                    mov vpm, r4
  .endif
.endr
                    mov vw_setup, store
                    sub.setf counter, counter, 1
                    mov vw_addr, to
                    brr.anynz -, r:next_tile
                    add tile, tile, tile_step
                    add to, to, tile_to_step
                    nop

                    sub.setf bands, bands, 1
                    nop
                    brr.anynz -, r:next_band
                    add band, band, band_step
                    add band_to, band_to, band_to_step
                    nop

                    read vw_wait
                    nop;                    thrend
                    nop
                    nop
