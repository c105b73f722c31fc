//! The fuzz targets: plain functions that take any bytes and panic when a rule is broken.
//!
//! The ordinary test run gives each 10,000 inputs, `cargo xtask fuzz NAME COUNT` as many as asked.

/// The targets of the protocol, which its own tests drive too.
#[path = "../../kernel/wire/tests/fuzz/mod.rs"]
mod protocol;

/// The target of the blocks that bring samples into memory.
#[path = "blocks.rs"]
mod blocks;

use common::failure::{Exit, Failure};
use host::input::{self, Points, Reading, Recording, Stereo};
use kernel::instrument::Settings;
use std::path::Path;
use workbench::job_file::JobFile;

use qpu::job::{BusAddr, CacheClear, Program};
use tests::mutate::{self, Random};
use v3d_sim::{Conflicts, JobLaunch, JobOptions, SparseMemory, run_job};

/// A target and its name, which is also the name of its corpus folder.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const ALL: &[Target] = &[
    ("wire-decoder", protocol::fuzz_decoder),
    ("wire-payloads", protocol::fuzz_payloads),
    ("qpu-words", qpu_words),
    ("assembler", fuzz_assembler),
    ("qpu-programs", qpu_programs),
    ("qpu-instructions", qpu_instructions),
    ("qpu-textures", qpu_textures),
    ("job-files", job_files),
    ("recordings", recordings),
    ("settings", settings),
    ("control-blocks", blocks::control_blocks),
];

/// Any lines of settings are taken or refused with a sentence; a refusal changes nothing, and what
/// is written can be read back.
fn settings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (mut settings, _) = Settings::from_cmdline(&text);
    for line in text.lines() {
        let before = settings;
        if let Err(error) = settings.apply(line) {
            assert!(!error.to_string().is_empty());
            assert_eq!(settings, before);
            continue;
        }
        let (mut written, mut again) = (String::new(), Settings::default());
        settings
            .write("all", &mut written)
            .expect("a string takes it");
        again
            .apply(&written)
            .unwrap_or_else(|error| panic!("{written}: {error}"));
        let mut rewritten = String::new();
        again
            .write("all", &mut rewritten)
            .expect("a string takes it");
        assert_eq!(rewritten, written);
    }
}

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
    for finding in qpu::check::check_program(&words, |_| false, &[]) {
        assert!(!finding.to_string().is_empty());
    }
}

const CODE: u32 = 0x4000_0000;
const DATA: u32 = 0x4001_0000;

/// Any words run on some QPUs of the simulator, with time or without, end in one of its ways, the
/// same each time.
fn qpu_programs(bytes: &[u8]) {
    run_program(bytes, bytes.as_chunks().0, anything);
}

/// Runs programs whose words are instructions, whatever they do: fewer runs end at their first.
fn qpu_instructions(bytes: &[u8]) {
    let words = bytes.as_chunks().0.iter();
    let words: Vec<[u8; 8]> = words.map(|word| as_instruction(*word)).collect();
    run_program(bytes, &words, anything);
}

/// Runs programs of instructions of which some write coordinates, with uniforms that describe
/// textures.
fn qpu_textures(bytes: &[u8]) {
    let words: Vec<[u8; 8]> = bytes
        .as_chunks()
        .0
        .iter()
        .map(|word| {
            let word = u64::from_le_bytes(as_instruction(*word));
            // One in eight, picked by its own bits, writes t, r, b or s of TMU 0 or 1.
            let picked = Random::new(word).bits();
            let (coordinate, always) = (56 + (picked >> 3 & 7), 1 << 49);
            let word = match picked & 7 == 0 && word >> 60 < 14 {
                true => word & !(0x3f << 38 | 7 << 49) | coordinate << 38 | always,
                false => word,
            };
            word.to_le_bytes()
        })
        .collect();
    run_program(bytes, &words, descriptions);
}

/// The nearest instruction to a word.
fn as_instruction(word: [u8; 8]) -> [u8; 8] {
    let mut word = u64::from_le_bytes(word);
    // Reserved operations become nop, what stays no instruction an addition.
    if qpu::isa::decode(word).is_err() {
        word &= !(0x1f << 24 | 7 << 29);
    }
    if qpu::isa::decode(word).is_err() {
        word = word & 0x00ff_ffff_ffff_ffff | 0x1000_0000_0000_0000 | 12 << 24;
    }
    word.to_le_bytes()
}

/// Uniforms that are addresses, setup words and anything, so that some accesses find memory.
fn anything(index: u32, random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.bits() as u32,
        1 => 0x8000_0000 | random.bits() as u32,
        2 => random.bits() as u32 & 0x3fff,
        3 => CODE + 8 * index,
        _ => DATA + 4 * index,
    }
}

/// The two words that describe a raster texture of 32-bit texels, or nearly so, alternately: most
/// of them in the memory there is, with its borders treated in all ways.
fn descriptions(index: u32, random: &mut Random) -> u32 {
    const NEAREST: u32 = 1 << 31 | 1 << 7 | 1 << 4;
    let wrong = match random.below(8) {
        0 => 1 << random.below(32),
        _ => 0,
    };
    let right = match index % 2 {
        0 => DATA,
        _ => {
            let [height, width] = [(); 2].map(|()| random.below(34) as u32);
            NEAREST | height << 20 | width << 8 | random.below(16) as u32
        }
    };
    right ^ wrong
}

/// Runs words as a program; how is taken from `choice`.
fn run_program(choice: &[u8], words: &[[u8; 8]], uniform: fn(u32, &mut Random) -> u32) {
    let mut random = Random::new(choice.iter().fold(0, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    }));
    let program = Program {
        code: BusAddr(CODE),
        uniforms: BusAddr(DATA + 4 * random.below(64) as u32),
    };
    let launch = JobLaunch {
        programs: vec![program; [1, 2, 2, 3, 13][random.below(5)]],
        clear: [CacheClear::All, CacheClear::Data, CacheClear::None][random.below(3)],
    };
    let mut options = JobOptions {
        limit_cycles: [200, 400, 1_000, 2_000][random.below(4)],
        functional: random.below(2) == 0,
        strict: random.below(8) == 0,
        order_seed: (random.below(4) == 0).then(|| random.bits()),
        ..JobOptions::default()
    };
    if random.below(4) == 0 {
        let (conflict, choices) = Conflicts::ALL[random.below(Conflicts::ALL.len())];
        let chosen = options
            .conflicts
            .choose(conflict, choices[random.below(choices.len())]);
        chosen.expect("a choice of the list");
    }
    let launches = vec![launch; 1 + random.below(2)];
    let uniforms: Vec<u8> = (0..1024)
        .map(|index| uniform(index, &mut random))
        .flat_map(u32::to_le_bytes)
        .collect();
    let run = || {
        let mut memory = SparseMemory::new();
        memory.put_zero(CODE, 0x1_0000);
        memory.put(CODE, words.as_flattened());
        memory.put(DATA, &uniforms);
        let outcome = run_job(&mut memory, &launches, &options);
        for warning in &outcome.warnings {
            assert!(!warning.to_string().is_empty());
        }
        for fault in &outcome.faults {
            assert!(!fault.to_string().is_empty());
        }
        let data = memory.get(DATA, uniforms.len());
        (outcome, data.expect("it was put there"))
    };
    assert_eq!(run(), run());
}

/// Any text is a job, which then runs to an end, or a mistake whose place is named.
fn job_files(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // A folder that is not there: no file is ever found.
    match JobFile::parse(&text, Path::new("/no-such-folder")) {
        Ok(mut job) => {
            job.options.limit_cycles = job.options.limit_cycles.min(2_000);
            let outcome = run_job(&mut job.memory, &job.launches, &job.options);
            assert!(outcome.cycles <= 2_000 + 8);
        }
        Err(failure) => assert!(!failure.message.is_empty()),
    }
}

/// Any bytes are a recording, whose samples can then be read and sent, or refused in one sentence.
///
/// The reader is that of what they begin with; of others the length picks it, and the name.
fn recordings(bytes: &[u8]) {
    const RAW: [&str; 5] = ["cu8", "cs8", "i16_be", "cf32", "f64"];
    let how = Reading {
        rate: (!bytes.len().is_multiple_of(4)).then_some(wire::Rate {
            num: 48_000,
            den: 1,
        }),
        stereo: [None, Some(Stereo::Iq), Some(Stereo::Right)][bytes.len() % 3],
        detrend: bytes.len().is_multiple_of(5).then_some(true),
        ..Reading::default()
    };
    let read = |name: &str| input::read_bytes(name, bytes.to_vec(), &how);
    let recording = match bytes {
        [b'R' | b'B', ..] => read("HDSDR_20171123_005716Z_1130kHz_RF.wav"),
        [0x93, ..] => read("a.npy"),
        [b'{' | 0xef, ..] => described(bytes, &how),
        [b'a', ..] => read("a.sigmf"),
        _ if bytes.is_ascii() => read("a.csv"),
        _ => read(&format!("a.{}", RAW[bytes.len() % RAW.len()])),
    };
    let points = match bytes {
        [0x93, ..] => "a.npy",
        _ if bytes.is_ascii() => "a.csv",
        _ => "a.cs16_be",
    };
    let points = Points::decode(Path::new(points), &bytes.to_vec().into(), None, 10_000);
    let check = |failure: Failure| {
        assert_eq!(failure.exit, Exit::Usage);
        assert!(
            !failure.message.is_empty() && failure.message.len() < 1000,
            "{failure}"
        );
    };
    match recording {
        Ok(recording) => {
            for channel in &recording.channels {
                assert!(channel.points() > 0);
                let samples = &channel.samples;
                let sent = samples.travel(0, u64::MAX).expect("samples in memory");
                let width = samples.on_wire().sample_bytes(samples.domain());
                assert_eq!(sent.len() as u64, channel.points() * width as u64);
                let values = samples.values(0, u64::MAX).expect("samples in memory");
                assert!(values.iter().all(|x| x.is_finite()));
            }
        }
        Err(failure) => check(failure),
    }
    match points {
        Ok(points) => assert!(points.points.iter().flatten().all(|part| part.is_finite())),
        Err(failure) => check(failure),
    }
}

/// A recording whose description and samples are these bytes. What is written in place of the
/// description describes the same samples.
fn described(bytes: &[u8], how: &Reading) -> Result<Recording, Failure> {
    let read = |text: &[u8]| input::sigmf::read_memory(text, bytes.to_vec(), how);
    let recording = read(bytes)?;
    let own = recording.description.as_ref().expect("a description");
    let marks: Vec<_> = (0..).map_while(|number| own.mark(number)).collect();
    let marks: Vec<_> = marks.iter().map(|(_, text)| *text).collect();
    let text = format!("{}{}{}", own.head(), marks.join(","), own.tail());
    let again = read(text.as_bytes()).expect("a description");
    let samples = |recording: &Recording| {
        let samples = &recording.channels[0].samples;
        samples.travel(0, u64::MAX).expect("samples in memory")
    };
    assert_eq!(samples(&again), samples(&recording));
    assert_eq!(again.annotations.len(), recording.annotations.len());
    Ok(recording)
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

/// Any text, in either language, is assembled or refused with at least one error, within its
/// limits.
///
/// The first byte chooses the language, and whether the rest is the text itself or picks words of
/// the language, which reaches deeper than bytes do.
fn fuzz_assembler(bytes: &[u8]) {
    use qpu::asm::{Include, Limits, Loaded, Options, Severity, Syntax, assemble};

    let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
    let soup = first % 4 == 1;
    let text = if soup {
        words_of_the_language(rest)
    } else {
        String::from_utf8_lossy(bytes).into_owned()
    };
    let limits = Limits {
        steps: 5_000,
        repetitions: 100,
        output_bytes: 1 << 14,
        ..Limits::DEFAULT
    };
    let include = |include: &Include| match include.name.len() % 2 {
        0 => Err("not here".to_string()),
        _ => Ok(Loaded {
            name: include.name.to_string(),
            text: text.chars().rev().collect(),
        }),
    };
    let options = Options {
        limits,
        include: &include,
        syntax: if first % 8 == 3 {
            Syntax::RpiPlayground
        } else {
            Syntax::Vc4asm
        },
        check: first % 2 == 0,
        ..Options::default()
    };
    match assemble(&text, &options) {
        Ok(assembly) => {
            assert!(assembly.words.len() * 8 <= limits.output_bytes);
            assert_eq!(assembly.to_hex().lines().count(), assembly.words.len());
            assert!(assembly.listing().lines().count() >= assembly.words.len());
        }
        Err(errors) => {
            assert!(
                errors
                    .0
                    .iter()
                    .any(|error| error.severity == Severity::Error)
            );
            assert!(errors.0.len() <= 2 * limits.diagnostics + 1);
            assert!(!errors.to_string().is_empty());
        }
    }
}

/// A text of the assembler's own words, a byte for each.
fn words_of_the_language(bytes: &[u8]) -> String {
    use qpu::names;
    const MORE: &[&str] = &[
        "\n",
        "\n",
        "\n",
        "\n",
        ",",
        ",",
        ",",
        ";",
        "r0",
        "r1",
        "r4",
        "r5",
        "ra3",
        "ra31",
        "rb7",
        "-",
        "(",
        ")",
        "0",
        "1",
        "-1",
        "16",
        "0.5",
        "0x80000000",
        "+",
        "<<",
        ">>",
        "**",
        "/",
        ":a",
        ":1",
        "r:1b",
        "r:1f",
        "r:a",
        ".setf",
        ".ifz",
        ".8a",
        ".16bf",
        "x",
        "y",
        "f",
        "[",
        "]",
        "#",
        "\"",
        ".unpack8b",
        "::g",
        "!",
        "===",
    ];
    let mut all: Vec<String> = MORE.iter().map(|word| (*word).to_string()).collect();
    all.extend(names::DIRECTIVES.iter().map(|name| format!("\n.{name}")));
    all.extend(names::mnemonics().map(|name| format!("\n{name}")));
    all.extend(names::READS.iter().map(|name| name.0.to_string()));
    all.extend(names::WRITES.iter().map(|name| name.0.to_string()));
    all.extend(qpu::asm::built_in().map(str::to_string));
    let pick = |two: &[u8]| {
        let index = two
            .iter()
            .fold(0, |index, byte| index * 256 + usize::from(*byte));
        // Half of them from the short list, so that operands are frequent.
        let among = if index % 2 == 0 {
            MORE.len()
        } else {
            all.len()
        };
        all[index / 2 % among].as_str()
    };
    let words: Vec<&str> = bytes.chunks(2).map(pick).collect();
    words.join(" ")
}
