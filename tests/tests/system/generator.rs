//! The generator's spectra against the same samples transformed in double precision.

use crate::generated::Generated;
use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;

/// Holds a record of the generator to what its samples give in double precision, in every bin.
pub fn assert_matches_reference(record: &Spectrum) {
    assert_eq!(Generated::default().check(record), Ok(()));
}

#[test]
fn spectra_of_the_generator_match_double_precision_on_both_engines() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    for v3d in [true, false] {
        let config = Config {
            v3d,
            ..Config::default()
        };
        let mut host = Host::new(Virtual::boot(&image, config));
        for _ in 0..3 {
            assert_matches_reference(&host.spectrum(5_000));
        }
    }
}
