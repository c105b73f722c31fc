//! The mean of 2^20 blocks, on the QPUs and in double precision; and a burst in a record of a
//! second.

use crate::averaged_lots::{BLOCKS, compare};
use crate::host::{Event, Host};
use crate::line::Virtual;
use crate::tell_virtual_time;
use dsp::spectrum::{Detector, Domain};
use tests::{NO_KERNEL, need};
use virtual_pi::{Bursts, Config, ParallelPart, Signal, Tone};
use wire::{Engine, Message};

#[test]
#[ignore = "long: cargo xtask soak"]
fn mean_and_greatest_of_2_to_the_20_blocks() {
    for domain in [Domain::Real, Domain::Complex] {
        compare((1 << 20) / BLOCKS, domain, Detector::MeanMax);
    }
}

/// Bursts of two blocks of 1024 samples, so that one block has nothing else.
const BURSTS: Bursts = Bursts {
    tone: Tone {
        hz: 5e6,
        dbfs: -10.0,
    },
    samples: 2048,
    period: 1 << 24,
    seed: 32,
};

#[test]
#[ignore = "long: cargo xtask soak"]
fn a_burst_of_a_block_in_20_million_samples_reads_its_level() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let noise = Signal::Tones {
        tones: vec![],
        noise_dbfs: Some(-60.0),
        seed: 32,
    };
    let signal = Signal::WithBursts(Box::new(noise), BURSTS);
    let config = Config {
        parallel: Some(ParallelPart::new(signal)),
        revision: Some(0x10),
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(&image, config));
    host.line_with("next:", 1_000);
    host.quiet();
    host.must(&Message::Set(
        "input=smi rate=20M n=1024 overlap=0 avg=19531 detector=mean+max out=f32",
    ));
    host.must(&Message::Start);
    let events = host.collect(1_400).into_iter();
    let spectrum = events.filter_map(|event| match event {
        Event::Spectrum(spectrum) => Some(*spectrum),
        _ => None,
    });
    let spectrum = spectrum.take(1).next().expect("a record of a second");
    let head = spectrum.head;
    assert_eq!((head.blocks, head.engine), (19_531, Engine::Qpu));
    assert_eq!((head.record, head.counters.overruns), (0, 0));
    let (mean, max) = spectrum.levels_db.split_at(513);
    assert!((max[256] + 10.0).abs() < 0.2, "{} dBFS", max[256]);
    assert!(mean[256] < -45.0, "{} dBFS", mean[256]);
    tell_virtual_time(&host);
}
