//! The layout of passes of complex transforms: addresses and factors from the pass's geometry.

use super::Geometry;
use super::twiddle_tables::Table;
use super::uniforms::{Record, Row, Scalar, Start};
use crate::fft::kernels::context::{Buffers, ProgramContext, UnitContext};
use crate::fft::kernels::layout::{Layout, Vector};
use crate::fft::kernels::program::{Lanes, Task};
use crate::fft::kernels::roots::product;
use crate::fft::kernels::samples::HIGH_BYTES;
use crate::fft::kernels::sizes::POINT_BYTES;
use crate::fft::kernels::twiddle::root;
use crate::fft::kernels::uniform::{Pack, UniformId};
use crate::fft::split::Role;
use crate::machine::LANES;
use crate::vpm::{Store, store_stride};

impl Geometry {
    /// The root that row `row` of the lanes is multiplied by before the lanes' own transform.
    fn root(&self, part: u32, row: u32, output: u32) -> (f64, f64) {
        root(row * (part + self.parts() * output), self.radix())
    }

    /// The sign of a row: rows that the lanes' transform of first and single passes subtracts come
    /// with a minus.
    #[must_use]
    pub const fn sign_of_row(row: u32) -> f64 {
        if row.count_ones().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        }
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
            let (cos, sin) = self.root(0, row, output);
            let sign = Self::sign_of_row(row);
            ((sign * if component == 0 { cos } else { sin }) as f32).to_bits()
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
        self.row_list(index)
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
        buffers.to + self.store_unit(unit.index, index.into())
    }

    fn store_rows(&self, unit: &UnitContext, index: u8) -> Store {
        let rows = self.store_rows(unit.index, unit.batch);
        let first = 2 * LANES * unit.area() + self.store_vpm_row(index.into());
        Store::rows(rows as u8, first as u8)
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
        let part_of = |root: (f64, f64), component: u8| {
            let value = if component == 0 { root.0 } else { root.1 };
            (value as f32).to_bits()
        };
        match Row::of(id) {
            Row::Input { vector, component } => {
                self.read_vector(part, vector.into(), component.into())
            }
            Row::Factor { vector, component } => self.factor(vector.into(), component.into()),
            Row::Flip => self.reading().flip(),
            Row::Mask => HIGH_BYTES,
            Row::Middle => self.reading().middle().to_bits(),
            Row::Sign { block, component } => {
                let vector = LANES * u32::from(block);
                let negative = self.is_subtracted(part, vector, component.into());
                (if negative { -1.0f32 } else { 1.0 }).to_bits()
            }
            Row::Part { vector, component } => {
                let angle = self.root_of_point(list, vector.into());
                part_of(root(angle, self.radix()), component)
            }
            Row::Column {
                column,
                output,
                component,
            } => {
                let angle = u32::from(column) * u32::from(output);
                part_of(root(angle, LANES), component)
            }
            Row::Root { output, component } => {
                let sign = if self.role() == Role::Last { 1.0 } else { -1.0 };
                let (cos, sin) = self.root(part, 1, output.into());
                part_of((sign * cos, sign * sin), component)
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
        let word = Scalar::of(id);
        let (column, part) = (list / self.parts(), list % self.parts());
        let denominator = self.denominator();
        let step = u64::from(column) * u64::from(self.bins() * self.parts());
        let angle = step * u64::from(word.output) % u64::from(denominator);
        let after = root(angle as u32, denominator);
        let own = self.root(part, word.row.into(), word.output.into());
        let (cos, sin) = product(after, own);
        let sign = if word.row == 0 { 1.0 } else { -1.0 };
        ((sign * if word.component == 0 { cos } else { sin }) as f32).to_bits()
    }
}
