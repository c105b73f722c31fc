//! Option values as people write them: windows, overlaps, averages, encodings.

use common::quantity::whole;

/// Which engine computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum EngineChoice {
    /// The QPUs where the board has them, otherwise the ARM.
    Auto,
    /// The QPUs, or an error.
    Qpu,
    /// The ARM.
    Cpu,
}

/// Samples that neighbouring blocks share.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Overlap {
    Samples(u32),
    Percent(f64),
}

impl Overlap {
    /// In samples of a block of `n`: whole ones, rounded down as the board does.
    pub(super) fn samples(self, n: u32) -> u32 {
        match self {
            Self::Samples(samples) => samples,
            Self::Percent(percent) => (f64::from(n) * percent / 100.0) as u32,
        }
    }
}

pub(super) fn window(text: &str) -> Result<wire::Window, String> {
    wire::Window::from_name(text).ok_or_else(|| {
        format!(
            "there is no window `{text}`; choose one of {}, or kaiser:8.6 with any number from 0 to 30 of up to \
             three decimals",
            wire::Window::names(", ")
        )
    })
}

/// The help of `--window`.
pub(super) fn window_help() -> String {
    let names = wire::Window::names(", ");
    format!("{names}, or kaiser:BETA with a BETA from 0 to 30")
}

pub(super) fn detector(text: &str) -> Result<wire::Detector, String> {
    wire::Detector::from_name(text)
        .ok_or_else(|| format!("there is no detector `{text}`; choose mean, max, min or mean+max"))
}

pub(super) fn dc(text: &str) -> Result<wire::Dc, String> {
    wire::Dc::from_name(text)
        .ok_or_else(|| format!("`{text}` cannot be done with the mean; choose keep or remove"))
}

pub(super) fn encoding(text: &str) -> Result<wire::Encoding, String> {
    wire::Encoding::from_name(text)
        .ok_or_else(|| format!("there is no encoding `{text}`; choose f32, u16 or u8"))
}

pub(super) fn overlap(text: &str) -> Result<Overlap, String> {
    let parsed = match text.strip_suffix('%') {
        Some(percent) => percent
            .parse()
            .ok()
            .filter(|percent| (0.0..100.0).contains(percent))
            .map(Overlap::Percent),
        None => whole(text).ok().map(Overlap::Samples),
    };
    parsed.ok_or_else(|| {
        format!("`{text}` is no overlap; give samples (2048), or percent below 100 (50%)")
    })
}

/// The blocks in an average, as the setting `avg` has them.
pub(super) fn averages(text: &str) -> Result<String, String> {
    let count = || whole::<u32>(text).ok().filter(|&count| count > 0);
    match text {
        "all" => Ok(text.to_owned()),
        _ => count().map(|count| count.to_string()).ok_or_else(|| {
            format!("`{text}` is no number of blocks; give all, or a number from 1 on")
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_and_averages_are_read_as_people_write_them() {
        assert_eq!(overlap("50%"), Ok(Overlap::Percent(50.0)));
        assert_eq!(overlap("100"), Ok(Overlap::Samples(100)));
        let samples = |text, n| overlap(text).map(|overlap| overlap.samples(n));
        assert_eq!(samples("50%", 4096), Ok(2048));
        assert_eq!(samples("12.5%", 1024), Ok(128));
        // 409.6 and 15.984.
        assert_eq!(samples("10%", 4096), Ok(409));
        assert_eq!(samples("99.9%", 16), Ok(15));
        assert_eq!(averages("all").as_deref(), Ok("all"));
        assert_eq!(averages("8").as_deref(), Ok("8"));
        for text in ["100%", "-1", "half", "%"] {
            assert!(overlap(text).expect_err(text).contains("50%"));
        }
        assert!(averages("0").is_err() && averages("some").is_err());
        assert!(
            window("kaiser")
                .expect_err("no such window")
                .contains("flat-top")
        );
        assert!(encoding("f64").is_err());
        assert!(window("kaiser:12.5").is_ok() && window("kaiser:31").is_err());
        assert!(detector("max").is_ok() && detector("peak").is_err());
        assert!(dc("remove").is_ok() && dc("yes").is_err());
    }
}
