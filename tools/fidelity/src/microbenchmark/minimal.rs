//! The shortest program there is: it raises the host interrupt and ends.
//!
//! Published with its counters, without the board; the memory map of the page is that of a Pi 1
//! with 512 MiB. The tool calls by mailbox and lets the firmware flush the system L2, so the code
//! comes from SDRAM; a program without uniforms has them at address 0.

use super::iteration::{halves, words};
use super::{SWRENN, row};
use crate::machine::{Machine, MachineError, config};
use crate::row::{Band, Row};
use qpu::generate::{Builder, HOST_INT};
use v3d_sim::{Board, Constants};

/// The rows: its counters. Clocks need only be near.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let mut b = Builder::new();
    b.mov(HOST_INT, 1);
    b.end();
    let mut machine = Machine::new(config(Board::Pi1, constants), 4096);
    let code = machine.alloc(4096).expect("a page");
    machine.store_flushed(code, &halves(&words(&b)));
    let counters = machine.run(&[(code, 0)], 10_000)?.statistics.counters;
    let published = [
        ("clocks active", 14, 86.0, Band::Within(0.12)),
        ("clocks executing", 16, 16.0, Band::Exact),
        ("instruction cache hits", 20, 4.0, Band::Exact),
        ("instruction cache misses", 21, 1.0, Band::Exact),
        ("uniform cache hits", 22, 2.0, Band::Exact),
        ("uniform cache misses", 23, 1.0, Band::Exact),
        ("L2C misses", 29, 2.0, Band::Exact),
    ];
    let row = |(what, source, published, band): (_, usize, _, _)| Row {
        board: Board::Pi1,
        ..row(
            &format!("minimal program: {what} ({source})"),
            SWRENN,
            (published, ""),
            band,
            counters[source] as f64,
        )
    };
    Ok(published.into_iter().map(row).collect())
}
