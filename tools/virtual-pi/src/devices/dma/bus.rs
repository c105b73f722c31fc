//! DMA's way to memory and to peripherals, with the checks of what the caches hold.
//!
//! Memory is reached through the system L2 (0x4 allocates lines, 0x8 does not) or past it (0xC).
//! The ARM and V3D of this board go through it, so that what DMA writes past it, they may read as
//! it was before. The alias 0x0 belongs to the VideoCore's own processor.
//!
//! Source: BCM2835 ARM Peripherals, sections 1.2.3 and 4.1; reference/platform.md, D.5.

use crate::checks::Lines;
use crate::devices::v3d::ALIAS;
use crate::fault::{Agent, FaultKind};
use crate::memory::Memory;

/// An access of a device beside the ARM, for the cycle model.
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
}

/// What DMA reaches.
pub struct DmaBus<'a> {
    /// The memory.
    pub memory: &'a mut Memory,
    /// Its lines in the caches.
    pub lines: &'a mut Lines,
    /// True if the alias is checked.
    pub check_alias: bool,
    /// The accesses to memory.
    pub accesses: &'a mut Vec<Access>,
}

impl DmaBus<'_> {
    /// The physical address of `bytes` bytes, and true if they lie past the L2.
    fn physical(&self, bus: u32, bytes: usize) -> Result<(u32, bool), (FaultKind, u32)> {
        let physical = bus & 0x3fff_ffff;
        if bus < 0x4000_0000 && self.check_alias {
            let kind = FaultKind::BusAlias {
                agent: Agent::Dma,
                wanted: ALIAS,
            };
            return Err((kind, bus));
        }
        if u64::from(physical) + bytes as u64 > u64::from(self.memory.size()) {
            return Err((FaultKind::BusAddress(Agent::Dma), bus));
        }
        Ok((physical, bus >= 0xc000_0000))
    }

    /// Reads memory at the clock `at`.
    ///
    /// # Errors
    /// A wrong address, or data that memory does not have.
    pub fn read(&mut self, bus: u32, out: &mut [u8], at: u64) -> Result<(), (FaultKind, u32)> {
        let (physical, past) = self.physical(bus, out.len())?;
        let bytes = out.len() as u32;
        self.lines.beside_read(physical, bytes, past, Agent::Dma)?;
        self.memory.read(physical, out);
        self.note(at, bus, bytes, false);
        Ok(())
    }

    /// Writes memory at the clock `at`.
    ///
    /// # Errors
    /// A wrong address, or a line that the ARM's cache holds dirty.
    pub fn write(&mut self, bus: u32, data: &[u8], at: u64) -> Result<(), (FaultKind, u32)> {
        let (physical, past) = self.physical(bus, data.len())?;
        let bytes = data.len() as u32;
        self.lines.beside_write(physical, bytes, past);
        self.lines.outside_write(physical, bytes, Agent::Dma)?;
        self.memory.write(physical, data);
        self.note(at, bus, bytes, true);
        Ok(())
    }

    fn note(&mut self, at: u64, bus: u32, bytes: u32, write: bool) {
        self.accesses.push(Access {
            at,
            bus,
            bytes,
            write,
        });
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
