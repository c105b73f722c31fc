//! Register addresses: 0..31 are physical registers, 32..63 are I/O.
//!
//! I/O addresses differ between reads and writes, and some between files A and B: 49 written
//! through A sets up VPM reads and DMA loads, through B VPM writes and DMA stores. Source:
//! Architecture Reference Guide, "QPU register address map"; for 40 through B (relative uniforms
//! address) vc4asm's addendum and Linux's vc4 driver.

use super::bits::six_bits;

/// One of the two register files, and of the two ports to I/O.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum File {
    /// File A.
    A,
    /// File B.
    B,
}

impl File {
    /// The other file.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

macro_rules! address {
    ($(#[$meta:meta])* $name:ident, $module:ident { $($(#[$doc:meta])* $constant:ident = $bits:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(u8);

        six_bits!($name);

        impl $name {
            /// The number of the physical register; `None` for I/O.
            #[must_use]
            pub const fn register(self) -> Option<u8> {
                if self.0 < 32 { Some(self.0) } else { None }
            }
        }

        #[doc = concat!("The I/O addresses of [`", stringify!($name), "`], by Broadcom's names.")]
        pub mod $module {
            use super::$name;
            $($(#[$doc])* pub const $constant: $name = $name($bits);)+
        }
    };
}

address! {
    /// The address that a port reads.
    Raddr, raddr {
        /// The next uniform, in every lane.
        UNIFORM = 32;
        /// The next varying; fragment shaders only. Also loads r5.
        VARYING = 35;
        /// Element number through A, QPU number through B.
        ELEMENT_QPU = 38;
        /// Reads nothing.
        NOP = 39;
        /// Pixel coordinate: X through A, Y through B.
        XY_PIXEL_COORD = 41;
        /// Multisample flags through A, reverse flag through B.
        MS_REV_FLAGS = 42;
        /// The next vector of the VPM read FIFO.
        VPM_READ = 48;
        /// The state of a DMA, running or not: load through A, store through B.
        VPM_BUSY = 49;
        /// Waits for the end of DMA: load through A, store through B.
        VPM_WAIT = 50;
        /// Waits for the mutex and takes it.
        MUTEX_ACQUIRE = 51;
    }
}

address! {
    /// The address that a result goes to.
    Waddr, waddr {
        /// Accumulator r0.
        ACC0 = 32;
        /// Accumulator r1.
        ACC1 = 33;
        /// Accumulator r2.
        ACC2 = 34;
        /// Accumulator r3.
        ACC3 = 35;
        /// A non-zero value in element 0 turns TMU swapping off.
        TMU_NOSWAP = 36;
        /// r5: through A each quad gets its element 0, through B all lanes get element 0.
        ACC5 = 37;
        /// Host interrupt, by a non-zero value.
        HOST_INT = 38;
        /// Writes nothing.
        NOP = 39;
        /// Uniforms address: absolute through A, relative in words through B.
        UNIFORMS_ADDRESS = 40;
        /// Quad coordinate: X through A, Y through B.
        QUAD_XY = 41;
        /// Multisample flags through A, reverse flag through B.
        MS_REV_FLAGS = 42;
        /// Tile buffer stencil setup.
        TLB_STENCIL_SETUP = 43;
        /// Tile buffer Z.
        TLB_Z = 44;
        /// Tile buffer colour, multisampled.
        TLB_COLOUR_MS = 45;
        /// Tile buffer colour.
        TLB_COLOUR_ALL = 46;
        /// Tile buffer alpha mask.
        TLB_ALPHA_MASK = 47;
        /// A vector to the VPM.
        VPM_WRITE = 48;
        /// Setup: VPM read and DMA load through A, VPM write and DMA store through B.
        VPMVCD_SETUP = 49;
        /// Starts DMA: load through A, store through B.
        VPM_ADDR = 50;
        /// Gives the mutex back.
        MUTEX_RELEASE = 51;
        /// SFU: r4 becomes 1 / x, three instructions on.
        SFU_RECIP = 52;
        /// SFU: r4 becomes 1 / sqrt(|x|).
        SFU_RECIPSQRT = 53;
        /// SFU: r4 becomes 2^x.
        SFU_EXP = 54;
        /// SFU: r4 becomes log2(|x|).
        SFU_LOG = 55;
        /// TMU 0: s, or addresses; launches the request.
        TMU0_S = 56;
        /// TMU 0: t.
        TMU0_T = 57;
        /// TMU 0: r.
        TMU0_R = 58;
        /// TMU 0: b.
        TMU0_B = 59;
        /// TMU 1: s, or addresses; launches the request.
        TMU1_S = 60;
        /// TMU 1: t.
        TMU1_T = 61;
        /// TMU 1: r.
        TMU1_R = 62;
        /// TMU 1: b.
        TMU1_B = 63;
    }
}

impl Waddr {
    /// The accumulator, 0..=3 or 5.
    #[must_use]
    pub const fn accumulator(self) -> Option<u8> {
        match self.0 {
            32..=35 => Some(self.0 - 32),
            37 => Some(5),
            _ => None,
        }
    }

    /// True if it is another register through the other file.
    #[must_use]
    pub const fn differs_by_file(self) -> bool {
        let is_io = matches!(
            self,
            waddr::ACC5
                | waddr::UNIFORMS_ADDRESS
                | waddr::QUAD_XY
                | waddr::MS_REV_FLAGS
                | waddr::VPMVCD_SETUP
                | waddr::VPM_ADDR
        );
        is_io || self.register().is_some()
    }

    /// Any TMU coordinate.
    #[must_use]
    pub const fn is_tmu(self) -> bool {
        self.0 >= 56
    }

    /// Any SFU function.
    #[must_use]
    pub const fn is_sfu(self) -> bool {
        matches!(self.0, 52..=55)
    }

    /// Any tile buffer register.
    #[must_use]
    pub const fn is_tlb(self) -> bool {
        matches!(self.0, 43..=47)
    }

    /// A vector, a setup word or an address for VPM and DMA.
    #[must_use]
    pub const fn is_vpm(self) -> bool {
        matches!(self.0, 48..=50)
    }
}

impl Raddr {
    /// True if each read takes something, which is the same through both ports.
    #[must_use]
    pub const fn is_taken(self) -> bool {
        matches!(
            self,
            raddr::UNIFORM | raddr::VARYING | raddr::VPM_READ | raddr::MUTEX_ACQUIRE
        )
    }

    /// A vector, a busy flag or a wait of VPM and DMA.
    #[must_use]
    pub const fn is_vpm(self) -> bool {
        matches!(self.0, 48..=50)
    }
}
