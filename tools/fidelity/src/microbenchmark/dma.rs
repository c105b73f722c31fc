//! VDR and VDW: rates of one engine, with one QPU that waits for each transfer.
//!
//! Two sources cannot both be met: the forum's formulas (2n + 6 and 2n + 10 slots for n rows) say
//! 8 clocks a row, the rates 14 and 23. The formulas may be those of memory that the L2 of the
//! system holds; they are reported, and the rates are what the model is held to.

use super::iteration::{DATA, Iteration, Loop};
use super::{FORUM, Measurement, Microbenchmark, TERMINUS};
use crate::machine::MachineError;
use crate::row::{Band, Section};
use qpu::generate::{
    Builder, LD_ADDR, LD_WAIT, NONE, R0, R1, RD_SETUP, ST_ADDR, ST_WAIT, WR_SETUP,
};
use qpu::vpm::{Load, Store, store_stride};
use v3d_sim::{Board, Constants};

const ROW_BYTES: u32 = 64;

/// Transfers in an iteration, so that the loop's own instructions do not count.
const TRANSFERS: u32 = 16;

/// Memory that the transfers walk through, again and again.
const SPAN_BYTES: u32 = 1 << 20;

pub const LIST: &[Microbenchmark] = &[
    rate("VDR, 16 rows of 64 bytes a load", 690.0, |constants| {
        rate_of(load(constants, 16), 16)
    }),
    rate("VDR, 1 row of 64 bytes a load", 200.0, |constants| {
        rate_of(load(constants, 1), 1)
    }),
    rate("VDW, 128 rows of 64 bytes a store", 1120.0, |constants| {
        rate_of(store(constants, 128), 128)
    }),
    rate("VDW, 1 row of 64 bytes a store", 300.0, |constants| {
        rate_of(store(constants, 1), 1)
    }),
    formula("VDR of 16 rows, 2n + 6", 38.0, |constants| {
        wait_of(load(constants, 16))
    }),
    formula("VDR of 1 row, 2n + 6", 8.0, |constants| {
        wait_of(load(constants, 1))
    }),
    formula("VDW of 16 rows, 2n + 10", 42.0, |constants| {
        wait_of(store(constants, 16))
    }),
    formula("VDW of 1 row, 2n + 10", 12.0, |constants| {
        wait_of(store(constants, 1))
    }),
];

const fn rate(
    what: &'static str,
    published: f64,
    measure: fn(&Constants) -> Measurement,
) -> Microbenchmark {
    Microbenchmark {
        section: Section::Microbenchmarks,
        what,
        source: TERMINUS,
        board: Board::Pi2,
        unit: "MB/s",
        published,
        band: Band::Within(0.12),
        fitted: true,
        measure,
    }
}

const fn formula(
    what: &'static str,
    published: f64,
    measure: fn(&Constants) -> Measurement,
) -> Microbenchmark {
    Microbenchmark {
        section: Section::Microbenchmarks,
        what,
        source: FORUM,
        board: Board::Pi2,
        unit: "slots",
        published,
        band: Band::Reported,
        fitted: false,
        measure,
    }
}

fn rate_of(iteration: Result<Iteration, MachineError>, rows: u32) -> Measurement {
    let bytes = f64::from(rows * ROW_BYTES * TRANSFERS);
    let seconds = iteration?.clocks / f64::from(Board::Pi2.clock_hz());
    Ok(bytes / seconds / 1e6)
}

/// Slots that each transfer is waited for.
fn wait_of(iteration: Result<Iteration, MachineError>) -> Measurement {
    Ok(iteration?.stall_slots() / f64::from(TRANSFERS))
}

fn load(constants: &Constants, rows: u8) -> Result<Iteration, MachineError> {
    let setup = Load::rows(rows, 0).setup().expect("in range");
    transfers(
        constants,
        rows,
        &|b| {
            b.ldi(RD_SETUP, setup);
        },
        &|b| {
            b.mov(LD_ADDR, R0);
        },
        &|b| {
            b.mov(NONE, LD_WAIT);
        },
    )
}

fn store(constants: &Constants, rows: u8) -> Result<Iteration, MachineError> {
    let setup = Store::rows(rows, 0).setup().expect("in range");
    transfers(
        constants,
        rows,
        &|b| {
            b.ldi(WR_SETUP, setup);
            b.ldi(WR_SETUP, store_stride(0));
        },
        &|b| {
            b.mov(ST_ADDR, R0);
        },
        &|b| {
            b.mov(NONE, ST_WAIT);
        },
    )
}

type Part<'a> = &'a dyn Fn(&mut Builder);

/// Transfer after transfer through memory, each started as soon as the one before is done.
fn transfers(
    constants: &Constants,
    rows: u8,
    setup: Part,
    start: Part,
    wait: Part,
) -> Result<Iteration, MachineError> {
    let step = u32::from(rows) * ROW_BYTES;
    Loop {
        board: Board::Pi2,
        data_bytes: SPAN_BYTES,
        uniforms: &[],
        setup: &|b| {
            setup(b);
            b.ldi(R1, step);
        },
        body: &|b| {
            // A block of memory that all iterations go through.
            b.mov(R0, DATA);
            for _ in 0..TRANSFERS {
                start(b);
                b.add(R0, R0, R1);
                wait(b);
            }
        },
    }
    .measure(constants)
}
