//! Bursts that are shorter than a block, in a stream of 20 million samples a second: each is found.

use crate::host::{Event, Host, Spectrum};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::{Bursts, Config, ParallelPart, Signal, Tone};
use wire::{Engine, Message};

/// A Pi 1 B+, whose header has the pins.
const BOARD: u32 = 0x0010;
const BAUD: u32 = 921_600;
/// Points of a block, twice as long as its hop.
const N: u64 = 1024;
/// Blocks of a record.
const BLOCKS: u64 = 128;
/// Bin 358 is that of the bursts.
const SETTINGS: &str = "input=smi rate=20M n=1024 overlap=50% window=hann avg=128 detector=max out=u8 first=340 bins=40";
const BIN: usize = 358 - 340;
/// Least level of a burst in the block that has most of it; bins without one are below the second.
const LEAST_DBFS: f64 = -40.0;
const FLOOR_DBFS: f64 = -55.0;
/// Samples by which the stream may be behind the ADC: its pipeline, and what the driver drops.
const BEHIND: u64 = 256;

/// Bursts of 600 samples of -30 dBFS, one in each 5.5 ms.
const BURSTS: Bursts = Bursts {
    tone: Tone {
        hz: 7e6,
        dbfs: -30.0,
    },
    samples: 600,
    period: 110_000,
    seed: 32,
};

/// Two tones, noise and the bursts.
fn signal() -> Signal {
    let tone = |hz, dbfs| Tone { hz, dbfs };
    let tones = Signal::Tones {
        tones: vec![tone(2.1e6, -20.0), tone(4.7e6, -40.0)],
        noise_dbfs: Some(-60.0),
        seed: 32,
    };
    Signal::WithBursts(Box::new(tones), BURSTS)
}

/// The bursts that touch the samples `from..to`.
fn touching(from: u64, to: u64) -> usize {
    let near = from / BURSTS.period..to / BURSTS.period + 1;
    let starts = near.map(|number| BURSTS.start(number));
    starts
        .filter(|start| start + BURSTS.samples > from && *start < to)
        .count()
}

#[test]
fn every_burst_of_a_train_is_found_and_a_sampled_view_would_miss_it() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        parallel: Some(ParallelPart::new(signal())),
        revision: Some(BOARD),
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(&image, config));
    host.line_with("next:", 1_000);
    host.quiet();
    host.must(&Message::Baud(BAUD));
    host.collect(5);
    host.line.pi.set_host_baud(BAUD);
    host.must(&Message::Set(SETTINGS));
    host.must(&Message::Start);
    let missed = host.line.pi.smi_missed();
    let events = host.collect(50).into_iter();
    let spectra: Vec<Spectrum> = events
        .filter_map(|event| match event {
            Event::Spectrum(spectrum) => Some(*spectrum),
            _ => None,
        })
        .collect();
    assert_eq!(host.line.pi.smi_missed(), missed, "SMI's FIFO was full");
    assert!(spectra.len() >= 12, "{} records", spectra.len());
    let (mut found, mut empty) = (0, 0);
    for (index, spectrum) in spectra.iter().enumerate() {
        let head = spectrum.head;
        assert_eq!(head.engine, Engine::Qpu);
        assert_eq!(head.counters.overruns, 0);
        let first = spectra[0].head.first_sample + index as u64 * BLOCKS * N / 2;
        assert_eq!(head.first_sample, first, "no hole");
        let end = first + (BLOCKS + 1) * N / 2;
        let level = spectrum.levels_db[BIN];
        // Half a burst at an edge lies in the middle of a block of the record beside it.
        let inside = touching(first + N / 2 + BEHIND, end - N / 2);
        let outside = touching(first.saturating_sub(BEHIND), end + BEHIND);
        if inside > 0 {
            assert!(level > LEAST_DBFS, "record {index}: {level} dBFS");
            found += inside;
        } else if outside == 0 {
            assert!(level < FLOOR_DBFS, "record {index}: {level} dBFS");
            empty += 1;
        }
    }
    assert!(
        found >= 5 && empty >= 3,
        "{found} bursts, {empty} records without"
    );
    // One block of each record, as a viewer takes it for a screen.
    let seen = spectra
        .iter()
        .filter(|spectrum| {
            let first = spectrum.head.first_sample;
            touching(first, first + N) > 0
        })
        .count();
    assert!(seen * 4 < found, "{seen} of {found} bursts");
}
