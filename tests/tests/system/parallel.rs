//! A parallel ADC through the whole path: pins, the shipped drivers of SMI and DMA, spectra.
//!
//! The part and the blocks are the virtual Pi's, written from their sources apart from the drivers.

use crate::host::{Event, Host, Spectrum};
use crate::line::Virtual;
use crate::live::assert_no_hole;
use tests::{NO_KERNEL, need};
use virtual_pi::{Config, ParallelPart, ParallelWiring, Signal, Tone};
use wire::{Engine, Fault, Message, NakCode, Rate, Source};

/// A Pi 1 B+, whose header has the pins, and a Pi 1 B, whose header has not.
const BOARD: u32 = 0x0010;
const NO_PINS: u32 = 0x000e;
const SETTINGS: &str = "input=smi rate=1M n=1024 window=flat-top avg=64 out=u16 bins=128";
/// Samples from a record to the next.
const RECORD: u64 = 64 * 512;
/// The level of the tone, and how near to it its bin reads with eight bits.
const TONE_DBFS: f64 = -3.0;
const TOLERANCE_DB: f64 = 0.02;

/// A tone on bin 64 of 1024 at 1 MS/s.
fn part(wiring: ParallelWiring) -> ParallelPart {
    let signal = Signal::Tones {
        tones: vec![Tone {
            hz: 62_500.0,
            dbfs: TONE_DBFS,
        }],
        noise_dbfs: Some(-50.0),
        seed: 1,
    };
    ParallelPart {
        wiring,
        ..ParallelPart::new(signal)
    }
}

/// A quiet board with a part.
fn board(image: &[u8], revision: u32, wiring: ParallelWiring) -> Host<Virtual> {
    let config = Config {
        parallel: Some(part(wiring)),
        revision: Some(revision),
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("next:", 1_000);
    host.quiet();
    host.must(&Message::Set(SETTINGS));
    host
}

fn probe(host: &mut Host<Virtual>) -> (u8, String) {
    let reply = host.ask(&Message::Probe);
    match reply.message() {
        Message::Probed(probed) => (probed.troubles, probed.text.to_owned()),
        other => panic!("{other:?}"),
    }
}

/// The spectra of a while, which read the tone and follow each other without a hole.
fn spectra(host: &mut Host<Virtual>, span_ms: u64) -> Vec<Spectrum> {
    host.must(&Message::Start);
    let spectra = host.spectra(span_ms);
    assert_no_hole(&spectra, RECORD);
    for spectrum in &spectra {
        let level = spectrum.levels_db[64];
        assert!((level - TONE_DBFS).abs() < TOLERANCE_DB, "{level} dBFS");
        assert!(spectrum.levels_db[100] < -60.0);
    }
    spectra
}

#[test]
fn a_parallel_adc_reads_its_level_without_a_hole() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, BOARD, ParallelWiring::Right);
    for spectrum in spectra(&mut host, 300) {
        let descriptor = spectrum.descriptor;
        assert_eq!(descriptor.source, Source::Smi);
        let rate = (descriptor.rate, descriptor.rate_within_hz);
        assert_eq!(rate, (Rate::hz(1_000_000), 0.0));
        assert_eq!(spectrum.head.engine, Engine::Qpu);
    }
}

/// Pins get their functions while the first samples are read, and the ADC's pipeline is filled: a
/// window that is 0 at its ends would hide them.
#[test]
fn the_first_record_is_as_clean_as_the_next() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, BOARD, ParallelWiring::Right);
    host.must(&Message::Set(
        "rate=20M window=rectangular avg=8 first=300 bins=64",
    ));
    host.must(&Message::Start);
    let floors: Vec<f64> = (0..4)
        .map(|_| {
            let levels = host.spectrum(1_000).levels_db;
            levels.into_iter().fold(f64::MIN, f64::max)
        })
        .collect();
    let later = floors[1..].iter().copied().fold(f64::MIN, f64::max);
    assert!(floors[0] < later + 3.0, "{floors:?} dBFS");
}

/// Single blocks cost more time than 20 MS/s leave.
#[test]
fn a_snapshot_loses_nothing_and_says_its_duty() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, BOARD, ParallelWiring::Right);
    host.must(&Message::Set("rate=20M mode=snapshot n=1024 avg=1 bins=16"));
    host.must(&Message::Start);
    let mut duties = vec![];
    for event in host.collect(60) {
        if let Event::Spectrum(spectrum) = event {
            let head = spectrum.head;
            assert_eq!(head.counters.overruns, 0);
            duties.push(head.duty_ppm.expect("each record says it"));
            // The tone of 62.5 kHz, between bins 3 and 4.
            let level = spectrum.levels_db[3];
            assert!((level - TONE_DBFS).abs() < 0.2, "{level} dBFS");
        }
    }
    assert!(duties.len() > 3, "{duties:?}");
    assert!(duties.iter().all(|ppm| *ppm < 1_000_000), "{duties:?}");
}

#[test]
fn every_rate_is_the_one_that_is_set() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, BOARD, ParallelWiring::Right);
    for (rate, hz) in [("2M", 2e6), ("5M", 5e6), ("10M", 1e7), ("20M", 2e7)] {
        host.must(&Message::Set(&format!("rate={rate}")));
        let (troubles, text) = probe(&mut host);
        assert_eq!(troubles, 0, "{rate}: {text}");
        let number = |behind: &str| -> f64 {
            let (_, rest) = text.split_once(behind).expect("measured");
            let (number, _) = rest.split_once(" Hz").expect("in hertz");
            number.replace(',', "").parse().expect("a number")
        };
        let (measured, within) = (number("read clock "), number("within "));
        assert!((measured - hz).abs() <= within, "{rate}: {text}");
        assert!(within < 0.01 * hz, "{rate}: {text}");
    }
}

#[test]
fn each_wrong_wire_has_its_sentence_and_the_right_one_works_afterwards() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, BOARD, ParallelWiring::Right);
    for (wiring, sentence) in [
        (ParallelWiring::NoClock, "data never changes"),
        (ParallelWiring::Stuck(true), "always read 0xff"),
        (ParallelWiring::Absent, "always read 0x00"),
        (
            ParallelWiring::WireOff(3),
            "GPIO 19 never changes although GPIO 23 does",
        ),
    ] {
        host.line.pi.set_parallel(Some(part(wiring)));
        let (troubles, text) = probe(&mut host);
        assert_eq!(troubles, 1, "{wiring:?}: {text}");
        assert!(text.contains(sentence), "{wiring:?}: {text}");
    }
    host.line.pi.set_parallel(Some(part(ParallelWiring::Right)));
    let (troubles, text) = probe(&mut host);
    assert_eq!(troubles, 0, "{text}");
    spectra(&mut host, 150);
}

#[test]
fn a_failed_dma_ends_the_stream_with_a_sentence_and_the_next_one_works() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, BOARD, ParallelWiring::Right);
    spectra(&mut host, 150);
    // Nothing empties the FIFO any more.
    host.line.expect_message("smi-pause");
    host.line.pi.fail_dma();
    let text = host.until("FAULT", 1_000, |event| match event {
        Event::Frame(reply) => match reply.message() {
            Message::Fault(fault) => {
                assert_eq!(fault.code, Fault::INPUT_FAILED);
                Some(fault.text.to_owned())
            }
            _ => None,
        },
        _ => None,
    });
    assert!(text.contains("DMA stopped with an error"), "{text}");
    spectra(&mut host, 150);
}

#[test]
fn what_the_board_cannot_have_is_refused_with_a_sentence() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, NO_PINS, ParallelWiring::Right);
    let (code, sentence) = host.refused(&Message::Start);
    assert_eq!(code, NakCode::NOT_AVAILABLE);
    assert!(sentence.contains("no pins for SMI"), "{sentence}");
    for (settings, words) in [
        ("rate=3M", "use rate=2M or rate=5M"),
        ("input=smi12", "GPIO 14 and 15"),
        ("input=i2s+smi", "share GPIO 18 to 21"),
        ("channel=iq", "set channel=left"),
    ] {
        let (code, sentence) = host.refused(&Message::Set(settings));
        assert_eq!(code, NakCode::BAD_VALUE);
        assert!(sentence.contains(words), "{sentence}");
    }
    host.must(&Message::Set("input=gen channel=left"));
}
