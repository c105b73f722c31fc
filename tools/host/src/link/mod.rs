//! The line to a board, whatever it is: serial port, TCP, recorded bytes or a virtual Pi.
//!
//! A link has a clock of its own, because a virtual Pi's time passes only while a command waits for
//! it; every time limit of the tool is counted on that clock. Opening a link never resets or
//! reconfigures a board.

mod recorded;
mod serial;
mod sim;
mod tcp;

use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::Duration;

use crate::defect::TimedDefect;
use v3d_sim::Constants;

use crate::part::Fitted;
use common::failure::{Failure, Result};

pub use serial::candidates;
pub use sim::{BUFFER, SimLink, keep_pace, read_image};

/// The rate at which every board begins.
pub const FIRST_BAUD: u32 = 115_200;
/// The rate for long transfers where none is asked for: every adapter but the oldest has it.
const FAST_BAUD: u32 = 921_600;

/// The result of a read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Received {
    /// So many bytes, at least one.
    Bytes(usize),
    /// None within the time.
    Nothing,
    /// None ever again: the end of a file, or the other side hung up.
    End,
}

/// Two-way bytes with time limits.
pub trait Link {
    /// Waits up to `wait` for bytes and takes what has come.
    ///
    /// # Errors
    /// When the line broke.
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received>;

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// When the line broke, takes no more for seconds, or goes one way only.
    fn write(&mut self, bytes: &[u8]) -> Result<()>;

    /// The bytes that can be written without more of them waiting than a line has room for.
    fn room(&mut self) -> usize {
        usize::MAX
    }

    /// Changes the rate of the host's side, after everything written has left.
    ///
    /// # Errors
    /// When the port does not have that rate.
    fn set_baud(&mut self, baud: u32) -> Result<()>;

    /// The name of the link, for messages: `/dev/ttyUSB0 at 115200 baud`.
    fn description(&self) -> String;

    /// Time since the link was opened, on the clock that its waits count.
    fn now(&self) -> Duration;

    /// Returns true while the other side may still send, and be sent, something.
    fn is_live(&self) -> bool {
        true
    }

    /// Returns whether a rate means anything here: it does not on TCP and in files.
    fn has_baud(&self) -> bool {
        true
    }

    /// The rate for long transfers where none is asked for.
    fn transfer_baud(&self) -> u32 {
        FAST_BAUD
    }
}

/// The options of opening a link beside the port's name.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The rate of the host's side.
    pub baud: u32,
    /// Text of `cmdline.txt` for a virtual Pi.
    pub cmdline: String,
    /// True if a virtual Pi has a V3D.
    pub v3d: bool,
    /// The defect of a virtual Pi.
    pub defect: Option<TimedDefect>,
    /// The part on the pins of a virtual Pi.
    pub part: Option<Fitted>,
    /// The numbers of its V3D's cycle model.
    pub constants: Constants,
}

impl Default for Opening {
    fn default() -> Self {
        Self {
            baud: FIRST_BAUD,
            cmdline: String::new(),
            v3d: true,
            defect: None,
            part: None,
            constants: Constants::recommended(),
        }
    }
}

/// Opens `port`: `sim:IMAGE`, `tcp:HOST:PORT`, `-` for standard input, a device, or a file of
/// recorded bytes. Without one, the only serial port that is there.
///
/// # Errors
/// No device where there is none, usage where the name is no port.
pub fn open(port: Option<&str>, opening: &Opening) -> Result<Box<dyn Link>> {
    let found;
    let port = match port {
        Some(port) => port,
        None => {
            found = only_candidate()?;
            &found
        }
    };
    if let Some(image) = port.strip_prefix("sim:") {
        return Ok(Box::new(SimLink::boot(Path::new(image), opening)?));
    }
    if let Some(address) = port.strip_prefix("tcp:") {
        return Ok(Box::new(tcp::TcpLink::connect(address)?));
    }
    if port == "-" {
        return Ok(Box::new(recorded::Recorded::standard_input()));
    }
    let path = Path::new(port);
    // Named pipes too: `qpuscope read <(xz -d < recorded.xz)`.
    let kind = std::fs::metadata(path).map(|known| known.file_type());
    if kind.as_ref().is_ok_and(FileTypeExt::is_fifo) {
        return Ok(Box::new(recorded::Recorded::pipe(path)));
    }
    if kind.is_ok_and(|kind| kind.is_file()) {
        return Ok(Box::new(recorded::Recorded::file(path)?));
    }
    Ok(Box::new(serial::SerialLink::open(port, opening.baud)?))
}

/// Returns whether `port` names a file of recorded bytes, which can be read again.
#[must_use]
pub fn is_recording(port: &str) -> bool {
    let is_elsewhere = port.starts_with("sim:") || port.starts_with("tcp:") || port == "-";
    !is_elsewhere && Path::new(port).is_file()
}

fn only_candidate() -> Result<String> {
    let ports = candidates();
    let usb: Vec<_> = ports.iter().filter(|port| port.usb.is_some()).collect();
    let has_usb = !usb.is_empty();
    let (found, kind) = match has_usb {
        true => (usb, "USB serial port"),
        false => (ports.iter().collect(), "serial port"),
    };
    match &found[..] {
        [only] => {
            common::say::remark!(
                "using {} (the only {kind}; --port chooses another)",
                only.path
            );
            Ok(only.path.clone())
        }
        [] => Err(Failure::no_device(
            "no serial port found (looked for /dev/ttyUSB*, /dev/ttyACM* and built-in ones); plug in the \
             adapter, or name a port with --port or QPUSCOPE_PORT, or use a virtual Pi: --port sim:target/kernel.img",
        )),
        several => {
            let names: Vec<_> = several.iter().map(|port| port.path.as_str()).collect();
            let none = if has_usb { "" } else { " and none on USB" };
            Err(Failure::no_device(format!(
                "several {kind}s{none}: {}; choose one with --port or QPUSCOPE_PORT",
                names.join(", ")
            )))
        }
    }
}
