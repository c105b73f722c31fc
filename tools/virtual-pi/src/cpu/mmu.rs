//! The MMU: table walks in the ARMv6 format, permissions and memory types.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), chapter B4; ARM1176JZF-S TRM, chapter 6.

use super::Cpu;
use crate::fault::{Agent, FaultKind};

/// Purpose of an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Load.
    Read,
    /// Store.
    Write,
    /// Instruction fetch.
    Execute,
}

/// Treatment of memory by the L1 data cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryType {
    /// In order, not merged, not cached.
    StronglyOrdered,
    /// Peripherals.
    Device,
    /// Not cached.
    Uncached,
    /// Loads are cached, stores also go to memory.
    WriteThrough,
    /// Loads and stores are cached.
    WriteBack,
}

impl MemoryType {
    /// True if the L1 cache may hold it.
    pub fn is_cached(self) -> bool {
        matches!(self, Self::WriteThrough | Self::WriteBack)
    }

    /// True if unaligned accesses are not allowed.
    pub fn is_ordered(self) -> bool {
        matches!(self, Self::StronglyOrdered | Self::Device)
    }
}

/// Place of a page and the permitted accesses to it.
#[derive(Clone, Copy)]
pub struct Translation {
    /// Physical address of the page.
    pub page: u32,
    /// Loads are allowed.
    pub read: bool,
    /// Stores are allowed.
    pub write: bool,
    /// Memory type for loads and stores.
    pub kind: MemoryType,
    /// The instruction cache may hold it.
    pub code_is_cached: bool,
}

/// Why there is no translation.
pub enum WalkError {
    /// Status for the fault status register: an abort.
    Abort(u32),
    /// The run ends.
    Stop(FaultKind, u32),
}

impl Cpu {
    /// Translates one address.
    pub fn walk(
        &mut self,
        address: u32,
        access: Access,
        user: bool,
    ) -> Result<Translation, WalkError> {
        let sctlr = self.cp15.sctlr;
        if sctlr & 1 == 0 {
            // Instructions are Normal, data is Strongly-ordered (TRM 6.3.2).
            return Ok(Translation {
                page: address & !0xfff,
                read: true,
                write: true,
                kind: MemoryType::StronglyOrdered,
                code_is_cached: true,
            });
        }
        let first_at = self.first_level_address(address);
        let first = self.table_word(first_at)?;
        let Some(found) = self.descriptor(first, address)? else {
            return Err(WalkError::Abort(0x05));
        };
        let (status, domain) = (if found.section { 0x09 } else { 0x0b }, found.domain << 4);
        let (read, write, execute) = match self.cp15.dacr >> (found.domain * 2) & 3 {
            // Manager: permissions are not checked.
            3 => (true, true, true),
            1 => {
                let (read, write) = permissions(found.permission, user);
                (read, write, read && !found.execute_never)
            }
            _ => return Err(WalkError::Abort(status | domain)),
        };
        let allowed = match access {
            Access::Read => read,
            Access::Write => write,
            Access::Execute => execute,
        };
        if !allowed {
            return Err(WalkError::Abort((status + 4) | domain));
        }
        Ok(Translation {
            page: found.page,
            read,
            write,
            kind: self.of_data(found.kind),
            code_is_cached: found.kind.is_cached(),
        })
    }

    fn first_level_address(&self, address: u32) -> u32 {
        let n = self.cp15.ttbcr & 7;
        if n != 0 && address >> (32 - n) != 0 {
            (self.cp15.ttbr1 & !0x3fff) + (address >> 20 << 2)
        } else {
            (self.cp15.ttbr0 & !((0x4000 >> n) - 1)) + (address << n >> (20 + n) << 2)
        }
    }

    /// The walk reads memory past the L1 data cache (TRM 6.10.1): a dirty line hides an entry.
    fn table_word(&mut self, at: u32) -> Result<u32, WalkError> {
        if at >= self.board.memory.size() {
            return Err(WalkError::Stop(FaultKind::BusAddress(Agent::TableWalk), at));
        }
        if let Err(kind) = self.board.lines.walk_read(at, &self.board.memory) {
            return Err(WalkError::Stop(kind, at));
        }
        Ok(self.board.memory.word(at))
    }

    fn descriptor(&mut self, first: u32, address: u32) -> Result<Option<Descriptor>, WalkError> {
        if self.cp15.sctlr & 1 << 23 == 0 {
            let what = "subpage permissions (SCTLR.XP = 0); set XP before the MMU";
            return Err(not_modelled(what, address));
        }
        match first & 3 {
            2 => {
                let super_section = first & 1 << 18 != 0;
                let (page, domain) = if super_section {
                    (first & 0xff00_0000 | address & 0x00ff_f000, 0)
                } else {
                    (first & 0xfff0_0000 | address & 0x000f_f000, first >> 5 & 15)
                };
                let kind = self.memory_type(
                    first >> 12 & 7,
                    first >> 2 & 3,
                    first & 1 << 16 != 0,
                    address,
                )?;
                Ok(Some(Descriptor {
                    page,
                    kind,
                    permission: first >> 10 & 3 | first >> 13 & 4,
                    execute_never: first & 1 << 4 != 0,
                    domain,
                    section: true,
                }))
            }
            1 => {
                let domain = first >> 5 & 15;
                let second = self.table_word((first & !0x3ff) + (address >> 12 & 0xff) * 4)?;
                let (page, tex, execute_never) = match second & 3 {
                    0 => return Err(WalkError::Abort(0x07 | domain << 4)),
                    1 => (
                        second & 0xffff_0000 | address & 0xf000,
                        second >> 12 & 7,
                        second & 1 << 15 != 0,
                    ),
                    _ => (second & 0xffff_f000, second >> 6 & 7, second & 1 != 0),
                };
                let kind =
                    self.memory_type(tex, second >> 2 & 3, second & 1 << 10 != 0, address)?;
                Ok(Some(Descriptor {
                    page,
                    kind,
                    permission: second >> 4 & 3 | second >> 7 & 4,
                    execute_never,
                    domain,
                    section: false,
                }))
            }
            _ => Ok(None),
        }
    }

    /// TEX, C and B without remapping (DDI 0100I, table B4-3). `cb` is C in bit 1, B in bit 0.
    fn memory_type(
        &self,
        tex: u32,
        cb: u32,
        shared: bool,
        address: u32,
    ) -> Result<MemoryType, WalkError> {
        if self.cp15.sctlr & 1 << 28 != 0 {
            let what = "TEX remapping (SCTLR.TRE)";
            return Err(not_modelled(what, address));
        }
        let inner = match (tex, cb) {
            (0, 0) => return Ok(MemoryType::StronglyOrdered),
            (0, 1) | (2, 0) => return Ok(MemoryType::Device),
            (1, 0) => MemoryType::Uncached,
            (0, 2) => MemoryType::WriteThrough,
            (0, 3) | (1, 3) => MemoryType::WriteBack,
            (4..=7, 0) => MemoryType::Uncached,
            (4..=7, 2) => MemoryType::WriteThrough,
            (4..=7, _) => MemoryType::WriteBack,
            _ => {
                let what = format!("reserved memory attributes TEX {tex}, C and B {cb}");
                return Err(not_modelled(what, address));
            }
        };
        // Shared Normal memory is not held in L1 (TRM 6.6.1).
        Ok(if shared { MemoryType::Uncached } else { inner })
    }

    /// The type of memory for loads and stores, which are not cached while the data cache is off.
    fn of_data(&self, kind: MemoryType) -> MemoryType {
        if kind.is_cached() && self.cp15.sctlr & 1 << 2 == 0 {
            MemoryType::Uncached
        } else {
            kind
        }
    }
}

fn not_modelled(what: impl Into<String>, address: u32) -> WalkError {
    WalkError::Stop(FaultKind::NotModelled(what.into()), address)
}

struct Descriptor {
    page: u32,
    kind: MemoryType,
    permission: u32,
    execute_never: bool,
    domain: u32,
    section: bool,
}

/// APX and AP as (load, store) (DDI 0100I, table B4-1).
fn permissions(permission: u32, user: bool) -> (bool, bool) {
    match (permission, user) {
        (1, false) | (2, false) | (3, _) => (true, true),
        (2, true) | (5, false) | (6, _) | (7, _) => (true, false),
        _ => (false, false),
    }
}
