//! One file for each command of the tool.

pub mod asm;
pub mod bench;
pub mod check;
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
pub mod plan;
pub mod run;
pub mod selftest;

use std::path::PathBuf;

use common::failure::Result;
use common::quantity::whole;
use host::client::Client;
use host::link::FIRST_BAUD;
use host::port::{LineSettings, PortChoice, VirtualBoard};

/// A board in place of the simulated V3D, for commands that run without one.
#[derive(clap::Args, Clone, Debug)]
pub struct BoardOptions {
    /// Run on the QPUs of a board: /dev/ttyUSB0, tcp:HOST:PORT, or 'sim:IMAGE' or
    /// 'sim:IMAGE?KEY=VALUE&..' for a virtual Pi in this process (default: on the simulated V3D
    /// alone)
    #[arg(short, long, value_name = "PORT")]
    pub port: Option<String>,
    /// Rate at which the board speaks when the command begins
    #[arg(long, value_name = "RATE", default_value_t = FIRST_BAUD, value_parser = whole::<u32>)]
    pub baud: u32,
    /// Rate to change to for the transfer (default: 921600, on a virtual Pi 3000000)
    #[arg(long, value_name = "RATE", value_parser = whole::<u32>)]
    pub transfer_baud: Option<u32>,
    /// kernel.elf of the firmware, for the texts of its logs
    #[arg(long, value_name = "FILE")]
    pub elf: Option<PathBuf>,
    /// Do not show the board's text
    #[arg(short, long)]
    pub quiet: bool,
}

impl BoardOptions {
    /// The port, where one is named.
    ///
    /// # Errors
    /// Usage, for a wrong key in its name.
    pub fn choice(&self) -> Result<Option<PortChoice>> {
        let line = LineSettings {
            baud: self.baud,
            elf: self.elf.clone(),
            is_quiet: self.quiet,
        };
        let name = self.port.as_deref();
        name.map(|name| PortChoice::new(Some(name), VirtualBoard::default(), line))
            .transpose()
    }

    /// The board, woken and at the rate of the transfer; none where there is no port.
    ///
    /// # Errors
    /// When there is no such port, or nobody answers.
    pub fn connect(&self) -> Result<Option<Client>> {
        let choice = self.choice()?;
        choice
            .map(|choice| choice.connect_to_qpus(self.transfer_baud))
            .transpose()
    }
}
