# The reference: SHA-256 of a text of at most 55 bytes, step by step as FIPS 180-4 writes it.
#
#   sh reference.sh TEXT            the digest
#   sh reference.sh TEXT rounds     also the eight words of the state after each round

# The first 32 bits of the fractions of roots of the first primes: roots COUNT EXPONENT
roots() {
    awk -v count="$1" -v exponent="$2" 'BEGIN {
        for (p = 2; n < count; p++) {
            for (d = 2; d < p && p % d; d++);
            if (d == p) { n++; root = p ^ exponent; printf "%.0f ", int((root - int(root)) * 4294967296) }
        }
    }'
}

# The block: the text, one bit, zeros, and the number of bits
text=$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n')
block=${text}80
while [ ${#block} -lt 112 ]; do block=${block}00; done
block=$block$(printf %016x $((${#text} * 4)))
[ ${#block} = 128 ] || { echo "reference.sh: at most 55 bytes" >&2; exit 2; }

# The message schedule: w0 to w15 are the block, w16 to w63 follow from it
t=0
while [ $t -lt 16 ]; do
    rest=${block#????????}
    eval "w$t=$((0x${block%"$rest"}))"
    block=$rest
    t=$((t + 1))
done
while [ $t -lt 64 ]; do
    eval "i=\$w$((t - 16)) x=\$w$((t - 15)) j=\$w$((t - 7)) y=\$w$((t - 2))"
    x=$(((x << 32 | x) >> 7 ^ (x << 32 | x) >> 18 ^ x >> 3))
    y=$(((y << 32 | y) >> 17 ^ (y << 32 | y) >> 19 ^ y >> 10))
    eval "w$t=$((i + x + j + y & 0xffffffff))"
    t=$((t + 1))
done

# 64 rounds
set -- "$2" $(roots 8 0.5)
a=$2 b=$3 c=$4 d=$5 e=$6 f=$7 g=$8 h=$9
t=0
for k in $(roots 64 0.3333333333333333); do
    eval "w=\$w$t"
    ee=$((e << 32 | e)) aa=$((a << 32 | a))
    t1=$((h + ((ee >> 6 ^ ee >> 11 ^ ee >> 25) & 0xffffffff) + (e & f ^ ~e & g) + k + w))
    t2=$((((aa >> 2 ^ aa >> 13 ^ aa >> 22) & 0xffffffff) + (a & b ^ a & c ^ b & c)))
    h=$g g=$f f=$e e=$((d + t1 & 0xffffffff))
    d=$c c=$b b=$a a=$((t1 + t2 & 0xffffffff))
    t=$((t + 1))
    [ "$1" != rounds ] || printf "%2d  %08x %08x %08x %08x %08x %08x %08x %08x\n" $t $a $b $c $d $e $f $g $h
done

# The digest: the state is added to what it was at the beginning
for word in $a $b $c $d $e $f $g $h; do
    printf %08x $(($2 + word & 0xffffffff))
    shift
done
echo
