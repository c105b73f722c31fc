//! Which rows of a transform are drawn.
//!
//! Butterflies of a stage are all alike, so a few show what the others do. Folded, a picture keeps
//! rows such that every stage has its first, second and last butterfly, each with its first and
//! last legs; labels are those of the whole transform.

use crate::network::Network;

/// Points up to which all rows are drawn unless folding is asked for.
pub const FULL_POINTS: u32 = 64;
/// Stages of which a third digit is kept.
const FEW_STAGES: usize = 2;
/// Most rows that are chosen by their digits.
const MOST: usize = 64;

/// All rows.
#[must_use]
pub fn full(network: &Network) -> Vec<u32> {
    (0..network.points()).collect()
}

/// The rows of a folded picture, ascending.
#[must_use]
pub fn folded(network: &Network) -> Vec<u32> {
    let radices = network.radices();
    let digits: Vec<Vec<u32>> = radices
        .iter()
        .map(|radix| kept(*radix, radices.len()))
        .collect();
    let mut rows = if digits.iter().map(Vec::len).product::<usize>() <= MOST {
        by_digits(network, &digits)
    } else {
        near_firsts(network)
    };
    rows.sort_unstable();
    rows.dedup();
    rows
}

/// The digits that are kept of a stage: the first and the last; all of four.
fn kept(radix: u32, stages: usize) -> Vec<u32> {
    let first = if stages <= FEW_STAGES || radix <= 4 {
        3
    } else {
        2
    };
    let mut digits: Vec<u32> = (0..radix.min(first)).chain([radix - 1]).collect();
    digits.dedup();
    digits
}

/// Few stages: all rows of these digits.
fn by_digits(network: &Network, digits: &[Vec<u32>]) -> Vec<u32> {
    let mut rows = vec![0];
    for (stage, digits) in digits.iter().enumerate() {
        let stride = network.stride(stage);
        rows = rows
            .iter()
            .flat_map(|row| digits.iter().map(move |digit| row + stride * digit))
            .collect();
    }
    rows
}

/// Many stages: the legs of the butterflies in the columns 0, 1 and s - 1 of each stage's first
/// block, s being the distance of its legs.
fn near_firsts(network: &Network) -> Vec<u32> {
    let mut rows = vec![0, network.points() - 1];
    for (stage, &radix) in network.radices().iter().enumerate() {
        let stride = network.stride(stage);
        for leg in kept(radix, network.radices().len()) {
            let base = leg * stride;
            rows.extend([base, base + 1 % stride, base + stride - 1]);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Order;

    #[test]
    fn every_stage_keeps_first_second_and_last_butterfly() {
        for radices in [
            vec![2; 12],
            vec![2; 22],
            vec![4; 6],
            vec![64, 64],
            vec![16, 32, 64],
            vec![2, 4, 4],
            vec![2, 8, 8, 8, 8, 8],
        ] {
            for order in [Order::Classic, Order::InTime] {
                let network = Network::new(radices.clone(), order).unwrap();
                let rows = folded(&network);
                assert!(rows.is_sorted() && rows.len() <= 80, "{}", rows.len());
                for (stage, &radix) in radices.iter().enumerate() {
                    let stride = network.stride(stage);
                    for column in [0, 1 % stride, stride - 1] {
                        for leg in [0, 1, radix - 1] {
                            let row = column + leg * stride;
                            assert!(rows.binary_search(&row).is_ok(), "{radices:?}: {row}");
                        }
                    }
                }
            }
        }
    }
}
