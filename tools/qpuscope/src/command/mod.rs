//! One file for each command of the tool.

pub mod asm;
pub mod bench;
pub mod card;
pub mod check;
mod clipped;
pub mod compare;
pub mod debug;
pub mod digits;
pub mod dis;
pub mod explain;
pub mod export;
pub mod fft;
pub mod fft2;
pub mod flowgraph;
pub mod hello_fft;
pub mod info;
pub mod list;
pub mod plan;
pub mod probe;
pub mod read;
pub mod report;
pub mod run;
pub mod selftest;
pub mod sim;
#[cfg(feature = "web")]
pub mod web;
#[cfg(not(feature = "web"))]
#[path = "no_web.rs"]
pub mod web;

use std::path::{Path, PathBuf};

use v3d_sim::Constants;

use crate::client::Client;
use crate::defect::TimedDefect;
use crate::failure::{Failure, Result};
use crate::files::Input;
use crate::link::{self, FIRST_BAUD, Link, Opening};
use crate::log::{Logs, elf_for};
use crate::part::PartOptions;
use crate::quantity::whole;

/// The options to reach a board, shared by every command that does.
#[derive(clap::Args, Clone, Debug)]
pub struct PortOptions {
    /// /dev/ttyUSB0, tcp:HOST:PORT, or sim:IMAGE for a virtual Pi in this process
    #[arg(short, long, env = "QPUSCOPE_PORT", value_name = "PORT")]
    pub port: Option<String>,
    /// The options of the line.
    #[command(flatten)]
    pub more: LineOptions,
    /// Rate to change to for the transfer (default: 921600 when there is much to send, on a virtual
    /// Pi 3000000)
    #[arg(long, value_name = "RATE", value_parser = whole::<u32>)]
    pub transfer_baud: Option<u32>,
}

/// The options of a line, whatever names it.
#[derive(clap::Args, Clone, Debug)]
pub struct LineOptions {
    /// Rate at which the board speaks when the command begins
    #[arg(long, value_name = "RATE", default_value_t = FIRST_BAUD, value_parser = whole::<u32>)]
    pub baud: u32,
    /// kernel.elf of the firmware, for the texts of its logs
    #[arg(long, value_name = "FILE")]
    pub elf: Option<PathBuf>,
    /// cmdline.txt of a virtual Pi
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub cmdline: String,
    /// A virtual Pi without V3D
    #[arg(long)]
    pub no_v3d: bool,
    /// A virtual Pi with broken silicon: late-vpm, semaphore-two, no-reservation,
    /// stale-instructions, wrong-qpu:N, or dma-hold:A:B, which holds DMA up for A of each B
    /// microseconds; from that virtual second on, else from power-on
    #[arg(long, value_name = "NAME[@SECONDS]")]
    pub defect: Option<TimedDefect>,
    /// The part on the pins of a virtual Pi.
    #[command(flatten)]
    pub part: PartOptions,
    /// Do not show the board's text
    #[arg(short, long)]
    pub quiet: bool,
}

/// A board in place of the simulated V3D, for commands that run without one.
#[derive(clap::Args, Clone, Debug)]
pub struct QpuOptions {
    /// Run on the QPUs of a board: /dev/ttyUSB0, tcp:HOST:PORT, or sim:IMAGE for a virtual Pi in
    /// this process (default: on the simulated V3D alone)
    #[arg(short, long, value_name = "PORT")]
    pub port: Option<String>,
    /// The options of the line.
    #[command(flatten)]
    pub line: LineOptions,
    /// Rate to change to for the transfer (default: 921600, on a virtual Pi 3000000)
    #[arg(long, value_name = "RATE", value_parser = whole::<u32>)]
    pub transfer_baud: Option<u32>,
}

impl QpuOptions {
    /// The board, woken and at the rate of the transfer; none where there is no port.
    ///
    /// # Errors
    /// When there is no such port, or nobody answers.
    pub fn connect(&self) -> Result<Option<Client>> {
        let port = self.port.as_deref();
        port.map(|port| self.line.connect_to_qpus(port, self.transfer_baud))
            .transpose()
    }
}

impl LineOptions {
    /// The files that are read for this port, which no output may be.
    #[must_use]
    pub fn inputs<'a>(&'a self, port: Option<&'a str>) -> Vec<Input<'a>> {
        let image = port.and_then(|port| port.strip_prefix("sim:"));
        let image = image.map(|image| (Path::new(image), "the image"));
        let elf = self
            .elf
            .as_deref()
            .map(|elf| (elf, "the firmware's ELF file"));
        let part = self.part.inputs();
        image.into_iter().chain(elf).chain(part).collect()
    }

    /// The board at `port`, woken, for jobs, and at the rate of the transfer: the line's where none
    /// was asked for.
    ///
    /// # Errors
    /// When there is no such port, or nobody answers.
    pub fn connect_to_qpus(&self, port: &str, transfer_baud: Option<u32>) -> Result<Client> {
        let mut line = self.clone();
        // A virtual Pi of this process is the user's own; a board's owner says it on the card.
        line.cmdline.push_str(" allow=run");
        let (link, logs) = line.open(Some(port))?;
        let mut client = Client::new(link, self.baud, logs, self.quiet);
        let info = client.hello()?;
        crate::say::remark!("{}, firmware {}", info.board, info.firmware);
        client.change_for_transfer(transfer_baud)?;
        Ok(client)
    }

    /// Opens `port` and prepares the logs of what is behind it.
    ///
    /// # Errors
    /// When there is no such port, or the ELF file given is none.
    pub fn open(&self, port: Option<&str>) -> Result<(Box<dyn Link>, Logs)> {
        self.open_with(port, Constants::recommended())
    }

    /// Opens as [`LineOptions::open`]; a virtual Pi's V3D has these constants.
    ///
    /// # Errors
    /// As [`LineOptions::open`].
    pub fn open_with(
        &self,
        port: Option<&str>,
        constants: Constants,
    ) -> Result<(Box<dyn Link>, Logs)> {
        let logs = match elf_for(self.elf.as_deref(), port) {
            // A file that only happens to lie there may be of another kind; a given one must be
            // right.
            Some(path) => match Logs::with_elf(&path) {
                Err(failure) if self.elf.is_some() => return Err(failure),
                logs => logs.unwrap_or_default(),
            },
            None => Logs::default(),
        };
        if self.part.is_given() && !port.is_some_and(|port| port.starts_with("sim:")) {
            return Err(Failure::usage(
                "--part, --i2s and --smi put a part on a virtual Pi and on no board; give sim:IMAGE as the port, or leave it out",
            ));
        }
        let opening = Opening {
            baud: self.baud,
            cmdline: self.part.cmdline(&self.cmdline),
            v3d: !self.no_v3d,
            defect: self.defect,
            part: self.part.read()?,
            constants,
        };
        Ok((link::open(port, &opening)?, logs))
    }
}

impl PortOptions {
    /// Opens the port for a conversation.
    ///
    /// # Errors
    /// When there is no such port.
    pub fn connect(&self) -> Result<Client> {
        let (link, logs) = self.more.open(self.port.as_deref())?;
        Ok(Client::new(link, self.more.baud, logs, self.more.quiet))
    }
}
