//! Trouble: garbage, failing QPUs, hosts that go away. The next request always works.

use super::*;
use wire::{JobClear, JobProgram, JobWords, Rate, RunJob, SampleFormat, UploadBegin};

const BEGIN: UploadBegin = UploadBegin {
    format: SampleFormat::U8,
    domain: Domain::Complex,
    rate: Rate::hz(2_000_000),
    samples: 0,
    keeps: false,
};

#[test]
fn garbage_is_answered_with_a_sentence() {
    let mut session = Session::quiet(None);
    session.send_bytes(&[0xFF, 0x80, 0x12, 0x99, 0]);
    session.run_ms(100);
    let Some(Seen::Frame(header, payload)) = session.seen.pop() else {
        panic!("no answer");
    };
    let message = Message::decode(header.kind, &payload);
    let Ok(Message::Nak(NakCode::BAD_PAYLOAD, sentence)) = message else {
        panic!("{message:?}");
    };
    assert!(sentence.contains("baud rate"));
    session.ping();
}

#[test]
fn a_flood_of_garbage_does_not_make_a_flood_of_answers() {
    let mut session = Session::quiet(None);
    for _ in 0..500 {
        session.send_bytes(&[0xF0, 0x0F, 0]);
    }
    session.run_ms(1000);
    assert!(session.seen.len() <= 4, "{:?}", session.seen);
    session.ping();
}

#[test]
fn a_frame_cut_in_half_costs_only_itself() {
    let mut session = Session::quiet(None);
    let frame = session.encode(900, &Message::Set("n=256"));
    session.send_bytes(&frame[..frame.len() / 2]);
    session.run_ms(3000);
    session.ping();
}

#[test]
fn a_damaged_request_is_not_carried_out() {
    let mut session = Session::quiet(None);
    let mut frame = session.encode(900, &Message::Set("n=256"));
    frame[30] ^= 4;
    session.send_bytes(&frame);
    session.run_ms(100);
    let (kind, payload) = session.ask(&Message::Get("n"));
    let message = Message::decode(kind, &payload).unwrap();
    assert_eq!(message, Message::Settings("n=1024\n"));
}

#[test]
fn a_host_that_goes_away_in_an_upload_leaves_a_working_board() {
    let mut session = Session::quiet(None);
    session.must(&Message::UploadBegin(BEGIN));
    session.send(&Message::UploadData {
        offset: 0,
        data: &[128; 2000],
    });
    session.run_ms(5000);
    let credits = session
        .seen
        .iter()
        .filter(|seen| matches!(seen, Seen::Frame(header, _) if header.kind == Kind::CREDIT));
    assert!(credits.count() >= 8, "credits are repeated");
    session.run_ms(6000);
    assert!(session.text().contains("the upload is given up"));
    let data = Message::UploadData {
        offset: 1000,
        data: &[128; 2],
    };
    let sentence = session.refused(&data, NakCode::WRONG_STATE);
    assert!(sentence.contains("UPLOAD_BEGIN"));
    session.must(&Message::UploadBegin(BEGIN));
    let sentence = session.refused(&Message::Start, NakCode::WRONG_STATE);
    assert!(sentence.contains("STOP"));
    session.must(&Message::Stop);
    session.must(&Message::Start);
}

#[test]
fn a_failing_qpu_job_is_done_by_the_cpu_and_said() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    let qpu = session.instrument.hub.analyser.qpu();
    qpu.unwrap().failures = 1;
    session.must(&Message::Start);
    session.run_ms(1000);
    let reference = {
        let mut session = Session::quiet(None);
        session.must(&Message::Start);
        session.run_ms(400);
        session.spectra[0].clone()
    };
    let first = &session.spectra[0];
    assert!(first.head.fallback);
    assert_eq!(first.head.engine, EngineKind::Cpu);
    for (level, expected) in first.levels.iter().zip(&reference.levels) {
        assert!(*expected < -100.0 || (level - expected).abs() < 0.011);
    }
    let later = session.spectra.last().unwrap();
    assert!(!later.head.fallback);
    assert_eq!(later.head.engine, EngineKind::Qpu);
    assert!(session.text().contains("did not end in time"));
    let answers = session.seen.iter().filter_map(|seen| match seen {
        Seen::Frame(header, payload) => Message::decode(header.kind, payload).ok(),
        Seen::Text(_) => None,
    });
    let codes = answers.filter_map(|message| match message {
        Message::Fault(fault) => Some(fault.code),
        _ => None,
    });
    assert_eq!(codes.collect::<Vec<_>>(), [wire::Fault::V3D_FAILED]);
    assert!(session.board.stages.contains(&Stage::QpuWait));
}

#[test]
fn lengths_that_the_qpus_lack_are_done_by_the_cpu() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    session.must(&Message::Set("n=128"));
    session.must(&Message::Start);
    session.run_ms(500);
    let head = session.spectra[0].head;
    assert_eq!((head.engine, head.fallback), (EngineKind::Cpu, false));
    session.must(&Message::Set("n=256"));
    session.run_ms(500);
    let head = session.spectra.last().unwrap().head;
    assert_eq!(head.engine, EngineKind::Qpu);
    session.must(&Message::Set("engine=cpu"));
    session.run_ms(500);
    let head = session.spectra.last().unwrap().head;
    assert_eq!(head.engine, EngineKind::Cpu);
}

/// A job of one program, in `bytes`.
fn job(limit_us: u32, bytes: &mut [u8; 12]) -> Message<'_> {
    let program = JobProgram {
        code: 0x4100_0000,
        uniforms: 0x4100_0100,
    };
    RunJob::put_launch(JobClear::All, RunJob::ALL_QPUS, &[program], bytes).unwrap();
    Message::RunJob(RunJob::new(limit_us, limit_us, bytes).unwrap())
}

#[test]
fn programs_of_the_host_run_and_those_that_never_end_are_reported() {
    let mut session = Session::quiet_and_allowed(Some(FakeQpu::default()));
    let (kind, payload) = session.ask(&job(1000, &mut [0; 12]));
    assert_eq!(Message::decode(kind, &payload), Ok(Message::QpuResult(42)));
    let sentence = session.refused(&job(13, &mut [0; 12]), NakCode::QPU_FAILED);
    assert!(sentence.contains("within 13 us"), "{sentence}");
    assert_eq!(session.board.memory_changes, 0);
    session.must(&Message::Start);
    session.run_ms(500);
    assert_eq!(session.spectra[0].head.engine, EngineKind::Qpu);
}

#[test]
fn a_job_after_which_the_firmwares_memory_is_another_ends_the_run() {
    let mut session = Session::quiet_and_allowed(Some(FakeQpu::default()));
    session.board.sums = [7, 7, 8].into();
    session.ask(&job(1000, &mut [0; 12]));
    assert_eq!(session.board.memory_changes, 1);
}

#[test]
fn jobs_of_the_host_wait_for_leave_and_for_idle_qpus() {
    let mut bytes = [0; 12];
    let asked = [
        Message::JobMemory(4096),
        Message::JobWrite(JobWords::new(0, &[0; 4])),
        Message::JobRead { first: 0, words: 1 },
        job(1000, &mut bytes),
    ];
    for (number, message) in asked.iter().enumerate() {
        let mut session = Session::quiet(Some(FakeQpu::default()));
        let sentence = session.refused(message, NakCode::NOT_ALLOWED);
        assert!(sentence.contains("allow=run"), "{sentence}");
        let mut session = Session::quiet_and_allowed(Some(FakeQpu::default()));
        session.must(&Message::Start);
        let sentence = session.refused(message, NakCode::WRONG_STATE);
        assert!(sentence.contains("STOP"), "{sentence}");
        session.must(&Message::Stop);
        if number < 3 {
            // This one's QPUs have no memory to give.
            session.refused(message, NakCode::NOT_AVAILABLE);
        }
        let mut session = Session::quiet_and_allowed(None);
        let sentence = session.refused(message, NakCode::NOT_AVAILABLE);
        assert!(sentence.contains("V3D was not found"), "{sentence}");
    }
}

#[test]
fn wrong_words_in_cmdline_are_named_in_the_banner() {
    let mut session = Session::start("n=1000 start=0", None);
    session.run_ms(300);
    let text = session.text();
    assert!(
        text.contains("cmdline.txt: n=1000: not a power of two"),
        "{text}"
    );
}

/// Any requests in any order with any payloads: no panic, and the board answers afterwards. The
/// seed is fixed so that a failure can be had again.
#[test]
fn any_requests_leave_a_working_board() {
    let mut session = Session::quiet(Some(FakeQpu::default()));
    session.board.baud = 3_000_000;
    session.board.host_baud = 3_000_000;
    let mut state = 0x0BAD_5EED_u64;
    let mut random = move |limit: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    const WORDS: [&str; 12] = [
        "n=16",
        "n=65536",
        "n=64",
        "avg=all",
        "avg=1",
        "overlap=99%",
        "overlap=0",
        "first=-8",
        "first=all",
        "bins=9",
        "bins=0",
        "out=text",
    ];
    let (mut payload, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
    for round in 0..3000 {
        let bytes: Vec<u8> = (0..random(300)).map(|_| random(256) as u8).collect();
        let message = match random(8) {
            0 => Message::Set(WORDS[random(12) as usize]),
            1 => Message::Start,
            2 => Message::UploadBegin(UploadBegin {
                format: SampleFormat::ALL[random(3) as usize],
                domain: Domain::ALL[random(2) as usize],
                rate: Rate::hz(1 + random(1 << 30)),
                samples: random(4) * random(1 << 20),
                keeps: false,
            }),
            3..5 => Message::UploadData {
                offset: random(3) * random(400),
                data: &bytes,
            },
            5 => Message::UploadEnd {
                samples: random(600),
                crc: wire::crc32(&bytes),
            },
            6 => Message::Get("all capabilities"),
            _ => Message::Status(wire::Status {
                state: State::Idle,
                engine: EngineKind::Cpu,
                counters: Counters::default(),
                line_errors: 0,
            }),
        };
        let mut length = message.encode(&mut payload).unwrap();
        let mut kind = message.kind();
        if random(4) == 0 {
            length = random(64) as usize;
            payload[..length].fill_with(|| random(12) as u8);
            kind = Kind(random(20) as u8);
        }
        if kind == Kind::REBOOT || kind == Kind::BAUD {
            continue;
        }
        let envelope = Envelope {
            request: 1000 + round,
            ..Envelope::default()
        };
        let length = session
            .encoder
            .frame(envelope, kind, &payload[..length], &mut frame)
            .unwrap();
        session.send_bytes(&frame[..length]);
        session.run_ms(random(4));
        if round % 500 == 499 {
            session.request = 20_000 + round;
            session.ping();
        }
    }
    session.request = 30_000;
    session.must(&Message::Stop);
    session.must(&Message::Set(
        "n=1024 avg=16 first=all bins=0 out=u16 overlap=50%",
    ));
    session.must(&Message::Start);
    session.spectra.clear();
    session.run_ms(500);
    assert!(!session.spectra.is_empty());
}
