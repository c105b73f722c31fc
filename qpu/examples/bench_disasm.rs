//! Times the disassembler, and sends as many words as asked through it and the assembler.
//!
//! ```console
//! $ cargo run --release -p qpu --example bench_disasm -- 10000000
//! ```
//!
//! Prints seconds for a million words as source, then how many words came back from the assembler.
//! A word that does not come back ends it with status 1.

use std::process::ExitCode;
use std::time::Instant;

use qpu::asm::{Options, assemble};
use qpu::disasm::{SourceOptions, source};

/// Words in one program.
const PROGRAM: usize = 10_000;

fn next(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

fn main() -> ExitCode {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(1_000_000);
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let words: Vec<u64> = (0..1_000_000).map(|_| next(&mut state)).collect();
    let start = Instant::now();
    let text = source(&words, &SourceOptions::default());
    println!(
        "disassembled {} words to {} bytes in {:.3} s",
        words.len(),
        text.len(),
        start.elapsed().as_secs_f64()
    );

    let start = Instant::now();
    let options = Options {
        check: false,
        ..Options::default()
    };
    let mut done = 0;
    while done < count {
        let words: Vec<u64> = (0..PROGRAM).map(|_| next(&mut state)).collect();
        let text = source(&words, &SourceOptions::default());
        match assemble(&text, &options) {
            Ok(assembly) if assembly.words == words => done += PROGRAM,
            Ok(assembly) => {
                let wrong = words
                    .iter()
                    .zip(&assembly.words)
                    .find(|(one, two)| one != two);
                println!("a word does not come back: {wrong:#018x?}");
                return ExitCode::FAILURE;
            }
            Err(errors) => {
                println!("{errors}");
                return ExitCode::FAILURE;
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("{done} words came back in {seconds:.1} s");
    ExitCode::SUCCESS
}
