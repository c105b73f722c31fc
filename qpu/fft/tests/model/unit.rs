//! A unit of 256 points, done as its program does it.

use super::arithmetic::Real;
use super::dft::{dft16, multiplied_back, rounded};
use super::runner::{Complex, ModelError, ModelRunner, N, Vector, error};
use qpu::machine::LANES;
use qpu_fft::kernels::sizes::OCTET;
use qpu_fft::kernels::twiddle::root;
use qpu_fft::kernels::unit::uniforms::{self, Row, Scalars};
use qpu_fft::program::{Kind, Lanes, Program, Record, Samples, Start, Task};
use qpu_fft::split::Role;
use std::collections::HashMap;
use std::hash::Hash;

/// A unit and all that lists say of it.
pub struct Unit<'a> {
    pub program: &'a Program,
    pub start: &'a HashMap<Start, u32>,
    pub record: &'a HashMap<Record, u32>,
    pub rows: &'a HashMap<Row, u32>,
    pub scalars: &'a HashMap<Scalars, u32>,
}

impl Unit<'_> {
    fn kind(&self) -> Kind {
        match self.program.task {
            Task::Points(kind) => kind,
            // There are none in the catalogue here.
            _ => unreachable!("programs are those of the model"),
        }
    }

    fn role(&self) -> Role {
        self.kind().role
    }

    /// Rows in the lanes of a vector.
    fn row_lanes(&self) -> u32 {
        let radix = u32::from(self.kind().radix);
        match self.role() {
            Role::Single | Role::First => radix / 16,
            Role::Middle | Role::Last => 2.min(radix / 16),
        }
    }

    /// Parts of the outputs.
    fn parts(&self) -> u32 {
        match self.role() {
            Role::Single | Role::First => 1,
            Role::Middle | Role::Last => u32::from(self.kind().radix).div_ceil(32),
        }
    }

    /// Group of lanes that hold the same row, and position in it.
    fn place(&self, lane: u32) -> (u32, u32) {
        let columns = LANES / self.row_lanes();
        match self.role() {
            Role::Last => (lane % self.row_lanes(), lane / self.row_lanes()),
            _ => (lane / columns, lane % columns),
        }
    }

    /// Row of a lane: in first passes the group with its bits reversed.
    fn row(&self, lane: u32) -> u32 {
        let (group, _) = self.place(lane);
        match self.role() {
            Role::Single | Role::First if group > 0 => {
                group.reverse_bits() >> (32 - self.row_lanes().trailing_zeros())
            }
            _ => group,
        }
    }

    /// A lane vector, 0 where the program has none.
    fn lanes<T: Real>(&self, lanes: Lanes, on: &ModelRunner<T>) -> Result<[u32; N], ModelError> {
        let mut words = [0; N];
        if let Some(&address) = self.start.get(&Start::Lanes(lanes)) {
            for (word, address) in words.iter_mut().zip((address..).step_by(4)) {
                *word = on.word(address)?;
            }
        }
        Ok(words)
    }

    /// A float of the row list, or of the scalar list; none where there is no such word.
    fn pair<T: Real, W: Eq + Hash>(
        list: &HashMap<W, u32>,
        word: impl Fn(u8) -> W,
    ) -> Option<Complex<T>> {
        let [cos, sin] = [0, 1].map(|component| list.get(&word(component)).copied());
        Some([
            T::from_word(cos?),
            sin.map_or(T::from_f64(0.0), T::from_word),
        ])
    }

    /// Does it.
    ///
    /// # Errors
    /// When a list lacks a word, or says where no memory is.
    pub fn run<T: Real>(&self, on: &mut ModelRunner<T>) -> Result<(), ModelError> {
        let points = self.points(on)?;
        let mut outputs = dft16(&points);
        self.transform_lanes(&mut outputs, on)?;
        self.twiddle(&mut outputs, on)?;
        self.store(&outputs, on)
    }

    /// The 16 points of each lane: sums of all rows that enter them, times the part's twiddle
    /// factor.
    fn points<T: Real>(&self, on: &ModelRunner<T>) -> Result<[Vector<T>; N], ModelError> {
        let lanes = self.lanes(Lanes::Input, on)?;
        let base = self
            .record
            .get(&uniforms::Record::Input.into())
            .copied()
            .unwrap_or_default();
        let conjugate = self.start.get(&Start::Conjugate);
        let factors = self.record.get(&uniforms::Record::Factors.into()).copied();
        let minus = T::from_f64(-1.0);
        let mut points = [[[T::from_f64(0.0); 2]; N]; N];
        for (m, point) in points.iter_mut().enumerate() {
            for block in 0..self.parts() as u8 {
                let vector = m as u8 + 16 * block;
                for component in 0..2u8 {
                    // One word has both components of samples that are smaller.
                    let both = self.rows.get(&Row::Input {
                        vector,
                        component: 0,
                    });
                    let row = self.rows.get(&Row::Input { vector, component });
                    let Some(row) = row.or(both) else {
                        return error(format!("no row {vector}, component {component}"));
                    };
                    let sign = self.rows.get(&Row::Sign { block, component });
                    let factor = self.rows.get(&Row::Factor { vector, component });
                    for (number, (z, lane)) in (0..).zip(point.iter_mut().zip(lanes)) {
                        let at = base.wrapping_add(*row).wrapping_add(lane);
                        let x = self.sample(at, number, component, on)?;
                        let x = match (factors, factor) {
                            (Some(base), Some(row)) => x * on.float(base + row + 4 * number)?,
                            _ => x,
                        };
                        let x = sign.map_or(x, |&sign| x * T::from_word(sign));
                        let sum = &mut z[usize::from(component)];
                        *sum = if block == 0 { x } else { *sum + x };
                    }
                }
            }
            let part = |component| Row::Part {
                vector: m as u8,
                component,
            };
            let part = Self::pair(self.rows, part);
            for z in point {
                if let Some(&conjugate) = conjugate
                    && T::from_word(conjugate).to_f64() < 0.0
                {
                    z[1] = z[1] * minus;
                }
                if let Some(part) = part {
                    *z = multiplied_back(*z, part);
                }
            }
        }
        Ok(points)
    }

    /// A component of the point at an address, not yet times its factor.
    fn sample<T: Real>(
        &self,
        at: u32,
        lane: u32,
        component: u8,
        on: &ModelRunner<T>,
    ) -> Result<T, ModelError> {
        let number = match self.kind().samples {
            Samples::Points | Samples::Windowed => return on.real(at),
            Samples::I32 => f64::from(on.word(at)? as i32),
            Samples::I16 => {
                let word = on.word(at)? >> (16 * component);
                f64::from(word as u16 as i16)
            }
            Samples::HighBytes => {
                let of_rows = |word: Row| self.rows.get(&word).copied().unwrap_or_default();
                let word = (on.word(at)? & of_rows(Row::Mask)) ^ of_rows(Row::Flip);
                f64::from((word >> (16 * component)) as u16 as i16)
            }
            Samples::Bytes => {
                let of_rows = |word: Row| self.rows.get(&word).copied().unwrap_or_default();
                // Which column is in the upper half of the word.
                let byte = 2 * (self.place(lane).1 % 2) + u32::from(component);
                let word = on.word(at)? ^ of_rows(Row::Flip);
                let middle = f32::from_bits(of_rows(Row::Middle));
                f64::from(word.to_le_bytes()[byte as usize]) - f64::from(middle)
            }
        };
        Ok(T::from_f64(number))
    }

    /// The transform over the rows that lie in the lanes, each multiplied by its twiddle factor
    /// before.
    fn transform_lanes<T: Real>(
        &self,
        outputs: &mut [Vector<T>; N],
        on: &ModelRunner<T>,
    ) -> Result<(), ModelError> {
        let rows = self.row_lanes();
        if rows == 1 && self.scalars.is_empty() {
            return Ok(());
        }
        let roots: [Complex<T>; 8] =
            std::array::from_fn(|eighths| rounded(root(eighths as u32, 8)));
        let zero = T::from_f64(0.0);
        let twiddles = self
            .record
            .get(&uniforms::Record::Twiddle.into())
            .copied()
            .unwrap_or_default();
        let twiddle_lanes = self.lanes(Lanes::Twiddle, on)?;
        for (k_lo, vector) in (0..).zip(outputs) {
            for (lane, z) in (0..).zip(vector.iter_mut()) {
                let row = self.row(lane);
                let scalar = |component| Scalars::Scalar {
                    output: k_lo,
                    row: row as u8,
                    component,
                };
                let root = |component| Row::Root {
                    output: k_lo,
                    component,
                };
                let vector = |component| Row::RootVector {
                    output: k_lo,
                    component,
                };
                let before = |component| Row::Before {
                    output: k_lo,
                    component,
                };
                let mut is_negated = row.count_ones() % 2 == 1;
                let factor = if let Some(factor) = Self::pair(self.scalars, scalar) {
                    Some(factor)
                } else if self.rows.contains_key(&vector(0)) {
                    let [cos, sin] = [0, 1].map(|component| self.rows.get(&vector(component)));
                    let at = |list: Option<&u32>| {
                        list.map_or(Ok(zero), |&list| on.float(list + 4 * lane))
                    };
                    Some([at(cos)?, at(sin)?])
                } else if self.rows.contains_key(&before(0)) {
                    let [cos, sin] = [0, 1].map(|component| self.rows.get(&before(component)));
                    let at = |offset: Option<&u32>| {
                        let address = |&offset| twiddles + offset + twiddle_lanes[lane as usize];
                        offset
                            .map(address)
                            .map_or(Ok(zero), |address| on.real(address))
                    };
                    Some([at(cos)?, at(sin)?])
                } else {
                    let factor = Self::pair(self.rows, root).filter(|_| row == 1);
                    is_negated &= factor.is_some() && self.role() != Role::Last;
                    factor
                };
                if let Some(factor) = factor {
                    *z = multiplied_back(*z, factor);
                }
                // The lanes' transform subtracts where it would add.
                if is_negated {
                    *z = z.map(|part| zero - part);
                }
            }
            let before = *vector;
            for (lane, z) in (0..).zip(vector.iter_mut()) {
                let (k_hi, position) = self.place(lane);
                *z = [zero; 2];
                for other in (0..LANES).filter(|&other| self.place(other).1 == position) {
                    let eighths = self.row(other) * k_hi * (8 / rows) % 8;
                    let multiplied =
                        multiplied_back(before[other as usize], roots[eighths as usize]);
                    *z = [z[0] + multiplied[0], z[1] + multiplied[1]];
                }
            }
        }
        Ok(())
    }

    /// True if one vector of twiddles is for all outputs.
    fn has_common_twiddles(&self) -> bool {
        let (output, component) = (0, 0);
        let before = Row::Before { output, component };
        self.role() == Role::Middle || self.rows.contains_key(&before)
    }

    /// The outputs times the twiddles after the pass.
    fn twiddle<T: Real>(
        &self,
        outputs: &mut [Vector<T>; N],
        on: &ModelRunner<T>,
    ) -> Result<(), ModelError> {
        let Some(&base) = self.record.get(&uniforms::Record::Twiddle.into()) else {
            return Ok(());
        };
        let mut lanes = self.lanes(Lanes::Twiddle, on)?;
        if !self.start.contains_key(&Start::Lanes(Lanes::Twiddle)) {
            lanes = std::array::from_fn(|lane| 8 * lane as u32);
        }
        for (k_lo, vector) in (0..).zip(outputs) {
            let output = if self.has_common_twiddles() { 0 } else { k_lo };
            let [cos, sin] =
                [0, 1].map(|component| self.rows.get(&Row::Twiddle { output, component }).copied());
            let (Some(cos), Some(sin)) = (cos, sin) else {
                continue;
            };
            for (z, lane) in vector.iter_mut().zip(lanes) {
                let twiddle = [on.real(base + cos + lane)?, on.real(base + sin + lane)?];
                *z = multiplied_back(*z, twiddle);
            }
        }
        Ok(())
    }

    /// Rows of the VPM, and from there to memory.
    fn store<T: Real>(
        &self,
        outputs: &[Vector<T>; N],
        on: &mut ModelRunner<T>,
    ) -> Result<(), ModelError> {
        let radix = self.kind().radix;
        let scales = self.lanes(Lanes::Scale, on)?;
        let mut rows = [[T::from_f64(0.0); N]; 2 * N];
        for (k_lo, vector) in (0..).zip(outputs) {
            for (lane, z) in (0..).zip(vector) {
                let (group, position) = self.place(lane);
                let (low, half) = (k_lo % OCTET, k_lo / OCTET);
                for (component, &value) in (0..).zip(z) {
                    let (row, word) = match self.role() {
                        Role::Single => (LANES * half + lane, 2 * low + component),
                        Role::First => (LANES * half + lane, low + OCTET * component),
                        // Of 16 points there is one group, of two octets.
                        Role::Middle => (
                            k_lo + LANES * (group + position / OCTET),
                            position % OCTET + OCTET * component,
                        ),
                        Role::Last if radix == 16 => {
                            (k_lo + LANES * (lane % 2), lane / 2 * 2 + component)
                        }
                        Role::Last => (k_lo + LANES * group, 2 * position + component),
                    };
                    let scale = match self.role() {
                        Role::Single => self.start.get(&Start::Scale {
                            component: component as u8,
                        }),
                        Role::Last => Some(&scales[component as usize]),
                        Role::First | Role::Middle => None,
                    };
                    let scale = scale.copied().filter(|&scale| scale != 1f32.to_bits());
                    let value = scale.map_or(value, |scale| value * T::from_word(scale));
                    rows[row as usize][word as usize] = value;
                }
            }
        }
        let stride = self
            .start
            .get(&Start::StoreStride)
            .copied()
            .unwrap_or_default();
        // Without the setup word's mark it is the distance itself, for stores row by row.
        let pitch = if stride >> 30 == 3 {
            (stride & 0xffff) + 64
        } else {
            stride
        };
        let stores = (0..=u8::MAX)
            .map_while(|index| Some((index, *self.record.get(&Record::Store { index })?)));
        let stores: Vec<_> = stores.collect();
        let area = self.start.get(&Start::Area).copied().unwrap_or_default();
        for &(index, address) in &stores {
            let count = 32 / stores.len() as u32;
            let (first, count) = match self.record.get(&Record::StoreSetup { index }) {
                // Rows in bits 29..23, Y in bits 13..7.
                Some(&setup) => ((setup >> 7 & 127) - 32 * area, setup >> 23 & 127),
                None => (count * u32::from(index), count),
            };
            for row in 0..count {
                for (word, &value) in (0..).zip(&rows[(first + row) as usize]) {
                    let at = on.index(address + row * pitch + 4 * word)?;
                    on.reals[at] = value;
                }
            }
        }
        Ok(())
    }
}
