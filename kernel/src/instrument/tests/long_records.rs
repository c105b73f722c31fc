//! Records of many blocks, and averages over records.

use super::*;
use wire::{Averaging, Detector};

/// The time from a request to its answer.
fn answer_ms(session: &mut Session, message: &Message) -> u64 {
    let start_ns = session.board.now_ns;
    let (kind, payload) = session.ask(message);
    let answer = Message::decode(kind, &payload);
    assert!(
        !matches!(answer, Ok(Message::Nak(..)) | Err(_)),
        "{answer:?}"
    );
    (session.board.now_ns - start_ns) / 1_000_000
}

#[test]
fn a_record_of_2_to_the_20_blocks_under_way_holds_nothing_up() {
    for qpu in [Some(FakeQpu::default()), None] {
        let mut session = Session::quiet(qpu);
        let set = "n=256 overlap=0 avg=1048576 detector=mean+max exp=8";
        session.must(&Message::Set(set));
        session.must(&Message::Start);
        for _ in 0..5 {
            session.run_ms(700);
            for request in [
                Message::Ping(1),
                Message::Get("avg"),
                Message::Hello("test"),
            ] {
                let ms = answer_ms(&mut session, &request);
                assert!(ms < 100, "{request:?}: {ms} ms");
            }
        }
        assert!(session.spectra.is_empty());
        let descriptor = session.descriptor.unwrap();
        assert_eq!(descriptor.average_count, 1 << 20);
        assert_eq!(descriptor.averaging, Averaging::Exponential);
        assert_eq!(
            (descriptor.exponential, descriptor.detector),
            (8, Detector::MeanMax)
        );
        // A listener that comes now knows within a second that there is a stream, and what of.
        for pair in session.descriptors.windows(2) {
            assert!(pair[1].0 - pair[0].0 < 1_200_000);
        }
        // Other settings begin another record, at once.
        let ms = answer_ms(&mut session, &Message::Set("avg=4 exp=0"));
        assert!(ms < 100, "{ms} ms");
        session.run_ms(500);
        let head = session.spectra.first().expect("a record").head;
        assert_eq!((head.record, head.blocks), (0, 4));
        session.must(&Message::Set("avg=1048576"));
        session.run_ms(500);
        let ms = answer_ms(&mut session, &Message::Stop);
        assert!(ms < 400, "{ms} ms");
        assert!(
            session
                .spectra
                .iter()
                .all(|spectrum| spectrum.head.blocks == 4)
        );
    }
}

#[test]
fn a_record_of_many_lots_comes_when_its_last_block_is_done() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    // The generator brings 200 blocks of 256 samples a second.
    session.must(&Message::Set("n=256 overlap=0 avg=1000 detector=mean+max"));
    session.must(&Message::Start);
    session.run_ms(4_900);
    assert!(session.spectra.is_empty());
    session.run_ms(5_300);
    let [first, second] = &session.spectra[..] else {
        panic!("{} records", session.spectra.len());
    };
    for (spectrum, number) in [(first, 0), (second, 1)] {
        let head = spectrum.head;
        assert_eq!((head.record, head.blocks), (number, 1000));
        assert_eq!(head.first_sample, u64::from(number) * 256_000);
        assert_eq!(head.counters.qpu_us, 7 * 1000);
        assert_eq!((head.total, spectrum.levels.len()), (2 * 129, 2 * 129));
        // The tone on a bin is the same in each block.
        let (mean, max) = spectrum.levels.split_at(129);
        assert!((mean[32] + 6.02).abs() < 0.006 && (max[32] + 6.02).abs() < 0.006);
        assert!(mean.iter().zip(max).all(|(mean, max)| mean <= max));
    }
}

/// Linear powers of the records that have come, by number.
fn powers(session: &Session) -> Vec<(u32, Vec<f64>)> {
    let power = |level: &f64| 10_f64.powf(level / 10.0);
    let of = |spectrum: &Spectrum| {
        (
            spectrum.head.record,
            spectrum.levels.iter().map(power).collect(),
        )
    };
    session.spectra.iter().map(of).collect()
}

/// The records of so many seconds.
fn streamed(mut session: Session, set: &str, seconds: u64) -> Session {
    session.must(&Message::Set(set));
    session.must(&Message::Start);
    session.run_ms(1000 * seconds);
    session
}

#[test]
fn an_exponential_average_is_that_of_the_records_and_of_those_that_were_dropped() {
    // Few bins for a line that carries all records.
    const SET: &str = "n=256 avg=16 out=f32 detector=mean+max first=30 bins=20";
    const RECORDS: f64 = 5.0;
    let qpu = || Some(FakeQpu::default());
    let plain = streamed(Session::quiet(qpu()), SET, 2);
    let averaged = format!("{SET} exp=5");
    let smooth = streamed(Session::quiet(qpu()), &averaged, 2);
    let [plain, smooth] = [powers(&plain), powers(&smooth)];
    assert!(
        smooth.len().min(plain.len()) > 40,
        "{}, {}",
        smooth.len(),
        plain.len()
    );
    let mut average = vec![0.0; 20];
    for (number, ((_, plain), (record, got))) in plain.iter().zip(&smooth).enumerate() {
        assert_eq!(*record as usize, number, "nothing is dropped");
        let part = 1.0 / RECORDS.min(number as f64 + 1.0);
        for (average, plain) in average.iter_mut().zip(plain) {
            *average += part * (plain - *average);
        }
        for (bin, (got, wanted)) in got.iter().zip(&average).enumerate() {
            let error = (got / wanted - 1.0).abs();
            assert!(
                error < 1e-5,
                "record {number}, bin {bin}: {got}, not {wanted}"
            );
        }
        // The greatest are of the record alone.
        assert_eq!(got[20..], plain[20..], "record {number}");
    }
    let slow = streamed(
        Session::quiet(qpu()),
        &format!("{averaged} first=all bins=0"),
        2,
    );
    let dropped = slow.spectra.last().unwrap().head.counters.dropped;
    assert!(dropped > 20, "{dropped} dropped");
    let mut compared = 0;
    for (record, got) in powers(&slow) {
        if let Some((_, wanted)) = smooth.get(record as usize) {
            assert_eq!(got[30..50], wanted[..20], "record {record}");
            compared += 1;
        }
    }
    assert!(compared > 5, "{compared}");
}

#[test]
fn an_average_over_records_begins_anew_with_each_start() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=256 avg=4 out=f32 exp=1000"));
    let mut firsts = vec![];
    for _ in 0..2 {
        session.spectra.clear();
        session.must(&Message::Start);
        session.run_ms(300);
        session.must(&Message::Stop);
        firsts.push(session.spectra[0].raw.clone());
    }
    assert_eq!(firsts[0], firsts[1]);
}

#[test]
fn both_traces_are_said_and_drawn_as_text() {
    let mut session = Session::start("start=0", Some(FakeQpu::default()));
    session.run_ms(200);
    session.send_bytes(b"n=256 detector=mean+max out=text\rstart\r");
    session.run_ms(1000);
    let text = session.text();
    assert!(
        text.contains(", qpu, 16 blocks: [6400.000 Hz -6.02 dBFS] "),
        "{text}"
    );
    assert!(
        text.contains(", qpu, max of 16 blocks: [6400.000 Hz -6.02 dBFS] "),
        "{text}"
    );
    session.send_bytes(b"plot\r");
    session.run_ms(500);
    let text = session.text();
    let rows: Vec<_> = text.lines().filter(|line| line.contains(" |")).collect();
    // Noise is higher in the greatest than in the mean.
    assert!(rows.iter().any(|row| row.contains('.')), "{text}");
}
