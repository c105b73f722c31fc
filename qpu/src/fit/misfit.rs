//! Why operations do not fit one instruction, and what to do about it.

use crate::disasm::read_name;
use crate::isa::{File, Raddr, Signal};

/// Why operations do not fit one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Misfit {
    /// More than two operations.
    ThreeOperations,
    /// Both need the add ALU, or both the mul ALU.
    SameAlu,
    /// The operation that sets flags is on the mul ALU beside one on the add ALU.
    FlagsFromMul,
    /// Something only the mul ALU can do is asked of an operation of the add ALU.
    MulOnly,
    /// Two different reads through file A's port.
    ReadA(Raddr, Raddr),
    /// Two different reads through file B's port.
    ReadB(Raddr, Raddr),
    /// A read that can use either port, when both are taken.
    NoReadPort(Raddr),
    /// A read through file B's port beside a small immediate or a rotation.
    ReadBAndImmediate(Raddr),
    /// Two different constants, or a constant and a rotation, or two rotations.
    TwoImmediates,
    /// A constant that no small immediate has.
    NoSuchImmediate(u32),
    /// A signal beside a small immediate or a rotation.
    SignalAndImmediate(Signal),
    /// Both results need file A's write port.
    WriteA,
    /// Both results need file B's write port.
    WriteB,
    /// An unpacked operand that is neither a register of file A nor r4.
    CannotUnpack,
    /// Two unpack modes, or an operand read both with and without one.
    TwoUnpacks,
    /// A packed destination that is no register of file A.
    CannotPack,
    /// Packing into file A beside packing of the mul result or unpacking of r4.
    TwoPacks,
    /// A rotation of neither r0, r1, r2 nor r3.
    CannotRotate,
}

impl Misfit {
    /// Short name of the rule.
    #[must_use]
    pub const fn rule(self) -> &'static str {
        match self {
            Self::ThreeOperations | Self::SameAlu | Self::MulOnly => "alu-slots",
            Self::FlagsFromMul => "flags-source",
            Self::ReadA(..) | Self::ReadB(..) | Self::NoReadPort(_) => "read-ports",
            Self::ReadBAndImmediate(_) => "small-immediate-and-file-b",
            Self::TwoImmediates | Self::NoSuchImmediate(_) => "small-immediate",
            Self::SignalAndImmediate(_) => "small-immediate-and-signal",
            Self::WriteA | Self::WriteB => "write-ports",
            Self::CannotUnpack | Self::TwoUnpacks => "unpack",
            Self::CannotPack | Self::TwoPacks => "pack",
            Self::CannotRotate => "rotate-in-quad",
        }
    }

    /// The remedy for it.
    #[must_use]
    pub const fn fix(self) -> &'static str {
        match self {
            Self::ThreeOperations | Self::SameAlu | Self::WriteA | Self::WriteB => {
                "put one of the operations into an instruction of its own"
            }
            Self::FlagsFromMul => "set flags on the add ALU's operation, or split the instruction",
            Self::MulOnly => "use an operation of the mul ALU: mov, fmul, mul24, v8...",
            Self::ReadA(..) => "keep one of the values in file B or an accumulator",
            Self::ReadB(..) => "keep one of the values in file A or an accumulator",
            Self::NoReadPort(_) => "read it into an accumulator in an instruction before",
            Self::ReadBAndImmediate(raddr) if raddr.register().is_none() => {
                "take an accumulator or a register of file A instead of the constant"
            }
            Self::ReadBAndImmediate(_) => "keep the value in file A or an accumulator",
            Self::TwoImmediates => "load one of the constants into a register before, with ldi",
            Self::NoSuchImmediate(_) => {
                "load the constant into a register before, with ldi; immediates are -16..15 and 2^-8..2^7"
            }
            Self::SignalAndImmediate(_) => "give the signal to the instruction before or after",
            Self::CannotUnpack => "unpack registers of file A and r4 only",
            Self::TwoUnpacks => "split the instruction so that each has one unpack mode",
            Self::CannotPack => "pack into registers of file A only",
            Self::TwoPacks => "split the instruction so that each has one kind of packing",
            Self::CannotRotate => "move the value to r0, r1, r2 or r3 two instructions before",
        }
    }
}

impl core::fmt::Display for Misfit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match *self {
            Self::ThreeOperations => write!(f, "an instruction has two ALUs"),
            Self::SameAlu => write!(f, "both operations need the same ALU"),
            Self::FlagsFromMul => {
                write!(f, "flags come from the add ALU unless it is idle")
            }
            Self::MulOnly => write!(f, "only the mul ALU rotates and packs to 8-bit colour"),
            Self::ReadA(one, two) => {
                let (one, two) = (read_name(File::A, one), read_name(File::A, two));
                write!(f, "{one} and {two} are both read through file A's port")
            }
            Self::ReadB(one, two) => {
                let (one, two) = (read_name(File::B, one), read_name(File::B, two));
                write!(f, "{one} and {two} are both read through file B's port")
            }
            Self::NoReadPort(raddr) => {
                write!(f, "no read port is left for {}", read_name(File::A, raddr))
            }
            Self::ReadBAndImmediate(raddr) => {
                let name = read_name(File::B, raddr);
                write!(
                    f,
                    "{name} needs the field that holds a small immediate or a rotation"
                )
            }
            Self::TwoImmediates => {
                write!(
                    f,
                    "one field holds the small immediate or the rotation, and two are asked for"
                )
            }
            Self::NoSuchImmediate(word) => {
                let float = f32::from_bits(word);
                write!(f, "{} ({word:#x}", word as i32)?;
                if (1e-9..1e12).contains(&float.abs()) {
                    write!(f, ", as float {float}")?;
                }
                write!(f, ") is no small immediate")
            }
            Self::SignalAndImmediate(signal) => {
                write!(
                    f,
                    "{} cannot go with a small immediate or a rotation",
                    signal.name()
                )
            }
            Self::WriteA => write!(f, "both results need file A's write port"),
            Self::WriteB => write!(f, "both results need file B's write port"),
            Self::CannotUnpack => write!(f, "the operand cannot be unpacked"),
            Self::TwoUnpacks => {
                write!(
                    f,
                    "all reads through one port are unpacked alike, and so is r4"
                )
            }
            Self::CannotPack => write!(f, "the destination cannot be packed into"),
            Self::TwoPacks => {
                write!(
                    f,
                    "the pm bit gives pack and unpack to file A or to r4 and the mul result, not both"
                )
            }
            Self::CannotRotate => {
                write!(
                    f,
                    "only r0..r3 rotate over all lanes; other operands move inside their quad"
                )
            }
        }
    }
}

impl core::error::Error for Misfit {}
