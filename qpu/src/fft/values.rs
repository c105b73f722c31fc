//! From the symbolic words of a program to numbers.
//!
//! A word says what it means ([`super::program`]); where that is comes from the pass's geometry and
//! from where its buffers begin.

use super::geometry::{Geometry, LANES, POINT_BYTES};
use super::program::{Lanes, Record, Row, Scalar, Start, Tail};
use super::roots::product;
use super::split::Role;
use super::twiddle::turn;
use crate::vpm::{Store, store_stride};

/// Where the buffers of a pass begin, as V3D sees them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Places {
    /// The caller's input, or the cells of the pass before.
    pub from: u32,
    /// The caller's output, or the cells of this pass.
    pub to: u32,
    /// Its table of twiddles.
    pub table: u32,
    /// Its factors of samples.
    pub factors: u32,
    /// Its row lists, [`Lists::rows`] bytes apart.
    pub rows: u32,
    /// Its scalar lists, [`Lists::scalars`] bytes apart.
    pub scalars: u32,
    /// Its vectors of turns: [`Geometry::turn_vectors`].
    pub turns: u32,
}

/// Distances of lists of the same kind, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lists {
    /// Of row lists.
    pub rows: u32,
    /// Of scalar lists.
    pub scalars: u32,
}

/// What a start list says that is not the pass's but the program's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Own {
    /// Which program of its launch, in the order in which they are started.
    pub program: u32,
    /// The number by which it knows itself ([`super::pairs`]).
    pub number: u32,
    /// Programs of the launch.
    pub programs: u32,
    /// Address of its records.
    pub records: u32,
    /// How many they are.
    pub units: u32,
    /// Which unit is the first.
    pub first_unit: u32,
    /// Transforms of the pass.
    pub batch: u32,
    /// Address of its start list.
    pub start: u32,
    /// Addresses of its lane vectors, by [`Lanes::index`].
    pub lanes: [u32; Lanes::ALL.len()],
    /// Address of its code.
    pub code: u32,
    /// -1 for the inverse, else 1.
    pub conjugate: f32,
    /// Factors of real and imaginary parts of the output.
    pub scale: [f32; 2],
    /// Whether the pass is the first of its launch.
    pub opens: bool,
    /// Number of the pass in its launch.
    pub gate: u32,
    /// Addresses of the code and of this program's start list of the pass that follows in the launch.
    pub next: Option<[u32; 2]>,
}

impl Own {
    /// A word of the tail, the same for passes of every kind.
    #[must_use]
    pub fn tail_word(&self, word: Tail) -> u32 {
        match word {
            Tail::Peers if self.program == 0 => self.programs - 1,
            Tail::Peers => u32::MAX,
            Tail::Gate => self.gate % 2,
            Tail::NextCode => self.next.map_or(0, |[code, _]| code),
            // Read, and not used, where nothing follows.
            Tail::NextStart => self.next.map_or(self.records, |[_, start]| start),
        }
    }
}

impl Own {
    /// A word of the start list that passes of every kind have, the same for all.
    #[must_use]
    pub fn start_word(&self, word: Start) -> Option<u32> {
        Some(match word {
            Start::Lanes(lanes) => self.lanes[lanes.index()],
            Start::Records => self.records,
            Start::Units => self.units,
            Start::Area => self.program % 2,
            Start::Number => self.number,
            Start::Sharer { bit } => (1.0 - 2.0 * (self.number >> bit & 1) as f32).to_bits(),
            Start::Opens => (self.opens && self.program == 0).into(),
            Start::Code => self.code,
            _ => return None,
        })
    }
}

impl Geometry {
    /// A word of the start list.
    #[must_use]
    pub fn start_word(&self, places: &Places, own: &Own, word: Start) -> u32 {
        if let Some(word) = own.start_word(word) {
            return word;
        }
        match word {
            Start::StoreStride if self.is_stored_by_rows() => self.store_pitch(),
            Start::StoreStride => store_stride((self.store_pitch() - 64) as u16),
            Start::InputAhead => places.from + self.read_unit(own.first_unit),
            Start::TwiddleAhead => places.table + self.twiddle_of_unit(own.first_unit),
            Start::Row(word) => self.row_word(places, self.row_list(own.first_unit), word),
            Start::Delay => self.delay(own.number, own.units),
            Start::Conjugate => own.conjugate.to_bits(),
            Start::Scale { component } => own.scale[usize::from(component)].to_bits(),
            _ => 0,
        }
    }

    /// A word of the record of unit `index` of `batch` transforms, done in the VPM's half `area`.
    #[must_use]
    pub fn record_word(
        &self,
        places: &Places,
        lists: &Lists,
        (index, batch): (u32, u32),
        area: u32,
        word: Record,
    ) -> u32 {
        match word {
            Record::Rows => places.rows + self.row_list(index) * lists.rows,
            Record::Input | Record::InputAhead => places.from + self.read_unit(index),
            Record::Twiddle | Record::TwiddleAhead => places.table + self.twiddle_of_unit(index),
            Record::Factors => places.factors + self.factors_of_unit(index),
            Record::Scalars => places.scalars + self.scalar_list(index) * lists.scalars,
            Record::Store { index: store } => places.to + self.store_unit(index, store.into()),
            Record::StoreSetup { index: store } => {
                let rows = self.store_rows(index, batch);
                let first = 2 * LANES * area + self.store_vpm_row(store.into());
                Store::rows(rows as u8, first as u8).setup().unwrap_or(0)
            }
            Record::Bins(_) | Record::Sample { .. } | Record::SampleFactor { .. } => 0,
        }
    }

    /// A word of row list `list`.
    #[must_use]
    pub fn row_word(&self, places: &Places, list: u32, word: Row) -> u32 {
        let [part, _] = self.of_list(list);
        let part_of = |root: (f64, f64), component: u8| {
            let value = if component == 0 { root.0 } else { root.1 };
            (value as f32).to_bits()
        };
        match word {
            Row::Input { vector, component } => {
                self.read_vector(part, vector.into(), component.into())
            }
            Row::Factor { vector, component } => self.factor(vector.into(), component.into()),
            Row::Flip => self.reading().format.flip(),
            Row::Middle => self.reading().format.middle().to_bits(),
            Row::Sign { block, component } => {
                let vector = LANES * u32::from(block);
                let negative = self.is_subtracted(part, vector, component.into());
                (if negative { -1.0f32 } else { 1.0 }).to_bits()
            }
            Row::Part { vector, component } => {
                let angle = self.turn_of_point(list, vector.into());
                part_of(turn(angle, self.radix()), component)
            }
            Row::Column {
                column,
                output,
                component,
            } => {
                let angle = u32::from(column) * u32::from(output);
                part_of(turn(angle, LANES), component)
            }
            Row::Turn { output, component } => {
                let sign = if self.role() == Role::Last { 1.0 } else { -1.0 };
                let (cos, sin) = self.turn(part, 1, output.into());
                part_of((sign * cos, sign * sin), component)
            }
            Row::TurnVector { output, component } => {
                places.turns + 4 * LANES * (2 * u32::from(output) + u32::from(component))
            }
            Row::TurnOfRow { output, component } => {
                places.turns + self.turn_of_output(list, output.into(), component.into())
            }
            Row::TurnOfColumn { output, component } => {
                places.turns + self.turn_of_column(list, output.into(), component.into())
            }
            Row::Before { output, component } => {
                self.twiddle_of_output(output.into()) + POINT_BYTES / 2 * u32::from(component)
            }
            Row::Twiddle { output, component } => {
                let output = if self.turns_by_table() {
                    LANES
                } else {
                    output.into()
                };
                self.twiddle_of_output(output) + POINT_BYTES / 2 * u32::from(component)
            }
            Row::Exchange(word) => {
                let [_, sharer] = self.of_list(list);
                self.exchange_setup(sharer, word).unwrap_or(0)
            }
            Row::Bins(_) => 0,
        }
    }

    /// The angle by which row `row` of the lanes is turned back before the lanes' own transform.
    fn turn(&self, part: u32, row: u32, output: u32) -> (f64, f64) {
        turn(row * (part + self.parts() * output), self.radix())
    }

    /// Bytes of the vectors of turns that an only pass of 64 points and more looks up.
    #[must_use]
    pub const fn turn_vectors(&self) -> u32 {
        match self.role() {
            Role::Only if self.row_lanes() > 2 => 2 * LANES * 4 * LANES,
            _ if self.sharers() > 1 => self.row_lists() * self.turns_of_a_list(),
            _ => 0,
        }
    }

    /// What the lanes' transform of first and only passes subtracts comes with a minus.
    #[must_use]
    pub const fn sign_of_row(row: u32) -> f64 {
        if row.count_ones().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    }

    /// One of those vectors: of an output and component, or of the turns of tiles the next.
    #[must_use]
    pub fn turn_vector(&self, index: u32) -> [u32; LANES as usize] {
        if self.sharers() > 1 {
            return core::array::from_fn(|lane| self.tile_turn(index * LANES + lane as u32));
        }
        let (output, component) = (index / 2, index % 2);
        core::array::from_fn(|lane| {
            let row = self.row_of_lane(lane as u32);
            let (cos, sin) = self.turn(0, row, output);
            let sign = Self::sign_of_row(row);
            ((sign * if component == 0 { cos } else { sin }) as f32).to_bits()
        })
    }

    /// How many scalar lists there are: one for each n(j+1) and part of a middle pass.
    #[must_use]
    pub const fn scalar_lists(&self) -> u32 {
        match self.role() {
            Role::Middle => self.next_radix() * self.parts(),
            _ => 0,
        }
    }

    /// The scalar list of unit `index`.
    #[must_use]
    pub const fn scalar_list(&self, index: u32) -> u32 {
        let unit = self.unit(index);
        unit.column / self.columns_of_a_twiddle() * self.parts() + unit.part
    }

    /// A word of scalar list `list`.
    #[must_use]
    pub fn scalar_word(&self, list: u32, word: Scalar) -> u32 {
        let (column, part) = (list / self.parts(), list % self.parts());
        let denominator = self.denominator();
        let step = u64::from(column) * u64::from(self.bins() * self.parts());
        let angle = step * u64::from(word.output) % u64::from(denominator);
        let after = turn(angle as u32, denominator);
        let own = self.turn(part, word.row.into(), word.output.into());
        let (cos, sin) = product(after, own);
        let sign = if word.row == 0 { 1.0 } else { -1.0 };
        ((sign * if word.component == 0 { cos } else { sin }) as f32).to_bits()
    }

    /// A lane vector, for units of `transforms` transforms.
    #[must_use]
    pub fn lane_vector(
        &self,
        lanes: Lanes,
        transforms: u32,
        scale: [f32; 2],
    ) -> [u32; LANES as usize] {
        core::array::from_fn(|lane| {
            let lane = lane as u32;
            match lanes {
                Lanes::Input => self.read_lane(lane, transforms),
                Lanes::Twiddle => self.twiddle_of_lane(lane),
                Lanes::Scale => scale[lane as usize % 2].to_bits(),
                Lanes::Mirrored => 0,
                Lanes::Turn => self.row_of_lane(lane) * POINT_BYTES,
            }
        })
    }
}
