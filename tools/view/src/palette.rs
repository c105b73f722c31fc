//! Colours of levels, monotone in lightness.
//!
//! The scale reads the same in grey: on light paper the strong is dark, on a dark screen light. Its
//! colours are equal steps in the lightness of CIE 1976 and in the hue of OKLCH (B. Ottosson, "A
//! perceptual color space for image processing", 2020); where sRGB has no colour that is as vivid,
//! it is less vivid.
//!
//! In a waterfall most of what a user looks for is a little above the noise, so that the weaker
//! levels get more of the scale: see [`place`].

use std::f64::consts::PI;

/// The background of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Paper {
    /// White, or nearly.
    Light,
    /// Black, or nearly.
    #[default]
    Dark,
}

/// The exponent of [`place`]: the weakest third of levels has half of the scale.
const BEND: f64 = 0.63;

/// The colour at a share of the scale, from the weakest level to the strongest.
#[must_use]
pub fn colour(paper: Paper, share: f64) -> [u8; 3] {
    const YELLOW: f64 = 105.0;
    const VIOLET: f64 = 300.0;
    const CHROMA: f64 = 0.12;
    let share = share.clamp(0.0, 1.0);
    let ([from, to], hue) = match paper {
        Paper::Light => ([100.0, 12.0], YELLOW + (VIOLET - YELLOW) * share),
        Paper::Dark => ([5.0, 97.0], VIOLET + (YELLOW - VIOLET) * share),
    };
    // White and black have no hue.
    let chroma = CHROMA * (PI * share).sin().powf(0.4);
    of_lightness(from + (to - from) * share, chroma, hue)
}

/// The share of the scale of colours for a share of the range of levels in dB.
#[must_use]
pub fn place(share: f64) -> f64 {
    share.clamp(0.0, 1.0).powf(BEND)
}

/// Relative luminance of a colour as it is written, from 0 to 1 (IEC 61966-2-1).
#[must_use]
pub fn luminance(colour: [u8; 3]) -> f64 {
    weighted(colour.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    }))
}

/// The colour of a lightness of CIE 1976, from 0 to 100.
fn of_lightness(lightness: f64, chroma: f64, hue: f64) -> [u8; 3] {
    let wanted = if lightness > 8.0 {
        ((lightness + 16.0) / 116.0).powi(3)
    } else {
        lightness / 903.3
    };
    let (mut from, mut to) = (0.0, 1.0);
    for _ in 0..20 {
        let middle = (from + to) / 2.0;
        match weighted(nearest(middle, chroma, hue)) < wanted {
            true => from = middle,
            false => to = middle,
        }
    }
    nearest(to, chroma, hue).map(encoded)
}

/// Relative luminance of linear red, green and blue (IEC 61966-2-1).
fn weighted([red, green, blue]: [f64; 3]) -> f64 {
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

    /// The lightness of CIE 1976, from 0 to 100.
    fn lightness(colour: [u8; 3]) -> f64 {
        116.0 * luminance(colour).cbrt() - 16.0
    }

    #[test]
    fn the_scale_is_monotone_in_lightness() {
        for (paper, sign) in [(Paper::Light, -1.0), (Paper::Dark, 1.0)] {
            let scale: Vec<f64> = (0..=255)
                .map(|index| sign * lightness(colour(paper, f64::from(index) / 255.0)))
                .collect();
            for pair in scale.windows(2) {
                // Eight bits round a little; a step back would be seen.
                assert!(pair[1] > pair[0] - 0.2, "{paper:?}: {pair:?}");
            }
            let steps = scale.windows(8).filter(|part| part[7] <= part[0]);
            assert_eq!(steps.count(), 0, "{paper:?}");
            assert!(scale[255] - scale[0] > 85.0, "{paper:?}");
        }
    }

    #[test]
    fn the_weakest_third_of_levels_has_half_of_the_lightness() {
        for paper in [Paper::Light, Paper::Dark] {
            let at = |share: f64| lightness(colour(paper, place(share)));
            let weak = (at(1.0 / 3.0) - at(0.0)).abs();
            let all = (at(1.0) - at(0.0)).abs();
            assert!(
                (0.45..0.6).contains(&(weak / all)),
                "{paper:?}: {weak} of {all}"
            );
        }
        assert_eq!([place(0.0), place(1.0), place(7.0)], [0.0, 1.0, 1.0]);
    }
}
