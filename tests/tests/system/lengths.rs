//! Every length of the instrument on the QPUs, held to the ARM's transform of the same samples.
//!
//! Between lengths a program of the host takes the memory of plans, so that each plan is made anew
//! and lies where others have been: the virtual Pi stops when a cache still holds an old copy of a
//! line.

use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use tests::mutate::Random;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Domain, Engine, Message, Rate, SampleFormat};

/// Rate of the line: some records have 256 KiB.
const BAUD: u32 = 921_600;
const RATE: Rate = Rate { num: 1, den: 1 };

/// The error that the QPUs' transform may add to the amplitude of any bin, relative to the root of
/// the sum of all bins' powers; the ARM's is smaller.
const TRANSFORM: f64 = 1e-6;

fn record(
    host: &mut Host<Virtual>,
    engine: &str,
    n: usize,
    domain: Domain,
    samples: &[u8],
) -> Spectrum {
    let settings = format!("n={n} window=hann overlap=50% avg=all out=f32 engine={engine}");
    host.must(&Message::Set(&settings));
    let spectra = host.upload(SampleFormat::U8, domain, RATE, samples);
    assert_eq!(spectra.len(), 1, "n={n} engine={engine}");
    spectra.into_iter().next().expect("one")
}

#[test]
fn every_length_on_the_qpus_is_that_of_the_arm() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = Host::new(Virtual::boot(&image, Config::default()));
    host.line_with("qpuscope", 1_000);
    host.quiet();
    host.must(&Message::Baud(BAUD));
    // Until the board has changed too.
    host.collect(20);
    host.line.pi.set_host_baud(BAUD);
    assert_eq!(host.ask(&Message::Ping(1)).message(), Message::Pong(1));
    let mut random = Random::new(tests::seed());
    for log2n in (4..=13).rev().chain([16, 4]) {
        host.forget_plans();
        let n = 1usize << log2n;
        // Three blocks that overlap by half, or one, which takes long enough.
        let (blocks, points) = if log2n < 12 { (3, 2 * n) } else { (1, n) };
        let bytes: Vec<u8> = (0..2 * points).map(|_| random.below(256) as u8).collect();
        // By all that the QPUs can do, complex samples of every other length by transforms.
        let complex = ["fft", "auto"][log2n % 2];
        for (domain, engine) in [(Domain::Complex, complex), (Domain::Real, "auto")] {
            let samples = &bytes[..points * SampleFormat::U8.sample_bytes(domain)];
            let [qpu, arm] =
                [engine, "cpu"].map(|engine| record(&mut host, engine, n, domain, samples));
            assert_eq!(
                (qpu.head.engine, arm.head.engine),
                (Engine::Qpu, Engine::Cpu)
            );
            assert!(!qpu.head.fallback && qpu.head.blocks == blocks, "n={n}");
            assert_eq!(qpu.levels_db.len(), arm.levels_db.len());
            let amplitude = |level: &f64| 10_f64.powf(level / 20.0);
            let powers = arm.levels_db.iter().map(|level| amplitude(level).powi(2));
            let total: f64 = powers.sum();
            for (bin, (got, wanted)) in qpu.levels_db.iter().zip(&arm.levels_db).enumerate() {
                let difference = (amplitude(got) - amplitude(wanted)).abs();
                assert!(
                    difference <= TRANSFORM * total.sqrt(),
                    "n={n} {engine} bin {bin}: {got} dB on the QPUs, {wanted} dB on the ARM"
                );
            }
        }
    }
}
