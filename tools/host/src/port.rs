//! A port as a user names it, and the conversation that begins at it.
//!
//! Behind the image of a virtual Pi the name may say what that board is:
//! `sim:kernel.img?part=adc,tone=1000:-3&defect=late-vpm`.

use std::path::{Path, PathBuf};

use common::failure::{Failure, Result};
use common::files::Input;
use common::text::quote;
use v3d_sim::Constants;

use crate::client::Client;
use crate::defect::TimedDefect;
use crate::link::{self, FIRST_BAUD, Link, Opening};
use crate::log::{Logs, elf_for};
use crate::part::{Fitted, Part};

/// The keys in a port's name, for messages.
const KEYS: &str = "cmdline=TEXT, no-v3d, defect=NAME, part=KIND,.., i2s=FILE.wav or smi=FILE";

/// A virtual Pi as its user wants it.
#[derive(Clone, Debug, Default)]
pub struct VirtualBoard {
    /// Text of its `cmdline.txt`.
    pub cmdline: String,
    /// True if its V3D does not answer.
    pub no_v3d: bool,
    /// Broken silicon.
    pub defect: Option<TimedDefect>,
    /// The part on its pins.
    pub part: Option<Part>,
}

impl VirtualBoard {
    /// Returns whether nothing is asked of it.
    fn is_plain(&self) -> bool {
        self.cmdline.is_empty() && !self.no_v3d && self.defect.is_none() && self.part.is_none()
    }

    /// The text of its `cmdline.txt`, with the input that its part is for.
    #[must_use]
    pub fn cmdline(&self) -> String {
        match &self.part {
            Some(part) => part.cmdline(&self.cmdline),
            None => self.cmdline.clone(),
        }
    }

    /// The part on its pins, with what its file holds.
    ///
    /// # Errors
    /// Usage, when the file cannot be played.
    pub fn fitted(&self) -> Result<Option<Fitted>> {
        self.part.clone().map(Part::read).transpose()
    }

    /// Takes one word of a port's name: `key=value`.
    fn add(&mut self, word: &str) -> std::result::Result<(), String> {
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let (is_given, place) = match key {
            "cmdline" => (!self.cmdline.is_empty(), "cmdline"),
            "no-v3d" => (self.no_v3d, "no-v3d"),
            "defect" => (self.defect.is_some(), "defect"),
            "part" | "i2s" | "smi" => (self.part.is_some(), "the part"),
            _ => {
                return Err(format!(
                    "`{}` is no key of a virtual Pi; give {KEYS}",
                    quote(key)
                ));
            }
        };
        if is_given {
            return Err(format!("{place} is given twice; give it once"));
        }
        match key {
            "cmdline" => value.clone_into(&mut self.cmdline),
            "no-v3d" if value.is_empty() => self.no_v3d = true,
            "no-v3d" => return Err("no-v3d takes no value; give it alone".to_owned()),
            "defect" => self.defect = Some(value.parse()?),
            "part" => self.part = Some(value.parse()?),
            "i2s" => self.part = Some(Part::on_i2s(value.into())),
            _ => self.part = Some(Part::on_smi(value.into())),
        }
        Ok(())
    }
}

/// The host's end of a line.
#[derive(Clone, Debug)]
pub struct LineSettings {
    /// Rate at which the board speaks when the conversation begins.
    pub baud: u32,
    /// kernel.elf of the firmware, for the texts of its logs.
    pub elf: Option<PathBuf>,
    /// True if the board's text is not shown.
    pub is_quiet: bool,
}

impl Default for LineSettings {
    fn default() -> Self {
        Self {
            baud: FIRST_BAUD,
            elf: None,
            is_quiet: false,
        }
    }
}

/// A port, what a virtual Pi at it is, and the host's end of the line.
#[derive(Clone, Debug)]
pub struct PortChoice {
    /// The name without keys; `None` for the only serial port that is there.
    name: Option<String>,
    board: VirtualBoard,
    line: LineSettings,
}

impl PortChoice {
    /// The port of that name. `board` is what options ask of a virtual Pi beside the keys in the
    /// name.
    ///
    /// # Errors
    /// Usage, for an unknown or doubled key, and where a board that is no virtual Pi is to be one.
    pub fn new(name: Option<&str>, board: VirtualBoard, line: LineSettings) -> Result<Self> {
        let mut choice = Self {
            name: name.map(str::to_owned),
            board,
            line,
        };
        let is_virtual = name.is_some_and(|name| name.starts_with("sim:"));
        // A file may be called so.
        let whole = name.and_then(|name| name.strip_prefix("sim:"));
        if whole.is_some_and(|image| Path::new(image).is_file()) {
            return Ok(choice);
        }
        if let Some((bare, keys)) = name
            .and_then(|name| name.split_once('?'))
            .filter(|_| is_virtual)
        {
            choice.name = Some(bare.to_owned());
            for word in keys.split('&') {
                let added = choice.board.add(word);
                added.map_err(|error| Failure::usage(format!("{}: {error}", quote(bare))))?;
            }
        }
        if !is_virtual && !choice.board.is_plain() {
            return Err(Failure::usage(
                "a part, a defect and a command line are those of a virtual Pi and of no board; give sim:IMAGE as the \
                 port, or leave them out",
            ));
        }
        Ok(choice)
    }

    /// Returns whether a virtual Pi of this process is at it.
    #[must_use]
    pub fn is_virtual(&self) -> bool {
        self.image().is_some()
    }

    /// The name without keys.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn image(&self) -> Option<&Path> {
        let image = self.name.as_deref()?.strip_prefix("sim:")?;
        Some(Path::new(image))
    }

    /// The files that are read for this port, which no output may be.
    #[must_use]
    pub fn inputs(&self) -> Vec<Input<'_>> {
        let image = self.image().map(|image| (image, "the image"));
        let elf = self.line.elf.as_deref();
        let elf = elf.map(|elf| (elf, "the firmware's ELF file"));
        let part = self.board.part.as_ref().and_then(Part::input);
        image.into_iter().chain(elf).chain(part).collect()
    }

    /// Opens the port and prepares the logs of what is behind it.
    ///
    /// # Errors
    /// When there is no such port, or the ELF file given is none.
    pub fn open(&self) -> Result<(Box<dyn Link>, Logs)> {
        self.open_with(Constants::recommended())
    }

    /// Opens as [`PortChoice::open`]; a virtual Pi's V3D has these constants.
    ///
    /// # Errors
    /// As [`PortChoice::open`].
    pub fn open_with(&self, constants: Constants) -> Result<(Box<dyn Link>, Logs)> {
        let logs = match elf_for(self.line.elf.as_deref(), self.name()) {
            // A file that only happens to lie there may be of another kind; a given one must be
            // right.
            Some(path) => match Logs::with_elf(&path) {
                Err(failure) if self.line.elf.is_some() => return Err(failure),
                logs => logs.unwrap_or_default(),
            },
            None => Logs::default(),
        };
        let opening = Opening {
            baud: self.line.baud,
            cmdline: self.board.cmdline(),
            v3d: !self.board.no_v3d,
            defect: self.board.defect,
            part: self.board.fitted()?,
            constants,
        };
        Ok((link::open(self.name(), &opening)?, logs))
    }

    /// Opens the port for a conversation.
    ///
    /// # Errors
    /// As [`PortChoice::open`].
    pub fn connect(&self) -> Result<Client> {
        let (link, logs) = self.open()?;
        Ok(Client::new(link, self.line.baud, logs, self.line.is_quiet))
    }

    /// The board, woken, for jobs, and at the rate of the transfer: the line's where none was asked
    /// for.
    ///
    /// # Errors
    /// When there is no such port, or nobody answers.
    pub fn connect_to_qpus(&self, transfer_baud: Option<u32>) -> Result<Client> {
        let mut own = self.clone();
        if own.is_virtual() {
            // A virtual Pi of this process is the user's own; a board's owner says it on the card.
            own.board.cmdline.push_str(" allow=run");
        }
        let mut client = own.connect()?;
        let info = client.hello()?;
        common::say::remark!("{}, firmware {}", info.board, info.firmware);
        client.change_for_transfer(transfer_baud)?;
        Ok(client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(name: &str) -> Result<PortChoice> {
        PortChoice::new(Some(name), VirtualBoard::default(), LineSettings::default())
    }

    #[test]
    fn a_ports_name_says_what_a_virtual_pi_is() {
        let found = choice("sim:a.img?cmdline=n=256 avg=all&no-v3d&defect=late-vpm@2&smi=x.u8");
        let found = found.expect("a port");
        assert_eq!(found.name(), Some("sim:a.img"));
        assert_eq!(found.board.cmdline, "n=256 avg=all");
        assert!(found.board.no_v3d && found.board.defect.is_some());
        let inputs = found.inputs();
        let paths: Vec<_> = inputs.iter().map(|(path, _)| *path).collect();
        assert_eq!(paths, [Path::new("a.img"), Path::new("x.u8")]);
    }

    #[test]
    fn a_wrong_key_is_a_sentence() {
        for (name, words) in [
            (
                "sim:a.img?speed=2",
                "`speed` is no key of a virtual Pi; give cmdline=TEXT",
            ),
            ("sim:a.img?", "`` is no key"),
            ("sim:a.img?no-v3d=1", "no-v3d takes no value"),
            ("sim:a.img?part=mic&i2s=a.wav", "the part is given twice"),
            ("sim:a.img?defect=loud", "loud"),
            ("sim:a.img?part=horn", "adc-master:RATE"),
        ] {
            let failure = choice(name).expect_err(name);
            assert_eq!(failure.exit, common::failure::Exit::Usage);
            assert!(failure.message.contains(words), "{name}: {failure}");
        }
    }

    #[test]
    fn a_board_that_is_there_is_not_made_another() {
        let part = VirtualBoard {
            no_v3d: true,
            ..VirtualBoard::default()
        };
        let refused = PortChoice::new(Some("/dev/ttyUSB0"), part, LineSettings::default());
        assert!(refused.unwrap_err().message.contains("give sim:IMAGE"));
        // A file of recorded bytes may have any name.
        assert_eq!(choice("what?.bin").unwrap().name(), Some("what?.bin"));
    }
}
