//! Digit reversal: the order in which decimation in frequency leaves its results.
//!
//! An index is written in digits, the first stage's digit on the left; the bin that lies there has the
//! same digits from right to left. With one radix throughout, reversing twice changes nothing, so that
//! swaps put results in order; with mixed radices the way back takes the radices in reverse order.

use crate::{Complex, Error};

/// `index` with its digits in reverse order: the bin that a transform whose stages have these radices,
/// first stage first, leaves at `index`. For radix 2 throughout this is bit reversal.
///
/// The result means something for an index below the product of the radices, none of which is 0.
#[must_use]
pub fn digit_reversed(index: u32, radices: &[u32]) -> u32 {
    let mut rest = index;
    let mut reversed = 0;
    // Digits come off the low end, the last stage's first, and go in at the low end.
    for radix in radices.iter().rev() {
        reversed = reversed * radix + rest % radix;
        rest /= radix;
    }
    reversed
}

/// Fills `table` with the digit-reversed value of every index.
///
/// # Errors
/// [`Error::Slice`] when the length of `table` is not the product of the radices.
pub fn fill_table(radices: &[u32], table: &mut [u32]) -> Result<(), Error> {
    let product = radices
        .iter()
        .try_fold(1u32, |product, radix| product.checked_mul(*radix));
    if product.map(|product| product as usize) != Some(table.len()) {
        return Err(Error::Slice);
    }
    for (index, place) in table.iter_mut().enumerate() {
        *place = digit_reversed(index as u32, radices);
    }
    Ok(())
}

/// Swaps every element of a power-of-two length with the one at the reverse of its bits.
///
/// Indices are taken in fours that differ in the lowest and highest bit, so that one reversed index,
/// counted upwards by a carry that runs from the top bit down, serves them all; ARMv6 has no
/// instruction that reverses bits.
pub fn bit_reverse<T: Copy>(data: &mut [Complex<T>]) {
    let n = data.len();
    debug_assert!(n.is_power_of_two());
    if n < 4 {
        return;
    }
    let (low, high) = data.split_at_mut(n / 2);
    let mut reversed = 0;
    // `index` and `reversed` are even and below n / 2.
    for index in (0..n / 2).step_by(2) {
        core::mem::swap(&mut low[index + 1], &mut high[reversed]);
        if index < reversed {
            low.swap(index, reversed);
            high.swap(index + 1, reversed + 1);
        }
        let mut bit = n / 4;
        while bit > 1 && reversed & bit != 0 {
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
        for log2n in 1..=10 {
            let mut table = vec![0; 1 << log2n];
            fill_table(&vec![2; log2n], &mut table).unwrap();
            for (index, place) in table.iter().enumerate() {
                assert_eq!(*place, (index as u32).reverse_bits() >> (32 - log2n));
            }
            let mut data: Vec<_> = (0..1u32 << log2n).map(|i| Complex::new(i, 0)).collect();
            bit_reverse(&mut data);
            for (value, place) in data.iter().zip(table) {
                assert_eq!(value.re, place);
            }
        }
        let mut alone = [Complex::new(5, 6)];
        bit_reverse(&mut alone);
        assert_eq!(alone[0], Complex::new(5, 6));
    }

    #[test]
    fn mixed_radices_reverse_digits_not_bits() {
        // 32 = 8 * 4: an index of the digits h, l (h of 8, l of 4) is the bin of the digits l, h.
        let mut table = [0; 32];
        fill_table(&[8, 4], &mut table).unwrap();
        for (index, place) in (0u32..).zip(table) {
            assert_eq!(place, (index % 4) * 8 + index / 4);
        }
        let mut back = [0; 32];
        fill_table(&[4, 8], &mut back).unwrap();
        for (index, place) in (0u32..).zip(table) {
            assert_eq!(back[place as usize], index);
        }
        // Not only powers of two.
        let mut six = [0; 6];
        fill_table(&[2, 3], &mut six).unwrap();
        assert_eq!(six, [0, 2, 4, 1, 3, 5]);
    }

    #[test]
    fn a_table_of_another_length_is_refused() {
        let mut table = [0; 32];
        assert_eq!(fill_table(&[8, 2], &mut table), Err(Error::Slice));
        assert_eq!(fill_table(&[1 << 31, 4, 8], &mut table), Err(Error::Slice));
    }
}
