//! hello: what `hello.qasm` expects in memory, and what it leaves there.

use qpu::job::{QpuSet, Runner};

use crate::code::{HELLO, place, run_once};

/// The number that the program adds.
pub const ADDED: u32 = 0x1234;

/// Runs hello once, on whichever QPU the runner chooses: sixteen times `number` + [`ADDED`].
///
/// # Errors
/// Those of the runner.
pub fn hello<R: Runner>(runner: &mut R, number: u32, limit_us: u32) -> Result<[u32; 16], R::Error> {
    let code = place(runner, HELLO)?;
    let result = runner.alloc(64, 64)?;
    runner.write(result, 0, &[0; 16])?;
    let uniforms = [number, result.addr.0];
    run_once(runner, code, &uniforms, QpuSet::ALL, limit_us)?;
    let mut words = [0; 16];
    runner.read(result, 0, &mut words)?;
    Ok(words)
}
