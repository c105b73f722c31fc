//! VDR and VDW: rates of one engine, with one QPU that waits for each transfer.
//!
//! Two sources cannot both be met: the forum's formulas (2n + 6 and 2n + 10 slots for n rows) say
//! 8 clocks a row, the rates 14 and 23. The formulas may be those of memory that the L2 of the
//! system holds; they are reported, and the rates are what the model is held to.

use super::iteration::{DATA, Iteration, Loop};
use super::{FORUM, TERMINUS, row};
use crate::machine::MachineError;
use crate::row::{Band, Row};
use qpu::generate::{
    Dst, LD_ADDR, LD_WAIT, NONE, R0, R1, RD_SETUP, ST_ADDR, ST_WAIT, Src, WR_SETUP,
};
use qpu::vpm::{Load, Store, store_stride};
use v3d_sim::{Board, Constants};

const ROW_BYTES: u32 = 64;

/// Transfers in an iteration, so that the loop's own instructions do not count.
const TRANSFERS: u32 = 16;

/// Memory that the transfers walk through, again and again.
const SPAN_BYTES: u32 = 1 << 20;

/// The rows.
pub fn rows(constants: &Constants) -> Result<Vec<Row>, MachineError> {
    let [load_16, load_1] = [load(constants, 16)?, load(constants, 1)?];
    let [store_128, store_16, store_1] = [128, 16, 1].map(|rows| store(constants, rows));
    let (store_128, store_16, store_1) = (store_128?, store_16?, store_1?);
    let rate = |what, published, iteration: &Iteration, rows: u32| {
        let bytes = f64::from(rows * ROW_BYTES * TRANSFERS);
        let seconds = iteration.clocks / f64::from(Board::Pi2.clock_hz());
        let band = Band::Within(0.12);
        let rate = bytes / seconds / 1e6;
        Row {
            fitted: true,
            ..row(what, TERMINUS, (published, "MB/s"), band, rate)
        }
    };
    // Slots that each transfer is waited for.
    let formula = |what, published, iteration: &Iteration| {
        let slots = iteration.stall_slots() / f64::from(TRANSFERS);
        row(what, FORUM, (published, "slots"), Band::Reported, slots)
    };
    Ok(vec![
        rate("VDR, 16 rows of 64 bytes a load", 690.0, &load_16, 16),
        rate("VDR, 1 row of 64 bytes a load", 200.0, &load_1, 1),
        rate("VDW, 128 rows of 64 bytes a store", 1120.0, &store_128, 128),
        rate("VDW, 1 row of 64 bytes a store", 300.0, &store_1, 1),
        formula("VDR of 16 rows, 2n + 6", 38.0, &load_16),
        formula("VDR of 1 row, 2n + 6", 8.0, &load_1),
        formula("VDW of 16 rows, 2n + 10", 42.0, &store_16),
        formula("VDW of 1 row, 2n + 10", 12.0, &store_1),
    ])
}

fn load(constants: &Constants, rows: u8) -> Result<Iteration, MachineError> {
    let setup = Load::rows(rows, 0).setup().expect("in range");
    transfers(constants, rows, &[(RD_SETUP, setup)], LD_ADDR, LD_WAIT)
}

fn store(constants: &Constants, rows: u8) -> Result<Iteration, MachineError> {
    let setup = Store::rows(rows, 0).setup().expect("in range");
    let setups = [(WR_SETUP, setup), (WR_SETUP, store_stride(0))];
    transfers(constants, rows, &setups, ST_ADDR, ST_WAIT)
}

/// Transfer after transfer through memory, each started as soon as the one before is done.
fn transfers(
    constants: &Constants,
    rows: u8,
    setups: &[(Dst, u32)],
    start: Dst,
    wait: Src,
) -> Result<Iteration, MachineError> {
    let step = u32::from(rows) * ROW_BYTES;
    Loop {
        data_bytes: SPAN_BYTES,
        uniforms: &[],
        setup: &|b| {
            for (dst, word) in setups {
                b.ldi(*dst, *word);
            }
            b.ldi(R1, step);
        },
        body: &|b| {
            // A block of memory that all iterations go through.
            b.mov(R0, DATA);
            for _ in 0..TRANSFERS {
                b.mov(start, R0);
                b.add(R0, R0, R1);
                b.mov(NONE, wait);
            }
        },
    }
    .measure(constants)
}
