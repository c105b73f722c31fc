//! SHA-256 of messages, by the crate sha2: what the ARM takes for what QPUs do as well.
//!
//! Message i is i as a little-endian number of 64 bits and zeros behind it, cut to its length: the
//! messages of `qpu selftest sha256`.

use sha2::{Digest, Sha256};

use crate::{Task, Work};

/// [`Task::engine`] of this work.
pub const ENGINE: u32 = 4;
/// Bytes of the longest message.
pub const MAX_BYTES: usize = 65_536;
/// Most messages: sixteen for each QPU.
pub const MAX_MESSAGES: usize = 192;
/// Bytes of a digest.
pub const DIGEST_BYTES: usize = 32;

/// The digests, and the message that is worked on.
#[repr(C)]
pub struct DigestMemory {
    digests: [[u8; DIGEST_BYTES]; MAX_MESSAGES],
    message: [u8; MAX_BYTES],
}

impl Work for DigestMemory {
    fn prepare(&mut self, task: &Task) -> bool {
        self.message.fill(0);
        task.log2n as usize <= MAX_BYTES && task.radix as usize <= MAX_MESSAGES
    }

    fn transform(&mut self, task: &Task) {
        let message = &mut self.message[..task.log2n as usize];
        let digests = &mut self.digests[..task.radix as usize];
        for (number, digest) in (0u64..).zip(digests) {
            for (place, byte) in message.iter_mut().zip(number.to_le_bytes()) {
                *place = byte;
            }
            *digest = Sha256::digest(&*message).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_of_numbers_and_zeros_and_more_than_fit_is_refused() {
        let mut memory = Box::new(DigestMemory {
            digests: [[1; DIGEST_BYTES]; MAX_MESSAGES],
            message: [7; MAX_BYTES],
        });
        let task = |bytes, messages| Task {
            log2n: bytes,
            radix: messages,
            ..Task::default()
        };
        assert!(memory.prepare(&task(10, 3)));
        memory.transform(&task(10, 3));
        let expected: [u8; 32] = Sha256::digest([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]).into();
        assert_eq!(memory.digests[2], expected);
        assert_eq!(memory.digests[3], [1; DIGEST_BYTES]);
        assert!(!memory.prepare(&task(MAX_BYTES as u32 + 1, 1)));
        assert!(!memory.prepare(&task(1, MAX_MESSAGES as u32 + 1)));
    }
}
