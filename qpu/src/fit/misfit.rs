//! Why operations do not fit one instruction, and what to do about it.

use crate::isa::{File, Raddr, Signal};
use crate::names::read_name;

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
    /// Two different reads through the port of a file.
    TwoReads(File, Raddr, Raddr),
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
    /// Both results need the write port of a file.
    TwoWrites(File),
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

/// The remedies of several misfits.
const ALONE: &str = "put one of the operations into an instruction of its own";
const NO_IMMEDIATE: &str =
    "load the constant into a register before, with ldi; immediates are -16..15 and 2^-8..2^7";

impl Misfit {
    /// Short name of the rule.
    #[must_use]
    pub fn rule(self) -> &'static str {
        self.explained().0
    }

    /// The remedy for it.
    #[must_use]
    pub fn fix(self) -> &'static str {
        self.explained().2
    }

    /// Rule, message and remedy.
    fn explained(self) -> (&'static str, String, &'static str) {
        let plain = |rule, message: &str, fix| (rule, message.to_owned(), fix);
        match self {
            Self::ThreeOperations => plain("alu-slots", "an instruction has two ALUs", ALONE),
            Self::SameAlu => plain("alu-slots", "both operations need the same ALU", ALONE),
            Self::FlagsFromMul => plain(
                "flags-source",
                "flags come from the add ALU unless it is idle",
                "set flags on the add ALU's operation, or split the instruction",
            ),
            Self::MulOnly => plain(
                "alu-slots",
                "only the mul ALU rotates and packs to 8-bit colour",
                "use an operation of the mul ALU: mov, fmul, mul24, v8...",
            ),
            Self::TwoReads(file, one, two) => {
                let (one, two) = (read_name(file, one), read_name(file, two));
                let message = format!("{one} and {two} are both read through file {file:?}'s port");
                let fix = match file {
                    File::A => "keep one of the values in file B or an accumulator",
                    File::B => "keep one of the values in file A or an accumulator",
                };
                ("read-ports", message, fix)
            }
            Self::NoReadPort(raddr) => {
                let message = format!("no read port is left for {}", read_name(File::A, raddr));
                let fix = "read it into an accumulator in an instruction before";
                ("read-ports", message, fix)
            }
            Self::ReadBAndImmediate(raddr) => {
                let name = read_name(File::B, raddr);
                let message =
                    format!("{name} needs the field that holds a small immediate or a rotation");
                let fix = match raddr.register() {
                    None => "take an accumulator or a register of file A instead of the constant",
                    Some(_) => "keep the value in file A or an accumulator",
                };
                ("small-immediate-and-file-b", message, fix)
            }
            Self::TwoImmediates => plain(
                "small-immediate",
                "one field holds the small immediate or the rotation, and two are asked for",
                "load one of the constants into a register before, with ldi",
            ),
            Self::NoSuchImmediate(word) => {
                let float = f32::from_bits(word);
                let float = match (1e-9..1e12).contains(&float.abs()) {
                    true => format!(", as float {float}"),
                    false => String::new(),
                };
                let value = word as i32;
                let message = format!("{value} ({word:#x}{float}) is no small immediate");
                ("small-immediate", message, NO_IMMEDIATE)
            }
            Self::SignalAndImmediate(signal) => {
                let name = signal.name();
                let message = format!("{name} cannot go with a small immediate or a rotation");
                let fix = "give the signal to the instruction before or after";
                ("small-immediate-and-signal", message, fix)
            }
            Self::TwoWrites(file) => {
                let message = format!("both results need file {file:?}'s write port");
                ("write-ports", message, ALONE)
            }
            Self::CannotUnpack => plain(
                "unpack",
                "the operand cannot be unpacked",
                "unpack registers of file A and r4 only",
            ),
            Self::TwoUnpacks => plain(
                "unpack",
                "all reads through one port are unpacked alike, and so is r4",
                "split the instruction so that each has one unpack mode",
            ),
            Self::CannotPack => plain(
                "pack",
                "the destination cannot be packed into",
                "pack into registers of file A only",
            ),
            Self::TwoPacks => plain(
                "pack",
                "the pm bit gives pack and unpack to file A or to r4 and the mul result, not both",
                "split the instruction so that each has one kind of packing",
            ),
            Self::CannotRotate => plain(
                "rotate-in-quad",
                "only r0..r3 rotate over all lanes; other operands move inside their quad",
                "move the value to r0, r1, r2 or r3 two instructions before",
            ),
        }
    }
}

impl core::fmt::Display for Misfit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(&self.explained().1)
    }
}

impl core::error::Error for Misfit {}
