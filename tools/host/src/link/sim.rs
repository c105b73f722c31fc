//! A virtual Pi in this process. Its time passes only while a command reads.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use virtual_pi::{Config, Stop, VirtualPi};

use super::{Link, Opening, Received};
use crate::defect::TimedDefect;
use common::failure::{Failure, Result};
use common::files::input;
use common::say;

/// Virtual time between two looks at the line: half a byte at 115,200 baud would be finer than
/// anybody asks for, a whole record coarser.
const SLICE: Duration = Duration::from_micros(500);

/// Bytes that are on their way to the board at most, where a host asks for room: the buffers of a
/// UART and of the kernel's driver for it.
pub const BUFFER: usize = 4096;

/// The greatest rate that the board's UART has at its clock of 48 MHz: no adapter stands between.
const FASTEST_BAUD: u32 = 3_000_000;

/// When the computer is slower than the board, so much lag is kept and the rest forgiven.
const MOST_LAG: Duration = Duration::from_millis(100);

/// Waits while a board that was started at `start` is ahead of the clock on the wall.
pub fn keep_pace(start: &mut Instant, virtual_time: Duration) {
    let time = start.elapsed();
    std::thread::sleep(virtual_time.saturating_sub(time));
    let lag = time.saturating_sub(virtual_time);
    *start += lag.saturating_sub(MOST_LAG);
}

/// The board and what it has sent.
pub struct SimLink {
    image: String,
    board: VirtualPi,
    baud: u32,
    received: VecDeque<u8>,
    defect: Option<TimedDefect>,
    /// Its V3D is sound.
    is_sound: bool,
    /// Bytes of [`DROPPED`] that have come.
    matched: usize,
}

/// The firmware's message about a plan that fails on its board.
const DROPPED: &[u8] = b"plan dropped: ";

/// Reads an image for the virtual Pi.
///
/// # Errors
/// Usage, when it is not there.
pub fn read_image(path: &Path) -> Result<Vec<u8>> {
    if let Err(error) = std::fs::metadata(path) {
        return Err(Failure::usage(format!(
            "cannot read the image {}: {error}; build it with `cargo xtask build`, which writes target/kernel.img",
            say::path(path)
        )));
    }
    input::read(path, "an image", input::IMAGE)
}

impl SimLink {
    /// Boots an image.
    pub fn boot(path: &Path, opening: &Opening) -> Result<Self> {
        let image = read_image(path)?;
        let mut config = Config {
            cmdline: opening.cmdline.clone(),
            v3d: opening.v3d,
            v3d_constants: opening.constants.clone(),
            host_baud: opening.baud,
            ..Config::default()
        };
        if let Some(part) = opening.part.clone() {
            part.fit(&mut config);
        }
        if let Some(defect) = opening.defect {
            defect.fit(&mut config);
        }
        let board = VirtualPi::new(config, &image)
            .map_err(|error| Failure::usage(format!("{}: {error}", say::path(path))))?;
        Ok(Self {
            image: say::path(path),
            board,
            baud: opening.baud,
            received: VecDeque::new(),
            defect: opening.defect,
            is_sound: !opening.defect.is_some_and(TimedDefect::is_of_v3d),
            matched: 0,
        })
    }

    /// Lets virtual time pass up to `until_ns`, or until bytes are there.
    fn advance(&mut self, until_ns: u64) -> Result<()> {
        while self.received.is_empty() && self.board.now_ns() < until_ns {
            let mut next = (self.board.now_ns() + SLICE.as_nanos() as u64).min(until_ns);
            if let Some(stop) = TimedDefect::next_stop(&mut self.defect, &mut self.board) {
                next = next.min(stop);
            }
            let stop = self.board.run_until_ns(next);
            for byte in self.board.serial_received() {
                let value = byte.value;
                self.matched = match DROPPED.get(self.matched) {
                    Some(&next) if next == value => self.matched + 1,
                    _ => usize::from(value == DROPPED[0]),
                };
                if self.is_sound && self.matched == DROPPED.len() {
                    return Err(Failure::integrity(
                        "a plan of the QPUs failed on a virtual board that nothing is wrong with; please report this, with the command",
                    ));
                }
                self.received.push_back(value);
            }
            for message in self.board.messages() {
                common::say::remark!("virtual Pi: {message}");
            }
            match stop {
                // No part here is fed.
                Stop::Deadline | Stop::Starved => {}
                Stop::Reset => {
                    common::say::remark!("virtual Pi: reset (Watchdog), booting again")
                }
                // Bytes that came before the fault are still worth reading.
                Stop::Fault(_) if !self.received.is_empty() => return Ok(()),
                Stop::Fault(fault) => return Err(Failure::link(fault.to_string())),
            }
        }
        Ok(())
    }
}

impl Link for SimLink {
    fn read(&mut self, out: &mut [u8], wait: Duration) -> Result<Received> {
        let wait_ns = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        let until_ns = self.board.now_ns().saturating_add(wait_ns);
        self.advance(until_ns)?;
        let count = out.len().min(self.received.len());
        for (place, byte) in out.iter_mut().zip(self.received.drain(..count)) {
            *place = byte;
        }
        Ok(match count {
            0 => Received::Nothing,
            count => Received::Bytes(count),
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.board.serial_send(bytes);
        Ok(())
    }

    fn room(&mut self) -> usize {
        BUFFER.saturating_sub(self.board.serial_pending())
    }

    fn set_baud(&mut self, baud: u32) -> Result<()> {
        self.board.set_host_baud(baud);
        self.baud = baud;
        Ok(())
    }

    fn description(&self) -> String {
        format!("virtual Pi with {} at {} baud", self.image, self.baud)
    }

    fn now(&self) -> Duration {
        Duration::from_nanos(self.board.now_ns())
    }

    fn transfer_baud(&self) -> u32 {
        FASTEST_BAUD
    }
}
