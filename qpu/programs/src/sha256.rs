//! SHA-256: what `sha256.qasm` expects in memory, and what it leaves there.
//!
//! Messages are padded and cut into blocks of 64 bytes by the ARM or the host, which also turns the
//! bytes of each word around; sixteen messages, whose lengths may differ, are a [`Group`], and a
//! group is the work of one QPU. `sha256.qasm` documents the uniforms.
//!
//! Source: FIPS 180-4, Secure Hash Standard (padding: section 5.1.1, constants: 4.2.2).

pub mod known;

use qpu::job::{Buffer, CacheClear, Program, Runner};

use crate::code::{SHA256, place, place_uniforms};

/// Messages of a group: one for each lane of a QPU.
pub const LANES: usize = qpu::machine::LANES as usize;
/// Bytes of a block.
pub const BLOCK_BYTES: usize = 64;
/// Words of a block.
const BLOCK_WORDS: usize = BLOCK_BYTES / 4;
/// Rows of the result: eight words of the digests, and the number of the QPU.
const RESULT_ROWS: usize = 9;

/// A SHA-256 digest.
pub type Digest = [u8; 32];

/// The round constants, as the standard prints them: the first 32 bits of the fractions of the cube
/// roots of the first 64 primes.
pub const ROUND_CONSTANTS: [u32; 64] = words(
    "428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5
     d807aa98 12835b01 243185be 550c7dc3 72be5d74 80deb1fe 9bdc06a7 c19bf174
     e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da
     983e5152 a831c66d b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967
     27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85
     a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070
     19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a 5b9cca4f 682e6ff3
     748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2",
);

/// The words of hexadecimal text, whatever stands between their digits.
const fn words<const COUNT: usize>(text: &str) -> [u32; COUNT] {
    let mut words = [0; COUNT];
    let (mut at, mut digits) = (0, 0);
    while at < text.len() {
        if let Some(digit) = (text.as_bytes()[at] as char).to_digit(16) {
            words[digits / 8] = words[digits / 8] << 4 | digit;
            digits += 1;
        }
        at += 1;
    }
    assert!(digits == 8 * COUNT, "another number of digits");
    words
}

/// Blocks that a message of so many bytes becomes.
#[must_use]
pub const fn blocks(bytes: usize) -> usize {
    // One bit and the length, in 9 bytes at least.
    (bytes + 8) / BLOCK_BYTES + 1
}

/// Block `number` of a padded message, as numbers. Blocks from [`blocks`] on mean nothing.
#[must_use]
pub fn block(message: &[u8], number: usize) -> [u32; BLOCK_WORDS] {
    let mut bytes = [0; BLOCK_BYTES];
    let start = number * BLOCK_BYTES;
    let rest = message.get(start..).unwrap_or(&[]);
    let count = rest.len().min(BLOCK_BYTES);
    bytes[..count].copy_from_slice(&rest[..count]);
    if (start..start + BLOCK_BYTES).contains(&message.len()) {
        bytes[message.len() - start] = 0x80;
    }
    if number + 1 == blocks(message.len()) {
        let bits = 8 * message.len() as u64;
        bytes[BLOCK_BYTES - 8..].copy_from_slice(&bits.to_be_bytes());
    }
    let (words, _) = bytes.as_chunks::<4>();
    core::array::from_fn(|index| u32::from_be_bytes(words[index]))
}

/// Rounds in which words of the next block are requested: the last.
const FETCHING: usize = 16;
/// Words that are requested before the first of those rounds.
const WORDS_AHEAD: usize = 4;

/// The constants as the program reads them: behind each round constant of the last sixteen is the
/// offset of the word to request then, which stays within the block.
fn constants() -> [u32; 64 + FETCHING] {
    let mut constants = [0; 64 + FETCHING];
    let plain = 64 - FETCHING;
    constants[..plain].copy_from_slice(&ROUND_CONSTANTS[..plain]);
    let (pairs, _) = constants[plain..].as_chunks_mut::<2>();
    for (word, (pair, constant)) in pairs.iter_mut().zip(&ROUND_CONSTANTS[plain..]).enumerate() {
        let word = (word + WORDS_AHEAD).min(BLOCK_WORDS - 1);
        *pair = [*constant, 4 * word as u32];
    }
    constants
}

/// The places of messages in memory that begins at a multiple of 4096, in blocks, and how many
/// blocks they take together.
///
/// A TMU keeps 64 lines of 64 bytes, by their address modulo 4096, and a block is such a line. The
/// lanes' blocks are apart by that measure, so that the sixteen words of one are fetched once:
/// lanes that walk through memory 1024 bytes apart would otherwise take the same four lines from
/// each other. `taken` has a bit for each line, so that it is as well between groups that are
/// loaded one after the other, whose QPUs may share a TMU.
fn starts(messages: &[&[u8]], taken: &mut u64) -> ([usize; LANES], usize) {
    if taken.count_ones() as usize + messages.len() > 64 {
        *taken = 0;
    }
    let mut starts = [0; LANES];
    let mut next = 0;
    for (start, message) in starts.iter_mut().zip(messages) {
        while *taken >> (next % 64) & 1 != 0 {
            next += 1;
        }
        *taken |= 1 << (next % 64);
        *start = next;
        next += blocks(message.len());
    }
    (starts, next)
}

/// The program and its constants in the memory of a runner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sha256 {
    code: Buffer,
    constants: Buffer,
    /// Lines of a TMU that the lanes loaded last begin in.
    taken: u64,
}

/// Up to sixteen messages in the memory of a runner, and room for their digests: the work of one
/// QPU. It can be run any number of times.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    sha256: Sha256,
    lanes: Buffer,
    uniforms: Buffer,
    result: Buffer,
}

/// The result that a QPU made of a [`Group`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// By lane; those of lanes without a message mean nothing.
    pub digests: [Digest; LANES],
    /// Number of the QPU, 0..=11, as it says itself.
    pub qpu: u32,
}

impl Sha256 {
    /// Puts program and constants into the memory of `runner`.
    ///
    /// # Errors
    /// When there is no room.
    pub fn new<R: Runner>(runner: &mut R) -> Result<Self, R::Error> {
        Ok(Self {
            code: place(runner, SHA256)?,
            constants: place_uniforms(runner, &constants())?,
            taken: 0,
        })
    }

    /// Puts messages into the memory of `runner`, padded. Those beyond the sixteenth are left out.
    /// A launch that follows clears V3D's data caches.
    ///
    /// # Errors
    /// When there is no room.
    pub fn load<R: Runner>(
        &mut self,
        runner: &mut R,
        messages: &[&[u8]],
    ) -> Result<Group, R::Error> {
        let messages = &messages[..messages.len().min(LANES)];
        let (starts, total) = starts(messages, &mut self.taken);
        let bytes = u32::try_from((total * BLOCK_BYTES).max(BLOCK_BYTES)).unwrap_or(u32::MAX);
        let memory = runner.alloc(bytes, 4096)?;
        let mut lanes = [memory.addr.0; 2 * LANES];
        lanes[LANES..].fill(0);
        for (lane, (message, start)) in messages.iter().zip(starts).enumerate() {
            let count = blocks(message.len());
            lanes[lane] = memory.addr.offset((start * BLOCK_BYTES) as u32).0;
            lanes[LANES + lane] = count as u32;
            for number in 0..count {
                let first = ((start + number) * BLOCK_WORDS) as u32;
                runner.write(memory, first, &block(message, number))?;
            }
        }
        let lanes = place_uniforms(runner, &lanes)?;
        Group::new(runner, *self, lanes)
    }
}

impl Group {
    fn new<R: Runner>(runner: &mut R, sha256: Sha256, lanes: Buffer) -> Result<Self, R::Error> {
        let result = runner.alloc((RESULT_ROWS * LANES * 4) as u32, 64)?;
        let parameters = [lanes.addr.0, result.addr.0, sha256.constants.addr.0];
        let group = Self {
            sha256,
            lanes,
            uniforms: place_uniforms(runner, &parameters)?,
            result,
        };
        group.forget(runner)?;
        Ok(group)
    }

    /// A group of the same messages for another QPU, with room of its own for the digests.
    ///
    /// # Errors
    /// When there is no room.
    pub fn again<R: Runner>(&self, runner: &mut R) -> Result<Self, R::Error> {
        Self::new(runner, self.sha256, self.lanes)
    }

    /// The program for a launch: one of these for each QPU that is to run.
    #[must_use]
    pub const fn program(&self) -> Program {
        Program {
            code: self.sha256.code.addr,
            uniforms: self.uniforms.addr,
        }
    }

    /// The caches to clear before a launch: the first uses of code and data are new to V3D.
    pub const CLEAR: CacheClear = CacheClear::All;

    /// Overwrites the last result, so that a QPU that does nothing cannot seem to be right.
    ///
    /// # Errors
    /// Those of the runner.
    pub fn forget<R: Runner>(&self, runner: &mut R) -> Result<(), R::Error> {
        runner.write(self.result, 0, &[u32::MAX; RESULT_ROWS * LANES])
    }

    /// The answer that the last run of this group has left in the memory of `runner`.
    ///
    /// # Errors
    /// Those of the runner.
    pub fn answer<R: Runner>(&self, runner: &mut R) -> Result<Answer, R::Error> {
        let mut rows = [[0; LANES]; RESULT_ROWS];
        runner.read(self.result, 0, rows.as_flattened_mut())?;
        let mut digests = [[0; 32]; LANES];
        for (row, words) in rows[..RESULT_ROWS - 1].iter().enumerate() {
            for (digest, word) in digests.iter_mut().zip(words) {
                digest[4 * row..][..4].copy_from_slice(&word.to_be_bytes());
            }
        }
        Ok(Answer {
            digests,
            qpu: rows[RESULT_ROWS - 1][0],
        })
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec;

    #[test]
    fn no_two_lanes_of_four_groups_begin_in_the_same_line_of_a_tmu() {
        for bytes in [0, 100, 1000, 4000, 4096, 10_000] {
            let message = vec![0; bytes];
            let (mut taken, mut lines) = (0, vec![]);
            for _ in 0..4 {
                let (starts, total) = starts(&[message.as_slice(); LANES], &mut taken);
                lines.extend(starts.map(|start| start % 64));
                let apart = starts
                    .windows(2)
                    .all(|pair| pair[1] - pair[0] >= blocks(bytes));
                assert!(apart && total == starts[LANES - 1] + blocks(bytes));
            }
            lines.sort_unstable();
            assert!(lines.into_iter().eq(0..64), "{bytes}");
        }
    }

    #[test]
    fn requests_stay_within_the_block() {
        let constants = constants();
        assert_eq!(constants[..48], ROUND_CONSTANTS[..48]);
        let last: std::vec::Vec<u32> = constants[48..].iter().skip(1).step_by(2).copied().collect();
        assert_eq!(last[..3], [16, 20, 24]);
        assert_eq!(last[10..], [56, 60, 60, 60, 60, 60]);
        assert!(constants[48..].iter().step_by(2).eq(&ROUND_CONSTANTS[48..]));
    }

    #[test]
    fn a_message_is_padded_with_a_bit_zeros_and_its_length() {
        for (bytes, count) in [
            (0, 1),
            (55, 1),
            (56, 2),
            (63, 2),
            (64, 2),
            (119, 2),
            (120, 3),
        ] {
            assert_eq!(blocks(bytes), count, "{bytes}");
        }
        // FIPS 180-4, section 5.1.1: "abc".
        let mut abc = [0; 16];
        (abc[0], abc[15]) = (0x6162_6380, 24);
        assert_eq!(block(b"abc", 0), abc);
        // The bit at the start of a block of its own, and the length in one without message.
        let message = vec![0xff; 64];
        assert_eq!(block(&message, 0), [u32::MAX; 16]);
        let mut last = [0; 16];
        (last[0], last[15]) = (0x8000_0000, 512);
        assert_eq!(block(&message, 1), last);
        let message = vec![0xff; 61];
        assert_eq!(block(&message, 0)[15], 0xff80_0000);
        assert_eq!(block(&message, 1)[15], 488);
        assert_eq!(block(&message, 1)[..15], [0; 15]);
    }
}
