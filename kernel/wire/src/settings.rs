//! The table of the board's settings. Every other list of settings follows from it.

/// A setting without its value: what both ends of the line know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The key of its word.
    pub key: &'static str,
    /// Why only `cmdline.txt` sets it, if that is so.
    pub card_only: Option<&'static str>,
}

/// Calls the macro `$rows` with all settings, in the order in which they are listed.
///
/// A row has the name of the field and its key, the type and the default, the *form*, and a word
/// for help. The form takes the value from text, writes it, and lists the values that there are
/// (`kernel/src/instrument/settings/forms.rs`). A setting that only `cmdline.txt` sets has `card`
/// and the reason. Types, defaults and forms are looked up where `$rows` is declared, so the
/// firmware has them and others take the keys alone.
#[macro_export]
macro_rules! settings {
    ($rows:ident) => {
        $rows! {
            /// Points of a block: a power of two.
            n "n": u32 = 1024, PointsForm, "n=1024";
            /// The window.
            window "window": Window = Window::Hann, WindowForm, "window=hann";
            /// Overlap of blocks.
            overlap "overlap": Overlap = Overlap::Percent(50), OverlapForm, "overlap=50%";
            /// Blocks in a record; 0: one record at the end of an upload.
            average "avg": u32 = 16, BlocksForm, "avg=16";
            /// Records of an exponential average; 0: none.
            exponential "exp": u32 = 0,
                CountForm("use a number of records, for example exp=8, or exp=0 for none", "0.."),
                "exp=0";
            /// The detector that makes one spectrum of them.
            detector "detector": Detector = Detector::Mean, NamesForm,
                "detector=mean|max|min|mean+max";
            /// The mean of each block: kept or removed.
            dc "dc": Dc = Dc::Keep, NamesForm, "dc=keep|remove";
            /// The form in which spectra leave.
            output "out": Output = Output::Records(Encoding::U16), OutputForm,
                "out=u16|u8|f32|text";
            /// Where live samples come from.
            input "input": Input = Input::Generator, InputForm, "input=gen|i2s|smi";
            /// Their rate, for inputs other than the generator; `None`: the one that the ADC has.
            rate "rate": Option<Rate> = usual_rate(Input::Generator), RateForm, "rate=50000";
            /// The source of the clock of I2S.
            clock "clock": ClockSource = ClockSource::Board, NamesForm, "clock=board|adc";
            /// The slots of I2S that are samples.
            channel "channel": Channel = Channel::Left, NamesForm, "channel=left|right|iq|qi";
            /// The samples that are taken when too many come.
            mode "mode": Mode = Mode::Stream, NamesForm, "mode=stream|snapshot";
            /// The generator's samples. An upload names its own domain.
            domain "domain": Domain = Domain::Real, NamesForm, "domain=real|complex";
            /// First bin sent; `None`: the lowest there is.
            first "first": Option<i32> = None, BinForm, "first=all";
            /// Bins sent; 0: all from the first on.
            bins "bins": u32 = 0, CountForm("use a number of bins, or bins=0 for all", ""),
                "bins=0";
            /// The frequency that 0 Hz of the samples stands for, in hertz.
            centre_hz "centre": f64 = 0.0, HertzForm, "centre=0";
            /// The name of levels.
            unit "unit": Unit = Unit::Dbfs, NamesForm, "unit=dBFS|dB";
            /// The engine that is wanted.
            engine "engine": EngineChoice = EngineChoice::Auto, EngineForm, "engine=auto|fft|cpu";
            /// True if the generator starts unasked.
            start "start": bool = true, SwitchForm("use start=0 or start=1"), "start=0|1";
            /// Rounds of the QPU self-test at the start; 0: none.
            selftest_rounds "qputest": u32 = 0,
                CountForm("use a number of rounds, for example qputest=100", ""), "qputest=100",
                card "the QPU test runs at a start; write it into cmdline.txt";
            /// True if a host may run programs of its own.
            allows_run "allow": bool = false, PermissionForm, "allow=run",
                card "only the owner of the card allows that; write it into cmdline.txt";
        }
    };
}

macro_rules! keys {
    (@card) => { None };
    (@card $why:literal) => { Some($why) };
    ($($(#[$doc:meta])* $field:ident $key:literal: $type:ty = $default:expr, $form:expr,
       $help:literal $(, card $why:literal)?;)*) => {
        /// Every setting, in the order in which they are listed.
        pub const SETTINGS: &[Setting] = &[$(Setting {
            key: $key,
            card_only: keys!(@card $($why)?),
        }),*];
    };
}

settings!(keys);
