//! Registers as values: what `ra0 + 3`, `r1 << 4` and `ra2.8a` are before they are operands.

use super::suffix::Packing;
use crate::isa::{File, Raddr, Rotation, Waddr, waddr};
use crate::names::{ACCUMULATORS, READS, WRITES};

/// A register, with the rotation and packing that an expression gave it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Register {
    pub place: Place,
    pub rotation: Option<Rotation>,
    pub packing: Option<Packing>,
}

/// The register that is meant; their order is that of values of a source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Place {
    /// r0..r5.
    Accumulator(u8),
    /// An address of one file, 0..=63: those from 32 on are I/O.
    File(File, u8),
    /// A name of the tables, with what it reads and writes.
    Io(&'static str),
    /// `sacqN` and `srelN`.
    Semaphore { acquire: bool, number: u8 },
}

impl Register {
    pub const fn new(place: Place) -> Self {
        Self {
            place,
            rotation: None,
            packing: None,
        }
    }

    /// Reads and writes nothing.
    pub const NOTHING: Self = Self::new(Place::Io("-"));

    /// The register with this name.
    pub fn named(name: &str) -> Option<Self> {
        if name == "nop" {
            return Some(Self::NOTHING);
        }
        if let Some(number) = ACCUMULATORS.iter().position(|own| *own == name) {
            return Some(Self::new(Place::Accumulator(number as u8)));
        }
        let reads = READS.iter().map(|entry| entry.0);
        let mut io = reads.chain(WRITES.iter().map(|entry| entry.0));
        if let Some(own) = io.find(|own| *own == name) {
            return Some(Self::new(Place::Io(own)));
        }
        let numbered = |prefix: &str, most: u8| {
            let digits = name.strip_prefix(prefix)?;
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            let number: u8 = digits.parse().ok().filter(|_| plain && digits.len() < 3)?;
            (number <= most).then_some(number)
        };
        let kinds = [("ra", 63), ("rb", 63), ("sacq", 15), ("srel", 15)];
        let mut kinds = kinds.into_iter();
        let place = match kinds.find_map(|(kind, most)| Some((kind, numbered(kind, most)?)))? {
            ("ra", number) => Place::File(File::A, number),
            ("rb", number) => Place::File(File::B, number),
            (kind, number) => Place::Semaphore {
                acquire: kind == "sacq",
                number,
            },
        };
        Some(Self::new(place))
    }

    /// The register `by` numbers on.
    pub fn offset(self, by: i64) -> Result<Self, String> {
        let next = |number: u8, least: u8, most: u8, what: &str| {
            i64::from(number)
                .checked_add(by)
                .filter(|number| (i64::from(least)..=i64::from(most)).contains(number))
                .map(|number| number as u8)
                .ok_or_else(|| format!("{} {by:+} is outside {what}", self.name()))
        };
        let place = match self.place {
            Place::Accumulator(number) => Place::Accumulator(next(number, 0, 5, "r0..r5")?),
            Place::File(file, number @ 0..=31) => {
                Place::File(file, next(number, 0, 31, files(file).0)?)
            }
            Place::File(file, number) => Place::File(file, next(number, 32, 63, files(file).1)?),
            Place::Semaphore { acquire, number } => {
                let number = next(number, 0, 15, "semaphores 0..15")?;
                Place::Semaphore { acquire, number }
            }
            Place::Io(_) if by == 0 => self.place,
            Place::Io(name) => Place::Io(Self::beside(name, by).ok_or_else(|| {
                format!("{name} {by:+} is no register; only numbered registers can be counted on")
            })?),
        };
        Ok(Self { place, ..self })
    }

    /// The TMU coordinate `by` places from another: t0s + 1 is t0t.
    fn beside(name: &str, by: i64) -> Option<&'static str> {
        let (_, file, from) = *WRITES.iter().find(|entry| entry.0 == name)?;
        let to = u8::try_from(i64::from(from.bits()).checked_add(by)?).ok()?;
        let near = |(_, other, address): &&(&str, Option<File>, Waddr)| {
            *other == file && address.bits() == to && address.is_tmu() && from.is_tmu()
        };
        WRITES.iter().find(near).map(|entry| entry.0)
    }

    /// The accumulator that it is read as: r0..r5, and r5 by the names under which it is written.
    pub fn accumulator(&self) -> Option<u8> {
        match self.place {
            Place::Accumulator(number) => Some(number),
            Place::Io(_) if self.write()?.1 == waddr::ACC5 => Some(5),
            _ => None,
        }
    }

    /// The place it is read at: the file if only one has it, and the address. `None` when it is
    /// not.
    pub fn read(&self) -> Option<(Option<File>, Raddr)> {
        match self.place {
            Place::File(file, number) => Raddr::from_bits(number).map(|raddr| (Some(file), raddr)),
            Place::Io(name) => {
                let entry = READS.iter().find(|entry| entry.0 == name);
                entry.map(|(_, file, raddr)| (*file, *raddr))
            }
            Place::Accumulator(_) | Place::Semaphore { .. } => None,
        }
    }

    /// The place it is written at.
    pub fn write(&self) -> Option<(Option<File>, Waddr)> {
        match self.place {
            // r4 has no write address; vc4asm counts on from r3, and sources have it.
            Place::Accumulator(number @ 0..=4) => {
                Waddr::from_bits(32 + number).map(|waddr| (None, waddr))
            }
            Place::File(file, number) => Waddr::from_bits(number).map(|waddr| (Some(file), waddr)),
            Place::Io(name) => {
                let entry = WRITES.iter().find(|entry| entry.0 == name);
                entry.map(|(_, file, waddr)| (*file, *waddr))
            }
            Place::Accumulator(_) | Place::Semaphore { .. } => None,
        }
    }

    /// True if it is `-`.
    pub fn is_nothing(&self) -> bool {
        matches!(self.place, Place::Io("-"))
    }

    /// The name in text, without rotation and packing.
    pub fn name(&self) -> String {
        match self.place {
            Place::Accumulator(number) => format!("r{number}"),
            Place::File(File::A, number) => format!("ra{number}"),
            Place::File(File::B, number) => format!("rb{number}"),
            Place::Io(name) => name.to_string(),
            Place::Semaphore { acquire, number } => {
                let kind = if acquire { "sacq" } else { "srel" };
                format!("{kind}{number}")
            }
        }
    }
}

fn files(file: File) -> (&'static str, &'static str) {
    match file {
        File::A => ("ra0..ra31", "ra32..ra63"),
        File::B => ("rb0..rb31", "rb32..rb63"),
    }
}
