//! Transforms of planes on the simulator.

use crate::ours::LIMIT_US;
use crate::peer;
use crate::side::microseconds;
use anyhow::{Context, Result};
use fidelity::Userland;
use fidelity::machine::config;
use fidelity::parallel::in_parallel;
use fidelity::report::table::{Table, figure};
use flowgraph::plan::bound::Bound;
use qpu::job::Runner;
use qpu_fft::request::{Request, Transform};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use serde::{Deserialize, Serialize};
use v3d_sim::{Board, Config, Constants, SimError, SimRunner};

/// Rows and columns of the planes, as powers of two.
const SIZES: [[u32; 2]; 7] = [[6, 6], [7, 7], [8, 8], [9, 9], [8, 10], [10, 8], [10, 10]];

/// A size of plane.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Plane {
    /// log2 of the number of rows.
    pub log2_rows: u32,
    /// log2 of the number of columns.
    pub log2_columns: u32,
    /// Times that all points go through memory.
    pub passes: u32,
    /// V3D clocks of the second run.
    pub cycles: u64,
    /// V3D clocks of GPU_FFT's two batches; `None` where it was not run or has no such length.
    pub peer_cycles: Option<u64>,
}

/// Measures all sizes.
pub fn measure(
    userland: Option<&Userland>,
    constants: &Constants,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Plane>> {
    in_parallel(
        &SIZES,
        |[rows, columns]| 1u64 << (rows + columns),
        |&[log2_rows, log2_columns]| {
            let (passes, cycles) = ours(log2_rows, log2_columns, constants)?;
            let peer_cycles = match userland {
                // It has no shorter transforms, and of squares one batch stands for both.
                Some(userland) if log2_rows == log2_columns && log2_rows >= 8 => {
                    let batch = peer::measure(userland, log2_rows, 1 << log2_rows, constants)?;
                    Some(2 * batch.cycles)
                }
                _ => None,
            };
            progress(&format!("a plane of 2^{log2_rows} x 2^{log2_columns}"));
            Ok(Plane {
                log2_rows,
                log2_columns,
                passes,
                cycles,
                peer_cycles,
            })
        },
    )
}

/// Passes, and clocks of the second run.
fn ours(log2_rows: u32, log2_columns: u32, constants: &Constants) -> Result<(u32, u64)> {
    let request = request(log2_rows, log2_columns);
    let config = Config {
        strict: true,
        ..config(Board::Pi1, constants)
    };
    let memory = Plan::memory::<SimError>(FFT, &request).context("planning a plane")?;
    let ram = 2 * request.input_bytes() as u32 + memory.total() + (1 << 20);
    let mut runner = SimRunner::with_config(ram, config);
    let mut plan = Plan::with_buffers(FFT, &request, &mut runner).context("planning a plane")?;
    // No time depends on the numbers.
    let points = vec![0; request.input_bytes() as usize / 4];
    let mut cycles = 0;
    for _ in 0..2 {
        runner.write(plan.input(), 0, &points)?;
        let report = plan.run(&mut runner, Direction::Forward, LIMIT_US);
        let report = report.context("running a plane")?;
        cycles = report.cycles.context("the simulator counts clocks")?;
    }
    Ok((plan.arrangement().passes().count() as u32, cycles))
}

fn request(log2_rows: u32, log2_columns: u32) -> Request {
    let transform = Transform::Plane {
        log2_rows,
        log2_columns,
    };
    Request::of(transform, 1)
}

/// The table of the document.
pub fn table(planes: &[Plane]) -> Table {
    let mut table = Table::new(&[
        "rows x columns",
        "passes",
        "clocks",
        "us",
        "bound us",
        "share",
        "GPU_FFT us",
        "ratio",
    ]);
    for plane in planes {
        let Plane {
            log2_rows,
            log2_columns,
            ..
        } = *plane;
        let bound = Bound::of_request(&request(log2_rows, log2_columns));
        let us = microseconds(plane.cycles as f64);
        let peer = plane.peer_cycles.map(|cycles| microseconds(cycles as f64));
        let dash = || "-".to_owned();
        table.row(vec![
            format!("{} x {}", 1u32 << log2_rows, 1u32 << log2_columns),
            plane.passes.to_string(),
            figure(plane.cycles as f64),
            figure(us),
            figure(microseconds(bound.clocks())),
            format!("{:.2}", bound.clocks() / plane.cycles as f64),
            peer.map_or_else(dash, figure),
            peer.map_or_else(dash, |peer| format!("{:.2}", peer / us)),
        ]);
    }
    table
}
