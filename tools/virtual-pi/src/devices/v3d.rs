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
//! Source: reference/qpu.md sections 6 and 7; the block itself is in v3d-sim.

use std::ops::Range;

use v3d_sim::{Defect, Event, MemoryFault, V3d};

use super::NEVER;
use super::dma::Access;
use crate::checks::{LINE_BYTES, Lines};
use crate::clock::{
    V3D_HZ, V3D_OFF_CLOCKS, V3D_QUANTUM_ROUNDS, V3D_STUCK_ROUNDS, clocks_for_rounds,
    rounds_in_clocks,
};
use crate::config::Config;
use crate::fault::{Agent, FaultKind, Mistake};
use crate::memory::Memory;

/// Value read from a block without power.
const UNPOWERED: u32 = 0xdead_beef;
/// SRQPC: the write that starts a program.
pub const SRQPC: u32 = 0x430;
/// The register in which the firmware says whose programs run.
const SCRATCH: u32 = 0x010;
/// The alias of memory that this board's V3D must use: coherent with the system L2.
pub const ALIAS: u32 = 0x4000_0000;
/// The alias that it may read through besides: as coherent, but nothing is allocated in the L2.
/// Broadcom's driver sources keep it from stores (HW-2827).
const READS: u32 = 0x8000_0000;

/// V3D and its place on the board.
pub struct V3dPort {
    v3d: V3d,
    present: bool,
    powered: bool,
    /// Time at which the power was switched off.
    off_since: Option<u64>,
    /// Cut off from memory.
    pub halted: bool,
    /// Accesses to registers.
    pub accesses: u64,
    /// Rounds of the grid that have been run.
    rounds: u64,
    /// Events of V3D that have not been taken yet.
    events: Vec<Event>,
}

/// The block of a host, as physical addresses, whose programs run while SCRATCH holds this: its bus
/// address, a multiple of 4096, and its size in units of 16 KiB in the bits below. None where it
/// names no memory.
fn guest_block(scratch: u32, memory_bytes: u32) -> Option<Range<u32>> {
    let (start, bytes) = (scratch & 0x3fff_f000, (scratch & 0xfff) << 14);
    let is_block = scratch & 0xc000_0000 == ALIAS && bytes > 0;
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
            accesses: 0,
            rounds: 0,
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
        self.v3d.reset();
    }

    /// Breaks something from now on, or repairs it; `catch_up` has been called.
    pub fn set_defect(&mut self, defect: Option<Defect>) {
        self.v3d.set_defect(defect);
    }

    /// DMA has reached memory.
    pub fn note(&mut self, accesses: impl Iterator<Item = Access>) {
        for access in accesses {
            if access.write {
                self.v3d.memory_changed(access.bus, access.bytes);
            } else {
                self.v3d.arm_touched(access.bus, access.bytes);
            }
        }
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
            memory.guest = guest_block(self.v3d.read_register(SCRATCH), memory.memory.size());
            self.v3d.advance(memory, target - self.rounds);
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

/// Memory as V3D sees it, with the checks of what the ARM's cache holds.
pub struct Bus<'a> {
    /// The memory.
    pub memory: &'a mut Memory,
    /// Its lines in the ARM's cache.
    pub lines: &'a mut Lines,
    /// Place for the first mistake.
    pub fault: &'a mut Option<Mistake>,
    /// The memory of the host whose programs run.
    pub guest: Option<Range<u32>>,
    /// True if the alias is checked.
    pub check_alias: bool,
}

impl Bus<'_> {
    /// The physical address of `bytes` bytes, if all of them are memory; `aliases` are those it may
    /// have.
    fn physical(
        &mut self,
        address: u32,
        bytes: usize,
        aliases: &[u32],
    ) -> Result<u32, MemoryFault> {
        let physical = address & 0x3fff_ffff;
        let end = u64::from(physical) + bytes as u64;
        if end > u64::from(self.memory.size()) {
            return Err(MemoryFault::absent(address));
        }
        if self.check_alias && !aliases.contains(&(address & 0xc000_0000)) {
            let kind = FaultKind::BusAlias {
                agent: Agent::V3d,
                wanted: ALIAS,
            };
            let fault = MemoryFault {
                addr: address,
                reason: format!("an address without the alias {ALIAS:#010x} of this board").into(),
            };
            if self.guest.is_none() {
                self.note(kind, address);
            }
            return Err(fault);
        }
        Ok(physical)
    }

    /// True if the contents of the ARM's caches matter: not to programs of a host outside of their
    /// block.
    fn checks_lines(&self, physical: u32) -> bool {
        self.guest
            .as_ref()
            .is_none_or(|block| block.contains(&physical))
    }

    fn note(&mut self, kind: FaultKind, address: u32) {
        self.fault.get_or_insert(Mistake {
            kind,
            address,
            by: None,
        });
    }

    /// Notes what is wrong with a line; the access then fails, so that it is known who did it.
    fn judge(
        &mut self,
        address: u32,
        checked: Result<(), (FaultKind, u32)>,
    ) -> Result<(), MemoryFault> {
        checked.map_err(|(kind, at)| {
            let reason = kind.to_string().into();
            self.note(kind, at);
            MemoryFault {
                addr: address,
                reason,
            }
        })
    }
}

impl v3d_sim::Memory for Bus<'_> {
    fn read(&mut self, address: u32, out: &mut [u8]) -> Result<(), MemoryFault> {
        let physical = self.physical(address, out.len(), &[ALIAS, READS])?;
        if self.checks_lines(physical) {
            let checked = self
                .lines
                .outside_read(physical, out.len() as u32, Agent::V3d);
            self.judge(address, checked)?;
            let checked = self
                .lines
                .read_through_l2(physical, out.len() as u32, Agent::V3d);
            self.judge(address, checked)?;
        }
        self.memory.read(physical, out);
        Ok(())
    }

    fn write(&mut self, address: u32, data: &[u8]) -> Result<(), MemoryFault> {
        let physical = self.physical(address, data.len(), &[ALIAS])?;
        if self.checks_lines(physical) {
            let checked = self
                .lines
                .outside_write(physical, data.len() as u32, Agent::V3d);
            self.judge(address, checked)?;
        }
        self.lines.write_through_l2(physical, data.len() as u32);
        self.memory.write(physical, data);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use v3d_sim::Memory as _;

    /// The fault of an access of V3D to memory.
    fn fault(
        guest: Option<Range<u32>>,
        act: impl FnOnce(&mut Bus<'_>),
    ) -> Option<(FaultKind, u32)> {
        let mut fault = None;
        let (mut memory, mut lines) = (Memory::new(1 << 20), Lines::new(true));
        act(&mut Bus {
            memory: &mut memory,
            lines: &mut lines,
            fault: &mut fault,
            guest,
            check_alias: true,
        });
        fault.map(|mistake| (mistake.kind, mistake.address))
    }

    #[test]
    fn the_alias_that_allocates_nothing_is_for_reads() {
        let read = |address| {
            fault(None, |bus| {
                let _ = bus.read(address, &mut [0; 64]);
            })
        };
        let write = |address| {
            fault(None, |bus| {
                let _ = bus.write(address, &[0; 64]);
            })
        };
        let wrong = |address| {
            let kind = FaultKind::BusAlias {
                agent: Agent::V3d,
                wanted: ALIAS,
            };
            Some((kind, address))
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

    #[test]
    fn what_dma_wrote_past_the_l2_is_old_for_v3d() {
        let found = fault(None, |bus| {
            bus.lines.write_past_l2(0x1040, 4);
            assert!(bus.read(0x4000_1000, &mut [0; 64]).is_ok());
            assert!(bus.read(0x4000_1000, &mut [0; 128]).is_err());
        });
        assert_eq!(found, Some((FaultKind::StaleL2Read(Agent::V3d), 0x1040)));
    }

    #[test]
    fn a_host_has_a_block_while_scratch_names_one() {
        const MEMORY: u32 = 512 << 20;
        // 32 MiB from 16 MiB on; 4 KiB, rounded up; the firmware's own mark, and nothing.
        let block = |scratch| guest_block(scratch, MEMORY);
        assert_eq!(block(0x4100_0800), Some(0x0100_0000..0x0300_0000));
        assert_eq!(block(0x4100_0001), Some(0x0100_0000..0x0100_4000));
        for none in [0x7170_7531, 0, 0x4100_0000, 0xc100_0001, 0x5fff_ffff] {
            assert_eq!(block(none), None, "{none:#x}");
        }
    }

    #[test]
    fn programs_of_a_host_are_not_the_boards_mistakes() {
        let block = Some(0x4000..0x8000);
        let of = |act: fn(&mut Bus<'_>)| fault(block.clone(), act);
        let by_no_alias = of(|bus| assert!(bus.read(0x20, &mut [0; 4]).is_err()));
        assert_eq!(by_no_alias, None);
        let store = |bus: &mut Bus<'_>, address: u32, ok: bool| {
            assert_eq!(bus.write(0x4000_0000 | address, &[0; 4]).is_ok(), ok);
        };
        for (address, is_inside) in [(0x2000, false), (0x4000, true)] {
            let found = fault(block.clone(), |bus| {
                bus.lines
                    .touch(address, true, true, bus.memory)
                    .expect("no old copy");
                store(bus, address, !is_inside);
            });
            assert_eq!(found.is_some(), is_inside, "{address:#x}");
        }
    }
}
