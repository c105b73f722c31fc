//! Watching a V3D while it runs: profiles, traces, timelines, debuggers.
//!
//! [`crate::V3d::advance_observed`] calls an [`Observer`] for every instruction, wait and use of a
//! shared unit. Observers see and never change: a run is the same with and without one, and without
//! one (see [`Unobserved`]) the calls are not compiled in.

use crate::event::Wait;
use crate::unit_event::UnitEvent;
use crate::view::QpuView;

/// An instruction that a QPU has executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Issue {
    /// V3D clock at which it was issued, since reset.
    pub clock: u64,
    /// QPU number, 0..11.
    pub qpu: u8,
    /// Bus address of the instruction.
    pub pc: u32,
    /// The instruction.
    pub word: u64,
}

/// Clocks in which a QPU could not execute its next instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stall {
    /// V3D clock at which these clocks began, since reset. A long wait comes in several stalls.
    pub clock: u64,
    /// The number of clocks.
    pub clocks: u64,
    /// QPU number, 0..11.
    pub qpu: u8,
    /// Bus address of the instruction that waits.
    pub pc: u32,
    /// The instruction; `None` while it is not known, because it is still being fetched.
    pub word: Option<u64>,
    /// The reason.
    pub wait: Wait,
}

/// Sees what a V3D does. Every method may be left out.
pub trait Observer {
    /// True if anybody looks. With `false` nothing is called, and nothing is compiled in.
    const ACTIVE: bool = true;

    /// A QPU has executed an instruction; `qpu` shows it with its results in place. Results that
    /// are on their way (SFU, a vector for the VPM) are not.
    fn issued(&mut self, _issue: Issue, _qpu: QpuView<'_>) {}

    /// A QPU waited.
    fn stalled(&mut self, _stall: Stall) {}

    /// A shared unit was used. `clock` is that of the instruction, or of the end of a transfer.
    fn unit(&mut self, _clock: u64, _event: UnitEvent) {}

    /// A queued program was started on a QPU.
    fn program_started(&mut self, _clock: u64, _qpu: QpuView<'_>) {}

    /// A program has executed its last instruction.
    fn program_ended(&mut self, _clock: u64, _qpu: u8) {}
}

/// Nobody looks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {
    const ACTIVE: bool = false;
}
