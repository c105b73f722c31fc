//! The last column is the transform, and each column before it is what its stage promises.

use super::*;
use crate::flow::textbook;
use crate::input::{Preset, samples};
use crate::network::stages;
use dsp::Direction;
use dsp::dft::naive;

/// Greatest distance of a number from the direct transform's, for samples of up to 1.
const TOLERANCE: f64 = 1e-12;
/// Seed of the samples: any will do.
const SEED: u32 = 5;

/// Every length, radix and decimation that the page offers, and longer ones.
fn networks() -> impl Iterator<Item = Network> {
    let kinds = [2, 4, 8]
        .into_iter()
        .flat_map(|radix| [(radix, false), (radix, true)]);
    let all = (1..=8).flat_map(move |log2| kinds.clone().map(move |kind| (log2, kind)));
    all.map(|(log2, (radix, in_time))| {
        let stages = stages(1 << log2, radix).expect("a power of two");
        textbook(&stages, in_time).expect("a transform").network
    })
}

fn direct(input: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let mut bins = vec![Complex::ZERO; input.len()];
    naive(Direction::Forward, input, &mut bins);
    bins
}

fn near(one: Complex<f64>, two: Complex<f64>) -> bool {
    (one - two).norm_sqr() < TOLERANCE * TOLERANCE
}

#[test]
fn bins_are_those_of_the_direct_transform() {
    for network in networks() {
        for is_complex in [false, true] {
            let input = samples(Preset::Noise { seed: SEED }, network.points(), is_complex);
            let values = Values::of(&network, &input).expect("numbers");
            let bins = values.bins(&network);
            for (bin, (one, two)) in bins.iter().zip(direct(&input)).enumerate() {
                assert!(near(*one, two), "{network:?}: bin {bin}: {one:?} {two:?}");
            }
        }
    }
}

/// Decimation in frequency leaves, behind each stage, blocks whose transforms are the bins of one
/// residue.
#[test]
fn stages_in_frequency_leave_shorter_transforms() {
    for network in networks().filter(|network| network.order() == Order::Classic) {
        let input = samples(Preset::Noise { seed: SEED }, network.points(), true);
        let values = Values::of(&network, &input).expect("numbers");
        let expected = direct(&input);
        for stage in 0..network.radices().len() {
            let column = columns_of(&network, stage).end - 1;
            let block = network.stride(stage);
            for first in (0..network.points()).step_by(block as usize) {
                let rows = first as usize..(first + block) as usize;
                let part = direct(&values.columns()[column][rows]);
                let (residue, step) = (network.bin(first), network.points() / block);
                for (k, value) in (0..).zip(part) {
                    let bin = (residue + k * step) as usize;
                    assert!(
                        near(value, expected[bin]),
                        "{network:?}: {stage}, bin {bin}"
                    );
                }
            }
        }
    }
}

/// Decimation in time has, behind each stage's butterflies, transforms of every so-manieth sample.
#[test]
fn stages_in_time_have_transforms_of_parts() {
    for network in networks().filter(|network| network.order() == Order::InTime) {
        let input = samples(Preset::Noise { seed: SEED }, network.points(), true);
        let values = Values::of(&network, &input).expect("numbers");
        for stage in 0..network.radices().len() {
            let column = columns_of(&network, stage).end - 1;
            let block = network.stride(stage) * network.radices()[stage];
            for first in (0..network.points()).step_by(block as usize) {
                let step = (network.points() / block) as usize;
                let begin = network.sample(first) as usize;
                let part: Vec<_> = input.iter().skip(begin).step_by(step).copied().collect();
                assert_eq!(part.len(), block as usize);
                for (row, value) in (first..).zip(direct(&part)) {
                    let at = values.at(column, row).expect("a node");
                    assert!(near(at, value), "{network:?}: {stage}, row {row}");
                }
            }
        }
    }
}

#[test]
fn the_columns_of_all_stages_are_all_columns() {
    for network in networks() {
        let mut next = 1;
        for stage in 0..network.radices().len() {
            let columns = columns_of(&network, stage);
            assert_eq!(columns.start, next);
            assert!(
                columns
                    .clone()
                    .any(|column| Column::of(column) == Column::Butterflies(stage))
            );
            next = columns.end;
        }
        assert_eq!(next, columns(&network));
    }
}

#[test]
fn an_input_of_another_length_or_without_numbers_has_no_values() {
    let network = Network::new(vec![2, 2], Order::Classic).expect("a transform");
    assert!(Values::of(&network, &[Complex::ZERO; 3]).is_none());
    let mut input = [Complex::ZERO; 4];
    input[2].im = f64::NAN;
    assert!(Values::of(&network, &input).is_none());
}
