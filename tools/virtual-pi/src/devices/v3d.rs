//! V3D on this board: power, virtual time, and how it reaches memory.
//!
//! A job takes the virtual time that v3d-sim's cycle model gives it, unless the configuration says
//! functional. V3D runs in rounds of 4 of its clocks on a grid that starts at power-on, in stretches: up to the
//! current clock whenever the ARM touches one of its registers, and else at each multiple of
//! [`V3D_QUANTUM_ROUNDS`]. So a poll of SRQCS is exact to the round, while an interrupt, and memory
//! that the ARM reads without asking V3D first, may be late by up to a quantum (1.024 us), and by the
//! same time in every run.
//!
//! Source: reference/qpu.md sections 6 and 7; the block itself is in v3d-sim.

use v3d_sim::{Defect, V3d};

use super::NEVER;
use crate::checks::{LINE_BYTES, Lines};
use crate::clock::{
    V3D_HZ, V3D_OFF_CLOCKS, V3D_QUANTUM_ROUNDS, V3D_STUCK_ROUNDS, clocks_for_rounds,
    rounds_in_clocks,
};
use crate::config::Config;
use crate::fault::{Agent, FaultKind};
use crate::memory::Memory;

/// What a block without power reads.
const UNPOWERED: u32 = 0xdead_beef;
/// SRQPC: the write that starts a program.
pub const SRQPC: u32 = 0x430;
/// The alias of memory that this board's V3D must use: coherent with the system L2.
pub const ALIAS: u32 = 0x4000_0000;
/// The alias that it may read through besides: as coherent, but nothing is allocated in the L2. Broadcom's driver
/// sources keep it from stores (HW-2827).
const READS: u32 = 0x8000_0000;

/// V3D and its place on the board.
pub struct V3dPort {
    v3d: V3d,
    present: bool,
    powered: bool,
    /// When the power was switched off.
    off_since: Option<u64>,
    /// Cut off from memory.
    pub halted: bool,
    /// Accesses to registers.
    pub accesses: u64,
    /// Rounds of the grid that have been run.
    rounds: u64,
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
            accesses: 0,
            rounds: 0,
        }
    }

    /// The firmware switched the domain at `now`. The block loses its state when it has been off long enough.
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
        self.v3d.reset();
    }

    /// Breaks something from now on, or mends it; `catch_up` has been called.
    pub fn set_defect(&mut self, defect: Option<Defect>) {
        self.v3d.set_defect(defect);
    }

    /// Runs V3D if a look is due at `now`; returns when the next one is.
    pub fn advance(&mut self, now: u64, memory: &mut Bus<'_>) -> u64 {
        if !self.powered || self.halted || !self.v3d.is_running() {
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
        if self.powered && !self.halted && self.v3d.is_running() && target > self.rounds {
            self.v3d.advance(memory, target - self.rounds);
        }
        self.rounds = target;
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

    /// What V3D has to say since the last call.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.v3d
            .take_events()
            .iter()
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

/// Memory as V3D sees it, with the checks of what the ARM's cache holds.
pub struct Bus<'a> {
    /// The memory.
    pub memory: &'a mut Memory,
    /// What the ARM's cache holds of it.
    pub lines: &'a mut Lines,
    /// Where the first mistake goes.
    pub fault: &'a mut Option<(FaultKind, Option<u32>)>,
    /// Whether the alias is checked.
    pub check_alias: bool,
}

impl Bus<'_> {
    /// The physical address of `bytes` bytes, if all of them are memory; `aliases` are those it may have.
    fn physical(
        &mut self,
        address: u32,
        bytes: usize,
        aliases: &[u32],
    ) -> Result<u32, v3d_sim::MemoryFault> {
        let physical = address & 0x3fff_ffff;
        let end = u64::from(physical) + bytes as u64;
        if end > u64::from(self.memory.size()) {
            return Err(v3d_sim::MemoryFault::absent(address));
        }
        if self.check_alias && !aliases.contains(&(address & 0xc000_0000)) {
            let kind = FaultKind::BusAlias {
                agent: Agent::V3d,
                wanted: ALIAS,
            };
            self.fault.get_or_insert((kind, Some(address)));
        }
        Ok(physical)
    }

    fn note(&mut self, checked: Result<(), (FaultKind, u32)>) {
        if let Err((kind, at)) = checked {
            self.fault.get_or_insert((kind, Some(at)));
        }
    }
}

impl v3d_sim::Memory for Bus<'_> {
    fn read(&mut self, address: u32, out: &mut [u8]) -> Result<(), v3d_sim::MemoryFault> {
        let physical = self.physical(address, out.len(), &[ALIAS, READS])?;
        let checked = self
            .lines
            .outside_read(physical, out.len() as u32, Agent::V3d);
        self.note(checked);
        self.memory.read(physical, out);
        Ok(())
    }

    fn write(&mut self, address: u32, data: &[u8]) -> Result<(), v3d_sim::MemoryFault> {
        let physical = self.physical(address, data.len(), &[ALIAS])?;
        let checked = self
            .lines
            .outside_write(physical, data.len() as u32, Agent::V3d);
        self.note(checked);
        self.memory.write(physical, data);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use v3d_sim::Memory as _;

    /// What is at fault when V3D does something with memory.
    fn fault(act: impl FnOnce(&mut Bus<'_>)) -> Option<(FaultKind, Option<u32>)> {
        let mut fault = None;
        let (mut memory, mut lines) = (Memory::new(1 << 20), Lines::new(false));
        act(&mut Bus {
            memory: &mut memory,
            lines: &mut lines,
            fault: &mut fault,
            check_alias: true,
        });
        fault
    }

    #[test]
    fn the_alias_that_allocates_nothing_is_for_reads() {
        let read = |address| fault(|bus| bus.read(address, &mut [0; 64]).expect("memory"));
        let write = |address| fault(|bus| bus.write(address, &[0; 64]).expect("memory"));
        let wrong = |address| {
            let kind = FaultKind::BusAlias {
                agent: Agent::V3d,
                wanted: ALIAS,
            };
            Some((kind, Some(address)))
        };
        for (address, may_read, may_write) in [
            (0x0000_1000, false, false),
            (0x4000_1000, true, true),
            (0x8000_1000, true, false),
            (0xc000_1000, false, false),
        ] {
            for (found, may) in [(read(address), may_read), (write(address), may_write)] {
                assert_eq!(found, if may { None } else { wrong(address) });
            }
        }
    }
}
