//! Published figures of GPU_FFT on real boards: facts, with their sources, in `published.json`.
//!
//! Times are microseconds of a transform and include the call: the programs and the host's share.
//! Figures have two significant digits, so that each may be off by up to 5 % of itself.
//!
//! Sources: gpu_fft.txt of each release, a Pi 1 with a 700 MHz ARM, for release 3.0 with the L2 on;
//! two other users on Pi 1s of their own. Instructions were counted from the counter table for
//! release 2.0 and by decoding for 3.0.

use crate::userland::Release;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::sync::LazyLock;

/// The author's page on release 2.0, with its table of performance counters.
pub const COUNTER_PAGE: &str = "A. Holme, GPU_FFT web page, counters of release 2";

/// Lengths (log2) of release 3.0 whose times at batch 1 constants may be fitted to.
pub const FITTING_LENGTHS: [u32; 6] = [8, 10, 12, 14, 16, 18];

/// A table of figures.
#[derive(Deserialize)]
pub struct Table<F> {
    /// The release of the shaders.
    #[serde(deserialize_with = "release")]
    pub release: Release,
    /// The source.
    pub source: String,
    /// Each begins with log2 of the length.
    pub figures: Vec<F>,
}

/// log2 of the length, transforms in the batch, shortest and longest time in microseconds.
pub type Times = Table<(u32, u32, f64, f64)>;

/// The file.
#[derive(Deserialize)]
pub struct Published {
    /// log2 of the length, transforms in the batch, error in parts per million. Release 2.0 states
    /// its batches; of 3.0's table batch 1 is what fits.
    pub errors: Vec<Table<(u32, u32, f64)>>,
    /// The author's times of release 3.0.
    pub times_3: Times,
    /// The author's times of release 2.0.
    pub times_2: Times,
    /// Times that others measured.
    pub other_times: Vec<Times>,
    /// log2 of the length, instructions at batch 1 of all QPUs together.
    pub instructions_3: Table<(u32, u64)>,
}

/// All of them.
///
/// # Panics
/// When `published.json` is not of this form.
pub fn published() -> &'static Published {
    static PUBLISHED: LazyLock<Published> = LazyLock::new(|| {
        let text = include_str!("../published.json");
        serde_json::from_str(text).expect("published.json is of this form")
    });
    &PUBLISHED
}

fn release<'de, D: Deserializer<'de>>(text: D) -> Result<Release, D::Error> {
    let name = String::deserialize(text)?;
    let mut releases = [Release::V2, Release::V3].into_iter();
    let found = releases.find(|release| release.name() == name);
    found.ok_or_else(|| D::Error::custom(format!("there is no release {name}")))
}
