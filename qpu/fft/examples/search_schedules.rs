//! Searches for shorter schedules of the FFT programs, and prints lines of `schedules.txt`.
//!
//! `cargo run --release -p qpu-fft --example search_schedules [TRIES] [NAME]`: TRIES is at most
//! 65535.

use qpu_fft::kernels::catalogue::programs::{program, search, tasks};
use qpu_fft::program::Task;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let tries = arguments
        .next()
        .map_or(2000, |text| text.parse().expect("a number of tries"));
    let name = arguments.next().unwrap_or_default();
    for task in tasks() {
        if !matches!(task, Task::Points(_)) {
            continue;
        }
        let before = program(task);
        if !before.name().contains(&name) {
            continue;
        }
        let Some((line, length)) = search(task, tries) else {
            continue;
        };
        eprintln!(
            "{}: {} instructions in the loop, {length} without the store",
            before.name(),
            before.units.len()
        );
        println!("{line}");
    }
}
