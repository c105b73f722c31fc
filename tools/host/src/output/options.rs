//! The options that outputs of spectra share, and the recording that spectra are of.

use std::path::PathBuf;
use std::sync::Arc;

use crate::input::OwnDescription;
use crate::picture::Look;
use crate::picture::waterfall::Merge;
use crate::utc::Utc;

/// The options that outputs of spectra share.
#[derive(Clone, Debug)]
pub struct SinkOptions {
    /// The folder of files.
    pub folder: PathBuf,
    /// The look of pictures.
    pub look: Look,
    /// The level of records and bins that share a pixel.
    pub merge: Merge,
    /// The number of strongest lines that a table lists.
    pub line_count: usize,
    /// True if each record has files of its own besides, which the caller writes.
    pub each: bool,
    /// Changes that were made to the samples, one sentence each.
    pub notes: Vec<String>,
    /// The recording, where there is one.
    pub recorded: Option<SigmfRecording>,
}

/// A recording as SigMF names it.
#[derive(Clone, PartialEq, Debug)]
pub struct SigmfRecording {
    /// The format of its samples: `cu8`, `ri16_le`.
    pub datatype: String,
    /// Its name in words.
    pub name: String,
    /// When its first sample was taken, where that is known.
    pub start: Option<Utc>,
    /// The description that it came with, which is kept.
    pub own: Option<Arc<OwnDescription>>,
}
