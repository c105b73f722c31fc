//! Operators of expressions, with vc4asm's precedence and types.
//!
//! Precedence is C's, but shifts bind tighter than comparisons and `&`, `^`, `|` looser, as there.
//! Shifts by negative counts shift the other way. `>>` is arithmetic on 64 bits, `>>>` logical.
//! Floats are scaled by `<<` and `>>`. Registers count with `+` and `-` and rotate with `<<` and
//! `>>`.

use std::cmp::Ordering;

use super::register::{Place, Register};
use super::value::Value;
use crate::isa::Rotation;

/// Binary operators, those that bind loosest first.
const BINARY: [&[&str]; 12] = [
    &["||"],
    &["^^", "!^^"],
    &["&&"],
    &["|"],
    &["^", "!^"],
    &["&"],
    &["==", "!=", "===", "!=="],
    &[">", ">=", "<", "<=", "<=>"],
    &["<<", ">>", "<<<", ">>>", "><<", ">><", "><<<", ">>><"],
    &["+", "-"],
    &["*", "/", "%"],
    &["**"],
];

/// The precedence of a binary operator, from 1 on; `None` when the sign is none.
pub(super) fn precedence(sign: &str) -> Option<u8> {
    let place = BINARY.iter().position(|signs| signs.contains(&sign))?;
    Some(place as u8 + 1)
}

type Function = fn(f64) -> f64;

/// Functions of one number, which need no parentheses.
#[rustfmt::skip]
const FUNCTIONS: &[(&str, Function)] = &[
    ("abs", libm::fabs), ("ceil", libm::ceil), ("floor", libm::floor), ("round", libm::round), ("trunc", libm::trunc),
    ("exp", libm::exp), ("exp2", libm::exp2), ("exp10", libm::exp10),
    ("log", libm::log), ("log2", libm::log2), ("log10", libm::log10),
    ("cos", libm::cos), ("sin", libm::sin), ("tan", libm::tan),
    ("acos", libm::acos), ("asin", libm::asin), ("atan", libm::atan),
    ("cosh", libm::cosh), ("sinh", libm::sinh), ("tanh", libm::tanh),
    ("acosh", libm::acosh), ("asinh", libm::asinh), ("atanh", libm::atanh),
    ("erf", libm::erf), ("erfc", libm::erfc), ("sqrt", libm::sqrt),
];

/// Names of the functions of one number.
pub(super) fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|entry| entry.0)
}

/// A sign or function before its operand.
pub(super) fn unary(name: &str, value: Value) -> Result<Value, String> {
    use Value::{Float, Int};
    let wrong = || Err(format!("{name} cannot be applied to {}", value.what()));
    Ok(match (name, value) {
        ("+", value) => value,
        ("-", Int(value)) => Int(value.wrapping_neg()),
        ("-", Float(value)) => Float(-value),
        ("~", Int(value)) => Int(!value),
        ("!", Int(value)) => truth(value == 0),
        ("abs", Int(value)) => Int(value.wrapping_abs()),
        ("ceil" | "floor" | "round" | "trunc", Int(value)) => Int(value),
        (_, Int(_) | Float(_)) => {
            let Some(function) = crate::names::find(FUNCTIONS, name) else {
                return wrong();
            };
            let argument = match value {
                Int(value) => value as f64,
                Float(value) => value,
                _ => return wrong(),
            };
            match (name, function(argument)) {
                ("ceil" | "floor" | "round" | "trunc", value) => Int(value as i64),
                (_, value) => Float(value),
            }
        }
        _ => return wrong(),
    })
}

fn truth(value: bool) -> Value {
    Value::Int(i64::from(value))
}

/// Two operands and what stands between.
pub(super) fn binary(sign: &str, one: Value, two: Value) -> Result<Value, String> {
    use Value::{Float, Int, Label, Register as Reg};
    if let Some(value) = comparison(sign, &one, &two) {
        return Ok(value);
    }
    Ok(match (one, two) {
        (Int(one), Int(two)) => integers(sign, one, two)?,
        (Float(one), Int(two)) if matches!(sign, "<<" | ">>") => {
            let by = two.clamp(-4096, 4096) as i32;
            Float(libm::scalbn(one, if sign == "<<" { by } else { -by }))
        }
        (Int(one), Float(two)) => floats(sign, one as f64, two)?,
        (Float(one), Int(two)) => floats(sign, one, two as f64)?,
        (Float(one), Float(two)) => floats(sign, one, two)?,
        (Reg(one), Int(two)) => register(sign, one, two)?,
        (Int(one), Reg(two)) if sign == "+" => Reg(two.offset(one)?),
        (Reg(one), Reg(two))
            if two.place == Place::Accumulator(5) && matches!(sign, ">>" | "<<") =>
        {
            if sign == "<<" {
                return Err("a rotation by r5 goes up only; write >> r5".to_string());
            }
            Reg(rotated(one, Rotation::ByR5)?)
        }
        (Label(one), Int(two)) if sign == "+" => Label(one.wrapping_add(two)),
        (Int(one), Label(two)) if sign == "+" => Label(one.wrapping_add(two)),
        (Label(one), Int(two)) if sign == "-" => Label(one.wrapping_sub(two)),
        (Label(one), Label(two)) if sign == "-" => Int(one.wrapping_sub(two)),
        (Reg(one), Label(_)) | (Label(_), Reg(one)) if sign == "+" => {
            return Err(format!(
                "a branch adds a register and a label itself: name both as targets, `brr -, {}, :LABEL`",
                one.name()
            ));
        }
        _ => {
            return Err(format!(
                "{sign} is not defined between {} and {}",
                one.what(),
                two.what()
            ));
        }
    })
}

fn comparison(sign: &str, one: &Value, two: &Value) -> Option<Value> {
    let order = || one.order(two);
    Some(match sign {
        "<" => truth(order() == Some(Ordering::Less)),
        "<=" => truth(matches!(order(), Some(Ordering::Less | Ordering::Equal))),
        ">" => truth(order() == Some(Ordering::Greater)),
        ">=" => truth(matches!(order(), Some(Ordering::Greater | Ordering::Equal))),
        "==" => truth(order() == Some(Ordering::Equal)),
        "!=" => truth(order() != Some(Ordering::Equal)),
        "===" => truth(one.is_identical(two)),
        "!==" => truth(!one.is_identical(two)),
        "<=>" => Value::Int(order().map_or(-0x8000_0000, |order| order as i64)),
        _ => return None,
    })
}

fn integers(sign: &str, one: i64, two: i64) -> Result<Value, String> {
    let zero = || format!("{one} {sign} 0 has no value");
    // Counts of 64 and more leave nothing; negative ones shift the other way.
    let left = |value: i64, by: i64| {
        value
            .checked_shl(u32::try_from(by).unwrap_or(u32::MAX))
            .unwrap_or(0)
    };
    let right = |value: i64, by: i64| value >> by.clamp(0, 63);
    let logical = |value: i64, by: i64| {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        (value as u64).checked_shr(by).unwrap_or(0) as i64
    };
    let away = two.checked_neg().unwrap_or(i64::MAX);
    let rotation = |bits: i64| two.rem_euclid(bits) as u32;
    Ok(Value::Int(match sign {
        "**" => return Ok(power(one, two)),
        "*" => one.wrapping_mul(two),
        "/" => one.checked_div(two).ok_or_else(zero)?,
        "%" => one.checked_rem(two).ok_or_else(zero)?,
        "+" => one.wrapping_add(two),
        "-" => one.wrapping_sub(two),
        "<<" if two < 0 => right(one, away),
        ">>" if two < 0 => left(one, away),
        "<<<" if two < 0 => logical(one, away),
        ">>>" if two < 0 => left(one, away),
        "<<" | "<<<" => left(one, two),
        ">>" => right(one, two),
        ">>>" => logical(one, two),
        "><<" => i64::from((one as u32).rotate_left(rotation(32))),
        ">><" => i64::from((one as u32).rotate_right(rotation(32))),
        "><<<" => one.rotate_left(rotation(64)),
        ">>><" => one.rotate_right(rotation(64)),
        "&" => one & two,
        "^" => one ^ two,
        "!^" => !(one ^ two),
        "|" => one | two,
        "&&" => i64::from(one != 0 && two != 0),
        "||" => i64::from(one != 0 || two != 0),
        "^^" => i64::from((one != 0) != (two != 0)),
        "!^^" => i64::from((one != 0) == (two != 0)),
        _ => return Err(format!("{sign} is no operator between two values")),
    }))
}

/// An integer where 64 bits hold it, else a float.
fn power(one: i64, two: i64) -> Value {
    let exact = match u32::try_from(two) {
        Ok(two) => one.checked_pow(two),
        // What is left of 1 / x^n as an integer.
        Err(_) if two < 0 && one != 0 => Some(match (one, two % 2 == 0) {
            (1, _) | (-1, true) => 1,
            (-1, false) => -1,
            _ => 0,
        }),
        Err(_) => None,
    };
    exact.map_or_else(
        || Value::Float(libm::pow(one as f64, two as f64)),
        Value::Int,
    )
}

fn floats(sign: &str, one: f64, two: f64) -> Result<Value, String> {
    Ok(Value::Float(match sign {
        "**" => libm::pow(one, two),
        "*" => one * two,
        "/" => one / two,
        "%" => libm::fmod(one, two),
        "+" => one + two,
        "-" => one - two,
        _ => {
            return Err(format!(
                "{sign} is for integers; compare floats explicitly, as in `x != 0.0`"
            ));
        }
    }))
}

fn register(sign: &str, one: Register, two: i64) -> Result<Value, String> {
    Ok(Value::Register(match sign {
        "+" => one.offset(two)?,
        "-" => one.offset(two.checked_neg().unwrap_or(i64::MAX))?,
        // An operand that is moved up by n takes its value from n lanes below.
        ">>" | "<<" => {
            let up = if sign == ">>" {
                two
            } else {
                two.wrapping_neg()
            };
            match up.rem_euclid(16) as u8 {
                0 => one,
                lanes => rotated(one, Rotation::By(lanes))?,
            }
        }
        _ => {
            return Err(format!(
                "{sign} is not defined for a register; + - count it on, << >> rotate it"
            ));
        }
    }))
}

/// The register rotated further.
fn rotated(register: Register, by: Rotation) -> Result<Register, String> {
    let rotation = match (register.rotation, by) {
        (None, by) => Some(by),
        (Some(Rotation::By(one)), Rotation::By(two)) => match (one + two) % 16 {
            0 => None,
            lanes => Some(Rotation::By(lanes)),
        },
        _ => return Err("a rotation by r5 cannot be joined with another".to_string()),
    };
    Ok(Register {
        rotation,
        ..register
    })
}
