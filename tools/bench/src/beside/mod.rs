//! QPUs beside the ARM, and planes: what the page has besides lengths beside GPU_FFT's.
//!
//! `cargo xtask bench --beside` measures both and keeps the figures, from which the page is
//! written; `--record` of all transforms measures them too. Both sides of the first table are by
//! the clock of the virtual Pi: the QPUs as jobs of the host on the very firmware, the ARM as the
//! guest that counts the CPU engine's clocks. Planes run on the simulator, as all other transforms
//! of the page do.

mod arm;
mod planes;

pub use arm::Length;
pub use planes::Plane;

use anyhow::{Context, Result};
use fidelity::Userland;
use fidelity::report::table::fill;
use fidelity::repository::{root, stamp};
use serde::{Deserialize, Serialize};
use v3d_sim::Constants;

/// Path of the figures, below the root of the repository.
pub const PATH: &str = "tools/bench/beside.json";

/// The figures.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
pub struct Beside {
    /// The day of the run, as year-month-day; empty when nothing was ever recorded.
    pub date: String,
    /// The commit of this repository that was run.
    pub commit: String,
    /// A length each, shortest first.
    pub lengths: Vec<Length>,
    /// A size of plane each, smallest first.
    pub planes: Vec<Plane>,
}

impl Beside {
    /// The figures of the last recorded run.
    ///
    /// # Errors
    /// When the file is not of this form.
    pub fn last() -> Result<Self> {
        let path = root().join(PATH);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))
    }

    /// Measures everything, with the images that xtask builds. `progress` is told what is done.
    ///
    /// # Errors
    /// When an image is missing, or something does not run as it should.
    pub fn measure(
        userland: Option<&Userland>,
        constants: &Constants,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self> {
        let target = root().join("target");
        let (date, commit) = stamp()?;
        Ok(Self {
            date,
            commit,
            lengths: arm::measure(
                &target.join("kernel.img"),
                &target.join("guest-fft.img"),
                progress,
            )?,
            planes: planes::measure(userland, constants, progress)?,
        })
    }

    /// The sections of the document; nothing where nothing was recorded.
    #[must_use]
    pub fn markdown(&self) -> String {
        if self.lengths.is_empty() {
            return String::new();
        }
        let values = [
            ("date", self.date.clone()),
            ("commit", self.commit.clone()),
            ("lengths", arm::table(&self.lengths).to_string()),
            ("planes", planes::table(&self.planes).to_string()),
        ];
        fill(include_str!("beside.md").trim_end(), &values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_figures_are_modelled_and_their_errors_are_those_of_f32() {
        let beside = Beside::last().unwrap_or_else(|e| panic!("{e:#}"));
        assert!(beside.markdown().contains("modelled"));
        for length in &beside.lengths {
            assert!(length.qpu_ppm < 0.6 && length.arm_ppm < 0.3, "{length:?}");
        }
    }
}
