//! The options that name a port and say what is at it.

use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use common::failure::Result;
use common::quantity::whole;
use host::defect::TimedDefect;
use host::link::FIRST_BAUD;
use host::part::Part;
use host::port::{LineSettings, PortChoice, VirtualBoard};

/// A port, which is the only operand of its command.
#[derive(clap::Args, Clone, Debug)]
pub struct PortOperand {
    /// /dev/ttyUSB0, tcp:HOST:PORT, a file of recorded bytes or - for standard input where a
    /// command reads only, or 'sim:IMAGE?KEY=VALUE&..' for a virtual Pi in this process; without
    /// it what QPUSCOPE_PORT names
    #[arg(value_name = "PORT")]
    operand: Option<String>,
    /// The port, named as commands with other operands name it
    #[arg(short, long, value_name = "PORT", conflicts_with = "operand")]
    port: Option<String>,
}

impl PortOperand {
    /// The port's name, where there is one: as it was given, or by QPUSCOPE_PORT.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        // clap takes a port of the environment for a given one, and would refuse --port beside it.
        let environment = || std::env::var("QPUSCOPE_PORT").ok();
        let given = self.port.as_ref().or(self.operand.as_ref());
        given.cloned().or_else(environment)
    }
}

/// The options to reach a board, of a command with other operands.
#[derive(clap::Args, Clone, Debug)]
pub struct PortOptions {
    /// /dev/ttyUSB0, tcp:HOST:PORT, or 'sim:IMAGE?KEY=VALUE&..' for a virtual Pi in this process
    #[arg(short, long, env = "QPUSCOPE_PORT", value_name = "PORT")]
    pub port: Option<String>,
    /// The options of the line.
    #[command(flatten)]
    pub line: LineOptions,
}

impl PortOptions {
    /// The port and what is at it.
    ///
    /// # Errors
    /// Usage, for a wrong key in its name.
    pub fn choice(&self) -> Result<PortChoice> {
        self.line.choice(self.port.as_deref())
    }
}

/// The options of a line and of a virtual Pi at it.
#[derive(clap::Args, Clone, Debug)]
pub struct LineOptions {
    /// Rate at which the board speaks when the command begins
    #[arg(long, value_name = "RATE", default_value_t = FIRST_BAUD, value_parser = whole::<u32>)]
    pub baud: u32,
    /// kernel.elf of the firmware, for the texts of its logs
    #[arg(long, value_name = "FILE")]
    pub elf: Option<PathBuf>,
    /// What a virtual Pi is.
    #[command(flatten)]
    pub board: BoardOptions,
    /// Do not show the board's text
    #[arg(short, long)]
    pub quiet: bool,
}

impl LineOptions {
    /// The port of that name and what is at it.
    ///
    /// # Errors
    /// Usage, for a wrong key in its name.
    pub fn choice(&self, name: Option<&str>) -> Result<PortChoice> {
        let line = LineSettings {
            baud: self.baud,
            elf: self.elf.clone(),
            is_quiet: self.quiet,
        };
        PortChoice::new(name, self.board.board(), line)
    }
}

/// The options of a virtual Pi.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct BoardOptions {
    /// cmdline.txt of a virtual Pi
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub cmdline: String,
    /// A virtual Pi whose V3D does not answer
    #[arg(long)]
    pub no_v3d: bool,
    /// A virtual Pi with broken silicon: late-vpm, semaphore-two, no-reservation,
    /// stale-instructions, wrong-qpu:N, or dma-hold:A:B, which holds DMA up for A of each B
    /// microseconds; from that virtual second on, else from power-on
    #[arg(long, value_name = "NAME[@SECONDS]")]
    pub defect: Option<TimedDefect>,
    /// A part on the pins of a virtual Pi: mic, mic-right, adc or adc-master:RATE on I2S, or
    /// parallel on SMI, then what it plays (tone=HZ:DBFS, noise=DBFS,
    /// burst=HZ:DBFS:SAMPLES:PERIOD, seed=N, count, wav=FILE or raw=FILE), pins=p5 for I2S on the
    /// first Pi 1 B, and wiring=NAME for what is wrong with it. Sets input=i2s, or input=smi and
    /// rate=20M. A part on the header makes the board a B+
    #[arg(long, value_name = "KIND,...", conflicts_with_all = ["i2s", "smi"])]
    part: Option<Part>,
    /// An ADC on I2S of a virtual Pi that plays a WAV file, a sample for each of the board's
    #[arg(long, value_name = "FILE.wav", conflicts_with = "smi", value_parser = PathBufValueParser::new().map(Part::on_i2s))]
    i2s: Option<Part>,
    /// A parallel ADC on SMI of a virtual Pi that plays a WAV file, or bytes of offset binary
    #[arg(long, value_name = "FILE", value_parser = PathBufValueParser::new().map(Part::on_smi))]
    smi: Option<Part>,
}

impl BoardOptions {
    /// The board that is asked for.
    #[must_use]
    pub fn board(&self) -> VirtualBoard {
        let parts = [&self.part, &self.i2s, &self.smi];
        VirtualBoard {
            cmdline: self.cmdline.clone(),
            no_v3d: self.no_v3d,
            defect: self.defect,
            part: parts.into_iter().flatten().next().cloned(),
        }
    }
}
