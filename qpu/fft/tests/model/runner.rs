//! The passes as a program in Rust: a [`Runner`] that does what programs must do with their lists.
//!
//! A unit is done as a program does it. Each lookup reads memory in every lane at lane vector +
//! record + row list, 16 points per lane are transformed, then the rows of the lanes, twiddles are
//! looked up and multiplied with, and rows are stored. What a list holds is read from memory by the
//! symbolic words of the program. So a plan of any length can be tested without programs, in f64,
//! and a program can be compared with what it stands for, pass by pass. What the model knows by
//! itself is the table of lanes and stores in [`qpu_fft::program`].

use super::arithmetic::Real;
use super::unit::Unit;
use qpu::job::{Buffer, BusAddr, Job, QpuSet, Report, Runner};
use qpu::machine::LANES;
use qpu_fft::kernels::uniform::{Pack, UniformId};
use qpu_fft::program::{Program, Record, Start, Tail};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

pub const N: usize = LANES as usize;
/// Address at which the memory begins; `STREAMED` is the one for reads that leave nothing in the
/// system L2.
const BASE: u32 = 0x4000_0000;
const STREAMED: u32 = 0x8000_0000;

pub type Complex<T> = [T; 2];
pub type Vector<T> = [Complex<T>; N];

/// Memory, and programs that are interpreted. `T` is what is computed with.
pub struct ModelRunner<T> {
    catalogue: &'static [Program],
    words: Vec<u32>,
    pub reals: Vec<T>,
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

pub fn error<A>(text: String) -> Result<A, ModelError> {
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

    /// The contents of a buffer, as the numbers that are computed with.
    ///
    /// # Panics
    /// When the buffer is none of this runner's.
    #[must_use]
    pub fn reals(&self, buffer: Buffer) -> &[T] {
        let first = (buffer.addr.0 - BASE) as usize / 4;
        &self.reals[first..first + buffer.bytes as usize / 4]
    }

    /// Index of the word at an address.
    pub fn index(&self, address: u32) -> Result<usize, ModelError> {
        let base = if address < STREAMED { BASE } else { STREAMED };
        let index = address.wrapping_sub(base) / 4;
        if !address.is_multiple_of(4) || index as usize >= self.words.len() {
            return error(format!("nothing is at {address:#010x}"));
        }
        Ok(index as usize)
    }

    pub fn word(&self, address: u32) -> Result<u32, ModelError> {
        Ok(self.words[self.index(address)?])
    }

    pub fn real(&self, address: u32) -> Result<T, ModelError> {
        Ok(self.reals[self.index(address)?])
    }

    pub fn float(&self, address: u32) -> Result<T, ModelError> {
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

    /// The values of a list of uniforms that the kernel knows.
    fn kernel_list<W: Pack + Eq + Hash>(
        &self,
        address: u32,
        ids: &[UniformId],
    ) -> Result<HashMap<W, u32>, ModelError> {
        let list = self.list(address, ids)?;
        Ok(list
            .into_iter()
            .map(|(id, value)| (W::of(id), value))
            .collect())
    }

    /// Does all units of a program; what it goes on with, if the launch does not end with it.
    fn program(
        &mut self,
        queued: qpu::job::Program,
    ) -> Result<Option<qpu::job::Program>, ModelError> {
        let catalogue = self.catalogue;
        let at = self.index(queued.code.0)?;
        let is_it = |program: &&Program| {
            let words = program
                .code
                .iter()
                .flat_map(|w| [w as u32, (w >> 32) as u32]);
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
                list.insert(self.kernel_list(rows_at, program.rows)?);
            }
            let scalars = match record.get(&Record::Scalars) {
                Some(&at) => self.kernel_list(at, program.scalars)?,
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
            (next(Tail::NextCode) != BusAddr(0)).then(|| qpu::job::Program {
                code: next(Tail::NextCode),
                uniforms: next(Tail::NextStart),
            }),
        )
    }
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
