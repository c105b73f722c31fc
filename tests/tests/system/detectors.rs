//! Detectors, DC removal and Kaiser's window through the whole path: engine by engine against
//! double precision.

use crate::host::Host;
use crate::line::Virtual;
use crate::reference;
use reference_fft::Complex;
use std::f64::consts::TAU;
use tests::mutate::Random;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Dc, Detector, Domain, Engine, Message, Rate, SampleFormat, Window};

const N: usize = 256;
const BLOCKS: usize = 16;
const OVERLAP: usize = 64;
const BIN: usize = 40;
/// Levels above the floor agree as well.
const TOLERANCE_DB: f64 = 0.01;
const FLOOR_DB: f64 = -90.0;

/// Noise around half of full scale, and in one block's middle a burst.
fn samples(domain: Domain) -> (Vec<u8>, Vec<Complex<f64>>) {
    let mut random = Random::new(3);
    let count = N + (BLOCKS - 1) * (N - OVERLAP);
    let (mut bytes, mut samples) = (vec![], vec![]);
    for i in 0..count {
        let in_burst = (1000..1000 + N).contains(&i);
        let burst = Complex::from_polar(if in_burst { 0.25 } else { 0.0 }, angle(i));
        let noise = Complex::new(random.signed_unit(), random.signed_unit()) * 0.02;
        let x = Complex::new(0.5, -0.5) + noise + burst;
        let mut code = |x: f64| {
            let value = (x * 32768.0).round() as i16;
            bytes.extend(value.to_le_bytes());
            f64::from(value) / 32768.0
        };
        samples.push(match domain {
            Domain::Real => Complex::new(code(x.re), 0.0),
            Domain::Complex => Complex::new(code(x.re), code(x.im)),
        });
    }
    (bytes, samples)
}

fn angle(i: usize) -> f64 {
    TAU * (BIN * i) as f64 / N as f64
}

#[test]
fn engines_agree_on_detectors_without_dc_in_every_kind_of_window() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = Host::new(Virtual::boot(&image, Config::default()));
    host.line_with("qpuscope", 1_000);
    host.quiet();
    host.must(&Message::Set(&format!(
        "n={N} overlap={OVERLAP} avg=all out=f32"
    )));
    for domain in [Domain::Real, Domain::Complex] {
        let (bytes, samples) = samples(domain);
        for (detector, dc, window) in [
            (Detector::Max, Dc::Keep, "kaiser:8.6"),
            (Detector::Min, Dc::Remove, "hann"),
            (Detector::Max, Dc::Remove, "rectangular"),
            (Detector::Mean, Dc::Remove, "kaiser:4.5"),
            (Detector::MeanMax, Dc::Remove, "hann"),
            (Detector::MeanMax, Dc::Remove, "kaiser:4.5"),
        ] {
            let window = Window::from_name(window).expect("a window");
            let blocks = reference::powers(&samples, domain, window, N, OVERLAP, dc);
            assert_eq!(blocks.len(), BLOCKS);
            for engine in ["auto", "fft", "cpu"] {
                let (detector_name, dc_name) = (detector.name(), dc.name());
                let set = format!(
                    "engine={engine} detector={detector_name} dc={dc_name} window={window}"
                );
                host.must(&Message::Set(&set));
                let rate = Rate::hz(48_000);
                let spectra = host.upload(SampleFormat::I16, domain, rate, &bytes);
                let [spectrum] = &spectra[..] else {
                    panic!("{set}: {} spectra", spectra.len());
                };
                let descriptor = &spectrum.descriptor;
                assert_eq!((descriptor.detector, descriptor.dc), (detector, dc));
                assert_eq!(descriptor.window, window);
                let wanted = if engine == "cpu" {
                    Engine::Cpu
                } else {
                    Engine::Qpu
                };
                assert_eq!(spectrum.head.engine, wanted, "{set}");
                let mut compared = 0;
                let bins = descriptor.bins as usize;
                let values = detector.parts().len() * bins;
                assert_eq!(spectrum.levels_db.len(), values, "{set}");
                for (index, level) in spectrum.levels_db.iter().enumerate() {
                    let (part, bin) = (detector.parts()[index / bins], index % bins);
                    let powers = blocks.iter().map(|block| block[bin]);
                    let power = match part {
                        Detector::Mean | Detector::MeanMax => powers.sum::<f64>() / BLOCKS as f64,
                        Detector::Max => powers.fold(0.0, f64::max),
                        Detector::Min => powers.fold(f64::INFINITY, f64::min),
                    };
                    let wanted = reference::db(power);
                    if wanted < FLOOR_DB {
                        assert!(*level < FLOOR_DB + 3.0, "{set}, bin {bin}: {level}");
                        continue;
                    }
                    let error = (level - wanted).abs();
                    assert!(
                        error < TOLERANCE_DB,
                        "{set}, bin {bin}: {level}, not {wanted}"
                    );
                    compared += 1;
                }
                assert!(compared > N / 3, "{set}: {compared} bins");
            }
        }
    }
}
