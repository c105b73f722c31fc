//! Searches for shorter schedules of the one-pass FFT programs, and prints lines of
//! `schedules.txt`.
//!
//! `cargo run --release -p qpu-fft --example search_one_pass [TRIES [NAME]]`: TRIES is at most
//! 65535, 1000 if not given; NAME is that of a program, all if not given.

use qpu_fft::kernels::catalogue::programs::{Generated, one_pass_programs, search_one_pass};

fn main() {
    let [tries, name] = [1, 2].map(|number| std::env::args().nth(number));
    let tries = tries.map_or(1000, |text| text.parse().expect("a number up to 65535"));
    let is_wanted = |program: &Generated| name.as_ref().is_none_or(|name| *name == program.name());
    for program in one_pass_programs().into_iter().filter(is_wanted) {
        for (line, length) in search_one_pass(&program, tries) {
            eprintln!("{length} instructions");
            println!("{line}");
        }
    }
}
