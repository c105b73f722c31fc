//! Settings: `key=value` words from `cmdline.txt`, from `SET`, or typed.
//!
//! A text of words is taken as a whole or not at all, and every refusal is a sentence that says
//! what would be right.

mod forms;
mod input;
mod numbers;
mod rate;
mod table;

use core::fmt::{self, Write};

use qpu_programs::firmware;
use wire::{Detector, Encoding, NakCode, Name, Rate, Window};

use input::check_parallel;
pub use input::{Channel, ClockSource, Input, Mode};
pub(crate) use numbers::{fixed, rounded};
use rate::{check_rate, usual_rate, write_nearest, write_nearest_smi};
pub use table::Settings;
pub(super) use table::{write_capabilities, write_help};

/// The longest transform, in points; what the workspace is made for.
pub const MAX_N: u32 = 1 << firmware::MAX_LOG2;
/// The shortest transform, in points.
pub const MIN_N: u32 = 1 << firmware::MIN_LOG2;

/// The part that a block shares with the one before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    /// Percent of a block, rounded down to whole samples.
    Percent(u32),
    /// Samples.
    Samples(u32),
}

/// The form in which spectra leave the instrument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// Records.
    Records(Encoding),
    /// The strongest lines of each spectrum as text.
    Text,
}

signal::code! {
    /// The engine that is wanted.
    EngineChoice, "engine" {
        /// The QPUs where they can, otherwise the ARM.
        #[default]
        Auto = 0 "auto",
        /// The QPUs for transforms only: window, powers and sums are the ARM's.
        Fft = 1 "fft",
        /// The ARM.
        Cpu = 2 "cpu",
    }
}

/// Why a text of settings was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SettingError {
    /// The word in question, as far as it fits.
    pub word: Name,
    /// The defect of the word.
    pub problem: Problem,
}

/// A defect of a setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Problem {
    /// There is no such key.
    UnknownKey,
    /// The value is none of those possible.
    Value(&'static str),
    /// The value is none of these names.
    Names(&'static [&'static str]),
    /// There is no such window.
    Window,
    /// A transform length that is not a power of two.
    NotPowerOfTwo,
    /// A transform length that does not fit the memory set aside for it.
    TooLong,
    /// A rate that no divisor of the crystal gives.
    NoDivisor(Rate),
    /// A rate that SMI does not have.
    NoReads(Rate),
}

impl Problem {
    /// The error that this word has.
    fn of(self, word: &str) -> SettingError {
        SettingError {
            word: Name::new(word),
            problem: self,
        }
    }
}

impl SettingError {
    /// The code it has in a `NAK`.
    #[must_use]
    pub const fn code(&self) -> NakCode {
        match self.problem {
            Problem::UnknownKey => NakCode::UNKNOWN_SETTING,
            Problem::TooLong => NakCode::NO_MEMORY,
            Problem::Value(_)
            | Problem::Names(_)
            | Problem::Window
            | Problem::NotPowerOfTwo
            | Problem::NoDivisor(_)
            | Problem::NoReads(_) => NakCode::BAD_VALUE,
        }
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let word = self.word;
        match self.problem {
            Problem::UnknownKey => {
                write!(f, "{word}: no such setting; known are ")?;
                forms::write_list(table::open().map(|row| &row.key), ", ", f)
            }
            Problem::Value(right) => write!(f, "{word}: {right}"),
            Problem::Names(names) => {
                let (last, others) = names.split_last().unwrap_or((&"", &[]));
                write!(f, "{word}: use ")?;
                forms::write_list(others.iter(), ", ", f)?;
                write!(f, " or {last}")
            }
            Problem::Window => write!(
                f,
                "{word}: use {} or, with a beta from 0 to 30 of up to three decimals, kaiser:8.6",
                Window::names(", ")
            ),
            Problem::NoDivisor(rate) => write_nearest(rate, f),
            Problem::NoReads(rate) => write_nearest_smi(rate, f),
            Problem::NotPowerOfTwo => write!(
                f,
                "{word}: not a power of two; use 16, 32, 64 ... up to {MAX_N}"
            ),
            Problem::TooLong => write!(
                f,
                "{word}: more than the memory set aside for a block; use n={MAX_N} or less and \
                 average more blocks"
            ),
        }
    }
}

impl Settings {
    /// Samples that a block shares with the one before.
    #[must_use]
    pub fn overlap_samples(&self) -> u32 {
        match self.overlap {
            Overlap::Percent(percent) => (u64::from(self.n) * u64::from(percent) / 100) as u32,
            Overlap::Samples(samples) => samples,
        }
    }

    /// Encoding of records; irrelevant for text.
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        match self.output {
            Output::Records(encoding) => encoding,
            Output::Text => Encoding::U16,
        }
    }

    /// Takes `key=value` words, separated by white space: all of them, or none on an error.
    ///
    /// # Errors
    /// The first word that cannot be taken.
    pub fn apply(&mut self, text: &str) -> Result<(), SettingError> {
        let mut settings = *self;
        for word in text.split_ascii_whitespace() {
            let taken = settings.apply_word(word, false);
            taken.map_err(|it| it.of(word))?;
        }
        settings.check_overlap()?;
        settings.check_exponential()?;
        settings.check_rate()?;
        *self = settings;
        Ok(())
    }

    /// Takes a word; `from_card`: also what only `cmdline.txt` sets.
    fn apply_word(&mut self, word: &str, from_card: bool) -> Result<(), Problem> {
        let (key, value) = word.split_once('=').unwrap_or(("", ""));
        let row = table::find(key).ok_or(Problem::UnknownKey)?;
        match row.card_only {
            Some(why) if !from_card => Err(Problem::Value(why)),
            _ => (row.take)(self, value),
        }
    }

    /// Refuses a rate that the input cannot have.
    pub(super) fn check_rate(&self) -> Result<(), SettingError> {
        check_parallel(self).map_err(|(key, problem)| problem.of(key))?;
        check_rate(self).map_err(|problem| problem.of("rate"))
    }

    fn check_overlap(&self) -> Result<(), SettingError> {
        if self.overlap_samples() < self.n {
            return Ok(());
        }
        Err(Problem::Value("at least one sample less than n; set overlap=50%").of("overlap"))
    }

    /// Refuses an exponential average of what is no mean of a record.
    fn check_exponential(&self) -> Result<(), SettingError> {
        let right = match (self.exponential, self.average, self.detector) {
            (0, _, _) => return Ok(()),
            (_, 0, _) => "an average over records, of which avg=all makes one: set exp=0 or avg=16",
            (_, _, Detector::Max | Detector::Min) => {
                "an average of means: set exp=0, detector=mean or detector=mean+max"
            }
            (_, _, Detector::Mean | Detector::MeanMax) => return Ok(()),
        };
        Err(Problem::Value(right).of("exp"))
    }

    /// Settings from the text of `cmdline.txt`, and the first error. A wrong word is passed over,
    /// and an overlap that does not fit the length that they end with. Words whose key has a dot
    /// come from the boot firmware itself and are none of ours.
    #[must_use]
    pub fn from_cmdline(text: &str) -> (Self, Option<SettingError>) {
        let mut settings = Self::default();
        let mut first_error = None;
        for word in text.split_ascii_whitespace() {
            if word.split('=').next().unwrap_or(word).contains('.') {
                continue;
            }
            let taken = settings.apply_word(word, true);
            if let Err(problem) = taken {
                first_error = first_error.or(Some(problem.of(word)));
            }
        }
        if let Err(error) = settings.check_overlap() {
            settings.overlap = Self::default().overlap;
            first_error = first_error.or(Some(error));
        }
        if let Err(error) = settings.check_exponential() {
            settings.exponential = 0;
            first_error = first_error.or(Some(error));
        }
        if let Err(error) = settings.check_rate() {
            let Self { clock, channel, .. } = Self::default();
            let is_smi = settings.input == Input::Smi;
            settings = Self {
                rate: usual_rate(settings.input),
                clock,
                channel: if is_smi { channel } else { settings.channel },
                ..settings
            };
            first_error = first_error.or(Some(error));
        }
        (settings, first_error)
    }

    /// Writes the settings named in `keys`, all of them when it is empty or `all`, as lines that
    /// [`Self::apply`] reads back.
    ///
    /// # Errors
    /// That of `out`.
    pub fn write(&self, keys: &str, out: &mut impl Write) -> fmt::Result {
        if matches!(keys.trim(), "" | "all") {
            return table::open().try_for_each(|row| self.write_row(row, out));
        }
        let named = keys.split([',', ' ', '\n']).map(str::trim);
        named
            .filter_map(table::find)
            .filter(|row| row.card_only.is_none())
            .try_for_each(|row| self.write_row(row, out))
    }

    fn write_row(&self, row: &table::SettingRow, out: &mut impl Write) -> fmt::Result {
        write!(out, "{}=", row.key)?;
        (row.write)(self, out)?;
        out.write_str("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken() {
        let mut settings = Settings::default();
        settings
            .apply("n=4096 window=bh4 avg=all overlap=75% out=f32 centre=-1090.25 start=0")
            .unwrap();
        assert_eq!((settings.n, settings.average), (4096, 0));
        assert_eq!(settings.window, Window::BlackmanHarris);
        assert_eq!(settings.overlap_samples(), 3072);
        assert_eq!(settings.output, Output::Records(Encoding::F32));
        assert_eq!(settings.centre_hz, -1090.25);
        assert!(!settings.start);
    }

    #[test]
    fn a_text_is_taken_as_a_whole_or_not_at_all() {
        let mut settings = Settings::default();
        assert!(settings.apply("n=4096 window=triangle").is_err());
        assert_eq!(settings, Settings::default());
        // An overlap that fits the new length only is fine, in either order.
        settings.apply("overlap=2000 n=4096").unwrap();
        assert!(settings.apply("n=1024").is_err());
    }

    #[test]
    fn refusals_say_what_to_do() {
        let (too_long, longest) = (format!("n={}", 2 * MAX_N), format!("n={MAX_N}"));
        for (text, code, words) in [
            ("n=1000", NakCode::BAD_VALUE, "power of two"),
            ("n=8", NakCode::BAD_VALUE, "16"),
            (too_long.as_str(), NakCode::NO_MEMORY, longest.as_str()),
            ("n=99999999999999999999", NakCode::BAD_VALUE, "n=4096"),
            ("window=x", NakCode::BAD_VALUE, "blackman-harris"),
            ("window=kaiser", NakCode::BAD_VALUE, "kaiser:8.6"),
            ("window=kaiser:31", NakCode::BAD_VALUE, "0 to 30"),
            ("window=kaiser:-1", NakCode::BAD_VALUE, "0 to 30"),
            ("window=kaiser:1e1", NakCode::BAD_VALUE, "three decimals"),
            (
                "detector=peak",
                NakCode::BAD_VALUE,
                "mean, max, min or mean+max",
            ),
            ("exp=slow", NakCode::BAD_VALUE, "exp=8"),
            ("exp=8 avg=all", NakCode::BAD_VALUE, "avg=16"),
            ("exp=8 detector=max", NakCode::BAD_VALUE, "mean+max"),
            ("dc=off", NakCode::BAD_VALUE, "keep or remove"),
            ("overlap=100%", NakCode::BAD_VALUE, "50%"),
            ("overlap=1024", NakCode::BAD_VALUE, "less than n"),
            ("nn=1", NakCode::UNKNOWN_SETTING, "window"),
            ("hello", NakCode::UNKNOWN_SETTING, "known are"),
            ("centre=1e9", NakCode::BAD_VALUE, "hertz"),
            ("centre=1000000000000001", NakCode::BAD_VALUE, "hertz"),
        ] {
            let error = Settings::default().apply(text).unwrap_err();
            assert_eq!(error.code(), code, "{text}");
            assert!(error.to_string().contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn cmdline_passes_over_what_is_not_ours() {
        let text = "dma.dmachans=0x7f35 n=2048 quiet vc_mem.mem_base=0x1ec00000 avg=4\n";
        let (settings, error) = Settings::from_cmdline(text);
        assert_eq!((settings.n, settings.average), (2048, 4));
        assert_eq!(error.unwrap().word.as_str(), "quiet");
    }

    #[test]
    fn cmdline_takes_an_overlap_before_the_length_that_it_fits() {
        let (settings, error) = Settings::from_cmdline("overlap=2000 n=4096");
        assert_eq!((settings.overlap_samples(), error), (2000, None));
        let (settings, error) = Settings::from_cmdline("overlap=2000 avg=4");
        assert_eq!((settings.overlap_samples(), settings.average), (512, 4));
        assert_eq!(error.unwrap().word.as_str(), "overlap");
    }

    #[test]
    fn cmdline_gives_up_an_average_that_does_not_fit() {
        let (settings, error) = Settings::from_cmdline("exp=8 detector=max avg=4");
        assert_eq!(
            (settings.exponential, settings.detector, settings.average),
            (0, Detector::Max, 4)
        );
        assert_eq!(error.unwrap().word.as_str(), "exp");
        let (settings, error) = Settings::from_cmdline("exp=8 avg=4");
        assert_eq!((settings.exponential, error), (8, None));
    }

    #[test]
    fn the_qpu_test_is_asked_for_in_cmdline_txt_only() {
        let (settings, error) = Settings::from_cmdline("start=0 qputest=100");
        assert_eq!(
            (settings.selftest_rounds, settings.start, error),
            (100, false, None)
        );
        let (settings, error) = Settings::from_cmdline("qputest=many");
        assert_eq!(settings.selftest_rounds, 0);
        assert!(error.unwrap().to_string().contains("qputest=100"));
        let error = Settings::default().apply("qputest=1").unwrap_err();
        assert!(error.to_string().contains("cmdline.txt"), "{error}");
    }

    #[test]
    fn programs_of_a_host_are_allowed_in_cmdline_txt_only() {
        assert!(!Settings::default().allows_run);
        let (settings, error) = Settings::from_cmdline("n=256 allow=run");
        assert_eq!((settings.allows_run, error), (true, None));
        let (settings, error) = Settings::from_cmdline("allow=all");
        assert!(!settings.allows_run);
        assert!(error.unwrap().to_string().contains("allow=run"));
        let mut settings = Settings::default();
        let error = settings.apply("allow=run").unwrap_err();
        assert!(error.to_string().contains("cmdline.txt"), "{error}");
        assert!(!settings.allows_run);
    }

    #[test]
    fn what_is_written_can_be_read_back() {
        let mut settings = Settings::default();
        settings
            .apply("n=256 avg=all first=-3 bins=7 centre=0.125 out=text engine=cpu unit=dB")
            .unwrap();
        settings
            .apply("window=kaiser:8.65 detector=min dc=remove")
            .unwrap();
        let mut long = Settings::default();
        long.apply("avg=1048576 exp=8 detector=mean+max").unwrap();
        assert_eq!((long.average, long.exponential), (1 << 20, 8));
        let mut text = String::new();
        long.write("avg, exp, detector", &mut text).unwrap();
        assert_eq!(text, "avg=1048576\nexp=8\ndetector=mean+max\n");
        let mut text = String::new();
        settings.write("all", &mut text).unwrap();
        let mut again = Settings::default();
        again.apply(&text).unwrap();
        assert_eq!(again, settings);
        let mut text = String::new();
        let keys = "n, avg, window, detector, dc";
        settings.write(keys, &mut text).unwrap();
        let wanted = "n=256\navg=all\nwindow=kaiser:8.65\ndetector=min\ndc=remove\n";
        assert_eq!(text, wanted);
    }
}
