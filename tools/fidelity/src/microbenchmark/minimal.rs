//! The shortest program there is: it raises the host interrupt and ends.
//!
//! Published with its counters, without the board; the memory map of the page is that of a Pi 1
//! with 512 MiB. The tool calls by mailbox and lets the firmware flush the system L2, so the code
//! comes from SDRAM; a program without uniforms has them at address 0.

use super::iteration::{halves, words};
use super::{Measurement, Microbenchmark, SWRENN};
use crate::machine::{Machine, config};
use crate::row::{Band, Section};
use qpu::generate::{Builder, HOST_INT};
use v3d_sim::{Board, Constants};

/// Clocks need only be near; the others count.
const CLOCKS: Band = Band::Within(0.12);

pub const LIST: &[Microbenchmark] = &[
    counter("minimal program: clocks active (14)", 86.0, CLOCKS, |c| {
        count(c, 14)
    }),
    counter(
        "minimal program: clocks executing (16)",
        16.0,
        Band::Exact,
        |c| count(c, 16),
    ),
    counter(
        "minimal program: instruction cache hits (20)",
        4.0,
        Band::Exact,
        |c| count(c, 20),
    ),
    counter(
        "minimal program: instruction cache misses (21)",
        1.0,
        Band::Exact,
        |c| count(c, 21),
    ),
    counter(
        "minimal program: uniform cache hits (22)",
        2.0,
        Band::Exact,
        |c| count(c, 22),
    ),
    counter(
        "minimal program: uniform cache misses (23)",
        1.0,
        Band::Exact,
        |c| count(c, 23),
    ),
    counter("minimal program: L2C misses (29)", 2.0, Band::Exact, |c| {
        count(c, 29)
    }),
];

const fn counter(
    what: &'static str,
    published: f64,
    band: Band,
    measure: fn(&Constants) -> Measurement,
) -> Microbenchmark {
    Microbenchmark {
        section: Section::Microbenchmarks,
        what,
        source: SWRENN,
        board: Board::Pi1,
        unit: "",
        published,
        band,
        fitted: false,
        measure,
    }
}

fn count(constants: &Constants, source: usize) -> Measurement {
    let mut b = Builder::new();
    b.mov(HOST_INT, 1);
    b.end();
    let mut machine = Machine::new(config(Board::Pi1, constants), 4096);
    let code = machine.alloc(4096).expect("a page");
    machine.store_flushed(code, &halves(&words(&b)));
    let run = machine.run(&[(code, 0)], 10_000)?;
    Ok(run.statistics.counters[source] as f64)
}
