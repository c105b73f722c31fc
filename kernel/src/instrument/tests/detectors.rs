//! Detectors, DC removal and Kaiser's window: every engine agrees with rustfft in double precision.

use super::upload::{Recording, compare, noise, record, upload};
use super::*;
use reference_fft::Complex as Peer;
use std::f64::consts::TAU;
use wire::{Dc, Detector, SampleFormat};

const N: usize = 256;
const BLOCKS: usize = 16;
/// The samples of the burst.
const BIN: usize = 40;
/// 10 log10 of the number of blocks.
const SHARE_DB: f64 = 12.041;

/// An instrument whose QPUs make powers, transform only, or that has none.
fn engines() -> [(&'static str, Option<FakeQpu>); 3] {
    [
        ("auto", Some(FakeQpu::default())),
        ("fft", Some(FakeQpu::default())),
        ("cpu", None),
    ]
}

/// The only spectrum of all blocks of a recording.
fn spectrum(
    (engine, qpu): (&str, Option<FakeQpu>),
    set: &str,
    recording: &Recording,
) -> (Session, Spectrum) {
    let mut session = Session::quiet(qpu);
    session.board.host_baud = 3_000_000;
    session.board.baud = 3_000_000;
    session.must(&Message::Set("n=256 avg=all overlap=0 out=f32"));
    session.must(&Message::Set(&format!("engine={engine} {set}")));
    let (kind, payload) = upload(&mut session, recording, None);
    assert_eq!(kind, Kind::ACK, "{:?}", Message::decode(kind, &payload));
    assert_eq!(session.spectra.len(), 1);
    let spectrum = session.spectra[0].clone();
    assert_eq!(spectrum.head.blocks, BLOCKS as u32);
    (session, spectrum)
}

/// Noise, and in one of sixteen blocks a sine of half of full scale.
fn burst(domain: Domain) -> Recording {
    let mut noise = noise();
    record(SampleFormat::I16, domain, BLOCKS * N, |i| {
        let size = if i / N == 5 { 0.5 } else { 0.0 };
        let angle = TAU * (BIN * i) as f64 / N as f64;
        let noise = Peer::new(noise(), noise()) * 0.001;
        Peer::from_polar(size, angle) + noise
    })
}

#[test]
fn a_burst_is_seen_by_max_at_its_level_and_by_min_not_at_all() {
    for domain in [Domain::Real, Domain::Complex] {
        let recording = burst(domain);
        for (detector, lowest, highest) in [
            ("mean", -6.02 - SHARE_DB - 0.03, -6.02 - SHARE_DB + 0.03),
            ("max", -6.05, -5.99),
            ("min", -120.0, -70.0),
        ] {
            for engine in engines() {
                let set = format!("detector={detector}");
                let (session, spectrum) = spectrum(engine, &set, &recording);
                compare(&session, &recording);
                let descriptor = session.descriptor.unwrap();
                let wanted = Detector::from_name(detector).unwrap();
                assert_eq!(descriptor.detector, wanted);
                let level = spectrum.levels[(BIN as i32 - descriptor.first_bin) as usize];
                assert!(
                    lowest < level && level < highest,
                    "{detector}, {domain:?}: {level}"
                );
            }
        }
    }
}

#[test]
fn two_detectors_at_once_read_what_each_reads_alone() {
    for domain in [Domain::Real, Domain::Complex] {
        let recording = burst(domain);
        for engine in 0..3 {
            let read = |detector: &str| {
                let set = format!("detector={detector} dc=remove");
                let engine = engines().into_iter().nth(engine).unwrap();
                let (session, spectrum) = spectrum(engine, &set, &recording);
                compare(&session, &recording);
                (session.descriptor.unwrap(), spectrum)
            };
            let (descriptor, both) = read("mean+max");
            let [(_, mean), (_, max)] = ["mean", "max"].map(read);
            assert_eq!(descriptor.detector, Detector::MeanMax);
            assert_eq!(both.head.total, 2 * descriptor.bins);
            let bins = descriptor.bins as usize;
            // The same operations in the same order: the same bits.
            assert_eq!(both.levels[..bins], mean.levels);
            assert_eq!(both.levels[bins..], max.levels);
        }
    }
}

#[test]
fn a_part_of_two_spectra_is_the_same_part_of_each() {
    let recording = burst(Domain::Complex);
    let set = "detector=mean+max";
    let (_, all) = spectrum(("auto", Some(FakeQpu::default())), set, &recording);
    let set = format!("{set} first=-5 bins=100");
    let (session, some) = spectrum(("auto", Some(FakeQpu::default())), &set, &recording);
    let descriptor = session.descriptor.unwrap();
    assert_eq!((descriptor.bins, some.head.total), (100, 200));
    let (mean, max) = all.levels.split_at(N);
    let part = N / 2 - 5..N / 2 + 95;
    assert_eq!(some.levels[..100], mean[part.clone()]);
    assert_eq!(some.levels[100..], max[part]);
}

/// Noise beside a constant of half of full scale.
fn offset(format: SampleFormat, domain: Domain) -> Recording {
    let mut noise = noise();
    record(format, domain, BLOCKS * N, |_| {
        Peer::new(0.5 + 0.01 * noise(), -0.5 + 0.01 * noise())
    })
}

#[test]
fn a_constant_disappears_with_every_window() {
    for window in wire::Window::ALL {
        for (format, domain) in [
            (SampleFormat::I16, Domain::Real),
            (SampleFormat::U8, Domain::Complex),
            (SampleFormat::F32, Domain::Complex),
        ] {
            let recording = offset(format, domain);
            for engine in engines() {
                let set = format!("dc=keep window={window}");
                let (session, kept) = spectrum(engine, &set, &recording);
                compare(&session, &recording);
                let zero = -session.descriptor.unwrap().first_bin as usize;
                assert!((kept.levels[zero] + 3.01).abs() < 0.1, "{window}");
            }
            for engine in engines() {
                let set = format!("dc=remove window={window}");
                let (session, removed) = spectrum(engine, &set, &recording);
                compare(&session, &recording);
                let descriptor = session.descriptor.unwrap();
                assert_eq!((descriptor.dc, descriptor.window), (Dc::Remove, window));
                let zero = -descriptor.first_bin as usize;
                assert!(removed.levels[zero] < -120.0, "{window}: {removed:?}");
                // Noise of 0.01 in a few bins' width.
                assert!(removed.levels[zero + 1] < -45.0, "{window}: {removed:?}");
            }
        }
    }
}

#[test]
fn a_bin_that_was_emptied_does_not_count_as_clamped() {
    let recording = offset(SampleFormat::I16, Domain::Real);
    let (_, spectrum) = spectrum(("cpu", None), "dc=remove out=u8", &recording);
    assert_eq!(spectrum.head.counters.clamped, 0);
    assert!(spectrum.levels[0] < -119.0);
}

#[test]
fn descriptors_have_gain_and_bandwidth_of_kaisers_window() {
    // Of few points, too, where they are not those of the function that the window samples.
    for (n, beta) in [(16, "3.5"), (64, "0"), (1024, "8.6"), (4096, "30")] {
        let mut session = Session::quiet(None);
        let set = format!("n={n} window=kaiser:{beta} avg=1");
        session.must(&Message::Set(&set));
        session.must(&Message::Start);
        session.run_ms(700);
        let descriptor = session.descriptor.unwrap();
        assert_eq!(descriptor.window.to_string(), format!("kaiser:{beta}"));
        let coefficients = (0..n).map(|i| descriptor.window.coefficient(i, n));
        let sums = coefficients.fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
        let gain = sums.0 / n as f64;
        let enbw = n as f64 * sums.1 / (sums.0 * sums.0);
        assert!((descriptor.coherent_gain - gain).abs() < 1e-7, "{set}");
        assert!((descriptor.enbw_bins - enbw).abs() < 1e-6, "{set}");
    }
}
