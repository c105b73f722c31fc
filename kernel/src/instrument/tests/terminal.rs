//! A person at a terminal: text only where text was asked for, and spectra drawn as text.

use super::*;

/// The text that comes while this is typed and for a time behind it.
fn typed(session: &mut Session, line: &str, ms: u64) -> String {
    session.seen.clear();
    session.send_bytes(line.as_bytes());
    session.run_ms(ms);
    session.text()
}

fn assert_text_only(session: &Session) {
    let frame = session.seen.iter().find_map(|seen| match seen {
        Seen::Frame(header, _) => Some(header.kind),
        Seen::Text(_) => None,
    });
    assert_eq!(frame, None, "no frame in {}", session.text());
}

#[test]
fn with_out_text_in_cmdline_txt_no_frame_is_sent_before_a_host_speaks() {
    let mut session = Session::start("out=text avg=4", Some(FakeQpu::default()));
    session.board.log.extend(b"log");
    session.run_ms(3000);
    assert!(session.text().contains("dBFS]"), "{}", session.text());
    assert_text_only(&session);
    // An arrow key's bytes are no line, and a person reads the answer.
    let text = typed(&mut session, "\x1b[A", 3000);
    assert!(text.contains("no intact frame"), "{text}");
    assert_text_only(&session);
    session.ping();
    session.must(&Message::Start);
    session.run_ms(1500);
    assert!(session.descriptor.is_some(), "a host gets its descriptor");
}

#[test]
fn with_out_text_typed_no_frame_is_sent_whatever_came_before() {
    let mut session = Session::start("n=16384 out=f32 avg=1", Some(FakeQpu::default()));
    session.run_ms(1000);
    session.ping();
    session.must(&Message::Start);
    // In the middle of a record that takes three seconds.
    session.run_ms(1000);
    typed(&mut session, "out=text avg=16\r", 500);
    for line in [
        "start\r", "info\r", "get\r", "plot\r", "stop\r", "\x1b[A", "n=3\r",
    ] {
        session.board.log.extend(b"log");
        typed(&mut session, line, 2000);
        assert_text_only(&session);
    }
    session.ping();
    session.run_ms(1500);
    let status =
        |seen: &Seen| matches!(seen, Seen::Frame(header, _) if header.kind == Kind::STATUS);
    assert!(session.seen.iter().any(status), "a host gets its status");
}

#[test]
fn a_failure_of_the_qpus_is_said_to_a_person_in_text() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    let qpu = session.instrument.hub.analyser.qpu();
    qpu.unwrap().failures = 1;
    typed(&mut session, "out=text\r", 100);
    let text = typed(&mut session, "start\r", 1500);
    assert!(text.contains("did not end in time"), "{text}");
    assert_text_only(&session);
}

#[test]
fn a_terminal_gets_records_with_their_descriptor_where_it_asks_for_them() {
    let mut session = Session::quiet(None);
    typed(&mut session, "start\r", 2000);
    assert!(session.spectra.len() > 5);
    typed(&mut session, "stop\r", 1000);
    session.board.log.extend(b"log");
    session.seen.clear();
    session.run_ms(5000);
    assert_text_only(&session);
}

/// The drawing in a text: its lines, from the title on.
fn drawing(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .skip_while(|line| !line.contains("greatest bins"));
    lines.take(20).map(str::to_owned).collect()
}

fn assert_is_drawing(text: &str) {
    let lines = drawing(text);
    assert_eq!(lines.len(), 20, "{text}");
    assert!(lines.iter().all(|line| line.len() <= 79), "{text}");
    assert!(lines[0].starts_with("spectrum "), "{text}");
    assert!(lines[18].ends_with("+-------------"), "{text}");
    assert!(lines[19].ends_with(" kHz"), "{text}");
    // The generator's line of -6.02 dBFS at 6.4 kHz is the only one that reaches the first row.
    assert_eq!(lines[1].rfind('#'), Some(7 + 17), "{text}");
    assert_eq!(lines[1].matches('#').count(), 1, "{text}");
}

#[test]
fn plot_draws_the_generator_in_any_state() {
    let mut session = Session::start("", Some(FakeQpu::default()));
    session.run_ms(1000);
    // The stream that nobody asked for ends with the first key; its last record is drawn.
    assert_is_drawing(&typed(&mut session, "plot\r", 1000));
    let setup = typed(&mut session, "out=text avg=16\r", 100);
    assert!(setup.contains("ok"), "{setup}");
    let streaming = typed(&mut session, "start\rplot\r", 1000);
    assert_is_drawing(&streaming);
    assert_text_only(&session);
    assert_is_drawing(&typed(&mut session, "stop\rplot\r", 1000));
    // Asked for behind a text that leaves it no room.
    let text = typed(&mut session, "help\rinfo\rget\rplot\r", 2000);
    assert_is_drawing(&text);
    assert!(
        text.contains("start=1") && text.contains("commands: "),
        "{text}"
    );
    session.ping();
}

#[test]
fn plot_says_when_there_is_nothing_to_draw() {
    let mut session = Session::quiet(None);
    let text = typed(&mut session, "plot\r", 500);
    assert!(text.contains("no spectrum yet; type start"), "{text}");
    // A drawing that waits for its record is given up with the stream.
    typed(&mut session, "avg=100000\r", 100);
    let text = typed(&mut session, "start\rplot\rstop\r", 1000);
    assert!(text.contains("no spectrum yet; type start"), "{text}");
    let text = typed(&mut session, "avg=1\rstart\r", 1000);
    assert!(!text.contains("greatest bins"), "{text}");
}
