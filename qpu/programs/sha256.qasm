# SHA-256 of sixteen messages, one in each lane (FIPS 180-4).
#
# uniforms
#   0  address of the lanes: 16 words with the address of each lane's first block, then 16 words
#      with its number of blocks; 0 for a lane without a message, whose address must be valid too
#   1  address of the result, 9 rows of 16 words: digest words 0 to 7 of all lanes, and the number
#      of the QPU that computed them
#   2  address of the constants: 48 round constants, then 16 times a round constant and the offset of
#      the word to request next (16, 20 ... 56, 60, 60, 60, 60, 60); two words after them are fetched and
#      not used
#
# A block is 16 words of a padded message, as numbers: the ARM has turned the bytes around. It is
# aligned to 64 bytes; a lane's blocks follow each other.
#
# Any number of QPUs, each with its own lanes and result. Memory is read by TMU0. Rows 5q to 5q+4
# of the VPM belong to QPU q; semaphores and the mutex are not used.
#
# How it is fast: a round is 21 operations that only the add ALU can do, and what extends the message
# another 13. The mul ALU does everything else beside them, with two tricks. Where the bits of p lie
# within those of q, v8subs q, p is q & ~p; where p and q have no bit in common, v8adds p, q is p | q.
# So no slot is without a needed add, but for the ends of the loops and 32 slots a block: 2,016 in all. The
# loop over blocks has 476 instructions; the instruction cache of four QPUs holds 512.
#
# registers
#   ra0..7    words t to t+7 of the message schedule       rb0..7  a to h; a role moves on by one
#   ra8..15   words t+8 to t+15                                    register each round
#   ra16..23  the digest so far                            rb8     b ^ c of this round

.set a,        ra24
.set e,        ra25
.set b_only,   ra26     # b & ~a
.set four,     ra27
.set block,    ra28     # address of each lane's block: the next one, from the middle of a block on
.set left,     ra29     # blocks that each lane still has; below 0 when it has long ended
.set counter,  ra30

.set differ,   rb8      # b ^ c
.set a_only,   rb9      # a & ~b
.set shifted,  rb10
.set fetched,  rb11     # `block`, while its words are requested
.set result,   rb12
.set constants, rb13
.set block_bytes, rb14

.set low(j)          ra0 + j
.set high(j)         ra8 + j
.set digest(i)       ra16 + i
.set state(role, j)  rb0 + ((role - j) & 7)

# Initial digest; the state begins with the same.
.macro initial, i, value
  ldi ra16 + i, rb0 + i, value
.endm

# The first half of a round: r3 = T1 = h + K + W + Sum1(e) + Ch(e, f, g).
#   Sum1(e) = ror 6 (e ^ ror 5 (e ^ ror 14 (e)));  Ch = (e & f) + (g & ~e)
# While the last 16 rounds run, the next block comes in, four words ahead: they replace those used up.
.macro first_half, j, fetch
                    ror r0, e, 14
                    xor r0, e, r0
                    ror r0, r0, 5;          mov state(0, j), a
                    and r1, e, state(5, j)
                    and r3, e, state(6, j)
                    xor r0, e, r0;          v8subs r3, state(6, j), r3
                    ror r0, r0, 6;          v8adds r1, r1, r3
                    add r3, state(7, j), unif
                    add r3, r3, low(j)
  .if fetch
                    add r3, r3, r0;         mov low(j), high(j);    ldtmu0
                    add r3, r3, r1;         mov high(j), r4
  .else
                    add r3, r3, r0
                    add r3, r3, r1
  .endif
.endm

# The second half: e = d + T1, a = T1 + Sum0(a) + Maj(a, b, c).
#   Sum0(a) = ror 2 (a ^ ror 11 (a ^ ror 9 (a)));  Maj = (a & (b ^ c)) + (b & c)
# b & c is kept in r2 and b ^ c in `differ`: a & b and a ^ b are what the next round needs as such.
.macro second_half, j, fetch
                    and r1, a, differ
                    and r2, a, state(1, j); v8adds r1, r1, r2
                    ror r0, a, 9;           v8subs a_only, a, r2
                    xor r0, a, r0;          v8subs b_only, state(1, j), r2
                    add e, state(3, j), r3
                    ror r0, r0, 11
                    xor r0, a, r0
                    ror r0, r0, 2;          mov state(3, j), e
                    add r3, r3, r0;         v8adds differ, a_only, b_only
  .if fetch
                    add a, r3, r1;          v8adds t0s, fetched, unif
  .else
                    add a, r3, r1
  .endif
.endm

# Word t+16 of the message, from words t, t+1, t+9 and t+14; and the move of word t+8 to where the
# next turn of the loop looks for it.
#   sigma0(x) = ror 7 (x ^ ror 11 (x)) ^ x >> 3;  sigma1(x) = ror 17 (x ^ ror 2 (x)) ^ x >> 10
.macro extend, j
  .lset w1,  ra0 + ((j + 1) & 7)
  .lset w9,  ra8 + ((j + 1) & 7)
  .lset w14, ra8 + ((j + 6) & 7)
                    ror r0, w1, 11
                    shr shifted, w1, 3
                    xor r0, w1, r0
                    ror r0, r0, 7
                    xor r0, r0, shifted
                    add r0, r0, low(j)
                    add r0, r0, w9
                    ror r1, w14, 2
                    shr shifted, w14, 10
                    xor r1, w14, r1
                    ror r1, r1, -15;        mov low(j), high(j)
                    xor r1, r1, shifted
                    add high(j), r0, r1
.endm

# The lanes, and their first block
                    shl r0, elem_num, 2
                    add r0, r0, unif
                    ldi block_bytes, 64
                    mov t0s, r0
                    add t0s, r0, block_bytes
  initial 0, 0x6a09e667
  initial 1, 0xbb67ae85
  initial 2, 0x3c6ef372
  initial 3, 0xa54ff53a
  initial 4, 0x510e527f
  initial 5, 0x9b05688c
  initial 6, 0x1f83d9ab
  initial 7, 0x5be0cd19
                    mov result, unif
                    mov constants, unif
                    mov four, 4
                    nop;                    ldtmu0
                    mov block, r4;          mov r0, r4
                    nop;                    ldtmu0
                    mov left, r4
.rep i, 19
  .if i < 16
                    mov t0s, r0;            v8adds r0, r0, four
  .endif
  .if i == 3
                    nop;                    ldtmu0
  .elseif i > 3
                    mov ra0 + (i - 4), r4;  ldtmu0
  .endif
.endr
                    mov ra15, r4

:next_block
# The state is the digest; here are what the macros keep of it besides.
                    mov unif_addr, constants;   mov state(3, 0), digest(3)
                    sub.setf -, left, 2
                    add.ifnn block, block, block_bytes
                    and r2, digest(1), state(2, 0)
                    xor differ, digest(1), state(2, 0)
                    mov t0s, block;         v8adds r1, block, 4
                    mov t0s, r1;            v8adds r1, r1, four
                    mov t0s, r1;            v8adds r1, r1, four
                    mov t0s, r1;            mov fetched, block
                    mov counter, 6
                    mov a, digest(0)
                    mov e, digest(4)

:extending
                    sub.setf counter, counter, 1
.rep j, 8
  first_half j, 0
  extend j
  second_half j, 0
.endr
.back 3
                    brr.anynz -, r:extending
.endb

                    mov counter, 2
                    nop
:fetching
                    sub.setf counter, counter, 1
.rep j, 8
  first_half j, 1
  second_half j, 1
.endr
.back 3
                    brr.anynz -, r:fetching
.endb

# Lanes that still had a block add it to their digest. Four words have been requested once too often.
                    sub.setf left, left, 1
                    mov state(0, 0), a;     ldtmu0
                    add.ifnn digest(1), digest(1), state(1, 0);  ldtmu0
                    add.ifnn digest(2), digest(2), state(2, 0);  ldtmu0
                    add.ifnn digest(3), digest(3), state(3, 0);  ldtmu0
.rep i, 4
                    add.ifnn digest(i + 4), digest(i + 4), state(i + 4, 0)
.endr
                    add.ifnn digest(0), digest(0), state(0, 0)
                    mov state(1, 0), digest(1)
                    sub.setf -, left, 1
                    mov state(2, 0), digest(2)
                    mov state(4, 0), digest(4)
                    brr.anynn -, r:next_block
                    mov state(5, 0), digest(5)
                    mov state(6, 0), digest(6)
                    mov state(7, 0), digest(7)

# The result, in two parts of at most five rows
                    mov r0, qpu_num
                    mul24 r0, r0, 5
                    ldi r1, vpm_setup(1, 1, h32(0))
                    add r1, r1, r0
                    shl r0, r0, 7
                    mov vw_setup, r1
.rep i, 4
                    mov vpm, digest(i)
.endr
                    ldi r2, vdw_setup_0(4, 16, dma_h32(0, 0))
                    add vw_setup, r2, r0
                    ldi vw_setup, vdw_setup_1(0)
                    mov vw_addr, result
                    read vw_wait
                    mov vw_setup, r1
.rep i, 4
                    mov vpm, digest(i + 4)
.endr
                    mov vpm, qpu_num
                    ldi r2, vdw_setup_0(5, 16, dma_h32(0, 0))
                    add vw_setup, r2, r0
                    ldi r3, 256
                    add vw_addr, result, r3
                    read vw_wait
                    nop;                    thrend
                    nop
                    nop
