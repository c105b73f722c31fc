//! Colours of pictures: on white paper to be printed, or dark for a screen; and the scale of
//! levels.
//!
//! The scale is that of [`view::palette`].

use view::palette::{self, Paper};

use super::drawing::Ink;

/// The background for which a picture is made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Theme {
    /// White paper
    #[default]
    Print,
    /// A dark screen
    Dark,
}

/// The colours of all but levels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Inks {
    pub(super) paper: Ink,
    pub(super) text: Ink,
    pub(super) faint_text: Ink,
    pub(super) grid: Ink,
    pub(super) axis: Ink,
    pub(super) trace: Ink,
    /// The trace of the greatest, behind the other.
    pub(super) greatest: Ink,
    pub(super) shade: Ink,
    pub(super) mark: Ink,
}

/// Colours from the least level to the greatest.
pub(super) const COLOURS: usize = 128;

impl Theme {
    pub(super) const fn inks(self) -> Inks {
        match self {
            Self::Print => Inks {
                paper: Ink(255, 255, 255, 1.0),
                text: Ink(31, 41, 55, 1.0),
                faint_text: Ink(107, 114, 128, 1.0),
                grid: Ink(229, 231, 235, 1.0),
                axis: Ink(107, 114, 128, 1.0),
                trace: Ink(29, 78, 160, 1.0),
                greatest: Ink(21, 128, 61, 1.0),
                shade: Ink(29, 78, 160, 0.10),
                mark: Ink(194, 65, 12, 1.0),
            },
            Self::Dark => Inks {
                paper: Ink(15, 18, 25, 1.0),
                text: Ink(229, 231, 235, 1.0),
                faint_text: Ink(156, 163, 175, 1.0),
                grid: Ink(45, 52, 65, 1.0),
                axis: Ink(156, 163, 175, 1.0),
                trace: Ink(125, 180, 255, 1.0),
                greatest: Ink(110, 200, 140, 1.0),
                shade: Ink(125, 180, 255, 0.12),
                mark: Ink(255, 167, 89, 1.0),
            },
        }
    }

    /// The scale of levels, from the least to the greatest.
    pub(super) fn scale(self) -> [Ink; COLOURS] {
        let paper = match self {
            Self::Print => Paper::Light,
            Self::Dark => Paper::Dark,
        };
        std::array::from_fn(|index| {
            let share = index as f64 / (COLOURS - 1) as f64;
            let [red, green, blue] = palette::colour(paper, share);
            Ink(red, green, blue, 1.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance_of(Ink(red, green, blue, _): Ink) -> f64 {
        palette::luminance([red, green, blue])
    }

    #[test]
    fn the_scale_of_levels_is_monotone_in_lightness() {
        for (theme, sign) in [(Theme::Print, -1.0), (Theme::Dark, 1.0)] {
            let scale = theme.scale();
            let steps = scale
                .windows(2)
                .map(|pair| sign * (luminance_of(pair[1]) - luminance_of(pair[0])));
            for (index, step) in steps.enumerate() {
                assert!(step >= 0.0, "{theme:?} {index}: {:?}", scale[index]);
            }
            let span = luminance_of(scale[COLOURS - 1]) - luminance_of(scale[0]);
            assert!(sign * span > 0.8, "{theme:?}: {span}");
        }
    }

    #[test]
    fn the_weakest_level_is_the_paper_nearly() {
        let [print, dark] = [Theme::Print, Theme::Dark]
            .map(|theme| (luminance_of(theme.scale()[0]) - luminance_of(theme.inks().paper)).abs());
        assert!(print < 0.02 && dark < 0.02, "{print} {dark}");
    }
}
