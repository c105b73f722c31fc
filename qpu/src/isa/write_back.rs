//! The use that an instruction makes of its two results: bits 56:32.
//!
//! They are alike in all formats but branches.

use super::bits::{field, place};
use super::{Cond, File, MulPack, Pack, Waddr, waddr};

/// One of the two ALUs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Slot {
    /// The add ALU.
    Add,
    /// The mul ALU.
    Mul,
}

impl Slot {
    /// Both, in the order in which assembly text writes them.
    pub const BOTH: [Self; 2] = [Self::Add, Self::Mul];
}

/// Destinations, conditions, flags and packing of the two results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct WriteBack {
    /// True if pack and unpack act on the mul result and r4, false if on file A.
    pub pm: bool,
    /// The four pack bits, named as pm = 0 means them; see [`Self::pack_a`] and [`Self::pack_mul`].
    pub pack: Pack,
    /// The lanes of the add result that are written.
    pub cond_add: Cond,
    /// The lanes of the mul result that are written.
    pub cond_mul: Cond,
    /// True if flags are set: from the add result, or from the mul result when `op_add` is nop.
    pub sf: bool,
    /// Write swap: the add result goes to file B and the mul result to file A.
    pub ws: bool,
    /// Destination of the add result.
    pub waddr_add: Waddr,
    /// Destination of the mul result.
    pub waddr_mul: Waddr,
}

impl WriteBack {
    /// Writes nothing and sets no flags.
    pub const NOTHING: Self = Self {
        pm: false,
        pack: Pack::None,
        cond_add: Cond::Never,
        cond_mul: Cond::Never,
        sf: false,
        ws: false,
        waddr_add: waddr::NOP,
        waddr_mul: waddr::NOP,
    };

    pub(super) const fn decode(word: u64) -> Self {
        let (Some(pack), Some(cond_add), Some(cond_mul)) = (
            Pack::from_bits(field(word, 55, 52)),
            Cond::from_bits(field(word, 51, 49)),
            Cond::from_bits(field(word, 48, 46)),
        ) else {
            unreachable!()
        };
        Self {
            pm: field(word, 56, 56) != 0,
            pack,
            cond_add,
            cond_mul,
            sf: field(word, 45, 45) != 0,
            ws: field(word, 44, 44) != 0,
            waddr_add: Waddr::from_low_bits(field(word, 43, 38)),
            waddr_mul: Waddr::from_low_bits(field(word, 37, 32)),
        }
    }

    pub(super) const fn encode(self) -> u64 {
        place(self.pm as u64, 56, 56)
            | place(self.pack.bits() as u64, 55, 52)
            | place(self.cond_add.bits() as u64, 51, 49)
            | place(self.cond_mul.bits() as u64, 48, 46)
            | place(self.sf as u64, 45, 45)
            | place(self.ws as u64, 44, 44)
            | place(self.waddr_add.bits() as u64, 43, 38)
            | place(self.waddr_mul.bits() as u64, 37, 32)
    }

    /// Destination address of a result.
    #[must_use]
    pub const fn waddr(&self, slot: Slot) -> Waddr {
        match slot {
            Slot::Add => self.waddr_add,
            Slot::Mul => self.waddr_mul,
        }
    }

    /// Write condition of a result.
    #[must_use]
    pub const fn cond(&self, slot: Slot) -> Cond {
        match slot {
            Slot::Add => self.cond_add,
            Slot::Mul => self.cond_mul,
        }
    }

    /// The file whose address space a result is written in.
    #[must_use]
    pub const fn file(&self, slot: Slot) -> File {
        match (slot, self.ws) {
            (Slot::Add, false) | (Slot::Mul, true) => File::A,
            (Slot::Add, true) | (Slot::Mul, false) => File::B,
        }
    }

    /// The packing of a result on its way into a physical register of file A.
    #[must_use]
    pub const fn pack_a(&self) -> Pack {
        if self.pm { Pack::None } else { self.pack }
    }

    /// The packing of the mul result before it is written anywhere; `None` for a reserved code.
    #[must_use]
    pub const fn pack_mul(&self) -> Option<MulPack> {
        if self.pm {
            MulPack::from_bits(self.pack.bits())
        } else {
            Some(MulPack::None)
        }
    }

    /// The packing to colour of the mul result: that of [`Self::pack_mul`], with codes 11..=15,
    /// which the guide reserves, taken for 3..=7.
    ///
    /// vc4asm writes 12 to 15 for `.8a` to `.8d`, and its words paint the right colours on a Pi
    /// Zero W (kumaashi/RaspberryPI, with pictures of the screen). It writes 11 for `.8abcds`.
    #[must_use]
    pub const fn colour(&self) -> MulPack {
        let saturates = self.pm && self.pack.bits() >= 11;
        match (saturates, self.pack_mul()) {
            (true, _) => match MulPack::from_bits(self.pack.bits() & 7) {
                Some(colour) => colour,
                None => unreachable!(),
            },
            (false, Some(colour)) => colour,
            (false, None) => MulPack::None,
        }
    }
}
