//! Addition, multiplication, division, multiply-accumulate and root.
//!
//! A multiply-accumulate rounds its product like a multiplication of its own (VFP11 is not fused).
//! Fast path: RunFast mode, IXC already set, ordinary operands and an ordinary result. All else
//! goes through [`finish`], which settles NaNs, flushing, flags and the bounce.
//!
//! Source: ARM1176JZF-S TRM (DDI 0301H), 18.5 and chapter 22.

use super::super::decode::Operation;
use super::format::Format;
use super::{Cpu, DN, DZC, FAST_MASK, FZ, IDC, IOC, IXC, OFC, UFC};
use crate::fault::FaultKind;

/// FADD.
pub fn add<F: Format>(cpu: &mut Cpu, op: &Operation) {
    binary::<F>(cpu, op, F::add, exact_add);
}

/// FSUB.
pub fn subtract<F: Format>(cpu: &mut Cpu, op: &Operation) {
    binary::<F>(cpu, op, F::sub, |cpu, a, b| {
        // A NaN keeps its sign.
        exact_add(cpu, a, if b.is_nan() { b } else { -b })
    });
}

/// FMUL and FNMUL.
pub fn multiply<F: Format, const NEGATED: bool>(cpu: &mut Cpu, op: &Operation) {
    if NEGATED {
        // The sign is changed after rounding and flushing, NaNs included.
        if !cpu.vfp_enabled() {
            return;
        }
        let (n, m) = (F::read(cpu, op.rn), F::read(cpu, op.rm));
        if let Some(product) = exact_multiply(cpu, n, m) {
            (-product).write(cpu, op.rd);
        }
    } else {
        binary::<F>(cpu, op, F::mul, exact_multiply);
    }
}

/// FDIV.
pub fn divide<F: Format>(cpu: &mut Cpu, op: &Operation) {
    cpu.wait(F::DIVIDE_CLOCKS);
    binary::<F>(cpu, op, F::div, exact_divide);
}

#[inline(always)]
fn binary<F: Format>(
    cpu: &mut Cpu,
    op: &Operation,
    fast: fn(F, F) -> F,
    exact: fn(&mut Cpu, F, F) -> Option<F>,
) {
    if !cpu.vfp_enabled() {
        return;
    }
    let (n, m) = (F::read(cpu, op.rn), F::read(cpu, op.rm));
    let result = fast(n, m);
    if cpu.vfp.fpscr & FAST_MASK == FAST_MASK
        && n.is_plain()
        && m.is_plain()
        && result.is_plain_result()
    {
        result.write(cpu, op.rd);
    } else if let Some(result) = exact(cpu, n, m) {
        result.write(cpu, op.rd);
    }
}

/// FMAC (d + n*m), FNMAC (d - n*m), FMSC (-d + n*m), FNMSC (-d - n*m).
pub fn multiply_add<F: Format, const NEGATE_PRODUCT: bool, const NEGATE_ADDEND: bool>(
    cpu: &mut Cpu,
    op: &Operation,
) {
    if !cpu.vfp_enabled() {
        return;
    }
    let (n, m, d) = (
        F::read(cpu, op.rn),
        F::read(cpu, op.rm),
        F::read(cpu, op.rd),
    );
    let sign = |value: F, negate: bool| if negate { -value } else { value };
    let product = n * m;
    let result = sign(d, NEGATE_ADDEND) + sign(product, NEGATE_PRODUCT);
    if cpu.vfp.fpscr & FAST_MASK == FAST_MASK
        && n.is_plain()
        && m.is_plain()
        && d.is_plain()
        && product.is_plain_result()
        && result.is_plain_result()
    {
        return result.write(cpu, op.rd);
    }
    let Some(product) = exact_multiply(cpu, n, m) else {
        return;
    };
    let product = if product.is_nan() {
        product
    } else {
        sign(product, NEGATE_PRODUCT)
    };
    let addend = if d.is_nan() {
        d
    } else {
        sign(d, NEGATE_ADDEND)
    };
    if let Some(result) = exact_add(cpu, addend, product) {
        result.write(cpu, op.rd);
    }
}

/// FSQRT.
pub fn root<F: Format>(cpu: &mut Cpu, op: &Operation) {
    cpu.wait(F::DIVIDE_CLOCKS);
    if !cpu.vfp_enabled() {
        return;
    }
    let m = F::read(cpu, op.rm);
    let result = match operands(cpu, [m, F::ZERO]) {
        Err(nan) => nan,
        Ok([m, _]) => {
            let result = m.root();
            let ordinary = m > F::ZERO && !m.is_infinite();
            let error = if ordinary { m.root_error(result) } else { 0.0 };
            finish(cpu, result, error)
        }
    };
    if let Some(result) = result {
        result.write(cpu, op.rd);
    }
}

#[cold]
#[inline(never)]
fn exact_add<F: Format>(cpu: &mut Cpu, a: F, b: F) -> Option<F> {
    settle(cpu, [a, b], F::add, F::sum_error)
}

#[cold]
#[inline(never)]
fn exact_multiply<F: Format>(cpu: &mut Cpu, a: F, b: F) -> Option<F> {
    settle(cpu, [a, b], F::mul, |a, b, product| {
        let vanished = product == F::ZERO && a != F::ZERO && b != F::ZERO;
        if vanished {
            1.0
        } else {
            a.product_error(b, product)
        }
    })
}

#[cold]
#[inline(never)]
fn exact_divide<F: Format>(cpu: &mut Cpu, a: F, b: F) -> Option<F> {
    settle(cpu, [a, b], F::div, |a, b, quotient| {
        let vanished = quotient == F::ZERO && a != F::ZERO;
        if vanished {
            1.0
        } else {
            a.quotient_error(b, quotient)
        }
    })
}

/// The rounded result of an operation; `error` of operands and result as [`finish`] takes it.
fn settle<F: Format>(
    cpu: &mut Cpu,
    numbers: [F; 2],
    operation: impl FnOnce(F, F) -> F,
    error: impl FnOnce(F, F, F) -> f64,
) -> Option<F> {
    let [a, b] = match operands(cpu, numbers) {
        Ok(numbers) => numbers,
        Err(nan) => return nan,
    };
    let result = operation(a, b);
    if a.is_infinite() || b.is_infinite() || result.is_nan() {
        return finish(cpu, result, 0.0);
    }
    if !result.is_infinite() {
        return finish(cpu, result, error(a, b, result));
    }
    // Of finite numbers only a division by zero makes infinity of a zero.
    if b == F::ZERO {
        cpu.vfp.fpscr |= DZC;
        return Some(result);
    }
    Some(overflow(cpu, result))
}

/// Flushes subnormal operands and settles NaNs. `Err` has the result, or nothing when the run
/// stops.
pub fn operands<F: Format>(cpu: &mut Cpu, values: [F; 2]) -> Result<[F; 2], Option<F>> {
    if values.iter().any(|value| value.is_nan()) {
        if values.iter().any(|value| value.is_signaling()) {
            cpu.vfp.fpscr |= IOC;
        }
        if cpu.vfp.fpscr & DN != 0 {
            return Err(Some(F::DEFAULT_NAN));
        }
        bounce(cpu, "a NaN operand without FPSCR.DN").ok_or(None)?;
        let first = values
            .iter()
            .find(|value| value.is_signaling())
            .or(values.iter().find(|value| value.is_nan()));
        return Err(first.map(|nan| nan.quiet()));
    }
    let mut flushed = values;
    for value in &mut flushed {
        if value.is_subnormal() {
            if cpu.vfp.fpscr & FZ != 0 {
                cpu.vfp.fpscr |= IDC;
                *value = F::ZERO;
            } else {
                bounce(cpu, "a subnormal operand without FPSCR.FZ").ok_or(None)?;
            }
        }
    }
    Ok(flushed)
}

/// Flags and flushing of a rounded result; `error` has the sign of what rounding took away.
/// `None` when the run stops.
pub fn finish<F: Format>(cpu: &mut Cpu, result: F, error: f64) -> Option<F> {
    if result.is_nan() {
        cpu.vfp.fpscr |= IOC;
        return Some(F::DEFAULT_NAN);
    }
    let lost = if result < F::ZERO {
        error > 0.0
    } else {
        error < 0.0
    };
    let tiny = result.is_subnormal()
        || result.magnitude() == F::SMALLEST && lost
        || result == F::ZERO && error != 0.0;
    if tiny {
        if cpu.vfp.fpscr & FZ != 0 {
            cpu.vfp.fpscr |= UFC;
            return Some(F::ZERO);
        }
        bounce(cpu, "a subnormal result without FPSCR.FZ")?;
        if error != 0.0 {
            cpu.vfp.fpscr |= UFC | IXC;
        }
        return Some(result);
    }
    if error != 0.0 {
        cpu.vfp.fpscr |= IXC;
    }
    Some(result)
}

/// A finite operation whose result does not fit.
pub fn overflow<F: Format>(cpu: &mut Cpu, result: F) -> F {
    cpu.vfp.fpscr |= OFC | IXC;
    result
}

/// Treats an operation that silicon would hand to support code: stops the run, or with the check
/// off goes on.
fn bounce(cpu: &mut Cpu, what: &'static str) -> Option<()> {
    if cpu.config.checks.vfp_bounce {
        cpu.fault(FaultKind::VfpBounce(what), None);
        return None;
    }
    Some(())
}
