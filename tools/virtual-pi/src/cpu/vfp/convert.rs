//! Copies, signs, comparisons and conversions.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), 20.3 to 20.5; ARM Architecture Reference Manual
//! (DDI 0100I), C4.

use std::cmp::Ordering;

use super::super::decode::{Handler, Operation, undefined};
use super::super::registers::{C, N, V, Z};
use super::arithmetic::{finish, operands, overflow, root};
use super::format::Format;
use super::{Cpu, DN, IOC, IXC, single};

/// The handler of the extension space; sets the register fields where formats are mixed.
pub fn handler(op: &mut Operation, is_double: bool) -> Handler {
    let word = op.word;
    let (extension, top) = (word >> 16 & 15, word & 1 << 7 != 0);
    let (high_d, high_m) = (word & 1 << 22 != 0, word & 1 << 5 != 0);
    let (from_double, to_double) = match (extension, top) {
        (7, true) => (is_double, !is_double),
        (8, _) => (false, is_double),
        (12 | 13, _) => (is_double, false),
        _ => (is_double, is_double),
    };
    if to_double && high_d || from_double && high_m {
        return undefined;
    }
    op.rd = if to_double {
        (word >> 12 & 15) as u8
    } else {
        single(word, 12, 22)
    };
    op.rm = if from_double {
        (word & 15) as u8
    } else {
        single(word, 0, 5)
    };
    match (extension, top, is_double) {
        (7, true, false) => widen,
        (7, true, true) => narrow,
        (8, false, false) => from_integer::<false, false>,
        (8, true, false) => from_integer::<true, false>,
        (8, false, true) => from_integer::<false, true>,
        (8, true, true) => from_integer::<true, true>,
        (.., false) => handler_of::<f32>(extension, top),
        (.., true) => handler_of::<f64>(extension, top),
    }
}

/// The handler of an operation that both formats have.
fn handler_of<F: Format>(extension: u32, top: bool) -> Handler {
    match (extension, top) {
        (0, false) => copy::<F>,
        (0, true) => absolute::<F>,
        (1, false) => negate::<F>,
        (1, true) => root::<F>,
        (4, false) => compare::<F, false, false>,
        (4, true) => compare::<F, true, false>,
        (5, false) => compare::<F, false, true>,
        (5, true) => compare::<F, true, true>,
        (12, false) => to_integer::<F, false, false>,
        (12, true) => to_integer::<F, false, true>,
        (13, false) => to_integer::<F, true, false>,
        (13, true) => to_integer::<F, true, true>,
        _ => undefined,
    }
}

/// FCPY.
fn copy<F: Format>(cpu: &mut Cpu, op: &Operation) {
    if cpu.vfp_enabled() {
        F::read(cpu, op.rm).write(cpu, op.rd);
    }
}

/// FABS.
fn absolute<F: Format>(cpu: &mut Cpu, op: &Operation) {
    if cpu.vfp_enabled() {
        F::read(cpu, op.rm).magnitude().write(cpu, op.rd);
    }
}

/// FNEG.
fn negate<F: Format>(cpu: &mut Cpu, op: &Operation) {
    if cpu.vfp_enabled() {
        (-F::read(cpu, op.rm)).write(cpu, op.rd);
    }
}

/// FCMP and, with `RAISE`, FCMPE; with zero in the Z forms.
fn compare<F: Format, const RAISE: bool, const WITH_ZERO: bool>(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let left = F::read(cpu, op.rd);
    let right = if WITH_ZERO {
        F::ZERO
    } else {
        F::read(cpu, op.rm)
    };
    let is_nan = left.is_nan() || right.is_nan();
    let order = match operands(cpu, [left, right]) {
        Ok([left, right]) => left.partial_cmp(&right),
        Err(Some(_)) => None,
        Err(None) => return,
    };
    if RAISE && is_nan {
        cpu.vfp.fpscr |= IOC;
    }
    let flags = match order {
        Some(Ordering::Less) => N,
        Some(Ordering::Equal) => Z | C,
        Some(Ordering::Greater) => C,
        None => C | V,
    };
    cpu.vfp.fpscr = cpu.vfp.fpscr & 0x0fff_ffff | flags << 28;
}

/// FCVTDS.
fn widen(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let m = f32::read(cpu, op.rm);
    match operands(cpu, [m, 0.0]) {
        Ok([m, _]) => f64::from(m).write(cpu, op.rd),
        Err(Some(nan)) => {
            let wide = if cpu.vfp.fpscr & DN != 0 {
                f64::DEFAULT_NAN
            } else {
                f64::from(nan)
            };
            wide.write(cpu, op.rd);
        }
        Err(None) => {}
    }
}

/// FCVTSD.
fn narrow(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let m = f64::read(cpu, op.rm);
    let result = match operands(cpu, [m, 0.0]) {
        Ok([m, _]) => {
            let result = m as f32;
            if m.is_infinite() {
                Some(result)
            } else if result.is_infinite() {
                Some(overflow(cpu, result))
            } else {
                finish(cpu, result, m - f64::from(result))
            }
        }
        Err(Some(nan)) => Some(if cpu.vfp.fpscr & DN != 0 {
            f32::DEFAULT_NAN
        } else {
            nan as f32
        }),
        Err(None) => None,
    };
    if let Some(result) = result {
        result.write(cpu, op.rd);
    }
}

/// FUITO and FSITO.
fn from_integer<const SIGNED: bool, const DOUBLE: bool>(cpu: &mut Cpu, op: &Operation) {
    if !cpu.vfp_enabled() {
        return;
    }
    let bits = cpu.vfp.s[op.rm as usize & 31];
    let exact = if SIGNED {
        f64::from(bits as i32)
    } else {
        f64::from(bits)
    };
    if DOUBLE {
        exact.write(cpu, op.rd);
    } else {
        let rounded = exact as f32;
        if f64::from(rounded) != exact {
            cpu.vfp.fpscr |= IXC;
        }
        rounded.write(cpu, op.rd);
    }
}

/// FTOUI and FTOSI, toward zero in the Z forms, else to nearest; NaN gives 0, the rest saturates.
fn to_integer<F: Format, const SIGNED: bool, const TOWARD_ZERO: bool>(
    cpu: &mut Cpu,
    op: &Operation,
) {
    if !cpu.vfp_enabled() {
        return;
    }
    let m = F::read(cpu, op.rm);
    let value: f64 = match operands(cpu, [m, F::ZERO]) {
        Ok([m, _]) => m.into(),
        Err(Some(_)) => f64::NAN,
        Err(None) => return,
    };
    let rounded = if TOWARD_ZERO {
        value.trunc()
    } else {
        value.round_ties_even()
    };
    let (low, high) = if SIGNED {
        (i32::MIN.into(), i32::MAX.into())
    } else {
        (0.0, u32::MAX.into())
    };
    if !(low..=high).contains(&rounded) {
        cpu.vfp.fpscr |= IOC;
    } else if rounded != value {
        cpu.vfp.fpscr |= IXC;
    }
    // `as` saturates and makes NaN 0, as the VFP does.
    cpu.vfp.s[op.rd as usize & 31] = if SIGNED {
        rounded as i32 as u32
    } else {
        rounded as u32
    };
}
