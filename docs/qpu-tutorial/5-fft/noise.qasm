# Random points between -1 and 1, as many as `points` says: real parts, then imaginary parts.
# A linear congruential generator, with the constants of Numerical Recipes.

.set state, 1
.rep n, 2 * points
    .set state, (state * 1664525 + 1013904223) & 0xffffffff
    .float state / 2.0 ** 31 - 1
.endr
