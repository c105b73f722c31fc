//! The words of the programs that are written as text, and how they get into a runner's memory.

use qpu::job::{Buffer, Runner};

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
    let buffer = runner.alloc(8 * code.len() as u32 + AHEAD_BYTES, 64)?;
    // A write reaches memory before the next: some words at a time.
    let mut words = [0; 2 * CHUNK];
    for (number, chunk) in code.chunks(CHUNK).enumerate() {
        for (pair, word) in words.chunks_exact_mut(2).zip(chunk) {
            pair.copy_from_slice(&[*word as u32, (*word >> 32) as u32]);
        }
        runner.write(
            buffer,
            (number * 2 * CHUNK) as u32,
            &words[..2 * chunk.len()],
        )?;
    }
    runner.write(
        buffer,
        2 * code.len() as u32,
        &[0; AHEAD_BYTES as usize / 4],
    )?;
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
