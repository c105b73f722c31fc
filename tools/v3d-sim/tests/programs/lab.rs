//! A bench for small programs: what they put into the VPM comes back as rows.

use qpu::generate::{Builder, NONE, ST_ADDR, ST_WAIT, Src, VPM, WR_SETUP};
use qpu::job::{Buffer, CacheClear, Job, Launch, Program, QpuSet, Runner};
use v3d_sim::{SimError, SimRunner};

pub type Row = [u32; 16];

/// A runner, and sixteen rows for results.
pub struct Lab {
    pub runner: SimRunner,
    pub out: Buffer,
}

/// Result of a program.
#[derive(Debug)]
pub struct Result {
    pub rows: Vec<Row>,
    /// Identifiers of the rules it broke, sorted.
    pub rules: Vec<&'static str>,
}

impl Lab {
    /// With warnings that only warn.
    pub fn new() -> Self {
        Self::with(SimRunner::new(1 << 20).with_strict(false))
    }

    pub fn with(mut runner: SimRunner) -> Self {
        let out = runner.alloc(1024, 64).unwrap();
        runner.write(out, 0, &[0xdddd_dddd; 256]).unwrap();
        Self { runner, out }
    }

    /// Zeros in all sixteen rows, which are undefined until they are written.
    pub fn zero_rows(&mut self) {
        let mut b = Builder::new();
        b.ldi(WR_SETUP, 0x1a00u32);
        for _ in 0..16 {
            b.ldi(VPM, 0u32);
        }
        b.end();
        let program = self.load(&b.finish_unchecked().unwrap(), &[]);
        self.run(&[program]).unwrap();
    }

    pub fn put(&mut self, words: &[u32]) -> Buffer {
        let buffer = self
            .runner
            .alloc(words.len().max(1) as u32 * 4, 64)
            .unwrap();
        self.runner.write(buffer, 0, words).unwrap();
        buffer
    }

    /// Code and uniforms in memory.
    pub fn load(&mut self, words: &[u64], uniforms: &[u32]) -> Program {
        let words: Vec<u32> = words
            .iter()
            .flat_map(|word| [*word as u32, (word >> 32) as u32])
            .collect();
        Program {
            code: self.put(&words).addr,
            uniforms: self.put(uniforms).addr,
        }
    }

    pub fn run(&mut self, programs: &[Program]) -> std::result::Result<(), SimError> {
        let launch = Launch {
            programs,
            clear: CacheClear::All,
            qpus: QpuSet::ALL,
        };
        self.runner
            .run(
                &Job {
                    launches: &[launch],
                },
                10_000,
            )
            .map(|_| ())
    }

    pub fn rows(&mut self) -> Vec<Row> {
        let mut words = [0; 256];
        self.runner.read(self.out, 0, &mut words).unwrap();
        words
            .chunks_exact(16)
            .map(|row| row.try_into().unwrap())
            .collect()
    }

    /// One program between the setup of VPM writes from row 0 on and a store of all sixteen rows.
    pub fn try_program(
        &mut self,
        uniforms: &[u32],
        body: impl FnOnce(&mut Builder),
    ) -> std::result::Result<Result, SimError> {
        let mut b = Builder::new();
        b.ldi(WR_SETUP, 0x1a00u32);
        body(&mut b);
        store(&mut b, self.out);
        let program = self.load(&b.finish_unchecked().unwrap(), uniforms);
        self.run(&[program])?;
        let mut rules: Vec<_> = self
            .runner
            .warnings()
            .iter()
            .map(|warning| warning.rule.id())
            // The store at the end takes rows that few programs here fill.
            .filter(|rule| *rule != "vpm-not-put")
            .collect();
        rules.sort_unstable();
        Ok(Result {
            rows: self.rows(),
            rules,
        })
    }

    pub fn program(&mut self, uniforms: &[u32], body: impl FnOnce(&mut Builder)) -> Result {
        self.try_program(uniforms, body).unwrap()
    }
}

/// The rows that a program of the lab gives.
pub fn rows(body: impl FnOnce(&mut Builder)) -> Vec<Row> {
    Lab::new().program(&[], body).rows
}

/// The rules that it breaks.
pub fn rules(body: impl FnOnce(&mut Builder)) -> Vec<&'static str> {
    Lab::new().program(&[], body).rules
}

/// The error that stops it.
pub fn fault(body: impl FnOnce(&mut Builder)) -> String {
    Lab::new().try_program(&[], body).unwrap_err().to_string()
}

/// Stores sixteen rows from row 0 on, and ends.
pub fn store(b: &mut Builder, out: Buffer) {
    b.ldi(WR_SETUP, 0x8810_4000u32);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.ldi(ST_ADDR, out.addr.0);
    b.mov(NONE, ST_WAIT);
    b.end();
}

/// The next row of the result.
pub fn show(b: &mut Builder, value: impl Into<Src>) {
    b.mov(VPM, value);
}

pub fn iota() -> Row {
    std::array::from_fn(|lane| lane as u32)
}
