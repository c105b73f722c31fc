//! The board as the instrument needs it: bytes, a clock, a way to sleep.
//!
//! The device implements it with its drivers, the tests with byte queues and a virtual clock.
//! Nothing here waits for ever: only `sleep_until` waits at all, and its end is given.

use wire::{Name, ResetCause};

use super::capture::Port;
use crate::baud::BaudError;

/// A second, in microseconds.
pub(super) const SECOND_US: u64 = 1_000_000;

/// Facts about the board and the firmware on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BoardInfo {
    /// The board's name, for example `Raspberry Pi 1 B+`.
    pub name: Name,
    /// Revision code from the mailbox.
    pub revision: u32,
    /// Memory of the ARM in bytes.
    pub memory_bytes: u32,
    /// Clocks; 0 = not known.
    pub clocks: wire::Clocks,
    /// Why the board last started.
    pub reset_cause: ResetCause,
    /// The stage that the firmware had reached before a watchdog reset, if that is known.
    pub last_stage: Option<Stage>,
    /// Starts in a row before this one that each ended in a fault or a hang within 10 s.
    pub early_ends: u8,
    /// Version of the firmware.
    pub firmware: Name,
    /// The value of V3D's IDENT0; 0 when V3D could not be reached.
    pub v3d_ident0: u32,
    /// The last start hung when V3D was powered up, and this one has left it alone.
    pub v3d_hung: bool,
    /// `cmdline.txt` says `engine=cpu`, and V3D has been left without power.
    pub v3d_unwanted: bool,
    /// When the start had come how far.
    pub boot: BootTimes,
}

/// After so many starts in a row that ended early the next is careful.
const CAREFUL_AFTER: u8 = 3;

impl BoardInfo {
    /// Reports if this start has `engine=cpu start=0`, whatever `cmdline.txt` says, because those
    /// before it ended early.
    #[must_use]
    pub const fn is_careful(&self) -> bool {
        self.early_ends >= CAREFUL_AFTER
    }
}

/// Times of the start, in microseconds since the reset of the system timer; 0: not reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BootTimes {
    /// The first instruction behind the stacks: what came before is the boot files' time.
    pub entry_us: u32,
    /// The first line of text.
    pub greeting_us: u32,
    /// V3D is up, or has been given up.
    pub v3d_us: u32,
}

/// A clock, in hertz; 0: no answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockReading {
    /// The rate that the board's firmware states.
    pub stated_hz: u32,
    /// The rate that it measures.
    pub measured_hz: u32,
}

/// Clocks and temperature at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Clocks {
    /// Those of [`Clocks::NAMES`], in this order.
    pub readings: [ClockReading; 4],
    /// Thousandths of a degree Celsius; 0: no answer.
    pub temperature: u32,
}

impl Clocks {
    /// Names of the clocks: the ARM's; the one of VideoCore, system L2 and memory bus; V3D's; the
    /// UART's.
    pub const NAMES: [&str; 4] = ["arm", "core", "v3d", "uart"];
}

signal::code! {
    /// The progress of the firmware; shown on the ACT LED, kept over a watchdog reset.
    Stage, "stage" {
        /// Before the drivers.
        #[default]
        Boot = 1 "boot",
        /// The self-test runs.
        SelfTest = 2 "self-test",
        /// Waiting for commands.
        Idle = 3 "idle",
        /// Sending spectra of the generator.
        Streaming = 4 "streaming",
        /// Receiving samples.
        Uploading = 5 "uploading",
        /// The QPUs have been started and are waited for.
        QpuWait = 6 "qpu_wait",
        /// Restarting on request.
        Reboot = 7 "reboot",
    }
}

/// The board as the instrument sees it.
pub trait Board {
    /// The hardware that takes samples.
    type Port: Port;

    /// Microseconds since the start.
    fn now_us(&mut self) -> u64;

    /// Takes bytes that have arrived; returns how many. Never waits.
    fn receive(&mut self, out: &mut [u8]) -> usize;

    /// Bytes that arrived broken or were lost (overruns, framing errors) since the last call.
    fn receive_errors(&mut self) -> u32;

    /// Reports if a break has been received since the last call.
    fn take_break(&mut self) -> bool;

    /// Puts bytes into the transmit queue; returns how many it took. Never waits.
    fn send(&mut self, bytes: &[u8]) -> usize;

    /// Reports if the transmit queue is empty and the line quiet.
    fn send_idle(&mut self) -> bool;

    /// Sleeps until that time, or until a byte arrives or the transmit queue has room again.
    fn sleep_until(&mut self, at_us: u64);

    /// Sets the line's rate and forgets what has been received until then; returns the actual rate.
    ///
    /// # Errors
    /// When the line cannot run at that rate; it then keeps the rate it had.
    fn set_baud(&mut self, baud: u32) -> Result<u32, BaudError>;

    /// Returns the actual rate of a line that is asked for this one.
    ///
    /// # Errors
    /// When it cannot.
    fn check_baud(&self, baud: u32) -> Result<u32, BaudError>;

    /// Bytes that the receive queue holds. Uploads are granted so much that it cannot overflow
    /// while a block is transformed.
    fn receive_capacity(&self) -> usize;

    /// Notes how far the firmware has come.
    fn stage(&mut self, stage: Stage);

    /// Restarts the board. On the device this does not return.
    fn reboot(&mut self);

    /// A checksum of what nothing may change: code, constants, vectors and page tables, as memory
    /// holds them now.
    fn checksum(&mut self) -> u32;

    /// Reports that this checksum is another after a job of a host, and restarts the board. On the
    /// device this does not return.
    fn memory_changed(&mut self);

    /// The live input.
    fn port(&mut self) -> &mut Self::Port;

    /// Facts about the board.
    fn info(&self) -> &BoardInfo;

    /// Clocks and temperature now, as far as the board can be asked.
    fn clocks(&mut self) -> Clocks;

    /// Bytes of the main stack that were never used since the start; 0: not known.
    fn stack_left_bytes(&self) -> u32;

    /// Takes bytes of the defmt log that are waiting; returns how many. Never waits.
    fn take_log(&mut self, out: &mut [u8]) -> usize;
}
