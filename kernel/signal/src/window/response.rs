//! A window's transform between bins.
//!
//! A tone reads W(x), x bins from its frequency. The windows are symmetric about their middle, so
//! apart from a phase, which is the same in all bins, W is real. It is given in the limit of many
//! points, in which sums become integrals; at 64 points magnitudes differ by less than 0.3 % of the
//! middle.
//!
//! Sources: F. J. Harris (1978), section IV, for sums of cosines; J. F. Kaiser and R. W. Schafer
//! (1980) for Kaiser's.

use core::f64::consts::PI;

use super::Window;

/// The least distance from a bin that is reckoned with: there sin z / z is 1 in all digits.
const LEAST_FRACTION: f64 = 1e-15;

impl Window {
    /// Amplitude that a tone reads `offset` bins from its frequency, beside what it reads there;
    /// the sign changes at each zero.
    #[must_use]
    pub fn response(self, offset: f64) -> f64 {
        self.responses(offset)(0)
    }

    /// [`Window::response`] in bins a whole number apart: that of `k` is `response(offset + k)`.
    ///
    /// The sines of all terms in all of these bins differ by their signs alone, so that a sum of
    /// cosines takes one.
    pub fn responses(self, offset: f64) -> impl Fn(i64) -> f64 {
        let nearest = libm::round(offset);
        let fraction = offset - nearest;
        let fraction = if libm::fabs(fraction) < LEAST_FRACTION {
            libm::copysign(LEAST_FRACTION, offset)
        } else {
            fraction
        };
        let first = nearest as i64;
        let shape = match self.terms() {
            Some(terms) => Shape::Cosines {
                terms,
                factor: libm::sin(PI * fraction) / (PI * terms[0]),
            },
            None => {
                let square = self.beta().value() * self.beta().value();
                Shape::Kaiser {
                    square,
                    middle: hyperbolic_sinc(square),
                }
            }
        };
        move |bins| shape.at(first.saturating_add(bins), fraction)
    }
}

/// A window's transform, made ready for places with one distance from the nearest bin.
enum Shape {
    /// A sum of cosines.
    Cosines {
        terms: &'static [f64],
        /// The sine of all terms, and what they are divided by.
        factor: f64,
    },
    /// Kaiser's.
    Kaiser {
        /// β².
        square: f64,
        /// The transform at 0.
        middle: f64,
    },
}

impl Shape {
    /// The response at `whole + fraction`.
    fn at(&self, whole: i64, fraction: f64) -> f64 {
        let place = whole as f64 + fraction;
        match self {
            Self::Cosines { terms, factor } => {
                let (mut sum, mut sign) = (0.0, if whole & 1 == 0 { 1.0 } else { -1.0 });
                for (k, term) in (0_i64..).zip(*terms) {
                    // Half of 1/(x - k) + 1/(x + k). The fraction is added last: beside a bin it is
                    // all that is left.
                    let below = whole.saturating_sub(k) as f64 + fraction;
                    let above = whole.saturating_add(k) as f64 + fraction;
                    sum += sign * term * (place / (below * above));
                    sign = -sign;
                }
                factor * sum
            }
            Self::Kaiser { square, middle } => {
                hyperbolic_sinc(square - PI * PI * place * place) / middle
            }
        }
    }
}

/// sinh z / z, and sin |z| / |z| where z², which is given, is negative.
fn hyperbolic_sinc(square: f64) -> f64 {
    let z = libm::sqrt(libm::fabs(square));
    if z < 1e-6 {
        1.0
    } else if square > 0.0 {
        libm::sinh(z) / z
    } else {
        libm::sin(z) / z
    }
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;

    use super::*;
    use crate::Beta;

    /// Magnitude of the sum over a window's coefficients, the middle being 1.
    fn summed(window: Window, n: usize, offset: f64) -> f64 {
        let (mut re, mut im, mut middle) = (0.0, 0.0, 0.0);
        for i in 0..n {
            let w = window.coefficient(i, n);
            let angle = TAU * offset * i as f64 / n as f64;
            re += w * libm::cos(angle);
            im += w * libm::sin(angle);
            middle += w;
        }
        libm::hypot(re, im) / middle
    }

    #[test]
    fn the_response_is_that_of_the_coefficients() {
        let kaiser = [0, 1_000, 4_000, 14_000, 30_000].map(Beta::from_milli);
        let kaiser = kaiser.map(|beta| Window::Kaiser(beta.unwrap()));
        for window in Window::ALL.into_iter().chain(kaiser) {
            for (n, tolerance) in [(64, 3e-3), (1024, 2e-4)] {
                for step in 0..80 {
                    let offset = f64::from(step) / 8.0;
                    let (found, wanted) = (window.response(offset), summed(window, n, offset));
                    let error = (found.abs() - wanted).abs();
                    assert!(error < tolerance, "{window} {n} {offset}: {found} {wanted}");
                    assert_eq!(found, window.response(-offset));
                }
            }
        }
    }

    /// The transform by its definition: a sine for each term.
    fn by_terms(window: Window, offset: f64) -> f64 {
        let sinc = |x: f64| hyperbolic_sinc(-(PI * x) * (PI * x));
        let beta = window.beta().value();
        match window.terms() {
            Some(terms) => {
                let pairs = terms.iter().enumerate().map(|(k, term)| {
                    term * (sinc(offset - k as f64) + sinc(offset + k as f64)) / 2.0
                });
                pairs.sum::<f64>() / terms[0]
            }
            None => {
                hyperbolic_sinc(beta * beta - PI * PI * offset * offset)
                    / hyperbolic_sinc(beta * beta)
            }
        }
    }

    #[test]
    fn one_sine_gives_what_a_sine_for_each_term_gives() {
        for window in Window::ALL {
            for step in -200_i32..=200 {
                // Beside bins, on them, and halfway between.
                for beside in [0.0, 1e-14, -1e-9, 1e-5, 0.02, -0.031] {
                    let offset = f64::from(step) / 16.0 + beside;
                    let responses = window.responses(offset);
                    for bins in [0, 1, -2, 7, -40] {
                        let (found, wanted) =
                            (responses(bins), by_terms(window, offset + bins as f64));
                        let error = (found - wanted).abs();
                        assert!(error < 1e-13, "{window} {offset} {bins}: {found} {wanted}");
                    }
                }
            }
        }
    }
}
