//! Simple instructions as functions: from registers to registers, with nothing left to decide.
//!
//! A simple instruction ([`Code::simple`]) operates on operands that lie in registers and writes
//! results as they are. There is one function for each pair of operations that programs use often,
//! and one for all others, each with and without rotation, so that what one instruction asks for is
//! found once, when it is decoded. All of them are there once more for processors with AVX-512
//! ([`crate::alu::wide`]). Hazards are the caller's.

use super::operands::rotated;
use super::state::{Registers, last_quad};
use super::writeback::write_lanes;
use crate::alu::float_lanes::{Floats, Portable};
use crate::alu::{self, LANES, LaneMask, Lanes, Operation};
use crate::decoded::{Code, NO_REGISTER};
#[cfg(target_arch = "x86_64")]
use pulp::x86::V4;
use qpu::isa::{AddOp, Instruction, MulOp};

/// The function that executes a simple instruction.
pub type Handler = fn(&mut Registers, &Code);

/// An operation of one of the two ALUs that is known when this is compiled.
trait Operates {
    /// True if there is one.
    const WORKS: bool = true;

    /// The result for two operands; `any` is the operation of the instruction.
    fn of(floats: impl Floats, any: Operation, a: &Lanes, b: &Lanes) -> Lanes;
}

macro_rules! operations {
    ($($name:ident: $works:literal |$floats:tt, $any:tt, $a:tt, $b:tt| $of:expr;)*) => {
        $(
            struct $name;

            impl Operates for $name {
                const WORKS: bool = $works;

                // Not by a closure: where that is not inlined, AVX-512 is not either.
                #[inline(always)]
                fn of($floats: impl Floats, $any: Operation, $a: &Lanes, $b: &Lanes) -> Lanes {
                    $of
                }
            }
        )*
    };
}

operations! {
    Idle: false |_, _, _, _| [0; LANES];
    Any: true |_, any, a, b| any(a, b);
    Copy: true |_, _, a, _| *a;
    Fadd: true |floats, _, a, b| floats.add(a, b);
    Fsub: true |floats, _, a, b| floats.sub(a, b);
    Fmul: true |floats, _, a, b| floats.mul(a, b);
    Add: true |_, _, a, b| alu::map(a, b, u32::wrapping_add);
    Sub: true |_, _, a, b| alu::map(a, b, u32::wrapping_sub);
    And: true |_, _, a, b| alu::map(a, b, |a, b| a & b);
}

/// The function for a simple instruction. Without `knows_products`, the operation of the mul ALU
/// may be another than its name says.
pub fn find(code: &Code, knows_products: bool) -> Handler {
    if !matches!(code.instruction, Instruction::Alu(_)) {
        return load;
    }
    match code.op_add {
        AddOp::Nop => with_add::<Idle>(code, knows_products),
        AddOp::Fadd => with_add::<Fadd>(code, knows_products),
        AddOp::Fsub => with_add::<Fsub>(code, knows_products),
        AddOp::Add => with_add::<Add>(code, knows_products),
        AddOp::Sub => with_add::<Sub>(code, knows_products),
        AddOp::And => with_add::<And>(code, knows_products),
        AddOp::Or if code.copies[0] => with_add::<Copy>(code, knows_products),
        _ => with_add::<Any>(code, knows_products),
    }
}

fn with_add<A: Operates>(code: &Code, knows_products: bool) -> Handler {
    let is_copy = code.copies[1];
    match (code.op_mul, code.rotation) {
        (MulOp::Nop, _) => with_both::<A, Idle, false>(),
        (MulOp::Fmul, 0) if knows_products => with_both::<A, Fmul, false>(),
        (_, 0) if is_copy => with_both::<A, Copy, false>(),
        (_, 0) => with_both::<A, Any, false>(),
        _ if is_copy => with_both::<A, Copy, true>(),
        _ => with_both::<A, Any, true>(),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn with_both<A: Operates, M: Operates, const ROTATES: bool>() -> Handler {
    operate_portably::<A, M, ROTATES>
}

/// The fastest that the host's processor has instructions for.
#[cfg(target_arch = "x86_64")]
fn with_both<A: Operates, M: Operates, const ROTATES: bool>() -> Handler {
    if V4::is_available() {
        operate_wide::<A, M, ROTATES>
    } else {
        operate_portably::<A, M, ROTATES>
    }
}

#[cfg(target_arch = "x86_64")]
fn operate_wide<A: Operates, M: Operates, const ROTATES: bool>(
    registers: &mut Registers,
    code: &Code,
) {
    let Some(simd) = V4::try_new() else {
        return operate_portably::<A, M, ROTATES>(registers, code);
    };
    simd.vectorize(
        #[inline(always)]
        || operate::<A, M, ROTATES>(simd, registers, code),
    );
}

fn operate_portably<A: Operates, M: Operates, const ROTATES: bool>(
    registers: &mut Registers,
    code: &Code,
) {
    operate::<A, M, ROTATES>(Portable, registers, code);
}

/// Both operations of an instruction.
#[inline(always)]
fn operate<A: Operates, M: Operates, const ROTATES: bool>(
    floats: impl Floats,
    registers: &mut Registers,
    code: &Code,
) {
    for (place, index) in code.through.into_iter().enumerate() {
        if index != NO_REGISTER {
            registers.last_port[place] = last_quad(registers.at(index));
        }
    }
    let [a, b, c, d] = code.operands.map(|index| registers.at(index));
    let [add, mul] = code.operations;
    let sum = A::of(floats, add, a, b);
    let mut product = M::of(floats, mul, c, d);
    if ROTATES {
        // Lanes do not see each other, and both operands move alike: the result may move instead.
        product = rotated(code.operands[2], &product, registers.rotation(code));
    }
    if M::WORKS {
        registers.last_mul = last_quad(&product);
    }
    let enabled = registers.enabled_lanes(code);
    if A::WORKS {
        write(registers, code.direct[0], &sum, enabled[0]);
    }
    if M::WORKS {
        write(registers, code.direct[1], &product, enabled[1]);
    }
}

/// A load immediate of one value for all lanes.
fn load(registers: &mut Registers, code: &Code) {
    let enabled = registers.enabled_lanes(code);
    for (index, enabled) in code.direct.into_iter().zip(enabled) {
        write(registers, index, &[code.immediate; LANES], enabled);
    }
}

#[inline(always)]
fn write(registers: &mut Registers, index: u8, value: &Lanes, enabled: LaneMask) {
    // What goes nowhere goes to a place that nobody reads.
    write_lanes(registers.at_mut(index), value, enabled);
}
