//! Operands: what an operation reads and where its result goes.
//!
//! Many I/O registers exist behind one port only: `rd_setup` is written through file A, `wr_setup`
//! through file B. An operand knows its port; which ALU, and so which write swap, follows from it.

use crate::isa::{File, Pack, Raddr, Unpack, Waddr, raddr, waddr};

/// A source that an operation reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Src {
    pub(crate) from: Origin,
    pub(crate) unpack: Unpack,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Origin {
    /// r0..r5.
    Accumulator(u8),
    /// A register or I/O, through the port of one file or of either.
    Port(Option<File>, Raddr),
    /// A constant that must fit a small immediate.
    Constant(u32),
    /// Anything, for an operation of a value with itself: what port B reads for another operand,
    /// else r0.
    Any,
}

/// The destination of a result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Dst {
    pub(crate) waddr: Waddr,
    /// The port it must be written through; `None` when both do the same.
    pub(crate) file: Option<File>,
    pub(crate) pack: Pack,
}

/// Something that can be read and written by the same name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reg {
    src: Src,
    dst: Dst,
}

impl Src {
    const fn new(from: Origin) -> Self {
        Self {
            from,
            unpack: Unpack::None,
        }
    }

    pub(crate) const fn accumulator(number: u8) -> Self {
        Self::new(Origin::Accumulator(number))
    }

    /// The value that a port reads: `raddr` through `file`, or through either.
    #[must_use]
    pub const fn at(raddr: Raddr, file: Option<File>) -> Self {
        Self::new(Origin::Port(file, raddr))
    }

    /// This operand, widened; only registers of file A and r4 can be.
    #[must_use]
    pub const fn unpack(self, unpack: Unpack) -> Self {
        Self { unpack, ..self }
    }

    /// A constant operand with this bit pattern in every lane.
    #[must_use]
    pub const fn constant(word: u32) -> Self {
        Self::new(Origin::Constant(word))
    }

    /// True if it is one of r0..r3, the only operands that a rotation moves over all lanes.
    #[must_use]
    pub const fn rotates(self) -> bool {
        matches!(self.from, Origin::Accumulator(0..=3))
    }
}

impl Dst {
    /// The register that a port writes: `waddr` through `file`, or through either.
    #[must_use]
    pub const fn at(waddr: Waddr, file: Option<File>) -> Self {
        Self {
            waddr,
            file,
            pack: Pack::None,
        }
    }

    /// This destination with a narrowed result; only registers of file A can have one.
    #[must_use]
    pub const fn pack(self, pack: Pack) -> Self {
        Self { pack, ..self }
    }

    /// The address, and the file it must be written through if that matters.
    #[must_use]
    pub const fn address(self) -> (Waddr, Option<File>) {
        (self.waddr, self.file)
    }
}

impl Reg {
    const fn accumulator(number: u8, waddr: Waddr) -> Self {
        Self {
            src: Src::accumulator(number),
            dst: Dst::at(waddr, None),
        }
    }

    const fn register(file: File, number: u8) -> Self {
        let (Some(raddr), Some(waddr), true) = (
            Raddr::from_bits(number),
            Waddr::from_bits(number),
            number < 32,
        ) else {
            panic!("a register file has registers 0 to 31");
        };
        Self {
            src: Src::at(raddr, Some(file)),
            dst: Dst::at(waddr, Some(file)),
        }
    }

    /// Reads it widened; see [`Src::unpack`].
    #[must_use]
    pub const fn unpack(self, unpack: Unpack) -> Src {
        self.src.unpack(unpack)
    }

    /// Writes it narrowed; see [`Dst::pack`].
    #[must_use]
    pub const fn pack(self, pack: Pack) -> Dst {
        self.dst.pack(pack)
    }
}

impl From<Reg> for Src {
    fn from(register: Reg) -> Self {
        register.src
    }
}

impl From<Reg> for Dst {
    fn from(register: Reg) -> Self {
        register.dst
    }
}

/// An integer that fits a small immediate: -16..=15.
impl From<i32> for Src {
    fn from(value: i32) -> Self {
        Self::constant(value as u32)
    }
}

/// A float that fits a small immediate: a power of two from 2^-8 to 2^7, or 0.
impl From<f32> for Src {
    fn from(value: f32) -> Self {
        Self::constant(value.to_bits())
    }
}

/// Register `number` of file A.
///
/// # Panics
/// When `number` is not 0..=31.
#[must_use]
#[track_caller]
pub const fn ra(number: u8) -> Reg {
    Reg::register(File::A, number)
}

/// Register `number` of file B.
///
/// # Panics
/// When `number` is not 0..=31.
#[must_use]
#[track_caller]
pub const fn rb(number: u8) -> Reg {
    Reg::register(File::B, number)
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident: $type:ident = $value:expr;)+) => {
        $($(#[$doc])* pub const $name: $type = $value;)+
    };
}

names! {
    /// Accumulator r0.
    R0: Reg = Reg::accumulator(0, waddr::ACC0);
    /// Accumulator r1.
    R1: Reg = Reg::accumulator(1, waddr::ACC1);
    /// Accumulator r2.
    R2: Reg = Reg::accumulator(2, waddr::ACC2);
    /// Accumulator r3.
    R3: Reg = Reg::accumulator(3, waddr::ACC3);
    /// r4: the last result of TMU or SFU.
    R4: Src = Src::accumulator(4);
    /// r5. It is written as [`R5_QUAD`] or [`R5_ALL`].
    R5: Src = Src::accumulator(5);
    /// VPM: the next vector read, or a vector written.
    VPM: Reg = Reg { src: Src::at(raddr::VPM_READ, None), dst: Dst::at(waddr::VPM_WRITE, None) };

    /// The next uniform.
    UNIF: Src = Src::at(raddr::UNIFORM, None);
    /// The lane's number, 0..=15.
    ELEM_NUM: Src = Src::at(raddr::ELEMENT_QPU, Some(File::A));
    /// The QPU's number, 0..=11.
    QPU_NUM: Src = Src::at(raddr::ELEMENT_QPU, Some(File::B));
    /// Waits until this QPU's DMA loads are done.
    LD_WAIT: Src = Src::at(raddr::VPM_WAIT, Some(File::A));
    /// Waits until this QPU's DMA stores are done.
    ST_WAIT: Src = Src::at(raddr::VPM_WAIT, Some(File::B));
    /// Waits for the mutex and takes it.
    MUTEX_ACQUIRE: Src = Src::at(raddr::MUTEX_ACQUIRE, None);

    /// Discards the result; flags can still be set.
    NONE: Dst = Dst::at(waddr::NOP, None);
    /// r5, each quad with its own element 0.
    R5_QUAD: Dst = Dst::at(waddr::ACC5, Some(File::A));
    /// r5, all lanes with element 0.
    R5_ALL: Dst = Dst::at(waddr::ACC5, Some(File::B));
    /// A non-zero value turns off the swapping of TMUs in QPUs 2 and 3 of a slice.
    TMU_NOSWAP: Dst = Dst::at(waddr::TMU_NOSWAP, None);
    /// A non-zero value raises the host interrupt.
    HOST_INT: Dst = Dst::at(waddr::HOST_INT, None);
    /// The bus address that the next uniform is read from.
    UNIFORMS_ADDRESS: Dst = Dst::at(waddr::UNIFORMS_ADDRESS, Some(File::A));
    /// The address of the next uniform, counted in words from the uniform that would come next.
    UNIFORMS_ADDRESS_RELATIVE: Dst = Dst::at(waddr::UNIFORMS_ADDRESS, Some(File::B));
    /// Setup of VPM reads and DMA loads.
    RD_SETUP: Dst = Dst::at(waddr::VPMVCD_SETUP, Some(File::A));
    /// Setup of VPM writes and DMA stores.
    WR_SETUP: Dst = Dst::at(waddr::VPMVCD_SETUP, Some(File::B));
    /// Starts a DMA load from this bus address.
    LD_ADDR: Dst = Dst::at(waddr::VPM_ADDR, Some(File::A));
    /// Starts a DMA store to this bus address.
    ST_ADDR: Dst = Dst::at(waddr::VPM_ADDR, Some(File::B));
    /// Gives the mutex back, whatever the value.
    MUTEX_RELEASE: Dst = Dst::at(waddr::MUTEX_RELEASE, None);
    /// r4 becomes 1 / x; readable in the third instruction after.
    SFU_RECIP: Dst = Dst::at(waddr::SFU_RECIP, None);
    /// r4 becomes 1 / sqrt(|x|).
    SFU_RECIPSQRT: Dst = Dst::at(waddr::SFU_RECIPSQRT, None);
    /// r4 becomes 2^x.
    SFU_EXP: Dst = Dst::at(waddr::SFU_EXP, None);
    /// r4 becomes log2(|x|).
    SFU_LOG: Dst = Dst::at(waddr::SFU_LOG, None);
    /// Requests the word at each lane's address from TMU 0.
    TMU0_S: Dst = Dst::at(waddr::TMU0_S, None);
    /// TMU 0 coordinate t.
    TMU0_T: Dst = Dst::at(waddr::TMU0_T, None);
    /// TMU 0 coordinate r.
    TMU0_R: Dst = Dst::at(waddr::TMU0_R, None);
    /// TMU 0 bias.
    TMU0_B: Dst = Dst::at(waddr::TMU0_B, None);
    /// Requests the word at each lane's address from TMU 1.
    TMU1_S: Dst = Dst::at(waddr::TMU1_S, None);
    /// TMU 1 coordinate t.
    TMU1_T: Dst = Dst::at(waddr::TMU1_T, None);
    /// TMU 1 coordinate r.
    TMU1_R: Dst = Dst::at(waddr::TMU1_R, None);
    /// TMU 1 bias.
    TMU1_B: Dst = Dst::at(waddr::TMU1_B, None);
}
