//! The time that a plan takes when it is run: simulated, or on a board.

use qpu::fft::request::{Error, Request};
use qpu::fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::{Board, Config, Constants, SimError, SimRunner};

use crate::client::Client;
use crate::failure::{Failure, Result};
use crate::remote::Remote;
use crate::transform::{LIMIT_US, failed, memory};
/// Runs on a board behind the first. Its clock counts microseconds, and its memory is refreshed now
/// and then.
pub const RUNS: u32 = 8;

/// The time that a board took.
pub struct Measured {
    /// Microseconds from the first request to V3D to the end of the last program, in the shortest
    /// run.
    pub us: u32,
    /// The board at the other end of the line.
    pub place: String,
}

/// Clocks of the second run on the simulator, of that board's V3D.
///
/// # Errors
/// Usage, when there is no such plan or it needs more memory than a board has.
pub fn simulated(
    request: &Request,
    direction: Direction,
    board: Board,
    constants: &Constants,
) -> Result<f64> {
    let bytes = bytes(request)?;
    let config = Config {
        strict: true,
        constants: constants.clone(),
        ..Config::for_board(board)
    };
    let mut runner = SimRunner::with_config(bytes, config);
    let refused = |error: Error<SimError>| Failure::usage(error.to_string());
    let mut plan = Plan::with_buffers(FFT, request, &mut runner).map_err(refused)?;
    let mut run = || {
        let report = plan.run(&mut runner, direction, LIMIT_US);
        report.map_err(|error| {
            Failure::integrity(format!("the simulated V3D failed: {error}; report it"))
        })
    };
    run()?;
    Ok(run()?.cycles.unwrap_or(0) as f64)
}

/// Measures a plan on the board of `client`, with whatever is in its memory.
///
/// # Errors
/// As [`simulated`]; what the board says.
pub fn on_board(request: &Request, direction: Direction, client: Client) -> Result<Measured> {
    let mut remote = Remote::new(client, bytes(request)?)?;
    let mut plan = Plan::with_buffers(FFT, request, &mut remote).map_err(failed)?;
    let mut run = || plan.run(&mut remote, direction, LIMIT_US).map_err(failed);
    run()?;
    let mut us = u32::MAX;
    for _ in 0..RUNS {
        us = us.min(run()?.elapsed_us);
    }
    Ok(Measured {
        us,
        place: remote.description(),
    })
}

fn bytes(request: &Request) -> Result<u32> {
    let remedy = ": take a shorter transform or a smaller batch, or leave --time";
    memory(request, "the plan needs", remedy)
}
