//! A line for everything that a set of jobs gives, to compare two simulators with.
//!
//! `cargo run --release -p v3d-sim --example digest > before`, change what must not change
//! anything, do it again, and compare the two. Each line has the clocks of a job, its instructions,
//! and a hash of all that it left: memory, statistics with all counters, warnings and faults with
//! their text. Jobs are this project's FFTs, six thousand small programs of random instructions,
//! and GPU_FFT's own shaders where `QPUSCOPE_USERLAND` names a checkout of raspberrypi/userland;
//! all of them with time and without.

use fidelity::gpu_fft::{Plan, Shape, hello_fft};
use fidelity::{Release, Userland};
use qpu::job::{BusAddr, CacheClear, Program, Runner};
use qpu_fft::request::Request;
use qpu_fft::{self, Direction};
use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use v3d_sim::{Config, Conflicts, JobLaunch, JobOptions, SimRunner, SparseMemory, run_job};

const CODE: u32 = 0x4000_0000;
const DATA: u32 = 0x4001_0000;
const DATA_BYTES: usize = 8192;

fn hash(parts: &[&dyn Debug]) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{parts:?}").hash(&mut hasher);
    hasher.finish()
}

fn mode(functional: bool) -> &'static str {
    if functional {
        "functional"
    } else {
        "with time"
    }
}

/// Splitmix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.bits() % limit
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// An instruction: of a program of this project with some bits changed, or of nothing but
    /// chance.
    fn strange(&mut self, known: &[u64]) -> u64 {
        let mut word = match self.below(4) {
            0 | 1 => self.of(known) ^ 1 << self.below(64),
            2 => self.of(known) ^ (self.bits() & self.bits() & self.bits() & 0x0fff_ffff_ffff_ffff),
            _ => self.bits(),
        };
        if qpu::isa::decode(word).is_err() {
            word &= !(0x1f << 24 | 7 << 29);
        }
        if qpu::isa::decode(word).is_err() {
            word = word & 0x00ff_ffff_ffff_ffff | 0x1000_0000_0000_0000 | 12 << 24;
        }
        word
    }

    /// Both ALUs between registers, in any way; ra30, rb30 and rb31 stay.
    fn alu(&mut self) -> u64 {
        let signal = self.of(&[1, 1, 1, 13]);
        let (mut pack, mut conditions) = (0, 0o11);
        if self.one_in(6) {
            pack = self.bits() & 0xff;
        }
        if self.one_in(3) {
            conditions = self.of(&[0o12, 0o23, 0o32, 0o45, 0o10, 0o01, 0o71, 0o66]);
        }
        let flags = u64::from(self.one_in(5)) << 1 | self.below(2);
        let to: [u64; 2] = std::array::from_fn(|_| match self.below(8) {
            0..=2 => self.below(30),
            3..=5 => 32 + self.below(4),
            6 => 37,
            _ => 39,
        });
        let op_add = self.of(&[
            0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 15, 16, 17, 18, 19,
        ]) + if self.one_in(4) { 3 } else { 0 };
        let op_add = if op_add > 24 || (9..12).contains(&op_add) {
            21
        } else {
            op_add
        };
        let from: [u64; 2] = std::array::from_fn(|_| match self.below(16) {
            0 => 38,
            1 => 39,
            2 => 32,
            _ => self.below(30),
        });
        let second = if signal == 13 {
            self.below(64)
        } else {
            from[1]
        };
        let op_mul = self.of(&[0, 1, 1, 1, 2, 3, 4, 5, 6, 7]);
        signal << 60
            | pack << 52
            | conditions << 46
            | flags << 44
            | to[0] << 38
            | to[1] << 32
            | op_mul << 29
            | op_add << 24
            | from[0] << 18
            | second << 12
            | self.bits() & 0xfff
    }

    /// A few instructions that use a unit as programs do; ra30 is an address for each lane, rb30
    /// one.
    fn unit(&mut self, words: &mut Vec<u64>) {
        let row = self.below(48);
        match self.below(9) {
            0..=2 => {
                let tmu = self.below(2);
                words.push(mov(56 + 4 * tmu, false));
                if self.one_in(2) {
                    words.push(self.alu());
                    words.push(add_op(12, 30, 30, Second::Small(self.of(&[4, 8]))));
                }
                words.push(self.alu() & !(0xf << 60) | (10 + tmu) << 60);
            }
            3 => {
                words.push(load(49, true, 0x1a00 | row));
                words.extend((0..1 + self.below(3)).map(|_| mov(48, false)));
            }
            4 => {
                words.push(load(49, false, 0x10_1a00 | row));
                words.extend((0..2).map(|_| self.alu()));
                words.push(add_op(21, 34, 48, Second::First));
            }
            5 => {
                words.push(load(49, true, 0x8090_4000 | row << 7 | 1 << 24));
                words.push(load(49, true, 0xc000_0000));
                words.push(mov(50, true));
                words.extend((0..self.below(4)).map(|_| self.alu()));
                words.push(0x1000_09e7_009f_2000);
            }
            6 => {
                words.push(load(49, false, 0x8302_1000 | row << 4));
                words.push(mov(50, true) & !(1 << 44));
                words.extend((0..self.below(4)).map(|_| self.alu()));
                words.push(0x1000_09e7_00ca_7000);
            }
            7 => {
                words.push(mov(52 + self.below(4), false));
                words.extend((0..1 + self.below(3)).map(|_| self.alu()));
            }
            _ => {
                let number = self.below(16);
                words.push(0xe800_09e7_0000_0000 | number);
                words.extend((0..self.below(3)).map(|_| self.alu()));
                words.push(0xe800_09e7_0000_0010 | number);
            }
        }
    }

    /// A program that may loop.
    fn program(&mut self, known: &[u64]) -> Vec<u64> {
        let mut words = vec![
            add_op(17, 32, 38, Second::Small(2)),
            load(31, true, 2 + self.below(20)),
            add_op(12, 30, 32, Second::R0),
            add_op(21, 30, 32, Second::First) | 1 << 44,
        ];
        let strange = self.of(&[0, 0, 0, 20, 4]);
        let items = 4 + self.below(24);
        for _ in 0..items {
            match self.below(4) {
                0 => self.unit(&mut words),
                _ => words.push(self.alu()),
            }
            if strange > 0 && self.one_in(strange * items) {
                words.push(self.strange(known));
            }
        }
        // sub.setf rb31, rb31, 1, or flags of something else.
        words.push(0x1000_09e7_009e_7000);
        words.push(load(39, false, 0) & !(1 << 45) | 1 << 45 | self.below(2));
        if self.one_in(2) {
            words.push(load(33, false, 0xffff_ffff));
            words.push(sub_one());
        }
        let back = -8 * (words.len() as i64 + 4 - 4);
        words.push(
            0xf000_09e7_0000_0000 | self.below(12) << 52 | 1 << 51 | back as u64 & 0xffff_ffff,
        );
        words.extend((0..3).map(|_| self.alu()));
        words.extend([
            0x3000_09e7_009e_7000,
            0x1000_09e7_009e_7000,
            0x1000_09e7_009e_7000,
        ]);
        words
    }
}

/// The second operand of an addition.
enum Second {
    /// The first.
    First,
    /// r0.
    R0,
    /// A small immediate.
    Small(u64),
}

/// An operation of the add ALU on what is read through port A.
fn add_op(operation: u64, to: u64, from: u64, second: Second) -> u64 {
    let (signal, port, mux) = match second {
        Second::First => (1, 39, 6),
        Second::R0 => (1, 39, 0),
        Second::Small(value) => (13, value, 7),
    };
    signal << 60
        | 1 << 49
        | to << 38
        | 39 << 32
        | operation << 24
        | from << 18
        | port << 12
        | 6 << 9
        | mux << 6
}

/// `add.setf rb31, rb31, r1` where r1 is -1.
fn sub_one() -> u64 {
    1 << 60
        | 1 << 49
        | 1 << 45
        | 1 << 44
        | 31 << 38
        | 39 << 32
        | 12 << 24
        | 39 << 18
        | 31 << 12
        | 7 << 9
        | 1 << 6
}

/// `mov` to a unit, of ra30 or of rb30 (then through the space of file B).
fn mov(to: u64, second: bool) -> u64 {
    let (from, mux) = if second {
        (30 << 12 | 39 << 18, 0o77)
    } else {
        (30 << 18 | 39 << 12, 0o66)
    };
    1 << 60 | 1 << 49 | u64::from(second) << 44 | to << 38 | 39 << 32 | 21 << 24 | from | mux << 6
}

/// A load immediate, to the space of file B or A.
fn load(to: u64, second: bool, value: u64) -> u64 {
    0xe000_0000_0000_0000 | 1 << 49 | u64::from(second) << 44 | to << 38 | 39 << 32 | value
}

fn random_program(number: u64, known: &[u64]) -> String {
    let mut random = Random(number);
    let words = random.program(known);
    let uniforms: Vec<u8> = (0..DATA_BYTES as u32 / 4)
        .map(|i| match random.below(8) {
            _ if i % 64 < 2 => DATA + 4 * i + 2048,
            0 => random.bits() as u32,
            1 => 0x8000_0000 | random.bits() as u32,
            2 => random.bits() as u32 & 0x3fff,
            3 => CODE + 8 * i % 1024,
            4 => 0x3f80_0000 ^ (random.bits() as u32 & 0x80ff_ffff),
            _ => DATA + 4 * i,
        })
        .flat_map(u32::to_le_bytes)
        .collect();
    let programs = (0..random.of(&[1, 2, 3, 12, 13]))
        .map(|_| Program {
            code: BusAddr(CODE + 8 * u32::from(random.one_in(40))),
            uniforms: BusAddr(DATA + 256 * random.below(6) as u32),
        })
        .collect();
    let launch = JobLaunch {
        programs,
        clear: [CacheClear::All, CacheClear::Data, CacheClear::None][random.below(3) as usize],
    };
    let mut options = JobOptions {
        limit_cycles: [200, 401, 1_000, 6_002][random.below(4) as usize],
        functional: random.below(2) == 0,
        strict: random.below(8) == 0,
        order_seed: (random.below(6) == 0).then(|| random.bits()),
        ..JobOptions::default()
    };
    if random.below(4) == 0 {
        let (conflict, choices) =
            Conflicts::ALL[random.below(Conflicts::ALL.len() as u64) as usize];
        let choice = choices[random.below(choices.len() as u64) as usize];
        options
            .conflicts
            .choose(conflict, choice)
            .expect("a choice of the list");
    }
    let mut memory = SparseMemory::new();
    memory.put_zero(CODE, 0x1_0000);
    let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.put(CODE, &code);
    memory.put(DATA, &uniforms);
    let launches = vec![launch; 1 + random.below(2) as usize];
    let outcome = run_job(&mut memory, &launches, &options);
    let left = memory
        .get(CODE, 0x1_0000 + DATA_BYTES)
        .expect("it is there");
    let instructions: u64 = outcome.statistics.instructions.iter().sum();
    format!(
        "random {number} {} {:?} {} clocks {instructions} {:016x}",
        mode(options.functional),
        outcome.end,
        outcome.cycles,
        hash(&[&outcome, &left])
    )
}

fn own_fft(log2n: u32, config: Config) -> String {
    let functional = config.functional;
    let mut runner = SimRunner::with_config(16 << 20, config);
    let request = Request::new(log2n, 1);
    let plan = qpu_fft::Plan::with_buffers(qpu_programs::FFT, &request, &mut runner);
    let Ok(mut plan) = plan else {
        return format!("own fft 2^{log2n}: no plan");
    };
    let input: Vec<u32> = (0..2 << log2n)
        .map(|n| (n as f32 * 0.37).sin().to_bits())
        .collect();
    let mut left = String::new();
    for direction in [Direction::Forward, Direction::Inverse] {
        runner.write(plan.input(), 0, &input).expect("fits");
        let ran = plan.run(&mut runner, direction, 1_000_000);
        let mut output = vec![0; 2 << log2n];
        let read = runner.read(plan.output(), 0, &mut output);
        let statistics = runner.statistics();
        let instructions: u64 = statistics.instructions.iter().sum();
        left += &format!(
            " {instructions} {:016x}",
            hash(&[&ran, &read, &output, &statistics, &runner.warnings()])
        );
    }
    format!("own fft 2^{log2n} {}{left}", mode(functional))
}

fn gpu_fft(userland: &Userland, shape: Shape, config: Config) -> String {
    let functional = config.functional;
    let (mut machine, plan) =
        Plan::alone(userland, shape, config).unwrap_or_else(|error| panic!("{error}"));
    hello_fft::fill(&plan, &mut machine);
    let run = plan.execute(&mut machine);
    let run = run.unwrap_or_else(|error| panic!("{error}"));
    let outputs: Vec<_> = (0..shape.jobs)
        .map(|job| machine.load(plan.output_of(job), 2 << shape.log2n))
        .collect();
    let instructions: u64 = run.statistics.instructions.iter().sum();
    format!(
        "gpu_fft {} {} {} clocks {instructions} {:016x}",
        shape.name(),
        mode(functional),
        run.clocks,
        hash(&[&run, &outputs])
    )
}

fn main() {
    let fft = qpu_programs::FFT.iter();
    let mut known: Vec<u64> = fft.flat_map(|program| program.code.iter()).collect();
    known.extend(qpu_programs::code::ALL.iter().flat_map(|(_, words)| *words));
    for number in 0..6_000 {
        println!("{}", random_program(number, &known));
    }
    let modes = |functional| Config {
        functional,
        ..Config::default()
    };
    for functional in [true, false] {
        for log2n in 8..=12 {
            println!("{}", own_fft(log2n, modes(functional)));
        }
        let strange = Config {
            order_seed: functional.then_some(7),
            clock_hz: 300_000_000,
            strict: false,
            ..modes(functional)
        };
        println!("seeded {}", own_fft(10, strange));
    }
    let userland = Userland::from_environment().unwrap_or_else(|error| panic!("{error}"));
    let Some(userland) = &userland else {
        println!("GPU_FFT: not run, set QPUSCOPE_USERLAND to a checkout of raspberrypi/userland");
        return;
    };
    for functional in [true, false] {
        for log2n in 8..=14 {
            for jobs in [1, 10] {
                for release in [Release::V2, Release::V3] {
                    if release == Release::V2 && log2n % 2 == 1 {
                        continue;
                    }
                    let shape = Shape::inverse(release, log2n, jobs);
                    println!("{}", gpu_fft(userland, shape, modes(functional)));
                }
            }
        }
    }
}
