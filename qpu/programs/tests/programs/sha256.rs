//! SHA-256, against published digests and the crate `sha2`.

use super::{LIMIT_US, RAM_BYTES, assert_clean, runners};
use qpu::job::{Job, Launch, Program, QpuSet, Runner};
use qpu::machine::QPUS;
use qpu_programs::sha256::{Answer, Digest, Group, LANES, Sha256, known};
use sha2::Digest as _;
use tests::mutate::Random;
use v3d_sim::SimRunner;

/// Runs every group on a QPU of its own; the answers in the order of the groups.
fn run(runner: &mut SimRunner, groups: &[Group]) -> Vec<Answer> {
    let programs: Vec<Program> = groups.iter().map(Group::program).collect();
    let launches = [Launch {
        programs: &programs,
        clear: Group::CLEAR,
        qpus: QpuSet::ALL,
    }];
    let job = Job {
        launches: &launches,
    };
    runner.run(&job, LIMIT_US).expect("the job ends");
    let answers = groups.iter().map(|group| group.answer(runner));
    answers
        .collect::<Result<_, _>>()
        .expect("the groups' own buffers")
}

fn load(runner: &mut SimRunner, sets: &[Vec<Vec<u8>>]) -> Vec<Group> {
    let mut sha256 = Sha256::new(runner).expect("room");
    let mut group = |messages: &Vec<Vec<u8>>| {
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        sha256.load(runner, &messages).expect("room")
    };
    sets.iter().map(&mut group).collect()
}

fn reference(message: &[u8]) -> Digest {
    sha2::Sha256::digest(message).into()
}

fn random_message(random: &mut Random, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|_| random.bits() as u8).collect()
}

/// NIST, "Examples with Intermediate Values" and the additional examples for SHA-256.
#[test]
fn published_digests_come_out() {
    let long = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    let published: [(Vec<u8>, &str); 9] = [
        (
            vec![],
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        ),
        (
            b"abc".to_vec(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        ),
        (
            long.to_vec(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
        ),
        (
            vec![0xbd],
            "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b",
        ),
        (
            vec![0xc9, 0x8c, 0x8e, 0x55],
            "7abc22c0ae5af26ce93dbb94433a0e0b2e119d014f8e7f65bd56c61ccccd9504",
        ),
        (
            vec![0; 55],
            "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7",
        ),
        (
            vec![0; 56],
            "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb",
        ),
        (
            vec![0; 64],
            "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b",
        ),
        (
            vec![0x41; 1000],
            "c2e686823489ced2017f6059b8b239318b6364f6dcd835d0a519105a1eadd6e4",
        ),
    ];
    let messages: Vec<Vec<u8>> = published
        .iter()
        .map(|(message, _)| message.clone())
        .collect();
    let mut runner = SimRunner::new(RAM_BYTES);
    let groups = load(&mut runner, &[messages]);
    let answer = &run(&mut runner, &groups)[0];
    for ((message, digest), computed) in published.iter().zip(answer.digests) {
        let text: String = computed.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(text, *digest, "{} bytes", message.len());
    }
    assert_clean(&runner);
}

#[test]
fn messages_of_every_length_up_to_1000_bytes_in_every_order_of_the_qpus() {
    let mut random = Random::new(tests::seed());
    let mut lengths: Vec<usize> = (0..=1000).collect();
    for index in (1..lengths.len()).rev() {
        lengths.swap(index, random.below(index + 1));
    }
    let messages: Vec<Vec<u8>> = lengths
        .iter()
        .map(|bytes| random_message(&mut random, *bytes))
        .collect();
    let groups: Vec<Vec<Vec<u8>>> = messages.chunks(LANES).map(<[_]>::to_vec).collect();
    let mut batches = groups.chunks(12).cycle();
    for mut runner in runners() {
        for sets in batches.by_ref().take(2) {
            runner.release_all();
            let groups = load(&mut runner, sets);
            let answers = run(&mut runner, &groups);
            for (messages, answer) in sets.iter().zip(&answers) {
                for (message, digest) in messages.iter().zip(answer.digests) {
                    assert_eq!(digest, reference(message), "{} bytes", message.len());
                }
            }
            let mut qpus: Vec<u32> = answers.iter().map(|answer| answer.qpu).collect();
            qpus.sort_unstable();
            qpus.dedup();
            assert_eq!(qpus.len(), sets.len(), "{qpus:?}");
        }
        assert_clean(&runner);
    }
}

#[test]
fn one_to_twelve_qpus_and_more_groups_than_that() {
    let mut random = Random::new(tests::seed());
    for count in [1, 2, 3, 5, 8, 11, 12, 13, 29] {
        let mut set = || -> Vec<Vec<u8>> {
            let lanes = 1 + random.below(LANES);
            (0..lanes)
                .map(|_| {
                    let bytes = random.below(200);
                    random_message(&mut random, bytes)
                })
                .collect()
        };
        let sets: Vec<_> = (0..count).map(|_| set()).collect();
        let mut runner = SimRunner::new(RAM_BYTES).with_order_seed(count);
        let groups = load(&mut runner, &sets);
        for (messages, answer) in sets.iter().zip(run(&mut runner, &groups)) {
            for (message, digest) in messages.iter().zip(answer.digests) {
                assert_eq!(digest, reference(message));
            }
        }
        assert_clean(&runner);
    }
}

#[test]
fn a_group_runs_again_and_forgets() {
    let mut runner = SimRunner::new(RAM_BYTES);
    let groups = load(&mut runner, &[vec![b"abc".to_vec()]]);
    let first = run(&mut runner, &groups);
    groups[0].forget(&mut runner).expect("its own buffer");
    let forgotten = groups[0].answer(&mut runner).expect("its own buffer");
    assert_ne!(forgotten.digests, first[0].digests);
    assert!(forgotten.qpu > 11);
    assert_eq!(run(&mut runner, &groups), first);
}

#[test]
fn the_known_messages_have_the_known_digests() {
    let messages = known::messages();
    let digests = messages.map(reference);
    assert!(known::are_right(&digests));
    let mut wrong = digests;
    wrong[15][31] ^= 1;
    assert!(!known::are_right(&wrong));
}

#[test]
fn the_same_messages_on_all_qpus_at_once_and_on_each_alone() {
    let mut runner = SimRunner::new(RAM_BYTES).with_order_seed(1);
    let mut sha256 = Sha256::new(&mut runner).expect("room");
    let first = sha256.load(&mut runner, &known::messages()).expect("room");
    let mut groups = vec![first];
    for _ in 1..QPUS {
        groups.push(first.again(&mut runner).expect("room"));
    }
    for answer in run(&mut runner, &groups) {
        assert!(known::are_right(&answer.digests));
    }
    for qpu in 0..QPUS {
        runner.use_qpus(QpuSet::only(qpu));
        first.forget(&mut runner).expect("its own buffer");
        let answer = run(&mut runner, &groups[..1])[0];
        assert!(known::are_right(&answer.digests));
        assert_eq!(answer.qpu, u32::from(qpu));
    }
    assert_clean(&runner);
}

/// Instructions that a block may take: 48 rounds of 34 and 16 of 21, what begins and ends the
/// loops, and what lies between blocks.
const BLOCK_INSTRUCTIONS: u64 = 48 * 34 + 16 * 21 + 6 * 2 + 2 * 2 + 32;

#[test]
fn a_block_takes_the_instructions_that_were_counted() {
    let instructions = |bytes: usize| {
        let mut runner = SimRunner::new(RAM_BYTES);
        let groups = load(&mut runner, &[vec![vec![0; bytes]; LANES]]);
        run(&mut runner, &groups);
        runner.statistics().instructions.iter().sum::<u64>()
    };
    assert_eq!(instructions(1000) - instructions(936), BLOCK_INSTRUCTIONS);
}

/// The published figure for SHA-256 on QPUs is 93 % of the issue slots (elorimer, rpi-playground).
#[test]
fn all_qpus_together_use_more_issue_slots_than_the_published_program() {
    const QPUS: usize = 12;
    let mut runner = SimRunner::new(RAM_BYTES).with_functional(false);
    let groups = load(&mut runner, &vec![vec![vec![0; 10_000]; LANES]; QPUS]);
    let programs: Vec<Program> = groups.iter().map(Group::program).collect();
    let launches = [Launch {
        programs: &programs,
        clear: Group::CLEAR,
        qpus: QpuSet::ALL,
    }];
    let job = Job {
        launches: &launches,
    };
    let report = runner.run(&job, LIMIT_US).expect("the job ends");
    let instructions: u64 = runner.statistics().instructions.iter().sum();
    let slots = report.cycles.expect("the simulator counts them") / 4 * QPUS as u64;
    let used = instructions as f64 / slots as f64;
    println!("{:.1} % of the issue slots", 100.0 * used);
    assert!(used > 0.93, "{used}");
}
