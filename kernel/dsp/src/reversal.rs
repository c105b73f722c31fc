//! Digit reversal: the order in which decimation in frequency leaves its results.

use crate::Complex;

/// The place of `index` with its digits in reverse order, for a transform whose stages have the
/// radices 2^`log2_radices`, first stage first. For radix 2 throughout this is bit reversal.
#[must_use]
pub fn digit_reversed(index: u32, log2_radices: &[u8]) -> u32 {
    let mut rest = index;
    let mut reversed = 0;
    for bits in log2_radices.iter().rev() {
        reversed = (reversed << bits) | (rest & ((1 << bits) - 1));
        rest >>= bits;
    }
    // Digits come off the low end, the last stage's first, and go in at the low end.
    reversed
}

/// Fills `table` with the digit-reversed place of every index.
///
/// # Panics
/// When the length of `table` is not the product of the radices.
pub fn fill_table(log2_radices: &[u8], table: &mut [u32]) {
    let log2n: u32 = log2_radices.iter().map(|bits| u32::from(*bits)).sum();
    assert_eq!(table.len(), 1 << log2n);
    for (index, place) in table.iter_mut().enumerate() {
        *place = digit_reversed(index as u32, log2_radices);
    }
}

/// Swaps every element of a power-of-two length with the one at the reverse of its bits.
///
/// The reversed index is counted upwards by a carry that runs from the top bit down, which costs
/// two steps an element on average; ARMv6 has no instruction that reverses bits.
pub fn bit_reverse<T: Copy>(data: &mut [Complex<T>]) {
    let n = data.len();
    debug_assert!(n.is_power_of_two());
    let mut reversed = 0;
    for index in 0..n {
        if index < reversed {
            data.swap(index, reversed);
        }
        let mut bit = n >> 1;
        while bit != 0 && reversed & bit != 0 {
            reversed ^= bit;
            bit >>= 1;
        }
        reversed |= bit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radix_two_is_bit_reversal() {
        let mut table = [0; 16];
        fill_table(&[1, 1, 1, 1], &mut table);
        for (index, place) in table.iter().enumerate() {
            assert_eq!(*place, (index as u32).reverse_bits() >> 28);
        }
        let mut data: [Complex<u8>; 16] = core::array::from_fn(|i| Complex::new(i as u8, 0));
        bit_reverse(&mut data);
        for (value, place) in data.iter().zip(table) {
            assert_eq!(u32::from(value.re), place);
        }
    }

    #[test]
    fn mixed_radices_reverse_digits_not_bits() {
        // 32 = 8 * 4: index = low * 8 + high with low in 0..4 becomes high * 4 + low reversed.
        let mut table = [0; 32];
        fill_table(&[3, 2], &mut table);
        for (index, place) in (0u32..).zip(table) {
            assert_eq!(place, (index % 4) * 8 + index / 4);
        }
        let mut back = [0; 32];
        fill_table(&[2, 3], &mut back);
        for (index, place) in (0u32..).zip(table) {
            assert_eq!(back[place as usize], index);
        }
    }
}
