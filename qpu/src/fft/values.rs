//! From the symbolic words of a program to numbers.
//!
//! A word says what it means ([`super::program`]); where that is comes from the pass's geometry and
//! from where its buffers begin.

use super::geometry::{Geometry, LANES, POINT_BYTES};
use super::layout::{Layout, Vector};
use super::program::{Lanes, Record, Row, Scalar, Start, Tail, Task};
use super::roots::product;
use super::split::Role;
use super::tables::Table;
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
    /// Its vectors of turns: [`Layout::vector_bytes`].
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
    /// The angle by which row `row` of the lanes is turned back before the lanes' own transform.
    fn turn(&self, part: u32, row: u32, output: u32) -> (f64, f64) {
        turn(row * (part + self.parts() * output), self.radix())
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

    /// The scalar list of unit `index`.
    #[must_use]
    pub const fn scalar_list(&self, index: u32) -> u32 {
        let unit = self.unit(index);
        unit.column / self.columns_of_a_twiddle() * self.parts() + unit.part
    }
}

impl Layout for Geometry {
    fn task(&self) -> Task {
        Task::Points(self.kind())
    }

    fn units(&self, batch: u32) -> u32 {
        self.units(batch)
    }

    fn traffic(&self, batch: u32) -> [u64; 2] {
        let points = u64::from(batch) * u64::from(self.points());
        let read = u64::from(self.reading().point_bytes()) * u64::from(self.parts());
        [points * read, points * u64::from(POINT_BYTES)]
    }

    fn least_programs(&self) -> u32 {
        self.sharers()
    }

    fn programs_together(&self) -> u32 {
        self.sharers()
    }

    /// Middle passes whose tiles several units read do.
    ///
    /// Programs of a slice do the units of a tile at the same time, and those of the three slices store one after
    /// the other, as they have begun: so the L2C has most rows of a tile for all but the first that looks them up.
    /// Programs wait for each other at the locks of the VPM only, and one that is late once keeps another place
    /// in that order from then on. When slices are mixed, most rows come from the SDRAM again for each unit: at 2^21
    /// points the pass then takes up to 4.4 clocks a point instead of 2.9 (simulated). A launch restores the order.
    fn needs_relaunch(&self) -> bool {
        self.role() == Role::Middle && self.parts() > 1 && self.sharers() == 1
    }

    fn transforms_per_unit(&self) -> u32 {
        self.transforms_per_unit()
    }

    fn unit_in_order(&self, number: u32, batch: u32) -> u32 {
        self.unit_in_order(number, batch)
    }

    fn number_of_program(&self, program: u32, programs: u32) -> u32 {
        self.number_of_program(program, programs)
    }

    fn units_of_program(&self, units: u32, programs: u32, program: u32) -> u32 {
        if self.has_pairs(programs) {
            let number = self.number_of_program(program, programs);
            self.units_of_number(units, programs, number)
        } else {
            units / programs + u32::from(program < units % programs)
        }
    }

    fn unit_of_program(&self, units: u32, programs: u32, program: u32, number: u32) -> Option<u32> {
        self.has_pairs(programs).then(|| {
            let own = self.number_of_program(program, programs);
            self.unit_of_number(units, programs, own, number)
        })
    }

    fn loss(&self) -> f64 {
        self.loss()
    }

    fn has_gain(&self) -> bool {
        self.table() != Table::None
    }

    fn table_bytes(&self) -> u32 {
        self.table_bytes()
    }

    fn fill_table(&self, gain: f64, put: &mut dyn FnMut(u32, &[u32])) {
        self.fill_table(gain, put);
    }

    fn factors_bytes(&self) -> u32 {
        self.factors_bytes()
    }

    fn fill_factors(
        &self,
        window: &mut dyn FnMut(u32) -> f64,
        is_inverse: bool,
        put: &mut dyn FnMut(u32, &[u32]),
    ) {
        self.fill_factors(window, is_inverse, put);
    }

    fn row_lists(&self) -> u32 {
        self.row_lists()
    }

    fn scalar_lists(&self) -> u32 {
        match self.role() {
            Role::Middle => self.next_radix() * self.parts(),
            _ => 0,
        }
    }

    /// Bytes of the vectors of turns that an only pass of 64 points and more looks up.
    fn vector_bytes(&self) -> u32 {
        match self.role() {
            Role::Only if self.row_lanes() > 2 => 2 * LANES * 4 * LANES,
            _ if self.sharers() > 1 => self.row_lists() * self.turns_of_a_list(),
            _ => 0,
        }
    }

    fn vector(&self, index: u32) -> Vector {
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

    fn start_word(&self, places: &Places, own: &Own, word: Start) -> u32 {
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

    fn record_word(
        &self,
        places: &Places,
        lists: &Lists,
        (index, batch): (u32, u32),
        program: u32,
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
                let first = 2 * LANES * (program % 2) + self.store_vpm_row(store.into());
                Store::rows(rows as u8, first as u8).setup().unwrap_or(0)
            }
            Record::Bins(_) | Record::Sample { .. } | Record::SampleFactor { .. } => 0,
        }
    }

    fn row_word(&self, places: &Places, list: u32, word: Row) -> u32 {
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

    fn scalar_word(&self, list: u32, word: Scalar) -> u32 {
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

    fn lane_vector(&self, lanes: Lanes, transforms: u32, scale: [f32; 2]) -> Vector {
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
