//! The settings with their values: the fields, the defaults and the rows of [`wire::settings`].

use core::fmt::{self, Write};

use wire::{Dc, Detector, Domain, Encoding, Rate, Unit, Window};

use super::forms::{
    BinForm, BlocksForm, CountForm, EngineForm, Form, HertzForm, InputForm, NamesForm, OutputForm,
    OverlapForm, PermissionForm, PointsForm, RateForm, SwitchForm, WindowForm,
};
use super::rate::usual_rate;
use super::{Channel, ClockSource, EngineChoice, Input, Mode, Output, Overlap, Problem};

/// A setting, and how its field is reached.
pub(super) struct SettingRow {
    /// The key of its word.
    pub key: &'static str,
    /// A word for help.
    pub help: &'static str,
    /// Why only `cmdline.txt` sets it, if that is so.
    pub card_only: Option<&'static str>,
    /// Takes the value from text.
    pub take: fn(&mut Settings, &str) -> Result<(), Problem>,
    /// Writes the value.
    pub write: fn(&Settings, &mut dyn Write) -> fmt::Result,
    /// Writes the values that there are.
    pub values: fn(&mut dyn Write) -> fmt::Result,
}

macro_rules! table {
    (@card) => { None };
    (@card $why:literal) => { Some($why) };
    ($($(#[$doc:meta])* $field:ident $key:literal: $type:ty = $default:expr, $form:expr,
       $help:literal $(, card $why:literal)?;)*) => {
        /// Everything that can be set.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Settings { $($(#[$doc])* pub $field: $type,)* }

        impl Default for Settings {
            /// The settings of a board with nothing but a serial cable. At 115,200 baud a record
            /// takes 0.1 s, and one comes every 0.16 s.
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        /// Every setting.
        pub(super) static TABLE: &[SettingRow] = &[$(SettingRow {
            key: $key,
            help: $help,
            card_only: table!(@card $($why)?),
            take: |settings, text| {
                settings.$field = Form::<$type>::take(&$form, text)?;
                Ok(())
            },
            write: |settings, out| Form::<$type>::write(&$form, settings.$field, out),
            values: |out| Form::<$type>::values(&$form, out),
        }),*];
    };
}

wire::settings!(table);

/// The setting with this key.
pub(super) fn find(key: &str) -> Option<&'static SettingRow> {
    TABLE.iter().find(|row| row.key == key)
}

/// The settings that a host sets as well.
pub(super) fn open() -> impl Iterator<Item = &'static SettingRow> {
    TABLE.iter().filter(|row| row.card_only.is_none())
}

/// Columns of help.
const COLUMNS: usize = 78;

/// Writes the settings for help, as many words in a line as it holds.
///
/// # Errors
/// That of `out`.
pub(in crate::instrument) fn write_help(out: &mut impl Write) -> fmt::Result {
    const HEAD: &str = "settings:";
    out.write_str(HEAD)?;
    let mut column = HEAD.len();
    for SettingRow { help, .. } in open() {
        if column + 1 + help.len() > COLUMNS {
            write!(out, "\r\n{:1$}", "", HEAD.len())?;
            column = HEAD.len();
        }
        write!(out, " {help}")?;
        column += 1 + help.len();
    }
    out.write_str("\r\n")
}

/// Writes a line `key=values` for each setting whose values can be listed.
///
/// # Errors
/// That of `out`.
pub(in crate::instrument) fn write_capabilities(out: &mut dyn Write) -> fmt::Result {
    for SettingRow { key, values, .. } in open() {
        let begun = false;
        let mut line = CapabilityLine { key, begun, out };
        values(&mut line)?;
        if line.begun {
            out.write_str("\n")?;
        }
    }
    Ok(())
}

/// A line that begins with `key=` as soon as there is something to say.
struct CapabilityLine<'a> {
    key: &'a str,
    begun: bool,
    out: &'a mut dyn Write,
}

impl Write for CapabilityLine<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if !self.begun && !text.is_empty() {
            self.begun = true;
            write!(self.out, "{}=", self.key)?;
        }
        self.out.write_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_has_words_that_are_taken() {
        for row in TABLE {
            let (key, values) = row.help.split_once('=').expect("a word");
            assert_eq!(key, row.key);
            for value in values.split('|') {
                assert_eq!((row.take)(&mut Settings::default(), value), Ok(()), "{key}");
            }
        }
        let mut help = String::new();
        write_help(&mut help).unwrap();
        assert!(help.lines().all(|line| line.len() <= COLUMNS), "{help}");
        assert!(open().all(|row| help.contains(row.help)), "{help}");
    }

    #[test]
    fn capabilities_name_the_values() {
        let mut text = String::new();
        write_capabilities(&mut text).unwrap();
        for line in [
            "n=16..65536",
            "window=rectangular,hann,hamming,blackman-harris,flat-top,kaiser:0..30",
            "avg=1..,all",
            "exp=0..",
            "detector=mean,max,min,mean+max",
            "dc=keep,remove",
            "out=f32,u16,u8,text",
            "input=gen,i2s,smi",
            "mode=stream,snapshot",
            "domain=real,complex",
            "unit=dBFS,dB",
            "engine=auto,fft,cpu",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}: {text}");
        }
        assert!(!text.contains("overlap"), "{text}");
        assert!(!text.contains("allow"), "{text}");
    }

    #[test]
    fn the_specification_has_the_defaults() {
        let document = include_str!("../../../wire/PROTOCOL.md");
        let (_, document) = document.split_once("\n# Settings\n").expect("a section");
        // Keys and defaults; a row may have some of each.
        let rows = document.lines().map(|line| line.split('|').collect());
        let rows = rows.filter(|cells: &Vec<_>| cells.len() == 6);
        let stated: Vec<(&str, &str)> = rows
            .flat_map(|cells| {
                let of = |cell: &'static str| cell.split(',').map(|it| it.trim().trim_matches('`'));
                of(cells[1]).zip(of(cells[3]))
            })
            .collect();
        for row in TABLE {
            let (_, default) = stated
                .iter()
                .find(|(key, _)| *key == row.key)
                .expect(row.key);
            let mut settings = Settings::default();
            if !default.is_empty() {
                (row.take)(&mut settings, default).expect(row.key);
            }
            assert_eq!(settings, Settings::default(), "{}", row.key);
        }
    }
}
