//! Plans of all lengths on the model of the passes, held to a DFT in f64.

use super::arithmetic::{Real, Truncated};
use super::catalogue::catalogue;
use super::runner::ModelRunner;
use qpu::job::Runner;
use qpu_fft::request::{Error, Request, Scale};
use qpu_fft::{Direction, Plan, Split};
use tests::fourier::fft;

pub type Complex = [f64; 2];

pub const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];

/// The DFT in f64.
pub fn dft(direction: Direction, x: &[Complex]) -> Vec<Complex> {
    fft(x, direction == Direction::Inverse)
}

/// Numbers that look random, the same every time.
pub fn noise(count: usize, seed: u64) -> Vec<Complex> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        f64::from(((state >> 40) as f32 / (1 << 23) as f32) - 1.0)
    };
    (0..count).map(|_| [next(), next()]).collect()
}

/// The output of the plan for `x` on the model.
pub fn model<T: Real>(
    request: &Request,
    in_place: bool,
    direction: Direction,
    x: &[Complex],
) -> Vec<Complex> {
    let catalogue = catalogue();
    let memory = Plan::memory::<()>(catalogue, request).unwrap();
    let bytes = request.input_bytes() as u32;
    let mut runner = ModelRunner::<T>::new(catalogue, memory.total() + 3 * bytes + 16384);
    let input = runner.alloc(bytes, 64).unwrap();
    let output = if in_place {
        input
    } else {
        runner.alloc(bytes, 64).unwrap()
    };
    let mut plan = Plan::new(catalogue, request, [input, output], &mut runner).unwrap();
    let words: Vec<u32> = x
        .iter()
        .flatten()
        .map(|&part| (part as f32).to_bits())
        .collect();
    let garbage = vec![f32::NAN.to_bits(); words.len()];
    runner.write(output, 0, &garbage).unwrap();
    runner.write(input, 0, &words).unwrap();
    plan.run(&mut runner, direction, 1).unwrap();
    if !in_place {
        let mut kept = vec![0; words.len()];
        runner.read(input, 0, &mut kept).unwrap();
        assert_eq!(kept, words, "the input is preserved");
    }
    let reals = runner.reals(output).chunks_exact(2);
    reals
        .map(|pair| [pair[0].to_f64(), pair[1].to_f64()])
        .collect()
}

/// True if the model has the programs: not those that take transforms through the VPM.
pub fn is_of_units(split: &Split) -> bool {
    !(0..split.passes()).any(|pass| split.is_shared(pass))
        && (split.passes() > 1 || split.log2_points() < 8)
}

/// Relative rms error.
pub fn error(got: &[Complex], wanted: &[Complex]) -> f64 {
    assert_eq!(got.len(), wanted.len());
    let power = |z: &Complex| z[0] * z[0] + z[1] * z[1];
    let difference = |(g, w): (&Complex, &Complex)| power(&[g[0] - w[0], g[1] - w[1]]);
    let sum: f64 = got.iter().zip(wanted).map(difference).sum();
    (sum / wanted.iter().map(power).sum::<f64>()).sqrt()
}

/// Tables are of f32, so that a layout that is right is off by 1e-7 and one that is wrong by 1.
pub const TOLERANCE: f64 = 1e-6;

#[test]
fn every_split_of_every_length_is_a_dft() {
    for log2_points in 4..=15 {
        let x = noise(1 << log2_points, log2_points.into());
        let wanted = DIRECTIONS.map(|direction| dft(direction, &x));
        for split in Split::all(log2_points).filter(is_of_units) {
            let mut request = Request::new(log2_points, 1);
            request.split = Some(split);
            // One launch or several: half of the splits each.
            request.one_launch = split.log2_radix(0) % 2 == 0;
            for (direction, wanted) in DIRECTIONS.into_iter().zip(&wanted) {
                let got = model::<f64>(&request, false, direction, &x);
                let error = error(&got, wanted);
                assert!(error < TOLERANCE, "{split} {direction:?}: {error:e}");
            }
        }
    }
}

/// Takes a minute and 2 GiB:
/// `cargo test --release -p qpu-fft long_lengths -- --ignored --nocapture`.
#[test]
#[ignore = "takes a minute"]
fn long_lengths_are_dfts() {
    for log2_points in 16..=22 {
        let x = noise(1 << log2_points, log2_points.into());
        for direction in DIRECTIONS {
            let request = Request::new(log2_points, 1);
            let got = model::<f64>(&request, true, direction, &x);
            let error = error(&got, &dft(direction, &x));
            println!("2^{log2_points} {direction:?}: {error:.1e}");
            assert!(
                error < TOLERANCE,
                "2^{log2_points} {direction:?}: {error:e}"
            );
        }
    }
}

#[test]
fn batches_of_every_size_in_place_and_apart() {
    for log2_points in [4, 5, 6, 7, 8, 9, 11] {
        for batch in [1, 2, 3, 5, 8, 15, 16, 17, 33, 200] {
            let points = 1 << log2_points;
            let x = noise(points * batch, batch as u64);
            let wanted: Vec<_> = x
                .chunks(points)
                .flat_map(|x| dft(Direction::Forward, x))
                .collect();
            for in_place in [false, true] {
                let request = Request::new(log2_points, batch as u32);
                let got = model::<f64>(&request, in_place, Direction::Forward, &x);
                let error = error(&got, &wanted);
                assert!(error < TOLERANCE, "2^{log2_points} x {batch}: {error:e}");
            }
        }
    }
}

#[test]
fn scales_are_those_asked_for() {
    for log2_points in [5, 8, 9] {
        let x = noise(1 << log2_points, 3);
        let mut request = Request::new(log2_points, 1);
        request.forward = Scale::ByRootOfPoints;
        request.inverse = Scale::ByPoints;
        for direction in DIRECTIONS {
            let factor = request.factor(direction);
            let wanted: Vec<_> = dft(direction, &x)
                .into_iter()
                .map(|z| z.map(|p| p * factor))
                .collect();
            let got = model::<f64>(&request, false, direction, &x);
            assert!(error(&got, &wanted) < TOLERANCE);
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let catalogue = catalogue();
    let refusal = |request: &Request| {
        let error: Error<()> = Plan::memory(catalogue, request).unwrap_err();
        error.to_string()
    };
    for log2 in [0, 3, 23, 32, 100] {
        assert!(
            refusal(&Request::new(log2, 1)).contains("2^4 to 2^22"),
            "{log2}"
        );
    }
    assert!(refusal(&Request::new(8, 0)).contains("at least one"));
    assert!(refusal(&Request::new(22, 40)).contains("bytes"));
    let mut request = Request::new(8, 1);
    request.qpus = 1;
    assert!(refusal(&request).contains("2 to 12"));
    request.qpus = 12;
    request.split = Split::new(&[4, 5]);
    assert!(refusal(&request).contains("another length"));

    let request = Request::new(8, 2);
    let mut runner = ModelRunner::<f64>::new(catalogue, 1 << 20);
    let whole = runner.alloc(3 * 4096, 64).unwrap();
    let part = |offset: u32, bytes: u32| qpu::job::Buffer {
        addr: whole.addr.offset(offset),
        bytes,
    };
    let mut new = |input, output| {
        Plan::new(catalogue, &request, [input, output], &mut runner)
            .map_err(|error| error.to_string())
    };
    assert!(new(part(0, 4096), part(4096, 4096)).is_ok());
    let overlap = new(part(0, 4096), part(2048, 4096)).unwrap_err();
    assert!(overlap.contains("overlap"), "{overlap}");
    let unaligned = new(part(4, 4096), part(4096 + 64, 4096)).unwrap_err();
    assert!(unaligned.contains("input must begin"), "{unaligned}");
    let short = new(part(0, 4096), part(4096, 4095)).unwrap_err();
    assert!(
        short.contains("output needs 4096 bytes and has 4095"),
        "{short}"
    );
}

#[test]
fn a_plan_that_does_not_fit_says_what_it_needs_and_takes_nothing() {
    let catalogue = catalogue();
    let request = Request::new(12, 1);
    let needed = Plan::memory::<()>(catalogue, &request).unwrap().total();
    let mut runner = ModelRunner::<f64>::new(catalogue, 2 * 32768 + needed);
    let buffers = [(); 2].map(|()| runner.alloc(32768, 64).unwrap());
    let extra = runner.alloc(64, 64).unwrap();
    let error = Plan::new(catalogue, &request, buffers, &mut runner).unwrap_err();
    assert!(error.to_string().contains(&needed.to_string()), "{error}");
    assert!(runner.alloc(needed - 64 - extra.bytes, 64).is_ok());
}

/// Prints what truncation takes, with gains and without:
/// `cargo test -p qpu-fft losses -- --nocapture`.
#[test]
fn losses_are_mostly_made_up_for() {
    for log2_points in 8..=13 {
        let x = noise(1 << log2_points, 77);
        let request = Request::new(log2_points, 1);
        let wanted = dft(Direction::Forward, &x);
        let got = model::<Truncated>(&request, false, Direction::Forward, &x);
        let error = error(&got, &wanted);
        println!("2^{log2_points}: {:.3} ppm", 1e6 * error);
        assert!(error < 0.3e-6, "2^{log2_points}: {error:e}");
    }
}
