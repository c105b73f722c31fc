//! Constants in ALU instructions: small immediates, and what one operation makes of them.
//!
//! 64 is `mul24 x, 8, 8`, 0x80000000 is `ror x, 1, 1`, 0x01010101 is 1 packed into all bytes. [`ways`] lists
//! the operations that give a constant, the simplest first; which of them fits depends on what else the
//! instruction does.

use crate::fit::{Op, OpCode, Origin, Src};
use crate::isa::{AddOp, File, MulOp, Pack, SmallImmediate};

/// Codes of small immediates that are numbers and no rotations.
fn immediates() -> impl Iterator<Item = u32> {
    (0..48).filter_map(|code| SmallImmediate::from_bits(code).map(SmallImmediate::value))
}

/// Operations that leave `word` where `plain` (a mov of it) would.
pub(super) fn ways(plain: Op, word: u32) -> Vec<Op> {
    let mut all = Vec::new();
    let with = |code, word| Op {
        code,
        a: Src::constant(word),
        b: Src::constant(word),
        ..plain
    };
    if word == 0 && plain.rotate.is_none() {
        let nothing = Src {
            from: Origin::Any,
            unpack: crate::isa::Unpack::None,
        };
        all.push(Op {
            code: OpCode::Either(AddOp::Xor, MulOp::V8subs),
            a: nothing,
            b: nothing,
            ..plain
        });
    }
    if SmallImmediate::from_word(word).is_some() {
        all.push(plain);
    }
    for (code, compute) in COMPUTED {
        let values = immediates().filter(|value| compute(*value) == Some(word));
        all.extend(values.map(|value| with(*code, value)));
    }
    // Replicated bytes, on the way into file A.
    let packs =
        plain.dst.address().1 == Some(File::A) && plain.dst.address().0.register().is_some();
    let byte = word & 0xff;
    if packs && plain.dst.pack == Pack::None && word == byte * 0x0101_0101 {
        let narrow = immediates().find(|value| value & 0xff == byte);
        if let Some(value) = narrow {
            let mut op = with(plain.code, value);
            op.dst = op.dst.pack(Pack::P8888);
            all.push(op);
        }
    }
    all
}

type Computed = (OpCode, fn(u32) -> Option<u32>);

/// Operations of a value with itself, with what they give; the first that fits is taken.
#[rustfmt::skip]
const COMPUTED: &[Computed] = &[
    (OpCode::Add(AddOp::Ror), |v| Some(v.rotate_right(v & 31))),
    (OpCode::Add(AddOp::Shl), |v| Some(v << (v & 31))),
    (OpCode::Add(AddOp::Shr), |v| Some(v >> (v & 31))),
    (OpCode::Add(AddOp::Asr), |v| Some((v as i32 >> (v & 31)) as u32)),
    (OpCode::Add(AddOp::Not), |v| Some(!v)),
    (OpCode::Add(AddOp::Clz), |v| Some(v.leading_zeros())),
    (OpCode::Add(AddOp::Add), |v| Some(v.wrapping_add(v))),
    (OpCode::Add(AddOp::Itof), |v| Some((v as i32 as f32).to_bits()).filter(|_| (v as i32).unsigned_abs() <= 16)),
    (OpCode::Add(AddOp::Ftoi), |v| float(v).filter(|f| *f <= 128.0).map(|f| f as i32 as u32)),
    (OpCode::Add(AddOp::Fadd), |v| float(v).map(|f| (f + f).to_bits())),
    (OpCode::Mul(MulOp::Fmul), |v| float(v).map(|f| (f * f).to_bits())),
    (OpCode::Mul(MulOp::Mul24), |v| Some((v & 0xff_ffff).wrapping_mul(v & 0xff_ffff))),
    (OpCode::V8ADDS, |v| Some(bytes(v, |b| b.saturating_add(b)))),
];

/// The value as a normal float.
fn float(word: u32) -> Option<f32> {
    Some(f32::from_bits(word)).filter(|value| value.is_normal())
}

fn bytes(word: u32, each: impl Fn(u8) -> u8) -> u32 {
    u32::from_le_bytes(word.to_le_bytes().map(each))
}

/// The operation, and others that do the same with another constant.
pub(super) fn equivalents(op: Op) -> Vec<Op> {
    let constant = |source: Src| match source.from {
        Origin::Constant(word) => Some(word),
        _ => None,
    };
    let mut all = vec![op];
    let OpCode::Add(code) = op.code else {
        return all;
    };
    let Some(word) = constant(op.b) else {
        return all;
    };
    match code {
        // Where a sum overflows, packs tell it from a difference.
        AddOp::Add | AddOp::Sub
            if op.dst.pack == Pack::None && (word == 16 || word as i32 == -16) =>
        {
            let code = if code == AddOp::Add {
                AddOp::Sub
            } else {
                AddOp::Add
            };
            all.push(Op {
                code: OpCode::Add(code),
                b: Src::constant(word.wrapping_neg()),
                ..op
            });
        }
        // Only the low five bits of a count are used.
        AddOp::Shl | AddOp::Shr | AddOp::Asr | AddOp::Ror if (16..32).contains(&word) => {
            all.push(Op {
                b: Src::constant(word.wrapping_sub(32)),
                ..op
            });
        }
        _ => (),
    }
    all
}
