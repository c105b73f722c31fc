//! Functions of assembly text that make setup words, and words as calls of them.
//!
//! Names and arguments are vc4asm's (`vc4.qinc`), which GPU_FFT's sources use too. A part, such as
//! `h32(y)`, is the place in a word whose counts the function around it has:
//! `vpm_setup(16, 1, h32(0))`. A word with bits that no function makes has no call.

use std::fmt::Write;

use crate::isa::File;

/// The values of an argument, and how they are written.
#[derive(Clone, Copy)]
enum Values {
    /// The bits of a mask.
    Bits(u32),
    /// 0 to a power of two, which is written as 0. It is written for 0.
    Count(u32),
    /// A count, and its negative.
    Step(u32),
    /// 0 to 15 for 8 * 2^n bytes, or that many bytes.
    Pitch,
    /// A part that one of these functions makes, in the bits of a mask.
    Part(u32, &'static [Function]),
}

/// An argument: its name, its values, and its lowest bit in the word.
#[derive(Clone, Copy)]
struct Field(&'static str, Values, u32);

/// A function: its name, the bits that it sets always, and its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Function {
    pub name: &'static str,
    fixed: u32,
    fields: &'static [Field],
}

const fn function(name: &'static str, fixed: u32, fields: &'static [Field]) -> Function {
    Function {
        name,
        fixed,
        fields,
    }
}

const fn bits(name: &'static str, mask: u32, low: u32) -> Field {
    Field(name, Values::Bits(mask), low)
}

const fn count(name: &'static str, greatest: u32, low: u32) -> Field {
    Field(name, Values::Count(greatest), low)
}

/// Rows and columns that a QPU reads or writes: size, and the address in units of parts.
#[rustfmt::skip]
pub(crate) const VECTORS: &[Function] = &[
    function("h32", 0xa00, &[bits("y", 63, 0)]),
    function("h16p", 0x900, &[bits("y", 63, 1), bits("h", 1, 0)]),
    function("h16l", 0xd00, &[bits("y", 63, 1), bits("h", 1, 0)]),
    function("h8p", 0x800, &[bits("y", 63, 2), bits("b", 3, 0)]),
    function("h8l", 0xc00, &[bits("y", 63, 2), bits("b", 3, 0)]),
    function("v32", 0x200, &[bits("y", 0x30, 0), bits("x", 15, 0)]),
    function("v16p", 0x100, &[bits("y", 0x30, 1), bits("x", 15, 1), bits("h", 1, 0)]),
    function("v16l", 0x500, &[bits("y", 0x30, 1), bits("x", 15, 1), bits("h", 1, 0)]),
    function("v8p", 0, &[bits("y", 0x30, 2), bits("x", 15, 2), bits("b", 3, 0)]),
    function("v8l", 0x400, &[bits("y", 0x30, 2), bits("x", 15, 2), bits("b", 3, 0)]),
    function("h_32", 0xa00, &[bits("y", 63, 0)]),
    function("v_32", 0x200, &[bits("y", 0x30, 0), bits("x", 15, 0)]),
];

/// Blocks of the VPM that a DMA store takes.
#[rustfmt::skip]
pub(crate) const STORES: &[Function] = &[
    function("dma_h32", 0x4000, &[bits("y", 127, 7), bits("x", 15, 3)]),
    function("dma_h16p", 0x4002, &[bits("y", 127, 7), bits("x", 15, 3), bits("h", 1, 0)]),
    function("dma_h8p", 0x4004, &[bits("y", 127, 7), bits("x", 15, 3), bits("b", 3, 0)]),
    function("dma_v32", 0, &[bits("y", 127, 7), bits("x", 15, 3)]),
    function("dma_v16p", 2, &[bits("y", 127, 7), bits("x", 15, 3), bits("h", 1, 0)]),
    function("dma_v8p", 4, &[bits("y", 127, 7), bits("x", 15, 3), bits("b", 3, 0)]),
];

/// Blocks of the VPM that a DMA load fills.
#[rustfmt::skip]
pub(crate) const LOADS: &[Function] = &[
    function("vdr_h32", 0, &[count("vpitch", 16, 12), bits("y", 127, 4), bits("x", 15, 0)]),
    function("vdr_h16p", 2 << 28, &[count("vpitch", 16, 12), bits("y", 127, 4), bits("x", 15, 0), bits("h", 1, 28)]),
    function("vdr_h8p", 4 << 28, &[count("vpitch", 16, 12), bits("y", 127, 4), bits("x", 15, 0), bits("b", 3, 28)]),
    function("vdr_v32", 0x800, &[count("vpitch", 16, 12), bits("y", 127, 4), bits("x", 15, 0)]),
    function("vdr_v16p", 2 << 28 | 0x800, &[count("vpitch", 16, 12), bits("y", 127, 4), bits("x", 15, 0), bits("h", 1, 28)]),
    function("vdr_v8p", 4 << 28 | 0x800, &[count("vpitch", 16, 12), bits("y", 127, 4), bits("x", 15, 0), bits("b", 3, 28)]),
];

/// Whole words, in the order in which a word is tried.
#[rustfmt::skip]
const WORDS: &[Function] = &[
    function("vpm_setup", 0, &[count("num", 16, 20), Field("stride", Values::Step(64), 12), Field("dma", Values::Part(0xfff, VECTORS), 0)]),
    function("vdw_setup_0", 2 << 30, &[count("units", 128, 23), count("depth", 128, 16), Field("dma", Values::Part(0x7fff, STORES), 0)]),
    function("vdw_setup_1", 3 << 30, &[bits("stride", 0xffff, 0)]),
    function("vdw_setup_1p", 3 << 30 | 1 << 16, &[bits("stride", 0xffff, 0)]),
    function("vdr_setup_1", 9 << 28, &[bits("stride", 0x1fff, 0)]),
    function("vdr_setup_0", 1 << 31, &[Field("mpitch", Values::Pitch, 24), count("rowlen", 16, 20), count("nrows", 16, 16), Field("dma", Values::Part(0x7000_ffff, LOADS), 0)]),
];

/// All functions.
pub(crate) fn all() -> impl Iterator<Item = &'static Function> {
    [WORDS, VECTORS, STORES, LOADS].into_iter().flatten()
}

impl Function {
    /// The number of arguments.
    pub fn arguments(&self) -> usize {
        self.fields.len()
    }

    /// The word, or the part of it, for these arguments; what is wrong with one of them.
    pub fn word(&self, arguments: &[i64]) -> Result<u32, String> {
        let mut word = self.fixed;
        for (Field(name, values, low), &value) in self.fields.iter().zip(arguments) {
            word |= values.encode(name, value)? << low;
        }
        Ok(word)
    }

    fn mask(&self) -> u32 {
        let fields = self.fields.iter();
        fields.fold(0, |all, Field(_, values, low)| all | values.mask() << low)
    }
}

impl Values {
    fn mask(self) -> u32 {
        match self {
            Self::Bits(mask) | Self::Part(mask, _) => mask,
            Self::Count(greatest) | Self::Step(greatest) => greatest - 1,
            Self::Pitch => 15,
        }
    }

    fn encode(self, name: &str, value: i64) -> Result<u32, String> {
        let mask = i64::from(self.mask());
        let within = |least: i64, greatest: i64| {
            let fits = (least..=greatest).contains(&value);
            (fits, format!("{least} to {greatest}"))
        };
        let (fits, allowed) = match self {
            Self::Bits(_) if mask & 1 == 0 => {
                let unit = 1 << mask.trailing_zeros();
                let allowed = format!("a multiple of {unit} up to {mask}");
                (value & !mask == 0, allowed)
            }
            Self::Bits(_) => within(0, mask),
            Self::Count(greatest) => within(0, greatest.into()),
            Self::Step(greatest) => within(-i64::from(greatest), greatest.into()),
            Self::Part(_, functions) => {
                let allowed = format!("what {} or the like gives", functions[0].name);
                (value & !mask == 0, allowed)
            }
            Self::Pitch if value.count_ones() == 1 && (16..=8 << 15).contains(&value) => {
                return Ok(value.trailing_zeros() - 3);
            }
            Self::Pitch => {
                let (fits, allowed) = within(0, mask);
                let bytes = format!("(8 * 2^{name} bytes), or a power of two of bytes");
                (fits, format!("{allowed} {bytes}"))
            }
        };
        match fits {
            true => Ok((value & mask) as u32),
            false => Err(format!("{name} is {value}, and must be {allowed}")),
        }
    }
}

/// Appends the call that makes `word` for `rd_setup` (file A) or `wr_setup` (file B); false, and
/// nothing appended, when there is none.
pub(crate) fn push_call(out: &mut String, file: File, word: u32) -> bool {
    let start = out.len();
    let of_port = match file {
        File::A => ["vpm_setup", "vdr_setup_1", "vdr_setup_0"],
        File::B => ["vpm_setup", "vdw_setup_0", "vdw_setup_1"],
    };
    let functions = WORDS.iter().filter(|it| of_port.contains(&it.name));
    let is_written = push(out, functions, word).is_some();
    if !is_written {
        out.truncate(start);
    }
    is_written
}

/// Appends the call of the first function that makes `word`, if one does.
fn push<'a>(
    out: &mut String,
    mut functions: impl Iterator<Item = &'a Function>,
    word: u32,
) -> Option<()> {
    let function = functions.find(|it| word & !it.mask() == it.fixed)?;
    out.push_str(function.name);
    for (index, Field(_, values, low)) in function.fields.iter().enumerate() {
        out.push_str(if index == 0 { "(" } else { ", " });
        let value = word >> low & values.mask();
        let shown = match *values {
            Values::Part(mask, functions) => {
                push(out, functions.iter(), word & mask)?;
                continue;
            }
            Values::Count(greatest) | Values::Step(greatest) if value == 0 => greatest,
            Values::Pitch if value > 0 => 8 << value,
            _ => value,
        };
        write!(out, "{shown}").ok()?;
    }
    out.push(')');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vpm::{Block, Load, Size, Store, Width, load_pitch, store_stride};

    fn word(name: &str, arguments: &[i64]) -> Result<u32, String> {
        let function = all().find(|it| it.name == name).expect("a function");
        assert_eq!(function.arguments(), arguments.len());
        function.word(arguments)
    }

    #[test]
    fn words_are_those_of_blocks_and_transfers() {
        let row = Block {
            size: Size::Bits8 {
                laned: true,
                part: 3,
            },
            ..Block::row(5)
        };
        let own = word("h8l", &[5, 3]).and_then(|part| word("vpm_setup", &[0, 1, part.into()]));
        assert_eq!(own.ok(), row.write_setup().ok());
        let column = Block::column(48, 7).stride(16);
        let own = word("v32", &[48, 7]).and_then(|part| word("vpm_setup", &[4, 16, part.into()]));
        assert_eq!(own.ok(), column.read_setup(4).ok());
        let store = Store {
            width: Width::Bits16(1),
            vertical: true,
            x: 9,
            ..Store::rows(128, 100)
        };
        let own = word("dma_v16p", &[100, 9, 1]);
        let own = own.and_then(|part| word("vdw_setup_0", &[128, 16, part.into()]));
        assert_eq!(own.ok(), store.setup().ok());
        let load = Load {
            vertical: true,
            x: 15,
            ..Load::rows(3, 77)
        };
        let own = word("vdr_v32", &[1, 77, 15]);
        let own = own.and_then(|part| word("vdr_setup_0", &[64, 16, 3, part.into()]));
        assert_eq!(own.ok(), load.setup().ok());
        assert_eq!(word("vdw_setup_1", &[192]), Ok(store_stride(192)));
        assert_eq!(word("vdr_setup_1", &[128]).ok(), load_pitch(128).ok());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        #[rustfmt::skip]
        let cases: &[(&str, &[i64], &str)] = &[
            ("h32", &[64], "y is 64, and must be 0 to 63"),
            ("v32", &[8, 0], "y is 8, and must be a multiple of 16 up to 48"),
            ("vpm_setup", &[1, -65, 0], "stride is -65, and must be -64 to 64"),
            ("vdw_setup_0", &[1, 1, 0x8000], "dma is 32768, and must be what dma_h32 or the like gives"),
            ("vdr_setup_0", &[24, 1, 1, 0], "mpitch is 24, and must be 0 to 15 (8 * 2^mpitch bytes), or a power of two of bytes"),
        ];
        for (name, arguments, error) in cases {
            assert_eq!(word(name, arguments), Err(error.to_string()));
        }
    }
}
