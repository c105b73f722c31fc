//! The mean of 2^20 blocks, on the QPUs and in double precision.

use crate::averaged_lots::{BLOCKS, compare};
use dsp::spectrum::{Detector, Domain};

#[test]
#[ignore = "long: cargo xtask soak"]
fn mean_and_greatest_of_2_to_the_20_blocks() {
    for domain in [Domain::Real, Domain::Complex] {
        compare((1 << 20) / BLOCKS, domain, Detector::MeanMax);
    }
}
