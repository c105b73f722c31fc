//! Speed of reading and writing memory at the same time, as fast as the model can.
//!
//! Each QPU stores all of the VPM, the only way to write, and while that goes on looks as many
//! lines up, the fastest way to read; then it waits for both and goes on. What is stored is not
//! what was read: a copy could not be faster than this. Source and destination lie half of SDRAM's
//! banks apart, so that both keep rows of different banks open. The best of several numbers of QPUs
//! counts, and a figure is the difference between a short and a long run.

use anyhow::{Context, Result};
use fidelity::Machine;
use fidelity::machine::config;
use qpu::generate::{
    Builder, ELEM_NUM, NONE, R0, R1, R2, R3, ST_ADDR, ST_WAIT, TMU0_S, TMU1_S, UNIF, WR_SETUP, ra,
};
use qpu::isa::BranchCond;
use qpu::vpm::{Store, store_stride};
use serde::{Deserialize, Serialize};
use v3d_sim::{Board, Constants};

const LINE_BYTES: u32 = 64;

/// Rows of a store: all that user programs have.
const ROWS: u32 = 64;

/// Bytes that a QPU stores and reads at a time.
const BLOCK_BYTES: u32 = ROWS * LINE_BYTES;

/// Lookups that a QPU has under way in each TMU.
const AHEAD: u32 = 3;

/// No run takes this long.
const LIMIT_CLOCKS: u64 = 50_000_000;

/// The level of memory that data lie in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The cache that V3D shares with the rest of the chip.
    SystemL2,
    /// Behind it.
    Sdram,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::SystemL2, Self::Sdram];

    /// The name in a table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SystemL2 => "system L2",
            Self::Sdram => "SDRAM",
        }
    }
}

/// The rates of the memory: bytes a V3D clock, read and written together, as many of each.
#[derive(Clone, Copy, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Rates {
    /// In the system L2.
    pub system_l2: f64,
    /// Behind it.
    pub sdram: f64,
}

impl Rates {
    /// The rate of a level.
    #[must_use]
    pub const fn of(&self, level: Level) -> f64 {
        match level {
            Level::SystemL2 => self.system_l2,
            Level::Sdram => self.sdram,
        }
    }
}

/// Bytes read, and as many written; how often in the short and the long run; how many QPUs. Both
/// buffers fit the system L2 together while neither fits the L2C; or both are far larger than
/// either.
const fn shape(level: Level) -> (u32, [u32; 2], &'static [u32]) {
    match level {
        Level::SystemL2 => (24 << 10, [4, 20], &[2, 3, 6]),
        Level::Sdram => (1 << 20, [1, 2], &[2, 4, 8]),
    }
}

/// Measures what the memory of the model can do.
///
/// # Errors
/// When a program faults or does not end.
pub fn rates(constants: &Constants) -> Result<Rates> {
    Ok(Rates {
        system_l2: bytes_per_clock(Level::SystemL2, constants)?,
        sdram: bytes_per_clock(Level::Sdram, constants)?,
    })
}

/// Bytes read and written a clock, together, when as many are read as written.
///
/// # Errors
/// When a program faults or does not end.
pub fn bytes_per_clock(level: Level, constants: &Constants) -> Result<f64> {
    let (bytes, times, qpus) = shape(level);
    let moved = 2 * u64::from(bytes) * u64::from(times[1] - times[0]);
    let mut best: f64 = 0.0;
    for qpus in qpus {
        let [short, long] = times.map(|times| run(bytes, times, *qpus, constants));
        best = best.max(moved as f64 / (long? - short?) as f64);
    }
    Ok(best)
}

/// Clocks for `bytes` bytes read and as many written, `times` times.
fn run(bytes: u32, times: u32, qpus: u32, constants: &Constants) -> Result<u64> {
    let banks_bytes = constants.sdram_row_bytes * constants.sdram_banks;
    let apart = match bytes.is_multiple_of(banks_bytes) {
        true => banks_bytes / 2,
        false => 0,
    };
    let memory = 2 * bytes + apart + (1 + qpus) * 4096;
    let mut machine = Machine::new(config(Board::Pi1, constants), memory);
    let mut place = |bytes| machine.alloc(bytes).context("memory for a copy");
    let source = place(bytes + apart)?;
    let (destination, code) = (place(bytes)?, place(4096)?);
    let mut programs = Vec::new();
    for qpu in 0..qpus {
        let offset = BLOCK_BYTES * qpu;
        let blocks = bytes / BLOCK_BYTES / qpus;
        let step = BLOCK_BYTES * qpus;
        let uniforms = [times, blocks, source + offset, destination + offset, step];
        programs.push((place(4096)?, uniforms));
    }
    machine.store(code, &program()?);
    for (at, uniforms) in &programs {
        machine.store(*at, uniforms);
    }
    let programs: Vec<(u32, u32)> = programs.iter().map(|(at, _)| (code, *at)).collect();
    Ok(machine.run(&programs, LIMIT_CLOCKS)?.clocks)
}

/// Uniforms: times, blocks, first byte read, first byte written, bytes from one block to the next.
fn program() -> Result<Vec<u32>> {
    let [times, blocks, source, destination] = [0, 1, 2, 3].map(ra);
    let [left, from, to] = [4, 5, 6].map(ra);
    let setup = Store::rows(ROWS as u8, 0).setup();
    let mut b = Builder::new();
    for register in [times, blocks, source, destination] {
        b.mov(register, UNIF);
    }
    b.mov(R3, UNIF);
    b.ldi(WR_SETUP, setup.context("a store of the whole VPM")?);
    b.ldi(WR_SETUP, store_stride(0));
    b.ldi(R1, LINE_BYTES);
    b.mov(R2, ELEM_NUM);
    b.shl(R2, R2, 2);
    b.add(source, source, R2);
    b.nop();
    let again = b.here("again");
    b.mov(from, source);
    b.mov(to, destination);
    b.mov(left, blocks);
    b.nop();
    let next = b.here("next");
    b.mov(ST_ADDR, to);
    b.mov(R0, from);
    for pair in 0..ROWS / 2 + AHEAD {
        if pair < ROWS / 2 {
            b.mov(TMU0_S, R0);
            b.add(R0, R0, R1);
            b.mov(TMU1_S, R0);
            b.add(R0, R0, R1);
        }
        if pair >= AHEAD {
            b.nop().ldtmu0();
            b.nop().ldtmu1();
        }
    }
    b.add(from, from, R3);
    b.add(to, to, R3);
    b.mov(NONE, ST_WAIT);
    b.sub(left, left, 1).setf();
    b.brr(BranchCond::AnyZC, next);
    b.nops(3);
    b.sub(times, times, 1).setf();
    b.brr(BranchCond::AnyZC, again);
    b.nops(3);
    b.end();
    let words = b.finish()?;
    let halves = words.iter();
    Ok(halves
        .flat_map(|word| [*word as u32, (*word >> 32) as u32])
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::Recorded;
    use flowgraph::plan::bound::STORED_BYTES_PER_CLOCK;

    #[test]
    fn rates_lie_between_those_of_one_direction_and_of_two() {
        let constants = Constants::recommended();
        let measured = rates(&constants).unwrap_or_else(|e| panic!("{e}"));
        let (cache, sdram) = (measured.system_l2, measured.sdram);
        // A line each way behind the L2C takes 2 x 8.4 clocks of SDRAM; a stored line 14 of VDW.
        println!("{sdram:.3} {cache:.3} bytes a clock");
        assert!(sdram < cache, "{sdram} {cache}");
        assert!((5.0..=2.0 * 64.0 / 14.0).contains(&sdram), "{sdram}");
        assert!(cache <= 2.0 * 64.0 / 14.0, "{cache}");
        let differs = |a: f64, b: f64| (a / b - 1.0).abs() > 0.001;
        // A bound is half of it, and no store is faster than one of all lines.
        let stored = cache / 2.0;
        let whole =
            f64::from(BLOCK_BYTES) / (constants.vdw_start + constants.vdw_row * f64::from(ROWS));
        assert!(
            !differs(stored, STORED_BYTES_PER_CLOCK),
            "{stored}: record it"
        );
        assert!(!differs(whole, STORED_BYTES_PER_CLOCK), "{whole}");
        let recorded = Recorded::last().unwrap_or_else(|e| panic!("{e:#}")).rates;
        assert!(!differs(cache, recorded.system_l2), "{cache}: record it");
        assert!(!differs(sdram, recorded.sdram), "{sdram}: record it");
    }
}
