//! The units that an instruction uses beside registers and ALUs.

use qpu::isa::{File, Raddr, Signal, Waddr, raddr, waddr};

/// Units that an instruction uses, so that it may have to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Units(u32);

impl Units {
    /// Reads a uniform.
    pub const UNIFORM: Self = Self(1);
    /// Reads a vector of the VPM.
    pub const VPM_READ: Self = Self(1 << 1);
    /// Reads `ld_wait`.
    pub const LOAD_WAIT: Self = Self(1 << 2);
    /// Reads `st_wait`.
    pub const STORE_WAIT: Self = Self(1 << 3);
    /// Takes the mutex.
    pub const MUTEX: Self = Self(1 << 4);
    /// Reads any other I/O address.
    pub const OTHER_READ: Self = Self(1 << 5);
    /// `ldtmu0`.
    pub const LDTMU0: Self = Self(1 << 6);
    /// `ldtmu1`.
    pub const LDTMU1: Self = Self(1 << 7);
    /// Any other signal.
    pub const OTHER_SIGNAL: Self = Self(1 << 8);
    /// Counts a semaphore.
    pub const SEMAPHORE: Self = Self(1 << 9);
    /// Writes a coordinate for TMU 0: s, t, r or b.
    pub const TMU0_REQUEST: Self = Self(1 << 10);
    /// Writes a coordinate for TMU 1.
    pub const TMU1_REQUEST: Self = Self(1 << 11);
    /// Starts a DMA load.
    pub const LOAD_START: Self = Self(1 << 12);
    /// Starts a DMA store.
    pub const STORE_START: Self = Self(1 << 13);
    /// Writes a vector to the VPM.
    pub const VPM_WRITE: Self = Self(1 << 14);
    /// Writes `rd_setup`.
    pub const READ_SETUP: Self = Self(1 << 15);
    /// Writes `wr_setup`.
    pub const WRITE_SETUP: Self = Self(1 << 16);
    /// Writes an SFU.
    pub const SFU: Self = Self(1 << 17);
    /// Writes `tmu_noswap` or an address of uniforms.
    pub const OWN_WRITE: Self = Self(1 << 18);
    /// Writes any other I/O address.
    pub const OTHER_WRITE: Self = Self(1 << 19);

    /// Writes that may have to wait.
    pub const WRITES_THAT_WAIT: Self = Self(
        Self::TMU0_REQUEST.0
            | Self::TMU1_REQUEST.0
            | Self::VPM_WRITE.0
            | Self::SFU.0
            | Self::LOAD_START.0
            | Self::STORE_START.0,
    );

    /// Accesses whose round other QPUs, the host or a DMA engine can observe: the order in which
    /// these are executed matters, that of lookups to programs that race only.
    pub const ORDERED: Self = Self(
        Self::TMU0_REQUEST.0
            | Self::TMU1_REQUEST.0
            | Self::LOAD_WAIT.0
            | Self::STORE_WAIT.0
            | Self::MUTEX.0
            | Self::OTHER_READ.0
            | Self::OTHER_SIGNAL.0
            | Self::SEMAPHORE.0
            | Self::LOAD_START.0
            | Self::STORE_START.0
            | Self::OTHER_WRITE.0,
    );

    /// Units that need no wait without time.
    pub const PROMPT: Self = Self(
        Self::UNIFORM.0
            | Self::OTHER_READ.0
            | Self::OTHER_SIGNAL.0
            | Self::VPM_WRITE.0
            | Self::READ_SETUP.0
            | Self::WRITE_SETUP.0
            | Self::SFU.0
            | Self::OWN_WRITE.0
            | Self::OTHER_WRITE.0,
    );

    /// All writes of I/O addresses.
    pub const WRITES: Self = Self(0x3ff << 10);

    /// All reads of I/O addresses.
    pub const READS: Self = Self(0x3f);

    pub(super) const NONE: Self = Self(0);

    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// True if any of `other` is used.
    #[must_use]
    pub const fn uses(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// True if nothing but `other` is used.
    #[must_use]
    pub const fn only(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// True if `one` is the only one of `group` that is used.
    #[must_use]
    pub const fn uses_only(self, one: Self, group: Self) -> bool {
        self.0 & group.0 == one.0
    }

    /// True if only their QPU can tell when these are used, and at once.
    #[must_use]
    pub const fn are_own(self) -> bool {
        !self.uses(Self::ORDERED.with(Self::SFU))
    }

    /// True if any unit is used.
    #[must_use]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    pub(super) fn of_read(address: Raddr, file: File) -> Self {
        match (address, file) {
            _ if address.register().is_some() => Self::NONE,
            (raddr::NOP | raddr::ELEMENT_QPU, _) => Self::NONE,
            (raddr::UNIFORM, _) => Self::UNIFORM,
            (raddr::VPM_READ, _) => Self::VPM_READ,
            (raddr::VPM_WAIT, File::A) => Self::LOAD_WAIT,
            (raddr::VPM_WAIT, File::B) => Self::STORE_WAIT,
            (raddr::MUTEX_ACQUIRE, _) => Self::MUTEX,
            _ => Self::OTHER_READ,
        }
    }

    pub(super) fn of_signal(signal: Signal) -> Self {
        match signal {
            Signal::None => Self::NONE,
            Signal::LoadTmu0 => Self::LDTMU0,
            Signal::LoadTmu1 => Self::LDTMU1,
            _ => Self::OTHER_SIGNAL,
        }
    }

    pub(super) fn of_write(address: Waddr, file: File) -> Self {
        match (address, file) {
            _ if address.is_tmu() && address.bits() < waddr::TMU1_S.bits() => Self::TMU0_REQUEST,
            _ if address.is_tmu() => Self::TMU1_REQUEST,
            (waddr::TMU_NOSWAP | waddr::UNIFORMS_ADDRESS, _) => Self::OWN_WRITE,
            (waddr::VPM_ADDR, File::A) => Self::LOAD_START,
            (waddr::VPM_ADDR, File::B) => Self::STORE_START,
            (waddr::VPM_WRITE, _) => Self::VPM_WRITE,
            (waddr::VPMVCD_SETUP, File::A) => Self::READ_SETUP,
            (waddr::VPMVCD_SETUP, File::B) => Self::WRITE_SETUP,
            _ if address.is_sfu() => Self::SFU,
            _ => Self::OTHER_WRITE,
        }
    }
}
