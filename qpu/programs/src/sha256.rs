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

/// The round constants: the first 32 bits of the fractions of the cube roots of the first 64
/// primes.
pub const ROUND_CONSTANTS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

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
