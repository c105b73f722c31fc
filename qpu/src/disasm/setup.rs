//! Setup words of the VPM and its DMA as the functions that make them.
//!
//! The functions are vc4asm's (`vc4.qinc`), which GPU_FFT's sources use too. A count of 0 means the
//! greatest and is written so. A word with bits that the functions cannot make stays a number.

use std::fmt::Write;

use crate::isa::File;

/// Appends the function call that makes `word` for `rd_setup` (file A) or `wr_setup` (file B);
/// false, and nothing appended, when there is none.
pub(super) fn push(out: &mut String, file: File, word: u32) -> bool {
    let written = match (file, word >> 30) {
        (_, 0) => block(out, word),
        (File::B, 2) => store(out, word),
        (File::B, 3) if word & 0x3fff_0000 == 0 => {
            write!(out, "vdw_setup_1({})", word & 0xffff).ok()
        }
        (File::A, 2 | 3) if word >> 28 == 9 => {
            let pitch = word & 0x0fff_ffff;
            (pitch < 0x2000)
                .then(|| write!(out, "vdr_setup_1({pitch})").ok())
                .flatten()
        }
        (File::A, 2 | 3) => load(out, word),
        _ => None,
    };
    written.is_some()
}

/// Bits `high..=low`.
const fn field(word: u32, high: u32, low: u32) -> u32 {
    word >> low & ((1 << (high - low + 1)) - 1)
}

/// A count, of which 0 stands for the greatest.
const fn count(value: u32, greatest: u32) -> u32 {
    if value == 0 { greatest } else { value }
}

/// Vectors that a QPU reads or writes.
fn block(out: &mut String, word: u32) -> Option<()> {
    if field(word, 29, 24) != 0 || field(word, 19, 18) != 0 {
        return None;
    }
    let (vectors, stride) = (
        count(field(word, 23, 20), 16),
        count(field(word, 17, 12), 64),
    );
    let (is_horizontal, is_laned) = (field(word, 11, 11) != 0, field(word, 10, 10) != 0);
    let address = field(word, 7, 0);
    // Name, and the bits of the address that say which half or byte.
    let (width, part_bits) = match (field(word, 9, 8), is_laned) {
        (2, false) => ("32", 0),
        (1, false) => ("16p", 1),
        (1, true) => ("16l", 1),
        (0, false) => ("8p", 2),
        (0, true) => ("8l", 2),
        _ => return None,
    };
    let (place, part) = (address >> part_bits, address & ((1 << part_bits) - 1));
    if place > 63 {
        return None;
    }
    let direction = if is_horizontal { 'h' } else { 'v' };
    write!(out, "vpm_setup({vectors}, {stride}, {direction}{width}(").ok()?;
    match is_horizontal {
        true => write!(out, "{place}").ok()?,
        false => write!(out, "{}, {}", place & 0x30, place & 15).ok()?,
    }
    if part_bits > 0 {
        write!(out, ", {part}").ok()?;
    }
    out.push_str("))");
    Some(())
}

/// A DMA store.
fn store(out: &mut String, word: u32) -> Option<()> {
    let (units, depth) = (
        count(field(word, 29, 23), 128),
        count(field(word, 22, 16), 128),
    );
    let (y, x) = (field(word, 13, 7), field(word, 6, 3));
    let direction = if field(word, 14, 14) != 0 { 'h' } else { 'v' };
    let is_laned = field(word, 15, 15) != 0;
    let (width, part) = match field(word, 2, 0) {
        _ if is_laned => return None,
        0 => ("32", None),
        mode @ 2..=3 => ("16p", Some(mode - 2)),
        mode @ 4..=7 => ("8p", Some(mode - 4)),
        _ => return None,
    };
    write!(
        out,
        "vdw_setup_0({units}, {depth}, dma_{direction}{width}({y}, {x}"
    )
    .ok()?;
    if let Some(part) = part {
        write!(out, ", {part}").ok()?;
    }
    out.push_str("))");
    Some(())
}

/// A DMA load.
fn load(out: &mut String, word: u32) -> Option<()> {
    let (width, part) = match field(word, 30, 28) {
        0 => ("32", None),
        mode @ 2..=3 => ("16p", Some(mode - 2)),
        mode @ 4.. => ("8p", Some(mode - 4)),
        _ => return None,
    };
    let pitch = match field(word, 27, 24) {
        0 => 0,
        exponent => 8 << exponent,
    };
    let [row, rows, vpm_pitch] =
        [(23, 20), (19, 16), (15, 12)].map(|(high, low)| count(field(word, high, low), 16));
    let direction = if field(word, 11, 11) != 0 { 'v' } else { 'h' };
    let (y, x) = (field(word, 10, 4), field(word, 3, 0));
    write!(
        out,
        "vdr_setup_0({pitch}, {row}, {rows}, vdr_{direction}{width}({vpm_pitch}, {y}, {x}"
    )
    .ok()?;
    if let Some(part) = part {
        write!(out, ", {part}").ok()?;
    }
    out.push_str("))");
    Some(())
}
