//! Requests, refusals, typed lines, baud changes.

use super::*;

#[test]
fn hello_is_answered_with_who_it_is() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    let (kind, payload) = session.ask(&Message::Hello("test"));
    let Ok(Message::Info(info)) = Message::decode(kind, &payload) else {
        panic!("not INFO");
    };
    assert_eq!(info.board.as_str(), "Raspberry Pi 1 B+");
    assert_eq!((info.engine, info.baud), (EngineKind::Qpu, START_BAUD));
    assert_eq!(info.reset_cause, ResetCause::Watchdog);
    assert!(info.capabilities.contains("qpu-n=256..4096"));
}

#[test]
fn settings_are_set_and_read_back() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=2048 window=flat-top"));
    let (kind, payload) = session.ask(&Message::Get("n,window"));
    let message = Message::decode(kind, &payload).unwrap();
    assert_eq!(message, Message::Settings("n=2048\nwindow=flat-top\n"));
    let (kind, payload) = session.ask(&Message::Get("all"));
    let Ok(Message::Settings(all)) = Message::decode(kind, &payload) else {
        panic!("not SETTINGS");
    };
    let open = wire::SETTINGS.iter().filter(|it| it.card_only.is_none());
    assert_eq!(all.lines().count(), open.count(), "{all}");
    assert!(all.contains("avg=16"), "{all}");
    let (kind, payload) = session.ask(&Message::Get("capabilities"));
    let Ok(Message::Settings(text)) = Message::decode(kind, &payload) else {
        panic!("not SETTINGS");
    };
    assert!(text.contains(&format!("n=16..{MAX_N}\n")), "{text}");
}

#[test]
fn wrong_settings_are_refused_with_a_sentence_and_change_nothing() {
    let mut session = Session::quiet(None);
    let longest = format!("n={MAX_N}");
    for (set, code, words) in [
        ("n=1000", NakCode::BAD_VALUE, "power of two"),
        ("n=1048576", NakCode::NO_MEMORY, longest.as_str()),
        ("window=none", NakCode::BAD_VALUE, "hann"),
        ("tempo=9", NakCode::UNKNOWN_SETTING, "no such setting"),
    ] {
        let sentence = session.refused(&Message::Set(set), code);
        assert!(sentence.contains(words), "{sentence}");
    }
    session.must(&Message::Set("first=600"));
    let sentence = session.refused(&Message::Start, NakCode::BAD_VALUE);
    assert!(sentence.contains("0 to 512"), "{sentence}");
    session.must(&Message::Set("first=all avg=all"));
    session.refused(&Message::Start, NakCode::WRONG_STATE);
    session.must(&Message::Set("avg=2"));
    session.must(&Message::Start);
}

#[test]
fn stop_is_acknowledged_behind_the_record_under_way() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=8192 out=f32 avg=1"));
    session.must(&Message::Start);
    session.run_ms(400);
    let request = session.send(&Message::Stop);
    session.answer(request);
    let spectra = session.spectra.len();
    assert!(spectra > 0);
    session.run_ms(2000);
    assert_eq!(session.spectra.len(), spectra);
    let frames = session.seen.iter().filter_map(|seen| match seen {
        Seen::Frame(header, _) => Some(*header),
        Seen::Text(_) => None,
    });
    let after = frames.skip_while(|header| header.request != request);
    assert!(
        after
            .into_iter()
            .all(|header| header.kind != Kind::SPECTRUM)
    );
}

#[test]
fn every_stop_is_answered_whatever_follows_it() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=8192 out=f32 avg=1"));
    session.must(&Message::Start);
    session.run_ms(400);
    // All of them while the same record is being sent, which takes a second and a half.
    let first = session.send(&Message::Stop);
    let second = session.send(&Message::Stop);
    let start = session.send(&Message::Start);
    let last = session.send(&Message::Stop);
    for request in [first, second, start, last] {
        session.answer(request);
    }
}

#[test]
fn settings_changed_under_way_begin_a_new_stream() {
    let mut session = Session::quiet(None);
    session.must(&Message::Start);
    session.run_ms(600);
    let before = session.descriptor.unwrap();
    session.must(&Message::Set("n=512"));
    session.spectra.clear();
    session.run_ms(600);
    let after = session.descriptor.unwrap();
    assert_ne!(after.id, before.id);
    assert_eq!(session.spectra.last().unwrap().levels.len(), 257);
}

#[test]
fn unknown_requests_and_bad_payloads_are_refused() {
    let mut session = Session::quiet(None);
    let mut frame = [0; MAX_FRAME];
    for (request, kind, payload, code) in [
        (101, Kind(0x7F), &[][..], NakCode::UNKNOWN_REQUEST),
        (102, Kind::PING, &[1, 2], NakCode::BAD_PAYLOAD),
        (103, Kind::SET, &[9, 0, b'n'], NakCode::BAD_PAYLOAD),
    ] {
        let envelope = Envelope {
            request,
            ..Envelope::default()
        };
        let length = session
            .encoder
            .frame(envelope, kind, payload, &mut frame)
            .unwrap();
        session.send_bytes(&frame[..length]);
        session.refusal(request, code);
    }
    session.ping();
}

#[test]
fn lines_typed_by_hand_are_understood() {
    let mut session = Session::quiet(None);
    let mut type_line = |line: &str| {
        session.seen.clear();
        session.send_bytes(line.as_bytes());
        session.run_ms(300);
        session.text()
    };
    assert!(type_line("help\r").contains("commands: help info get"));
    assert!(type_line("info\r\n").contains("Raspberry Pi 1 B+"));
    assert!(type_line("get n\n").contains("n=1024"));
    assert!(type_line("n=1000\r").contains("power of two"));
    assert!(type_line("n=256 out=text avg=64\r").contains("ok"));
    let lines = type_line("start\r");
    assert!(
        lines.contains("cpu, 64 blocks: [6400.000 Hz -6.02 dBFS] ["),
        "{lines}"
    );
    assert!(type_line("stop\r").contains("ok"));
    assert!(type_line("nonsense\r").contains("type help"));
    session.ping();
}

#[test]
fn a_typed_line_is_taken_whole_as_it_was_corrected_or_not_at_all() {
    let mut session = Session::quiet(None);
    let mut type_line = |line: &str| {
        session.seen.clear();
        session.send_bytes(line.as_bytes());
        session.run_ms(600);
        session.text()
    };
    let refused = type_line(&format!("{} n=64\r", "n=2048 ".repeat(100)));
    assert_eq!(refused.matches("255 characters").count(), 1, "{refused}");
    assert!(type_line("get n\r").contains("n=1024"));
    assert!(type_line(&format!("n=512{}\r", " ".repeat(250))).contains("ok"));
    for line in ["n=51\x083\x7f\x7f256\r", "\x08\x08get n\r"] {
        assert!(!type_line(line).is_empty());
    }
    assert!(type_line("get n\r").contains("n=256"));
    assert!(type_line("get m\r").contains("no such setting"));
}

#[test]
fn a_stream_goes_on_when_new_settings_are_refused() {
    let mut session = Session::quiet(None);
    session.must(&Message::Start);
    for words in ["first=600", "bins=514", "avg=all", "n=64 overlap=64", "n=3"] {
        session.send(&Message::Set(words));
        session.run_ms(100);
        session.spectra.clear();
        session.run_ms(1000);
        let spectrum = session.spectra.last().expect("the stream goes on");
        assert_eq!(spectrum.levels.len(), 513, "{words}");
    }
}

#[test]
fn a_stray_key_does_not_swallow_what_is_typed_after_it() {
    let mut session = Session::quiet(None);
    // An arrow key, and noise as of a plug.
    for stray in [&b"\x1b[A"[..], b"\xff\xfe"] {
        session.send_bytes(stray);
        session.run_ms(1200);
        session.seen.clear();
        session.send_bytes(b"get n\r");
        session.run_ms(300);
        assert!(session.text().contains("n=1024"), "{}", session.text());
    }
}

#[test]
fn a_baud_change_is_confirmed_by_any_frame() {
    let mut session = Session::quiet(None);
    session.must(&Message::Baud(1_000_000));
    session.run_ms(100);
    session.board.host_baud = 1_000_000;
    session.ping();
    session.run_ms(2000);
    session.ping();
    assert_eq!(session.board.baud, 1_000_000);
}

/// A host that has heard no answer sends its request again.
#[test]
fn a_baud_change_is_not_confirmed_by_what_was_sent_at_the_old_rate() {
    // A board that is late acknowledges the first before, while and after the second copy ends.
    for late_us in (0..2_000).step_by(40) {
        let mut session = Session::quiet(None);
        let frame = session.encode(900, &Message::Baud(1_000_000));
        session.send_bytes(&frame);
        let late_ns = session.host_free_ns + late_us * 1000;
        session.send_bytes(&frame);
        session.board.now_ns = late_ns;
        session.run_ms(100);
        assert_eq!(session.board.baud, 1_000_000, "{late_us} us");
        session.run_ms(900);
        assert_eq!(session.board.baud, START_BAUD, "{late_us} us");
        session.ping();
        session.must(&Message::Baud(1_000_000));
        session.run_ms(100);
        session.board.host_baud = 1_000_000;
        session.ping();
        session.run_ms(1000);
        assert_eq!(session.board.baud, 1_000_000);
    }
}

#[test]
fn rates_that_are_too_slow_for_the_watchdog_are_refused() {
    let mut session = Session::quiet(None);
    let sentence = session.refused(&Message::Baud(LOWEST_BAUD - 1), NakCode::BAUD);
    assert!(sentence.contains("9600"), "{sentence}");
    assert_eq!(session.board.baud, START_BAUD);
}

#[test]
fn a_baud_change_that_nobody_confirms_is_taken_back() {
    let mut session = Session::quiet(None);
    session.must(&Message::Baud(1_000_000));
    session.run_ms(100);
    assert_eq!(session.board.baud, 1_000_000);
    session.run_ms(500);
    assert_eq!(session.board.baud, START_BAUD);
    session.ping();
    assert!(session.text().contains("back at the old one"));
    let sentence = session.refused(&Message::Baud(5_000_000), NakCode::BAUD);
    assert!(sentence.contains("9600 to 3000000"), "{sentence}");
}

#[test]
fn a_new_host_at_the_first_rate_finds_a_board_left_at_another() {
    let mut session = Session::quiet(None);
    session.must(&Message::Baud(1_000_000));
    session.run_ms(100);
    session.board.host_baud = 1_000_000;
    session.ping();
    session.board.host_baud = START_BAUD;
    for _ in 0..40 {
        session.send(&Message::Hello("a new host"));
        session.run_ms(100);
    }
    assert_eq!(session.board.baud, START_BAUD);
    session.ping();
}

#[test]
fn a_glitch_now_and_then_leaves_a_host_that_only_listens_its_rate() {
    let mut session = Session::quiet(None);
    session.must(&Message::Baud(1_000_000));
    session.run_ms(100);
    session.board.host_baud = 1_000_000;
    session.ping();
    for _ in 0..60 {
        session.send_bytes(&[0xfe; 10]);
        session.run_ms(5_000);
    }
    assert_eq!(session.board.baud, 1_000_000);
    session.ping();
}

#[test]
fn a_long_frame_that_comes_damaged_leaves_the_line_its_rate() {
    let mut session = Session::quiet(None);
    session.must(&Message::Baud(1_000_000));
    session.run_ms(100);
    session.board.host_baud = 1_000_000;
    session.ping();
    for _ in 0..3 {
        let mut frame = [0xfe; 1100];
        frame[1099] = 0;
        session.send_bytes(&frame);
        // A host sends again when nothing has moved for two seconds.
        session.run_ms(2_100);
        session.ping();
    }
    assert_eq!(session.board.baud, 1_000_000);
}

#[test]
fn reboot_is_acknowledged_before_it_happens() {
    let mut session = Session::quiet(None);
    session.must(&Message::Reboot);
    session.run_ms(100);
    assert_eq!(session.board.reboots.len(), 1);
    assert_eq!(session.board.stages.last(), Some(&Stage::Reboot));
}

#[test]
fn logs_travel_as_frames() {
    let mut session = Session::quiet(None);
    session.ping();
    session.board.log.extend(b"defmt bytes");
    session.run_ms(1500);
    let logs = session.seen.iter().filter_map(|seen| match seen {
        Seen::Frame(header, payload) if header.kind == Kind::LOG => Some(payload.clone()),
        _ => None,
    });
    assert_eq!(logs.collect::<Vec<_>>(), [b"defmt bytes".to_vec()]);
}

#[test]
fn an_idle_board_that_knows_a_host_sends_a_heartbeat() {
    let mut session = Session::quiet(None);
    session.ping();
    session.run_ms(5000);
    let beats = session
        .seen
        .iter()
        .filter(|seen| matches!(seen, Seen::Frame(header, _) if header.kind == Kind::STATUS));
    assert!((4..=6).contains(&beats.count()));
}
