//! Colours of pictures: on white paper to be printed, or dark for a screen; and the scale of
//! levels.
//!
//! The scale is monotone in lightness, so that it reads the same in grey: on paper the strong is
//! dark, on a dark screen light. Its colours are equal steps in the lightness of CIE 1976 and in
//! the hue of OKLCH (B. Ottosson, "A perceptual color space for image processing", 2020); where
//! sRGB has no colour that is as vivid, it is less vivid.

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
        const YELLOW: f64 = 105.0;
        const VIOLET: f64 = 300.0;
        const CHROMA: f64 = 0.12;
        std::array::from_fn(|index| {
            let share = index as f64 / (COLOURS - 1) as f64;
            let ([from, to], hue) = match self {
                Self::Print => ([100.0, 12.0], YELLOW + (VIOLET - YELLOW) * share),
                Self::Dark => ([5.0, 97.0], VIOLET + (YELLOW - VIOLET) * share),
            };
            // White and black have no hue.
            let chroma = CHROMA * (std::f64::consts::PI * share).sin().powf(0.4);
            of_lightness(from + (to - from) * share, chroma, hue)
        })
    }
}

/// The colour of a lightness of CIE 1976, from 0 to 100.
fn of_lightness(lightness: f64, chroma: f64, hue: f64) -> Ink {
    let wanted = if lightness > 8.0 {
        ((lightness + 16.0) / 116.0).powi(3)
    } else {
        lightness / 903.3
    };
    let (mut from, mut to) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = (from + to) / 2.0;
        match luminance(nearest(middle, chroma, hue)) < wanted {
            true => from = middle,
            false => to = middle,
        }
    }
    let [red, green, blue] = nearest(to, chroma, hue).map(encoded);
    Ink(red, green, blue, 1.0)
}

/// Relative luminance of linear red, green and blue (IEC 61966-2-1).
fn luminance([red, green, blue]: [f64; 3]) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The colour of OKLCH as linear red, green and blue, with no more chroma than sRGB has there.
fn nearest(lightness: f64, chroma: f64, hue: f64) -> [f64; 3] {
    let is_inside = |chroma: f64| {
        let rgb = linear(lightness, chroma, hue);
        rgb.iter().all(|part| (-1e-6..=1.0 + 1e-6).contains(part))
    };
    let (mut from, mut to) = (0.0, chroma);
    if !is_inside(chroma) {
        for _ in 0..8 {
            let middle = (from + to) / 2.0;
            match is_inside(middle) {
                true => from = middle,
                false => to = middle,
            }
        }
        to = from;
    }
    linear(lightness, to, hue)
}

/// OKLCH as linear red, green and blue.
fn linear(lightness: f64, chroma: f64, hue: f64) -> [f64; 3] {
    let (sin, cos) = hue.to_radians().sin_cos();
    let (a, b) = (chroma * cos, chroma * sin);
    let l = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
        -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
        -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
    ]
}

/// A linear part as sRGB has it in eight bits.
fn encoded(linear: f64) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let part = if linear <= 0.003_130_8 {
        12.92 * linear
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    };
    (255.0 * part).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance of a colour as it is written.
    fn luminance_of(Ink(red, green, blue, _): Ink) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        luminance([red, green, blue].map(linear))
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
