//! Live input through the whole path: parts on the I2S pins, the shipped drivers, DMA, spectra.
//!
//! The parts and the blocks are the virtual Pi's, written from the manual apart from the drivers.

use crate::host::{Event, Host, Spectrum};
use crate::line::Virtual;
use tests::{NO_KERNEL, need};
use virtual_pi::{Config, I2sPart, I2sPins, I2sRole, MicrophoneSide, Signal, Tone, Wiring};
use wire::{Engine, Fault, Message, NakCode, Rate, Source};

/// A Pi 1 B+, whose header has the pins.
const BOARD: u32 = 0x0010;
/// Settings of most tests: a record is 1024 + 3 * 512 samples.
pub const SETTINGS: &str = "input=i2s n=1024 window=flat-top avg=4 out=f32";
/// Samples from a record to the next.
pub const RECORD: u64 = 2048;
/// The level of the tone, and how near to it its bin reads.
const TONE_DBFS: f64 = -3.0;
const TOLERANCE_DB: f64 = 0.02;

/// A tone on bin 64 of 1024 at 50 kHz.
pub fn tone() -> Signal {
    Signal::Tones {
        tones: vec![Tone {
            hz: 3125.0,
            dbfs: TONE_DBFS,
        }],
        noise_dbfs: None,
        seed: 1,
    }
}

/// A quiet board with this part, at a fast line, with settings.
pub fn board(image: &[u8], part: Option<I2sPart>, settings: &str) -> Host<Virtual> {
    let config = Config {
        i2s: part,
        revision: Some(BOARD),
        ..Config::default()
    };
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("next:", 1_000);
    host.quiet();
    host.must(&Message::Set(settings));
    host
}

pub fn part(role: I2sRole, wiring: Wiring) -> Option<I2sPart> {
    Some(I2sPart {
        wiring,
        ..I2sPart::new(role, tone())
    })
}

/// Holds that there are records, that they have the samples of their numbers, `samples` of them
/// apart, and that none is lost.
pub fn assert_no_hole(spectra: &[Spectrum], samples: u64) {
    assert!(spectra.len() >= 2, "{} spectra", spectra.len());
    for Spectrum { head, .. } in spectra {
        assert_eq!(head.first_sample, u64::from(head.record) * samples);
        assert_eq!(head.counters.overruns, 0);
    }
}

/// Spectra of the next while, whose records follow each other without a hole.
pub fn spectra(host: &mut Host<Virtual>, span_ms: u64) -> Vec<Spectrum> {
    let spectra = host.spectra(span_ms);
    assert_no_hole(&spectra, RECORD);
    let last = spectra.last().expect("there are two");
    assert_eq!(last.descriptor.source, Source::I2s);
    spectra
}

fn probe(host: &mut Host<Virtual>) -> (u8, String) {
    let reply = host.ask(&Message::Probe);
    match reply.message() {
        Message::Probed(probed) => (probed.troubles, probed.text.to_owned()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_adc_that_the_board_clocks_reads_its_level_without_a_hole() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, part(I2sRole::Slave, Wiring::Right), SETTINGS);
    host.must(&Message::Start);
    for spectrum in spectra(&mut host, 1_500) {
        assert_eq!(spectrum.descriptor.rate, Rate::hz(50_000));
        assert_eq!(spectrum.head.engine, Engine::Qpu);
        let level = spectrum.levels_db[64];
        assert!((level - TONE_DBFS).abs() < TOLERANCE_DB, "{level} dBFS");
    }
    // Both slots as I/Q: the tone turns one way, and with qi the other.
    for (channel, bin) in [("iq", 512 + 64), ("qi", 512 - 64)] {
        host.quiet();
        host.must(&Message::Set(&format!("channel={channel}")));
        host.must(&Message::Start);
        for spectrum in spectra(&mut host, 1_500) {
            let level = spectrum.levels_db[bin];
            assert!(
                (level - TONE_DBFS).abs() < TOLERANCE_DB,
                "{channel}: {level} dBFS"
            );
            assert!(spectrum.levels_db[1024 - bin] < -80.0);
        }
    }
}

/// A bit clock of 519 kHz, of which the block needs some before it receives.
#[test]
fn the_slowest_rate_waits_for_its_bit_clocks() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = board(&image, part(I2sRole::Slave, Wiring::Right), SETTINGS);
    host.must(&Message::Set("rate=300000/37"));
    host.must(&Message::Start);
    spectra(&mut host, 1_000);
}

#[test]
fn an_adc_that_clocks_the_board_has_its_measured_rate() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let adc = part(I2sRole::Master(96_000, 1), Wiring::Right);
    let mut host = board(&image, adc, SETTINGS);
    host.must(&Message::Set("clock=adc rate=auto"));
    host.must(&Message::Start);
    let spectra = spectra(&mut host, 1_500);
    let descriptor = spectra.last().expect("there are two").descriptor;
    let off = (descriptor.rate.to_hz() - 96_000.0).abs();
    assert!(off < descriptor.rate_within_hz, "{descriptor:?}");
    assert!(descriptor.rate_within_hz < 30.0, "{descriptor:?}");
}

#[test]
fn each_wrong_wiring_has_its_sentence_and_the_right_one_works_afterwards() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let adc = I2sRole::Master(50_000, 1);
    let right = I2sRole::Microphone(MicrophoneSide::Right);
    let cases = [
        ("clock=adc", adc, Wiring::NoClock, "no clock on GPIO 18"),
        (
            "clock=adc",
            adc,
            Wiring::ClockOff(-20_000),
            "Hz, expected 50,000",
        ),
        (
            "clock=adc",
            adc,
            Wiring::Stuck(true),
            "data never changes: left is always 0xffffff",
        ),
        (
            "",
            I2sRole::Slave,
            Wiring::Absent,
            "data never changes: left is always 0x000000",
        ),
        (
            "",
            I2sRole::Slave,
            Wiring::MasterAgainstMaster(48_000, 1),
            "not the board's",
        ),
        (
            "",
            right,
            Wiring::Right,
            "left is silent: is the microphone's L/R pin at 3.3 V?",
        ),
    ];
    for (settings, role, wiring, sentence) in cases {
        let mut host = board(&image, part(role, wiring), SETTINGS);
        host.must(&Message::Set(settings));
        let (troubles, text) = probe(&mut host);
        assert!(
            troubles > 0 && text.contains(sentence),
            "{wiring:?}: {text}"
        );
        let left = I2sRole::Microphone(MicrophoneSide::Left);
        let role = if role == right { left } else { role };
        host.line.pi.set_i2s(part(role, Wiring::Right));
        let (troubles, text) = probe(&mut host);
        assert_eq!(troubles, 0, "{text}");
        host.must(&Message::Set("out=u8"));
        host.must(&Message::Start);
        spectra(&mut host, 300);
    }
}

#[test]
fn troubles_in_a_stream_end_it_with_a_sentence_and_the_next_one_works() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let adc = part(I2sRole::Master(50_000, 1), Wiring::Right);
    let stops: fn(&mut Host<Virtual>) = |it| it.line.pi.set_i2s_wiring(Wiring::NoClock);
    let slows: fn(&mut Host<Virtual>) = |it| it.line.pi.set_i2s_wiring(Wiring::ClockOff(-20_000));
    let fails: fn(&mut Host<Virtual>) = |it| it.line.pi.fail_dma();
    for (spoil, sentence) in [
        (stops, "the clock stopped after"),
        (slows, "Hz, expected 50,000"),
        (fails, "DMA stopped with an error"),
    ] {
        let mut host = board(&image, adc.clone(), SETTINGS);
        host.must(&Message::Set("clock=adc out=u8"));
        host.must(&Message::Start);
        spectra(&mut host, 300);
        spoil(&mut host);
        let text = host.until("FAULT", 5_000, |event| match event {
            Event::Frame(reply) => match reply.message() {
                Message::Fault(fault) => {
                    assert_eq!(fault.code, Fault::INPUT_FAILED);
                    Some(fault.text.to_owned())
                }
                _ => None,
            },
            _ => None,
        });
        assert!(text.contains(sentence), "{text}");
        host.line.pi.set_i2s_wiring(Wiring::Right);
        host.must(&Message::Start);
        spectra(&mut host, 300);
    }
}

#[test]
fn the_first_boards_have_p5_or_no_pins() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let boot = |revision| {
        let part = I2sPart {
            pins: I2sPins::P5,
            ..I2sPart::new(I2sRole::Slave, tone())
        };
        let config = Config {
            i2s: Some(part),
            revision: Some(revision),
            ..Config::default()
        };
        let mut host = Host::new(Virtual::boot(&image, config));
        host.line_with("next:", 1_000);
        host.quiet();
        host.must(&Message::Set(SETTINGS));
        host
    };
    let mut host = boot(0x000e);
    host.must(&Message::Start);
    spectra(&mut host, 500);
    let (code, sentence) = boot(0x0002).refused(&Message::Start);
    assert_eq!(code, NakCode::NOT_AVAILABLE);
    assert!(sentence.contains("no pins for I2S"), "{sentence}");
}

/// Kilobytes of memory that this process has, where the system says so.
fn memory_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// I/Q with three quarters overlap for so long, in records without a hole, and with no more memory
/// at the end than after ten seconds.
fn stream_iq(seconds: u64) {
    const HOP: u64 = 1024;
    const AVERAGE: u64 = 32;
    /// The lowest bins, far from the tone, and the level that none of them reaches.
    const FLOOR_BINS: usize = 1024;
    const FLOOR_DBFS: f64 = -110.0;
    /// The memory of some seconds of spectra, which the host keeps for a while.
    const MOST_KB: u64 = 16 * 1024;
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let settings = "input=i2s channel=iq n=4096 overlap=75% avg=32 out=u8";
    let mut host = board(&image, part(I2sRole::Slave, Wiring::Right), settings);
    host.must(&Message::Start);
    let (mut records, mut last, mut begin_kb) = (0, None, None);
    for second in 0..seconds {
        for event in host.collect(1_000) {
            let Event::Spectrum(spectrum) = event else {
                continue;
            };
            let head = spectrum.head;
            assert_eq!((head.counters.overruns, head.counters.dropped), (0, 0));
            let expected = last.map_or(0, |first: u64| first + HOP * AVERAGE);
            assert_eq!(head.first_sample, expected);
            last = Some(head.first_sample);
            records += 1;
            // One old word of a turn of the ring, every ten seconds, would stand out.
            let quiet = spectrum.levels_db[..FLOOR_BINS].iter().copied();
            let floor_dbfs = quiet.fold(f64::MIN, f64::max);
            assert!(floor_dbfs < FLOOR_DBFS, "{floor_dbfs} dBFS at {head:?}");
        }
        if second == 10 {
            begin_kb = memory_kb();
        }
    }
    // 50,000 samples a second make a record of each 32,768.
    assert!(records >= seconds * 50_000 / 32_768 - 2, "{records}");
    if let Some((begin_kb, end_kb)) = begin_kb.zip(memory_kb()) {
        eprintln!("memory: {begin_kb} kB after 10 s, {end_kb} kB after {seconds} s");
        assert!(end_kb <= begin_kb + MOST_KB);
    }
}

#[test]
fn a_minute_of_iq_with_three_quarters_overlap_has_no_hole() {
    stream_iq(60);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn soak_live_hour_of_iq_has_no_hole_and_takes_no_memory() {
    let seconds = std::env::var("QPUSCOPE_SOAK_SECONDS").ok();
    let seconds = seconds.and_then(|text| text.parse().ok()).unwrap_or(3_600);
    stream_iq(seconds);
    println!("virtual time: {seconds} s");
}
