//! Messages whose digests are known: what a QPU that computes SHA-256 is held to.
//!
//! Sixteen messages of one to four blocks, whose lengths lie on both sides of every place where
//! padding needs another block: each is the beginning of [`TEXT`]. The digests are constants, so
//! that a processor that computes wrongly cannot agree with another; a test compares them with the
//! crate `sha2`.

use super::{Digest, LANES, words};

/// Bytes of the longest message.
const LONGEST: usize = 200;

/// Bytes that look random: the upper bytes of a linear congruential generator (constants of
/// Numerical Recipes), started at 1.
static TEXT: [u8; LONGEST] = text();

/// Bytes of each message.
const LENGTHS: [usize; LANES] = [
    0, 1, 3, 32, 55, 56, 63, 64, 65, 100, 119, 120, 127, 128, 184, 200,
];

/// The digests, as `sha256sum` prints them.
static DIGESTS: [u32; 8 * LANES] = words(
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
     dabd3aff769f07eb2965401eb029974ebba3407afd02b26ddb564ea5f8efae72
     0ba3c0c9fa4fa363ee3c34ed262f68ea64199c896ee2babe04f2479af039c9df
     185efb66c60e99d875e7aae71c04d339f21b525cc8d29ea6ee0b51ae50b57624
     3ca61aefed89811cfdd5fc5a131c73250d6d556ad6e379e98fc0a748dc6c712e
     23b83c1957dcbf2cc769ea265de2496d530679398ab1eaee60ed3a9924952961
     1b1e8a91273dfa48857490c590e219ed7a3b4a5a2529f8f140c690314d866d5a
     bcaa0c51106feb59b9a6709083e54b7744602caa23c59224ebb4651341e64fc3
     15e8208179c167a401c50467c80c0bd0233654a32121a7e5b9cde0b11838c851
     40c0e7cf68c36c59ebece3d6cdb2990fc533682e872259e1d74b8cba432ad996
     55b8889b7b401119a0ed41e4921e19e80d1049706cfd324ab94ef43661dea8d3
     58c38515ed433007ba44b2a5b8d3fa3b0f35e315597f5e1c6f18ac30e1b179aa
     14617813621f74c970d106b72c6e6fba42e465f84f96e9b270c41c730d36cf1e
     0108579a848fdb772ca53f2fa3534254cceace8af8c1c3718121409ca1acc7c3
     dac525fef3495d90c385c992be30f144db3dd282812466ee2983551212857330
     3215ab02967cdd0bb24fcc3f2f4896c5bfab6d41848595b4565fa247b9d68fca",
);

const fn text() -> [u8; LONGEST] {
    let mut text = [0; LONGEST];
    let mut state = 1u32;
    let mut index = 0;
    while index < LONGEST {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        text[index] = (state >> 24) as u8;
        index += 1;
    }
    text
}

/// The messages, one for each lane.
#[must_use]
pub fn messages() -> [&'static [u8]; LANES] {
    LENGTHS.map(|bytes| &TEXT[..bytes])
}

/// The digest of the message of a lane, 0..=15.
///
/// # Panics
/// From lane 16 on.
#[must_use]
pub fn digest(lane: usize) -> Digest {
    let mut digest = [0; 32];
    let (words, _) = digest.as_chunks_mut::<4>();
    for (bytes, word) in words.iter_mut().zip(&DIGESTS[8 * lane..][..8]) {
        *bytes = word.to_be_bytes();
    }
    digest
}

/// True if the digests of all lanes are those of [`messages`].
#[must_use]
pub fn are_right(digests: &[Digest; LANES]) -> bool {
    (0..LANES).all(|lane| digests[lane] == digest(lane))
}
