//! Blocks under way on the QPUs while others are begun and finished.

use super::upload::{compare, record, upload};
use super::*;
use reference_fft::Complex as Peer;
use wire::{Fault, SampleFormat};

/// Questions after which powers are there. A step of the instrument asks once, so that samples of
/// the next blocks come before.
const DELAYS: [u32; 3] = [0, 7, 40];

/// The records of an upload of 20,000 samples in a session with these settings.
fn records(qpu: FakeQpu, set: &str, format: SampleFormat) -> (Session, upload::Recording) {
    let mut session = Session::quiet(Some(qpu));
    session.board.host_baud = 3_000_000;
    session.board.baud = 3_000_000;
    session.must(&Message::Set(set));
    let mut noise = upload::noise();
    let recording = record(format, Domain::Real, 20_000, |_| {
        Peer::new(0.3 * noise(), 0.0)
    });
    let (kind, _) = upload(&mut session, &recording, None);
    assert_eq!(kind, Kind::ACK, "{set}");
    (session, recording)
}

fn delayed(delay: u32) -> FakeQpu {
    FakeQpu {
        delay,
        is_twofold: true,
        ..FakeQpu::default()
    }
}

#[test]
fn records_are_the_same_however_long_the_qpus_take() {
    for (set, format) in [
        ("n=1024 avg=5 out=f32", SampleFormat::I16),
        ("n=256 avg=2 overlap=75%", SampleFormat::I16),
        ("n=1024 avg=all detector=max dc=remove", SampleFormat::F32),
        // Blocks that begin inside words are done one lot at a time.
        ("n=256 avg=3 overlap=1", SampleFormat::U8),
    ] {
        let mut most = 0;
        let [first, others @ ..] = DELAYS.map(|delay| {
            let (mut session, recording) = records(delayed(delay), set, format);
            compare(&session, &recording);
            let qpu = session.instrument.hub.analyser.qpu().unwrap();
            most = most.max(qpu.most_started);
            let timeless = |head: RecordHead| RecordHead {
                counters: Default::default(),
                ..head
            };
            let records = session.spectra.into_iter();
            let records = records.map(|it| (timeless(it.head), it.raw));
            records.collect::<Vec<_>>()
        });
        assert!(first.len() > 1 || set.contains("avg=all"));
        assert!(others.iter().all(|other| *other == first), "{set}");
        let overlaps = format == SampleFormat::I16;
        assert_eq!(most > 1, overlaps, "{set}: {most} at a time");
    }
}

#[test]
fn what_was_begun_behind_a_failure_is_begun_again() {
    for delay in DELAYS {
        let qpu = FakeQpu {
            fails_at: Some(9),
            ..delayed(delay)
        };
        let set = "n=256 avg=2 overlap=75%";
        let (session, recording) = records(qpu, set, SampleFormat::I16);
        compare(&session, &recording);
        let heads = session.spectra.iter().map(|spectrum| spectrum.head);
        let fallbacks = heads.clone().filter(|head| head.fallback).count();
        assert_eq!(fallbacks, 1, "after {delay} questions");
        let firsts = heads.map(|head| head.first_sample);
        assert!(firsts.eq((0..session.spectra.len() as u64).map(|n| 128 * n)));
        assert_eq!(session.spectra.len(), 155);
        assert_eq!(trust::faults(&session, Fault::V3D_FAILED).len(), 1);
    }
}

#[test]
fn what_was_begun_behind_a_check_that_fails_is_begun_again_with_another_plan() {
    for delay in DELAYS {
        let qpu = FakeQpu {
            wrong: Some(1e3),
            wrong_in: Some(Manner::Fastest),
            right: 40,
            ..delayed(delay)
        };
        let set = "n=256 avg=2 overlap=75%";
        let (mut session, recording) = records(qpu, set, SampleFormat::I16);
        let heads = session.spectra.iter().map(|spectrum| spectrum.head);
        let firsts = heads.map(|head| head.first_sample);
        assert!(firsts.eq((0..session.spectra.len() as u64).map(|n| 128 * n)));
        // That of what is left at the end may be dropped, too.
        assert!(!trust::faults(&session, Fault::PLAN_DROPPED).is_empty());
        let doubt = session.spectra.last().and_then(|last| last.head.doubt);
        let doubt = doubt.expect("something was wrong for a while");
        assert!(doubt.until - doubt.from <= 64 * 64, "{doubt:?}");
        let is_right = |head: &RecordHead| head.replaced && head.first_sample >= doubt.until;
        session.spectra.retain(|spectrum| is_right(&spectrum.head));
        assert!(session.spectra.len() > 50);
        compare(&session, &recording);
    }
}

#[test]
fn the_end_of_a_stream_gives_up_what_is_under_way() {
    let mut session = Session::quiet(Some(delayed(u32::MAX - 1)));
    session.must(&Message::Start);
    let Session {
        instrument, board, ..
    } = &mut session;
    // No time passes while the QPUs are asked.
    while instrument.hub.analyser.qpu().unwrap().started.is_empty() {
        instrument.step(board);
    }
    instrument.hub.end_stream(board);
    let qpu = instrument.hub.analyser.qpu().unwrap();
    assert!(qpu.started.is_empty());
    qpu.delay = 0;
    session.must(&Message::Start);
    session.run_ms(500);
    assert!(session.spectra.len() > 1);
}
