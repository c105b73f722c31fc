//! Long averages. The error of a mean is that of its lots: the QPUs add up at most 2048 blocks in
//! single precision, and lots are added up in double precision, which loses less than 10^-10 in
//! 2^20 blocks. So a few lots of the greatest size show the error of any number of blocks; `cargo
//! xtask soak` does all 2^20.

use crate::averaged_lots::compare;
use dsp::Complex;
use dsp::spectrum::{Detector, Domain, accumulate, begin, power};

#[test]
fn lots_of_2048_blocks_have_the_mean_and_the_greatest_of_double_precision() {
    compare(2, Domain::Real, Detector::MeanMax);
    compare(1, Domain::Complex, Detector::MeanMax);
    compare(1, Domain::Real, Detector::Mean);
}

/// On the ARM, whose blocks are added up one by one. The means of the powers are known exactly.
#[test]
fn the_arm_has_the_mean_of_2_to_the_20_blocks_and_the_greatest_of_them() {
    const BLOCKS: u32 = 1 << 20;
    const BURST: u32 = 777_777;
    for (quiet, burst) in [(0.1_f32, 0.5), (1e-4, 1.0), (3e-3, 1e-3)] {
        let mut held = [0.0; 4];
        begin(Detector::MeanMax, &mut held);
        for block in 0..BLOCKS {
            let size = if block == BURST { burst } else { quiet };
            let data = [Complex::new(0.0, size), Complex::new(size, quiet)];
            accumulate(Domain::Complex, Detector::MeanMax, &data, &mut held);
        }
        let mut powers = [0.0; 4];
        let (domain, detector) = (Domain::Complex, Detector::MeanMax);
        power(domain, detector, 1.0, 2, BLOCKS, &held, &mut powers, || ());
        let square = |x: f32| f64::from(x) * f64::from(x) / 4.0;
        let mean = (square(quiet) * f64::from(BLOCKS - 1) + square(burst)) / f64::from(BLOCKS);
        let greatest = square(quiet).max(square(burst));
        let wanted = [
            mean + square(quiet),
            mean,
            greatest + square(quiet),
            greatest,
        ];
        for (got, wanted) in powers.iter().zip(wanted) {
            let error = 10.0 * (f64::from(*got) / wanted).log10().abs();
            assert!(error < 1e-5, "{quiet}, {burst}: {got}, not {wanted}");
        }
    }
}
