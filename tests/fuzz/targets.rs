//! The fuzz targets: plain functions that take any bytes and panic when a rule is broken.
//!
//! The ordinary test run gives each 10,000 inputs, `cargo xtask fuzz NAME COUNT` as many as asked.

use qpu::job::{BusAddr, CacheClear, Program};
use tests::mutate::{self, Random};
use v3d_sim::{JobLaunch, JobOptions, SparseMemory, run_job};

/// A target and its name, which is also the name of its corpus folder.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const ALL: &[Target] = &[
    ("wire-decoder", wire::fuzz::fuzz_decoder),
    ("wire-payloads", wire::fuzz::fuzz_payloads),
    ("qpu-words", qpu_words),
    ("qpu-programs", qpu_programs),
];

/// Any 64-bit word decodes to fields that encode to it, or is refused; any program can be checked
/// and listed.
fn qpu_words(bytes: &[u8]) {
    let words = bytes.as_chunks().0.iter();
    let words: Vec<u64> = words.map(|word| u64::from_le_bytes(*word)).collect();
    for (word, pc) in words.iter().zip((0..).step_by(8)) {
        if let Ok(instruction) = qpu::isa::decode(*word) {
            assert_eq!(instruction.encode(), *word, "{instruction:?}");
        }
        assert!(!qpu::disasm::line(*word, pc).is_empty());
    }
    for finding in qpu::check::check(&words) {
        assert!(!finding.to_string().is_empty());
    }
}

/// Any words run on two QPUs of the simulator end in one of its four ways, the same each time.
fn qpu_programs(bytes: &[u8]) {
    const CODE: u32 = 0x4000_0000;
    const DATA: u32 = 0x4001_0000;
    let program = Program {
        code: BusAddr(CODE),
        uniforms: BusAddr(DATA),
    };
    let launches = [JobLaunch {
        programs: vec![program; 2],
        clear: CacheClear::All,
    }];
    let options = JobOptions {
        limit_cycles: 4_000,
        ..JobOptions::default()
    };
    let run = || {
        let mut memory = SparseMemory::new();
        memory.put_zero(CODE, 0x1_0000);
        memory.put(CODE, &bytes[..bytes.len() / 8 * 8]);
        // Uniforms that are addresses, so that some accesses find memory.
        let uniforms: Vec<u8> = (0..1024_u32)
            .flat_map(|i| (DATA + 4 * i).to_le_bytes())
            .collect();
        memory.put(DATA, &uniforms);
        let outcome = run_job(&mut memory, &launches, &options);
        let data = memory.get(DATA, uniforms.len());
        (outcome, data.expect("it was put there"))
    };
    assert_eq!(run(), run());
}

/// Gives a target its corpus and then `count` inputs made from it; `progress` sees each before the
/// target does, so that the one that makes it panic is known.
pub fn drive(target: &Target, count: u64, mut progress: impl FnMut(u64, &[u8])) {
    let (name, function) = target;
    let corpus = mutate::corpus(&tests::root().join("tests/corpus").join(name));
    for input in &corpus {
        progress(0, input);
        function(input);
    }
    let mut random = Random::new(tests::seed());
    for number in 1..=count {
        let input = mutate::input(&corpus, &mut random);
        progress(number, &input);
        function(&input);
    }
}
