//! Messages whose digests are known: what a QPU that computes SHA-256 is held to.
//!
//! Sixteen messages of one to four blocks, whose lengths lie on both sides of every place where
//! padding needs another block: each is the beginning of [`TEXT`]. The digests are constants, so
//! that a processor that computes wrongly cannot agree with another; a test compares them with the
//! crate `sha2`.

use super::{Digest, LANES};

/// Bytes of the longest message.
const LONGEST: usize = 200;

/// Bytes that look random: the upper bytes of a linear congruential generator (constants of
/// Numerical Recipes), started at 1.
static TEXT: [u8; LONGEST] = text();

/// Bytes of each message.
const LENGTHS: [usize; LANES] = [
    0, 1, 3, 32, 55, 56, 63, 64, 65, 100, 119, 120, 127, 128, 184, 200,
];

/// The digests, as numbers.
static DIGESTS: [[u32; 8]; LANES] = [
    [
        0xe3b0_c442,
        0x98fc_1c14,
        0x9afb_f4c8,
        0x996f_b924,
        0x27ae_41e4,
        0x649b_934c,
        0xa495_991b,
        0x7852_b855,
    ],
    [
        0xdabd_3aff,
        0x769f_07eb,
        0x2965_401e,
        0xb029_974e,
        0xbba3_407a,
        0xfd02_b26d,
        0xdb56_4ea5,
        0xf8ef_ae72,
    ],
    [
        0x0ba3_c0c9,
        0xfa4f_a363,
        0xee3c_34ed,
        0x262f_68ea,
        0x6419_9c89,
        0x6ee2_babe,
        0x04f2_479a,
        0xf039_c9df,
    ],
    [
        0x185e_fb66,
        0xc60e_99d8,
        0x75e7_aae7,
        0x1c04_d339,
        0xf21b_525c,
        0xc8d2_9ea6,
        0xee0b_51ae,
        0x50b5_7624,
    ],
    [
        0x3ca6_1aef,
        0xed89_811c,
        0xfdd5_fc5a,
        0x131c_7325,
        0x0d6d_556a,
        0xd6e3_79e9,
        0x8fc0_a748,
        0xdc6c_712e,
    ],
    [
        0x23b8_3c19,
        0x57dc_bf2c,
        0xc769_ea26,
        0x5de2_496d,
        0x5306_7939,
        0x8ab1_eaee,
        0x60ed_3a99,
        0x2495_2961,
    ],
    [
        0x1b1e_8a91,
        0x273d_fa48,
        0x8574_90c5,
        0x90e2_19ed,
        0x7a3b_4a5a,
        0x2529_f8f1,
        0x40c6_9031,
        0x4d86_6d5a,
    ],
    [
        0xbcaa_0c51,
        0x106f_eb59,
        0xb9a6_7090,
        0x83e5_4b77,
        0x4460_2caa,
        0x23c5_9224,
        0xebb4_6513,
        0x41e6_4fc3,
    ],
    [
        0x15e8_2081,
        0x79c1_67a4,
        0x01c5_0467,
        0xc80c_0bd0,
        0x2336_54a3,
        0x2121_a7e5,
        0xb9cd_e0b1,
        0x1838_c851,
    ],
    [
        0x40c0_e7cf,
        0x68c3_6c59,
        0xebec_e3d6,
        0xcdb2_990f,
        0xc533_682e,
        0x8722_59e1,
        0xd74b_8cba,
        0x432a_d996,
    ],
    [
        0x55b8_889b,
        0x7b40_1119,
        0xa0ed_41e4,
        0x921e_19e8,
        0x0d10_4970,
        0x6cfd_324a,
        0xb94e_f436,
        0x61de_a8d3,
    ],
    [
        0x58c3_8515,
        0xed43_3007,
        0xba44_b2a5,
        0xb8d3_fa3b,
        0x0f35_e315,
        0x597f_5e1c,
        0x6f18_ac30,
        0xe1b1_79aa,
    ],
    [
        0x1461_7813,
        0x621f_74c9,
        0x70d1_06b7,
        0x2c6e_6fba,
        0x42e4_65f8,
        0x4f96_e9b2,
        0x70c4_1c73,
        0x0d36_cf1e,
    ],
    [
        0x0108_579a,
        0x848f_db77,
        0x2ca5_3f2f,
        0xa353_4254,
        0xccea_ce8a,
        0xf8c1_c371,
        0x8121_409c,
        0xa1ac_c7c3,
    ],
    [
        0xdac5_25fe,
        0xf349_5d90,
        0xc385_c992,
        0xbe30_f144,
        0xdb3d_d282,
        0x8124_66ee,
        0x2983_5512,
        0x1285_7330,
    ],
    [
        0x3215_ab02,
        0x967c_dd0b,
        0xb24f_cc3f,
        0x2f48_96c5,
        0xbfab_6d41,
        0x8485_95b4,
        0x565f_a247,
        0xb9d6_8fca,
    ],
];

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
    for (bytes, word) in words.iter_mut().zip(DIGESTS[lane]) {
        *bytes = word.to_be_bytes();
    }
    digest
}

/// True if the digests of all lanes are those of [`messages`].
#[must_use]
pub fn are_right(digests: &[Digest; LANES]) -> bool {
    (0..LANES).all(|lane| digests[lane] == digest(lane))
}
