//! The summary that is typed for, and the microbenchmarks that a host asks for.

use super::*;
use qpu_programs::microbench::LIST;
use wire::Measured;

#[test]
fn a_typed_report_has_a_line_for_each_microbenchmark() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    session.send_bytes(b"report\r\n");
    session.run_ms(3000);
    let text = session.text();
    for line in [
        "report: qpuscope 0.1.0, Raspberry Pi 1 B+",
        "report: clock-v3d=0,0\r\n",
        "report: boot=0,0,0,0\r\n",
        "report: launch-1: 10.000 clocks\r\n",
        "report: reservations: 12 of 12 QPUs as told\r\n",
        "report: stack-left=131072\r\n",
        "report: recovery: way 2, 0 us, the next program ran\r\n",
        "report: done",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    assert_eq!(text.matches(" clocks\r\n").count(), LIST.len() - 2);
}

#[test]
fn any_byte_ends_the_report_and_a_board_without_qpus_says_so() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    session.send_bytes(b"report\r");
    while session.instrument.hub.selftest.report.is_none() {
        session.step();
    }
    session.send_bytes(b"x");
    session.board.now_ns += 1_000_000;
    session.run_ms(3000);
    assert!(session.text().contains("report: stopped"));
    let mut session = Session::quiet(None);
    session.send_bytes(b"report\r");
    session.run_ms(1000);
    let text = session.text();
    assert!(
        text.contains(
            "report: launch-1: there are no QPUs\r\nreport: stack-left=131072\r\nreport: done"
        ),
        "{text}"
    );
}

#[test]
fn microbenchmarks_have_numbers() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    let last = LIST.len() as u8 - 1;
    let request = session.send(&Message::Measure(last));
    session.run_ms(100);
    let (kind, payload) = session.answer(request);
    let Ok(Message::Measured(measured)) = Message::decode(kind, &payload) else {
        panic!("{kind:?}");
    };
    let Measured {
        number, of, name, ..
    } = measured;
    assert_eq!((number, of, name), (last, last + 1, "recovery"));
    assert_eq!(measured.words().collect::<Vec<_>>(), [2, 1, 10_000]);
    let request = session.send(&Message::Measure(last + 1));
    session.run_ms(100);
    assert_eq!(session.answer(request).0, Kind::NAK);
    session.send(&Message::Start);
    session.run_ms(100);
    let request = session.send(&Message::Measure(0));
    session.run_ms(1000);
    assert_eq!(session.answer(request).0, Kind::NAK, "it streams");
}
