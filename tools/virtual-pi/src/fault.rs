//! Why a run stops, and what to do about it.
//!
//! Two classes are never confused: the guest did something that real silicon punishes, or the guest
//! used something that this model does not have, [`FaultKind::NotModelled`]. The second is a gap of
//! ours, not a mistake of the guest.

use std::fmt;

/// A unit that accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// The ARM core itself.
    Arm,
    /// The V3D block.
    V3d,
    /// The VideoCore firmware, which answers the property mailbox.
    Mailbox,
    /// The DMA controller.
    Dma,
    /// The MMU's table walk, which does not look into the data cache.
    TableWalk,
}

impl fmt::Display for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Arm => "the ARM",
            Self::V3d => "V3D",
            Self::Mailbox => "the mailbox firmware",
            Self::Dma => "DMA",
            Self::TableWalk => "the MMU table walk",
        })
    }
}

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// Memory was read behind the ARM's back while its data cache held newer data for that line.
    #[error("{0} read a line that is dirty in the ARM's data cache")]
    DirtyLineRead(Agent),
    /// Memory was written behind the ARM's back while its data cache held a dirty copy of that
    /// line, which may be written back over it at any time.
    #[error("{0} wrote a line that is dirty in the ARM's data cache")]
    DirtyLineOverwritten(Agent),
    /// The ARM read a line from its data cache that has been written behind its back since.
    #[error("the ARM read an old copy of a line that {0} has written")]
    StaleLineRead(Agent),
    /// A line was read whose dirty data had been thrown away by an invalidation.
    #[error("{0} read a line whose stores were thrown away by an invalidation")]
    DiscardedLineRead(Agent),
    /// Memory was read through the system L2 after it had been written past it.
    #[error("{0} read through the system L2 a line that was written past it")]
    StaleL2Read(Agent),
    /// Memory was read past the system L2, which may hold newer data.
    #[error("{0} read past the system L2 a line that the L2 may hold newer data of")]
    L2Passed(Agent),
    /// The data cache was switched on without having been invalidated since reset.
    #[error("the data cache was enabled without being invalidated")]
    CacheNotInvalidated,
    /// A floating-point operation that the VFP11 leaves to support code.
    #[error("the VFP11 bounces this instruction to support code: {0}")]
    VfpBounce(&'static str),
    /// An unaligned load or store with SCTLR.U = 0, which rotates or ignores low address bits.
    #[error("unaligned access with SCTLR.U = 0: the data is rotated")]
    UnalignedLegacy,
    /// An unaligned access to Device or Strongly-ordered memory.
    #[error("unaligned access to Device or Strongly-ordered memory")]
    UnalignedDevice,
    /// LDREX on memory that is not Normal cacheable; it may never succeed.
    #[error("exclusive access to memory that is not Normal cacheable")]
    ExclusiveUncached,
    /// V3D, DMA or the mailbox was started while a store or a cache clean had not been completed by
    /// a DSB.
    #[error("{0} was started with no DSB after the last store or cache clean")]
    MissingBarrier(Agent),
    /// Another peripheral was read before this access, and no barrier stands between.
    #[error("access to a peripheral with no barrier after the last read of another one")]
    PeripheralOrder,
    /// An access to a peripheral that was not 32 bits wide; bytes of the access.
    #[error("{}-bit access to a peripheral", .0 * 8)]
    MmioWidth(u32),
    /// An access to an address where this board has nothing.
    #[error("access to an address where this board has nothing")]
    Unmapped,
    /// A bus address without the alias that this board needs; the alias wanted.
    #[error("{agent} was given a bus address without the alias {wanted:#010x}")]
    BusAlias {
        /// The unit that was given the address.
        agent: Agent,
        /// The required top two bits, as an address.
        wanted: u32,
    },
    /// A bus address outside of the board's memory.
    #[error("{0} was given an address outside of memory")]
    BusAddress(Agent),
    /// A peripheral was used in a way that its manual forbids or leaves undefined; the peripheral,
    /// and what was done.
    #[error("{0} was misused: {1}")]
    Misuse(&'static str, &'static str),
    /// The processor can make no progress: an exception whose handler raises the same one.
    #[error("an exception handler raises its own exception for ever")]
    Lockup,
    /// Something that this model does not have.
    #[error("not modelled: {0}")]
    NotModelled(String),
}

/// A mistake that a device beside the ARM ran into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mistake {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The address concerned.
    pub address: u32,
    /// The QPU that did it, and its instruction.
    pub by: Option<v3d_sim::Place>,
}

impl Mistake {
    /// A mistake of no QPU.
    pub fn new(kind: FaultKind, address: u32) -> Self {
        let by = None;
        Self { kind, address, by }
    }
}

/// A stop with its place: what, at which instruction, on which address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// Address of the ARM's instruction that did it, or that the ARM was at meanwhile.
    pub pc: u32,
    /// The QPU that did it, and its instruction, where one did.
    pub by: Option<v3d_sim::Place>,
    /// The address concerned, where there is one: physical for memory, bus for bus addresses.
    pub address: Option<u32>,
    /// Virtual time in nanoseconds since power-on.
    pub at_ns: u64,
}

impl FaultKind {
    fn advice(&self) -> &'static str {
        match self {
            Self::DirtyLineRead(_) => {
                "clean the line (c7,c10,1) and issue a DSB before handing the buffer over"
            }
            Self::DirtyLineOverwritten(_) => {
                "clean or invalidate the whole buffer before handing it over, and let buffers own whole cache lines"
            }
            Self::StaleLineRead(_) => {
                "invalidate the line (c7,c6,1) after the other side has written it and before reading it"
            }
            Self::DiscardedLineRead(_) => {
                "clean lines whose stores matter instead of invalidating them; what memory holds now is a matter of luck"
            }
            Self::StaleL2Read(_) | Self::L2Passed(_) => {
                "give DMA addresses of memory with the alias 0x4000_0000, which goes through the L2 as the ARM and V3D do"
            }
            Self::CacheNotInvalidated => {
                "invalidate both caches (c7,c7,0) before setting SCTLR.C; their contents are undefined after reset"
            }
            Self::VfpBounce(_) => {
                "set FPSCR = 0x0300_0000 (FZ and DN, RunFast) before the first floating-point operation"
            }
            Self::UnalignedLegacy => "set SCTLR.U (bit 22) at boot, or align the access",
            Self::UnalignedDevice => "align the access, or map this memory as Normal",
            Self::ExclusiveUncached => {
                "turn the MMU and the data cache on first, and use atomics only in Normal cacheable, non-shared memory"
            }
            Self::MissingBarrier(_) => {
                "issue a DSB (c7,c10,4) between the last store or clean and this write"
            }
            Self::PeripheralOrder => {
                "issue a DMB (c7,c10,5) after the last read of a peripheral, also when a handler begins"
            }
            Self::MmioWidth(_) => "use 32-bit loads and stores for peripheral registers",
            Self::Unmapped => {
                "check the pointer; RAM and the peripherals of this board are elsewhere"
            }
            Self::BusAlias { .. } => {
                "convert physical addresses to bus addresses: physical | alias of the board"
            }
            Self::BusAddress(_) => "check the address; it must lie in the board's RAM",
            Self::Misuse(..) => {
                "see the peripheral's chapter in BCM2835 ARM Peripherals for what it allows"
            }
            Self::Lockup => "check VBAR and the exception vectors",
            Self::NotModelled(_) => {
                "this is a gap of the virtual Pi, not an error of the program; please report it, or avoid it"
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "virtual Pi stopped: {}, ", self.kind)?;
        match &self.by {
            Some(place) => write!(f, "{place}")?,
            None => write!(f, "at pc {:#010x}", self.pc)?,
        }
        if let Some(address) = self.address {
            write!(f, ", address {address:#010x}")?;
        }
        write!(
            f,
            ", {} us after power-on; {}",
            self.at_ns / 1000,
            self.kind.advice()
        )
    }
}

impl std::error::Error for Fault {}

/// Why [`crate::VirtualPi::run_until_ns`] came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The time asked for has been reached.
    Deadline,
    /// The part on the I2S pins needs a sample that the host has not brought: time stands until it
    /// does, with [`crate::Feed::push`].
    Starved,
    /// The run cannot go on; every later call returns the same fault.
    Fault(Fault),
    /// The PM watchdog ran out with a full reset configured. The board has booted again from the
    /// image, or stays in reset with [`crate::Config::no_reboot`].
    Reset,
}

/// A configuration or an image that no board can be built from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Memory size that this board never had.
    #[error("a Pi 1 has 256 or 512 MiB of memory, not {0}; set ram_mib to one of them")]
    RamSize(u32),
    /// A split that leaves no working GPU or no ARM memory.
    #[error("gpu_mib must be 32 to 192, not {0} (less than 32 boots firmware without 3D support)")]
    GpuSize(u32),
    /// A kernel that does not fit.
    #[error(
        "the image has {0} bytes, more than the ARM's memory above 0x8000 holds; give a flat kernel.img"
    )]
    ImageSize(usize),
    /// An image with nothing in it.
    #[error("the image is empty; give a flat kernel.img")]
    ImageEmpty,
    /// An ELF file instead of a flat image.
    #[error("the image is an ELF file; give the flat kernel.img that goes on the card")]
    ImageIsElf,
    /// A command line that cannot be passed.
    #[error("the command line has {0} bytes, more than the 1024 that are passed on; shorten it")]
    CommandLine(usize),
    /// A rate that no serial line has.
    #[error("host_baud and uart_hz must not be 0; set them to the rates of the line")]
    Rate,
    /// A FIFO that the registers of SMI do not describe.
    #[error("smi_fifo_words must be 1 to 64, not {0}")]
    SmiFifo(u32),
    /// A rate that PLLD does not have.
    #[error("plld_ppb must be -1000000 to 1000000, not {0}")]
    Plld(i32),
    /// Writes that DMA's counter does not count.
    #[error("dma_outstanding_writes must be 1 to 15, not {0}")]
    DmaWrites(u32),
}
