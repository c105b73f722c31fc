//! The options of pictures, which every command that draws takes.

use host::picture::waterfall::Merge;
use host::picture::{LevelSpan, Look, Theme, level_span};

/// The options of pictures.
#[derive(clap::Args, Clone, Debug)]
pub struct PictureOptions {
    /// Background of pictures
    #[arg(long, value_enum, default_value = "print")]
    theme: Theme,
    /// Level of spectra and bins that share a point of a picture of all
    #[arg(long, value_enum, default_value = "max")]
    pub merge: Merge,
    /// Title of pictures, in place of the source's name
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Levels at both ends of a picture's scale, in dB, as -80..-20 (default: what its spectra
    /// fill)
    #[arg(long, value_name = "FROM..TO", value_parser = level_span, allow_hyphen_values = true)]
    levels: Option<LevelSpan>,
}

impl PictureOptions {
    /// The look that they ask for.
    #[must_use]
    pub fn look(&self) -> Look {
        Look {
            theme: self.theme,
            title: self.title.clone(),
            levels: self.levels,
        }
    }
}
