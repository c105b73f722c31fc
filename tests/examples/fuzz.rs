//! `cargo xtask fuzz NAME COUNT`: one fuzz target with as many inputs as asked.
//!
//! The input that made a target panic is left in `target/fuzz-NAME.bin`. Put it into the target's
//! folder under `tests/corpus` to have it tried first from then on.
#![forbid(unsafe_code)]

#[path = "../fuzz/targets.rs"]
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let names: Vec<&str> = targets::ALL.iter().map(|(name, _)| *name).collect();
    let [name, count] = words.as_slice() else {
        println!("{}", names.join("\n"));
        return ExitCode::SUCCESS;
    };
    let target = targets::ALL.iter().find(|(known, _)| known == name);
    let (Some(target), Ok(count)) = (target, count.parse()) else {
        eprintln!("fuzz takes one of {} and a count", names.join(", "));
        return ExitCode::FAILURE;
    };
    let mut last = (0, Vec::new());
    let run = catch_unwind(AssertUnwindSafe(|| {
        targets::drive(target, count, |number, input| {
            if number % 100_000 == 0 && number > 0 {
                eprintln!("{number} of {count}");
            }
            last = (number, input.to_vec());
        });
    }));
    if run.is_ok() {
        println!("{name}: {count} inputs, no failure");
        return ExitCode::SUCCESS;
    }
    let path = tests::root().join(format!("target/fuzz-{name}.bin"));
    match std::fs::write(&path, &last.1) {
        Ok(()) => eprintln!("input {} failed; it is in {}", last.0, path.display()),
        Err(error) => eprintln!("input {} failed; not saved: {error}", last.0),
    }
    ExitCode::FAILURE
}
