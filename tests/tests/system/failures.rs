//! Failures between a host and the board: each is reported clearly, and the next request works.

use crate::host::{ANSWER_MS, Event, Host};
use crate::line::{Line, Virtual};
use qpu::isa::{Branch, Instruction};
use tests::mutate::Random;
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Domain, Engine, Kind, Message, NakCode, Rate, SampleFormat, UploadBegin, Window};

pub fn boot(image: &[u8], config: Config) -> Host<Virtual> {
    let mut host = Host::new(Virtual::boot(image, config));
    host.line_with("qpuscope", 1_000);
    host
}

/// The board answers, and computes.
pub fn assert_works(host: &mut Host<Virtual>, engine: Engine) {
    assert_eq!(host.ask(&Message::Ping(7)).message(), Message::Pong(7));
    host.must(&Message::Set("n=1024 window=hann out=u16"));
    host.must(&Message::Start);
    let spectrum = host.spectrum(ANSWER_MS);
    assert_eq!(spectrum.head.engine, engine);
    assert!(!spectrum.head.fallback);
    host.quiet();
}

/// A refusal has a sentence that a person can act on.
pub fn assert_sentence(sentence: &str) {
    let words = sentence.split_whitespace().count();
    assert!(words >= 4, "not a sentence: {sentence:?}");
}

#[test]
fn a_line_cut_in_mid_stream_costs_what_was_on_it_and_no_more() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.spectrum(ANSWER_MS);
    // Pulled out in the middle of a frame and put back a third of a second later.
    host.collect(7);
    for _ in 0..171 {
        host.line.receive(2);
    }
    let before = host.counters();
    let spectrum = host.spectrum(3_000);
    assert_eq!(spectrum.levels_db.len(), 513);
    let after = host.counters();
    assert!(
        after.sequence_gaps > before.sequence_gaps,
        "the loss is counted"
    );
    host.quiet();
    assert_works(&mut host, Engine::Qpu);
}

#[test]
fn half_a_request_does_not_hold_up_the_next() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    host.line.send(&[0x00, 0x02, 0xB1, 0x02, 0x02, 0x01, 0x01]);
    assert_eq!(host.ask(&Message::Ping(1)).message(), Message::Pong(1));
    assert_works(&mut host, Engine::Qpu);
}

#[test]
fn a_host_that_dies_in_an_upload_leaves_a_board_that_serves_the_next_host() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    host.must(&Message::Set("n=1024"));
    host.must(&Message::UploadBegin(UploadBegin {
        format: SampleFormat::I16,
        domain: Domain::Real,
        rate: Rate::hz(48_000),
        samples: 100_000,
        keeps: false,
    }));
    host.send(&Message::UploadData {
        offset: 0,
        data: &[0; 1000],
    });
    for _ in 0..50 {
        host.line.receive(2);
    }
    // Another process: it knows nothing of the first, its sequence numbers begin again.
    let mut next = Host::new(host.line);
    assert_eq!(next.ask(&Message::Hello("second")).header.kind, Kind::INFO);
    next.must(&Message::Stop);
    let bytes: Vec<u8> = (0..2048_u16).flat_map(u16::to_le_bytes).collect();
    next.must(&Message::Set("n=1024 window=hann avg=1"));
    let spectra = next.upload(SampleFormat::I16, Domain::Real, Rate::hz(48_000), &bytes);
    assert!(!spectra.is_empty());
    assert_works(&mut next, Engine::Qpu);
}

#[test]
fn garbage_is_counted_and_the_next_request_works() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    let mut random = Random::new(tests::seed());
    let noise = (0..4_000).map(|_| random.bits().to_le_bytes()[0] | 1);
    let noise: Vec<u8> = noise.collect();
    host.line.send(&noise);
    host.line.send(&[0]);
    for _ in 0..300 {
        host.line.receive(2);
    }
    assert_works(&mut host, Engine::Qpu);
}

#[test]
fn lengths_that_cannot_be_are_refused_with_a_sentence() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    let (code, sentence) = host.refused(&Message::Set("n=1000"));
    assert_eq!(code, NakCode::BAD_VALUE);
    assert_sentence(&sentence);
    assert!(sentence.contains("power of two"), "{sentence}");
    let (code, sentence) = host.refused(&Message::Set("n=1073741824"));
    assert!(
        [NakCode::BAD_VALUE, NakCode::NO_MEMORY].contains(&code),
        "{code:?}"
    );
    assert_sentence(&sentence);
    let (code, sentence) = host.refused(&Message::Set("colour=red"));
    assert_eq!(code, NakCode::UNKNOWN_SETTING);
    assert_sentence(&sentence);
    assert_works(&mut host, Engine::Qpu);
}

#[test]
fn a_wrong_baud_rate_garbles_and_the_right_one_works_again() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    host.line.pi.set_host_baud(57_600);
    host.send(&Message::Ping(1));
    for _ in 0..250 {
        host.line.receive(2);
    }
    host.line.pi.set_host_baud(115_200);
    // A break or noise may have left the board in the middle of something; a zero byte ends it.
    host.line.send(&[0, 0]);
    assert_works(&mut host, Engine::Qpu);
}

#[test]
fn a_new_baud_rate_that_nobody_confirms_is_taken_back() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    host.must(&Message::Baud(921_600));
    // The host does not follow.
    for _ in 0..400 {
        host.line.receive(2);
    }
    assert_works(&mut host, Engine::Qpu);
    host.must(&Message::Baud(921_600));
    host.line.receive(5);
    host.line.pi.set_host_baud(921_600);
    assert_eq!(host.ask(&Message::Ping(2)).message(), Message::Pong(2));
    assert_works(&mut host, Engine::Qpu);
}

/// The acknowledgement was lost, or comes late: the host asks again before it hears it.
#[test]
fn a_baud_change_that_was_asked_for_twice_is_confirmed_at_the_new_rate_only() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    for baud in [921_600, 9_600] {
        for copies in [2, 5] {
            (0..copies).for_each(|_| {
                host.send(&Message::Baud(baud));
            });
            host.collect(1_000);
            assert_eq!(host.ask(&Message::Ping(1)).message(), Message::Pong(1));
        }
        let first = host.send(&Message::Baud(baud));
        host.send(&Message::Baud(baud));
        assert_eq!(host.answer(first, ANSWER_MS).header.kind, Kind::ACK);
        host.collect(30);
        host.line.pi.set_host_baud(baud);
        assert_eq!(host.ask(&Message::Ping(2)).message(), Message::Pong(2));
        host.collect(1_000);
        assert_eq!(host.ask(&Message::Ping(3)).message(), Message::Pong(3));
        host.must(&Message::Baud(115_200));
        host.collect(5);
        host.line.pi.set_host_baud(115_200);
        assert_eq!(host.ask(&Message::Ping(4)).message(), Message::Pong(4));
    }
}

#[test]
fn a_board_that_was_left_at_9600_baud_hears_a_new_host_within_some_seconds() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    host.must(&Message::Baud(9_600));
    host.collect(5);
    host.line.pi.set_host_baud(9_600);
    assert_eq!(host.ask(&Message::Ping(1)).message(), Message::Pong(1));
    host.line.pi.set_host_baud(115_200);
    // A host repeats HELLO 16 times, twice a second.
    let mut calls = (0..16).map(|_| {
        let request = host.send(&Message::Hello("a new host"));
        let events = host.collect(500);
        events
            .iter()
            .any(|event| matches!(event, Event::Frame(reply) if reply.header.request == request))
    });
    assert!(calls.any(|is_heard| is_heard), "no answer to 16 calls");
    assert_works(&mut host, Engine::Qpu);
}

#[test]
fn without_v3d_the_cpu_computes_and_says_so() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        v3d: false,
        ..allowing()
    };
    let mut host = boot(&image, config);
    let spectrum = host.spectrum(ANSWER_MS);
    assert_eq!(spectrum.head.engine, Engine::Cpu);
    assert_eq!(spectrum.descriptor.engine, Engine::Cpu);
    assert!(host.text.contains("engine: cpu"), "{}", host.text);
    host.quiet();
    assert_works(&mut host, Engine::Cpu);
    let mut code = Vec::new();
    code.extend(Instruction::NOP.encode().to_le_bytes());
    let (refusal, sentence) = host.run_program(&code, 1_000).unwrap_err();
    assert_eq!(refusal, NakCode::NOT_AVAILABLE);
    assert_sentence(&sentence);
}

/// A board whose owner lets hosts run programs.
pub fn allowing() -> Config {
    Config {
        cmdline: "allow=run".into(),
        ..Config::default()
    }
}

/// A program for a QPU that goes round for ever.
pub fn endless_program() -> Vec<u8> {
    let to_itself = Branch {
        // Counted from the instruction after the three delay slots.
        immediate: 32_u32.wrapping_neg(),
        ..Branch::RELATIVE
    };
    let endless = [
        Instruction::Branch(to_itself),
        Instruction::NOP,
        Instruction::NOP,
        Instruction::NOP,
    ];
    let words = endless.iter().map(|instruction| instruction.encode());
    words.flat_map(u64::to_le_bytes).collect()
}

#[test]
fn a_v3d_program_that_never_ends_is_reported_and_v3d_works_again() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, allowing());
    host.quiet();
    let code = endless_program();
    for _ in 0..2 {
        let (refusal, sentence) = host.run_program(&code, 20_000).unwrap_err();
        assert_eq!(refusal, NakCode::QPU_FAILED);
        assert_sentence(&sentence);
        assert_works(&mut host, Engine::Qpu);
    }
}

#[test]
fn reboot_starts_again_and_the_banner_says_why() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    host.must(&Message::Reboot);
    host.text.clear();
    host.line_with("last start: reboot command", 5_000);
    let spectrum = host.spectrum(ANSWER_MS);
    assert_eq!(spectrum.descriptor.window, Window::Hann);
    assert_eq!(host.line.resets, 1);
}
