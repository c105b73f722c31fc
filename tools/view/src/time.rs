//! Marks of a time axis: round times, as a clock shows them.

use crate::quantity::decimals;

/// A second in microseconds.
pub const SECOND_US: f64 = 1e6;
/// A minute in microseconds.
pub const MINUTE_US: f64 = 60e6;
const HOUR_US: f64 = 3600e6;
/// A day in microseconds.
pub const DAY_US: f64 = 86_400e6;

/// Steps between marks from a second to a day, in microseconds.
const CLOCK: [f64; 17] = [
    SECOND_US,
    2e6,
    5e6,
    10e6,
    15e6,
    30e6,
    MINUTE_US,
    2.0 * MINUTE_US,
    5.0 * MINUTE_US,
    10.0 * MINUTE_US,
    15.0 * MINUTE_US,
    30.0 * MINUTE_US,
    HOUR_US,
    2.0 * HOUR_US,
    3.0 * HOUR_US,
    6.0 * HOUR_US,
    12.0 * HOUR_US,
];

/// The smallest round step of at least so many microseconds.
#[must_use]
pub fn step(rough: f64) -> f64 {
    let decimal = |unit: f64| {
        let magnitude = 10_f64.powf((rough / unit).max(1e-9).log10().floor());
        [1.0, 2.0, 5.0, 10.0]
            .map(|m| m * magnitude * unit)
            .into_iter()
            .find(|&step| step >= rough * 0.999)
    };
    let found = if rough < SECOND_US {
        decimal(SECOND_US)
    } else {
        let on_clock = CLOCK.into_iter().find(|&step| step >= rough * 0.999);
        on_clock.or_else(|| decimal(DAY_US).map(|step| step.max(DAY_US)))
    };
    found.unwrap_or(SECOND_US)
}

/// A time since the beginning, in microseconds, as marks so far apart show it.
#[must_use]
pub fn elapsed(us: f64, step: f64) -> String {
    elapsed_beside(us, step, us)
}

/// The form of times on an axis.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Seconds,
    Clock,
    Days,
}

/// The form of marks so far apart, where the latest time is `latest_us`.
fn form(step: f64, latest_us: f64) -> Form {
    match step {
        step if step >= DAY_US => Form::Days,
        step if step < SECOND_US => Form::Seconds,
        step if step < MINUTE_US && latest_us < 2.0 * MINUTE_US => Form::Seconds,
        _ => Form::Clock,
    }
}

/// A time since the beginning in the form of the latest time on the same axis.
#[must_use]
pub fn elapsed_beside(us: f64, step: f64, latest_us: f64) -> String {
    let seconds = us / SECOND_US;
    match form(step, latest_us) {
        Form::Days => format!("{:.0}", us / DAY_US),
        Form::Seconds => {
            let places = decimals(step / SECOND_US);
            format!("{seconds:.places$}")
        }
        Form::Clock => {
            let whole = seconds.round() as u64;
            let (hours, minutes) = (whole / 3600, whole / 60 % 60);
            format!("{hours}:{minutes:02}:{:02}", whole % 60)
        }
    }
}

/// The name of an axis of such times.
#[must_use]
pub fn name(step: f64, latest_us: f64) -> &'static str {
    match form(step, latest_us) {
        Form::Days => "Time (days)",
        Form::Seconds => "Time (s)",
        Form::Clock => "Time (h:mm:ss)",
    }
}
