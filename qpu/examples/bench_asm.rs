//! The time that the assembler takes.
//!
//! `cargo run --release -p qpu --example bench_asm -- FILE.qasm...` prints words and milliseconds
//! of each source, the best of ten runs. The goal is 200 ms for GPU_FFT's largest.

use std::path::Path;
use std::time::Instant;

use qpu::asm::{Include, Loaded, Options, assemble};

fn main() {
    let load = |include: &Include| {
        let path = Path::new(include.from).with_file_name(include.name);
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let name = path.display().to_string();
        Ok(Loaded { name, text })
    };
    for file in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{file}: {error}");
                continue;
            }
        };
        for check in [false, true] {
            let options = Options {
                file: &file,
                include: &load,
                check,
                ..Options::default()
            };
            let mut best = f64::INFINITY;
            let mut words = 0;
            for _ in 0..10 {
                let start = Instant::now();
                match assemble(&text, &options) {
                    Ok(assembly) => words = assembly.words.len(),
                    Err(errors) => {
                        eprintln!("{errors}");
                        break;
                    }
                }
                best = best.min(start.elapsed().as_secs_f64());
            }
            let what = if check { "with checks" } else { "alone" };
            println!("{file}: {words} words, {:.2} ms {what}", best * 1e3);
        }
    }
}
