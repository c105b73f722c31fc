//! The QPU self-test that `cmdline.txt` asks for.

use super::*;

fn session(cmdline: &str, qpu: Option<FakeQpu>) -> (Session, String) {
    let mut session = Session::start(cmdline, qpu);
    session.run_ms(700);
    let text = session.text();
    (session, text)
}

#[test]
fn every_qpu_has_its_line_and_then_the_generator_starts() {
    let (session, text) = session("qputest=3", Some(FakeQpu::default()));
    for qpu in 0..12 {
        assert!(
            text.contains(&format!("qpu test: qpu {qpu} ok\r\n")),
            "{text}"
        );
    }
    assert!(
        text.contains("qpu test: all together ok\r\nqpu test: passed"),
        "{text}"
    );
    assert_eq!(session.spectra[0].head.engine, EngineKind::Qpu);
}

#[test]
fn nobody_asks_for_it_and_it_does_not_run() {
    let (_, text) = session("", Some(FakeQpu::default()));
    assert!(!text.contains("qpu test"), "{text}");
}

#[test]
fn a_qpu_that_computes_wrongly_is_named_and_no_qpu_is_used() {
    let bad = QpuSet::only(5).with(QpuSet::only(11));
    let qpu = FakeQpu {
        bad,
        ..FakeQpu::default()
    };
    let (session, text) = session("qputest=3", Some(qpu));
    for line in [
        "qpu test: qpu 4 ok",
        "qpu test: qpu 5 FAILED in round 1: its results are wrong",
        "qpu test: qpu 6 ok",
        "qpu test: qpu 11 FAILED in round 1",
        "qpu test: all together FAILED in round 1: wrong results, of qpu 5 11\r\n",
        "qpu test: FAILED; engine: cpu",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    assert_eq!(session.spectra[0].head.engine, EngineKind::Cpu);
}

#[test]
fn a_qpu_that_does_not_end_is_named() {
    let qpu = FakeQpu {
        hung: QpuSet::only(7),
        ..FakeQpu::default()
    };
    let (_, text) = session("qputest=1 start=0", Some(qpu));
    let line = "qpu test: qpu 7 FAILED in round 1: it did not end in time";
    assert!(text.contains(line), "{text}");
    assert!(text.contains("qpu test: qpu 8 ok"), "{text}");
}

#[test]
fn a_byte_ends_it() {
    let mut session = Session::start("qputest=1000000", Some(FakeQpu::default()));
    for _ in 0..100 {
        session.step();
    }
    session.send_bytes(b"\r");
    // The board is busy; its clock goes on by itself only.
    session.board.now_ns += 10_000_000;
    session.run_ms(100);
    let text = session.text();
    assert!(text.contains("qpu test: stopped"), "{text}");
    assert!(!text.contains("qpu 0 ok"), "{text}");
}

#[test]
fn a_board_without_qpus_says_so_once() {
    let (session, text) = session("qputest=5", None);
    let line = "qpu test: qpu 0 FAILED in round 1: there are no QPUs";
    assert_eq!(text.matches(line).count(), 1, "{text}");
    assert_eq!(text.matches("in round").count(), 1, "{text}");
    assert_eq!(session.spectra[0].head.engine, EngineKind::Cpu);
}
