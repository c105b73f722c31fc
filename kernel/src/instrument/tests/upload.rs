//! Uploads: the spectra are those of rustfft, nothing is lost, and losses on the line are repaired.

use super::*;
use reference_fft::Complex as Peer;
use wire::{Credit, Dc, Detector, Rate, SampleFormat, UploadBegin, crc32};

/// Above this level every bin must agree with the reference.
const FLOOR_DB: f64 = -100.0;
const TOLERANCE_DB: f64 = 0.01;

/// A recording: coded bytes and the same samples as numbers.
pub struct Recording {
    format: SampleFormat,
    domain: Domain,
    bytes: Vec<u8>,
    samples: Vec<Peer<f64>>,
}

/// Samples that are coded already, and not judged.
pub fn coded(format: SampleFormat, domain: Domain, bytes: Vec<u8>) -> Recording {
    let count = bytes.len() / format.sample_bytes(domain);
    Recording {
        format,
        domain,
        bytes,
        samples: vec![Peer::new(0.0, 0.0); count],
    }
}

/// Two tones and noise.
fn recording(format: SampleFormat, domain: Domain, count: usize) -> Recording {
    let mut noise = noise();
    record(format, domain, count, |i| {
        let t = i as f64;
        let (a, b) = (0.371 * t, 1.9 * t);
        let re = 0.5 * a.cos() + 0.01 * b.cos() + 0.1 * noise();
        let im = match domain {
            Domain::Complex => 0.5 * a.sin() + 0.01 * b.sin() + 0.1 * noise(),
            Domain::Real => 0.0,
        };
        Peer::new(re, im)
    })
}

/// Numbers from -1 to 1, always the same.
pub fn noise() -> impl FnMut() -> f64 {
    let mut state = 7u32;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 23) - 1.0
    }
}

/// The recording of a signal.
pub fn record(
    format: SampleFormat,
    domain: Domain,
    count: usize,
    mut signal: impl FnMut(usize) -> Peer<f64>,
) -> Recording {
    let mut bytes = Vec::new();
    let mut code = |value: f64| -> f64 {
        match format {
            SampleFormat::U8 | SampleFormat::U8High => {
                let raw = (value * 127.5 + 127.5).round().clamp(1.0, 254.0) as u8;
                bytes.extend((format == SampleFormat::U8High).then_some(!raw));
                bytes.push(raw);
                (f64::from(raw) - 127.5) / 127.5
            }
            SampleFormat::I16 => {
                let raw = (value * 32768.0).round() as i16;
                bytes.extend(raw.to_le_bytes());
                f64::from(raw) / 32768.0
            }
            SampleFormat::I32 => {
                let raw = (value * 2_147_483_648.0).round() as i32;
                bytes.extend(raw.to_le_bytes());
                f64::from(raw) / 2_147_483_648.0
            }
            SampleFormat::I8 => unreachable!("not uploaded"),
            SampleFormat::F32 => {
                bytes.extend((value as f32).to_le_bytes());
                f64::from(value as f32)
            }
        }
    };
    let samples = (0..count)
        .map(|i| {
            let sample = signal(i);
            let re = code(sample.re);
            let im = match domain {
                Domain::Complex => code(sample.im),
                Domain::Real => 0.0,
            };
            Peer::new(re, im)
        })
        .collect();
    Recording {
        format,
        domain,
        bytes,
        samples,
    }
}

/// Power in dB by rustfft in double precision, in the order of the wire: with the descriptor's
/// window, detector, and with or without the mean of each block as the window weighs it.
fn reference(descriptor: &Descriptor, samples: &[Peer<f64>], blocks: u32) -> Vec<f64> {
    let n = descriptor.n as usize;
    let hop = n - descriptor.overlap as usize;
    let coefficient = |i| descriptor.window.coefficient(i, n);
    let window: Vec<_> = (0..n).map(coefficient).collect();
    let gain: f64 = window.iter().sum();
    let fft = reference_fft::plan(n, Direction::Forward);
    let mut powers = vec![vec![]; n];
    for block in 0..blocks as usize {
        let block = &samples[block * hop..][..n];
        let weighed = block.iter().zip(&window).map(|(sample, w)| sample * w);
        let mean = match descriptor.dc {
            Dc::Keep => Peer::new(0.0, 0.0),
            Dc::Remove => weighed.sum::<Peer<f64>>() / gain,
        };
        let samples = block.iter().zip(&window);
        let mut data: Vec<_> = samples.map(|(sample, w)| (sample - mean) * w).collect();
        fft.process(&mut data);
        for (powers, bin) in powers.iter_mut().zip(&data) {
            powers.push(bin.norm_sqr());
        }
    }
    let half = n as i32 / 2;
    let bins = match descriptor.domain {
        Domain::Real => 0..half + 1,
        Domain::Complex => -half..half,
    };
    let level = |detector: Detector, bin: i32| {
        let sides = match descriptor.domain {
            Domain::Complex => 1.0,
            Domain::Real if bin == 0 || bin == half => 2.0,
            Domain::Real => 4.0,
        };
        let powers = powers[bin.rem_euclid(n as i32) as usize].iter().copied();
        let power = match detector {
            Detector::Mean => powers.sum::<f64>() / f64::from(blocks),
            Detector::Max => powers.fold(0.0, f64::max),
            Detector::Min => powers.fold(f64::INFINITY, f64::min),
            Detector::MeanMax => unreachable!("two detectors are not one part"),
        };
        10.0 * (sides * power / gain / gain).log10()
    };
    let parts = descriptor.detector.parts().iter();
    parts
        .flat_map(|detector| bins.clone().map(|bin| level(*detector, bin)))
        .collect()
}

/// The host's part: keeps to its credits, and goes on where the board says after a loss. Leaves
/// out the data frame with the number `lose`.
pub fn upload(
    session: &mut Session,
    recording: &Recording,
    lose: Option<usize>,
) -> (Kind, Vec<u8>) {
    send_samples(session, recording, lose, false);
    session.ask(&end_of(recording))
}

/// The message that ends the upload of a recording.
fn end_of(recording: &Recording) -> Message<'static> {
    Message::UploadEnd {
        samples: recording.samples.len() as u64,
        crc: crc32(&recording.bytes),
    }
}

/// The part of [`upload`] before its end. With `keeps` the host says that it asks again for lost
/// values.
fn send_samples(session: &mut Session, recording: &Recording, lose: Option<usize>, keeps: bool) {
    let count = recording.samples.len() as u64;
    let each = recording.bytes.len() / recording.samples.len();
    session.must(&Message::UploadBegin(UploadBegin {
        format: recording.format,
        domain: recording.domain,
        rate: Rate { num: 1, den: 3600 },
        samples: count,
        keeps,
    }));
    let mut next = 0u64;
    let mut frames = 0;
    let mut looked = 0;
    let mut credit = Credit {
        granted: 0,
        received: 0,
    };
    while next < count || credit.received < count.min(credit.granted) && frames == 0 {
        while let Some(seen) = session.seen.get(looked) {
            looked += 1;
            let Seen::Frame(header, payload) = seen else {
                continue;
            };
            match Message::decode(header.kind, payload) {
                Ok(Message::Credit(new)) => credit = new,
                Ok(Message::Nak(NakCode::GAP, _)) => next = u64::MAX,
                Ok(Message::Nak(_, sentence)) => panic!("{sentence}"),
                _ => {}
            }
            if next == u64::MAX && header.kind == Kind::CREDIT {
                next = credit.received;
            }
        }
        let end = credit.granted.min(count).min(next.saturating_add(500));
        if next < end {
            let data = &recording.bytes[next as usize * each..end as usize * each];
            let frame = session.encode(0, &Message::UploadData { offset: next, data });
            if Some(frames) != lose {
                session.send_bytes(&frame);
            }
            frames += 1;
            next = end;
        }
        session.step();
    }
}

/// Holds all spectra of an upload to [`reference`].
pub fn compare(session: &Session, recording: &Recording) {
    let descriptor = session.descriptor.unwrap();
    for spectrum in &session.spectra {
        let samples = &recording.samples[spectrum.head.first_sample as usize..];
        let expected = reference(&descriptor, samples, spectrum.head.blocks);
        assert_eq!(expected.len(), spectrum.levels.len());
        let mut compared = 0;
        for (bin, (level, expected)) in spectrum.levels.iter().zip(&expected).enumerate() {
            if *expected > FLOOR_DB {
                let error = (level - expected).abs();
                assert!(error < TOLERANCE_DB, "bin {bin}: {level} {expected}");
                compared += 1;
            }
        }
        assert!(compared > expected.len() / 2);
    }
}

#[test]
fn spectra_of_uploads_are_those_of_rustfft() {
    for (set, format, domain, qpu) in [
        (
            "n=1024 avg=all window=hann",
            SampleFormat::U8,
            Domain::Complex,
            true,
        ),
        (
            "n=512 avg=all window=flat-top out=f32",
            SampleFormat::I16,
            Domain::Real,
            true,
        ),
        (
            "n=2048 avg=3 window=bh4 overlap=75%",
            SampleFormat::F32,
            Domain::Real,
            true,
        ),
        (
            "n=64 avg=1 window=rect overlap=0 out=f32",
            SampleFormat::I16,
            Domain::Complex,
            false,
        ),
        (
            "n=1024 avg=2 window=hann overlap=50%",
            SampleFormat::I32,
            Domain::Real,
            true,
        ),
        (
            "n=4096 avg=all window=hann",
            SampleFormat::I32,
            Domain::Complex,
            false,
        ),
        (
            "n=2048 avg=4 window=hann overlap=50%",
            SampleFormat::U8High,
            Domain::Real,
            true,
        ),
        (
            "n=8192 avg=all window=hamming overlap=1001",
            SampleFormat::U8,
            Domain::Real,
            false,
        ),
    ] {
        let mut session = Session::quiet(qpu.then(FakeQpu::default));
        session.board.host_baud = 3_000_000;
        session.board.baud = 3_000_000;
        session.must(&Message::Set(set));
        let recording = recording(format, domain, 20_000);
        let (kind, payload) = upload(&mut session, &recording, None);
        assert_eq!(kind, Kind::ACK, "{:?}", Message::decode(kind, &payload));
        let descriptor = session.descriptor.unwrap();
        let hop = descriptor.n - descriptor.overlap;
        let blocks: u32 = session.spectra.iter().map(|s| s.head.blocks).sum();
        assert_eq!(blocks, (20_000 - descriptor.n) / hop + 1, "{set}");
        assert_eq!((descriptor.rate.num, descriptor.rate.den), (1, 3600));
        assert_eq!(descriptor.source, Source::Upload);
        assert!(session.spectra.iter().all(|s| s.stream == 3));
        let last = session.spectra.last().unwrap().head;
        assert_eq!((last.counters.dropped, last.counters.clipped), (0, 0));
        compare(&session, &recording);
        // The acknowledgement is the end: nothing of the upload comes after it.
        let spectra = session.spectra.len();
        session.run_ms(2000);
        assert_eq!(session.spectra.len(), spectra);
    }
}

#[test]
fn samples_that_come_again_behind_the_end_are_no_mistake() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=256 avg=all"));
    let recording = recording(SampleFormat::I16, Domain::Real, 5_000);
    let (kind, _) = upload(&mut session, &recording, None);
    assert_eq!(kind, Kind::ACK);
    session.seen.clear();
    let data = [0; 200];
    let mut answers = |offset| {
        session.send(&Message::UploadData {
            offset,
            data: &data,
        });
        session.run_ms(300);
        let naks =
            |seen: &&Seen| matches!(seen, Seen::Frame(header, _) if header.kind == Kind::NAK);
        session.seen.iter().filter(naks).count()
    };
    assert_eq!(answers(4_900), 0);
    assert_eq!(answers(5_000), 1, "those are new");
}

#[test]
fn blocks_are_done_together_by_the_qpus_and_the_rest_at_the_end() {
    // 20,000 samples are 38 blocks of 1024 that overlap by half.
    for (set, domain, calls) in [
        ("n=1024 avg=5", Domain::Real, vec![5, 5, 5, 5, 5, 5, 5, 3]),
        ("n=1024 avg=all", Domain::Complex, vec![38]),
        // At most 16 of 4096, so that the ARM could do them too.
        ("n=4096 avg=all overlap=87%", Domain::Real, vec![16, 14]),
        ("n=1024 avg=1 overlap=0", Domain::Real, vec![1; 19]),
    ] {
        let mut session = Session::quiet(Some(FakeQpu::default()));
        session.board.host_baud = 3_000_000;
        session.board.baud = 3_000_000;
        session.must(&Message::Set("overlap=50%"));
        session.must(&Message::Set(set));
        let recording = recording(SampleFormat::I16, domain, 20_000);
        let (kind, _) = upload(&mut session, &recording, None);
        assert_eq!(kind, Kind::ACK);
        compare(&session, &recording);
        let engine = session.instrument.hub.analyser.qpu();
        assert_eq!(engine.unwrap().powers, calls, "{set}");
    }
    // The same samples, with the window and the powers left to the ARM.
    let mut session = Session::quiet(Some(FakeQpu::default()));
    session.must(&Message::Set("n=1024 avg=5 engine=fft"));
    let recording = recording(SampleFormat::I16, Domain::Real, 5_000);
    let (kind, _) = upload(&mut session, &recording, None);
    assert_eq!(kind, Kind::ACK);
    compare(&session, &recording);
    let engine = session.instrument.hub.analyser.qpu();
    assert!(engine.unwrap().powers.is_empty());
    let heads = session.spectra.iter().map(|spectrum| spectrum.head);
    assert!(heads.into_iter().all(|head| head.engine == EngineKind::Qpu));
}

#[test]
fn a_slow_line_holds_the_upload_back_and_drops_nothing() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=256 avg=1 overlap=75% out=f32"));
    let recording = recording(SampleFormat::U8, Domain::Complex, 6_000);
    let (kind, _) = upload(&mut session, &recording, None);
    assert_eq!(kind, Kind::ACK);
    assert_eq!(session.spectra.len(), (6_000 - 256) / 64 + 1);
    let heads = session.spectra.iter().map(|s| s.head.record);
    assert!(heads.eq(0..session.spectra.len() as u32));
    compare(&session, &recording);
}

#[test]
fn a_lost_frame_is_sent_again() {
    for lose in [0, 3] {
        let mut session = Session::quiet(None);
        session.must(&Message::Set("n=256 avg=all"));
        let recording = recording(SampleFormat::I16, Domain::Real, 5_000);
        let (kind, payload) = upload(&mut session, &recording, Some(lose));
        assert_eq!(kind, Kind::ACK, "{:?}", Message::decode(kind, &payload));
        compare(&session, &recording);
    }
}

#[test]
fn the_last_request_may_be_repeated() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=256 avg=all"));
    let recording = recording(SampleFormat::I16, Domain::Real, 1_000);
    let end = Message::UploadEnd {
        samples: 1_000,
        crc: crc32(&recording.bytes),
    };
    assert_eq!(upload(&mut session, &recording, None).0, Kind::ACK);
    session.must(&end);
    assert_eq!(session.spectra.len(), 1);
}

#[test]
fn too_few_samples_are_refused_early_or_late() {
    let mut session = Session::quiet(None);
    let mut begin = UploadBegin {
        format: SampleFormat::U8,
        domain: Domain::Real,
        rate: Rate::hz(1),
        samples: 1000,
        keeps: false,
    };
    let sentence = session.refused(&Message::UploadBegin(begin), NakCode::BAD_VALUE);
    assert!(sentence.contains("1000 samples are less than one block of n=1024"));
    begin.samples = 0;
    session.must(&Message::UploadBegin(begin));
    session.send(&Message::UploadData {
        offset: 0,
        data: &[5; 10],
    });
    let end = Message::UploadEnd {
        samples: 10,
        crc: crc32(&[5; 10]),
    };
    let sentence = session.refused(&end, NakCode::BAD_VALUE);
    assert!(sentence.contains("set a smaller n"), "{sentence}");
    session.ping();
}

#[test]
fn a_drawing_that_waits_for_an_upload_without_a_record_is_answered_in_words() {
    let mut session = Session::quiet(None);
    session.send_bytes(b"avg=100000\rstart\rplot\r");
    session.run_ms(500);
    session.must(&Message::UploadBegin(UploadBegin {
        format: SampleFormat::U8,
        domain: Domain::Real,
        rate: Rate::hz(1),
        samples: 0,
        keeps: false,
    }));
    let data = &[9; 20];
    session.send(&Message::UploadData { offset: 0, data });
    let says_so = |session: &Session| session.text().contains("no spectrum yet; type start");
    assert!(!says_so(&session), "an upload may have records");
    let end = Message::UploadEnd {
        samples: 20,
        crc: crc32(data),
    };
    session.refused(&end, NakCode::BAD_VALUE);
    session.run_ms(100);
    assert!(says_so(&session), "{}", session.text());
    session.must(&Message::Start);
}

#[test]
fn a_wrong_checksum_is_refused_and_missing_samples_are_asked_for() {
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=16 avg=all"));
    session.must(&Message::UploadBegin(UploadBegin {
        format: SampleFormat::U8,
        domain: Domain::Real,
        rate: Rate::hz(1),
        samples: 0,
        keeps: false,
    }));
    let torn = Message::UploadEnd {
        samples: 20,
        crc: 0,
    };
    let sentence = session.refused(&torn, NakCode::GAP);
    assert!(sentence.contains("from 0 on"), "{sentence}");
    session.send(&Message::UploadData {
        offset: 0,
        data: &[9; 20],
    });
    let sentence = session.refused(&torn, NakCode::CHECKSUM);
    assert!(sentence.contains("again"), "{sentence}");
    session.ping();
    assert!(session.spectra.is_empty());
}

/// The chunk that answers a request for values.
fn fetched(session: &mut Session, record: u32, offset: u32, values: u16) -> (RecordHead, Vec<u8>) {
    let (kind, payload) = session.ask(&Message::Fetch {
        record,
        offset,
        values,
    });
    match Message::decode(kind, &payload) {
        Ok(Message::Spectrum(chunk)) if chunk.offset == offset => (chunk.head, chunk.data.to_vec()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_are_sent_again_and_the_end_says_what_there_was() {
    let recording = recording(SampleFormat::I16, Domain::Real, 3000);
    let mut session = Session::quiet(None);
    session.must(&Message::Set("n=256 avg=2 out=f32"));
    send_samples(&mut session, &recording, None, true);
    let (kind, payload) = session.ask(&end_of(&recording));
    let Ok(Message::Uploaded(brought)) = Message::decode(kind, &payload) else {
        panic!("{kind:?}");
    };
    let all: Vec<u8> = session
        .spectra
        .iter()
        .flat_map(|it| it.raw.clone())
        .collect();
    assert_eq!(brought.records as usize, session.spectra.len());
    assert_eq!(
        (brought.bytes, brought.crc),
        (all.len() as u64, crc32(&all))
    );
    // The end may be asked for again.
    assert_eq!(session.ask(&end_of(&recording)), (kind, payload));

    let (head, raw) = (session.spectra[1].head, session.spectra[1].raw.clone());
    assert_eq!(fetched(&mut session, 1, 5, 7), (head, raw[20..48].to_vec()));
    assert_eq!(
        fetched(&mut session, 1, 120, 999),
        (head, raw[480..].to_vec())
    );
    let descriptor = Message::Fetch {
        record: 1,
        offset: 0,
        values: 0,
    };
    assert_eq!(session.ask(&descriptor).0, Kind::DESCRIPTOR);
    for (record, offset) in [(brought.records, 0), (1, 129)] {
        let beyond = Message::Fetch {
            record,
            offset,
            values: 1,
        };
        session.refused(&beyond, NakCode::BAD_VALUE);
    }
    // Another stream has none of it.
    session.must(&Message::Start);
    session.run_ms(100);
    session.must(&Message::Stop);
    session.refused(&descriptor, NakCode::BAD_VALUE);
}

#[test]
fn an_upload_waits_for_a_host_that_has_not_got_the_records_yet() {
    let recording = recording(SampleFormat::U8, Domain::Real, 16 * 700);
    for keeps in [false, true] {
        let mut session = Session::quiet(None);
        session.board.baud = 3_000_000;
        session.board.host_baud = 3_000_000;
        session.must(&Message::Set("n=16 avg=1 overlap=0 out=u8"));
        send_samples(&mut session, &recording, None, keeps);
        let end = session.send(&end_of(&recording));
        session.run_ms(6000);
        if keeps {
            // So many as are kept.
            assert_eq!(session.spectra.len(), 512);
            session.send(&Message::Held(100));
            session.run_ms(2000);
            assert_eq!(session.spectra.len(), 612);
            session.send(&Message::Held(612));
        }
        let (kind, _) = session.answer(end);
        assert_eq!(kind, if keeps { Kind::UPLOADED } else { Kind::ACK });
        assert_eq!(session.spectra.len(), 700);
    }
}

#[test]
fn an_upload_whose_host_never_confirms_is_given_up() {
    let recording = recording(SampleFormat::U8, Domain::Real, 16 * 600);
    let mut session = Session::quiet(None);
    session.board.baud = 3_000_000;
    session.board.host_baud = 3_000_000;
    session.must(&Message::Set("n=16 avg=1 overlap=0 out=u8"));
    send_samples(&mut session, &recording, None, true);
    session.send(&end_of(&recording));
    session.run_ms(9_000);
    assert!(!session.text().contains("given up"));
    session.run_ms(4_000);
    assert!(session.text().contains("given up"), "{}", session.text());
    session.must(&Message::Start);
}
