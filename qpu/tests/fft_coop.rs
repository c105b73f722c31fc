//! Cooperative FFT programs on the simulated QPUs, against a DFT in f64.
//!
//! Every length, both directions, out of place and in place, many orders in which QPUs advance: a
//! barrier that is wrong can pass one order and fail the others. The simulator is strict, and it says
//! when a semaphore is not 0 at the end.

use qpu::fft::Direction;
use qpu::fft::coop::{Cooperation, Transform};
use qpu::generate::fft::coop::{Cooperative, programs};
use qpu::job::{Buffer, CacheClear, Job, Launch, Program, Runner};
use v3d_sim::SimRunner;

const LIMIT_US: u32 = 10_000;
const TOLERANCE: f64 = 1e-6;

struct Bench {
    runner: SimRunner,
    input: Buffer,
    output: Buffer,
    launch: Vec<Program>,
}

impl Bench {
    fn new(
        mut runner: SimRunner,
        program: &Cooperative,
        direction: Direction,
        in_place: bool,
    ) -> Self {
        let cooperation = Cooperation::new(program.log2_points).unwrap();
        let bytes = cooperation.points() * 8;
        let input = runner.alloc(bytes, 4096).unwrap();
        let output = if in_place {
            input
        } else {
            runner.alloc(bytes, 4096).unwrap()
        };
        let words = cooperation.twiddle_words();
        let twiddles = runner.alloc(4 * words, 4096).unwrap();
        let table: Vec<u32> = (0..words).map(|n| cooperation.twiddle_word(n)).collect();
        runner.write(twiddles, 0, &table).unwrap();
        let code = runner
            .alloc(program.code.len() as u32 * 8 + 128, 64)
            .unwrap();
        let words: Vec<u32> = program
            .code
            .iter()
            .flat_map(|&word| [word as u32, (word >> 32) as u32])
            .collect();
        runner.write(code, 0, &words).unwrap();
        let transform = Transform {
            input: input.addr.0,
            twiddles: twiddles.addr.0,
            output: output.addr.0,
            direction,
            scale: 1.0,
        };
        let launch = (0..program.programs)
            .map(|index| {
                let words: Vec<u32> = program
                    .uniforms
                    .iter()
                    .map(|&word| cooperation.uniform(&transform, index, word))
                    .collect();
                let uniforms = runner.alloc(4 * words.len() as u32 + 64, 64).unwrap();
                runner.write(uniforms, 0, &words).unwrap();
                Program {
                    code: code.addr,
                    uniforms: uniforms.addr,
                }
            })
            .collect();
        Self {
            runner,
            input,
            output,
            launch,
        }
    }

    /// The transform, and the V3D clocks that it took.
    fn run(&mut self, input: &[[f32; 2]], clear: CacheClear) -> (Vec<[f32; 2]>, u64) {
        let words: Vec<u32> = input.iter().flat_map(|z| z.map(f32::to_bits)).collect();
        self.runner
            .write(self.output, 0, &vec![f32::NAN.to_bits(); words.len()])
            .unwrap();
        self.runner.write(self.input, 0, &words).unwrap();
        let launch = Launch {
            programs: &self.launch,
            clear,
        };
        let job = Job {
            launches: &[launch],
        };
        let report = self.runner.run(&job, LIMIT_US).unwrap();
        let mut words = vec![0; words.len()];
        self.runner.read(self.output, 0, &mut words).unwrap();
        let output = words
            .chunks_exact(2)
            .map(|pair| [f32::from_bits(pair[0]), f32::from_bits(pair[1])])
            .collect();
        (output, report.cycles.unwrap())
    }
}

/// Seeded numbers, evenly over -1..1 (xorshift64*).
fn random(seed: u64, points: usize) -> Vec<[f32; 2]> {
    let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
    let mut sample = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let bits = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 40;
        bits as f32 / (1 << 23) as f32 - 1.0
    };
    (0..points).map(|_| [sample(), sample()]).collect()
}

/// The DFT by its definition, in f64.
fn dft(direction: Direction, input: &[[f32; 2]]) -> Vec<[f64; 2]> {
    let points = input.len();
    let sign = if direction == Direction::Forward {
        -1.0
    } else {
        1.0
    };
    let roots: Vec<(f64, f64)> = (0..points)
        .map(|n| (std::f64::consts::TAU * n as f64 / points as f64).sin_cos())
        .collect();
    (0..points)
        .map(|k| {
            let mut sum = [0.0; 2];
            for (n, z) in input.iter().enumerate() {
                let (sin, cos) = roots[n * k % points];
                let [re, im] = z.map(f64::from);
                sum[0] += re * cos - sign * im * sin;
                sum[1] += im * cos + sign * re * sin;
            }
            sum
        })
        .collect()
}

/// Holds an output to the DFT, and names the first bin that is far off.
fn assert_spectrum(what: &str, output: &[[f32; 2]], expected: &[[f64; 2]], tolerance: f64) {
    let square = |z: [f64; 2]| z[0] * z[0] + z[1] * z[1];
    let differences = || {
        let pairs = output.iter().zip(expected);
        pairs.map(|(got, want)| square([0, 1].map(|part| f64::from(got[part]) - want[part])))
    };
    let power: f64 = expected.iter().copied().map(square).sum();
    let error = (differences().sum::<f64>() / power).sqrt();
    println!("{what}: relative rms error {error:.2e}");
    let limit = 1e4 * tolerance * tolerance * power / expected.len() as f64;
    let wrong = differences().position(|difference| difference.is_nan() || difference >= limit);
    assert!(
        error <= tolerance,
        "{what}: relative rms error {error:.2e}; first wrong bin {wrong:?}"
    );
}

fn runner() -> SimRunner {
    SimRunner::new(1 << 20)
}

#[test]
fn every_order_gives_the_dft_and_the_same_bits() {
    for program in programs() {
        let points = 1 << program.log2_points;
        for direction in [Direction::Forward, Direction::Inverse] {
            let input = random(7, points);
            let expected = dft(direction, &input);
            let mut first: Option<Vec<[f32; 2]>> = None;
            for order in 0..12 {
                let runner = match order {
                    0 => runner(),
                    seed => runner().with_order_seed(seed),
                };
                let mut bench = Bench::new(runner, &program, direction, order % 2 == 1);
                let (output, _) = bench.run(&input, CacheClear::All);
                let what = format!("{} {direction:?}, order {order}", program.name());
                assert_spectrum(&what, &output, &expected, TOLERANCE);
                let bits = first.get_or_insert_with(|| output.clone());
                assert!(*bits == output, "{what}: other bits");
            }
        }
    }
}

/// V3D clocks of the simulated chip, of the second launch: `cargo test -p qpu --test fft_coop -- --nocapture
/// steady` prints them.
#[test]
fn the_steady_state_takes_no_more_clocks_than_it_did() {
    for program in programs() {
        let input = random(7, 1 << program.log2_points);
        let mut bench = Bench::new(runner(), &program, Direction::Forward, false);
        let (_, cold) = bench.run(&input, CacheClear::All);
        let (_, second) = bench.run(&input, CacheClear::Data);
        let (_, third) = bench.run(&input, CacheClear::Data);
        println!(
            "{}: {} words, {} uniforms, cold {cold}, then {second}, {third} clocks",
            program.name(),
            program.code.len(),
            program.uniforms.len()
        );
        let most = if program.log2_points == 8 { 3200 } else { 4350 };
        assert!(second <= most, "{}: {second} clocks", program.name());
    }
}
