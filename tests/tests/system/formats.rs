//! Formats of samples beside each other: the same numbers in another format, the same spectra.

use crate::host::Host;
use crate::line::Virtual;
use tests::mutate::Random;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Domain, Engine, Message, Rate, SampleFormat};

/// Rate of the line.
const BAUD: u32 = 921_600;
/// Longer transforms of i32 and of f32 have other passes.
const LONGEST_ALIKE: usize = 4096;
/// The difference that they may have in the amplitude of any bin, relative to the root of the sum
/// of all bins' powers.
const TRANSFORM: f64 = 1e-6;

/// Random numbers of 24 bits as i32 and as f32, and of 8 bits as u8 and as u8-high, whose lower
/// bytes are random too.
fn numbers(count: usize, random: &mut Random) -> [(SampleFormat, Vec<u8>); 4] {
    let mut formats = [
        SampleFormat::I32,
        SampleFormat::F32,
        SampleFormat::U8,
        SampleFormat::U8High,
    ]
    .map(|format| (format, Vec::new()));
    for _ in 0..count {
        let [low, middle, high] = [(); 3].map(|()| random.below(256) as u8);
        let number = i32::from_le_bytes([0, low, middle, high]);
        let value = number as f32 / 2_147_483_648.0;
        formats[0].1.extend(number.to_le_bytes());
        formats[1].1.extend(value.to_le_bytes());
        formats[2].1.push(high);
        formats[3].1.extend([low, high]);
    }
    formats
}

/// Holds amplitudes to each other.
fn assert_alike(what: &str, got: &[f64], wanted: &[f64]) {
    assert_eq!(got.len(), wanted.len(), "{what}");
    let amplitude = |level: &f64| 10_f64.powf(level / 20.0);
    let total: f64 = wanted.iter().map(|level| amplitude(level).powi(2)).sum();
    for (bin, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        let difference = (amplitude(got) - amplitude(wanted)).abs();
        assert!(
            difference <= TRANSFORM * total.sqrt(),
            "{what}, bin {bin}: {got} dB, {wanted} dB"
        );
    }
}

/// Full scale is a power of two in i32, and the QPUs convert 24 bits exactly: so not even the last
/// bit differs where the transform is the same.
#[test]
fn the_same_numbers_in_another_format_have_the_same_spectrum() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        v3d_functional: true,
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(&image, config));
    host.line_with("qpuscope", 1_000);
    host.quiet();
    host.must(&Message::Baud(BAUD));
    // Until the board has changed too.
    host.collect(20);
    host.line.pi.set_host_baud(BAUD);
    assert_eq!(host.ask(&Message::Ping(1)).message(), Message::Pong(1));
    let mut random = Random::new(tests::seed());
    for (n, domain, engine) in [
        (1024, Domain::Real, Engine::Qpu),
        (256, Domain::Complex, Engine::Qpu),
        (8192, Domain::Complex, Engine::Qpu),
        (512, Domain::Complex, Engine::Cpu),
        (512, Domain::Real, Engine::Cpu),
    ] {
        let asked = if engine == Engine::Qpu { "auto" } else { "cpu" };
        host.must(&Message::Set(&format!(
            "n={n} window=hann overlap=50% avg=all out=f32 engine={asked}"
        )));
        // One block, or three that overlap.
        let points = if n < 2048 { 2 * n } else { n };
        let count = points * domain.components() as usize;
        let spectra = numbers(count, &mut random).map(|(format, bytes)| {
            let mut spectra = host.upload(format, domain, Rate::hz(48_000), &bytes);
            assert_eq!(spectra.len(), 1, "{format}");
            let spectrum = spectra.remove(0);
            assert_eq!(spectrum.head.engine, engine, "{format} n={n}");
            assert!(!spectrum.head.fallback && !spectrum.head.replaced);
            spectrum.levels_db
        });
        let [i32, f32, u8, u8_high] = spectra;
        let what = format!("i32 and f32, n={n} {}", domain.name());
        assert!(n > LONGEST_ALIKE || i32 == f32, "{what}");
        assert_alike(&what, &i32, &f32);
        assert!(u8 == u8_high, "u8 and u8-high, n={n} {}", domain.name());
        assert!(i32 != u8);
    }
}
