//! One thing that is wrong with the silicon of a board: V3D's defects, and DMA that is held up.
//!
//! A hold stands for whatever keeps DMA from the bus on a board: another master, a bridge, refresh
//! of SDRAM. How long that may last is published nowhere, so a hold has the length that it is
//! given.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::clock::clocks_from_ns;

/// The moment that the periods of a hold are counted from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum HoldsAfter {
    /// Power-on: a hold begins with each period.
    #[default]
    PowerOn,
    /// A look: the ARM reads DEST_AD of a channel that is active. A hold begins right behind it, if
    /// the last one began a period ago or more. So a look sees nothing of the hold.
    Look,
}

/// DMA that is held up for a part of each period: no channel begins a transfer or loads a control
/// block, while a burst that has begun ends, and what was written arrives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DmaHold {
    held_ns: u64,
    period_ns: u64,
    after: HoldsAfter,
}

/// A hold that leaves DMA no time, or none that holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a hold lasts for some of its period: give dma-hold:A:B with A microseconds of B, A at least 0.001 and less \
     than B, for example dma-hold:5:1000"
)]
pub struct BadHold;

impl DmaHold {
    /// Holds DMA for `held` at the start of each `period` of virtual time.
    ///
    /// # Errors
    /// A hold of no nanosecond, or one that is as long as its period or longer than a year.
    pub fn new(held: Duration, period: Duration) -> Result<Self, BadHold> {
        // Times of that length can be counted in ARM clocks.
        const LONGEST: Duration = Duration::from_secs(365 * 86_400);
        if held.as_nanos() == 0 || held >= period || period > LONGEST {
            return Err(BadHold);
        }
        Ok(Self {
            held_ns: held.as_nanos() as u64,
            period_ns: period.as_nanos() as u64,
            after: HoldsAfter::PowerOn,
        })
    }

    /// The same with its periods counted from another moment.
    #[must_use]
    pub fn after(self, after: HoldsAfter) -> Self {
        Self { after, ..self }
    }
}

/// The name on command lines, without the moment: `dma-hold:5:1000`, in microseconds.
impl fmt::Display for DmaHold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = |ns: u64| ns as f64 / 1000.0;
        write!(f, "dma-hold:{}:{}", us(self.held_ns), us(self.period_ns))
    }
}

/// The broken part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Defect {
    /// V3D computes wrongly.
    V3d(v3d_sim::Defect),
    /// DMA is late.
    DmaHold(DmaHold),
}

/// The name on command lines: that of V3D's defect, or `dma-hold:5:1000`.
impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::V3d(defect) => defect.fmt(f),
            Self::DmaHold(hold) => hold.fmt(f),
        }
    }
}

/// A text that names no defect.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UnknownDefect {
    /// No such name.
    #[error("{0}; or dma-hold:A:B, which holds DMA for A of each B microseconds")]
    Name(v3d_sim::UnknownDefect),
    /// A hold with other numbers than it can have.
    #[error("{0:?} is no hold of DMA: {BadHold}")]
    Hold(String),
}

impl FromStr for Defect {
    type Err = UnknownDefect;

    fn from_str(text: &str) -> Result<Self, UnknownDefect> {
        match text.strip_prefix("dma-hold") {
            Some(times) => hold(times)
                .map(Self::DmaHold)
                .ok_or_else(|| UnknownDefect::Hold(text.to_owned())),
            None => text.parse().map(Self::V3d).map_err(UnknownDefect::Name),
        }
    }
}

/// The hold of `:A:B`.
fn hold(times: &str) -> Option<DmaHold> {
    let (held, period) = times.strip_prefix(':')?.split_once(':')?;
    let time = |us: &str| {
        let us: f64 = us.parse().ok()?;
        Duration::try_from_secs_f64(us / 1e6).ok()
    };
    DmaHold::new(time(held)?, time(period)?).ok()
}

/// The holds of a board as they come.
#[derive(Clone, Copy, Default)]
pub struct Holds {
    setting: Option<DmaHold>,
    /// The clock at which the last hold behind a look began.
    began: Option<u64>,
}

impl Holds {
    /// The holds of a setting.
    pub fn new(setting: Option<DmaHold>) -> Self {
        let began = None;
        Self { setting, began }
    }

    /// The ARM has looked where a channel is at `now`.
    pub fn look(&mut self, now: u64) {
        if let Some(hold) = self.setting
            && hold.after == HoldsAfter::Look
        {
            let period = clocks_from_ns(hold.period_ns);
            if self.began.is_none_or(|began| now >= began + period) {
                self.began = Some(now);
            }
        }
    }

    /// The end of the hold that DMA is in at `now`.
    pub fn held_until(&self, now: u64) -> Option<u64> {
        let hold = self.setting?;
        let began = match hold.after {
            HoldsAfter::PowerOn => now - now % clocks_from_ns(hold.period_ns),
            HoldsAfter::Look => self.began?,
        };
        let end = began + clocks_from_ns(hold.held_ns);
        (now < end).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(held: u64, period: u64) -> DmaHold {
        DmaHold::new(Duration::from_micros(held), Duration::from_micros(period)).expect("a hold")
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        let late = Defect::V3d(v3d_sim::Defect::LateVpm);
        let odd = DmaHold::new(Duration::from_nanos(5500), Duration::from_millis(1));
        for defect in [
            late,
            Defect::DmaHold(us(5, 1000)),
            Defect::DmaHold(odd.unwrap()),
        ] {
            assert_eq!(defect.to_string().parse(), Ok(defect));
        }
        assert_eq!(
            Defect::DmaHold(odd.unwrap()).to_string(),
            "dma-hold:5.5:1000"
        );
    }

    #[test]
    fn a_hold_leaves_some_of_its_period() {
        for wrong in [
            "", ":", ":5", ":5:", ":0:5", ":5:5", ":6:5", ":-1:5", ":a:5", ":NaN:5", ":1:inf",
        ] {
            let error = format!("dma-hold{wrong}").parse::<Defect>();
            let error = error.expect_err("no hold").to_string();
            assert!(error.contains("dma-hold:5:1000"), "{error}");
        }
        let error = "dma".parse::<Defect>().expect_err("no defect").to_string();
        assert!(
            error.contains("wrong-qpu:N") && error.contains("dma-hold:A:B"),
            "{error}"
        );
    }

    #[test]
    fn holds_begin_with_their_periods_or_behind_a_look() {
        let holds = Holds::new(Some(us(5, 1000)));
        assert_eq!(holds.held_until(0), Some(3_500));
        assert_eq!(holds.held_until(3_500), None);
        assert_eq!(holds.held_until(700_001), Some(703_500));
        let mut holds = Holds::new(Some(us(5, 1000).after(HoldsAfter::Look)));
        assert_eq!(holds.held_until(0), None);
        holds.look(70);
        holds.look(80);
        assert_eq!(holds.held_until(90), Some(3_570));
        holds.look(700_069);
        assert_eq!(holds.held_until(700_069), None, "within the period");
        holds.look(700_070);
        assert_eq!(holds.held_until(700_070), Some(703_570));
    }
}
