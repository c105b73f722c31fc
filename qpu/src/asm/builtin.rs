//! Definitions that exist before a source begins: setup words, predicates, bit operations,
//! constants.
//!
//! The names and arguments are those that vc4asm documents for its `vc4.qinc`; sources that include
//! that file get them too, and a source's own definition of a name takes its place. Setup words
//! come from [`crate::vpm::functions`].

use super::register::{Place, Register};
use super::value::Value;
use crate::isa::{File, SmallImmediate};
use crate::vpm::functions::{self, Function, LOADS, STORES, VECTORS};

type Call = fn(&[i64]) -> Result<i64, String>;
type Predicate = fn(&Value) -> bool;

/// Functions of integers: name, number of arguments, what they compute.
#[rustfmt::skip]
const OF_INTEGERS: &[(&str, usize, Call)] = &[
    ("vdr_setup_0", 5, broadcom_load),
    ("countBits", 1, |v| Ok(v[0].count_ones().into())),
    ("reverseBits", 2, |v| reverse(v[0], v[1])),
    ("reverseBits4", 1, |v| reverse(v[0], 4)),
    ("reverseBits8", 1, |v| reverse(v[0], 8)),
    ("reverseBits16", 1, |v| reverse(v[0], 16)),
    ("reverseBits32", 1, |v| reverse(v[0], 32)),
    ("reverseBits64", 1, |v| reverse(v[0], 64)),
    ("ilog2", 1, |v| Ok(i64::from((v[0] as u64).checked_ilog2().map_or(-1, |log| log as i32)))),
];

/// Functions that ask what kind of value they are given.
#[rustfmt::skip]
const PREDICATES: &[(&str, Predicate)] = &[
    ("isConstant", |value| matches!(value, Value::Int(_) | Value::Float(_))),
    ("isLdPE", |value| matches!(value, Value::Elements(_))),
    ("isLdPES", |value| matches!(value, Value::Elements(all) if all.values.iter().all(|value| *value < 2))),
    ("isLdPEU", |value| matches!(value, Value::Elements(all) if all.values.iter().all(|value| *value >= 0))),
    ("isSmallImmd", |value| {
        matches!(value, Value::Int(_) | Value::Float(_)) && value.word().is_ok_and(|word| SmallImmediate::from_word(word).is_some())
    }),
    ("isLabel", |value| matches!(value, Value::Label(_))),
    ("isRegister", |value| matches!(value, Value::Register(_))),
    ("isSemaphore", |value| matches!(value, Value::Register(Register { place: Place::Semaphore { .. }, .. }))),
    ("isAccu", |value| matches!(value, Value::Register(Register { place: Place::Accumulator(_), .. }))),
    ("isRotate", |value| matches!(value, Value::Register(Register { rotation: Some(_), .. }))),
    ("isReadable", |value| matches!(value, Value::Register(register)
        if register.read().is_some() || matches!(register.place, Place::Accumulator(_)))),
    ("isWritable", |value| matches!(value, Value::Register(register) if register.write().is_some())),
    ("isRegfileA", |value| in_file(value, File::A)),
    ("isRegfileB", |value| in_file(value, File::B)),
];

#[rustfmt::skip]
const CONSTANTS: &[(&str, f64)] = {
    use std::f64::consts as c;
    &[
        ("M_E", c::E), ("M_LOG2E", c::LOG2_E), ("M_LOG10E", c::LOG10_E), ("M_LN2", c::LN_2), ("M_LN10", c::LN_10),
        ("M_PI", c::PI), ("M_2PI", c::TAU), ("M_PI_2", c::FRAC_PI_2), ("M_PI_4", c::FRAC_PI_4),
        ("M_1_PI", c::FRAC_1_PI), ("M_2_PI", c::FRAC_2_PI), ("M_2_SQRTPI", c::FRAC_2_SQRT_PI),
        ("M_SQRT2", c::SQRT_2), ("M_SQRT1_2", c::FRAC_1_SQRT_2),
        ("M_NAN", f64::NAN), ("M_INF", f64::INFINITY),
    ]
};

/// Other functions, with their number of arguments.
const OTHERS: &[(&str, usize)] = &[("min", 2), ("max", 2), ("sacq", 1), ("srel", 1)];

/// Every built-in name: functions and constants that every source has.
pub fn names() -> impl Iterator<Item = &'static str> {
    let setups = functions::all().map(|function| function.name);
    setups
        .chain(OF_INTEGERS.iter().map(|entry| entry.0))
        .chain(PREDICATES.iter().map(|entry| entry.0))
        .chain(OTHERS.iter().map(|entry| entry.0))
        .chain(CONSTANTS.iter().map(|entry| entry.0))
}

/// True if a function of this name is built in.
pub(super) fn is_function(name: &str) -> bool {
    names().any(|own| own == name) && constant(name).is_none()
}

/// A constant that is built in.
pub(super) fn constant(name: &str) -> Option<Value> {
    crate::names::find(CONSTANTS, name).map(Value::Float)
}

/// The error in `part(...)` as the place that `setup` takes, and what to write: bits of one kind of
/// setup word mean something else in another.
pub(super) fn misplaced(setup: &str, part: &str) -> Option<(String, String)> {
    const KINDS: [(&str, &str, &[Function], &str); 3] = [
        ("vpm_setup", "a vector", VECTORS, "h32(y)"),
        ("vdw_setup_0", "a DMA store", STORES, "dma_h32(y, x)"),
        ("vdr_setup_0", "a DMA load", LOADS, "vdr_h32(vpitch, y, x)"),
    ];
    let has = |functions: &[Function]| functions.iter().any(|it| it.name == part);
    let (_, wants, own, instead) = KINDS.iter().find(|kind| kind.0 == setup)?;
    let (_, is, ..) = KINDS.iter().find(|kind| has(kind.2))?;
    (!has(own)).then(|| {
        let message = format!("{part} is the place of {is}, and {setup} takes that of {wants}");
        (message, format!("write {instead} or the like"))
    })
}

/// Calls a built-in function.
pub(super) fn call(name: &str, arguments: &[Value]) -> Result<Value, String> {
    let count = |expected: usize| match arguments.len() == expected {
        true => Ok(()),
        false => Err(format!(
            "{name} takes {expected} arguments, and {} are given",
            arguments.len()
        )),
    };
    if let Some((_, predicate)) = PREDICATES.iter().find(|entry| entry.0 == name) {
        count(1)?;
        return Ok(Value::Int(i64::from(predicate(&arguments[0]))));
    }
    if let Some((_, expected)) = OTHERS.iter().find(|entry| entry.0 == name) {
        count(*expected)?;
        return other(name, arguments);
    }
    let mut own = OF_INTEGERS.iter().filter(|entry| entry.0 == name);
    let setup = functions::all().find(|function| function.name == name);
    let integers = || -> Result<Vec<i64>, String> {
        let each = arguments.iter().map(|value| match value {
            Value::Int(value) => Ok(*value),
            other => Err(format!("{name} takes integers, and not {}", other.what())),
        });
        each.collect()
    };
    let result = match (
        setup,
        own.find(|entry| setup.is_none() || entry.1 == arguments.len()),
    ) {
        (_, Some((_, expected, function))) => {
            count(*expected)?;
            function(&integers()?)
        }
        (Some(function), None) => {
            // Old sources give rows a column, which is 0.
            if name != "h32" || !matches!(arguments, [_, Value::Int(0)]) {
                count(function.arguments())?;
            }
            function.word(&integers()?).map(i64::from)
        }
        (None, None) => return Err(format!("{name} is no function")),
    };
    result.map(Value::Int).map_err(|error| match error.starts_with("num ") {
        // The first versions of vc4asm took the low four bits, and sources for them say 64 of the
        // whole VPM.
        true => format!("{name}: {error}, the vectors to read; of a setup for writes it says nothing, and 0 will do"),
        false => format!("{name}: {error}"),
    })
}

fn other(name: &str, arguments: &[Value]) -> Result<Value, String> {
    if matches!(name, "sacq" | "srel") {
        let Value::Int(number @ 0..=15) = arguments[0] else {
            return Err(format!(
                "a semaphore is 0 to 15, and not {}",
                arguments[0].what()
            ));
        };
        let place = Place::Semaphore {
            acquire: name == "sacq",
            number: number as u8,
        };
        return Ok(Value::Register(Register::new(place)));
    }
    use std::cmp::Ordering::{Greater, Less};
    let first = match arguments[0].order(&arguments[1]) {
        Some(Less) => name == "min",
        Some(Greater) => name == "max",
        _ => false,
    };
    Ok(arguments[usize::from(!first)])
}

fn within(what: &str, value: i64, least: i64, greatest: i64) -> Result<i64, String> {
    match (least..=greatest).contains(&value) {
        true => Ok(value),
        false => Err(format!(
            "{what} is {value}, and must be {least} to {greatest}"
        )),
    }
}

/// Broadcom's own `vdr_setup_0(nrows, rowlen, dma, vpitch, mpitch)`, whose `dma` is that of stores,
/// such as dma_h32(y, x), and whose mpitch is in bytes. Its assembler takes 0 for 16, and its
/// shaders write vpitch 0.
fn broadcom_load(v: &[i64]) -> Result<i64, String> {
    let (rows, length) = (
        within("nrows", v[0], 0, 16)?,
        within("rowlen", v[1], 0, 16)?,
    );
    let (dma, vpitch) = (v[2], within("vpitch", v[3], 0, 16)?);
    let mpitch = match v[4] {
        bytes @ 8..=0x4_0000 if bytes.count_ones() == 1 => i64::from(bytes.trailing_zeros()) - 3,
        bytes => {
            return Err(format!(
                "mpitch is {bytes}, and must be a power of two of bytes from 8 on"
            ));
        }
    };
    if dma & !0x7fff != 0 || dma & 7 == 1 {
        return Err(format!(
            "dma is {dma:#x}, which dma_h32 or the like does not give"
        ));
    }
    let vertical = i64::from(dma & 1 << 14 == 0);
    let (y, x, mode) = (dma >> 7 & 0x7f, dma >> 3 & 0xf, dma & 7);
    let counts = mpitch << 24 | (length & 15) << 20 | (rows & 15) << 16 | (vpitch & 15) << 12;
    Ok(1 << 31 | mode << 28 | counts | vertical << 11 | y << 4 | x)
}

fn reverse(value: i64, bits: i64) -> Result<i64, String> {
    let bits = within("n", bits, 1, 64)? as u32;
    Ok(((value as u64).reverse_bits() >> (64 - bits)) as i64)
}

fn in_file(value: &Value, file: File) -> bool {
    let Value::Register(register) = value else {
        return false;
    };
    let files = [
        register.read().map(|read| read.0),
        register.write().map(|write| write.0),
    ];
    // What either file offers is in both.
    matches!(register.place, Place::Accumulator(_))
        || files
            .into_iter()
            .flatten()
            .any(|own| own.is_none_or(|own| own == file))
}
