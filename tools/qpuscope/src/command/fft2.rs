//! `qpuscope fft2 IN.png OUT.png`: a picture's transform in two dimensions, on the simulated V3D or
//! on a board's.
//!
//! The spectrum is drawn by its levels in dB, frequency 0 in the middle; `--spectrum` also writes
//! its bins for NumPy. `--mask` multiplies the bins and goes back, so that OUT is the filtered
//! picture; `--inverse` goes back from a file of bins.
//!
//! Pixels are taken as numbers from 0 to 1 as they stand in the file, colours as their luma. Sides
//! that are no powers of two are filled up with the mean on the right and below, or cropped; a
//! filtered picture has the size of its input again. Clocks are those of the cycle model, in the
//! first run of a plan; of a board it is the time between its first request to V3D and the end of
//! the last program.

use std::path::{Path, PathBuf};

use qpu::fft::Direction;
use qpu::job::Report;
use v3d_sim::Board;

use crate::command::QpuOptions;
use crate::failure::{Failure, Result};
use crate::files::{apart, input, output};
use crate::plane::mask::Mask;
use crate::plane::transform::Planes;
use crate::plane::{Picture, npy, png};
use crate::say;

/// Imaginary parts that are no rounding errors any more, relative to the picture.
const IMAGINARY: f64 = 1e-4;

/// Options of `fft2`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    qpuscope fft2 photo.png spectrum.png                  levels of all frequencies\n  \
    qpuscope fft2 photo.png smooth.png --mask low:0.1     what is slower than 10 pixels a cycle\n  \
    qpuscope fft2 photo.png levels.png --spectrum s.npy   bins too, for numpy.load\n  \
    qpuscope fft2 --inverse s.npy photo.png               and back\n  \
    qpuscope fft2 photo.png spectrum.png -p sim:target/kernel.img   on the QPUs of a virtual Pi")]
pub struct Options {
    /// Picture to transform; with --inverse a spectrum (.npy, complex64, as --spectrum or
    /// numpy.save write it)
    #[arg(value_name = "IN.png")]
    input: PathBuf,
    /// Picture to write: of the spectrum, or with --mask or --inverse of what it becomes
    #[arg(value_name = "OUT.png")]
    output: PathBuf,
    /// Go from a spectrum to the picture
    #[arg(long, conflicts_with_all = ["spectrum", "crop", "range"])]
    inverse: bool,
    /// Multiply the spectrum and go back to the picture: low:F or high:F passes frequencies below
    /// or above F cycles per pixel
    #[arg(long, value_name = "MASK")]
    mask: Option<Mask>,
    /// Write the bins too, behind the mask if there is one: what numpy.fft.fft2 gives for pixels of
    /// 0 to 1
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
        conflicts_with = "mask"
    )]
    range: f32,
    /// Where it is transformed.
    #[command(flatten)]
    qpus: QpuOptions,
}

/// Transforms the picture.
///
/// # Errors
/// Usage, when the files are not what they are said to be, or too large; failed, when one cannot be
/// written.
pub fn run(options: &Options) -> Result<()> {
    if !(options.range > 0.0 && options.range.is_finite()) {
        return Err(Failure::usage(format!(
            "--range {} is no number of dB above 0; try --range 100",
            options.range
        )));
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
    let mut inputs = options.qpus.line.inputs(options.qpus.port.as_deref());
    inputs.push((&options.input, "the input"));
    apart(&outputs, &inputs)?;
    outputs.iter().try_for_each(|path| output::check(path))?;
    if options.inverse {
        return back(options);
    }
    let (original, has_colours) = png::read(&options.input, |width, height| {
        let [width, height] = Picture::fitted_sides(width, height, options.crop)?;
        Planes::request(width, height).map(|_| ())
    })?;
    if has_colours {
        say::note(&format!(
            "{}: colours are taken as their luma\n",
            say::path(&options.input)
        ));
    }
    let (picture, note) = original.fitted(options.crop)?;
    if let Some(note) = note {
        say::note(&format!("{}: {note}\n", say::path(&options.input)));
    }
    let mut planes = Planes::new(picture.width, picture.height, options.qpus.connect()?)?;
    let points: Vec<_> = picture.pixels.iter().map(|&x| [x, 0.0]).collect();
    let (mut spectrum, forward) = planes.run(Direction::Forward, &points)?;
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
    if options.mask.is_none() {
        png::write(&spectrum.levels(options.range), &options.output)?;
        let what = format!("levels of {} x {} bins", spectrum.width, spectrum.height);
        wrote(&options.output, &what, &[("forward", forward)], &planes);
        return Ok(());
    }
    let (filtered, inverse) = planes.run(Direction::Inverse, &spectrum.bins)?;
    let (filtered, _) = filtered.real();
    let filtered = if options.crop {
        filtered
    } else {
        filtered.resized(original.width, original.height, [0, 0], 0.0)
    };
    let reports = [("forward", forward), ("inverse", inverse)];
    finish(&filtered, &options.output, &reports, &planes)
}

/// From a spectrum to the picture.
fn back(options: &Options) -> Result<()> {
    let path = &options.input;
    let file = input::read(path, "a file of bins", input::RECORDING)?;
    let mut spectrum = npy::decode(&file, path)?;
    let mut planes = Planes::new(spectrum.width, spectrum.height, options.qpus.connect()?)?;
    if let Some(mask) = &options.mask {
        mask.apply(&mut spectrum);
    }
    let (picture, report) = planes.run(Direction::Inverse, &spectrum.bins)?;
    let (picture, left_out) = picture.real();
    if left_out > IMAGINARY {
        say::note(&format!(
            "{}: the spectrum is not that of real pixels; imaginary parts of {:.1} % of the rms are left out\n",
            say::path(path),
            100.0 * left_out
        ));
    }
    finish(&picture, &options.output, &[("inverse", report)], &planes)
}

/// Writes a picture of pixels.
fn finish(
    picture: &Picture,
    path: &Path,
    reports: &[(&str, Report)],
    planes: &Planes,
) -> Result<()> {
    let beyond = png::write(picture, path)?;
    let what = format!("{} x {} pixels", picture.width, picture.height);
    wrote(path, &what, reports, planes);
    if beyond > 0 {
        say::note(&format!(
            "{beyond} pixels were darker than black or lighter than white and are cut off\n"
        ));
    }
    Ok(())
}

/// Says what was written, and what each transform took.
fn wrote(path: &Path, what: &str, reports: &[(&str, Report)], planes: &Planes) {
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
        "wrote {}: {what}; {} on {}\n",
        say::path(path),
        times.join(", "),
        planes.place()
    ));
}
