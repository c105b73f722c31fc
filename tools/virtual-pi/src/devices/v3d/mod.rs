//! V3D on this board: power, virtual time, and how it reaches memory.
//!
//! A job takes the virtual time that v3d-sim's cycle model gives it, unless the configuration says
//! functional. V3D runs in rounds of 4 of its clocks on a grid that starts at power-on, in
//! stretches: up to the current clock whenever the ARM touches one of its registers, and else at
//! each multiple of [`V3D_QUANTUM_ROUNDS`]. So a poll of SRQCS is exact to the round, while an
//! interrupt, and memory that the ARM reads without asking V3D first, may be late by up to a
//! quantum (1.024 us), and by the same time in every run.
//!
//! Programs of a host are the host's business: the firmware says in SCRATCH when some run, and in
//! which block of memory ([`guest_block`]). What they do outside of it, real hardware does not
//! notice. Here an address through an alias that this board lacks ends the program, as one without
//! memory does, and the board goes on; the ARM's caches are not looked at.
//!
//! Source: docs/hardware/qpu.md sections 6 and 7; the block itself is in v3d-sim.

mod bus;

use std::ops::Range;

use v3d_sim::{Defect, Event, OutsideAccess, V3d};

pub use bus::Bus;

use super::NEVER;
use crate::checks::LINE_BYTES;
use crate::clock::{
    ARM_HZ, L2_BEAT, LINE_FILL_CLOCKS, SDRAM_FILL_CLOCKS, V3D_HZ, V3D_OFF_CLOCKS,
    V3D_QUANTUM_ROUNDS, V3D_STUCK_ROUNDS, clocks_for_rounds, rounds_in_clocks, v3d_ticks,
};
use crate::config::Config;
use crate::map;

/// Value read from a block without power.
const UNPOWERED: u32 = 0xdead_beef;
/// SRQPC: the write that starts a program.
pub const SRQPC: u32 = 0x430;
/// The register in which the firmware says whose programs run.
const SCRATCH: u32 = 0x010;

/// An access of a device beside V3D, for the cycle model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The ARM clock at which it reached the bus.
    pub at: u64,
    /// Bus address.
    pub bus: u32,
    /// Its size.
    pub bytes: u32,
    /// True for a write.
    pub write: bool,
    /// True if SDRAM serves it before others that wait.
    pub passes: bool,
}

/// ARM clocks in hundredths of V3D clocks, rounded up.
fn arm_clocks(ticks: u64) -> u64 {
    (ticks * ARM_HZ).div_ceil(100 * V3D_HZ)
}

/// V3D and its place on the board.
pub struct V3dPort {
    v3d: V3d,
    present: bool,
    powered: bool,
    /// Time at which the power was switched off.
    off_since: Option<u64>,
    /// Cut off from memory.
    pub halted: bool,
    /// It stands still until it is reset.
    hangs: bool,
    /// Accesses to registers.
    pub accesses: u64,
    /// Rounds of the grid that have been run.
    rounds: u64,
    /// Time that a line of the system L2 takes to V3D, in hundredths of its clocks.
    l2_hit: u64,
    /// Others have reached memory, so that its time counts while V3D is idle.
    shares_memory: bool,
    /// Events of V3D that have not been taken yet.
    events: Vec<Event>,
}

/// The block of a host, as physical addresses, whose programs run while SCRATCH holds this: its bus
/// address, a multiple of 4096, and its size in units of 16 KiB in the bits below. None where it
/// names no memory.
fn guest_block(scratch: u32, alias: u32, memory_bytes: u32) -> Option<Range<u32>> {
    let (start, bytes) = (scratch & 0x3fff_f000, (scratch & 0xfff) << 14);
    let is_block = map::alias(scratch) == alias && bytes > 0;
    let end = start.checked_add(bytes)?;
    // The size is rounded up.
    (is_block && start < memory_bytes && end <= memory_bytes + (1 << 14)).then_some(start..end)
}

impl V3dPort {
    /// A block without power.
    pub fn new(config: &Config) -> Self {
        let settings = v3d_sim::Config {
            clock_hz: V3D_HZ as u32,
            functional: config.v3d_functional,
            order_seed: (config.v3d_seed != 0).then_some(config.v3d_seed),
            strict: config.v3d_strict,
            constants: config.v3d_constants.clone(),
            defect: config.v3d_defect,
            ..v3d_sim::Config::default()
        };
        Self {
            v3d: V3d::new(settings),
            present: config.v3d,
            powered: false,
            off_since: None,
            halted: false,
            hangs: false,
            accesses: 0,
            rounds: 0,
            l2_hit: (100.0 * config.v3d_constants.system_l2_hit) as u64,
            shares_memory: false,
            events: Vec::new(),
        }
    }

    /// The firmware switched the domain at `now`. The block loses its state when it has been off
    /// long enough.
    pub fn set_power(&mut self, powered: bool, now: u64) {
        if self.powered == powered {
            return;
        }
        self.powered = powered;
        if !powered {
            self.off_since = Some(now);
        } else if self
            .off_since
            .is_none_or(|since| now - since >= V3D_OFF_CLOCKS)
        {
            self.reset();
        }
    }

    /// The reset line: whatever runs ends.
    pub fn reset(&mut self) {
        self.hangs = false;
        self.v3d.reset();
    }

    /// Stands still from now on, until it is reset; `catch_up` has been called.
    pub fn hang(&mut self) {
        self.hangs = true;
    }

    /// Reports if programs go on.
    fn goes_on(&self) -> bool {
        self.powered && !self.halted && !self.hangs && self.v3d.is_running()
    }

    /// Breaks something from now on, or repairs it; `catch_up` has been called.
    pub fn set_defect(&mut self, defect: Option<Defect>) {
        self.v3d.set_defect(defect);
    }

    /// DMA reaches memory: V3D is run up to then, so that the access takes its place among those of
    /// V3D. Gives the ARM clocks for which it waits for others.
    pub fn dma_access(&mut self, access: Access, memory: &mut Bus<'_>) -> u64 {
        self.catch_up(access.at, memory);
        if self.stands() {
            if access.write {
                self.v3d.memory_changed(access.bus, access.bytes);
            }
            return 0;
        }
        let outside = self.outside(access);
        arm_clocks(self.v3d.dma_access(outside))
    }

    /// True if V3D stands still in the middle of its programs. The time of its model of memory
    /// stands still too, so that others wait for nobody.
    fn stands(&self) -> bool {
        self.v3d.is_running() && !self.goes_on()
    }

    /// The ARM reaches memory at `now`, up to which V3D was run; gives the ARM clocks until the
    /// data is there.
    pub fn arm_access(&mut self, access: Access) -> u64 {
        if self.stands() {
            return SDRAM_FILL_CLOCKS;
        }
        let outside = self.outside(access);
        match self.v3d.arm_access(outside) {
            // The ARM has a way to the L2 of its own; what the L2 waits for, it waits for too.
            Some(ticks) => LINE_FILL_CLOCKS + arm_clocks(ticks.saturating_sub(self.l2_hit)),
            None => SDRAM_FILL_CLOCKS,
        }
    }

    /// An access in V3D's time.
    fn outside(&mut self, access: Access) -> OutsideAccess {
        self.shares_memory = true;
        let start = clocks_for_rounds(self.rounds);
        OutsideAccess {
            ahead: v3d_ticks(access.at.saturating_sub(start)),
            address: access.bus,
            bytes: access.bytes,
            write: access.write,
            passes: access.passes,
            busy: L2_BEAT * u64::from(access.bytes.div_ceil(16)),
        }
    }

    /// Runs V3D if a look is due at `now`; returns when the next one is.
    pub fn advance(&mut self, now: u64, memory: &mut Bus<'_>) -> u64 {
        if !self.goes_on() {
            return NEVER;
        }
        if now >= clocks_for_rounds(self.next_look()) {
            self.catch_up(now, memory);
        }
        if self.v3d.is_running() {
            clocks_for_rounds(self.next_look())
        } else {
            NEVER
        }
    }

    /// Runs V3D up to `now`, before one of its registers is touched.
    pub fn catch_up(&mut self, now: u64, memory: &mut Bus<'_>) {
        // What the ARM has changed may lie in V3D's own caches as it was before; v3d-sim warns
        // when a program looks there before the firmware has cleared them.
        for line in memory.lines.take_changed() {
            self.v3d.memory_changed(line, LINE_BYTES);
        }
        let target = rounds_in_clocks(now);
        let mut idle = target.saturating_sub(self.rounds);
        if self.goes_on() && target > self.rounds {
            let (scratch, alias) = (self.v3d.read_register(SCRATCH), memory.map.alias);
            memory.guest = guest_block(scratch, alias, memory.memory.size());
            idle -= self.v3d.advance(memory, idle);
            self.events.append(&mut self.v3d.take_events());
            if let Some(mistake) = memory.fault
                && mistake.by.is_none()
            {
                mistake.by = self.events.iter().rev().find_map(|event| match event {
                    Event::Fault(fault) => fault.place.clone(),
                    _ => None,
                });
            }
        }
        self.rounds = target;
        if self.shares_memory {
            self.v3d.pass_idle(idle);
        }
    }

    /// Looks lie on multiples of the quantum, so that they do not depend on how often anything else
    /// is looked at, nor on how the host slices its calls.
    fn next_look(&self) -> u64 {
        // While nothing can go on, only the ARM can change that; V3D is run to notice how long.
        let quantum = if self.v3d.is_stuck() {
            V3D_STUCK_ROUNDS
        } else {
            V3D_QUANTUM_ROUNDS
        };
        (self.rounds / quantum + 1) * quantum
    }

    /// GPU interrupt 10.
    pub fn interrupt(&self) -> bool {
        self.powered && self.v3d.interrupt()
    }

    /// Messages of V3D since the last call.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.events.append(&mut self.v3d.take_events());
        self.events
            .drain(..)
            .map(|event| format!("V3D: {event}"))
            .collect()
    }

    /// Reads a register; `catch_up` has been called.
    pub fn read(&mut self, offset: u32) -> u32 {
        self.accesses += 1;
        match (self.present, self.powered) {
            (false, _) => 0,
            (_, false) => UNPOWERED,
            _ => self.v3d.read_register(offset),
        }
    }

    /// Writes a register; `catch_up` has been called. Without power nothing happens.
    pub fn write(&mut self, offset: u32, value: u32) {
        self.accesses += 1;
        if self.powered {
            self.v3d.write_register(offset, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_has_a_block_while_scratch_names_one() {
        const MEMORY: u32 = 512 << 20;
        // 32 MiB from 16 MiB on; 4 KiB, rounded up; the firmware's own mark, and nothing.
        let block = |scratch| guest_block(scratch, 0x4000_0000, MEMORY);
        assert_eq!(block(0x4100_0800), Some(0x0100_0000..0x0300_0000));
        assert_eq!(block(0x4100_0001), Some(0x0100_0000..0x0100_4000));
        for none in [0x7170_7531, 0, 0x4100_0000, 0xc100_0001, 0x5fff_ffff] {
            assert_eq!(block(none), None, "{none:#x}");
        }
    }
}
