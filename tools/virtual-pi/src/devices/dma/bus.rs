//! DMA's way to memory and to peripherals, with the checks of what the caches hold.
//!
//! Memory is reached through the system L2 (0x4 allocates lines, 0x8 does not) or past it (0xC).
//! The ARM and V3D of this board go through it, so that what DMA writes past it, they may read as
//! it was before. The alias 0x0 belongs to the VideoCore's own processor.
//!
//! V3D, the ARM and DMA wait for each other at the L2, as V3D's cycle model has it, and at SDRAM if
//! the board is asked for that. Accesses to peripherals wait for nobody: how long they may is
//! published nowhere.
//!
//! Source: BCM2835 ARM Peripherals, sections 1.2.3 and 4.1; docs/hardware/platform.md, D.5.

use crate::checks::Lines;
use crate::devices::v3d::{Access, Bus, V3dPort};
use crate::fault::{Agent, FaultKind, Mistake};
use crate::map::{self, MemoryMap};
use crate::memory::Memory;

/// Writes of DMA, by a board's settings.
#[derive(Clone, Copy)]
pub struct Writes {
    /// The most of a channel that are on their way at a time, at least 1.
    pub outstanding: usize,
    /// Clocks from a write to its arrival at memory.
    pub clocks: u64,
}

/// What DMA reaches.
pub struct DmaBus<'a> {
    /// The memory.
    pub memory: &'a mut Memory,
    /// Its lines in the caches.
    pub lines: &'a mut Lines,
    /// Aliases of memory.
    pub map: MemoryMap,
    /// True if the alias is checked.
    pub check_alias: bool,
    /// The settings of writes.
    pub writes: Writes,
    /// SDRAM serves DMA before others that wait.
    pub passes: bool,
    /// V3D, which shares the way to memory.
    pub v3d: &'a mut V3dPort,
    /// Place for the first mistake.
    pub fault: &'a mut Option<Mistake>,
}

impl DmaBus<'_> {
    /// The physical address of `bytes` bytes, and true if they lie past the L2.
    fn physical(&self, bus: u32, bytes: usize) -> Result<(u32, bool), (FaultKind, u32)> {
        let physical = map::physical(bus);
        if map::alias(bus) == 0 && self.check_alias {
            let kind = FaultKind::BusAlias {
                agent: Agent::Dma,
                wanted: self.map.alias,
            };
            return Err((kind, bus));
        }
        if u64::from(physical) + bytes as u64 > u64::from(self.memory.size()) {
            return Err((FaultKind::BusAddress(Agent::Dma), bus));
        }
        Ok((physical, self.map.passes_l2(bus)))
    }

    /// Reads memory at the clock `at`; gives the clocks for which it waits for others.
    ///
    /// # Errors
    /// A wrong address, or data that memory does not have.
    pub fn read(&mut self, bus: u32, out: &mut [u8], at: u64) -> Result<u64, (FaultKind, u32)> {
        let (physical, past) = self.physical(bus, out.len())?;
        let bytes = out.len() as u32;
        self.lines.beside_read(physical, bytes, past, Agent::Dma)?;
        self.memory.read(physical, out);
        Ok(self.reach(bus, bytes, at, false))
    }

    /// A write comes to memory at the clock `at`; gives the clocks for which it waits for others.
    pub fn wait_to_write(&mut self, bus: u32, bytes: usize, at: u64) -> u64 {
        self.reach(bus, bytes as u32, at, true)
    }

    /// Writes memory.
    ///
    /// # Errors
    /// A wrong address, or a line that the ARM's cache holds dirty.
    pub fn write(&mut self, bus: u32, data: &[u8]) -> Result<(), (FaultKind, u32)> {
        let (physical, past) = self.physical(bus, data.len())?;
        let bytes = data.len() as u32;
        self.lines.beside_write(physical, bytes, past);
        self.lines.outside_write(physical, bytes, Agent::Dma)?;
        self.memory.write(physical, data);
        Ok(())
    }

    fn reach(&mut self, bus: u32, bytes: u32, at: u64, write: bool) -> u64 {
        let access = Access {
            at,
            bus,
            bytes,
            write,
            passes: self.passes,
        };
        let mut memory = Bus {
            memory: self.memory,
            lines: self.lines,
            fault: self.fault,
            guest: None,
            map: self.map,
            check_alias: self.check_alias,
        };
        self.v3d.dma_access(access, &mut memory)
    }

    /// Writes a word to a peripheral.
    ///
    /// # Errors
    /// Always: none is modelled.
    pub fn write_peripheral(&self, bus: u32) -> Result<(), (FaultKind, u32)> {
        let what = format!("DMA to the peripheral address {bus:#010x}");
        Err((FaultKind::NotModelled(what), bus))
    }
}
