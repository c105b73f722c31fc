//! The test of GPU_FFT's `hello_fft`: time and relative rms error of inverse transforms of tones,
//! on the simulated V3D or on the QPUs of a board.
//!
//! The time is that of the second run: the first one fills the caches.
//!
//! Transform j of a batch has two halves of a tone in bins j + 1 and N - j - 1, and the inverse
//! transform makes a cosine of them. The error is that of hello_fft: the rms distance from the
//! cosine, imaginary parts included, relative to the rms of the cosine.
//!
//! Source: `hello_fft.c` of GPU_FFT 3.0 (raspberrypi/userland, BSD).

use std::f64::consts::TAU;
use std::fmt::Debug;

use common::failure::{Failure, Result};
use host::client::Client;
use qpu::job::{Report, Runner};
use qpu_fft::request::Request;
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::{Board, Config, SimRunner};

use crate::remote::Remote;
use crate::transform::{LIMIT_US, failed, memory};

/// The result of the test.
#[derive(Clone, PartialEq, Debug)]
pub struct ToneTest {
    /// Microseconds from the first request to V3D to the end of the last program: of the cycle
    /// model, or by the board's clock, which counts whole ones.
    pub us: f64,
    /// V3D clocks; the simulator alone tells them.
    pub clocks: Option<u64>,
    /// Relative rms error of all points.
    pub rel_rms_err: f64,
    /// Where the transforms ran.
    pub place: String,
}

/// Runs `batch` transforms of 2^`log2n` points on the simulated V3D of a Pi 1.
///
/// # Errors
/// Usage, when there is no such plan or it needs more memory than a board has.
pub fn on_simulator(log2n: u32, batch: u32) -> Result<ToneTest> {
    let request = Request::new(log2n, batch);
    let board = Board::Pi1;
    let config = Config {
        strict: true,
        ..Config::for_board(board)
    };
    let mut runner = SimRunner::with_config(bytes(&request)?, config);
    // As an ARM does that has new input for each: its last part is then in the system L2.
    let (report, rel_rms_err) = measure(&request, &mut runner, true)?;
    let clocks = report.cycles.unwrap_or(0);
    Ok(ToneTest {
        us: clocks as f64 * 1e6 / f64::from(board.clock_hz()),
        clocks: Some(clocks),
        rel_rms_err,
        place: format!("{} (simulated)", board.name()),
    })
}

/// Runs `batch` transforms of 2^`log2n` points on the board of `client`, which must allow jobs.
///
/// # Errors
/// Usage, when there is no such plan or it needs more memory than a board has; what the board says.
pub fn on_board(log2n: u32, batch: u32, client: Client) -> Result<ToneTest> {
    let request = Request::new(log2n, batch);
    let mut remote = Remote::new(client, bytes(&request)?)?;
    // The line takes far longer than the transforms.
    let (report, rel_rms_err) = measure(&request, &mut remote, false)?;
    Ok(ToneTest {
        us: report.elapsed_us.into(),
        clocks: None,
        rel_rms_err,
        place: remote.description(),
    })
}

/// The second run, for which the input is written again if that is wanted, and the error of what it
/// left.
fn measure<R: Runner>(request: &Request, runner: &mut R, again: bool) -> Result<(Report, f64)>
where
    R::Error: Debug,
    Failure: From<R::Error>,
{
    let points = 1usize << request.transform.log2_points();
    let mut plan = Plan::with_buffers(FFT, request, runner).map_err(failed)?;
    let mut words = vec![0; 2 * points];
    let mut report = Report::default();
    for is_written in [true, again] {
        for transform in (0..request.batch).filter(|_| is_written) {
            let bin = bin(transform, points);
            words.fill(0);
            for bin in [bin, points - bin] {
                words[2 * bin] = 0.5f32.to_bits();
            }
            runner.write(plan.input(), transform * words.len() as u32, &words)?;
        }
        report = plan
            .run(runner, Direction::Inverse, LIMIT_US)
            .map_err(failed)?;
    }
    let (mut signal, mut error) = (0.0, 0.0);
    for transform in 0..request.batch {
        runner.read(plan.output(), transform * words.len() as u32, &mut words)?;
        let bin = bin(transform, points);
        for (n, point) in words.as_chunks::<2>().0.iter().enumerate() {
            let [re, im] = point.map(|word| f64::from(f32::from_bits(word)));
            let cosine = (TAU * (bin * n % points) as f64 / points as f64).cos();
            signal += cosine * cosine;
            error += (cosine - re).powi(2) + im * im;
        }
    }
    Ok((report, (error / signal).sqrt()))
}

/// The bin of a transform's tone: from 1 on, and again from 1 on where there is none left.
const fn bin(transform: u32, points: usize) -> usize {
    transform as usize % (points / 2 - 1) + 1
}

fn bytes(request: &Request) -> Result<u32> {
    memory(request, "the transforms need", "; take a smaller --batch")
}
