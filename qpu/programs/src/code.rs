//! The words of the programs that are written as text, and how they get into a runner's memory.

use qpu::job::{Buffer, CacheClear, Job, Launch, Program, QpuSet, Report, Runner};

include!(concat!(env!("OUT_DIR"), "/text.rs"));

/// Zeroed space behind a program: V3D fetches code ahead of what it executes.
const AHEAD_BYTES: u32 = 64;
/// Instructions that are copied at a time.
const CHUNK: usize = 16;

/// Puts a program into the memory of a runner.
///
/// # Errors
/// When there is no room.
pub fn place<R: Runner>(runner: &mut R, code: &[u64]) -> Result<Buffer, R::Error> {
    place_at(runner, 64, code.iter().copied())
}

/// Puts instructions into the memory of a runner, the first at a multiple of `align` bytes.
pub(crate) fn place_at<R: Runner>(
    runner: &mut R,
    align: u32,
    mut code: impl Iterator<Item = u64> + Clone,
) -> Result<Buffer, R::Error> {
    let count = code.clone().count();
    let buffer = runner.alloc(8 * count as u32 + AHEAD_BYTES, align)?;
    // A write reaches memory before the next: some words at a time.
    let mut words = [0; 2 * CHUNK];
    for first in (0..count).step_by(CHUNK) {
        let words = &mut words[..2 * CHUNK.min(count - first)];
        for (pair, word) in words.chunks_exact_mut(2).zip(&mut code) {
            pair.copy_from_slice(&[word as u32, (word >> 32) as u32]);
        }
        runner.write(buffer, 2 * first as u32, words)?;
    }
    let end = 2 * count as u32;
    runner.write(buffer, end, &[0; AHEAD_BYTES as usize / 4])?;
    Ok(buffer)
}

/// Puts uniforms into the memory of a runner, and two words more: V3D fetches so many ahead.
///
/// # Errors
/// When there is no room.
pub fn place_uniforms<R: Runner>(runner: &mut R, uniforms: &[u32]) -> Result<Buffer, R::Error> {
    let buffer = runner.alloc(4 * uniforms.len() as u32 + 8, 64)?;
    runner.write(buffer, 0, uniforms)?;
    runner.write(buffer, uniforms.len() as u32, &[0; 2])?;
    Ok(buffer)
}

/// Runs placed code on one of these QPUs, with uniforms that it places.
pub(crate) fn run_once<R: Runner>(
    runner: &mut R,
    code: Buffer,
    uniforms: &[u32],
    qpus: QpuSet,
    limit_us: u32,
) -> Result<Report, R::Error> {
    let program = Program {
        code: code.addr,
        uniforms: place_uniforms(runner, uniforms)?.addr,
    };
    let launch = Launch {
        programs: &[program],
        clear: CacheClear::All,
        qpus,
    };
    runner.run(
        &Job {
            launches: &[launch],
        },
        limit_us,
    )
}
