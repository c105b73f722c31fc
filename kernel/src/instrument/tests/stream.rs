//! The generator's stream: what a card shows with nothing but a serial cable.

use super::*;

fn loudest(levels: &[f64]) -> usize {
    (0..levels.len())
        .max_by(|a, b| levels[*a].total_cmp(&levels[*b]))
        .unwrap()
}

#[test]
fn unasked_it_says_who_it_is_and_streams_the_generator() {
    let mut session = Session::start("", Some(FakeQpu::default()));
    session.run_ms(3000);
    let text = session.text();
    for words in [
        "qpuscope 0.1.0",
        "Raspberry Pi 1 B+, revision 000010, 448 MiB",
        "ARM 700 MHz, core 250 MHz, V3D 250 MHz, UART 48000 kHz",
        "last start: watchdog, last stage qpu_wait",
        "engine: qpu for n=256 to 4096",
        "self-test: cpu ok",
        "self-test: qpu n=1024 real f32 x 16, fastest plan: ok",
        "type help",
        "[6400.000 Hz -6.02 dBFS]",
    ] {
        assert!(text.contains(words), "{words:?} is not in {text}");
    }
    let descriptor = session.descriptor.unwrap();
    assert_eq!((descriptor.n, descriptor.bins), (1024, 513));
    assert_eq!(descriptor.rate.to_hz(), 51_200.0);
    assert_eq!(descriptor.overlap, 512);
    assert!(session.spectra.len() >= 15, "{}", session.spectra.len());
    for (number, spectrum) in session.spectra.iter().enumerate() {
        assert_eq!(spectrum.head.record as usize, number, "nothing was dropped");
        assert_eq!(spectrum.head.engine, EngineKind::Qpu);
        assert_eq!((spectrum.head.blocks, spectrum.levels.len()), (16, 513));
        assert_eq!(spectrum.head.counters.qpu_us, 16 * 7);
        assert_eq!(loudest(&spectrum.levels), 128);
        assert!((spectrum.levels[128] + 6.02).abs() < 0.006);
        let off_bin = spectrum.levels[250];
        assert!((-28.0..-26.0).contains(&off_bin), "{off_bin}");
        assert!(spectrum.levels[400] < -90.0);
    }
    // Within a second of listening, a listener knows how to read.
    for pair in session.descriptors.windows(2) {
        assert!(pair[1].0 - pair[0].0 < 1_200_000);
    }
}

#[test]
fn the_first_spectrum_ends_within_half_a_second_of_the_start() {
    let mut session = Session::start("", None);
    session.run_ms(500);
    assert!(!session.spectra.is_empty());
}

#[test]
fn without_v3d_it_says_so_in_banner_and_record() {
    let mut session = Session::start("", None);
    session.run_ms(500);
    assert!(session.text().contains("engine: cpu (V3D not found"));
    assert!(
        session
            .spectra
            .iter()
            .all(|spectrum| { spectrum.head.engine == EngineKind::Cpu && !spectrum.head.fallback })
    );
    assert_eq!(session.descriptor.unwrap().engine, EngineKind::Cpu);
}

#[test]
fn any_byte_ends_the_unasked_stream() {
    for byte in [b'x', 0, 0xFF, b'\n'] {
        let mut session = Session::start("", None);
        session.run_ms(700);
        session.send_bytes(&[byte]);
        session.run_ms(300);
        let spectra = session.spectra.len();
        session.run_ms(3000);
        assert_eq!(session.spectra.len(), spectra, "after {byte:#x}");
        assert!(session.text().contains("stream stopped; type help"));
        session.ping();
    }
}

#[test]
fn a_host_that_ends_the_stream_needs_no_hint() {
    let mut session = Session::start("", None);
    session.run_ms(700);
    session.ping();
    session.run_ms(1000);
    assert!(!session.text().contains("stream stopped"));
}

#[test]
fn start_0_keeps_it_quiet() {
    let mut session = Session::start("start=0", None);
    session.board.log.extend(b"log");
    session.run_ms(200);
    let before = session.seen.len();
    let sleeps = session.board.sleeps;
    session.run_ms(3_600_000);
    assert_eq!(session.seen.len(), before);
    assert!(
        session
            .seen
            .iter()
            .all(|seen| matches!(seen, Seen::Text(_)))
    );
    // An idle hour is a wake-up a second.
    assert!(session.board.sleeps - sleeps < 3700);
    session.ping();
}

#[test]
fn what_the_line_cannot_carry_is_dropped_whole_and_counted() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("avg=1 n=1024"));
    session.must(&Message::Start);
    session.run_ms(3000);
    let last = session.spectra.last().unwrap().head;
    let sent = session.spectra.len() as u32;
    assert!(last.counters.dropped > 100);
    assert_eq!(last.record + 1, sent + last.counters.dropped);
    assert!(session.spectra.iter().all(|s| s.levels.len() == 513));
}

#[test]
fn the_spectra_do_not_depend_on_how_fast_the_board_is() {
    let mut fast = Session::start("avg=64 n=256", None);
    fast.run_ms(1500);
    let mut slow = Session::start("avg=64 n=256", None);
    for _ in 0..2000 {
        slow.step();
        // A machine on which everything takes long.
        slow.board.now_ns += 3_000_000;
    }
    let mut compared = 0;
    for spectrum in &fast.spectra {
        let same = |other: &&Spectrum| other.head.record == spectrum.head.record;
        if let Some(other) = slow.spectra.iter().find(same) {
            assert_eq!(other.raw, spectrum.raw);
            assert_eq!(other.head.first_sample, spectrum.head.first_sample);
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn encodings_agree() {
    let mut session = Session::quiet(None);
    let mut first = Vec::new();
    for out in ["out=f32", "out=u16", "out=u8"] {
        session.must(&Message::Set(out));
        session.spectra.clear();
        session.must(&Message::Start);
        session.run_ms(2000);
        session.must(&Message::Stop);
        first.push(session.spectra[0].clone());
    }
    let tolerances = [0.0, 0.0051, 0.2501];
    for (spectrum, tolerance) in first.iter().zip(tolerances) {
        assert_eq!(spectrum.head.first_sample, 0);
        let mut clamped = 0;
        for (level, exact) in spectrum.levels.iter().zip(&first[0].levels) {
            if tolerance > 0.2 && *exact < -120.25 {
                clamped += 1;
            } else {
                assert!((level - exact).abs() <= tolerance, "{level} {exact}");
            }
        }
        assert_eq!(spectrum.head.counters.clamped, clamped);
    }
}

#[test]
fn complex_spectra_are_cropped_in_order_of_frequency() {
    let mut session = Session::quiet(None);
    let set = "domain=complex n=256 first=-40 bins=80 centre=1000000 out=u16";
    session.must(&Message::Set(set));
    session.must(&Message::Start);
    session.run_ms(500);
    let descriptor = session.descriptor.unwrap();
    assert_eq!((descriptor.first_bin, descriptor.bins), (-40, 80));
    let spectrum = &session.spectra[0];
    let peak = loudest(&spectrum.levels);
    assert_eq!(peak, 40 + 32);
    assert_eq!(descriptor.frequency_hz(peak as u32), 1_006_400.0);
    assert!((spectrum.levels[peak] + 6.02).abs() < 0.006);
}

#[test]
fn long_spectra_travel_in_chunks() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=16384 avg=1 out=f32"));
    session.must(&Message::Start);
    session.run_ms(4000);
    let spectrum = &session.spectra[0];
    assert_eq!(spectrum.levels.len(), 8193);
    assert!((spectrum.levels[2048] + 6.02).abs() < 0.01);
    let chunks = session
        .seen
        .iter()
        .filter(|seen| matches!(seen, Seen::Frame(header, _) if header.kind == Kind::SPECTRUM));
    assert!(chunks.count() >= 9);
}

#[test]
fn a_full_line_still_lets_answers_through() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("avg=1 out=f32"));
    session.must(&Message::Start);
    session.run_ms(2000);
    for _ in 0..10 {
        let start_ns = session.board.now_ns;
        session.ping();
        // At most what is queued, a chunk, and the ping's own way.
        assert!(session.board.now_ns - start_ns < 600_000_000);
        session.run_ms(70);
    }
    // And the line is never idle: 513 bins take 0.19 s.
    let records = session.spectra.len();
    session.run_ms(5000);
    assert!(session.spectra.len() - records >= 25);
}
