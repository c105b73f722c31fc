//! A serial port of this computer.

use std::fs::File;
use std::io::{ErrorKind, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use serialport::{SerialPort, SerialPortType};

use super::{BUFFER, Link, Received};
use common::failure::{Failure, Result};

/// The time that a write may wait for room in the port.
const WRITE_LIMIT: Duration = Duration::from_secs(5);

/// A serial port that a board may be at.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Candidate {
    /// Its device.
    pub path: String,
    /// Vendor and product identifiers and name of a USB adapter.
    pub usb: Option<Usb>,
    /// A name that stays the same when adapters are plugged in another order.
    pub by_id: Option<String>,
}

/// The description that a USB adapter gives of itself.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Usb {
    /// `VID:PID` in hexadecimal.
    pub id: String,
    /// Its own name, where it has one.
    pub product: Option<String>,
}

/// The serial ports of this computer, sorted by name.
pub fn candidates() -> Vec<Candidate> {
    let mut ports: Vec<Candidate> = serialport::available_ports()
        .unwrap_or_default()
        .into_iter()
        .map(|port| Candidate {
            by_id: by_id(&port.port_name),
            usb: match port.port_type {
                SerialPortType::UsbPort(usb) => Some(Usb {
                    id: format!("{:04x}:{:04x}", usb.vid, usb.pid),
                    product: usb.product,
                }),
                _ => None,
            },
            path: port.port_name,
        })
        .collect();
    ports.sort_by(|a, b| a.path.cmp(&b.path));
    ports
}

/// The link under /dev/serial/by-id that points at a device.
fn by_id(path: &str) -> Option<String> {
    let device = std::fs::canonicalize(path).ok()?;
    std::fs::read_dir("/dev/serial/by-id")
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|link| std::fs::canonicalize(link).is_ok_and(|target| target == device))
        .map(|link| link.display().to_string())
}

/// An open serial port, 8N1 without flow control.
pub struct SerialLink {
    path: String,
    port: Box<dyn SerialPort>,
    opened: Instant,
}

impl SerialLink {
    /// Opens a device. Its DTR line stays as it is.
    pub fn open(path: &str, baud: u32) -> Result<Self> {
        let port = serialport::new(path, baud)
            .preserve_dtr_on_open()
            .timeout(Duration::from_millis(100))
            .open()
            .map_err(|error| cannot_open(path, baud, &error))?;
        Ok(Self {
            path: path.to_owned(),
            port,
            opened: Instant::now(),
        })
    }

    fn broke(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::link(format!(
            "the line {} broke: {error}; check the cable and the adapter and start again",
            self.path
        ))
    }
}

fn cannot_open(path: &str, baud: u32, error: &serialport::Error) -> Failure {
    use serialport::ErrorKind as Kind;
    let tried = candidates();
    let there = match &tried[..] {
        [] => "no serial port is there".to_owned(),
        ports => {
            let names: Vec<_> = ports.iter().map(|port| port.path.as_str()).collect();
            format!("there are {}", names.join(", "))
        }
    };
    match error.kind() {
        _ if std::path::Path::new(path).is_dir() => Failure::no_device(format!(
            "{path} is a folder; name a port ({there}) or a recording"
        )),
        // What another program has opened is told apart by its being there.
        Kind::NoDevice if std::path::Path::new(path).exists() => Failure::no_device(format!(
            "another program has {path}; end that one first (`fuser {path}` names it)"
        )),
        Kind::NoDevice | Kind::Io(ErrorKind::NotFound) => Failure::no_device(format!(
            "there is no port {path} ({there}); plug in the adapter or choose with --port"
        )),
        Kind::Io(ErrorKind::PermissionDenied) => Failure::no_device(format!(
            "no permission for {path}; add yourself to its group (on Debian `sudo usermod -aG dialout $USER`, then \
             log in again)"
        )),
        Kind::Unknown if File::open(path).is_ok_and(|file| !file.is_terminal()) => {
            Failure::no_device(format!(
                "{path} is no serial port; name a port ({there}), or a file of recorded bytes"
            ))
        }
        _ => Failure::no_device(format!(
            "cannot open {path} at {baud} baud: {error}; if another program has it (ModemManager does for 20 \
             seconds after plugging in), end that first"
        )),
    }
}

impl Link for SerialLink {
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
        let set = self.port.set_timeout(wait.max(Duration::from_millis(1)));
        set.map_err(|error| self.broke(&error))?;
        match self.port.read(out) {
            Ok(0) => Ok(Received::End),
            Ok(count) => Ok(Received::Bytes(count)),
            Err(error) => match error.kind() {
                ErrorKind::TimedOut | ErrorKind::Interrupted | ErrorKind::WouldBlock => {
                    Ok(Received::Nothing)
                }
                // A pty whose other side closed: the line was cut.
                _ => Err(self.broke(&error)),
            },
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let set = self.port.set_timeout(WRITE_LIMIT);
        set.map_err(|error| self.broke(&error))?;
        let written = self.port.write_all(bytes);
        written.map_err(|error| self.broke(&error))
    }

    fn room(&mut self) -> usize {
        // A driver that does not say how much waits holds writes up itself.
        let waiting = self.port.bytes_to_write().unwrap_or(0);
        BUFFER.saturating_sub(waiting as usize)
    }

    fn set_baud(&mut self, baud: u32) -> Result<()> {
        let _ = self.port.flush();
        self.port.set_baud_rate(baud).map_err(|error| {
            Failure::link(format!(
                "{} cannot do {baud} baud ({error}); choose a rate that the adapter has with --baud",
                self.path
            ))
        })
    }

    fn description(&self) -> String {
        let baud = self.port.baud_rate().unwrap_or(0);
        format!("{} at {baud} baud", self.path)
    }

    fn now(&self) -> Duration {
        self.opened.elapsed()
    }
}
