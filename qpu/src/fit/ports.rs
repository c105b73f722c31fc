//! Fits one or two operations into an instruction: chooses ALUs, ports and write swap.
//!
//! What limits dual issue is not the ALUs but the ports: one read of file A and one of file B (or a
//! small immediate) for all four operands, and one result into each file.

use super::misfit::Misfit;
use super::op::Op;
use super::operand::{Dst, Origin, Src};
use crate::isa::{
    AddOp, Alu, Cond, File, MulOp, MulPack, Mux, Pack, Raddr, RaddrB, Rotation, Signal, Slot,
    SmallImmediate, Unpack, WriteBack, raddr, waddr,
};

/// The work of one ALU instruction.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// At most two operations; none gives a `nop` with the signal.
    pub operations: &'a [Op],
    /// Sources that ports read although no operand uses them.
    pub reads: &'a [Src],
    /// The signal.
    pub signal: Signal,
    /// True if a rotation may have no operand among r0..r3, so that it moves lanes inside quads
    /// only.
    pub rotates_in_quads: bool,
}

/// Fits operations into one ALU instruction. At most two; none gives a `nop` with the signal.
///
/// # Errors
/// When they need more ALUs, ports or fields than an instruction has.
pub fn fit(operations: &[Op], signal: Signal) -> Result<Alu, Misfit> {
    Request {
        operations,
        reads: &[],
        signal,
        rotates_in_quads: false,
    }
    .fit()
}

impl Request<'_> {
    /// The instruction.
    ///
    /// # Errors
    /// When it needs more ALUs, ports or fields than an instruction has.
    pub fn fit(&self) -> Result<Alu, Misfit> {
        match self.operations {
            [] => self.place(None, None),
            [one] => match (one.on_add(), one.on_mul()) {
                (Some(op), mul) if mul.is_none() || !one.prefers_mul() => {
                    self.place(Some((one, op)), None)
                }
                (_, Some(op)) => self.place(None, Some((one, op))),
                (_, None) => Err(Misfit::MulOnly),
            },
            [one, two] if one.prefers_mul() => match (self.pair(two, one), self.pair(one, two)) {
                (Ok(alu), _) | (Err(_), Ok(alu)) => Ok(alu),
                (Err(Misfit::SameAlu), Err(misfit)) | (Err(misfit), _) => Err(misfit),
            },
            [one, two] => match (self.pair(one, two), self.pair(two, one)) {
                (Ok(alu), _) | (Err(Misfit::SameAlu | Misfit::FlagsFromMul), Ok(alu)) => Ok(alu),
                (Err(Misfit::SameAlu), Err(misfit)) | (Err(misfit), _) => Err(misfit),
            },
            _ => Err(Misfit::ThreeOperations),
        }
    }

    fn pair(&self, add: &Op, mul: &Op) -> Result<Alu, Misfit> {
        let (Some(add_op), Some(mul_op)) = (add.on_add(), mul.on_mul()) else {
            return Err(Misfit::SameAlu);
        };
        if mul.setf {
            return Err(Misfit::FlagsFromMul);
        }
        self.place(Some((add, add_op)), Some((mul, mul_op)))
    }

    fn place(&self, add: Option<(&Op, AddOp)>, mul: Option<(&Op, MulOp)>) -> Result<Alu, Misfit> {
        let operations = [add.map(|(op, _)| op), mul.map(|(op, _)| op)];
        let mut reads = Reads::default();
        if let Some((op, rotation)) = mul.and_then(|(op, _)| Some((op, op.rotate?))) {
            reads.rotate(rotation)?;
            if !op.a.rotates() && !op.b.rotates() && !self.rotates_in_quads {
                return Err(Misfit::CannotRotate);
            }
        }
        let sources = || operations.into_iter().flatten().flat_map(|op| [op.a, op.b]);
        // What has a port of its own first, then what can take either.
        for flexible in [false, true] {
            let all = sources().chain(self.reads.iter().copied());
            for source in all.filter(|source| source.is_flexible() == flexible) {
                reads.take(source)?;
            }
        }
        let mut alu = Alu {
            write: write_back(operations)?,
            raddr_a: reads.a.unwrap_or(raddr::NOP),
            raddr_b: reads.raddr_b(self.signal)?,
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
}

impl Src {
    fn is_flexible(self) -> bool {
        matches!(self.from, Origin::Port(None, _))
    }
}

/// The ports and the immediate, as far as they are taken.
#[derive(Default)]
struct Reads {
    a: Option<Raddr>,
    b: Option<Raddr>,
    immediate: Option<SmallImmediate>,
    /// The widening of what is read through A, once something is.
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
            Origin::Accumulator(_) | Origin::Any => Ok(()),
            Origin::Constant(word) => {
                let immediate =
                    SmallImmediate::from_word(word).ok_or(Misfit::NoSuchImmediate(word))?;
                match (self.immediate, self.b) {
                    // A rotation's code is a number too.
                    (Some(taken), _) if taken.value() == word => Ok(()),
                    (Some(_), _) => Err(Misfit::TwoImmediates),
                    (_, Some(raddr)) => Err(Misfit::ReadBAndImmediate(raddr)),
                    _ => {
                        self.immediate = Some(immediate);
                        Ok(())
                    }
                }
            }
            Origin::Port(Some(File::A), raddr) => match (self.a, self.unpack_a) {
                (Some(taken), _) if taken != raddr => Err(Misfit::TwoReads(File::A, taken, raddr)),
                (_, Some(taken)) if taken != source.unpack => Err(Misfit::TwoUnpacks),
                _ => {
                    (self.a, self.unpack_a) = (Some(raddr), Some(source.unpack));
                    Ok(())
                }
            },
            Origin::Port(Some(File::B), raddr) => match (self.b, self.immediate) {
                (Some(taken), _) if taken != raddr => Err(Misfit::TwoReads(File::B, taken, raddr)),
                (_, Some(_)) => Err(Misfit::ReadBAndImmediate(raddr)),
                _ => {
                    self.b = Some(raddr);
                    Ok(())
                }
            },
            Origin::Port(None, raddr) => {
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
            Origin::Any if self.immediate.is_some() || self.b.is_some() => Mux::B,
            Origin::Any => Mux::R0,
            Origin::Accumulator(number) => Mux::from_bits(number).unwrap_or(Mux::R5),
            Origin::Constant(_) | Origin::Port(Some(File::B), _) => Mux::B,
            Origin::Port(Some(File::A), _) => Mux::A,
            Origin::Port(None, raddr) if self.a == Some(raddr) => Mux::A,
            Origin::Port(None, _) => Mux::B,
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

/// True if the add result must go through file B, for destinations of the add and mul results.
pub(crate) fn write_swap([add, mul]: [Option<Dst>; 2]) -> Result<bool, Misfit> {
    match (add.and_then(|dst| dst.file), mul.and_then(|dst| dst.file)) {
        (Some(add), Some(mul)) if add == mul => Err(Misfit::TwoWrites(add)),
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
            Origin::Port(Some(File::A), raddr) if raddr.register().is_some() => (),
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
