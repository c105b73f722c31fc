# The reference: a transform by its definition, in double precision, and how far a result is from
# it.
#
#   sh dft.sh INPUT RESULT          points in a row
#   sh dft.sh INPUT RESULT plane    rows and columns of a square; the result lies transposed
#
# Files hold N real parts and then N imaginary parts, in single precision. Prints the relative rms
# error, and how much more than 1 the mean gain is, both in millionths (ppm).

{ od -An -v -tf4 "$1"; echo result; od -An -v -tf4 "$2"; } | awk -v shape="$3" '
$1 == "result" { n = count / 2; count = 0; next }
{ for (i = 1; i <= NF; i++) if (n) result[count++] = $i; else given[count++] = $i }

END {
    if (!n || count != 2 * n) { print "dft.sh: give two files of the same length"; exit 1 }
    side = sqrt(n)
    for (t = 0; t < n; t++) {
        c[t] = cos(8 * atan2(1, 1) * t / n)
        s[t] = sin(8 * atan2(1, 1) * t / n)
    }
    for (k = 0; k < n; k++) {
        re = im = 0
        for (i = 0; i < n; i++) {
            t = i * k
            if (shape == "plane") t = side * (int(i / side) * (k % side) + i % side * int(k / side))
            t %= n
            re += given[i] * c[t] + given[n + i] * s[t]
            im += given[n + i] * c[t] - given[i] * s[t]
        }
        error += (result[k] - re) ^ 2 + (result[n + k] - im) ^ 2
        along += result[k] * re + result[n + k] * im
        power += re ^ 2 + im ^ 2
    }
    gain = along / power - 1
    printf "%d points: error %.2f ppm, gain %+.2f ppm\n", n, 1e6 * sqrt(error / power), 1e6 * gain
}'
