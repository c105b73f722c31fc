//! Planes: transforms in two dimensions on the simulated QPUs, against rows and then columns in
//! f64.

use super::harness::{DIRECTIONS, Pace, bits, plan, run, runner, transform};
use super::signals::Random;
use dsp::dft::relative_rms_error;
use dsp::{Complex, Direction};
use qpu::job::Runner;
use qpu_fft::request::{Request, Scale, Transform};
use qpu_fft::{Axis, Plan, Split};
use qpu_programs::FFT;
use reference_fft::Complex as Peer;
use v3d_sim::{SimError, SimRunner};

/// Relative rms error of planes of up to 2^17 points; 0.2 ppm is usual.
const TOLERANCE: f64 = 0.4e-6;
/// Relative rms error of longer ones: 0.4 of what GPU_FFT's simulated error is for 2^18 random
/// numbers, which is the least of theirs.
const LONG_TOLERANCE: f64 = 0.6e-6;

fn request(log2_rows: u32, log2_columns: u32, batch: u32) -> Request {
    let transform = Transform::Plane {
        log2_rows,
        log2_columns,
    };
    Request::of(transform, batch)
}

/// Rows, then columns, of one plane, in f64.
fn dft2(direction: Direction, x: &[Complex<f32>], width: usize) -> Vec<Complex<f64>> {
    let height = x.len() / width;
    let [rows, columns] = [width, height].map(|length| reference_fft::plan(length, direction));
    let mut y: Vec<_> = x
        .iter()
        .map(|z| Peer::new(f64::from(z.re), f64::from(z.im)))
        .collect();
    rows.process(&mut y);
    for x in 0..width {
        let mut column: Vec<_> = y.iter().skip(x).step_by(width).copied().collect();
        columns.process(&mut column);
        for (row, bin) in y.chunks_mut(width).zip(column) {
            row[x] = bin;
        }
    }
    y.iter().map(|z| Complex::new(z.re, z.im)).collect()
}

fn wide(z: Complex<f32>) -> Complex<f64> {
    Complex::new(z.re.into(), z.im.into())
}

fn check(log2_rows: u32, log2_columns: u32, request: &Request, pace: Pace) {
    let points = 1 << (log2_rows + log2_columns);
    let tolerance = if log2_rows + log2_columns < 18 {
        TOLERANCE
    } else {
        LONG_TOLERANCE
    };
    let input = Random::new(5).complex(points);
    for (direction, in_place) in DIRECTIONS.into_iter().zip([false, true]) {
        let got = transform(request, pace, in_place, direction, &input);
        let wanted = dft2(direction, &input, 1 << log2_columns);
        let error = relative_rms_error(&got, &wanted);
        println!(
            "2^{log2_rows} x 2^{log2_columns} {direction:?}: {:.3} ppm",
            1e6 * error
        );
        assert!(
            error < tolerance,
            "2^{log2_rows} x 2^{log2_columns} {direction:?}: {error:e}"
        );
    }
}

#[test]
fn rectangles_are_dfts() {
    for (log2_rows, log2_columns) in (4..=8)
        .flat_map(|rows| (4..=8).map(move |columns| (rows, columns)))
        .chain([(4, 10), (10, 4), (9, 5), (5, 9), (11, 4), (12, 4)])
    {
        let request = request(log2_rows, log2_columns, 1);
        let is_short = log2_rows + log2_columns < 12;
        let pace = if is_short {
            Pace::Timed
        } else {
            Pace::Functional
        };
        check(log2_rows, log2_columns, &request, pace);
    }
}

#[test]
fn larger_planes_are_dfts() {
    for (log2_rows, log2_columns) in [(9, 9), (4, 14), (14, 4), (8, 11)] {
        let request = request(log2_rows, log2_columns, 1);
        check(log2_rows, log2_columns, &request, Pace::Functional);
    }
}

/// `cargo test --release -p tests --test fft_plans planes -- --ignored --nocapture`.
#[test]
#[ignore = "takes half a minute in a debug build"]
fn the_largest_planes_are_dfts() {
    for (log2_rows, log2_columns) in [(10, 10), (4, 16), (16, 4), (14, 5)] {
        let request = request(log2_rows, log2_columns, 1);
        check(log2_rows, log2_columns, &request, Pace::Functional);
    }
}

#[test]
fn every_split_of_columns_is_a_dft_in_one_launch_and_in_several() {
    for log2_rows in [7, 8, 9, 10, 11] {
        for columns in Split::all_along(Axis::Column, log2_rows) {
            let mut request = request(log2_rows, 4, 1);
            request.columns = Some(columns);
            let input = Random::new(6).complex(16 << log2_rows);
            let direction = Direction::Forward;
            let apart = transform(&request, Pace::Functional, true, direction, &input);
            let wanted = dft2(direction, &input, 16);
            let error = relative_rms_error(&apart, &wanted);
            assert!(error < TOLERANCE, "columns {columns}: {error:e}");
            request.one_launch = true;
            let together = transform(&request, Pace::Timed, true, direction, &input);
            assert!(bits(&together) == bits(&apart), "columns {columns}");
        }
    }
}

#[test]
fn batches_of_planes_are_transformed_one_by_one() {
    for (log2_rows, log2_columns, batch) in [(4, 4, 13), (5, 6, 3), (9, 4, 2)] {
        let points = 1 << (log2_rows + log2_columns);
        let input = Random::new(7).complex(batch * points);
        let many = request(log2_rows, log2_columns, batch as u32);
        let direction = Direction::Inverse;
        let got = transform(&many, Pace::Functional, false, direction, &input);
        for (got, input) in got.chunks(points).zip(input.chunks(points)) {
            let error = relative_rms_error(got, &dft2(direction, input, 1 << log2_columns));
            assert!(error < TOLERANCE, "{error:e}");
        }
    }
}

#[test]
fn there_and_back_gives_the_plane_and_energy_is_kept() {
    for (log2_rows, log2_columns) in [(4, 4), (8, 5), (5, 8), (9, 6)] {
        let points = 1 << (log2_rows + log2_columns);
        let input = Random::new(8).complex(points);
        let mut request = request(log2_rows, log2_columns, 1);
        (request.forward, request.inverse) = (Scale::ByRootOfPoints, Scale::ByRootOfPoints);
        let mut runner = runner(&request, Pace::Functional);
        let mut plan = plan(&request, false, &mut runner);
        let spectrum = run(&mut plan, &mut runner, Direction::Forward, &input);
        let energy = |z: &[Complex<f32>]| {
            let parts = z.iter().flat_map(|z| [z.re, z.im]);
            parts.map(|x| f64::from(x) * f64::from(x)).sum::<f64>()
        };
        let ratio = energy(&spectrum) / energy(&input);
        assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
        let back = run(&mut plan, &mut runner, Direction::Inverse, &spectrum);
        let wanted: Vec<_> = input.iter().copied().map(wide).collect();
        let error = relative_rms_error(&back, &wanted);
        assert!(error < 2.0 * TOLERANCE, "{error:e}");
    }
}

#[test]
fn every_order_of_the_qpus_gives_the_same_plane() {
    let request = request(8, 5, 1);
    let input = Random::new(10).complex(1 << 13);
    let with = |pace| transform(&request, pace, true, Direction::Forward, &input);
    let timed = with(Pace::Timed);
    for seed in 1..=8 {
        let shuffled = with(Pace::Shuffled(seed));
        assert!(bits(&shuffled) == bits(&timed), "order {seed}");
    }
}

#[test]
fn a_plane_that_does_not_fit_says_how_much_it_takes() {
    let request = request(6, 6, 1);
    let needed = Plan::memory::<SimError>(FFT, &request).unwrap().total();
    let bytes = request.input_bytes() as u32;
    let mut runner = SimRunner::new((bytes + needed).next_multiple_of(4096));
    let buffer = runner.alloc(bytes + 8192, 64).unwrap();
    let error = Plan::new(FFT, &request, [buffer; 2], &mut runner).unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&format!("needs {needed} bytes")), "{text}");
}
