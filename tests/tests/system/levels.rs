//! Levels through the whole path: a full-scale sine on a bin reads 0.00 dBFS, in every window.

use crate::host::{Host, Spectrum};
use crate::line::Virtual;
use std::f64::consts::TAU;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Domain, Engine, Message, Rate, SampleFormat, Unit, Window};

const N: usize = 1024;
const BIN: usize = 100;
const RATE: Rate = Rate {
    num: 48_000,
    den: 1,
};

/// 0.00 to the two digits that are shown.
const SHOWN_DB: f64 = 0.005;

/// Uploads one block of a full-scale sine and returns its spectrum.
fn sine(
    host: &mut Host<Virtual>,
    window: Window,
    domain: Domain,
    format: SampleFormat,
) -> Spectrum {
    let settings = format!("n={N} window={window} avg=1 out=u16");
    host.must(&Message::Set(&settings));
    let mut bytes = Vec::new();
    for i in 0..N {
        let angle = TAU * (BIN * i) as f64 / N as f64;
        push(&mut bytes, format, angle.cos());
        if domain == Domain::Complex {
            push(&mut bytes, format, angle.sin());
        }
    }
    let spectra = host.upload(format, domain, RATE, &bytes);
    assert_eq!(spectra.len(), 1, "{} spectra of one block", spectra.len());
    spectra.into_iter().next().expect("one")
}

fn push(bytes: &mut Vec<u8>, format: SampleFormat, x: f64) {
    match format {
        SampleFormat::U8High => bytes.extend([0x5a, (x * 127.5 + 127.5).round() as u8]),
        SampleFormat::U8 => bytes.push((x * 127.5 + 127.5).round() as u8),
        SampleFormat::I16 => {
            let value = (x * 32768.0).round().clamp(-32768.0, 32767.0) as i16;
            bytes.extend(value.to_le_bytes());
        }
        SampleFormat::I32 => bytes.extend(((x * 2_147_483_647.0).round() as i32).to_le_bytes()),
        SampleFormat::I8 => unreachable!("not uploaded"),
        SampleFormat::F32 => bytes.extend((x as f32).to_le_bytes()),
    }
}

fn assert_zero_dbfs(spectrum: &Spectrum, what: &str, tolerance_db: f64) {
    assert_eq!(spectrum.descriptor.unit, Unit::Dbfs, "{what}");
    let centre = usize::try_from(-spectrum.descriptor.first_bin).expect("0 Hz is a bin");
    let level = spectrum.levels_db[centre + BIN];
    assert!(level.abs() <= tolerance_db, "{what}: {level} dBFS");
    let loudest = spectrum.levels_db.iter().copied().fold(f64::MIN, f64::max);
    assert!(
        (loudest - level).abs() < 1e-9,
        "{what}: {loudest} dBFS elsewhere"
    );
    let frequency = spectrum.descriptor.frequency_hz((centre + BIN) as u32);
    assert!((frequency - 4687.5).abs() < 1e-6, "{what}: {frequency} Hz");
}

#[test]
fn a_full_scale_sine_reads_zero_dbfs_in_every_window_real_and_complex() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = Host::new(Virtual::boot(&image, Config::default()));
    host.line_with("qpuscope", 1_000);
    host.quiet();
    for window in Window::ALL {
        for domain in [Domain::Real, Domain::Complex] {
            let spectrum = sine(&mut host, window, domain, SampleFormat::F32);
            let what = format!("{window} {}", domain.name());
            assert_eq!(spectrum.head.engine, Engine::Qpu, "{what}");
            assert_zero_dbfs(&spectrum, &what, SHOWN_DB);
        }
    }
}

#[test]
fn every_sample_format_reads_zero_dbfs() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = Host::new(Virtual::boot(&image, Config::default()));
    host.line_with("qpuscope", 1_000);
    host.quiet();
    // Rounding to 8 bits moves the level of this sine by up to 0.02 dB.
    for (format, tolerance) in [
        (SampleFormat::U8, 0.02),
        (SampleFormat::U8High, 0.02),
        (SampleFormat::I16, SHOWN_DB),
        (SampleFormat::I32, SHOWN_DB),
        (SampleFormat::F32, SHOWN_DB),
    ] {
        let spectrum = sine(&mut host, Window::Hann, Domain::Real, format);
        assert_zero_dbfs(&spectrum, format.name(), tolerance);
    }
}
