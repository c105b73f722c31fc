//! One or two operations, what stands behind the first's dots, and operands.

use super::super::cursor::Cursor;
use super::super::diagnostic::Fault;
use super::super::piece::What;
use super::super::register::{Place, Register};
use super::super::token::Kind;
use crate::fit::{Dst, Op, OpCode, Origin, Src};
use crate::isa::{AddOp, Cond, File, MulOp, MulPack, Pack, Rotation, Signal, Unpack};
use crate::names::{self, find, nearest};

const SIGNALS: &[(&str, Signal)] = &[
    ("tmu", Signal::LoadTmu0),
    ("tmu0", Signal::LoadTmu0),
    ("tmu1", Signal::LoadTmu1),
    ("ldtmu0", Signal::LoadTmu0),
    ("ldtmu1", Signal::LoadTmu1),
    ("tend", Signal::ProgramEnd),
];

/// A mode by its name here: `unpack8a`, `pack16bclamp`, `pack8ddupe`.
fn unpack_mode(suffix: &str) -> Option<Unpack> {
    let name = match suffix.strip_prefix("unpack")? {
        "32" => "",
        "8ddupe" => "8dr",
        "" => return None,
        name => name,
    };
    Unpack::ALL.iter().copied().find(|mode| mode.name() == name)
}

fn pack_mode(suffix: &str) -> Option<Pack> {
    let name = suffix.strip_prefix("pack")?;
    let (name, saturates) = match name.strip_suffix("clamp") {
        Some(name) => (name, "s"),
        None => (name, ""),
    };
    let name = match (name, saturates) {
        ("32", "") => "",
        ("8ddupe", _) => "8abcd",
        ("", _) => return None,
        _ => name,
    };
    let is_meant = |mode: &Pack| mode.name().strip_suffix(saturates) == Some(name);
    Pack::ALL.iter().copied().find(is_meant)
}

/// The meaning of the dots behind the first operation. Modes are fields of the instruction, and so
/// of both operations.
#[derive(Clone, Copy)]
struct Suffixes {
    signal: Signal,
    unpack: Unpack,
    pack: Pack,
}

impl Suffixes {
    fn read(cursor: &mut Cursor) -> Result<Self, Fault> {
        let mut all = Self {
            signal: Signal::None,
            unpack: Unpack::None,
            pack: Pack::None,
        };
        while let Some(Kind::Suffix(name)) = cursor.kind() {
            if let Some(signal) = find(SIGNALS, name) {
                all.signal = signal;
            } else if let Some(unpack) = unpack_mode(name) {
                all.unpack = unpack;
            } else if let Some(pack) = pack_mode(name) {
                all.pack = pack;
            } else {
                let message = format!("`.{name}` is no signal and no mode");
                return Err(Fault::new("unknown-suffix", cursor.span(), message).help(
                    "signals are .tmu (.ldtmu0), .tmu1 (.ldtmu1) and .tend, modes .unpack16a ... and .pack16a ...",
                ));
            }
            cursor.step();
        }
        Ok(all)
    }

    /// Modes act where the instruction has file A's port, and nowhere else.
    fn on(self, op: Op) -> Op {
        let unpacked = |source: Src| match source.from {
            Origin::Port(Some(File::A), _) => source.unpack(self.unpack),
            _ => source,
        };
        let (address, file) = op.dst.address();
        let in_a = file == Some(File::A) && address.register().is_some();
        Op {
            dst: if in_a { op.dst.pack(self.pack) } else { op.dst },
            a: unpacked(op.a),
            b: unpacked(op.b),
            ..op
        }
    }
}

/// The request in one slot of a line.
#[derive(Default)]
struct Half {
    op: Option<Op>,
    /// `<<n` for the second source: how far the result of the mul ALU is rotated.
    rotation: Option<(Rotation, (u32, u32))>,
}

/// A line of one or two operations, the first name already read.
pub(super) fn operations(
    name: &str,
    span: (u32, u32),
    cursor: &mut Cursor,
) -> Result<Vec<What>, Fault> {
    let add = names::add_op(name)
        .ok_or_else(|| unknown(name, span, AddOp::ALL.iter().map(|op| op.name())))?;
    let suffixes = Suffixes::read(cursor)?;
    let add = half(
        cursor,
        OpCode::Add(add),
        add == AddOp::Nop,
        add.operands() == 1,
    )?;
    let mut mul = Half::default();
    if cursor.take(";") && !cursor.at_end() {
        let span = cursor.span();
        let Some(name) = cursor.name() else {
            return Err(cursor.expected("an operation of the mul ALU"));
        };
        let code = names::mul_op(name)
            .ok_or_else(|| unknown(name, span, MulOp::ALL.iter().map(|op| op.name())))?;
        mul = half(cursor, OpCode::Mul(code), code == MulOp::Nop, false)?;
    }
    // The rotation has the field of a small immediate, whose value an operation of the line would
    // read.
    let misplaced = if add.op.is_some() { &add } else { &mul };
    if let Some((_, span)) = misplaced.rotation {
        return Err(Fault::new("rotation", span, "a rotation is no value").help(
            "write it in an idle first operation, as in `nop rb39, r0, <<1; v8max rb32, r0, r0`",
        ));
    }
    let rotate = add.rotation.map(|(rotation, _)| rotation);
    // An idle add ALU sets no flags, whatever the other does.
    let add = add.op.map(|op| Op { setf: true, ..op });
    let mul = mul.op.map(|op| Op { rotate, ..op });
    let mut all: Vec<What> = [add, mul]
        .into_iter()
        .flatten()
        .map(|op| What::Alu(vec![suffixes.on(op)]))
        .collect();
    if all.is_empty() {
        all.push(What::Nop(None));
    }
    if suffixes.signal != Signal::None {
        all.push(What::Signal(suffixes.signal));
    }
    Ok(all)
}

fn unknown(name: &str, span: (u32, u32), known: impl Iterator<Item = &'static str>) -> Fault {
    let near = nearest(name, known);
    let message = format!("`{name}` is no operation of this ALU");
    Fault::new("unknown-instruction", span, message).suggest(
        &near,
        "the first operation of a line is the add ALU's, the one behind `;` the mul ALU's",
    )
}

/// Operands of an operation; those of a nop are read and forgotten, but for a rotation.
fn half(cursor: &mut Cursor, code: OpCode, is_nop: bool, unary: bool) -> Result<Half, Fault> {
    if cursor.at_end() || cursor.is(";") {
        return match is_nop {
            true => Ok(Half::default()),
            false => Err(cursor.expected("a destination and two sources")),
        };
    }
    let dst = destination(cursor)?;
    cursor.expect(",")?;
    let a = source(cursor)?;
    let mut b = a;
    let mut rotation = None;
    if cursor.take(",") {
        let start = cursor.span();
        if cursor.take("<<") {
            let Some(Kind::Int(lanes @ 1..=15)) = cursor.kind() else {
                return Err(cursor.expected("1 to 15 lanes"));
            };
            cursor.step();
            rotation = Some((Rotation::By(*lanes as u8), cursor.span_from(start)));
        } else {
            b = source(cursor)?;
        }
    } else if !unary {
        return Err(cursor.expected("`,` and the second source"));
    }
    let b = if unary { a } else { b };
    let op = Op {
        code,
        dst,
        a,
        b,
        cond: Cond::Always,
        setf: false,
        rotate: None,
        pack_mul: MulPack::None,
    };
    Ok(Half {
        op: (!is_nop).then_some(op),
        rotation,
    })
}

/// `raN` or `rbN`, 0..=63; jetpacapp/qpu-asm has accumulators by their names, too.
fn register(cursor: &mut Cursor) -> Result<Register, Fault> {
    let span = cursor.span();
    let Some(name) = cursor.name() else {
        return Err(cursor.expected("a register raN or rbN"));
    };
    let is_known = |it: &Register| matches!(it.place, Place::File(..) | Place::Accumulator(_));
    let register = Register::named(name).filter(is_known);
    register.ok_or_else(|| no_register(name, span))
}

fn no_register(name: &str, span: (u32, u32)) -> Fault {
    Fault::new("destination", span, format!("`{name}` is no register here"))
        .help("registers are ra0..ra63 and rb0..rb63, and r0..r3 are also rb32..rb35")
}

/// A register of file A that can be added to a branch's target.
pub(super) fn target_register(cursor: &mut Cursor) -> Result<u8, Fault> {
    let span = cursor.span();
    let register = register(cursor)?;
    match register.place {
        Place::File(File::A, number @ 0..=31) => Ok(number),
        _ => {
            let name = register.name();
            let message = format!("{name} cannot be added to a branch target; only ra0..ra31 can");
            Err(Fault::new("branch", span, message))
        }
    }
}

pub(super) fn destination(cursor: &mut Cursor) -> Result<Dst, Fault> {
    let span = cursor.span();
    let register = register(cursor)?;
    let is_read_only = matches!(register.place, Place::Accumulator(4..));
    let write = register.write().filter(|_| !is_read_only);
    let (file, waddr) = write.ok_or_else(|| no_register(&register.name(), span))?;
    // Through either port it is the same; leaving it open keeps the write swap free.
    Ok(Dst::at(waddr, file.filter(|_| waddr.differs_by_file())))
}

pub(super) fn source(cursor: &mut Cursor) -> Result<Src, Fault> {
    let negative = cursor.take("-");
    match cursor.kind() {
        Some(Kind::Int(value)) => {
            cursor.step();
            let value = if negative {
                value.wrapping_neg()
            } else {
                *value
            };
            Ok(Src::constant(value as u32))
        }
        Some(Kind::Float(value)) => {
            cursor.step();
            Ok(Src::constant(
                (if negative { -*value } else { *value } as f32).to_bits(),
            ))
        }
        Some(Kind::Name(_)) if !negative => {
            let register = register(cursor)?;
            Ok(match (register.accumulator(), register.read()) {
                (None, Some((file, raddr))) => Src::at(raddr, file),
                (number, _) => Src::accumulator(number.unwrap_or(0)),
            })
        }
        _ => Err(cursor.expected("a register or a small integer")),
    }
}
