//! Broken silicon that a virtual Pi is asked to have: `late-vpm`, `dma-hold:5:1000`, or
//! `wrong-qpu:5@2.5` from a time on.

use std::str::FromStr;
use std::time::Duration;

use virtual_pi::{Config, Defect, VirtualPi};

use common::quantity::seconds;

/// A defect, and when it begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimedDefect {
    defect: Defect,
    begins_ns: u64,
}

impl FromStr for TimedDefect {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, time) = text.split_once('@').unwrap_or((text, "0"));
        let defect = name.parse::<Defect>().map_err(|error| error.to_string())?;
        let begins = match time {
            "0" => Ok(Duration::ZERO),
            time => seconds(time),
        };
        let begins_ns = begins
            .ok()
            .and_then(|time| u64::try_from(time.as_nanos()).ok());
        match begins_ns {
            Some(begins_ns) => Ok(Self { defect, begins_ns }),
            None => Err(format!(
                "{text} begins at no time; give NAME@SECONDS of virtual time, for example {defect}@2.5 or {defect}@500ms"
            )),
        }
    }
}

impl TimedDefect {
    /// Gives it to a board that has it at power-on.
    pub fn fit(self, config: &mut Config) {
        if self.begins_ns > 0 {
            return;
        }
        match self.defect {
            Defect::V3d(defect) => config.v3d_defect = Some(defect),
            Defect::DmaHold(hold) => config.dma_hold = Some(hold),
        }
    }

    /// True if QPUs compute wrongly, so that a plan may fail its proof.
    #[must_use]
    pub fn is_of_v3d(self) -> bool {
        matches!(self.defect, Defect::V3d(_))
    }

    /// When a board at `now_ns` has to be stopped for it at the latest; it gets it if that time has
    /// come, and then there is none.
    pub fn next_stop(waiting: &mut Option<Self>, board: &mut VirtualPi) -> Option<u64> {
        let coming = waiting.filter(|coming| coming.begins_ns > 0)?;
        if board.now_ns() < coming.begins_ns {
            return Some(coming.begins_ns);
        }
        *waiting = None;
        board.set_defect(coming.defect);
        common::say::remark!(
            "virtual Pi: from now on it has the defect {}",
            coming.defect
        );
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_begins_at_power_on_or_at_a_time() {
        let read = |text: &str| text.parse::<TimedDefect>();
        let fitted = |text: &str| {
            let mut config = Config::default();
            read(text).expect("a defect").fit(&mut config);
            (config.v3d_defect, config.dma_hold.map(|it| it.to_string()))
        };
        let v3d = v3d_sim::Defect::LateVpm;
        assert_eq!(fitted("late-vpm"), (Some(v3d), None));
        let hold = Some("dma-hold:5.5:1000".into());
        assert_eq!(fitted("dma-hold:5.5:1e3"), (None, hold));
        assert_eq!(fitted("dma-hold:5:1000@2"), (None, None));
        let later = read("wrong-qpu:3@2.5").expect("a defect and a time");
        assert_eq!(later.begins_ns, 2_500_000_000);
        let soon = read("late-vpm@500ms").expect("a defect and a time");
        assert_eq!(soon.begins_ns, 500_000_000);
        for (wrong, named) in [
            ("late", "late-vpm"),
            ("late", "dma-hold:A:B"),
            ("dma-hold:5:5", "A at least 0.001 and less than B"),
            ("dma-hold:5:1000@soon", "NAME@SECONDS"),
            ("late-vpm@soon", "NAME@SECONDS"),
            ("late-vpm@-1", "NAME@SECONDS"),
        ] {
            let error = read(wrong).expect_err("neither");
            assert!(error.contains(named), "{error}");
        }
    }
}
