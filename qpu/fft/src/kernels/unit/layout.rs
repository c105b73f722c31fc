//! The layout of passes of complex transforms: addresses and factors from the pass's geometry.

use super::Geometry;
use super::pairs::{OF_PAIRS, rounds_of_a_pair};
use super::twiddle_tables::{Table, part_of};
use super::uniforms::{Record, Row, Scalars, Start};
use crate::kernels::context::{Buffers, ProgramContext, UnitContext};
use crate::kernels::layout::{Layout, QPUS_OF_A_SLICE, Vector};
use crate::kernels::program::{Kind, Lanes, Samples, Task};
use crate::kernels::samples::{Factors, HIGH_BYTES};
use crate::kernels::sizes::{CELL_BYTES, OCTET, POINT_BYTES};
use crate::kernels::twiddle::{product, root};
use crate::kernels::uniform::{Pack, UniformId};
use crate::split::Role;
use qpu::machine::{LANES, VECTOR_BYTES};
use qpu::vpm::{Store, store_stride};

impl Geometry {
    /// The root that row `row` of the lanes is multiplied by before the lanes' own transform.
    pub(in crate::kernels) fn root(&self, part: u32, row: u32, output: u32) -> (f64, f64) {
        root(row * (part + self.parts() * output), self.radix())
    }

    /// The sign of a row: rows that the lanes' transform of first and single passes subtracts come
    /// with a minus.
    pub(crate) fn sign_of_row(row: u32) -> f64 {
        if row.count_ones().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
    }
}

impl Layout for Geometry {
    fn task(&self) -> Task {
        Task::Points(Kind {
            role: self.role(),
            radix: self.radix() as u16,
            samples: match self.role() {
                Role::First | Role::Single => self.reading.samples(),
                Role::Middle | Role::Last => Samples::Points,
            },
            sharers: self.sharers() as u8,
        })
    }

    fn units(&self, batch: u32) -> u32 {
        self.units(batch)
    }

    fn traffic(&self, batch: u32) -> [u64; 2] {
        let points = u64::from(batch) * u64::from(self.points());
        let read = u64::from(self.reading.point_bytes()) * u64::from(self.parts());
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
    /// Programs of a slice do the units of a tile at the same time, and those of the three slices
    /// store one after the other, as they have begun: so the L2C has most rows of a tile for all
    /// but the first that looks them up. Programs wait for each other at the locks of the VPM only,
    /// and one that is late once keeps another place in that order from then on. When slices are
    /// mixed, most rows come from the SDRAM again for each unit: at 2^21 points the pass then takes
    /// up to 4.4 clocks a point instead of 2.9 (simulated). A launch restores the order.
    fn needs_relaunch(&self) -> bool {
        self.role() == Role::Middle && self.parts() > 1 && self.sharers() == 1
    }

    fn transforms_per_unit(&self) -> u32 {
        self.transforms_per_unit()
    }

    /// Where each unit of a transform has its own part of a large table or of a window, the same
    /// unit of all transforms follow each other, so that the part is read from memory once. Units
    /// that share lines of the input stay together.
    fn unit_in_order(&self, number: u32, batch: u32) -> u32 {
        let has_own_part = match self.table() {
            Table::ByUnit => true,
            Table::ByTile => self.columns_of_a_twiddle() == 1,
            _ => false,
        };
        if !has_own_part && self.factored_units() == 1 {
            return number;
        }
        let units = self.units(1);
        let lines = CELL_BYTES.div_ceil(self.lane_columns() * self.reading.point_bytes());
        let together = units.min(lines * self.sharers());
        let (low, rest) = (number % together, number / together);
        let (transform, group) = (rest % batch, rest / batch);
        transform * units + group * together + low
    }

    /// Programs that share a tile have four that follow each other.
    fn number_of_program(&self, program: u32, programs: u32) -> u32 {
        if !self.has_pairs(programs) || program >= OF_PAIRS {
            return program;
        }
        let (slice, own) = (program / QPUS_OF_A_SLICE, program % QPUS_OF_A_SLICE);
        own % 2 * QPUS_OF_A_SLICE + own / 2 * 2 + slice
    }

    fn units_of_program(&self, units: u32, programs: u32, program: u32) -> u32 {
        if !self.has_pairs(programs) {
            return units / programs + u32::from(program < units % programs);
        }
        let rounds = rounds_of_a_pair(units, programs);
        // The first two groups have the first numbers, and the first programs.
        if program < OF_PAIRS {
            rounds
        } else {
            units / QPUS_OF_A_SLICE - 2 * rounds
        }
    }

    fn unit_of_program(&self, units: u32, programs: u32, program: u32, number: u32) -> Option<u32> {
        if !self.has_pairs(programs) {
            return None;
        }
        let own = self.number_of_program(program, programs);
        let (group, own) = (own / QPUS_OF_A_SLICE, own % QPUS_OF_A_SLICE);
        // A part is as many units as there are QPUs.
        let part = if group < 2 {
            2 * number + group
        } else {
            2 * rounds_of_a_pair(units, programs) + number
        };
        Some(part * QPUS_OF_A_SLICE + own)
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
        match self.role() {
            Role::Single | Role::First => self.factored_units() * self.factors_of_a_unit(),
            Role::Middle | Role::Last => 0,
        }
    }

    fn fill_factors(
        &self,
        window: &mut dyn FnMut(u32) -> f64,
        is_inverse: bool,
        put: &mut dyn FnMut(u32, &[u32]),
    ) {
        if self.factors_bytes() == 0 {
            return;
        }
        let reading = self.reading;
        if reading.factors == Factors::Common {
            let factor = window(0);
            // The second vector is that of imaginary parts, whose sign the inverse changes.
            let sign = if is_inverse { -1.0 } else { 1.0 };
            put(0, &[reading.factor(factor); LANES as usize]);
            put(LANES, &[reading.factor(sign * factor); LANES as usize]);
            return;
        }
        let components = reading.factors.components();
        for index in 0..self.factored_units() {
            for vector in 0..LANES {
                for component in 0..components {
                    let words: Vector = core::array::from_fn(|lane| {
                        let point = self.point_of(index, vector, lane as u32);
                        reading.factor(window(components * point + component))
                    });
                    let offset = self.factors_of_unit(index) + self.factor(vector, component);
                    put(offset / 4, &words);
                }
            }
        }
    }

    fn row_lists(&self) -> u32 {
        self.parts() * self.sharers()
    }

    fn scalar_lists(&self) -> u32 {
        match self.role() {
            Role::Middle => self.next_radix() * self.parts(),
            _ => 0,
        }
    }

    /// Bytes of the vectors of roots that a single pass of 64 points and more looks up.
    fn vector_bytes(&self) -> u32 {
        match self.role() {
            Role::Single if self.row_lanes() > 2 => 2 * LANES * 4 * LANES,
            _ if self.sharers() > 1 => self.row_lists() * self.roots_of_a_list(),
            _ => 0,
        }
    }

    fn vector(&self, index: u32) -> Vector {
        if self.sharers() > 1 {
            return core::array::from_fn(|lane| self.tile_root(index * LANES + lane as u32));
        }
        let (output, component) = (index / 2, index % 2);
        core::array::from_fn(|lane| {
            let row = self.row_of_lane(lane as u32);
            part_of(self.root(0, row, output), component, Self::sign_of_row(row))
        })
    }

    fn lane_vector(&self, lanes: Lanes, transforms: u32, scale: [f32; 2]) -> Vector {
        core::array::from_fn(|lane| {
            let lane = lane as u32;
            match lanes {
                Lanes::Input => self.read_lane(lane, transforms),
                Lanes::Twiddle => self.twiddle_of_lane(lane),
                Lanes::Scale => scale[lane as usize % 2].to_bits(),
                Lanes::Mirrored => 0,
                Lanes::Root => self.row_of_lane(lane) * POINT_BYTES,
            }
        })
    }

    fn row_list(&self, index: u32) -> u32 {
        let unit = self.unit(index);
        unit.part * self.sharers() + unit.sharer
    }

    fn scalar_list(&self, index: u32) -> u32 {
        let unit = self.unit(index);
        unit.column / self.columns_of_a_twiddle() * self.parts() + unit.part
    }

    fn store_stride(&self) -> u32 {
        if self.is_stored_by_rows() {
            self.store_pitch()
        } else {
            store_stride((self.store_pitch() - 64) as u16)
        }
    }

    fn store(&self, buffers: &Buffers, unit: &UnitContext, index: u8) -> u32 {
        let (number, store) = (unit.index, u32::from(index));
        let unit = self.unit(number);
        buffers.to
            + match self.role() {
                Role::First if self.sharers() > 1 => {
                    self.block(number) + store * LANES * self.cell_pitch()
                }
                Role::First | Role::Middle => self.block(number),
                Role::Last if self.sharers() > 1 => {
                    self.output(unit.transform, unit.bin, self.tile_output(&unit, store))
                }
                Role::Last => {
                    self.output(unit.transform, unit.bin, unit.part) + VECTOR_BYTES * store
                }
                // VPM row 16 · (k_lo / 8) + lane, lane = c · k_hi + transform.
                Role::Single => self.output(unit.transform, 0, OCTET * store),
            }
    }

    fn store_rows(&self, unit: &UnitContext, index: u8) -> Store {
        let (full, store) = (self.rows_of_a_store(), u32::from(index));
        let (rows, first) = match self.role() {
            // For each k_hi, the lower and the upper half of 16 outputs.
            Role::Single => (
                full.min(unit.batch - self.unit(unit.index).transform),
                LANES * (store % 2) + full * (store / 2),
            ),
            _ => (full, store * full),
        };
        Store::rows(rows as u8, (2 * LANES * unit.area() + first) as u8)
    }

    fn start(&self, buffers: &Buffers, program: &ProgramContext, id: UniformId) -> u32 {
        match Start::of(id) {
            Start::InputAhead => buffers.from + self.read_unit(program.first_unit),
            Start::TwiddleAhead => buffers.table + self.twiddle_of_unit(program.first_unit),
            Start::Delay => self.delay(program.number, program.units),
        }
    }

    fn record(&self, buffers: &Buffers, unit: &UnitContext, id: UniformId) -> u32 {
        match Record::of(id) {
            Record::Input => buffers.from + self.read_unit(unit.index),
            Record::InputAhead => buffers.from + self.read_unit(unit.next),
            Record::Twiddle => buffers.table + self.twiddle_of_unit(unit.index),
            Record::TwiddleAhead => buffers.table + self.twiddle_of_unit(unit.next),
            Record::Factors => buffers.factors + self.factors_of_unit(unit.index),
        }
    }

    fn row(&self, buffers: &Buffers, list: u32, id: UniformId) -> u32 {
        let [part, _] = self.of_list(list);
        match Row::of(id) {
            Row::Input { vector, component } => {
                self.read_vector(part, vector.into(), component.into())
            }
            Row::Factor { vector, component } => self.factor(vector.into(), component.into()),
            Row::Flip => self.reading.flip(),
            Row::Mask => HIGH_BYTES,
            Row::Middle => self.reading.middle().to_bits(),
            Row::Sign { block, component } => {
                // (-i)(re + i im) = im - i re.
                let quarters = self.quarters(part, LANES * u32::from(block));
                let negative = matches!((component, quarters), (0, 2 | 3) | (1, 1 | 2));
                (if negative { -1.0f32 } else { 1.0 }).to_bits()
            }
            Row::Part { vector, component } => {
                let angle = self.root_of_point(list, vector.into());
                part_of(root(angle, self.radix()), component.into(), 1.0)
            }
            Row::Column {
                column,
                output,
                component,
            } => {
                let angle = u32::from(column) * u32::from(output);
                part_of(root(angle, LANES), component.into(), 1.0)
            }
            Row::Root { output, component } => {
                let sign = if self.role() == Role::Last { 1.0 } else { -1.0 };
                part_of(self.root(part, 1, output.into()), component.into(), sign)
            }
            Row::RootVector { output, component } => {
                buffers.vectors + 4 * LANES * (2 * u32::from(output) + u32::from(component))
            }
            Row::RootOfRow { output, component } => {
                buffers.vectors + self.root_of_output(list, output.into(), component.into())
            }
            Row::RootOfColumn { output, component } => {
                buffers.vectors + self.root_of_column(list, output.into(), component.into())
            }
            Row::Before { output, component } => {
                self.twiddle_of_output(output.into()) + POINT_BYTES / 2 * u32::from(component)
            }
            Row::Twiddle { output, component } => {
                let output = if self.roots_by_table() {
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
        }
    }

    fn scalar(&self, list: u32, id: UniformId) -> u32 {
        let Scalars::Scalar {
            output,
            row,
            component,
        } = Scalars::of(id);
        let (column, part) = (list / self.parts(), list % self.parts());
        let denominator = self.denominator();
        let step = u64::from(column) * u64::from(self.bins() * self.parts());
        let angle = step * u64::from(output) % u64::from(denominator);
        let after = root(angle as u32, denominator);
        let own = self.root(part, row.into(), output.into());
        let sign = if row == 0 { 1.0 } else { -1.0 };
        part_of(product(after, own), component.into(), sign)
    }
}
