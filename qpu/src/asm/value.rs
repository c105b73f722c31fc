//! The values of expressions, and how they compare.

use std::cmp::Ordering;

use super::register::{Place, Register};
use crate::isa::{LoadImmediate, LoadImmediateKind};

/// The value of an expression.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Value {
    /// 64 bits, signed unless an operator says otherwise.
    Int(i64),
    Float(f64),
    /// `[0,1,-2,...]`: a value for each lane.
    Elements(Elements),
    Register(Register),
    /// Bytes from the start of the program.
    Label(i64),
}

/// A value for each of the 16 lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Elements {
    pub values: [i8; 16],
    /// The kind of load that holds them, and its immediate.
    pub load: (LoadImmediateKind, u32),
}

impl Elements {
    /// `None` where no load holds them.
    pub fn new(values: [i8; 16]) -> Option<Self> {
        use LoadImmediateKind::{PerElementSigned, PerElementUnsigned};
        let lanes = values.map(i32::from);
        let load = [PerElementSigned, PerElementUnsigned]
            .into_iter()
            .find_map(|kind| Some((kind, LoadImmediate::pack_elements(kind, lanes)?)))?;
        Some(Self { values, load })
    }
}

impl Value {
    /// The kind of value, for messages.
    pub fn what(&self) -> String {
        match self {
            Self::Int(value) => format!("the integer {value}"),
            Self::Float(value) => format!("the float {value}"),
            Self::Elements(_) => "a constant per element".to_string(),
            Self::Register(register) => format!("register {}", register.name()),
            Self::Label(_) => "a label".to_string(),
        }
    }

    /// The 32 bits that an instruction holds for it.
    pub fn word(&self) -> Result<u32, String> {
        match *self {
            Self::Int(value) if i32::try_from(value).is_ok() || u32::try_from(value).is_ok() => {
                Ok(value as u32)
            }
            Self::Int(value) => Err(format!("{value} ({value:#x}) does not fit 32 bits")),
            Self::Float(value) => Ok((value as f32).to_bits()),
            Self::Label(value) => Ok(value as u32),
            _ => Err(format!("a constant is needed here, not {}", self.what())),
        }
    }

    /// Types in the order in which values of different types compare.
    fn rank(&self) -> u8 {
        match self {
            Self::Int(_) | Self::Float(_) => 0,
            Self::Elements(_) => 1,
            Self::Register(Register {
                place: Place::Semaphore { .. },
                ..
            }) => 3,
            Self::Register(_) => 2,
            Self::Label(_) => 4,
        }
    }

    /// The order of two values; `None` when there is none (NaN).
    pub fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(one), Self::Int(two)) => Some(one.cmp(two)),
            (Self::Int(one), Self::Float(two)) => (*one as f64).partial_cmp(two),
            (Self::Float(one), Self::Int(two)) => one.partial_cmp(&(*two as f64)),
            (Self::Float(one), Self::Float(two)) => one.partial_cmp(two),
            (Self::Elements(one), Self::Elements(two)) => Some(one.values.cmp(&two.values)),
            (Self::Label(one), Self::Label(two)) => Some(one.cmp(two)),
            (Self::Register(one), Self::Register(two)) if one == two => Some(Ordering::Equal),
            (Self::Register(one), Self::Register(two)) => {
                // Nothing compares equal that is not the same.
                Some(one.place.cmp(&two.place).then(Ordering::Less))
            }
            _ => Some(self.rank().cmp(&other.rank())),
        }
    }

    /// True if they are the same value of the same type: NaN is itself, 1.0 is not 1.
    pub fn is_identical(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(one), Self::Float(two)) => one.to_bits() == two.to_bits() || one == two,
            _ => self == other,
        }
    }
}
