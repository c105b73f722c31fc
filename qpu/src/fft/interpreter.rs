//! The passes as a program in Rust: a [`Runner`] that does what programs must do with their lists.
//!
//! A unit is done as a program does it. Each lookup reads memory in every lane at lane vector + record +
//! row list, 16 points per lane are transformed, then the rows of the lanes, twiddles are looked up and
//! multiplied with, and rows are stored. What a list holds is read from memory by the symbolic
//! words of the program. So a plan of any length can be tested without programs, in f64, and a
//! program can be compared with what it stands for, pass by pass. What the model knows by itself is the
//! table of lanes and stores in [`super::program`].

use super::arithmetic::Real;
use super::geometry::{LANES, OCTET};
use super::program::{Kind, Lanes, Program, Record, Row, Samples, Scalar, Start, Tail, Task};
use super::split::Role;
use super::twiddle::turn;
use crate::job::{Buffer, BusAddr, Job, QpuSet, Report, Runner};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

const N: usize = LANES as usize;
/// Where the memory begins.
const BASE: u32 = 0x4000_0000;

type Complex<T> = [T; 2];
type Vector<T> = [Complex<T>; N];

/// Memory, and programs that are interpreted. `T` is what is computed with.
pub struct ModelRunner<T> {
    catalogue: &'static [Program],
    words: Vec<u32>,
    reals: Vec<T>,
    used: u32,
}

/// Why the model could not go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelError(pub String);

impl std::fmt::Display for ModelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ModelError {}

fn error<A>(text: String) -> Result<A, ModelError> {
    Err(ModelError(text))
}

impl<T: Real> ModelRunner<T> {
    /// `bytes` of memory, and programs that are known by their code.
    #[must_use]
    pub fn new(catalogue: &'static [Program], bytes: u32) -> Self {
        let count = bytes as usize / 4;
        Self {
            catalogue,
            words: vec![0; count],
            reals: vec![T::from_f64(0.0); count],
            used: 0,
        }
    }

    /// What a buffer holds, as the numbers that are computed with.
    ///
    /// # Panics
    /// When the buffer is none of this runner's.
    #[must_use]
    pub fn reals(&self, buffer: Buffer) -> &[T] {
        let first = (buffer.addr.0 - BASE) as usize / 4;
        &self.reals[first..first + buffer.bytes as usize / 4]
    }

    /// Index of the word at an address.
    fn index(&self, address: u32) -> Result<usize, ModelError> {
        let index = address.wrapping_sub(BASE) / 4;
        if !address.is_multiple_of(4) || index as usize >= self.words.len() {
            return error(format!("nothing is at {address:#010x}"));
        }
        Ok(index as usize)
    }

    fn word(&self, address: u32) -> Result<u32, ModelError> {
        Ok(self.words[self.index(address)?])
    }

    fn real(&self, address: u32) -> Result<T, ModelError> {
        Ok(self.reals[self.index(address)?])
    }

    fn float(&self, address: u32) -> Result<T, ModelError> {
        Ok(T::from_word(self.word(address)?))
    }

    /// The values of a list of symbolic words.
    fn list<W: Copy + Eq + Hash>(
        &self,
        address: u32,
        words: &[W],
    ) -> Result<HashMap<W, u32>, ModelError> {
        let addresses = (address..).step_by(4);
        let pair = |(&word, address)| Ok((word, self.word(address)?));
        words.iter().zip(addresses).map(pair).collect()
    }

    /// Does all units of a program; what it goes on with, if the launch does not end with it.
    fn program(
        &mut self,
        queued: crate::job::Program,
    ) -> Result<Option<crate::job::Program>, ModelError> {
        let catalogue = self.catalogue;
        let at = self.index(queued.code.0)?;
        let is_it = |program: &&Program| {
            let words = program
                .code
                .iter()
                .flat_map(|&w| [w as u32, (w >> 32) as u32]);
            words.eq(self.words[at..]
                .iter()
                .copied()
                .take(2 * program.code.len()))
        };
        let Some(program) = catalogue.iter().find(is_it) else {
            return error(format!("no known program at {:#010x}", queued.code.0));
        };
        let start = self.list(queued.uniforms.0, program.start)?;
        let own = |word: Start| start.get(&word).copied().unwrap_or_default();
        let mut lists = HashMap::new();
        for unit in 0..own(Start::Units) {
            let at = own(Start::Records) + 4 * unit * program.record.len() as u32;
            let record = self.list(at, program.record)?;
            let rows_at = record.get(&Record::Rows).copied().unwrap_or_default();
            if let Entry::Vacant(list) = lists.entry(rows_at) {
                list.insert(self.list(rows_at, program.rows)?);
            }
            let scalars = match record.get(&Record::Scalars) {
                Some(&at) => self.list(at, program.scalars)?,
                None => HashMap::new(),
            };
            let unit = Unit {
                program,
                start: &start,
                record: &record,
                rows: &lists[&rows_at],
                scalars: &scalars,
            };
            unit.run(self)?;
        }
        let records = own(Start::Units) * program.record.len() as u32;
        let tail = self.list(own(Start::Records) + 4 * records, program.tail)?;
        let next = |word: Tail| BusAddr(tail.get(&word).copied().unwrap_or_default());
        Ok(
            (next(Tail::NextCode) != BusAddr(0)).then(|| crate::job::Program {
                code: next(Tail::NextCode),
                uniforms: next(Tail::NextStart),
            }),
        )
    }
}

/// A unit and all that lists say of it.
struct Unit<'a> {
    program: &'a Program,
    start: &'a HashMap<Start, u32>,
    record: &'a HashMap<Record, u32>,
    rows: &'a HashMap<Row, u32>,
    scalars: &'a HashMap<Scalar, u32>,
}

impl Unit<'_> {
    fn kind(&self) -> Kind {
        match self.program.task {
            Task::Points(kind) => kind,
            // There are none in the catalogue here.
            Task::Bins(_) | Task::Shared { .. } => unreachable!("programs are those of the model"),
        }
    }

    fn role(&self) -> Role {
        self.kind().role
    }

    /// Rows in the lanes of a vector.
    fn row_lanes(&self) -> u32 {
        let radix = u32::from(self.kind().radix);
        match self.role() {
            Role::Only | Role::First => radix / 16,
            Role::Middle | Role::Last => 2.min(radix / 16),
        }
    }

    /// Parts of the outputs.
    fn parts(&self) -> u32 {
        match self.role() {
            Role::Only | Role::First => 1,
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
            Role::Only | Role::First if group > 0 => {
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

    fn run<T: Real>(&self, on: &mut ModelRunner<T>) -> Result<(), ModelError> {
        let points = self.points(on)?;
        let mut outputs = dft16(&points);
        self.transform_lanes(&mut outputs, on)?;
        self.twiddle(&mut outputs, on)?;
        self.store(&outputs, on)
    }

    /// The 16 points of each lane: sums of all rows that enter them, turned by the part's angle.
    fn points<T: Real>(&self, on: &ModelRunner<T>) -> Result<[Vector<T>; N], ModelError> {
        let lanes = self.lanes(Lanes::Input, on)?;
        let base = self.record.get(&Record::Input).copied().unwrap_or_default();
        let conjugate = self.start.get(&Start::Conjugate);
        let factors = self.record.get(&Record::Factors).copied();
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
                        let x = self.sample(at, (vector, number), component, on)?;
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
                    *z = turned_back(*z, part);
                }
            }
        }
        Ok(points)
    }

    /// A component of the point at an address, not yet times its factor.
    fn sample<T: Real>(
        &self,
        at: u32,
        (vector, lane): (u8, u32),
        component: u8,
        on: &ModelRunner<T>,
    ) -> Result<T, ModelError> {
        let number = match self.kind().samples {
            Samples::Points | Samples::Windowed => return on.real(at),
            Samples::I16 => {
                let word = on.word(at)? >> (16 * component);
                f64::from(word as u16 as i16)
            }
            Samples::Bytes => {
                let of_rows = |word: Row| self.rows.get(&word).copied().unwrap_or_default();
                // Which row or column is in the upper half of the word.
                let row = u32::from(vector) * self.row_lanes() + self.row(lane);
                let point = match self.role() {
                    Role::Only => row,
                    _ => self.place(lane).1,
                };
                let byte = 2 * (point % 2) + u32::from(component);
                let word = on.word(at)? ^ of_rows(Row::Flip);
                let middle = f32::from_bits(of_rows(Row::Middle));
                f64::from(word.to_le_bytes()[byte as usize]) - f64::from(middle)
            }
        };
        Ok(T::from_f64(number))
    }

    /// The transform over the rows that lie in the lanes, after each row's turn.
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
            std::array::from_fn(|eighths| rounded(turn(eighths as u32, 8)));
        let zero = T::from_f64(0.0);
        let twiddles = self
            .record
            .get(&Record::Twiddle)
            .copied()
            .unwrap_or_default();
        let twiddle_lanes = self.lanes(Lanes::Twiddle, on)?;
        for (k_lo, vector) in (0..).zip(outputs) {
            for (lane, z) in (0..).zip(vector.iter_mut()) {
                let row = self.row(lane);
                let scalar = |component| Scalar {
                    output: k_lo,
                    row: row as u8,
                    component,
                };
                let turn = |component| Row::Turn {
                    output: k_lo,
                    component,
                };
                let vector = |component| Row::TurnVector {
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
                    let factor = Self::pair(self.rows, turn).filter(|_| row == 1);
                    is_negated &= factor.is_some() && self.role() != Role::Last;
                    factor
                };
                if let Some(factor) = factor {
                    *z = turned_back(*z, factor);
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
                    let turned = turned_back(before[other as usize], roots[eighths as usize]);
                    *z = [z[0] + turned[0], z[1] + turned[1]];
                }
            }
        }
        Ok(())
    }

    /// Whether one vector of twiddles is for all outputs.
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
        let Some(&base) = self.record.get(&Record::Twiddle) else {
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
                *z = turned_back(*z, twiddle);
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
                        Role::Only => (LANES * half + lane, 2 * low + component),
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
                        Role::Only => self.start.get(&Start::Scale {
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

/// A root, rounded as a constant of a program is.
fn rounded<T: Real>((cos, sin): (f64, f64)) -> Complex<T> {
    [cos, sin].map(|x| T::from_word((x as f32).to_bits()))
}

/// z (cos - i sin), exactly where that is a quarter turn.
fn turned_back<T: Real>([re, im]: Complex<T>, [cos, sin]: Complex<T>) -> Complex<T> {
    match (cos.to_f64(), sin.to_f64()) {
        (1.0, 0.0) => [re, im],
        (0.0, 1.0) => [im, T::from_f64(0.0) - re],
        _ => [re * cos + im * sin, im * cos - re * sin],
    }
}

/// Four-point transform.
fn dft4<T: Real>(x: [Complex<T>; 4]) -> [Complex<T>; 4] {
    let add = |x: Complex<T>, y: Complex<T>| [x[0] + y[0], x[1] + y[1]];
    let subtract = |x: Complex<T>, y: Complex<T>| [x[0] - y[0], x[1] - y[1]];
    let (s02, d02) = (add(x[0], x[2]), subtract(x[0], x[2]));
    let (s13, d13) = (add(x[1], x[3]), subtract(x[1], x[3]));
    [
        add(s02, s13),
        [d02[0] + d13[1], d02[1] - d13[0]],
        subtract(s02, s13),
        [d02[0] - d13[1], d02[1] + d13[0]],
    ]
}

/// 16-point transform of every lane.
fn dft16<T: Real>(points: &[Vector<T>; N]) -> [Vector<T>; N] {
    let roots: [[Complex<T>; 4]; 4] =
        std::array::from_fn(|n2| std::array::from_fn(|k1| rounded(turn((n2 * k1) as u32, 16))));
    let mut outputs = *points;
    for lane in 0..N {
        let columns: [[Complex<T>; 4]; 4] = std::array::from_fn(|n2| {
            let y = dft4(std::array::from_fn(|n1| points[4 * n1 + n2][lane]));
            std::array::from_fn(|k1| turned_back(y[k1], roots[n2][k1]))
        });
        for k1 in 0..4 {
            let y = dft4(std::array::from_fn(|n2| columns[n2][k1]));
            for (k2, z) in y.into_iter().enumerate() {
                outputs[k1 + 4 * k2][lane] = z;
            }
        }
    }
    outputs
}

impl<T: Real> Runner for ModelRunner<T> {
    type Error = ModelError;

    fn alloc(&mut self, bytes: u32, align: u32) -> Result<Buffer, ModelError> {
        let start = u64::from(self.used).next_multiple_of(u64::from(align.max(64)));
        let free = 4 * self.words.len() as u64;
        if start + u64::from(bytes) > free {
            return error(format!("no room for {bytes} bytes of {free}"));
        }
        self.used = start as u32 + bytes;
        Ok(Buffer {
            addr: BusAddr(BASE + start as u32),
            bytes,
        })
    }

    fn release_all(&mut self) {
        self.used = 0;
    }

    fn write(&mut self, buffer: Buffer, first: u32, words: &[u32]) -> Result<(), ModelError> {
        if u64::from(first) * 4 + words.len() as u64 * 4 > u64::from(buffer.bytes) {
            return error(format!("word {first} is not in the buffer"));
        }
        for (&word, address) in words.iter().zip((buffer.addr.0 + 4 * first..).step_by(4)) {
            let at = self.index(address)?;
            self.words[at] = word;
            self.reals[at] = T::from_word(word);
        }
        Ok(())
    }

    fn read(&mut self, buffer: Buffer, first: u32, words: &mut [u32]) -> Result<(), ModelError> {
        for (word, address) in words
            .iter_mut()
            .zip((buffer.addr.0 + 4 * first..).step_by(4))
        {
            *word = (self.real(address)?.to_f64() as f32).to_bits();
        }
        Ok(())
    }

    fn use_qpus(&mut self, _: QpuSet) {}

    fn run(&mut self, job: &Job, _: u32) -> Result<Report, ModelError> {
        let mut report = Report::default();
        for launch in job.launches {
            report.programs += launch.programs.len() as u32;
            // All wait for each other before they go on.
            let mut now = launch.programs.to_vec();
            while !now.is_empty() {
                let mut next = Vec::new();
                for program in now {
                    next.extend(self.program(program)?);
                }
                now = next;
            }
        }
        Ok(report)
    }
}

/// Programs for the model alone: every kind, with all words that it can have and no code but a number
/// that says which it is.
#[must_use]
pub fn catalogue() -> &'static [Program] {
    let roles = [Role::Only, Role::First, Role::Middle, Role::Last];
    let programs: Vec<Program> = roles
        .into_iter()
        .flat_map(|role| role.log2_radices().map(move |log2| (role, 1u16 << log2)))
        // Longer ones share the VPM.
        .filter(|&(role, radix)| role != Role::Only || radix <= 128)
        .chain([(Role::Middle, 16)])
        .flat_map(|(role, radix)| {
            let begins = matches!(role, Role::Only | Role::First);
            let samples = Samples::ALL
                .into_iter()
                .filter(move |&samples| begins || samples == Samples::Points);
            samples.map(move |samples| Kind {
                role,
                radix,
                samples,
            })
        })
        .map(symbols)
        .collect();
    programs.leak()
}

/// A program of [`catalogue`].
fn symbols(kind: Kind) -> Program {
    let Kind {
        role,
        radix,
        samples,
    } = kind;
    let lanes = match role {
        Role::Only | Role::First => radix / 16,
        _ => 1,
    };
    let parts = match role {
        Role::Middle | Role::Last => radix.div_ceil(32) as u8,
        _ => 1,
    };
    let pairs = |count: u8| (0..count).flat_map(|x| [0, 1].map(|component| (x, component)));
    let mut start = vec![
        Start::Lanes(Lanes::Input),
        Start::Records,
        Start::Units,
        Start::Area,
        Start::StoreStride,
        Start::Opens,
        Start::Code,
    ];
    let mut record = vec![Record::Rows, Record::Input];
    let mut rows = Vec::new();
    for (vector, component) in pairs(16 * parts) {
        if component == 0 || samples.point_bytes() == 8 {
            rows.push(Row::Input { vector, component });
        }
        if samples != Samples::Points {
            rows.push(Row::Factor { vector, component });
        }
    }
    if samples == Samples::Bytes {
        rows.extend([Row::Flip, Row::Middle]);
    }
    for (block, component) in pairs(parts).skip(2) {
        rows.push(Row::Sign { block, component });
    }
    for (vector, component) in pairs(16).filter(|&(vector, _)| parts > 1 && vector > 0) {
        rows.push(Row::Part { vector, component });
    }
    let has_turns = match role {
        Role::Only | Role::First => radix == 32,
        Role::Last => radix >= 32,
        Role::Middle => false,
    };
    for (output, component) in pairs(16) {
        if has_turns && (output > 0 || parts > 1) {
            rows.push(Row::Turn { output, component });
        }
        let (is_first, is_looked_up) = (role == Role::First, lanes > 2);
        if is_looked_up && (output, component) != (0, 1) {
            rows.push(if is_first {
                Row::Before { output, component }
            } else {
                Row::TurnVector { output, component }
            });
        }
        let has_twiddle =
            is_first && !is_looked_up || (is_first || role == Role::Middle) && output == 0;
        if has_twiddle {
            rows.push(Row::Twiddle { output, component });
        }
    }
    let mut scalars = Vec::new();
    if role == Role::Middle {
        record.push(Record::Scalars);
        for (output, component) in pairs(16) {
            scalars.extend((0..2.min(radix as u8 / 16)).map(|row| Scalar {
                output,
                row,
                component,
            }));
        }
    }
    if matches!(role, Role::First | Role::Middle) {
        start.push(Start::Lanes(Lanes::Twiddle));
        record.push(Record::Twiddle);
    }
    match (role, samples) {
        (Role::Only | Role::First, Samples::Points) => start.push(Start::Conjugate),
        (Role::Only | Role::First, _) => record.push(Record::Factors),
        _ => {}
    }
    match role {
        Role::Only => start.extend([0, 1].map(|component| Start::Scale { component })),
        Role::Last => start.push(Start::Lanes(Lanes::Scale)),
        Role::First | Role::Middle => {}
    }
    let stores = match role {
        Role::Only => radix as u8 / 8,
        Role::Last if radix == 16 => 2,
        _ => 1,
    };
    for index in 0..stores {
        record.push(Record::Store { index });
        if role == Role::Only {
            record.push(Record::StoreSetup { index });
        }
    }
    Program {
        task: Task::Points(kind),
        code: vec![u64::from(radix) << 8 | (samples as u64) << 4 | role as u64].leak(),
        start: start.leak(),
        record: record.leak(),
        tail: &[Tail::Peers, Tail::Gate, Tail::NextStart, Tail::NextCode],
        rows: rows.leak(),
        scalars: scalars.leak(),
    }
}
