//! The account of samples: bounds that hold whatever FIFO, timer and clock do.

use super::*;
use crate::instrument::capture::account::{Account, Pace};

const RATE: u64 = 20_000_000;
/// Samples in a microsecond.
const A_US: f64 = 20.0;
/// Samples that FIFO and DMA hold.
const HELD: u32 = 34;
/// Two readings of the timer around DMA's place.
const WITHIN_US: u32 = 2;
/// Samples that may be missing and are not counted.
const UNSEEN: u64 = HELD as u64 + 20 * (WITHIN_US as u64 + 1) + 2;
/// Samples in a second that a clock may be slow by. While samples are lost the line does not become
/// better known, so as many are not counted.
const SLOPE: u64 = 2;

/// A clock of 20 MHz, which is off by `ppm`, and a FIFO.
struct Input {
    ppm: f64,
    lost: u64,
    random: u64,
}

impl Input {
    fn new(ppm: f64) -> Self {
        Self {
            ppm,
            lost: 0,
            random: 1,
        }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005) + 1;
        (self.random >> 33) % end
    }

    /// Received samples at a moment within two microseconds up to `at_us`, with anything in the
    /// FIFO.
    fn look(&mut self, at_us: u64) -> (u64, Place) {
        let moment_us = (at_us + 1) as f64 - self.below(200) as f64 / 100.0;
        let called_for = moment_us * A_US * (1.0 + self.ppm * 1e-6);
        let received = called_for as u64 - self.lost - self.below(HELD.into());
        let place = Place {
            bytes: 0,
            at_us,
            within_us: WITHIN_US,
            is_overrun: false,
        };
        (received, place)
    }
}

/// Looks each `step_us`, from a second on, and gives the moments to `lose` before. Holds that the
/// count is never above the truth, nor further below than [`UNSEEN`] and `slope` samples for each
/// second.
fn run(
    input: &mut Input,
    [seconds, step_us, slope]: [u64; 3],
    mut lose: impl FnMut(&mut Input, u64),
) -> u64 {
    let mut account = Account::new(Pace::Board, Rate::hz(RATE), HELD);
    for at_us in (1_000_000..seconds * 1_000_000).step_by(step_us as usize) {
        lose(input, at_us);
        let (received, place) = input.look(at_us);
        account.note(received, place);
        let counted = account.lost();
        let unseen = UNSEEN + slope * at_us / 1_000_000;
        assert!(
            counted <= input.lost && input.lost - counted <= unseen,
            "{at_us}: {counted} of {}",
            input.lost
        );
    }
    account.lost()
}

#[test]
fn nothing_is_counted_in_a_day_of_a_clock_that_is_a_little_off() {
    for ppm in [-0.1, -0.02, 0.0, 0.02, 0.1] {
        let mut input = Input::new(ppm);
        assert_eq!(run(&mut input, [86_400, 100_000, 0], |_, _| {}), 0, "{ppm}");
    }
}

#[test]
fn the_count_follows_losses_of_any_size() {
    for (every_us, most) in [(1_000, 200), (10_000, 40), (100_000, 5_000)] {
        let mut input = Input::new(0.01);
        run(&mut input, [30, 500, SLOPE], |input, at_us| {
            // The first looks know the line less well.
            if at_us > 1_100_000 && at_us % every_us == 0 {
                input.lost += input.below(most);
            }
        });
        assert!(input.lost > 10_000, "{}", input.lost);
    }
}

/// A sample now and then is less than any look sees.
#[test]
fn small_losses_are_counted_as_soon_as_their_sum_is_seen() {
    let mut input = Input::new(-0.02);
    let counted = run(&mut input, [3_600, 10_000, 0], |input, at_us| {
        // The slope is known after ten minutes.
        if at_us > 600_000_000 && at_us % 10_000_000 == 0 {
            input.lost += 3;
        }
    });
    assert_eq!(input.lost, 3 * 299);
    assert!(counted > input.lost - UNSEEN, "{counted}");
}

#[test]
fn a_steady_deficit_is_counted() {
    // A divisor of 101 for 100.
    let mut account = Account::new(Pace::Board, Rate::hz(1_000_000), 32);
    for at_us in (1_000..10_000_000_u64).step_by(1_000) {
        let place = Place {
            bytes: 0,
            at_us,
            within_us: 1,
            is_overrun: false,
        };
        account.note(at_us * 100 / 101, place);
    }
    let missing = 10_000_000 / 101;
    assert!(missing - account.lost() < 100, "{}", account.lost());
}

#[test]
fn a_drifting_adc_loses_nothing_and_a_step_is_counted() {
    let hz = 384_000.0_f64;
    let pace = Pace::Adc { within: 0.001 };
    // Its rate is stated 300 ppm too high, and it drifts by half a ppm in a second.
    let mut account = Account::new(pace, Rate::hz(384_115), 65);
    let (mut written, mut lost) = (0.0, 0);
    for at_ms in 1..600_000_u64 {
        let drift = 0.5e-6 * (at_ms as f64 / 1000.0).min(60.0);
        written += hz * (1.0 - drift) / 1000.0;
        // The clock pauses for a millisecond, once a minute.
        if at_ms % 60_000 == 30_000 {
            written -= 384.0;
            lost += 384;
        }
        let place = Place {
            bytes: 0,
            at_us: at_ms * 1000,
            within_us: 2,
            is_overrun: false,
        };
        account.note(written as u64 - at_ms % 8, place);
        let counted = account.lost();
        // A frame is rounded.
        assert!(counted <= lost + lost / 384, "{at_ms}: {counted} of {lost}");
        if at_ms % 60_000 == 40_000 {
            let unseen = 10 * (65 + 2 + 8 + 8);
            assert!(
                lost.saturating_sub(counted) < unseen,
                "{at_ms}: {counted} of {lost}"
            );
        }
    }
    assert!(account.lost() > 10 * 290, "{}", account.lost());
}
