//! The text of ALU instructions.

use super::{condition, destination, read_name};
use crate::isa::{
    AddOp, Alu, File, MulOp, Mux, RaddrB, Rotation, Signal, Slot, SmallImmediate, Unpack, raddr,
};

pub(super) fn text(alu: &Alu) -> String {
    let mut parts = Vec::new();
    if alu.op_add != AddOp::Nop {
        parts.push(add_text(alu));
    } else {
        parts.push("nop".to_string());
    }
    if alu.op_mul != MulOp::Nop {
        parts.push(mul_text(alu));
    }
    if alu.signal() != Signal::None {
        parts.push(alu.signal().name().to_string());
    }
    for (file, address, mux) in [
        (File::A, alu.raddr_a, Mux::A),
        (File::B, alu.read_b(), Mux::B),
    ] {
        if address != raddr::NOP && address.register().is_none() && !alu.uses(mux) {
            parts.push(format!("read {}", read_name(file, address)));
        }
    }
    parts.join("; ")
}

fn add_text(alu: &Alu) -> String {
    let is_move = alu.op_add == AddOp::Or && alu.add_a == alu.add_b;
    let name = if is_move { "mov" } else { alu.op_add.name() };
    let unary = is_move || alu.op_add.operands() == 1;
    let operands = if unary {
        vec![alu.add_a]
    } else {
        vec![alu.add_a, alu.add_b]
    };
    // A rotation code is also an integer; only the mul result is rotated.
    operation(alu, Slot::Add, name, alu.write.sf, &operands, "")
}

fn mul_text(alu: &Alu) -> String {
    let is_move = alu.op_mul == MulOp::V8min && alu.mul_a == alu.mul_b;
    let name = if is_move { "mov" } else { alu.op_mul.name() };
    let operands = if is_move {
        vec![alu.mul_a]
    } else {
        vec![alu.mul_a, alu.mul_b]
    };
    let rotation = match alu.rotation() {
        None => String::new(),
        Some(Rotation::ByR5) => " >> r5".to_string(),
        Some(Rotation::By(lanes @ 0..=8)) => format!(" >> {lanes}"),
        Some(Rotation::By(lanes)) => format!(" << {}", 16 - lanes),
    };
    let setf = alu.write.sf && alu.op_add == AddOp::Nop;
    operation(alu, Slot::Mul, name, setf, &operands, &rotation)
}

fn operation(
    alu: &Alu,
    slot: Slot,
    name: &str,
    setf: bool,
    operands: &[Mux],
    rotation: &str,
) -> String {
    let setf = if setf { ".setf" } else { "" };
    let condition = condition(alu.write.cond(slot));
    let mut out = format!("{name}{setf}{condition} {}", destination(&alu.write, slot));
    for mux in operands {
        out = out + ", " + &operand(alu, *mux) + rotation;
    }
    out
}

fn operand(alu: &Alu, mux: Mux) -> String {
    let name = match (mux, alu.raddr_b) {
        (Mux::A, _) => read_name(File::A, alu.raddr_a),
        (Mux::B, RaddrB::Register { raddr, .. }) => read_name(File::B, raddr),
        (Mux::B, RaddrB::SmallImmediate(immediate)) => constant(immediate),
        _ => mux.name().to_string(),
    };
    let unpacked = if alu.write.pm {
        mux == Mux::R4
    } else {
        mux == Mux::A
    };
    if unpacked && alu.unpack != Unpack::None {
        format!("{name}.{}", alu.unpack.name())
    } else {
        name
    }
}

fn constant(immediate: SmallImmediate) -> String {
    match immediate.bits() {
        32..=47 => format!("{:?}", f32::from_bits(immediate.value())),
        _ => (immediate.value() as i32).to_string(),
    }
}
