//! A loop of any length, made of `bench-code.qasm` and `nop`s.

use qpu::job::{Buffer, Runner};

use crate::code::BENCH_CODE;

/// Instructions before the loop: a line.
const HEAD: usize = 8;
/// Instructions of the loop as it is written: its counter, its branch and the three behind that.
const LOOP: usize = 5;
/// Zeroed space behind a program: V3D fetches code ahead of what it executes.
const AHEAD_BYTES: u32 = 64;
/// `nop`s that are copied at a time.
const CHUNK: usize = 16;

/// Puts a loop of `bytes` bytes, a multiple of 64, at the start of a line, and what begins and ends
/// it, into the memory of `runner`.
///
/// # Errors
/// When there is no room.
pub fn place_loop<R: Runner>(runner: &mut R, bytes: u32) -> Result<Buffer, R::Error> {
    let (head, tail) = BENCH_CODE.split_at(HEAD);
    let nops = (bytes as usize / 8).saturating_sub(LOOP);
    let all = 8 * (BENCH_CODE.len() + nops) as u32;
    // A page, so that lines lie in the sets of caches as they do anywhere else.
    let buffer = runner.alloc(all + AHEAD_BYTES, 4096)?;
    let mut at = 0;
    let mut put = |words: &[u64]| {
        let mut halves = [0; 2 * CHUNK];
        for (pair, word) in halves.chunks_exact_mut(2).zip(words) {
            pair.copy_from_slice(&[*word as u32, (*word >> 32) as u32]);
        }
        let first = at;
        at += 2 * words.len() as u32;
        runner.write(buffer, first, &halves[..2 * words.len()])
    };
    put(head)?;
    // The last instruction of the head is a `nop`.
    let nop = head[HEAD - 1];
    for first in (0..nops).step_by(CHUNK) {
        put(&[nop; CHUNK][..CHUNK.min(nops - first)])?;
    }
    let mut end = [0; CHUNK];
    let end = &mut end[..tail.len().min(CHUNK)];
    end.copy_from_slice(&tail[..end.len()]);
    // The branch's offset is its lower word.
    let offset = (end[1] as u32).wrapping_sub(8 * nops as u32);
    end[1] = end[1] >> 32 << 32 | u64::from(offset);
    put(end)?;
    put(&[0; AHEAD_BYTES as usize / 8])?;
    Ok(buffer)
}
