//! Generated FFT programs on the simulated QPUs, against a DFT in f64.
//!
//! Every length, both directions, out of place and in place, many orders in which QPUs advance: a
//! barrier that is wrong can pass one order and fail the others. The simulator is strict, and it
//! says when a semaphore is not 0 at the end.

use qpu::job::Runner;
use qpu_fft::kernels::catalogue::programs::{Generated, one_pass_programs};
use qpu_fft::program::{Program, Task};
use qpu_fft::request::Request;
use qpu_fft::split::SHARED;
use qpu_fft::{Direction, Plan, Split};
use tests::fourier::fft;
use v3d_sim::{Constants, LaunchOrder, SimRunner};

const LIMIT_US: u32 = 10_000;
const TOLERANCE: f64 = 1e-6;

/// The programs as a catalogue.
fn catalogue() -> &'static [Program] {
    let programs = one_pass_programs().into_iter().map(Generated::leak);
    programs.collect::<Vec<_>>().leak()
}

struct Bench {
    runner: SimRunner,
    plan: Plan,
}

impl Bench {
    fn new(
        catalogue: &'static [Program],
        mut runner: SimRunner,
        radix: u8,
        batch: u32,
        in_place: bool,
    ) -> Self {
        let request = Request {
            split: Split::new(&[radix]),
            ..Request::new(log2_of(radix).into(), batch)
        };
        let bytes = request.input_bytes() as u32;
        // No more than lines of the caches and rows of stores ask for.
        let mut take = |bytes| {
            runner.alloc(64, 4096).unwrap();
            runner.alloc(bytes, 64).unwrap()
        };
        let input = take(bytes);
        let output = if in_place { input } else { take(bytes) };
        let plan = Plan::new(catalogue, &request, [input, output], &mut runner).unwrap();
        Self { runner, plan }
    }

    /// The transform, and the V3D clocks that it took.
    fn run(&mut self, direction: Direction, input: &[[f32; 2]]) -> (Vec<[f32; 2]>, u64) {
        let words: Vec<u32> = input.iter().flat_map(|z| z.map(f32::to_bits)).collect();
        let (runner, plan) = (&mut self.runner, &mut self.plan);
        runner
            .write(plan.output(), 0, &vec![f32::NAN.to_bits(); words.len()])
            .unwrap();
        runner.write(plan.input(), 0, &words).unwrap();
        let report = plan.run(runner, direction, LIMIT_US).unwrap();
        let mut words = vec![0; words.len()];
        runner.read(plan.output(), 0, &mut words).unwrap();
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

/// The radices that there are programs for, as [`Split::new`] takes them.
fn radices() -> impl Iterator<Item = u8> {
    one_pass_programs()
        .into_iter()
        .map(|program| match program.task {
            Task::OnePassBatch { log2_points } => SHARED | log2_points,
            Task::OnePass { log2_points } => log2_points,
            task => unreachable!("{task} takes several passes"),
        })
}

const fn log2_of(radix: u8) -> u8 {
    radix & !SHARED
}

fn runner() -> SimRunner {
    SimRunner::new(1 << 21)
}

/// The DFTs of a batch, one behind the other.
fn dfts(direction: Direction, input: &[[f32; 2]], points: usize) -> Vec<[f64; 2]> {
    let input: Vec<_> = input.iter().map(|z| z.map(f64::from)).collect();
    let is_inverse = direction == Direction::Inverse;
    let transforms = input.chunks_exact(points);
    transforms.flat_map(|x| fft(x, is_inverse)).collect()
}

/// Batches: as few programs as can be, as many, and more transforms than programs. Pipelines always
/// have the same programs.
fn batches(radix: u8) -> &'static [u32] {
    const PAIR: u8 = SHARED | 8;
    match radix {
        PAIR => &[1, 2, 5],
        // Around a unit of every length, and one that has fewer transforms behind a round of four.
        SHARED.. => &[1, 2, 3, 4, 5, 8, 9, 13, 33, 35],
        ..10 => &[1, 2, 12, 29],
        _ => &[1, 3],
    }
}

#[test]
fn every_order_gives_the_dft_and_the_same_bits() {
    let catalogue = catalogue();
    for (radix, batch) in
        radices().flat_map(|radix| batches(radix).iter().map(move |&batch| (radix, batch)))
    {
        let log2_points = log2_of(radix);
        let points = 1 << log2_points;
        for direction in [Direction::Forward, Direction::Inverse] {
            let input = random(7, points * batch as usize);
            let expected = dfts(direction, &input, points);
            let mut first: Option<Vec<[f32; 2]>> = None;
            for order in 0..10 {
                let runner = match order {
                    0 => runner(),
                    seed => runner().with_order_seed(seed),
                };
                let in_place = order % 2 == 1;
                let mut bench = Bench::new(catalogue, runner, radix, batch, in_place);
                let (output, _) = bench.run(direction, &input);
                let what = format!("2^{log2_points} x {batch} {direction:?}, order {order}");
                assert_spectrum(&what, &output, &expected, TOLERANCE);
                let bits = first.get_or_insert_with(|| output.clone());
                assert!(*bits == output, "{what}: other bits");
            }
        }
    }
}

/// Programs of the double-buffered pipeline wait for each other in many places: an order in which
/// they do so for ever is rare, and takes several transforms.
#[test]
fn a_batch_of_the_double_buffered_pipeline_ends_in_every_order() {
    const MOST: u32 = 5;
    let catalogue = catalogue();
    let radix = 12;
    let input = random(7, (MOST as usize) << radix);
    for direction in [Direction::Forward, Direction::Inverse] {
        // What the simulator's time makes of the largest batch, with which all others begin.
        let mut bench = Bench::new(catalogue, runner(), radix, MOST, false);
        let (expected, _) = bench.run(direction, &input);
        for seed in 1..=160 {
            let batch = 2 + seed as u32 % (MOST - 1);
            let points = (batch as usize) << radix;
            let runner = runner().with_order_seed(seed);
            let mut bench = Bench::new(catalogue, runner, radix, batch, seed / 4 % 2 == 1);
            let (output, _) = bench.run(direction, &input[..points]);
            let is_same = output == expected[..points];
            assert!(is_same, "{direction:?} x {batch}, order {seed}: other bits");
        }
    }
}

/// Most V3D clocks of the simulated chip, of a second run, by radix and batch.
const CLOCKS: [(u8, u32, u64); 17] = [
    (SHARED | 4, 1, 1000),
    (SHARED | 4, 10, 1440),
    (SHARED | 5, 1, 1140),
    (SHARED | 5, 10, 2010),
    (SHARED | 6, 1, 1330),
    (SHARED | 6, 10, 2884),
    (SHARED | 7, 1, 1620),
    (SHARED | 7, 10, 4950),
    (SHARED | 8, 1, 2400),
    (9, 1, 3600),
    (9, 10, 30_000),
    (10, 1, 5900),
    (10, 10, 42_000),
    (11, 1, 9228),
    (11, 10, 83_000),
    (12, 1, 21_000),
    (12, 10, 230_000),
];

/// `cargo test -p qpu-fft --test one_pass -- --nocapture steady` prints them.
#[test]
fn the_steady_state_takes_no_more_clocks_than_it_did() {
    let catalogue = catalogue();
    let mut slower = Vec::new();
    for (radix, batch, most) in CLOCKS {
        let log2_points = log2_of(radix);
        let input = random(7, (batch as usize) << log2_points);
        let mut bench = Bench::new(catalogue, runner(), radix, batch, false);
        let (_, cold) = bench.run(Direction::Forward, &input);
        let (_, second) = bench.run(Direction::Forward, &input);
        println!("2^{log2_points} x {batch}: cold {cold}, then {second} clocks");
        if second > most {
            slower.push((radix, batch, second, most));
        }
    }
    assert_eq!(slower, []);
}

/// Programs that work together share caches with their neighbours. In whatever order QPUs get
/// programs, where it is known neighbours are in the same slice. Programs among strangers take half
/// as long again.
#[test]
fn an_order_of_qpus_that_is_known_costs_little() {
    let catalogue = catalogue();
    // What it may cost, in percent; of 2^12 points 11 with these places in memory.
    for (radix, batch, percent) in [
        (9, 1, 8),
        (10, 1, 8),
        (11, 1, 8),
        (12, 1, 15),
        (SHARED | 9, 10, 8),
    ] {
        let input = random(7, (batch as usize) << log2_of(radix));
        let [descending, round] =
            [LaunchOrder::Descending, LaunchOrder::RoundSlices].map(|launch_order| {
                let constants = Constants {
                    launch_order,
                    ..Constants::recommended()
                };
                let runner = runner().with(|config| config.constants = constants);
                let mut bench = Bench::new(catalogue, runner, radix, batch, false);
                bench.run(Direction::Forward, &input);
                bench.run(Direction::Forward, &input).1
            });
        let is_near = round * 100 < descending * (100 + percent);
        assert!(
            is_near,
            "{radix}: {round} clocks, {descending} from QPU 11 down"
        );
    }
}
