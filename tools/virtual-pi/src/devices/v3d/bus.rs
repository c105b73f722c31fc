//! Memory as V3D reaches it: aliases, and the checks of what the ARM's cache and the L2 hold.
//!
//! Source: docs/hardware/qpu.md, section 7; Broadcom's driver sources for HW-2827.

use std::ops::Range;

use v3d_sim::MemoryFault;

use crate::checks::Lines;
use crate::fault::{Agent, FaultKind, Mistake};
use crate::map::{self, MemoryMap};
use crate::memory::Memory;

/// The alias that V3D may read through beside the board's: as coherent, but nothing is allocated in
/// the L2. Broadcom's driver sources keep it from stores (HW-2827).
const READS: u32 = 0x8000_0000;

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
    /// Aliases of memory.
    pub map: MemoryMap,
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
        let physical = map::physical(address);
        let end = u64::from(physical) + bytes as u64;
        if end > u64::from(self.memory.size()) {
            return Err(MemoryFault::absent(address));
        }
        if self.check_alias && !aliases.contains(&map::alias(address)) {
            let wanted = self.map.alias;
            let kind = FaultKind::BusAlias {
                agent: Agent::V3d,
                wanted,
            };
            let fault = MemoryFault {
                addr: address,
                reason: format!("an address without the alias {wanted:#010x} of this board").into(),
            };
            if self.guest.is_none() {
                self.fault.get_or_insert(Mistake::new(kind, address));
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

    /// Notes what is wrong with a line; the access then fails, so that it is known who did it.
    fn judge(
        &mut self,
        address: u32,
        checked: Result<(), (FaultKind, u32)>,
    ) -> Result<(), MemoryFault> {
        checked.map_err(|(kind, at)| {
            let reason = kind.to_string().into();
            self.fault.get_or_insert(Mistake::new(kind, at));
            MemoryFault {
                addr: address,
                reason,
            }
        })
    }
}

impl v3d_sim::Memory for Bus<'_> {
    fn read(&mut self, address: u32, out: &mut [u8]) -> Result<(), MemoryFault> {
        let physical = self.physical(address, out.len(), &[self.map.alias, READS])?;
        if self.checks_lines(physical) {
            let bytes = out.len() as u32;
            let checked = self.lines.beside_read(physical, bytes, false, Agent::V3d);
            self.judge(address, checked)?;
        }
        self.memory.read(physical, out);
        Ok(())
    }

    fn write(&mut self, address: u32, data: &[u8]) -> Result<(), MemoryFault> {
        let physical = self.physical(address, data.len(), &[self.map.alias])?;
        let bytes = data.len() as u32;
        if self.checks_lines(physical) {
            let checked = self.lines.outside_write(physical, bytes, Agent::V3d);
            self.judge(address, checked)?;
        }
        self.lines.beside_write(physical, bytes, false);
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
            map: MemoryMap::BCM2835,
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
                wanted: MemoryMap::BCM2835.alias,
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
            bus.lines.beside_write(0x1040, 4, true);
            assert!(bus.read(0x4000_1000, &mut [0; 64]).is_ok());
            assert!(bus.read(0x4000_1000, &mut [0; 128]).is_err());
        });
        assert_eq!(found, Some((FaultKind::StaleL2Read(Agent::V3d), 0x1040)));
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
