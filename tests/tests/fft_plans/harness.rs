//! Plans on a strict simulated V3D: one call from input to output.

use dsp::{Complex, Direction};
use qpu::job::{Buffer, Runner};
use qpu_fft::Plan;
use qpu_fft::request::Request;
use qpu_programs::FFT;
use v3d_sim::{SimError, SimRunner};

/// Simulated time that a pass may take. The longest takes some tens of milliseconds.
pub const LIMIT_US: u32 = 10_000_000;

pub const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// The way in which a simulated V3D advances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pace {
    /// Timed by the cycle model.
    Timed,
    /// Functionally, in the fixed order.
    Functional,
    /// Functionally, in an order that the seed makes, QPUs being held now and then.
    Shuffled(u64),
}

/// A strict runner with memory for one plan of the request, its input and its output.
pub fn runner(request: &Request, pace: Pace) -> SimRunner {
    let memory = Plan::memory::<SimError>(FFT, request).expect("a request that can be met");
    let bytes = memory.total() + 2 * request.input_bytes() as u32 + (64 << 10);
    let runner = SimRunner::new(bytes);
    match pace {
        Pace::Timed => runner,
        Pace::Functional => runner.with_functional(true),
        Pace::Shuffled(seed) => runner.with_order_seed(seed),
    }
}

/// A plan with buffers of its own, garbage wherever it keeps data between passes.
pub fn plan(request: &Request, in_place: bool, runner: &mut SimRunner) -> Plan {
    let bytes = request.input_bytes() as u32;
    let input = runner.alloc(bytes, 4096).unwrap();
    let output = if in_place {
        input
    } else {
        runner.alloc(bytes, 4096).unwrap()
    };
    let plan = Plan::new(FFT, request, [input, output], runner).unwrap();
    let memory = plan.arrangement().memory;
    let first = (memory.total() - memory.scratch) / 4;
    let garbage = vec![f32::NAN.to_bits(); memory.scratch as usize / 4];
    runner.write(plan.block(), first, &garbage).unwrap();
    plan
}

pub fn write(runner: &mut SimRunner, buffer: Buffer, points: &[Complex<f32>]) {
    let words: Vec<u32> = points
        .iter()
        .flat_map(|z| [z.re.to_bits(), z.im.to_bits()])
        .collect();
    runner.write(buffer, 0, &words).unwrap();
}

pub fn read(runner: &mut SimRunner, buffer: Buffer, points: usize) -> Vec<Complex<f32>> {
    let mut words = vec![0; 2 * points];
    runner.read(buffer, 0, &mut words).unwrap();
    words
        .chunks_exact(2)
        .map(|pair| Complex::new(f32::from_bits(pair[0]), f32::from_bits(pair[1])))
        .collect()
}

/// Runs a plan once. An input apart from the output must keep its values.
pub fn run(
    plan: &mut Plan,
    runner: &mut SimRunner,
    direction: Direction,
    input: &[Complex<f32>],
) -> Vec<Complex<f32>> {
    let is_apart = plan.input() != plan.output();
    if is_apart {
        // Whatever is not written shows.
        let garbage = vec![Complex::new(f32::NAN, f32::NAN); input.len()];
        write(runner, plan.output(), &garbage);
    }
    write(runner, plan.input(), input);
    plan.run(runner, direction, LIMIT_US).unwrap();
    if is_apart {
        let kept = read(runner, plan.input(), input.len());
        assert!(bits(&kept) == bits(input), "the input has changed");
    }
    read(runner, plan.output(), input.len())
}

/// One transform, or a batch, on a runner of its own.
pub fn transform(
    request: &Request,
    pace: Pace,
    in_place: bool,
    direction: Direction,
    input: &[Complex<f32>],
) -> Vec<Complex<f32>> {
    let mut runner = runner(request, pace);
    let mut plan = plan(request, in_place, &mut runner);
    run(&mut plan, &mut runner, direction, input)
}

/// Words, so that NaN is equal to itself and -0 not to 0.
pub fn bits(points: &[Complex<f32>]) -> Vec<[u32; 2]> {
    points
        .iter()
        .map(|z| [z.re.to_bits(), z.im.to_bits()])
        .collect()
}
