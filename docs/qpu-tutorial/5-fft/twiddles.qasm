# Twiddle factors of 256 points: for k = 1 to 15 a row of sixteen real parts of W^mk and one of
# imaginary parts. m is the lane, and W = exp(-2 pi i / 256). `bias` makes the factors larger by that
# many 2^-24.

.set larger, 1 + bias * 2.0 ** -24

.rep k, 15
  .rep m, 16
    .float larger * cos(-M_2PI * m * (k + 1) / 256)
  .endr
  .rep m, 16
    .float larger * sin(-M_2PI * m * (k + 1) / 256)
  .endr
.endr
