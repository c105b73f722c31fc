//! Tests that what the disassembler writes comes back from the assembler bit by bit.
#![cfg(feature = "text")]

use qpu::asm::{Options, assemble};
use qpu::disasm::{SourceOptions, source};

/// Words of a sequence that visits all bits; the same every time.
struct Random(u64);

impl Random {
    /// xorshift64*.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// Assembles what the disassembler writes of `words`, and compares.
fn assert_comes_back(words: &[u64], addresses: bool) {
    let options = SourceOptions {
        addresses,
        findings: &[],
    };
    let text = source(words, &options);
    let options = Options {
        check: false,
        ..Options::default()
    };
    let assembly = assemble(&text, &options).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(assembly.words.len(), words.len());
    for (index, (word, back)) in words.iter().zip(&assembly.words).enumerate() {
        let line = || {
            text.lines()
                .find(|line| line.contains(&format!("@{:04x}", index * 8)))
        };
        assert_eq!(
            word,
            back,
            "{word:#018x} came back as {back:#018x}: {:?}",
            line()
        );
    }
}

/// A word that is usual in all but a few bits.
fn nearly_usual(random: &mut Random) -> u64 {
    const USUAL: [u64; 8] = [
        0x1000_09e7_009e_7000,
        0x1002_4821_2209_0c87,
        0xd002_4862_819f_f2c0,
        0xe002_1c67_8090_4000,
        0xe800_09e7_0000_0019,
        0xf0f8_09e7_ffff_ff00,
        0xa002_0827_159e_7900,
        0xe202_29e7_0000_00cc,
    ];
    let word = USUAL[(random.next() >> 61) as usize];
    let bits = random.next();
    let mask = random.next() & random.next() & random.next() & random.next();
    word ^ (bits & mask)
}

#[test]
fn a_million_words_come_back() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..250 {
        let words: Vec<u64> = (0..4000)
            .map(|index| match index % 4 {
                0 => random.next(),
                // Load immediates, semaphores and branches are one word in eight.
                1 => random.next() | 0xe << 60,
                _ => nearly_usual(&mut random),
            })
            .collect();
        assert_comes_back(&words, round % 2 == 0);
    }
}

#[test]
fn every_pair_of_bits_of_usual_words_comes_back() {
    let bases = [
        0x1000_09e7_009e_7000_u64,
        0x1002_4821_2209_0c87,
        0xd002_4862_819f_f2c0,
        0xe002_1c67_8090_4000,
        0xe002_0c67_8304_080f,
        0xe800_09e7_0000_0019,
        0xf0f8_09e7_0000_0000,
        0xf0f5_09e7_0000_0000,
    ];
    for base in bases {
        let pairs = (0..64).flat_map(|one| (0..=one).map(move |two| 1_u64 << one | 1 << two));
        let words: Vec<u64> = pairs.map(|bits| base ^ bits).collect();
        assert_comes_back(&words, true);
    }
}

#[test]
fn published_programs_come_back() {
    let userland = tests::need!(
        tests::folder("QPUSCOPE_USERLAND"),
        "QPUSCOPE_USERLAND names no work tree of raspberrypi/userland"
    );
    let folder = userland.join("host_applications/linux/apps/hello_pi/hello_fft/hex");
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder of the shaders") {
        let path = entry.expect("a folder can be read").path();
        if path.extension().is_none_or(|extension| extension != "hex") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a shader is text");
        let words: Vec<u64> = text
            .lines()
            .filter_map(|line| {
                let mut halves = line.split("//").next()?.split(',').filter_map(|half| {
                    u64::from_str_radix(half.trim().strip_prefix("0x")?, 16).ok()
                });
                Some(halves.next()? | halves.next()? << 32)
            })
            .collect();
        assert!(words.len() > 100, "{}", path.display());
        assert_comes_back(&words, true);
        let text = source(&words, &SourceOptions::default());
        assert!(
            !text.contains("!bits"),
            "{}: every word is canonical",
            path.display()
        );
        files += 1;
    }
    assert_eq!(files, 16);
}
