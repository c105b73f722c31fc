//! Plans that are wrong: dropped alone, reported, and replaced by the next in line.

use super::*;
use wire::{Doubt, Fault};

/// Samples from block to block at the settings of a start.
const HOP: u64 = 512;
/// Samples of a record there.
const RECORD: u64 = 16 * HOP;

/// A session with these QPUs that streams.
fn stream(qpu: FakeQpu) -> Session {
    let mut session = Session::quiet(Some(qpu));
    session.must(&Message::Start);
    session
}

fn qpu(session: &mut Session) -> &mut FakeQpu {
    session.instrument.hub.analyser.qpu().unwrap()
}

/// Texts of the faults with this code.
pub fn faults(session: &Session, code: u16) -> Vec<String> {
    let frames = session.seen.iter().filter_map(|seen| match seen {
        Seen::Frame(header, payload) => Message::decode(header.kind, payload).ok(),
        Seen::Text(_) => None,
    });
    let texts = frames.filter_map(|message| match message {
        Message::Fault(fault) if fault.code == code => Some(fault.text.to_owned()),
        _ => None,
    });
    texts.collect()
}

/// The spectra of a board that computes on the ARM.
fn reference(seconds: u64) -> Vec<Spectrum> {
    let mut session = Session::quiet(None);
    session.must(&Message::Start);
    session.run_ms(1000 * seconds);
    session.spectra
}

/// Holds the spectra that are not in doubt to the ARM's; how many they are.
fn compare(session: &Session, reference: &[Spectrum]) -> usize {
    let last = session.spectra.last().unwrap().head;
    let is_wrong = |spectrum: &&Spectrum| {
        let doubts = last
            .doubt
            .is_some_and(|doubt| doubt.concerns(spectrum.head.first_sample, RECORD));
        !doubts
    };
    let right = session.spectra.iter().filter(is_wrong);
    let mut count = 0;
    for spectrum in right {
        let same = |other: &&Spectrum| other.head.record == spectrum.head.record;
        let Some(reference) = reference.iter().find(same) else {
            continue;
        };
        for (level, expected) in spectrum.levels.iter().zip(&reference.levels) {
            let is_near = *expected < -100.0 || (level - expected).abs() < 0.011;
            assert!(
                is_near,
                "record {}: {level} {expected}",
                spectrum.head.record
            );
        }
        count += 1;
    }
    count
}

#[test]
fn a_wrong_plan_is_dropped_alone_and_the_conservative_one_computes() {
    let mut session = Session::start(
        "",
        Some(FakeQpu {
            wrong: Some(1e3),
            wrong_in: Some(Manner::Fastest),
            is_twofold: true,
            ..FakeQpu::default()
        }),
    );
    session.run_ms(1000);
    let text = session.text();
    for part in [
        "self-test: qpu n=1024 real f32 x 16, fastest plan: WRONG",
        "self-test: qpu n=1024 real f32 x 16, conservative plan: ok",
        "plan dropped: n=1024 real f32 x 16, fastest plan: WRONG",
        "the conservative plan is next",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(faults(&session, Fault::PLAN_DROPPED).len(), 1);
    let head = session.spectra[0].head;
    assert_eq!((head.engine, head.fallback), (EngineKind::Qpu, false));
    assert!(head.replaced && head.doubt.is_none());
    assert!(compare(&session, &reference(1)) > 2);
}

#[test]
fn where_every_plan_is_wrong_the_arm_computes() {
    // No number at all is what memory holds that V3D never wrote.
    for wrong in [1e3, f32::NAN] {
        let wrong = FakeQpu {
            wrong: Some(wrong),
            is_twofold: true,
            ..FakeQpu::default()
        };
        let mut session = Session::start("", Some(wrong));
        session.run_ms(1000);
        let text = session.text();
        assert!(text.contains("the ARM computes instead"), "{text}");
        let head = session.spectra[0].head;
        assert_eq!((head.engine, head.replaced), (EngineKind::Cpu, true));
        assert_eq!(session.descriptor.unwrap().engine, EngineKind::Cpu);
        assert!(compare(&session, &reference(1)) > 2);
        session.send_bytes(b"\rinfo\r");
        session.run_ms(300);
        let text = session.text();
        assert!(text.contains("failed on this board: 2"), "{text}");
    }
}

#[test]
fn a_plan_that_does_not_end_is_dropped_and_others_stay() {
    let mut session = Session::quiet(Some(FakeQpu {
        is_twofold: true,
        ..FakeQpu::default()
    }));
    session.must(&Message::Set("n=512"));
    qpu(&mut session).failures = 1;
    session.must(&Message::Start);
    session.run_ms(1000);
    let reported = faults(&session, Fault::PLAN_DROPPED);
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        reported[0].contains("n=512 real f32 x 16, fastest plan: FAILED"),
        "{reported:?}"
    );
    assert!(session.spectra[0].head.replaced);
    session.spectra.clear();
    session.must(&Message::Set("n=1024"));
    session.run_ms(1000);
    let head = session.spectra.last().unwrap().head;
    assert_eq!((head.engine, head.replaced), (EngineKind::Qpu, false));
}

#[test]
fn wrong_energy_in_mid_stream_is_found_at_the_next_check() {
    let mut session = stream(FakeQpu {
        is_twofold: true,
        ..FakeQpu::default()
    });
    session.run_ms(1500);
    assert!(
        session
            .spectra
            .iter()
            .all(|spectrum| spectrum.head.doubt.is_none())
    );
    (qpu(&mut session).wrong, qpu(&mut session).wrong_in) = (Some(1e3), Some(Manner::Fastest));
    session.run_ms(2500);
    let last = session.spectra.last().unwrap().head;
    assert!(last.replaced);
    let doubt = last.doubt.expect("something was wrong for a while");
    assert!(doubt.until - doubt.from <= 64 * HOP, "{doubt:?}");
    assert_eq!(faults(&session, Fault::PLAN_DROPPED).len(), 1);
    assert!(session.text().contains("the energy of a block is"));
    assert!(compare(&session, &reference(4)) >= 10);
    // The next stream has nothing to do with it.
    session.must(&Message::Start);
    session.spectra.clear();
    session.run_ms(500);
    let head = session.spectra[0].head;
    assert_eq!((head.doubt, head.replaced), (None, true));
}

#[test]
fn bins_that_are_exchanged_are_found_within_ten_seconds() {
    for set in ["engine=auto", "engine=fft"] {
        let mut session = Session::quiet(Some(FakeQpu {
            is_twofold: true,
            ..FakeQpu::default()
        }));
        session.must(&Message::Set(set));
        session.must(&Message::Start);
        session.run_ms(12_000);
        qpu(&mut session).exchanges = true;
        session.run_ms(11_000);
        assert!(session.text().contains("a bin of a block is"), "{set}");
        let last = session.spectra.last().unwrap().head;
        assert!(last.replaced && last.engine == EngineKind::Qpu);
        assert!(compare(&session, &reference(23)) > 20);
    }
}

#[test]
fn silence_and_extremes_raise_no_alarm() {
    for samples in [[0f32; 2], [1e30, -1e30], [1e-30, 0.0], [1.0, 1.0]] {
        for set in ["engine=auto dc=remove", "engine=fft dc=keep"] {
            let mut session = Session::quiet(Some(FakeQpu::default()));
            session.board.now_ns += 20_000_000_000;
            session.must(&Message::Set("n=256 avg=40 overlap=0"));
            session.must(&Message::Set(set));
            let begin = wire::UploadBegin {
                format: wire::SampleFormat::F32,
                domain: Domain::Complex,
                rate: wire::Rate::hz(1000),
                samples: 0,
                keeps: false,
            };
            session.must(&Message::UploadBegin(begin));
            let data: Vec<u8> = samples.iter().flat_map(|x| x.to_le_bytes()).collect();
            let data = data.repeat(500);
            for frame in 0..80 {
                session.send(&Message::UploadData {
                    offset: 500 * frame,
                    data: &data,
                });
                session.run_ms(500);
            }
            assert!(session.spectra.len() >= 3, "{}", session.spectra.len());
            assert_eq!(faults(&session, Fault::PLAN_DROPPED), Vec::<String>::new());
        }
    }
}

#[test]
fn a_doubt_concerns_the_samples_between_its_ends() {
    let doubt = Doubt {
        from: 100,
        until: 200,
    };
    for (first, count, concerned) in [
        (0, 100, false),
        (0, 101, true),
        (199, 1, true),
        (200, 9, false),
    ] {
        assert_eq!(doubt.concerns(first, count), concerned, "{first} {count}");
    }
}

#[test]
fn a_host_gets_the_proof_of_any_plan() {
    use wire::{PlanKind, PlanName, Verdict};
    let mut session = Session::quiet(Some(FakeQpu {
        wrong: Some(1e3),
        wrong_in: Some(Manner::Conservative),
        is_twofold: true,
        ..FakeQpu::default()
    }));
    let mut prove = |log2n, kind, conservative| {
        let plan = PlanName {
            log2n,
            kind,
            conservative,
        };
        let (kind, payload) = session.ask(&Message::Prove(plan));
        match Message::decode(kind, &payload) {
            Ok(Message::Proof(proof)) => (proof.plan == plan).then_some(proof.verdict),
            _ => None,
        }
    };
    for kind in PlanKind::ALL {
        assert_eq!(prove(9, kind, false), Some(Verdict::Right));
        assert_eq!(prove(9, kind, true), Some(Verdict::Wrong));
        assert_eq!(prove(5, kind, false), Some(Verdict::Missing));
        assert_eq!(prove(MAX_N.ilog2() as u8 + 1, kind, false), None);
    }
}
