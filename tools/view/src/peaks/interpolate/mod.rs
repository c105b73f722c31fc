//! The frequency and level of a peak between bins.
//!
//! A tone f bins from 0 reads A²R(k - f)² in bin k, R being the window's transform
//! ([`Window::response`]). A real tone also reads its image at -f, which the side lobes of some
//! windows carry far: both together read A²(R(k - f)² + R(k + f)² + cR(k - f)R(k + f)), where c
//! depends on phases and lies between -2 and 2. A, c and f are those with the least squares of what
//! is left in the bins of the main lobe, weighted as amplitudes with the same noise in each are.
//! For a tone 60 dB above the noise and ten bins from the edges of the spectrum the frequency is
//! right within a tenth of a bin and the level within 0.05 dB, in every window.

use signal::Window;

use super::{Bins, Peak};
use crate::levels::decibels;

/// Bins around its own in which a line is looked for. A line halfway between two may stand in
/// either.
const REACH: f64 = 0.75;
/// Places to look at first, a bin.
const PLACES: i32 = 32;
/// Steps of the search behind them, each to 0.62 of what is left.
const STEPS: u32 = 24;
/// The least share of noise that is reckoned with: u16 keeps steps of 0.01 dB.
const LEAST_NOISE: f64 = 1e-8;
/// Bins on each side at the least: A, c and f are three unknowns.
const LEAST_BINS: usize = 2;
/// Bins on each side at the most: wide main lobes have little in those behind them.
const MOST_BINS: usize = 5;

/// A bin near the line.
struct Near {
    /// Bins from that in which the line stands.
    distance: i64,
    power: f64,
    weight: f64,
}

/// The fit of a tone.
struct Fit {
    /// Squares that are left.
    rest: f64,
    /// The factor c of the product of both responses.
    phase: f64,
}

/// Interpolates the line that stands in the bin at `index`; `noise` is the power around it.
///
/// A line that stands at one of the two edges of a real spectrum is that of its bin.
pub(super) fn interpolate(bins: &Bins, index: usize, noise: f64) -> Peak {
    let power = bins.power.get(index).copied().unwrap_or(f64::NAN);
    let own = Peak {
        index,
        offset: 0.0,
        level_db: decibels(power),
    };
    let window = bins.window;
    let reach = window.main_lobe().clamp(LEAST_BINS, MOST_BINS);
    let (bin, half) = (bins.bin(index), i64::from(bins.n / 2));
    // From the nearer edge, behind which its image stands.
    let from_edge = if bin <= half / 2 { bin } else { bin - half };
    if !(power > 0.0 && power.is_finite()) || (!bins.is_complex && from_edge.abs() <= reach as i64)
    {
        return own;
    }
    let noise = (noise / power).clamp(LEAST_NOISE, 1.0) * power;
    let near = near(bins, index, reach, noise);
    let tone = Tone {
        window,
        image: (!bins.is_complex).then_some(2 * from_edge),
    };
    let rest = |offset: f64| tone.fit(&near, offset).rest;
    let reach = (REACH * f64::from(PLACES)) as i32;
    let places = (-reach..=reach).map(|place| f64::from(place) / f64::from(PLACES));
    let rests = places.map(|place| (rest(place), place));
    let Some((_, best)) = rests.min_by(|(a, _), (b, _)| a.total_cmp(b)) else {
        return own;
    };
    let width = 1.0 / f64::from(PLACES);
    let offset = least(rest, best - width, best + width);
    let response = tone.response(offset, tone.fit(&near, offset).phase);
    if response.is_nan() || response <= 0.0 {
        return own;
    }
    Peak {
        index,
        offset,
        level_db: decibels(power / response),
    }
}

/// Known bins up to `reach` from that at `index`; a complex spectrum goes on at its other end.
fn near(bins: &Bins, index: usize, reach: usize, noise: f64) -> Vec<Near> {
    let count = bins.power.len() as i64;
    let is_ring = bins.is_complex && count == i64::from(bins.n);
    let reach = (reach as i64).min((count - 1) / 2);
    (-reach..=reach)
        .filter_map(|distance| {
            let at = index as i64 + distance;
            let at = if is_ring { at.rem_euclid(count) } else { at };
            let power = *bins.power.get(usize::try_from(at).ok()?)?;
            (power >= 0.0 && power.is_finite()).then(|| Near {
                distance,
                power,
                weight: 1.0 / (power + noise),
            })
        })
        .collect()
}

/// The place between `from` and `to` where a function with one minimum is least, by sections in
/// the golden ratio: one of the two places inside stays inside of the next section.
fn least(function: impl Fn(f64) -> f64, mut from: f64, mut to: f64) -> f64 {
    const SHARE: f64 = 0.618_033_988_749_895;
    let at = |place| (place, function(place));
    let (mut left, mut right) = (at(to - SHARE * (to - from)), at(from + SHARE * (to - from)));
    for _ in 0..STEPS {
        if left.1 < right.1 {
            to = right.0;
            right = left;
            left = at(to - SHARE * (to - from));
        } else {
            from = left.0;
            left = right;
            right = at(from + SHARE * (to - from));
        }
    }
    (from + to) / 2.0
}

/// A tone whose power and image are not known.
struct Tone {
    window: Window,
    /// Bins from a line on its bin to its image: none for a complex tone.
    image: Option<i64>,
}

impl Tone {
    /// Readings of a tone of power 1 at an offset, by the distance of a bin from its own: u, the
    /// squares of its response and of its image's, and v, their product.
    fn parts(&self, offset: f64) -> impl Fn(i64) -> (f64, f64) {
        let image = self.image;
        // Those of the image are a whole number of bins further on: the response is even.
        let at = self.window.responses(-offset);
        move |distance| {
            let own = at(distance);
            let image = image.map_or(0.0, |image| at(-image - distance));
            (own * own + image * image, own * image)
        }
    }

    /// The tone of least squares at an offset.
    fn fit(&self, near: &[Near], offset: f64) -> Fit {
        let parts = self.parts(offset);
        let mut known = [(0.0, 0.0); 2 * MOST_BINS + 1];
        // Sums of the normal equations for A² and A²c.
        let (mut uu, mut uv, mut vv, mut pu, mut pv) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (each, known) in near.iter().zip(&mut known) {
            let (u, v) = parts(each.distance);
            *known = (u, v);
            uu += each.weight * u * u;
            uv += each.weight * u * v;
            vv += each.weight * v * v;
            pu += each.weight * each.power * u;
            pv += each.weight * each.power * v;
        }
        let determinant = uu * vv - uv * uv;
        let mut phase = 0.0;
        if determinant > 1e-12 * uu * vv && vv > 0.0 {
            let (power, crossed) = (pu * vv - pv * uv, pv * uu - pu * uv);
            phase = if power > 0.0 {
                (crossed / power).clamp(-2.0, 2.0)
            } else {
                2.0_f64.copysign(crossed)
            };
        }
        let (square, product) = (uu + phase * (2.0 * uv + phase * vv), pu + phase * pv);
        let power = product / square;
        let rest = near.iter().zip(&known).map(|(each, (u, v))| {
            let left = each.power - power * (u + phase * v);
            each.weight * left * left
        });
        Fit {
            rest: rest.sum(),
            phase,
        }
    }

    /// Power in the bin of the line, of a tone of power 1.
    fn response(&self, offset: f64, phase: f64) -> f64 {
        let (u, v) = self.parts(offset)(0);
        u + phase * v
    }
}

#[cfg(test)]
mod tests;
