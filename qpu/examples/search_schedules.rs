//! Searches for shorter schedules of the FFT programs, and prints the entries of `tastes.rs`.
//!
//! `cargo run --release -p qpu --example search_schedules [TRIES] [NAME]`: TRIES is at most 65535.

use qpu::fft::program::Task;
use qpu::generate::fft::unit::{program, search, tasks};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let tries = arguments
        .next()
        .map_or(2000, |text| text.parse().expect("a number of tries"));
    let name = arguments.next().unwrap_or_default();
    for task in tasks() {
        let Task::Points(kind) = task else {
            continue;
        };
        let before = program(task);
        if !before.name().contains(&name) {
            continue;
        }
        let (taste, length) = search(task, tries);
        eprintln!(
            "{}: {} instructions in the loop, {length} without the store",
            before.name(),
            before.units.len()
        );
        println!(
            "    (Role::{:?}, {}, Samples::{:?}, {}, &{:?}),",
            kind.role,
            kind.radix,
            kind.samples,
            taste.order.unwrap_or(0),
            taste.moves
        );
    }
}
