//! The board as the instrument sees it, made of the drivers.
//!
//! The watchdog is fed wherever the instrument's loop comes by: when it asks for bytes and while it
//! sleeps. The activity light shows the stage to a user without a cable: as many short blinks as
//! the stage's number, then a pause.

use embedded_hal::digital::OutputPin;
use embedded_io::{Read, Write};

use crate::arch::cpu;
use crate::baud::{BaudError, Divisor};
use crate::fault::{self, Fault};
use crate::instrument::{Board, BoardInfo, ClockReading, Clocks, Stage};
use crate::interrupt;
use crate::live_port::LivePort;
use crate::log;
use crate::mailbox::Mailbox;
use crate::pm::{Note, Pm, Reason};
use crate::property::{ClockId, Tag};
use crate::timer::Clock;
use crate::uart::{RECEIVE_BYTES, Uart};

/// The time that the instrument's loop may be away before the board restarts: several times the
/// longest step, the longest transform on the ARM in windows of a second.
pub const WATCHDOG_US: u32 = 5_000_000;

/// Room in the transmit queue that is worth waking up for.
const WORTHWHILE_ROOM: usize = 1024;

/// The shortest time from one change of the light to the next.
const BLINK_US: u64 = 150_000;

/// Reports if the light is lit `now_us`, in the stage with this code.
fn lit(stage: u8, now_us: u64) -> bool {
    let step = now_us / BLINK_US % (2 * u64::from(stage) + 6);
    step < 2 * u64::from(stage) && step.is_multiple_of(2)
}

/// The drivers that the instrument uses, L being the activity light.
pub struct Drivers<L> {
    /// The serial line.
    pub uart: Uart,
    /// The time.
    pub clock: Clock,
    /// Watchdog and reset.
    pub pm: Pm,
    /// The activity light.
    pub light: L,
    /// For questions about clocks.
    pub mailbox: Mailbox,
    /// The live input.
    pub input: LivePort,
}

/// The board, L being the activity light.
pub struct Device<L> {
    drivers: Drivers<L>,
    info: BoardInfo,
    stage: Stage,
    watchdog: bool,
    starved: bool,
    /// When the run has lasted; `None`: it has.
    lasts_us: Option<u64>,
}

impl<L: OutputPin> Device<L> {
    /// Puts the drivers together. With `watchdog`, the board restarts when the instrument's loop
    /// stays away for 5 s.
    pub fn new(drivers: Drivers<L>, info: BoardInfo, watchdog: bool) -> Self {
        let began_us = drivers.clock.now_us();
        let mut device = Self {
            drivers,
            info,
            stage: Stage::Boot,
            watchdog,
            starved: false,
            lasts_us: Some(began_us + fault::EARLY_US),
        };
        device.attend();
        device
    }

    /// Feeds the watchdog and drives the light, as it is to be at the time that is returned.
    fn attend(&mut self) -> u64 {
        if self.watchdog {
            self.drivers.pm.arm(WATCHDOG_US);
        }
        let now_us = self.drivers.clock.now_us();
        if self.lasts_us.is_some_and(|at_us| now_us >= at_us) {
            self.lasts_us = None;
            fault::run_has_lasted();
            self.note();
        }
        let lit = lit(self.stage as u8, now_us);
        // A light that fails is no reason to stop measuring.
        let _ = self.drivers.light.set_state(lit.into());
        now_us
    }

    /// Leaves a note of where the run is.
    fn note(&self) {
        let note = Note::new(Reason::Running, self.stage as u8, "");
        note.after(fault::early_ends()).store();
    }

    fn something_to_do(&self) -> bool {
        self.drivers.uart.has_received()
            || (self.starved && self.drivers.uart.room() >= WORTHWHILE_ROOM)
    }
}

impl<L: OutputPin> Board for Device<L> {
    type Port = LivePort;

    fn now_us(&mut self) -> u64 {
        self.drivers.clock.now_us()
    }

    fn receive(&mut self, out: &mut [u8]) -> usize {
        self.attend();
        let Ok(count) = self.drivers.uart.read(out);
        count
    }

    fn receive_errors(&mut self) -> u32 {
        self.drivers.uart.take_errors()
    }

    fn take_break(&mut self) -> bool {
        self.drivers.uart.take_breaks() > 0
    }

    fn send(&mut self, bytes: &[u8]) -> usize {
        let Ok(count) = self.drivers.uart.write(bytes);
        self.starved = count < bytes.len();
        count
    }

    fn send_idle(&mut self) -> bool {
        self.drivers.uart.is_idle()
    }

    fn sleep_until(&mut self, at_us: u64) {
        loop {
            // The light is to change at the next blink after that time, not after a later one.
            let now_us = self.attend();
            if now_us >= at_us || self.something_to_do() {
                return;
            }
            let wake_us = at_us.min((now_us / BLINK_US + 1) * BLINK_US);
            interrupt::sleep_unless(self.drivers.clock, wake_us, || self.something_to_do());
        }
    }

    fn check_baud(&self, baud: u32) -> Result<u32, BaudError> {
        let divisor = Divisor::nearest(self.drivers.uart.clock_hz(), baud)?;
        Ok(divisor.actual_baud)
    }

    fn set_baud(&mut self, baud: u32) -> Result<u32, BaudError> {
        self.drivers.uart.set_baud(baud)
    }

    fn receive_capacity(&self) -> usize {
        RECEIVE_BYTES - 1
    }

    fn stage(&mut self, stage: Stage) {
        if stage == self.stage {
            return;
        }
        self.stage = stage;
        fault::note_stage(stage as u8);
        self.note();
        self.attend();
    }

    fn reboot(&mut self) {
        self.drivers.uart.drain();
        Note::new(Reason::Reboot, self.stage as u8, "").store_to_sdram();
        self.drivers.pm.reset();
        // The reset takes some microseconds.
        self.drivers.clock.wait_for(1_000_000, || false);
    }

    fn checksum(&mut self) -> u32 {
        cpu::fixed_memory_sum()
    }

    fn memory_changed(&mut self) {
        fault::report_and_reset(Fault {
            kind: fault::Kind::MemoryChanged,
            pc: 0,
            address: 0,
            text: format_args!("a job of the host changed the firmware's own memory"),
        })
    }

    fn port(&mut self) -> &mut LivePort {
        &mut self.drivers.input
    }

    fn info(&self) -> &BoardInfo {
        &self.info
    }

    fn clocks(&mut self) -> Clocks {
        // Nine messages, of a quarter of a second each if nobody answers: less than the watchdog's
        // time.
        let mailbox = &mut self.drivers.mailbox;
        // In the order of `Clocks::NAMES`.
        let clocks = [ClockId::Arm, ClockId::Core, ClockId::V3d, ClockId::Uart];
        let readings = clocks.map(|clock| ClockReading {
            stated_hz: mailbox.clock_hz(Tag::ClockRate, clock),
            measured_hz: mailbox.clock_hz(Tag::MeasuredClockRate, clock),
        });
        let answer = mailbox.property::<2>(Tag::Temperature, &[0]);
        Clocks {
            readings,
            temperature: answer.map_or(0, |[_, millidegrees]| millidegrees),
        }
    }

    fn stack_left_bytes(&self) -> u32 {
        cpu::stack_left_bytes()
    }

    fn take_log(&mut self, out: &mut [u8]) -> usize {
        log::take(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_light_counts_the_stage() {
        for stage in 1..=7 {
            let cycle = 2 * u64::from(stage) + 6;
            let blinks = (0..cycle)
                .filter(|step| lit(stage, step * BLINK_US))
                .count();
            assert_eq!(blinks, usize::from(stage));
            assert!(!lit(stage, (cycle - 1) * BLINK_US), "a cycle ends dark");
        }
    }
}
