//! Line fills of the ARM in the time of a block: free, and as the virtual Pi models them.

use crate::arm_time::{BLOCKS, N, host, samples};
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Domain, Message, Rate, SampleFormat};

/// Microseconds of the QPUs and of the ARM for a block of an upload of real i16 samples.
fn times_us(image: &[u8], line_fills: bool, samples: &[u8]) -> [f64; 2] {
    let config = Config {
        line_fills,
        ..Config::default()
    };
    let mut host = host(image, config);
    let settings = format!("n={N} window=hann overlap=50% avg={BLOCKS} out=f32");
    host.must(&Message::Set(&settings));
    let spectra = host.upload(SampleFormat::I16, Domain::Real, Rate::hz(48_000), samples);
    // The second record: in the first, plans are made.
    let counters = spectra.last().expect("two records").head.counters;
    [counters.qpu_us, counters.cpu_us].map(|us| f64::from(us) / BLOCKS as f64)
}

#[test]
fn line_fills_add_to_the_share_of_the_arm() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let [free, timed] = [false, true].map(|line_fills| times_us(&image, line_fills, &samples()));
    let ([qpus, arm], [qpus_timed, arm_timed]) = (free, timed);
    eprintln!(
        "{N} real i16, Hann, 50 %: QPUs {qpus:.0} us, ARM {arm:.0} us a block; with line fills {qpus_timed:.0} us and {arm_timed:.0} us"
    );
    // The ARM reads and writes some 20 KiB for a block: 640 lines, of 88 ns and more.
    assert!((1.2..4.0).contains(&(arm_timed / arm)), "{arm} {arm_timed}");
    // Its traffic is little beside that of the QPUs.
    assert!(
        (qpus_timed - qpus).abs() <= 0.1 * qpus,
        "{qpus} {qpus_timed}"
    );
}
