//! Fitting one or two operations into an instruction: ALUs, ports, small immediate, write swap.
//!
//! What limits dual issue is not the ALUs but the ports: one read of file A and one of file B (or a
//! small immediate) for all four operands, and one result into each file.

use super::op::Op;
use super::operand::{Dst, Origin, Src};
use crate::isa::{
    AddOp, Alu, Cond, File, MulOp, MulPack, Mux, Pack, Raddr, RaddrB, Rotation, Signal, Slot,
    SmallImmediate, Unpack, WriteBack, raddr, waddr,
};

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
            Self::CannotRotate => "rotation-source",
        }
    }

    /// What to do about it.
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
        let name = |file, raddr| crate::disasm::read_name(file, raddr);
        match *self {
            Self::ThreeOperations => write!(f, "an instruction has two ALUs"),
            Self::SameAlu => write!(f, "both operations need the same ALU"),
            Self::FlagsFromMul => {
                write!(f, "flags come from the add ALU unless it is idle")
            }
            Self::MulOnly => write!(f, "only the mul ALU rotates and packs to 8-bit colour"),
            Self::ReadA(one, two) => {
                let (one, two) = (name(File::A, one), name(File::A, two));
                write!(f, "{one} and {two} are both read through file A's port")
            }
            Self::ReadB(one, two) => {
                let (one, two) = (name(File::B, one), name(File::B, two));
                write!(f, "{one} and {two} are both read through file B's port")
            }
            Self::NoReadPort(raddr) => {
                write!(f, "no read port is left for {}", name(File::A, raddr))
            }
            Self::ReadBAndImmediate(raddr) => {
                let name = name(File::B, raddr);
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
                write!(
                    f,
                    "{} ({word:#x}, as float {}) is no small immediate",
                    word as i32,
                    f32::from_bits(word)
                )
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

/// Fits operations into one ALU instruction. At most two; none gives a `nop` with the signal.
///
/// # Errors
/// When they need more ALUs, ports or fields than an instruction has.
pub fn fit(operations: &[Op], signal: Signal) -> Result<Alu, Misfit> {
    match operations {
        [] => place(None, None, signal),
        [one] => match (one.on_add(), one.on_mul()) {
            (Some(op), _) => place(Some((one, op)), None, signal),
            (None, Some(op)) => place(None, Some((one, op)), signal),
            (None, None) => Err(Misfit::MulOnly),
        },
        [one, two] => match (pair(one, two, signal), pair(two, one, signal)) {
            (Ok(alu), _) | (Err(Misfit::SameAlu | Misfit::FlagsFromMul), Ok(alu)) => Ok(alu),
            (Err(Misfit::SameAlu), Err(misfit)) | (Err(misfit), _) => Err(misfit),
        },
        _ => Err(Misfit::ThreeOperations),
    }
}

fn pair(add: &Op, mul: &Op, signal: Signal) -> Result<Alu, Misfit> {
    let (Some(add_op), Some(mul_op)) = (add.on_add(), mul.on_mul()) else {
        return Err(Misfit::SameAlu);
    };
    if mul.setf {
        return Err(Misfit::FlagsFromMul);
    }
    place(Some((add, add_op)), Some((mul, mul_op)), signal)
}

fn place(
    add: Option<(&Op, AddOp)>,
    mul: Option<(&Op, MulOp)>,
    signal: Signal,
) -> Result<Alu, Misfit> {
    let operations = [add.map(|(op, _)| op), mul.map(|(op, _)| op)];
    let mut reads = Reads::default();
    if let Some(rotation) = mul.and_then(|(op, _)| op.rotate) {
        reads.rotate(rotation)?;
        let (op, _) = mul.unwrap_or_else(|| unreachable!());
        if !op.a.rotates() && !op.b.rotates() {
            return Err(Misfit::CannotRotate);
        }
    }
    let sources = || operations.into_iter().flatten().flat_map(|op| [op.a, op.b]);
    // What has a port of its own first, then what can take either.
    for flexible in [false, true] {
        for source in sources().filter(|source| source.is_flexible() == flexible) {
            reads.take(source)?;
        }
    }
    let mut alu = Alu {
        write: write_back(operations)?,
        raddr_a: reads.a.unwrap_or(raddr::NOP),
        raddr_b: reads.raddr_b(signal)?,
        ..Alu::NOP
    };
    if let Some((op, add_op)) = add {
        (alu.op_add, alu.add_a, alu.add_b) = (add_op, reads.mux(op.a), reads.mux(op.b));
    }
    if let Some((op, mul_op)) = mul {
        (alu.op_mul, alu.mul_a, alu.mul_b) = (mul_op, reads.mux(op.a), reads.mux(op.b));
    }
    set_packing(&mut alu, &reads, sources(), operations)?;
    Ok(alu)
}

impl Src {
    fn is_flexible(self) -> bool {
        matches!(self.from, Origin::Port { file: None, .. })
    }
}

/// The ports and the immediate, as far as they are taken.
#[derive(Default)]
struct Reads {
    a: Option<Raddr>,
    b: Option<Raddr>,
    immediate: Option<SmallImmediate>,
    /// How what is read through A is widened, once something is.
    unpack_a: Option<Unpack>,
}

impl Reads {
    fn rotate(&mut self, rotation: Rotation) -> Result<(), Misfit> {
        self.immediate = match rotation {
            Rotation::ByR5 => Some(SmallImmediate::ROTATE_BY_R5),
            Rotation::By(lanes) => SmallImmediate::from_rotation(lanes),
        };
        self.immediate.map(|_| ()).ok_or(Misfit::CannotRotate)
    }

    fn take(&mut self, source: Src) -> Result<(), Misfit> {
        match source.from {
            Origin::Accumulator(_) => Ok(()),
            Origin::Constant(word) => {
                let immediate =
                    SmallImmediate::from_word(word).ok_or(Misfit::NoSuchImmediate(word))?;
                match (self.immediate, self.b) {
                    (Some(taken), _) if taken != immediate => Err(Misfit::TwoImmediates),
                    (_, Some(raddr)) => Err(Misfit::ReadBAndImmediate(raddr)),
                    _ => {
                        self.immediate = Some(immediate);
                        Ok(())
                    }
                }
            }
            Origin::Port {
                file: Some(File::A),
                raddr,
            } => match (self.a, self.unpack_a) {
                (Some(taken), _) if taken != raddr => Err(Misfit::ReadA(taken, raddr)),
                (_, Some(taken)) if taken != source.unpack => Err(Misfit::TwoUnpacks),
                _ => {
                    (self.a, self.unpack_a) = (Some(raddr), Some(source.unpack));
                    Ok(())
                }
            },
            Origin::Port {
                file: Some(File::B),
                raddr,
            } => match (self.b, self.immediate) {
                (Some(taken), _) if taken != raddr => Err(Misfit::ReadB(taken, raddr)),
                (_, Some(_)) => Err(Misfit::ReadBAndImmediate(raddr)),
                _ => {
                    self.b = Some(raddr);
                    Ok(())
                }
            },
            Origin::Port { file: None, raddr } => {
                if self
                    .a
                    .is_none_or(|taken| taken == raddr && self.unpack_a == Some(Unpack::None))
                {
                    (self.a, self.unpack_a) = (Some(raddr), Some(Unpack::None));
                } else if self.immediate.is_none() && self.b.is_none_or(|taken| taken == raddr) {
                    self.b = Some(raddr);
                } else {
                    return Err(Misfit::NoReadPort(raddr));
                }
                Ok(())
            }
        }
    }

    fn raddr_b(&self, signal: Signal) -> Result<RaddrB, Misfit> {
        match self.immediate {
            Some(_) if signal != Signal::None => Err(Misfit::SignalAndImmediate(signal)),
            Some(immediate) => Ok(RaddrB::SmallImmediate(immediate)),
            None => Ok(RaddrB::Register {
                raddr: self.b.unwrap_or(raddr::NOP),
                signal,
            }),
        }
    }

    /// The mux for a source that was taken.
    fn mux(&self, source: Src) -> Mux {
        match source.from {
            Origin::Accumulator(0) => Mux::R0,
            Origin::Accumulator(1) => Mux::R1,
            Origin::Accumulator(2) => Mux::R2,
            Origin::Accumulator(3) => Mux::R3,
            Origin::Accumulator(4) => Mux::R4,
            Origin::Accumulator(_) => Mux::R5,
            Origin::Constant(_)
            | Origin::Port {
                file: Some(File::B),
                ..
            } => Mux::B,
            Origin::Port {
                file: Some(File::A),
                ..
            } => Mux::A,
            Origin::Port { file: None, raddr } if self.a == Some(raddr) => Mux::A,
            Origin::Port { file: None, .. } => Mux::B,
        }
    }
}

/// Destinations and conditions; the write swap follows from the files they need.
fn write_back(operations: [Option<&Op>; 2]) -> Result<WriteBack, Misfit> {
    let [add, mul] = operations;
    let mut write = WriteBack {
        ws: write_swap(operations.map(|op| op.map(|op| op.dst)))?,
        ..WriteBack::NOTHING
    };
    write.sf = operations.into_iter().flatten().any(|op| op.setf);
    (write.cond_add, write.waddr_add) =
        add.map_or((Cond::Never, waddr::NOP), |op| (op.cond, op.dst.waddr));
    (write.cond_mul, write.waddr_mul) =
        mul.map_or((Cond::Never, waddr::NOP), |op| (op.cond, op.dst.waddr));
    Ok(write)
}

/// Whether the add result must go through file B, for destinations of the add and mul results.
pub(super) fn write_swap([add, mul]: [Option<Dst>; 2]) -> Result<bool, Misfit> {
    match (add.and_then(|dst| dst.file), mul.and_then(|dst| dst.file)) {
        (Some(File::A), Some(File::A)) => Err(Misfit::WriteA),
        (Some(File::B), Some(File::B)) => Err(Misfit::WriteB),
        (Some(File::B), _) | (_, Some(File::A)) => Ok(true),
        _ => Ok(false),
    }
}

fn set_packing(
    alu: &mut Alu,
    reads: &Reads,
    sources: impl Iterator<Item = Src>,
    operations: [Option<&Op>; 2],
) -> Result<(), Misfit> {
    let mut unpack_r4 = None;
    for source in sources {
        match source.from {
            Origin::Accumulator(4) if unpack_r4.is_some_and(|unpack| unpack != source.unpack) => {
                return Err(Misfit::TwoUnpacks);
            }
            Origin::Accumulator(4) => unpack_r4 = Some(source.unpack),
            Origin::Port {
                file: Some(File::A),
                raddr,
            } if raddr.register().is_some() => (),
            _ if source.unpack != Unpack::None => return Err(Misfit::CannotUnpack),
            _ => (),
        }
    }
    let unpack_r4 = unpack_r4.unwrap_or(Unpack::None);
    let unpack_a = reads.unpack_a.unwrap_or(Unpack::None);

    let mut pack_a = Pack::None;
    let mut pack_mul = MulPack::None;
    for (slot, op) in Slot::BOTH.into_iter().zip(operations) {
        let Some(op) = op else { continue };
        pack_mul = op.pack_mul;
        if op.dst.pack != Pack::None {
            if alu.write.file(slot) != File::A || op.dst.waddr.register().is_none() {
                return Err(Misfit::CannotPack);
            }
            pack_a = op.dst.pack;
        }
    }
    let of_file_a = unpack_a != Unpack::None || pack_a != Pack::None;
    let of_r4_and_mul = unpack_r4 != Unpack::None || pack_mul != MulPack::None;
    if of_file_a && of_r4_and_mul {
        return Err(Misfit::TwoPacks);
    }
    alu.write.pm = of_r4_and_mul;
    alu.unpack = if of_r4_and_mul { unpack_r4 } else { unpack_a };
    alu.write.pack = if of_r4_and_mul {
        Pack::from_bits(pack_mul.bits()).unwrap_or(Pack::None)
    } else {
        pack_a
    };
    Ok(())
}
