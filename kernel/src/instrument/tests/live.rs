//! Live input: a stream of it, its troubles, and a look at the pins.

use super::*;
use crate::instrument::capture::tests::fake::sample;
use crate::instrument::capture::{PortError, Slots, Wiring};

/// Makes the input of a session a bad one.
type Spoil = fn(&mut Session);

/// A quiet board with these settings.
fn live(settings: &str) -> Session {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    session.must(&Message::Baud(3_000_000));
    session.run_ms(5);
    session.board.host_baud = 3_000_000;
    session.run_ms(40);
    session.ping();
    session.must(&Message::Set(settings));
    session
}

const LEFT: &str = "input=i2s n=1024 window=flat-top avg=4 out=f32";

/// How many sentences say that something is wrong, and all of them.
fn probe(session: &mut Session) -> (u8, String) {
    let (kind, payload) = session.ask(&Message::Probe);
    match Message::decode(kind, &payload).unwrap() {
        Message::Probed(probed) => (probed.troubles, probed.text.to_owned()),
        other => panic!("{other:?}"),
    }
}

/// Says that every record continues the one before.
fn assert_no_hole(session: &Session, samples: u64) {
    for pair in session.spectra.windows(2) {
        let records = u64::from(pair[1].head.record - pair[0].head.record);
        let first = pair[0].head.first_sample + records * samples;
        assert_eq!(pair[1].head.first_sample, first);
    }
}

#[test]
fn a_microphone_streams_with_exact_rate_and_level_and_every_sample_counted() {
    let mut session = live(LEFT);
    session.must(&Message::Start);
    session.run_ms(2000);
    let descriptor = session.descriptor.unwrap();
    assert_eq!(
        (descriptor.source, descriptor.rate),
        (Source::I2s, wire::Rate::hz(50_000))
    );
    assert_eq!(descriptor.rate_within_hz, 0.0);
    assert_eq!(session.board.port.opened.len(), 1);
    let slots = Slots {
        left: true,
        right: false,
        divisor: Some(6),
    };
    assert_eq!(session.board.port.opened[0], Wiring::I2s(slots));
    assert!(session.spectra.len() > 40, "{}", session.spectra.len());
    assert_no_hole(&session, 2048);
    for spectrum in &session.spectra {
        assert!(
            (spectrum.levels[32] + 6.02).abs() < 0.01,
            "{}",
            spectrum.levels[32]
        );
        assert_eq!(spectrum.head.counters.overruns, 0);
        assert_eq!(spectrum.head.engine, EngineKind::Qpu);
    }
    let qpu = session.instrument.hub.analyser.qpu().unwrap();
    assert!(qpu.in_place as usize >= session.spectra.len());
    session.must(&Message::Stop);
    assert!(!session.board.port.is_open());
    session.ping();
}

#[test]
fn a_parallel_adc_streams_with_exact_rate_and_level_and_every_sample_counted() {
    let mut session = live("input=smi rate=1M n=1024 window=flat-top avg=16 out=f32");
    session.must(&Message::Start);
    session.run_ms(100);
    let descriptor = session.descriptor.unwrap();
    let wanted = (Source::Smi, wire::Rate::hz(1_000_000), 0.0);
    let (source, rate) = (descriptor.source, descriptor.rate);
    assert_eq!((source, rate, descriptor.rate_within_hz), wanted);
    assert_eq!(session.board.port.opened, [Wiring::Smi { cycles: 100 }]);
    assert!(session.spectra.len() > 2, "{}", session.spectra.len());
    assert_no_hole(&session, 16 * 512);
    for spectrum in &session.spectra {
        let level = spectrum.levels[32];
        // An eighth bit rounds the sine.
        assert!((level + 6.02).abs() < 0.05, "{level}");
        assert_eq!(spectrum.head.counters.overruns, 0);
    }
    session.must(&Message::Stop);
    assert!(!session.board.port.is_open());

    let (troubles, text) = probe(&mut session);
    assert_eq!(troubles, 0, "{text}");
    for words in [
        "the ADC: -5.97 dBFS",
        "read clock 1,000,000 Hz",
        "SMI's FIFO has 16 words",
    ] {
        assert!(text.contains(words), "{text}");
    }
    session.board.port.factor = 0.98;
    let sentence = session.refused(&Message::Start, NakCode::NOT_AVAILABLE);
    let words = "read clock 980,000 Hz, expected 1,000,000; samples are lost, or the clock's divisor is \
                 wrong; set a lower rate";
    assert_eq!(sentence, words);
    session.ping();
}

/// Samples of a record of four blocks of 1024 that follow each other.
const FOUR_BLOCKS: u64 = 1024 + 3 * 512;

#[test]
fn a_snapshot_takes_the_newest_samples_and_says_its_duty() {
    let settings = "input=smi rate=20M n=1024 window=flat-top avg=4 out=u16 bins=64";
    let mut session = live(settings);
    session.must(&Message::Set("mode=snapshot"));
    session.must(&Message::Start);
    // A board that takes its time.
    let run_slowly = |session: &mut Session| {
        for _ in 0..1000 {
            session.step();
            session.board.now_ns += 300_000;
        }
    };
    run_slowly(&mut session);
    assert!(session.spectra.len() > 4, "{}", session.spectra.len());
    let mut lowest_ppm = u32::MAX;
    let end = |spectrum: &Spectrum| spectrum.head.first_sample + FOUR_BLOCKS;
    for pair in session.spectra.windows(2) {
        let duty_ppm = pair[1].head.duty_ppm.expect("each record says it");
        lowest_ppm = lowest_ppm.min(duty_ppm);
        if pair[1].head.record == pair[0].head.record + 1 {
            let came = end(&pair[1]) - end(&pair[0]);
            // Blocks that follow those of the record before share samples with them.
            let share = FOUR_BLOCKS.min(came) as f64 / came as f64;
            assert_eq!(duty_ppm, (share * 1e6).round() as u32);
        }
    }
    assert!(lowest_ppm < 500_000, "{lowest_ppm}");
    for spectrum in &session.spectra {
        let level = spectrum.levels[32];
        assert!((level + 6.02).abs() < 0.05, "{level}");
        assert_eq!(spectrum.head.counters.overruns, 0);
    }
    // In words for a person.
    session.must(&Message::Set("out=text"));
    run_slowly(&mut session);
    let texts = session.seen.iter().filter_map(|seen| match seen {
        Seen::Text(text) => Some(text.as_str()),
        Seen::Frame(..) => None,
    });
    let says_duty = |text: &str| text.contains("4 blocks, duty ") && text.contains(" %: [");
    assert!(texts.into_iter().any(says_duty));
    session.must(&Message::Set("out=u16"));
    // A stream of the same samples loses some, and counts them.
    session.must(&Message::Set("mode=stream"));
    run_slowly(&mut session);
    let last = session.spectra.last().unwrap();
    assert_eq!(last.head.duty_ppm, None);
    assert!(last.head.counters.overruns > 1_000_000);
}

#[test]
fn a_snapshot_that_keeps_up_leaves_nothing_out() {
    let mut session = live(LEFT);
    session.must(&Message::Set("mode=snapshot"));
    session.must(&Message::Start);
    session.run_ms(1000);
    assert!(session.spectra.len() > 10, "{}", session.spectra.len());
    assert_no_hole(&session, 2048);
    for spectrum in &session.spectra[1..] {
        assert_eq!(spectrum.head.duty_ppm, Some(1_000_000));
    }
}

#[test]
fn iq_and_qi_are_mirror_images() {
    for (channel, bin) in [("iq", 512 + 32), ("qi", 512 - 32)] {
        let mut session = live(LEFT);
        session.board.port.part = |index| {
            let phase = core::f64::consts::TAU * (index % 32) as f64 / 32.0;
            [sample(0.5 * phase.cos()), sample(0.5 * phase.sin())]
        };
        session.must(&Message::Set(&format!("channel={channel} rate=75000")));
        session.must(&Message::Start);
        session.run_ms(500);
        let levels = &session.spectra.last().unwrap().levels;
        assert!(
            (levels[bin] + 6.02).abs() < 0.01,
            "{channel}: {}",
            levels[bin]
        );
        assert!(
            levels[1024 - bin] < -90.0,
            "{channel}: {}",
            levels[1024 - bin]
        );
    }
}

#[test]
fn an_adc_that_gives_the_clock_has_its_measured_rate_in_the_descriptor() {
    let mut session = live(LEFT);
    session.board.port.adc_hz = Some(47_998.2);
    session.must(&Message::Set("clock=adc rate=auto"));
    session.must(&Message::Start);
    session.run_ms(5000);
    let descriptor = session.descriptor.unwrap();
    let off = (descriptor.rate.to_hz() - 47_998.2).abs();
    assert!(
        off < descriptor.rate_within_hz && descriptor.rate_within_hz < 10.0,
        "{descriptor:?}"
    );
    assert_no_hole(&session, 2048);
}

#[test]
fn each_trouble_has_its_sentence_and_a_request_works_afterwards() {
    let refused: [(Spoil, &str); 4] = [
        (
            |it| it.board.port.refuses = Some(PortError::NoPins),
            "no pins for I2S",
        ),
        (
            |it| it.board.port.refuses = Some(PortError::NoBlock),
            "does not answer",
        ),
        (
            |it| it.board.port.factor = 0.98,
            "frame clock 49,000 Hz, expected 50,000",
        ),
        (|it| it.board.port.stops_at = 0, "no sample came"),
    ];
    for (spoil, words) in refused {
        let mut session = live(LEFT);
        spoil(&mut session);
        let sentence = session.refused(&Message::Start, NakCode::NOT_AVAILABLE);
        assert!(sentence.contains(words), "{sentence}");
        session.board.port = FakePort::new();
        session.must(&Message::Start);
        session.run_ms(300);
        assert!(!session.spectra.is_empty());
    }
    let ended: [(Spoil, &str); 2] = [
        (
            |it| it.board.port.stops_at = 60_000,
            "the clock stopped after 59968 samples",
        ),
        (
            |it| it.board.port.fails = Some((60_000, PortError::Dma(4))),
            "DMA stopped",
        ),
    ];
    for (spoil, words) in ended {
        let mut session = live(LEFT);
        spoil(&mut session);
        session.must(&Message::Start);
        session.run_ms(2000);
        let fault = session.seen.iter().find_map(|seen| match seen {
            Seen::Frame(header, payload) if header.kind == Kind::FAULT => Some(payload.clone()),
            _ => None,
        });
        let fault = fault.expect("a failure");
        let Ok(Message::Fault(fault)) = Message::decode(Kind::FAULT, &fault) else {
            panic!("{fault:?}")
        };
        assert_eq!(fault.code, wire::Fault::INPUT_FAILED);
        assert!(fault.text.contains(words), "{}", fault.text);
        assert!(!session.board.port.is_open());
        session.board.port = FakePort::new();
        session.must(&Message::Start);
        session.run_ms(300);
        session.ping();
    }
}

/// A live input that begins by itself.
fn unattended(settings: &str) -> Session {
    Session::start(
        &format!("start=1 out=text {settings}"),
        Some(FakeQpu::default()),
    )
}

/// How often a session said these words.
fn said(session: &Session, words: &str) -> usize {
    session.text().matches(words).count()
}

#[test]
fn a_stream_that_nobody_asked_for_is_tried_again_with_growing_pauses() {
    let mut session = unattended("input=i2s clock=adc rate=auto n=1024 avg=4");
    session.run_ms(9_000);
    // At 0, 1, 3 and 7 s.
    assert_eq!(said(&session, "no clock on GPIO 18"), 4);
    assert_eq!(said(&session, "tried again in 8 s"), 1);
    session.board.port.adc_hz = Some(48_000.0);
    session.run_ms(8_000);
    assert_eq!(said(&session, "tried again in 16 s"), 0);
    assert!(session.instrument.hub.stream.signal().is_some());
    // The ADC loses its power for a while.
    let before = session.instrument.hub.stream.counters.overruns;
    session.board.port.stops_at = session.board.port.received();
    session.run_ms(1_000);
    assert_eq!(said(&session, "the clock stopped"), 1);
    session.board.port.stops_at = u64::MAX;
    session.run_ms(20_000);
    let counters = session.instrument.hub.stream.counters;
    let lost_us = (counters.overruns - before) as f64 / 0.048;
    assert!((15e6..18e6).contains(&lost_us), "{lost_us}");
}

#[test]
fn a_byte_ends_the_tries_and_a_stream_of_a_host_is_not_tried_again() {
    let mut session = unattended("input=i2s clock=adc rate=auto");
    session.run_ms(2_000);
    assert_eq!(said(&session, "is tried again"), 2);
    session.send_bytes(b"stop\r");
    session.run_ms(10_000);
    assert_eq!(said(&session, "is tried again"), 2);
    let mut session = live(LEFT);
    session.must(&Message::Start);
    session.board.port.stops_at = 60_000;
    session.run_ms(5_000);
    assert_eq!(said(&session, "is tried again"), 0);
    assert_eq!(session.board.port.opened.len(), 1);
}

#[test]
fn lost_samples_are_counted_and_blocks_with_a_gap_left_out() {
    let mut session = live("input=smi rate=1M n=1024 window=flat-top avg=4 out=f32");
    // 500 samples of each 100 ms.
    session.board.port.losses = (5..200).map(|at| (at * 100_000, 500)).collect();
    session.must(&Message::Start);
    session.run_ms(5_000);
    let head = session.spectra.last().expect("a record").head;
    let counters = head.counters;
    let truth = session.board.port.lost();
    let behind = truth - counters.overruns;
    assert!(truth > 20_000 && behind < 600, "{counters:?} of {truth}");
    assert!(counters.left_out > 0, "{counters:?}");
    for spectrum in &session.spectra {
        let level = spectrum.levels[32];
        // A gap of 500 samples turns the phase of the tone.
        assert!((level + 6.02).abs() < 0.05, "{level}");
    }
    // First samples tell the time of the clock.
    let end = head.first_sample + 1024 + 3 * 512;
    let clocked = session.board.port.lost() + session.board.port.received();
    assert!(clocked.abs_diff(end) < 100_000, "{clocked} {end}");
    assert_eq!(said(&session, "no lot of blocks of the last second"), 0);
}

#[test]
fn a_second_without_a_whole_block_is_reported() {
    let mut session = live("input=smi rate=1M n=1024 avg=4 out=f32");
    session.must(&Message::Start);
    session.run_ms(500);
    // 50 samples of each millisecond are no steady 1 %; 9 are.
    session.board.port.losses = (500..9_000).map(|at| (at * 1000, 9)).collect();
    session.run_ms(4_000);
    let faults = trust::faults(&session, wire::Fault::SAMPLES_LOST);
    assert!((2..=4).contains(&faults.len()), "{faults:?}");
    assert!(
        faults[0].contains("samples were lost at the input"),
        "{faults:?}"
    );
    session.ping();
}

#[test]
fn samples_that_dma_overtook_are_in_no_record_and_counted() {
    let mut session = live("input=i2s rate=300000 channel=iq n=1024 avg=4 out=u8");
    session.must(&Message::Start);
    session.run_ms(300);
    // A round of the ring takes 1.7 s.
    session.board.now_ns += 2_500_000_000;
    session.run_ms(500);
    let lost = session.spectra.last().unwrap().head.counters.overruns;
    assert!((600_000..800_000).contains(&lost), "{lost}");
    let ends: Vec<(u64, u64)> = session
        .spectra
        .iter()
        .map(|it| (it.head.first_sample, it.head.first_sample + 1024 + 3 * 512))
        .collect();
    let hole = ends
        .windows(2)
        .find(|pair| pair[1].0 > pair[0].1)
        .expect("a hole");
    let dropped = session.spectra.last().unwrap().head.counters.dropped;
    // The hole has what was lost, and maybe a record that the line had no time for.
    let width = hole[1].0 - hole[0].1;
    assert!(width >= lost && width <= lost + u64::from(dropped) * 2048);
}

#[test]
fn full_scale_is_counted() {
    let mut session = live(LEFT);
    session.board.port.part = |index| match index % 1000 {
        7 => [i32::MAX & !0xff, 0],
        8 => [i32::MIN, 0],
        _ => [0x1000, 0],
    };
    session.must(&Message::Start);
    session.run_ms(500);
    let last = session.spectra.last().unwrap();
    let end = last.head.first_sample + 1024 + 3 * 512;
    let clipped = u64::from(last.head.counters.clipped);
    assert!(clipped.abs_diff(end / 500) <= 2, "{clipped} of {end}");
}

#[test]
fn a_probe_says_what_is_on_the_pins() {
    let mut session = live(LEFT);
    let (troubles, text) = probe(&mut session);
    assert_eq!(troubles, 0, "{text}");
    assert!(
        text.contains("left: -6.02 dBFS") && text.contains("frame clock 50,000 Hz"),
        "{text}"
    );
    assert!(
        matches!(session.board.port.opened[0], Wiring::I2s(slots) if slots.right),
        "both slots are looked at"
    );
    assert!(!session.board.port.is_open());

    session.must(&Message::Set("clock=adc rate=50000"));
    let (troubles, text) = probe(&mut session);
    assert_eq!(troubles, 1, "{text}");
    assert!(text.contains("no clock on GPIO 18"), "{text}");
    assert!(!text.contains("within"), "what was measured before: {text}");

    session.board.port.adc_hz = Some(47_998.2);
    let (troubles, text) = probe(&mut session);
    assert_eq!(troubles, 1, "{text}");
    assert!(text.contains("Hz, expected 50,000"), "{text}");

    session.must(&Message::Set("input=gen"));
    let sentence = session.refused(&Message::Probe, NakCode::WRONG_STATE);
    assert!(
        sentence.contains("set input=i2s or input=smi"),
        "{sentence}"
    );
    session.must(&Message::Set("input=i2s"));
    session.board.port.refuses = Some(PortError::NoPins);
    let sentence = session.refused(&Message::Probe, NakCode::NOT_AVAILABLE);
    assert!(sentence.contains("no pins"), "{sentence}");
    session.ping();
}

#[test]
fn a_person_types_probe_and_start() {
    let mut session = Session::start("start=0 input=i2s out=text", None);
    session.run_ms(100);
    session.send_bytes(b"probe\r\n");
    session.run_ms(700);
    assert!(
        session.text().contains("left: -6.02 dBFS"),
        "{}",
        session.text()
    );
    session.send_bytes(b"start\r\n");
    session.run_ms(1500);
    assert!(session.text().contains("ok\r\n"), "{}", session.text());
    assert!(
        session.text().contains("[1562.500 Hz -6.02 dBFS]"),
        "{}",
        session.text()
    );
}

#[test]
fn the_input_of_cmdline_txt_streams_unasked() {
    let mut session = Session::start("input=i2s rate=25000", None);
    session.run_ms(2000);
    assert!(session.text().contains("spectra of the I2S input follow"));
    assert_eq!(session.descriptor.unwrap().rate, wire::Rate::hz(25_000));
    assert!(!session.spectra.is_empty());
    session.send_bytes(b"x");
    session.run_ms(50);
    assert!(!session.board.port.is_open());
}

#[test]
fn an_upload_takes_the_place_of_live_input() {
    let mut session = live(LEFT);
    session.must(&Message::Start);
    session.run_ms(100);
    session.must(&Message::UploadBegin(wire::UploadBegin {
        format: wire::SampleFormat::I16,
        domain: Domain::Real,
        rate: wire::Rate::hz(1000),
        samples: 0,
        keeps: false,
    }));
    assert!(!session.board.port.is_open());
    session.refused(&Message::Probe, NakCode::WRONG_STATE);
}

#[test]
fn spectra_are_those_of_the_same_samples_uploaded_bit_for_bit() {
    let part: crate::instrument::capture::tests::fake::Part = |index| {
        let noise = (index as u32).wrapping_mul(0x9e37_79b9).rotate_left(11);
        [
            (noise & !0xff) as i32,
            (noise.rotate_left(16) & !0xff) as i32,
        ]
    };
    for channel in ["left", "right", "iq"] {
        let mut session = live(LEFT);
        session.board.port.part = part;
        session.must(&Message::Set(&format!("channel={channel}")));
        session.must(&Message::Start);
        session.run_ms(600);
        let live = session.spectra[..3].to_vec();
        assert_eq!(live[0].head.first_sample, 0);
        session.must(&Message::Stop);
        session.spectra.clear();
        let domain = match channel {
            "iq" => Domain::Complex,
            _ => Domain::Real,
        };
        let mut bytes = Vec::new();
        for index in 0..3 * 2048 + 512 {
            let [left, right] = part(index);
            for (sample, name) in [(left, "left"), (right, "right")] {
                if channel == name || channel == "iq" {
                    bytes.extend(sample.to_le_bytes());
                }
            }
        }
        let recording = upload::coded(wire::SampleFormat::I32, domain, bytes);
        upload::upload(&mut session, &recording, None);
        for (live, uploaded) in live.iter().zip(&session.spectra) {
            assert_eq!(live.head.first_sample, uploaded.head.first_sample);
            assert!(live.raw == uploaded.raw, "{channel}");
        }
        assert_eq!(session.spectra.len(), 3);
    }
}

#[test]
fn settings_that_the_input_refuses_leave_the_stream_as_it_was() {
    let mut session = live("n=1024 avg=4 out=u8");
    session.must(&Message::Start);
    session.run_ms(300);
    session.board.port.refuses = Some(PortError::NoPins);
    let sentence = session.refused(&Message::Set("input=i2s"), NakCode::NOT_AVAILABLE);
    assert!(sentence.contains("no pins"), "{sentence}");
    session.spectra.clear();
    session.run_ms(300);
    assert!(!session.spectra.is_empty());
    assert_eq!(session.descriptor.unwrap().source, Source::Generator);

    // Settings that come while the input begins are those that it begins with.
    session.board.port.refuses = None;
    session.must(&Message::Set("input=i2s"));
    let start = session.send(&Message::Start);
    session.run_ms(1);
    session.must(&Message::Set("rate=75000"));
    assert_eq!(session.answer(start).0, Kind::ACK);
    session.run_ms(300);
    assert_eq!(session.descriptor.unwrap().rate, wire::Rate::hz(75_000));
}

/// Lots that lie in place, that begin inside lines or words, that the QPUs fail to do, and that the
/// ARM does: records have the samples of their numbers, and their tone.
#[test]
fn lots_are_read_in_place_where_they_begin_a_line_and_copied_where_not() {
    // Words of 4 bytes: hops of 16 samples are lines.
    let cases = [
        ("overlap=50% avg=4 engine=auto", 1.0),
        ("overlap=50% avg=1000 engine=auto", 1.0),
        // Lots of one block; one of 16 begins a line.
        ("overlap=3 avg=1 engine=auto", 1.0 / 16.0),
        // Lots of 16 blocks and of 4.
        ("overlap=3 avg=20 engine=auto", 0.25),
        ("overlap=50% avg=4 engine=fft", 0.0),
        ("overlap=50% avg=4 engine=cpu", 0.0),
    ];
    for fails_at in [None, Some(3)] {
        for (set, part) in cases {
            let mut session = live(LEFT);
            session.must(&Message::Set(&format!("n=256 rate=300000 {set}")));
            let qpu = session.instrument.hub.analyser.qpu().unwrap();
            (qpu.fails_at, qpu.delay) = (fails_at, 3);
            session.must(&Message::Start);
            session.run_ms(600);
            let hop = if set.contains("50%") { 128 } else { 253 };
            assert!(!session.spectra.is_empty(), "{set}");
            for spectrum in &session.spectra {
                let head = spectrum.head;
                let record = u64::from(head.record) * u64::from(head.blocks) * hop;
                assert_eq!(
                    (head.first_sample, head.counters.overruns),
                    (record, 0),
                    "{set}"
                );
                assert!(
                    (spectrum.levels[8] + 6.02).abs() < 0.02,
                    "{set}: {}",
                    spectrum.levels[8]
                );
            }
            let fallbacks = session.spectra.iter().filter(|it| it.head.fallback).count();
            let qpus_make_powers = set.contains("auto");
            assert!(
                fallbacks <= usize::from(fails_at.is_some() && qpus_make_powers),
                "{set}"
            );
            let qpu = session.instrument.hub.analyser.qpu().unwrap();
            let lots = qpu.in_place + qpu.copied;
            let found = f64::from(qpu.in_place) / f64::from(lots.max(1));
            assert!((found - part).abs() < 0.1, "{set}: {found}");
        }
    }
}
