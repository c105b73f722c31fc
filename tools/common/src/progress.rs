//! Progress of long work, on a terminal: how far it is, how fast it goes, and the time that is
//! left.
//!
//! A bar appears on standard error when the work has taken two seconds, and only where that is a
//! terminal. It goes away at the end, and while words are written.

use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::quantity::{digits, prefix};

/// Work that is shorter has no bar.
const PATIENCE: Duration = Duration::from_secs(2);
/// Drawings of a bar, a second.
const DRAWN: u8 = 5;

/// The bar that is on the terminal.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// The progress of one piece of work.
pub struct Progress {
    bar: ProgressBar,
    began: Instant,
    is_shown: bool,
}

impl Progress {
    /// Work of `total` of some unit, called by a word such as `sending`.
    pub fn new(work: &'static str, total: u64, unit: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let rate = move |state: &ProgressState, out: &mut dyn Write| {
            let _ = out.write_str(&rate(state.per_sec(), unit));
        };
        let amount = move |state: &ProgressState, out: &mut dyn Write| {
            let _ = write!(
                out,
                "{} of {} {unit}",
                state.pos(),
                state.len().unwrap_or(0)
            );
        };
        let template = "{work} {bar:24} {percent}%, {amount}, {rate}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(&template.replace("{work}", work)) {
            bar.set_style(
                style
                    .with_key("rate", rate)
                    .with_key("amount", amount)
                    .progress_chars("=> "),
            );
        }
        Self {
            bar,
            began: Instant::now(),
            is_shown: false,
        }
    }

    /// So much more of the total is done.
    pub fn add(&mut self, more: u64) {
        self.set(self.bar.position() + more);
    }

    /// So much of the total is done.
    pub fn set(&mut self, done: u64) {
        self.bar.set_position(done);
        if !self.is_shown && self.began.elapsed() >= PATIENCE {
            self.is_shown = true;
            // Elsewhere than on a terminal it stays hidden.
            self.bar
                .set_draw_target(ProgressDrawTarget::stderr_with_hz(DRAWN));
            *shown() = Some(self.bar.clone());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            *shown() = None;
            self.bar.finish_and_clear();
        }
    }
}

/// The place of the bar that is on the terminal.
fn shown() -> std::sync::MutexGuard<'static, Option<ProgressBar>> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes something while no bar is on the terminal.
pub fn suspend<T>(write: impl FnOnce() -> T) -> T {
    let bar = shown().clone();
    match bar {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// `12.3 ksamples/s`.
fn rate(per_second: f64, unit: &str) -> String {
    let (factor, prefix) = prefix(per_second.max(1.0));
    format!("{} {prefix}{unit}/s", digits(per_second / factor, 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_a_prefix_and_three_digits() {
        assert_eq!(rate(12_345.0, "samples"), "12.3 ksamples/s");
        assert_eq!(rate(0.5, "bytes"), "0.500 bytes/s");
    }

    #[test]
    fn short_work_has_no_bar() {
        let mut progress = Progress::new("sending", 10, "samples");
        progress.set(5);
        assert!(!progress.is_shown && suspend(|| true));
    }
}
