//! The meaning of the performance counters: one straight program on all QPUs, and what it must
//! show.
//!
//! All QPUs run the same code with the same uniforms and look up the same lines.

use super::iteration::{LINE_BYTES, halves, read_uniforms, words};
use super::lookup::addresses;
use super::{OBSERVED, row};
use crate::machine::{Machine, MachineError, config};
use crate::row::{Band, Row, Section};
use qpu::generate::{Builder, R0, R1, TMU0_S, UNIF, ra};
use v3d_sim::{Board, Constants};

const QPUS: u64 = 12;
const SLICES: u64 = 3;
const TMUS: u64 = 6;

/// Uniforms that each QPU reads: with the two that it fetches ahead, two lines.
const UNIFORMS: u64 = 30;
/// Lines that each QPU looks up.
const LOOKUPS: u64 = 4;

fn program() -> Vec<u64> {
    let mut b = Builder::new();
    // Iterations, in a loop.
    b.mov(ra(0), UNIF);
    b.mov(super::iteration::DATA, UNIF);
    read_uniforms(&mut b, UNIFORMS as usize - 2);
    addresses(&mut b, LINE_BYTES);
    for _ in 0..LOOKUPS {
        b.mov(TMU0_S, R0);
        b.nop().ldtmu0();
        b.add(R0, R0, R1);
    }
    b.end();
    words(&b)
}

/// The rows.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let words = program();
    let mut machine = Machine::new(config(Board::Pi2, constants), 3 * 4096);
    let mut place = || machine.alloc(4096).expect("three pages");
    let (code, uniforms, data) = (place(), place(), place());
    machine.store(code, &halves(&words));
    let mut list = vec![0; UNIFORMS as usize];
    list[1] = data;
    machine.store(uniforms, &list);
    let run = machine.run(&[(code, uniforms); QPUS as usize], 1_000_000)?;
    let counters = run.statistics.counters;

    let instructions = words.len() as u64;
    let code_lines = instructions.div_ceil(8);
    let uniform_lines = (UNIFORMS + 2) / 16;
    let row = |(what, published, simulated): (&str, u64, u64)| Row {
        section: Section::CounterIdentities,
        ..row(
            what,
            OBSERVED,
            (published as f64, ""),
            Band::Exact,
            simulated as f64,
        )
    };
    let slice_lines = SLICES * (code_lines + uniform_lines) + TMUS * LOOKUPS;
    let counts = [
        (
            "16: four clocks an instruction",
            4 * QPUS * instructions,
            counters[16],
        ),
        (
            "20: instructions fetched, misses too",
            QPUS * instructions,
            counters[20],
        ),
        (
            "21: lines of code filled in each slice",
            SLICES * code_lines,
            counters[21],
        ),
        (
            "22: uniforms read, and two a QPU",
            QPUS * (UNIFORMS + 2),
            counters[22],
        ),
        (
            "23: lines of uniforms filled in each slice",
            SLICES * uniform_lines,
            counters[23],
        ),
        (
            "24: sixteen for each lookup",
            16 * QPUS * LOOKUPS,
            counters[24],
        ),
        ("25: lines that TMUs filled", TMUS * LOOKUPS, counters[25]),
        (
            "29: lines that the L2C filled",
            code_lines + uniform_lines + LOOKUPS,
            counters[29],
        ),
        (
            "28 and 29: all lines that slices filled",
            slice_lines,
            counters[28] + counters[29],
        ),
    ];
    Ok(counts.into_iter().map(row).collect())
}
