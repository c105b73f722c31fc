//! The QPU programs of qpuscope as const words.
//!
//! Those of the FFT are generated on the host when this crate is built (`qpu::generate`): [`FFT`]
//! has all, [`FIRMWARE`] those that go into `kernel.img`. The others are assembled from the `.qasm`
//! files beside this crate, and each has a module that knows what it expects in memory. So the
//! firmware and the host's tests hold the same words. Listings for people are written to `listings`
//! in cargo's target directory; those in `qpu/programs/listings` are what a test compares them
//! with, so that no program changes unnoticed.
//!
//! # A first transform
//!
//! A [`Plan`](qpu_fft::Plan) takes its programs from here; any [`Runner`](qpu::job::Runner) runs
//! it, such as that of the simulator:
//!
//! ```
//! use qpu_fft::request::Request;
//! use qpu_fft::{Direction, Plan};
//! use qpu::job::Runner;
//! use qpu_programs::FFT;
//! use v3d_sim::SimRunner;
//!
//! let mut runner = SimRunner::new(1 << 20); // bytes of memory
//! let mut plan = Plan::with_buffers(FFT, &Request::new(4, 1), &mut runner)?; // one of 2^4 points
//! let mut points = [0; 32]; // real part, imaginary part, as the bits of f32
//! points[2] = 1f32.to_bits(); // an impulse at point 1
//! runner.write(plan.input(), 0, &points)?;
//! let report = plan.run(&mut runner, Direction::Forward, 1_000_000)?; // microseconds it may take
//! let mut bins = [0; 32];
//! runner.read(plan.output(), 0, &mut bins)?;
//! let [re, im] = [bins[8], bins[9]].map(f32::from_bits); // bin 4: exp(-2πi 4/16)
//! assert!(re.abs() < 1e-6 && (im + 1.0).abs() < 1e-6);
//! println!("{:?} V3D clocks", report.cycles);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Request::of`](qpu_fft::request::Request::of) asks for other kinds (real, planes,
//! convolutions, powers), its fields for batches, factors and samples.
//! [`Spectrum`](qpu_fft::spectrum::Spectrum) and [`convolve`](qpu_fft::convolution::convolve) do
//! more in one call.
#![no_std]
#![forbid(unsafe_code)]

pub mod code;
pub mod firmware;
pub mod hello;
pub mod memcpy;
pub mod microbench;
pub mod sha256;
pub mod transpose;

pub use generated::{FFT, FIRMWARE};

mod generated {
    use qpu_fft::Role;
    use qpu_fft::kernels::code::{Code, Tables};
    use qpu_fft::kernels::spectral::Bins;
    use qpu_fft::kernels::spectral::PowerWay::{Both, Everywhere, Long, Short};
    use qpu_fft::kernels::uniform::UniformId;
    use qpu_fft::program::{Kind, Lanes, Program, Record, Samples, Start, Tail, Task};
    include!(concat!(env!("OUT_DIR"), "/fft.rs"));
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use qpu_fft::kernels::catalogue::programs;
    use std::path::Path;
    use std::string::String;
    use std::{env, fs, println};

    #[test]
    fn listings_are_the_golden_ones() {
        let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("listings");
        let update = env::var_os("QPUSCOPE_UPDATE_GOLDEN").is_some();
        let generated = programs::all().into_iter();
        let generated = generated.map(|program| (program.name(), program.listing()));
        let texts = code::ALL.iter();
        let texts = texts.map(|(name, words)| (String::from(*name), qpu::disasm::listing(words)));
        for (name, listing) in generated.chain(texts) {
            let path = golden.join(name + ".lst");
            if update {
                fs::write(&path, &listing).expect("the golden listing can be written");
                println!("wrote {}", path.display());
                continue;
            }
            let wanted = fs::read_to_string(&path).expect("a golden listing of each program");
            let differs = wanted
                .lines()
                .zip(listing.lines())
                .find(|(wanted, got)| wanted != got);
            assert_eq!(
                (differs, listing.len()),
                (None, wanted.len()),
                "{} changed; if that is meant, run with QPUSCOPE_UPDATE_GOLDEN=1",
                path.display()
            );
        }
    }
}
