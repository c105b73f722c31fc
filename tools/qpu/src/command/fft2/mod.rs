//! `qpu fft2 IN.png OUT.png`: a picture's transform in two dimensions, on the simulated V3D or
//! on a board's.
//!
//! The spectrum is drawn by its levels in dB, frequency 0 in the middle; `--spectrum` also writes
//! its bins for NumPy. `--mask` multiplies the bins and goes back, so that OUT is the filtered
//! picture; `--kernel` multiplies them by those of another picture, which is a circular
//! convolution; `--inverse` goes back from a file of bins. `--heights` has no input: it goes back
//! from random bins, and OUT is an ocean surface.
//!
//! Pixels are taken as numbers from 0 to 1 as they stand in the file, colours as their luma. Sides
//! that are no powers of two are filled up with the mean on the right and below, or cropped; a
//! filtered picture has the size of its input again. Clocks are those of the cycle model, in the
//! first run of a plan; of a board it is the time between its first request to V3D and the end of
//! the last program.

mod source;

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use qpu::job::{Report, Runner};
use qpu_fft::Direction;
use v3d_sim::{Board, SimRunner};

use crate::command::BoardOptions;
use common::failure::{Failure, Result};
use common::files::{apart, output};
use common::quantity::whole;
use common::say;
use host::port::PortChoice;
use source::Source;
use workbench::plane::mask::Mask;
use workbench::plane::transform::{Planes, bytes};
use workbench::plane::{Spectrum, kernel, npy, ocean, png};
use workbench::remote::Remote;

/// Imaginary parts that are no rounding errors any more, relative to the picture.
const IMAGINARY: f64 = 1e-4;

/// Options of `fft2`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    qpu fft2 photo.png spectrum.png                  levels of all frequencies\n  \
    qpu fft2 photo.png smooth.png --mask low:0.1     what is slower than 10 pixels a cycle\n  \
    qpu fft2 photo.png levels.png --spectrum s.npy   bins too, for numpy.load\n  \
    qpu fft2 --inverse s.npy photo.png               and back\n  \
    qpu fft2 photo.png soft.png --kernel disc.png    every point spread as the disc is\n  \
    qpu fft2 --heights sea.png --wind 15             waves that a wind of 15 m/s raises\n  \
    qpu fft2 photo.png spectrum.png -p sim:target/kernel.img   on the QPUs of a virtual Pi")]
#[command(allow_missing_positional = true)]
pub struct Options {
    /// Picture to transform; with --inverse a spectrum (.npy, complex64, as --spectrum or
    /// numpy.save write it); not with --heights
    #[arg(
        value_name = "IN.png",
        required_unless_present = "heights",
        conflicts_with = "heights"
    )]
    input: Option<PathBuf>,
    /// Picture to write: of the spectrum, or with --mask, --kernel, --inverse or --heights of what
    /// it becomes
    #[arg(value_name = "OUT.png")]
    output: PathBuf,
    /// Go from a spectrum to the picture
    #[arg(long, conflicts_with_all = ["spectrum", "crop", "range"])]
    inverse: bool,
    /// Multiply the spectrum and go back to the picture: low:F or high:F passes frequencies below
    /// or above F cycles per pixel
    #[arg(long, value_name = "MASK")]
    mask: Option<Mask>,
    /// Multiply the spectrum by that of another picture and go back: a circular convolution. The
    /// pixels are the weights of a point's neighbours, the middle one its own
    #[arg(long, value_name = "OTHER.png", conflicts_with_all = ["inverse", "mask"])]
    kernel: Option<PathBuf>,
    /// Draw a random ocean surface by an inverse transform, from the Phillips spectrum
    #[arg(long, conflicts_with_all = ["inverse", "mask", "kernel", "crop", "range"])]
    heights: bool,
    /// Pixels of each side with --heights: a power of two from 16 on
    #[arg(
        long,
        value_name = "PIXELS",
        default_value_t = 256,
        value_parser = whole::<usize>,
        requires = "heights"
    )]
    size: usize,
    /// Speed of the wind with --heights, in metres a second; it blows to the right
    #[arg(
        long,
        value_name = "SPEED",
        default_value_t = 12.0,
        requires = "heights"
    )]
    wind: f64,
    /// Side of the square of sea with --heights, in metres
    #[arg(
        long,
        value_name = "METRES",
        default_value_t = 500.0,
        requires = "heights"
    )]
    patch: f64,
    /// Other waves of the same sea with --heights
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "heights")]
    seed: u64,
    /// Write the bins too, behind mask or kernel if there is one: what numpy.fft.fft2 gives for
    /// pixels of 0 to 1
    #[arg(long, value_name = "FILE.npy")]
    spectrum: Option<PathBuf>,
    /// Take the middle of a picture whose sides are no powers of two, instead of filling it up
    #[arg(long)]
    crop: bool,
    /// Level that is drawn black, in dB below the largest bin
    #[arg(
        long,
        value_name = "DB",
        default_value_t = 100.0,
        conflicts_with_all = ["mask", "kernel"]
    )]
    range: f32,
    #[command(flatten)]
    board_port: BoardOptions,
}

/// Transforms the picture.
///
/// # Errors
/// Usage, when the files are not what they are said to be, or too large; failed, when one cannot be
/// written.
pub fn run(options: &Options) -> Result<()> {
    check(options)?;
    let source = Source::read(options)?;
    let [width, height] = source.size();
    match options.board_port.connect()? {
        None => {
            let runner = SimRunner::new(bytes(width, height)?);
            let place = format!("{} (simulated)", Board::Pi1.name());
            transform(options, source, Planes::new(width, height, runner)?, &place)
        }
        Some(client) => {
            let runner = Remote::new(client, bytes(width, height)?)?;
            let place = runner.description();
            transform(options, source, Planes::new(width, height, runner)?, &place)
        }
    }
}

/// Refuses options and files that cannot be meant, before anything is read.
fn check(options: &Options) -> Result<()> {
    if !(options.range > 0.0 && options.range.is_finite()) {
        return Err(Failure::usage(format!(
            "--range {} is no number of dB above 0; try --range 100",
            options.range
        )));
    }
    for (name, value, near) in [
        ("--wind", options.wind, "12"),
        ("--patch", options.patch, "500"),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(Failure::usage(format!(
                "{name} {value} is no number above 0; try {name} {near}"
            )));
        }
    }
    let extension = options.output.extension().and_then(|name| name.to_str());
    if let Some(other) = extension.filter(|name| !name.eq_ignore_ascii_case("png")) {
        return Err(Failure::usage(format!(
            "{} would be a picture in PNG, and ends in .{other}; name it .png",
            say::path(&options.output)
        )));
    }
    let outputs: Vec<&Path> = std::iter::once(options.output.as_path())
        .chain(options.spectrum.as_deref())
        .collect();
    let port = options.board_port.choice()?;
    let mut inputs = port.as_ref().map_or_else(Vec::new, PortChoice::inputs);
    inputs.extend(options.input.iter().map(|path| (&**path, "the input")));
    inputs.extend(options.kernel.iter().map(|path| (&**path, "the kernel")));
    apart(&outputs, &inputs)?;
    outputs.iter().try_for_each(|path| output::check(path))
}

/// Transforms the plane and writes what comes of it; `place` is where.
fn transform<R: Runner>(
    options: &Options,
    source: Source,
    mut planes: Planes<R>,
    place: &str,
) -> Result<()>
where
    R::Error: Debug,
    Failure: From<R::Error>,
{
    let mut reports = vec![];
    let (mut spectrum, size) = match source {
        Source::Bins(spectrum) => (spectrum, None),
        Source::Picture {
            fitted,
            size,
            kernel,
        } => {
            let (mut spectrum, report) = planes.run(Direction::Forward, &fitted.points())?;
            reports.push(("forward", report));
            if let Some(kernel) = kernel {
                let (bins, report) = planes.run(Direction::Forward, &kernel.points())?;
                reports.push(("of the kernel", report));
                kernel::multiply(&mut spectrum, &bins);
            }
            (spectrum, Some(size))
        }
    };
    if let Some(mask) = &options.mask {
        mask.apply(&mut spectrum);
    }
    if let Some(path) = &options.spectrum {
        output::write(path, &npy::encode(&spectrum))?;
        say::note(&format!(
            "wrote {}: {} x {} complex64\n",
            say::path(path),
            spectrum.height,
            spectrum.width
        ));
    }
    if size.is_some() && options.mask.is_none() && options.kernel.is_none() {
        png::write(&spectrum.levels(options.range), &options.output)?;
        let what = format!("levels of {} x {} bins", spectrum.width, spectrum.height);
        wrote(&options.output, &what, &reports, place);
        return Ok(());
    }
    let (picture, report) = planes.run(Direction::Inverse, &spectrum.bins)?;
    reports.push(("inverse", report));
    finish(options, picture, size, &reports, place)
}

/// Writes the picture that an inverse transform gave; `size` is that of the picture which it came
/// from.
fn finish(
    options: &Options,
    picture: Spectrum,
    size: Option<[usize; 2]>,
    reports: &[(&str, Report)],
    place: &str,
) -> Result<()> {
    let is_finite = |bin: &[f32; 2]| bin.iter().all(|part| part.is_finite());
    let lost = picture.bins.iter().filter(|bin| !is_finite(bin)).count();
    if lost > 0 {
        return Err(Failure::usage(format!(
            "{lost} of {} pixels are not finite, for their sums are beyond the {:.1e} that single precision holds; no \
             picture was written: divide the bins by a power of two",
            picture.bins.len(),
            f32::MAX
        )));
    }
    let (mut picture, left_out) = picture.real();
    if options.heights {
        let (picture, [lowest, highest]) = ocean::shades(picture);
        png::write(&picture, &options.output)?;
        let what = format!(
            "{} x {} heights from {lowest:.2} to {highest:.2} times their rms",
            picture.width, picture.height
        );
        wrote(&options.output, &what, reports, place);
        return Ok(());
    }
    match (size, &options.input) {
        (None, Some(input)) if left_out > IMAGINARY => say::note(&format!(
            "{}: the spectrum is not that of real pixels; imaginary parts of {:.1} % of the rms are left out\n",
            say::path(input),
            100.0 * left_out
        )),
        (Some([width, height]), _) if !options.crop => {
            picture = picture.resized(width, height, [0, 0], 0.0);
        }
        _ => {}
    }
    let beyond = png::write(&picture, &options.output)?;
    let what = format!("{} x {} pixels", picture.width, picture.height);
    wrote(&options.output, &what, reports, place);
    if beyond > 0 {
        say::note(&format!(
            "{beyond} pixels were darker than black or lighter than white and are cut off\n"
        ));
    }
    Ok(())
}

/// Says what was written, and what each transform took.
fn wrote(path: &Path, what: &str, reports: &[(&str, Report)], place: &str) {
    let times: Vec<String> = reports
        .iter()
        .map(|(name, report)| match report.cycles {
            Some(clocks) => {
                let ms = clocks as f64 * 1e3 / f64::from(Board::Pi1.clock_hz());
                format!("{name} {clocks} V3D clocks, {ms:.2} ms")
            }
            None => format!("{name} {:.2} ms", f64::from(report.elapsed_us) * 1e-3),
        })
        .collect();
    say::note(&format!(
        "wrote {}: {what}; {} on {place}\n",
        say::path(path),
        times.join(", ")
    ));
}
