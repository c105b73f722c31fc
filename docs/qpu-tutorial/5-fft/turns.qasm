# The twiddle factors of lanes.qasm: real and imaginary parts for the butterflies over 2, 4 and 8
# lanes. The upper lane of a butterfly is turned by its place among them; the lower by nothing.

.set turns(lane, distance)  (lane / distance & 1) * (lane % distance) / (2.0 * distance)

.rep stage, 3
  .rep lane, 16
    .float cos(-M_2PI * turns(lane, 2 << stage))
  .endr
  .rep lane, 16
    .float sin(-M_2PI * turns(lane, 2 << stage))
  .endr
.endr
