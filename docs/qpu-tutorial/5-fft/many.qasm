# Transforms of 256 points, one after the other, in the registers of one QPU: as fft.qasm, with
# lookups requested ahead, and stores that go on while the next transform begins.
#
# uniforms
#   0  address of the first input; the next lie behind it
#   1  address of the twiddle factors
#   2  where the first result goes; the next lie behind it
#   3  number of transforms
#   4  its first row of the VPM: 0, 16, 32 or 48. It uses sixteen.
#
# Give `bias` with -D.

.include "transform16.qinc"

.set count,    ra16
.set rows,     ra20     # how rows are written
.set input,    ra24
.set output,   ra26
.set twiddle,  ra28
.set back,     ra30
.set columns,  rb16     # how columns are read
.set store,    rb17     # how rows are stored
.set line,     rb18     # bytes of a row
.set part,     rb19     # bytes of 256 numbers
.set twiddles, rb20

    shl r0, elem_num, 2
    add input, r0, unif
    add twiddles, r0, unif
    mov output, unif
    mov count, unif
    mov r0, unif
    ldi r1, vpm_setup(16, 1, h32(0))
    add rows, r1, r0
    ldi r1, vpm_setup(16, 1, v32(0, 0))
    add columns, r1, r0
    shl r0, r0, 7
    ldi r1, vdw_setup_0(16, 16, dma_h32(0, 0))
    add store, r1, r0
    ldi vw_setup, vdw_setup_1(0)
    ldi line, 64
    ldi part, 1024
    load_cosines

:next
# Row n becomes re(n) and im(n); four lookups are under way
    mov r0, input
    add r1, input, part
    mov r2, line
.rep i, 36
  .if i < 32 && (i & 1) == 0
    add r0, r0, r2;                 mov t0s, r0
  .elseif i < 32
    add r1, r1, r2;                 mov t0s, r1
  .endif
  .if i == 3
    nop; ldtmu0
  .elseif i == 35
    mov im(15), r4
  .elseif i > 3 && (i & 1) == 0
    mov re((i - 4) / 2), r4; ldtmu0
  .elseif i > 3
    mov im((i - 5) / 2), r4; ldtmu0
  .endif
.endr
    brr back, r:transform
    mov input, r1
    nop
    nop

# Bin k of column m, which is lane m, times W^mk; two bins' factors are under way
    mov twiddle, twiddles
    nop
.rep i, 4
    add twiddle, twiddle, line;     mov t0s, twiddle
    nop
.endr
    nop; ldtmu0
.rep i, 15
  .lset p, place(i + 1)
    fmul r0, re(p), r4
    fmul r1, im(p), r4; ldtmu0
  .if i < 13
    mov t0s, twiddle;               fmul r2, im(p), r4
    add twiddle, twiddle, line
    fsub re(p), r0, r2;             fmul r3, re(p), r4
    fadd im(p), r1, r3;             mov t0s, twiddle
    add twiddle, twiddle, line;     nop; ldtmu0
  .else
    fmul r2, im(p), r4
    fsub re(p), r0, r2;             fmul r3, re(p), r4
    .if i < 14
    fadd im(p), r1, r3; ldtmu0
    .else
    fadd im(p), r1, r3
    .endif
  .endif
.endr

# Registers and lanes change places, real parts first
    read vw_wait                    # the last transform's result is out
    mov vw_setup, rows
.rep k, 16
    mov vpm, re(place(k))
.endr
    mov vr_setup, columns
.rep n, 16
    mov re(n), vpm
.endr
    mov vw_setup, rows
.rep k, 16
    mov vpm, im(place(k))
.endr
    mov vr_setup, columns
.rep n, 16
    mov im(n), vpm
.endr
    brr back, r:transform
    nop
    nop
    nop

    mov vw_setup, rows
.rep k, 16
    mov vpm, re(place(k))
.endr
    mov vw_setup, store
    mov vw_addr, output
    add r0, output, part
    add output, r0, part
    read vw_wait
    mov vw_setup, rows
.rep k, 16
    mov vpm, im(place(k))
.endr
    mov vw_setup, store
    mov vw_addr, r0
    sub.setf count, count, 1
    brr.anynz -, r:next
    nop
    nop
    nop
    read vw_wait
    nop; thrend
    nop
    nop

:transform
    transform16
    bra -, back
    nop
    nop
    nop
