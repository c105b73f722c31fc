//! The plane that is transformed: a picture with or without a kernel, bins, or a random sea.

use std::path::Path;

use super::Options;
use common::failure::{Failure, Result};
use common::files::input;
use common::say;
use workbench::plane::ocean::Ocean;
use workbench::plane::transform::request;
use workbench::plane::{Picture, Spectrum, kernel, npy, png};

/// A picture, or bins.
pub(super) enum Source {
    Picture {
        fitted: Picture,
        /// Columns and rows in the file.
        size: [usize; 2],
        /// Weights of the same size, that it is convolved with.
        kernel: Option<Picture>,
    },
    Bins(Spectrum),
}

impl Source {
    /// Reads or makes it, and says what was done to it.
    ///
    /// # Errors
    /// Usage, when a file is not what it is said to be, or a side or a sea cannot be.
    pub(super) fn read(options: &Options) -> Result<Self> {
        let Some(path) = &options.input else {
            let ocean = Ocean {
                width: options.size,
                height: options.size,
                patch_m: options.patch,
                wind_m_s: options.wind,
                seed: options.seed,
            };
            request(ocean.width, ocean.height)?;
            let spectrum = ocean.spectrum().ok_or_else(|| {
                Failure::usage(format!(
                    "a wind of {} m/s raises no waves that {} pixels of {} m can show; take another --wind or --patch",
                    options.wind, options.size, options.patch
                ))
            })?;
            return Ok(Self::Bins(spectrum));
        };
        if options.inverse {
            let bins = input::read(path, "a file of bins", input::RECORDING)?;
            return Ok(Self::Bins(npy::decode(&bins, path)?));
        }
        let original = grey(path, |width, height| {
            let [width, height] = Picture::fitted_sides(width, height, options.crop)?;
            request(width, height).map(|_| ())
        })?;
        let (fitted, note) = original.fitted(options.crop)?;
        if let Some(note) = note {
            say::note(&format!("{}: {note}\n", say::path(path)));
        }
        let kernel = options.kernel.as_ref().map(|path| {
            let [width, height] = [fitted.width, fitted.height];
            let kernel = grey(path, |_, _| Ok(()))?;
            kernel::plane(&kernel, width, height)
                .map_err(|failure| Failure::usage(format!("{}: {failure}", say::path(path))))
        });
        Ok(Self::Picture {
            size: [original.width, original.height],
            kernel: kernel.transpose()?,
            fitted,
        })
    }

    /// Columns and rows of the plane.
    pub(super) fn size(&self) -> [usize; 2] {
        match self {
            Self::Picture { fitted, .. } => [fitted.width, fitted.height],
            Self::Bins(spectrum) => [spectrum.width, spectrum.height],
        }
    }
}

/// Reads a picture, and says so where it had colours.
fn grey(path: &Path, fits: impl Fn(usize, usize) -> Result<()>) -> Result<Picture> {
    let (picture, has_colours) = png::read(path, fits)?;
    if has_colours {
        say::note(&format!(
            "{}: colours are taken as their luma\n",
            say::path(path)
        ));
    }
    Ok(picture)
}
