//! Constants in ALU instructions: small immediates, and what one operation makes of them.
//!
//! 64 is `mul24 x, 8, 8`, 0x80000000 is `ror x, 1, 1`, 0x01010101 is 1 packed into all bytes.
//! [`ways`] lists the operations that give a constant, the simplest first; which of them fits
//! depends on what else the instruction does.

use crate::fit::{Op, OpCode, Origin, Src};
use crate::isa::{AddOp, File, MulOp, Pack, SmallImmediate};

/// Codes of small immediates that are numbers and no rotations.
fn immediates() -> impl Iterator<Item = SmallImmediate> {
    (0..48).filter_map(SmallImmediate::from_bits)
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
    for code in COMPUTED {
        let values = immediates().filter(|value| compute(*code, *value) == Some(word));
        all.extend(values.map(|value| with(*code, value.value())));
    }
    // Replicated bytes, on the way into file A.
    let packs =
        plain.dst.address().1 == Some(File::A) && plain.dst.address().0.register().is_some();
    let byte = word & 0xff;
    if packs && plain.dst.pack == Pack::None && word == byte * 0x0101_0101 {
        let mut values = immediates().map(SmallImmediate::value);
        let narrow = values.find(|value| value & 0xff == byte);
        if let Some(value) = narrow {
            let mut op = with(plain.code, value);
            op.dst = op.dst.pack(Pack::P8888);
            all.push(op);
        }
    }
    all
}

/// Operations of a value with itself; the first that fits is taken.
const COMPUTED: &[OpCode] = &[
    OpCode::Add(AddOp::Ror),
    OpCode::Add(AddOp::Shl),
    OpCode::Add(AddOp::Shr),
    OpCode::Add(AddOp::Asr),
    OpCode::Add(AddOp::Not),
    OpCode::Add(AddOp::Clz),
    OpCode::Add(AddOp::Add),
    OpCode::Add(AddOp::Itof),
    OpCode::Add(AddOp::Ftoi),
    OpCode::Add(AddOp::Fadd),
    OpCode::Mul(MulOp::Fmul),
    OpCode::Mul(MulOp::Mul24),
    OpCode::V8ADDS,
];

/// The result of an operation on a value with itself.
fn compute(code: OpCode, immediate: SmallImmediate) -> Option<u32> {
    match code {
        OpCode::Add(op) | OpCode::Either(op, _) => immediate.added(op),
        OpCode::Mul(op) => immediate.multiplied(op),
    }
}

/// The operation, and others that do the same with another constant.
pub(super) fn equivalents(op: Op) -> Vec<Op> {
    let (OpCode::Add(code), Origin::Constant(word)) = (op.code, op.b.from) else {
        return vec![op];
    };
    // Where a sum overflows, packs distinguish it from a difference.
    let is_16 = op.dst.pack == Pack::None && (word == 16 || word as i32 == -16);
    let (code, word) = match code {
        AddOp::Add if is_16 => (AddOp::Sub, word.wrapping_neg()),
        AddOp::Sub if is_16 => (AddOp::Add, word.wrapping_neg()),
        // Only the low five bits of a count are used.
        AddOp::Shl | AddOp::Shr | AddOp::Asr | AddOp::Ror if (16..32).contains(&word) => {
            (code, word.wrapping_sub(32))
        }
        _ => return vec![op],
    };
    let other = Op {
        code: OpCode::Add(code),
        b: Src::constant(word),
        ..op
    };
    vec![op, other]
}
