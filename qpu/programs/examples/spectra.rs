//! Times real transforms and averaged power spectra in the cycle model, beside complex transforms.
//!
//! `cargo run --release -p qpu-programs --example spectra`: V3D clocks of the second run, preset
//! pi1. Spectra are of real i16 samples with Hann's window and 50 % overlap, the mean of K
//! segments, in clocks for each segment. GPU_FFT's complex transform of 4096 points takes 61,888
//! (`cargo xtask bench --lengths 12`).

use qpu_fft::kernels::spectral::power::Powers;
use qpu_fft::request::{Request, Transform};
use qpu_fft::samples::Format;
use qpu_fft::spectrum::{Settings, Spectrum};
use qpu_fft::{Direction, Plan};
use qpu_programs::FFT;
use v3d_sim::{SimError, SimRunner};

/// Simulated time that a run may take.
const LIMIT_US: u32 = 10_000_000;
/// Hann's window.
const HANN: [f64; 2] = [0.5, 0.5];

type Failure = Box<dyn std::error::Error>;

fn runner(request: &Request) -> Result<SimRunner, Failure> {
    let memory = Plan::memory::<SimError>(FFT, request)?;
    let buffers = (request.input_bytes() + request.output_bytes()) as u32;
    Ok(SimRunner::new(memory.total() + buffers + (64 << 10)))
}

/// Clocks of the second run.
fn clocks(request: &Request) -> Result<u64, Failure> {
    let mut runner = runner(request)?;
    let mut plan = Plan::with_buffers(FFT, request, &mut runner)?;
    let direction = request.transform.direction().unwrap_or(Direction::Forward);
    plan.run(&mut runner, direction, LIMIT_US)?;
    let report = plan.run(&mut runner, direction, LIMIT_US)?;
    report.cycles.ok_or_else(|| "no clocks".into())
}

fn spectrum(log2_points: u32, segments: u32) -> Result<u64, Failure> {
    let settings = Settings::new(true, Format::I16, log2_points, segments);
    let mut runner = runner(&settings.request(&HANN))?;
    let mut spectrum = Spectrum::with_buffers(FFT, &settings, &HANN, &mut runner)?;
    spectrum.run(&mut runner, LIMIT_US)?;
    let report = spectrum.run(&mut runner, LIMIT_US)?;
    let clocks = report.cycles.ok_or("no clocks")?;
    Ok(clocks / u64::from(segments))
}

fn main() -> Result<(), Failure> {
    println!(
        "points  complex  real forward  inverse  spectrum K=1     K=8    K=32  complex power K=8"
    );
    for log2_points in 8..=14 {
        let complex = clocks(&Request::new(log2_points, 1))?;
        let forward = clocks(&Request::of(Transform::RealToBins { log2_points }, 1))?;
        let inverse = clocks(&Request::of(Transform::BinsToReal { log2_points }, 1))?;
        let [one, eight, many] = [1, 8, 32].map(|segments| spectrum(log2_points, segments));
        let powers = Transform::Powers(Powers::new(false, log2_points, 8));
        let power = clocks(&Request::of(powers, 1))? / 8;
        println!(
            "2^{log2_points:<4}  {complex:7}  {forward:12}  {inverse:7}  {:12}  {:6}  {:6}  {power:17}",
            one?, eight?, many?
        );
    }
    Ok(())
}
