//! The program as it grows: instructions, data, labels.
//!
//! Addresses are known when a pass is over. A pass uses the addresses of the one before, and passes
//! are repeated until none moves.

use std::collections::HashMap;
use std::rc::Rc;

use super::piece::{Encoded, Piece};

/// A unit of the output, added by one statement.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    pub content: Content,
    /// Index of the source line.
    pub origin: u32,
}

/// An instruction, or up to eight bytes of data.
#[derive(Clone, Debug)]
pub(super) enum Content {
    /// With the word that `# !bits` asks for.
    Code(Encoded, Option<u64>),
    Data {
        bytes: [u8; 8],
        count: u8,
    },
}

/// Places of labels by name: units while a pass runs, bytes when it is over.
pub(super) type Places = HashMap<Rc<str>, Vec<u32>>;

#[derive(Debug, Default)]
pub(super) struct Output {
    pub units: Vec<Unit>,
    pub bytes: usize,
    /// The places where labels were defined in this pass, as indices of units; names that are
    /// numbers several times.
    pub labels: Places,
    /// Labels in the order of their definition, with whether they are exported.
    pub order: Vec<(Rc<str>, u32, bool)>,
    /// The parts of the last unit, if it is an instruction that ended with `;`: the next line may
    /// be joined to it.
    pub open: Option<Vec<Piece>>,
    back: Vec<Back>,
}

/// The state that `.back` set aside.
#[derive(Debug)]
struct Back {
    units: Vec<Unit>,
    open: Option<Vec<Piece>>,
    /// Units before the place of insertion.
    at: u32,
}

impl Output {
    pub fn push(&mut self, unit: Unit) {
        self.bytes += unit.content.len();
        self.units.push(unit);
        self.open = None;
    }

    pub fn define(&mut self, name: &Rc<str>, global: bool) {
        let here = self.units.len() as u32;
        self.labels.entry(name.clone()).or_default().push(here);
        self.order.push((name.clone(), here, global));
        self.open = None;
    }

    /// Takes the last `count` instructions away until [`Self::end_back`]; `false` when there are
    /// not so many.
    pub fn begin_back(&mut self, count: usize) -> bool {
        let Some(at) = self.units.len().checked_sub(count) else {
            return false;
        };
        let all_code = self.units[at..]
            .iter()
            .all(|unit| matches!(unit.content, Content::Code(..)));
        if !all_code {
            return false;
        }
        let open = self.open.take();
        let units = self.units.split_off(at);
        self.bytes -= units.iter().map(|unit| unit.content.len()).sum::<usize>();
        self.back.push(Back {
            units,
            open,
            at: at as u32,
        });
        true
    }

    /// Puts them back behind what came since.
    pub fn end_back(&mut self) {
        let Some(back) = self.back.pop() else {
            return;
        };
        let by = self.units.len() as u32 - back.at.min(self.units.len() as u32);
        let moved = |place: &mut u32| {
            if *place > back.at {
                *place += by;
            }
        };
        self.labels.values_mut().flatten().for_each(moved);
        self.order.iter_mut().for_each(|(_, place, _)| moved(place));
        self.bytes += back
            .units
            .iter()
            .map(|unit| unit.content.len())
            .sum::<usize>();
        self.units.extend(back.units);
        self.open = back.open;
    }

    /// Byte addresses of units, and behind the last.
    pub fn addresses(&self) -> Vec<u32> {
        let mut address = 0;
        let mut all = Vec::with_capacity(self.units.len() + 1);
        for unit in &self.units {
            all.push(address);
            address += unit.content.len() as u32;
        }
        all.push(address);
        all
    }

    /// Labels by their byte addresses.
    pub fn places(&self) -> Places {
        let addresses = self.addresses();
        let address = |unit: &u32| addresses.get(*unit as usize).copied().unwrap_or(0);
        let each = self.labels.iter();
        each.map(|(name, places)| (name.clone(), places.iter().map(address).collect()))
            .collect()
    }
}

impl Content {
    pub fn len(&self) -> usize {
        match self {
            Self::Code(..) => 8,
            Self::Data { count, .. } => usize::from(*count),
        }
    }
}
