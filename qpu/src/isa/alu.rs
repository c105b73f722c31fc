//! The ALU format, sig 0..12, and its small-immediate variant, sig 13.

use super::bits::{field, field_values, place};
use super::{
    AddOp, Cond, DecodeError, File, MulOp, Raddr, Rotation, Signal, Slot, SmallImmediate, Unpack,
    Waddr, WriteBack, raddr, waddr,
};

field_values! {
    /// The source of an operand.
    Mux {
        /// Accumulator r0.
        R0 = 0, "r0";
        /// Accumulator r1.
        R1 = 1, "r1";
        /// Accumulator r2.
        R2 = 2, "r2";
        /// Accumulator r3.
        R3 = 3, "r3";
        /// r4: the last result of SFU, TMU or tile buffer.
        R4 = 4, "r4";
        /// r5.
        R5 = 5, "r5";
        /// The value that `raddr_a` reads.
        A = 6, "a";
        /// The value that `raddr_b` reads, or the small immediate.
        B = 7, "b";
    }
}

/// Bits 17:12, and with them whether the instruction can carry a signal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RaddrB {
    /// A read through file B's port, beside a signal.
    Register {
        /// The address that is read.
        raddr: Raddr,
        /// The signal.
        signal: Signal,
    },
    /// A constant or a rotation (sig 13).
    SmallImmediate(SmallImmediate),
}

/// An operation of each ALU.
///
/// An idle ALU has operation nop; whatever its address and condition say, they are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Alu {
    /// The widening of the value from file A (pm = 0) or r4 (pm = 1).
    pub unpack: Unpack,
    /// The destinations of the results.
    pub write: WriteBack,
    /// Operation of the mul ALU.
    pub op_mul: MulOp,
    /// Operation of the add ALU.
    pub op_add: AddOp,
    /// The address that is read through file A's port.
    pub raddr_a: Raddr,
    /// The address that is read through file B's port, or the small immediate.
    pub raddr_b: RaddrB,
    /// First operand of the add ALU.
    pub add_a: Mux,
    /// Second operand of the add ALU.
    pub add_b: Mux,
    /// First operand of the mul ALU.
    pub mul_a: Mux,
    /// Second operand of the mul ALU.
    pub mul_b: Mux,
}

impl Alu {
    /// Does nothing: both ALUs idle, no signal, no port read.
    pub const NOP: Self = Self {
        unpack: Unpack::None,
        write: WriteBack::NOTHING,
        op_mul: MulOp::Nop,
        op_add: AddOp::Nop,
        raddr_a: raddr::NOP,
        raddr_b: RaddrB::Register {
            raddr: raddr::NOP,
            signal: Signal::None,
        },
        add_a: Mux::R0,
        add_b: Mux::R0,
        mul_a: Mux::R0,
        mul_b: Mux::R0,
    };

    pub(super) const fn decode(word: u64) -> Result<Self, DecodeError> {
        let op = field(word, 28, 24);
        let Some(op_add) = AddOp::from_bits(op) else {
            return Err(DecodeError::ReservedAddOp(op));
        };
        let b = field(word, 17, 12);
        let raddr_b = match Signal::from_bits(field(word, 63, 60)) {
            Some(signal) => RaddrB::Register {
                raddr: Raddr::from_low_bits(b),
                signal,
            },
            None => RaddrB::SmallImmediate(SmallImmediate::from_low_bits(b)),
        };
        let (Some(unpack), Some(op_mul)) = (
            Unpack::from_bits(field(word, 59, 57)),
            MulOp::from_bits(field(word, 31, 29)),
        ) else {
            unreachable!()
        };
        Ok(Self {
            unpack,
            write: WriteBack::decode(word),
            op_mul,
            op_add,
            raddr_a: Raddr::from_low_bits(field(word, 23, 18)),
            raddr_b,
            add_a: Mux::at(word, 9),
            add_b: Mux::at(word, 6),
            mul_a: Mux::at(word, 3),
            mul_b: Mux::at(word, 0),
        })
    }

    /// The 64-bit word.
    #[must_use]
    pub const fn encode(&self) -> u64 {
        let (sig, b) = match self.raddr_b {
            RaddrB::Register { raddr, signal } => (signal.bits(), raddr.bits()),
            RaddrB::SmallImmediate(immediate) => (13, immediate.bits()),
        };
        place(sig as u64, 63, 60)
            | place(self.unpack.bits() as u64, 59, 57)
            | self.write.encode()
            | place(self.op_mul.bits() as u64, 31, 29)
            | place(self.op_add.bits() as u64, 28, 24)
            | place(self.raddr_a.bits() as u64, 23, 18)
            | place(b as u64, 17, 12)
            | place(self.add_a.bits() as u64, 11, 9)
            | place(self.add_b.bits() as u64, 8, 6)
            | place(self.mul_a.bits() as u64, 5, 3)
            | place(self.mul_b.bits() as u64, 2, 0)
    }

    /// The signal; [`Signal::None`] beside a small immediate.
    #[must_use]
    pub const fn signal(&self) -> Signal {
        match self.raddr_b {
            RaddrB::Register { signal, .. } => signal,
            RaddrB::SmallImmediate(_) => Signal::None,
        }
    }

    /// The small immediate, if there is one.
    #[must_use]
    pub const fn small_immediate(&self) -> Option<SmallImmediate> {
        match self.raddr_b {
            RaddrB::Register { .. } => None,
            RaddrB::SmallImmediate(immediate) => Some(immediate),
        }
    }

    /// The address that file B's port reads: [`raddr::NOP`] beside a small immediate.
    #[must_use]
    pub const fn read_b(&self) -> Raddr {
        match self.raddr_b {
            RaddrB::Register { raddr, .. } => raddr,
            RaddrB::SmallImmediate(_) => raddr::NOP,
        }
    }

    /// The rotation of the mul result over the lanes, if there is one.
    #[must_use]
    pub const fn rotation(&self) -> Option<Rotation> {
        match self.raddr_b {
            RaddrB::Register { .. } => None,
            RaddrB::SmallImmediate(immediate) => immediate.rotation(),
        }
    }

    /// The operands of an ALU, those that do not count too.
    #[must_use]
    pub const fn operands(&self, slot: Slot) -> [Mux; 2] {
        match slot {
            Slot::Add => [self.add_a, self.add_b],
            Slot::Mul => [self.mul_a, self.mul_b],
        }
    }

    /// True if an operand that counts comes through this mux; operands of an idle ALU do not count.
    #[must_use]
    pub const fn uses(&self, mux: Mux) -> bool {
        self.uses_in(Slot::Add, mux) || self.uses_in(Slot::Mul, mux)
    }

    /// The counterpart of [`Self::uses`] for one ALU alone.
    #[must_use]
    pub const fn uses_in(&self, slot: Slot, mux: Mux) -> bool {
        let [a, b] = self.operands(slot);
        let count = match slot {
            Slot::Add => self.op_add.operands(),
            Slot::Mul => self.op_mul.operands(),
        };
        (count > 0 && a as u8 == mux as u8) || (count > 1 && b as u8 == mux as u8)
    }

    /// The operand that an ALU gives back as it is, if that is what it does. A rotation may move
    /// it.
    #[must_use]
    pub fn copied(&self, slot: Slot) -> Option<Mux> {
        use AddOp::{And, Max, Min, Or};
        let gives_either = match slot {
            Slot::Add => matches!(self.op_add, Or | And | Min | Max),
            Slot::Mul => matches!(self.op_mul, MulOp::V8min | MulOp::V8max),
        };
        let [a, b] = self.operands(slot);
        (gives_either && a == b).then_some(a)
    }

    /// True if an ALU takes its operand from itself, which gives 0 whatever it is.
    #[must_use]
    pub fn cancels(&self, slot: Slot) -> bool {
        let differs = match slot {
            Slot::Add => matches!(self.op_add, AddOp::Sub | AddOp::Xor | AddOp::V8subs),
            Slot::Mul => self.op_mul == MulOp::V8subs,
        };
        let [a, b] = self.operands(slot);
        differs && a == b
    }

    /// True if anything comes of an operand that comes through this mux: flags, or a result that is
    /// written.
    #[must_use]
    pub fn keeps(&self, mux: Mux) -> bool {
        self.keeps_flags(mux) || self.keeps_result(mux, |_| true)
    }

    /// True if flags are set from an operand that comes through this mux.
    #[must_use]
    pub fn keeps_flags(&self, mux: Mux) -> bool {
        self.write.sf && self.uses_in(self.flag_slot(), mux)
    }

    /// True if a result of an operand that comes through this mux is written to an address that
    /// `counts`.
    ///
    /// `or -, vw_wait, ra39` takes an operand that nothing comes of, and so does a release of the
    /// mutex, whose value is ignored.
    #[must_use]
    pub fn keeps_result(&self, mux: Mux, counts: impl Fn(Waddr) -> bool) -> bool {
        let is_kept = |slot: Slot| {
            let address = self.write.waddr(slot);
            let ignored = matches!(address, waddr::NOP | waddr::MUTEX_RELEASE);
            !ignored && self.write.cond(slot) != Cond::Never && counts(address)
        };
        let mut slots = Slot::BOTH.into_iter();
        slots.any(|slot| self.uses_in(slot, mux) && is_kept(slot))
    }

    /// The ALU that flags come from: the add ALU unless it is idle.
    #[must_use]
    pub const fn flag_slot(&self) -> Slot {
        match self.op_add {
            AddOp::Nop => Slot::Mul,
            _ => Slot::Add,
        }
    }
}

impl Mux {
    /// The mux that takes what is read through the port of a file.
    #[must_use]
    pub const fn of(file: File) -> Self {
        match file {
            File::A => Self::A,
            File::B => Self::B,
        }
    }

    const fn at(word: u64, low: u32) -> Self {
        match Self::from_bits(field(word, low + 2, low)) {
            Some(mux) => mux,
            None => unreachable!(),
        }
    }
}
