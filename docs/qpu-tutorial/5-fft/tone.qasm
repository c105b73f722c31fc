# Sixteen points of a cosine that turns three times: real parts, then imaginary parts.

.rep n, 16
    .float cos(M_2PI * 3 * n / 16)
.endr
.rep n, 16
    .float 0
.endr
