//! Searches for shorter schedules of the cooperative FFT programs, and prints entries of `coop/tastes.rs`.
//!
//! `cargo run --release -p qpu --example search_coop [TRIES]`: TRIES is at most 65535, 1000 if not given.

use qpu::generate::fft::coop::{programs, search};

fn main() {
    let tries = std::env::args().nth(1);
    let tries = tries.map_or(1000, |text| text.parse().expect("a number up to 65535"));
    for program in programs() {
        let found = search(program.log2_points, tries).into_iter().enumerate();
        for (piece, (taste, length)) in found {
            let (log2, order, moves) = (program.log2_points, taste.order.unwrap_or(0), taste.moves);
            println!("    ({log2}, {piece}, {order}, &{moves:?}), // {length}");
        }
    }
}
