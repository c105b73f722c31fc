//! Float sums and products by AVX-512, where the host's processor has it.
//!
//! Its instructions cut toward zero when they are told to, as a QPU does, so that the result is
//! there without a correction. The same values as [`super::float`], to which vectors with
//! infinities and sums that overflow are left.

use super::float::{INFINITY, SIGN};
use super::float_lanes::{Floats, Portable};
use super::{Lanes, Operation};
use core::arch::x86_64::{__m512, __m512i, _MM_FROUND_NO_EXC, _MM_FROUND_TO_ZERO};
use pulp::x86::V4;

const TO_ZERO: i32 = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

/// The greatest finite magnitude, which is also what a result that overflows is cut to.
const GREATEST: u32 = INFINITY - 1;

#[inline(always)]
fn all(simd: V4, x: u32) -> __m512i {
    simd.avx512f._mm512_set1_epi32(x as i32)
}

/// Denormals flushed to zero.
#[inline(always)]
fn flushed(simd: V4, x: __m512i) -> __m512i {
    let normal = simd.avx512f._mm512_test_epi32_mask(x, all(simd, INFINITY));
    simd.avx512f._mm512_maskz_mov_epi32(normal, x)
}

#[inline(always)]
fn floats(simd: V4, lanes: &Lanes) -> __m512 {
    let bits = flushed(simd, pulp::bytemuck::cast(*lanes));
    simd.avx512f._mm512_castsi512_ps(bits)
}

/// Applies an instruction to two vectors, or `otherwise` where it makes infinities.
#[inline(always)]
fn operate(
    simd: V4,
    [a, b]: [&Lanes; 2],
    instruction: impl Fn(__m512, __m512) -> __m512,
    otherwise: Operation,
) -> Lanes {
    let (x, y) = (floats(simd, a), floats(simd, b));
    let result = simd.avx512f._mm512_castps_si512(instruction(x, y));
    let magnitude = simd.avx512f._mm512_and_si512(result, all(simd, !SIGN));
    let unusual = simd
        .avx512f
        ._mm512_cmpge_epu32_mask(magnitude, all(simd, GREATEST));
    if unusual != 0 {
        return otherwise(a, b);
    }
    pulp::bytemuck::cast(flushed(simd, result))
}

impl Floats for V4 {
    #[inline(always)]
    fn add(self, a: &Lanes, b: &Lanes) -> Lanes {
        operate(
            self,
            [a, b],
            #[inline(always)]
            |x, y| self.avx512f._mm512_add_round_ps::<TO_ZERO>(x, y),
            |a, b| Portable.add(a, b),
        )
    }

    #[inline(always)]
    fn sub(self, a: &Lanes, b: &Lanes) -> Lanes {
        operate(
            self,
            [a, b],
            #[inline(always)]
            |x, y| self.avx512f._mm512_sub_round_ps::<TO_ZERO>(x, y),
            |a, b| Portable.sub(a, b),
        )
    }

    #[inline(always)]
    fn mul(self, a: &Lanes, b: &Lanes) -> Lanes {
        operate(
            self,
            [a, b],
            #[inline(always)]
            |x, y| self.avx512f._mm512_mul_round_ps::<TO_ZERO>(x, y),
            |a, b| Portable.mul(a, b),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::alu::float_lanes::tests::are_what_single_floats_are;
    use ::tests::need;

    #[test]
    fn lanes_are_what_single_floats_are() {
        let simd = need!(V4::try_new(), "the processor has no AVX-512");
        are_what_single_floats_are(simd);
    }
}
