//! Microbenchmarks that a host asks for.

use super::*;
use qpu_programs::microbench::LIST;
use wire::Measured;

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
