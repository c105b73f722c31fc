//! GPU_FFT's transposition program: rows of one batch become columns of another's input.
//!
//! One QPU moves tiles of 8 x 16 points through both TMUs and the VPM. It finds both buffers
//! through the mailbox messages of the two plans, which plans of the direct path do not have, and
//! its stores have a stride of 16 bits: rows of the destination hold 4096 points at most.

use super::{Error, LIMIT_CLOCKS, Plan};
use crate::machine::{Machine, Run};
use crate::userland::Userland;

/// Transposes `source`'s results into `destination`'s input: point x of transform y becomes point y
/// of transform x.
///
/// # Errors
/// When a plan is started directly, a side does not suit the program, or it does not end well.
pub fn transpose(
    userland: &Userland,
    source: &Plan,
    destination: &Plan,
    machine: &mut Machine,
) -> Result<Run, Error> {
    let width = (1 << source.shape.log2n).min(destination.shape.jobs);
    let height = source.shape.jobs.min(1 << destination.shape.log2n);
    let fits =
        width.is_multiple_of(16) && height.is_multiple_of(8) && destination.shape.log2n <= 12;
    let refused = Error::Matrix { width, height };
    if !fits || source.message == 0 || destination.message == 0 {
        return Err(refused);
    }
    let words = userland.shader(source.shape.release, "trans")?;
    // Header, code, uniforms and message take a page each.
    let block = machine.alloc(4 * 4096).ok_or(refused)?;
    let (code, uniforms) = (block + 4096, block + 2 * 4096);
    machine.store(code, &words);
    machine.store(
        uniforms,
        &[
            source.message,
            source.output - source.input,
            destination.message,
            0,
            source.shape.buffer_bytes(),
            destination.shape.buffer_bytes(),
            width,
            height,
        ],
    );
    machine
        .run(&[(code, uniforms)], LIMIT_CLOCKS)
        .map_err(|error| Error::Machine {
            what: format!("transposition of {width} x {height} points"),
            error,
        })
}
