//! The text of ALU instructions.

use std::fmt::Write;

use super::write_back::{push_condition, push_destination, shown_condition};
use crate::isa::{
    AddOp, Alu, File, MulOp, Mux, Raddr, RaddrB, Rotation, Signal, Slot, SmallImmediate, Unpack,
    raddr, waddr,
};
use crate::names::{push_read_name, push_small};

/// The operations of the add ALU and the mul ALU, the signal, and reads that no operand uses.
pub(super) fn push(out: &mut String, alu: &Alu) {
    let mul_writes_left_overs = alu.op_mul == MulOp::Nop
        && alu.write.waddr_mul != waddr::NOP
        && alu.write.cond_mul != crate::isa::Cond::Never;
    match alu.op_add {
        AddOp::Nop => out.push_str("nop"),
        _ => push_add(out, alu),
    }
    if alu.op_mul != MulOp::Nop {
        out.push_str("; ");
        push_mul(out, alu);
    } else if mul_writes_left_overs {
        out.push_str("; mnop");
        push_condition(out, shown_condition(&alu.write, Slot::Mul, false));
        out.push(' ');
        push_destination(out, &alu.write, Slot::Mul, true);
    }
    if alu.signal() != Signal::None {
        out.push_str("; ");
        out.push_str(alu.signal().name());
    }
    for (file, address, mux) in [
        (File::A, alu.raddr_a, Mux::A),
        (File::B, alu.read_b(), Mux::B),
    ] {
        if is_shown_unused(address) && !alu.uses(mux) {
            out.push_str("; read ");
            push_read_name(out, file, address);
        }
    }
}

/// True if a read does something even if no operand uses it.
pub(super) fn is_shown_unused(address: Raddr) -> bool {
    address != raddr::NOP && address.register().is_none()
}

/// True if the operand is a small immediate.
pub(super) fn is_constant(alu: &Alu, mux: Mux) -> bool {
    mux == Mux::B && alu.small_immediate().is_some()
}

fn push_add(out: &mut String, alu: &Alu) {
    // `mov` of a constant would be a load immediate when it is assembled.
    let is_move = alu.op_add == AddOp::Or && alu.add_a == alu.add_b && !is_constant(alu, alu.add_a);
    let name = match alu.op_add {
        _ if is_move => "mov",
        // Without the letter they would be the mul ALU's.
        AddOp::V8adds => "av8adds",
        AddOp::V8subs => "av8subs",
        other => other.name(),
    };
    push_operation(out, alu, Slot::Add, name, alu.write.sf);
    push_operand(out, alu, alu.add_a, false);
    if !is_move && alu.op_add.operands() > 1 {
        push_operand(out, alu, alu.add_b, false);
    }
}

fn push_mul(out: &mut String, alu: &Alu) {
    let is_move =
        alu.op_mul == MulOp::V8min && alu.mul_a == alu.mul_b && !is_constant(alu, alu.mul_a);
    let name = if is_move { "mov" } else { alu.op_mul.name() };
    let sets_flags = alu.write.sf && alu.op_add == AddOp::Nop;
    push_operation(out, alu, Slot::Mul, name, sets_flags);
    push_operand(out, alu, alu.mul_a, true);
    if !is_move {
        push_operand(out, alu, alu.mul_b, true);
    }
}

/// Name, flags, condition and destination.
fn push_operation(out: &mut String, alu: &Alu, slot: Slot, name: &str, sets_flags: bool) {
    out.push_str(name);
    if sets_flags {
        out.push_str(".setf");
    }
    push_condition(out, shown_condition(&alu.write, slot, sets_flags));
    out.push(' ');
    push_destination(out, &alu.write, slot, true);
}

fn push_operand(out: &mut String, alu: &Alu, mux: Mux, is_of_mul: bool) {
    out.push_str(", ");
    match (mux, alu.raddr_b) {
        (Mux::A, _) => push_read_name(out, File::A, alu.raddr_a),
        (Mux::B, RaddrB::Register { raddr, .. }) => push_read_name(out, File::B, raddr),
        (Mux::B, RaddrB::SmallImmediate(immediate)) => return push_constant(out, immediate),
        _ => out.push_str(mux.name()),
    }
    let unpacked = if alu.write.pm { Mux::R4 } else { Mux::A };
    if mux == unpacked && alu.unpack != Unpack::None {
        out.push('.');
        out.push_str(alu.unpack.name());
    }
    if is_of_mul && (rotates_over_all_lanes(mux) || !rotates(alu)) {
        push_rotation(out, alu);
    }
}

/// r0..r3; other operands of a rotation move inside their quad only.
fn rotates_over_all_lanes(mux: Mux) -> bool {
    matches!(mux, Mux::R0 | Mux::R1 | Mux::R2 | Mux::R3)
}

/// True if an operand of the mul ALU can be rotated over all lanes.
pub(super) fn rotates(alu: &Alu) -> bool {
    rotates_over_all_lanes(alu.mul_a) || rotates_over_all_lanes(alu.mul_b)
}

fn push_rotation(out: &mut String, alu: &Alu) {
    match alu.rotation() {
        None => (),
        Some(Rotation::ByR5) => out.push_str(" >> r5"),
        Some(Rotation::By(lanes @ 0..=8)) => {
            out.push_str(" >> ");
            push_small(out, lanes);
        }
        Some(Rotation::By(lanes)) => {
            out.push_str(" << ");
            push_small(out, 16 - lanes);
        }
    }
}

fn push_constant(out: &mut String, immediate: SmallImmediate) {
    match immediate.bits() {
        32..=47 => {
            let _ = write!(out, "{:?}", f32::from_bits(immediate.value()));
        }
        _ => {
            let value = immediate.value() as i32;
            if value < 0 {
                out.push('-');
            }
            push_small(out, value.unsigned_abs() as u8);
        }
    }
}
