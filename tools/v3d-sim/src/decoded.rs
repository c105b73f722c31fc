//! An instruction, decoded once into what execution asks for.
//!
//! Everything that does not depend on registers is found here: where operands are, where results go,
//! which units are used, and which rules the word breaks whatever happens. Most instructions turn out
//! to be plain ([`Code::plain`]): nobody but their own QPU can see them.

use crate::alu::{self, LaneMask, Operation};
use crate::qpu::state::{self, Index};
use crate::rule::Rule;
use qpu::isa::{
    AddOp, Alu, Branch, Cond, File, Instruction, MulOp, MulPack, Mux, Pack, Raddr, RaddrB,
    Rotation, SemaphoreAction, Signal, Slot, Unpack, Waddr, WriteBack, raddr, waddr,
};

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
    /// Writes `tmu0_s`.
    pub const TMU0_REQUEST: Self = Self(1 << 10);
    /// Writes `tmu1_s`.
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
    /// Writes any other I/O address.
    pub const OTHER_WRITE: Self = Self(1 << 18);

    /// Writes that may have to wait.
    pub const WRITES_THAT_WAIT: Self = Self(
        Self::TMU0_REQUEST.0
            | Self::TMU1_REQUEST.0
            | Self::VPM_WRITE.0
            | Self::SFU.0
            | Self::LOAD_START.0
            | Self::STORE_START.0,
    );

    /// All reads of I/O addresses.
    pub const READS: Self = Self(0x3f);

    const NONE: Self = Self(0);

    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any of `other` is used.
    #[must_use]
    pub const fn uses(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether any unit is used.
    #[must_use]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    fn of_read(address: Raddr, file: File) -> Self {
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

    fn of_signal(signal: Signal) -> Self {
        match signal {
            Signal::None => Self::NONE,
            Signal::LoadTmu0 => Self::LDTMU0,
            Signal::LoadTmu1 => Self::LDTMU1,
            _ => Self::OTHER_SIGNAL,
        }
    }

    fn of_write(address: Waddr, file: File) -> Self {
        match (address, file) {
            (waddr::TMU0_S, _) => Self::TMU0_REQUEST,
            (waddr::TMU1_S, _) => Self::TMU1_REQUEST,
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

/// What comes through a port of the register files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Port {
    /// Nothing that an operand takes.
    Idle,
    /// A register of the file.
    Register(Index),
    /// The element number, the number of the QPU, or a small immediate.
    Constant(Index),
    /// Left-overs of the last read: address 39, and an operand takes it.
    LeftOver,
    /// An I/O address.
    Unit(Raddr),
}

/// Where a result goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Destination {
    /// Nowhere: the operation is none, or address 39.
    Nowhere,
    /// A register of file A or B.
    Register(Index),
    /// r0..r3.
    Accumulator(Index),
    /// r5, from element 0 of each quad.
    R5Quads,
    /// r5, from element 0.
    R5,
    /// An I/O address, in the space of a file.
    Unit(File, Waddr),
}

impl Destination {
    fn of(address: Waddr, file: File) -> Self {
        if let Some(number) = address.register() {
            return Self::Register(state::of_file(file, number));
        }
        match (address, file, address.accumulator()) {
            (waddr::NOP, ..) => Self::Nowhere,
            (waddr::ACC5, File::A, _) => Self::R5Quads,
            (waddr::ACC5, File::B, _) => Self::R5,
            (_, _, Some(number)) => Self::Accumulator(state::accumulator(number)),
            _ => Self::Unit(file, address),
        }
    }

    /// Whether it is a register of file A, where pm = 0 packs.
    #[must_use]
    pub const fn is_file_a(self) -> bool {
        matches!(self, Self::Register(index) if index < state::FILE_B)
    }

    const fn is_unit(self) -> bool {
        matches!(self, Self::Unit(..))
    }

    /// As a bit for each register of files A (low half) and B, and one for each of r0..r5.
    #[must_use]
    pub const fn bits(self) -> (u64, u8) {
        match self {
            Self::Register(index) => (1 << index, 0),
            Self::Accumulator(index) => (0, 1 << (index - state::accumulator(0))),
            Self::R5 | Self::R5Quads => (0, 1 << 5),
            Self::Nowhere | Self::Unit(..) => (0, 0),
        }
    }
}

/// A rotation of the mul result by r5.
pub const BY_R5: u8 = 16;

/// Not a register: what no [`Index`] equals.
pub const NO_REGISTER: Index = 255;

/// An instruction, ready to execute.
///
/// What nearly every instruction asks for comes first, in one line of the host's cache.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct Code {
    /// As read.
    pub word: u64,
    /// What the add and the mul ALU do.
    pub operations: [Operation; 2],
    /// Registers of file A (low half) and B whose value matters.
    pub needed_registers: u64,
    /// The lanes in which results are written, when no flags are asked.
    pub enabled: [LaneMask; 2],
    /// Registers that hold the operands: of the add ALU, then of the mul ALU.
    pub operands: [Index; 4],
    /// The register or constant that comes through each port, or [`NO_REGISTER`].
    pub through: [Index; 2],
    /// The register that is read through each port, or [`NO_REGISTER`].
    pub reads: [Index; 2],
    /// Where results go that go to a register or to r0..r3 as they are, else [`NO_REGISTER`].
    pub direct: [Index; 2],
    /// Whether the add and the mul ALU are at work; of a load immediate neither is.
    pub works: [bool; 2],
    /// By how many lanes the mul result moves; or [`BY_R5`].
    pub rotation: u8,
    /// Accumulators that must not be written by the instruction before: a bit each.
    pub rotated: u8,
    /// Accumulators whose value matters: `xor x, x` and its like give 0 for any x.
    pub needed_accumulators: u8,
    /// It uses registers and ALUs only and breaks no rule by itself.
    pub plain: bool,
    /// It is plain and does nothing but to operate on operands and to write results as they are.
    pub simple: bool,
    /// Whether a condition that counts asks flags.
    pub asks_flags: bool,
    /// Whether one asks C.
    pub asks_carry: bool,
    /// Sets flags.
    pub sf: bool,
    /// Whether a result of a plain instruction goes anywhere but to the places of `direct`.
    pub indirect: bool,
    /// Both results go to one accumulator or one unit.
    pub same_destination: bool,
    /// What else it uses.
    pub units: Units,

    /// As decoded.
    pub instruction: Instruction,
    /// Rules that it breaks whatever registers hold.
    pub rules: Box<[Rule]>,
    /// The operations; of a load immediate and the like both are nop.
    pub op_add: AddOp,
    /// See `op_add`.
    pub op_mul: MulOp,
    /// What comes through the two ports.
    pub ports: [Port; 2],
    /// A bit for each [`Mux`] that an operand which counts comes through.
    pub muxes: u8,
    /// How file A's port (pm = 0) or r4 (pm = 1) is widened; none when no operand takes it.
    pub unpack: Unpack,
    /// Whether both ALUs see unpacked operands as floats.
    pub unpack_float: bool,
    /// Of the add and the mul result, or of both outputs of an immediate.
    pub destinations: [Destination; 2],
    /// When results are written.
    pub conditions: [Cond; 2],
    /// How results are packed into file A.
    pub pack: Pack,
    /// How the mul result is packed, wherever it goes.
    pub colour: MulPack,
    /// The value of a load immediate or a semaphore instruction.
    pub immediate: u32,
}

impl Code {
    /// An instruction word, decoded.
    #[must_use]
    pub fn new(word: u64, instruction: Instruction) -> Self {
        let mut code = Self {
            word,
            instruction,
            plain: true,
            simple: false,
            through: [NO_REGISTER; 2],
            works: [false; 2],
            units: Units::NONE,
            rules: Box::default(),
            op_add: AddOp::Nop,
            op_mul: MulOp::Nop,
            operations: [alu::copy; 2],
            operands: [state::accumulator(0); 4],
            ports: [Port::Idle; 2],
            reads: [NO_REGISTER; 2],
            muxes: 0,
            needed_accumulators: 0,
            needed_registers: 0,
            rotation: 0,
            rotated: 0,
            unpack: Unpack::None,
            unpack_float: false,
            destinations: [Destination::Nowhere; 2],
            direct: [NO_REGISTER; 2],
            indirect: false,
            conditions: [Cond::Never; 2],
            enabled: [0; 2],
            asks_flags: false,
            asks_carry: false,
            sf: false,
            pack: Pack::None,
            colour: MulPack::None,
            same_destination: false,
            immediate: 0,
        };
        let mut rules = Vec::new();
        code.decode_writes(&instruction.write_back(), &mut rules);
        match instruction {
            Instruction::Alu(alu) => code.decode_alu(&alu, &mut rules),
            Instruction::LoadImmediate(load) => code.immediate = load.immediate,
            Instruction::Semaphore(semaphore) => {
                code.immediate = semaphore.immediate;
                code.units = code.units.with(Units::SEMAPHORE);
            }
            // A link address goes to no unit.
            Instruction::Branch(_) => {
                code.units = Units::NONE;
                code.plain = false;
            }
        }
        let is_immediate = matches!(
            instruction,
            Instruction::LoadImmediate(_) | Instruction::Semaphore(_)
        );
        if is_immediate && code.sf && code.flags_from_mul() {
            rules.push(Rule::LdiFlagsMulOnly);
        }
        code.check_units(&mut rules);
        code.plain &= !code.units.any()
            && rules.is_empty()
            && !code.destinations.into_iter().any(Destination::is_unit);
        code.rules = rules.into();
        code.find_direct();
        code.find_simple();
        code
    }

    /// What execution of most plain instructions needs.
    fn find_simple(&mut self) {
        self.through = self.ports.map(|port| register_or(port, NO_REGISTER));
        self.works = [self.op_add != AddOp::Nop, self.op_mul != MulOp::Nop];
        let leaves_last = !self.works[1] && self.destinations[1] != Destination::Nowhere;
        self.simple = self.plain
            && matches!(self.instruction, Instruction::Alu(_))
            && self.unpack == Unpack::None
            && !self.indirect
            && !self.sf
            && !leaves_last;
    }

    /// Results that are written as they are, which is nearly all.
    fn find_direct(&mut self) {
        for place in 0..2 {
            let colours = place == Slot::Mul as usize && self.colour != MulPack::None;
            match self.destinations[place] {
                Destination::Nowhere => {}
                Destination::Register(index)
                    if !colours && (self.pack == Pack::None || index >= state::FILE_B) =>
                {
                    self.direct[place] = index;
                }
                Destination::Accumulator(index) if !colours => self.direct[place] = index,
                _ => self.indirect = true,
            }
        }
    }

    fn decode_writes(&mut self, write: &WriteBack, rules: &mut Vec<Rule>) {
        let is_alu = matches!(self.instruction, Instruction::Alu(_));
        let live = match &self.instruction {
            // A mul nop with a live destination writes left-overs (vc4asm).
            Instruction::Alu(alu) => [
                alu.op_add != AddOp::Nop,
                alu.op_mul != MulOp::Nop
                    || write.cond_mul != Cond::Never && write.waddr_mul != waddr::NOP,
            ],
            _ => [true; 2],
        };
        self.sf = write.sf && !matches!(self.instruction, Instruction::Branch(_));
        self.pack = write.pack_a();
        if write.pm && write.pack != Pack::None && !is_alu {
            // Colours are made of floats by the mul ALU, which is not at work here.
            rules.push(Rule::PackReserved);
        } else if live[Slot::Mul as usize] && write.waddr_mul != waddr::NOP {
            match write.pack_mul() {
                Some(colour) => self.colour = colour,
                None => rules.push(Rule::PackReserved),
            }
        }
        for slot in Slot::BOTH {
            let place = slot as usize;
            if !live[place] {
                continue;
            }
            let (address, file) = (write.waddr(slot), write.file(slot));
            self.destinations[place] = Destination::of(address, file);
            self.conditions[place] = write.cond(slot);
            if write.cond(slot) == Cond::Always {
                self.enabled[place] = LaneMask::MAX;
            }
            if self.destinations[place].is_unit() {
                if write.cond(slot) == Cond::Never {
                    rules.push(Rule::NeverPeripheralWrite);
                } else {
                    self.units = self.units.with(Units::of_write(address, file));
                }
            }
            self.asks_flags |= !matches!(write.cond(slot), Cond::Never | Cond::Always);
            self.asks_carry |= matches!(write.cond(slot), Cond::CS | Cond::CC);
        }
        let goes_somewhere = |to: &Destination| *to != Destination::Nowhere;
        if self.pack != Pack::None
            && self.destinations.iter().any(goes_somewhere)
            && !self.destinations.into_iter().any(Destination::is_file_a)
        {
            rules.push(Rule::PackNoEffect);
        }
        self.same_destination = live[0]
            && live[1]
            && write.waddr_add == write.waddr_mul
            && goes_somewhere(&self.destinations[0])
            && write.waddr_add.register().is_none()
            && !differs_by_file(write.waddr_add);
        // No lane gets both results when one condition is the opposite of the other.
        let [add, mul] = self.conditions;
        self.plain &= !self.same_destination
            || add == mul.inverse()
            || add == Cond::Never
            || mul == Cond::Never;
    }

    fn decode_alu(&mut self, format: &Alu, rules: &mut Vec<Rule>) {
        (self.op_add, self.op_mul) = (format.op_add, format.op_mul);
        self.operations = [alu::add(format.op_add), alu::mul(format.op_mul)];
        if format.op_add == AddOp::Or && format.add_a == format.add_b {
            self.operations[0] = alu::copy;
        }
        if matches!(format.op_mul, MulOp::V8min | MulOp::V8max) && format.mul_a == format.mul_b {
            self.operations[1] = alu::copy;
        }
        let signal = format.signal();
        self.units = self.units.with(Units::of_signal(signal));
        let bits = |operands: u8, a: Mux, b: Mux| match operands {
            0 => 0,
            1 => 1 << a.bits(),
            _ => 1 << a.bits() | 1 << b.bits(),
        };
        let add = bits(format.op_add.operands(), format.add_a, format.add_b);
        let mul = bits(format.op_mul.operands(), format.mul_a, format.mul_b);
        self.muxes = add | mul;
        self.decode_ports(format, rules);
        self.decode_unpack(format, rules);
        self.operands =
            [format.add_a, format.add_b, format.mul_a, format.mul_b].map(|mux| self.operand(mux));

        let add_is_zero = format.add_a == format.add_b
            && matches!(format.op_add, AddOp::Xor | AddOp::Sub | AddOp::V8subs);
        let mul_is_zero = format.mul_a == format.mul_b
            && format.op_mul == MulOp::V8subs
            && format.rotation().is_none();
        let needed = if add_is_zero { 0 } else { add } | if mul_is_zero { 0 } else { mul };
        self.needed_accumulators = needed & 0x3f;
        for (mux, register) in [Mux::A, Mux::B].into_iter().zip(self.reads) {
            if needed & 1 << mux.bits() != 0 && register != NO_REGISTER {
                self.needed_registers |= 1 << register;
            }
        }
        if let Some(rotation) = format.rotation()
            && format.op_mul.operands() > 0
        {
            self.rotated = mul & 0xf;
            self.rotation = match rotation {
                Rotation::By(lanes) => lanes,
                Rotation::ByR5 => {
                    self.rotated |= 1 << 5;
                    BY_R5
                }
            };
        }
        if format.op_mul == MulOp::Nop && self.destinations[1] != Destination::Nowhere {
            rules.push(Rule::NopMulWrite);
        }
        if self.sf && format.op_add != AddOp::Nop && format.write.cond_add == Cond::Never {
            rules.push(Rule::FlagsCondNever);
        }
        // Which operand counts is a conflict between sources.
        self.plain &= format.op_add.operands() != 1 || format.add_a == format.add_b;
        // The overflow of a sum is packed in its own way, which is a warning.
        self.plain &= self.pack == Pack::None
            || !self.destinations[0].is_file_a()
            || !matches!(format.op_add, AddOp::Add | AddOp::Sub);
    }

    fn decode_ports(&mut self, alu: &Alu, rules: &mut Vec<Rule>) {
        let addresses = [alu.raddr_a, alu.read_b()];
        for (place, file) in [File::A, File::B].into_iter().enumerate() {
            let address = addresses[place];
            let mux = if file == File::A { Mux::A } else { Mux::B };
            self.units = self.units.with(Units::of_read(address, file));
            self.ports[place] = match (address.register(), alu.raddr_b) {
                (_, RaddrB::SmallImmediate(immediate)) if file == File::B => {
                    Port::Constant(state::immediate(immediate))
                }
                (Some(number), _) => {
                    self.reads[place] = state::of_file(file, number);
                    Port::Register(self.reads[place])
                }
                (None, _) if address == raddr::ELEMENT_QPU => Port::Constant(match file {
                    File::A => state::ELEMENT_NUMBER,
                    File::B => state::QPU_NUMBER,
                }),
                (None, _) if address != raddr::NOP => Port::Unit(address),
                (None, _) if self.takes(mux) => {
                    rules.push(Rule::NopRead);
                    Port::LeftOver
                }
                (None, _) => Port::Idle,
            };
        }
        if addresses == [raddr::UNIFORM; 2] {
            rules.push(Rule::UniformBothPorts);
        }
    }

    fn decode_unpack(&mut self, alu: &Alu, rules: &mut Vec<Rule>) {
        let mux = if alu.write.pm { Mux::R4 } else { Mux::A };
        if alu.unpack == Unpack::None || !self.takes(mux) {
            return;
        }
        self.unpack = alu.unpack;
        self.unpack_float = true;
        if alu.write.pm {
            return;
        }
        if alu.raddr_a.register().is_none() {
            rules.push(Rule::UnpackInput);
        }
        let takes =
            |count: u8, a: Mux, b: Mux| (count > 0 && a == Mux::A) || (count > 1 && b == Mux::A);
        let add = takes(alu.op_add.operands(), alu.add_a, alu.add_b);
        let mul = takes(alu.op_mul.operands(), alu.mul_a, alu.mul_b);
        let (add_float, mul_float) = (alu.op_add.takes_floats(), alu.op_mul.is_float());
        if add && mul && add_float != mul_float && alu.unpack != Unpack::U8dr {
            rules.push(Rule::UnpackMixed);
        }
        // Decided once: one float consumer makes all see floats.
        self.unpack_float = (add && add_float) || (mul && mul_float);
    }

    /// Where the value is that a mux chooses.
    fn operand(&self, mux: Mux) -> Index {
        let unpacked = self.unpack != Unpack::None;
        let is_r4_unpacked = self.instruction.write_back().pm && unpacked;
        match mux {
            Mux::A if unpacked && !is_r4_unpacked => state::HELD_A,
            Mux::A => register_or(self.ports[0], state::HELD_A),
            Mux::B => register_or(self.ports[1], state::HELD_B),
            Mux::R4 if is_r4_unpacked => state::HELD_R4,
            _ => state::accumulator(mux.bits()),
        }
    }

    /// Whether a load immediate sets flags where its mul side is written: only that side is live. VC4C's
    /// reading; the guide is silent.
    #[must_use]
    pub fn flags_from_mul(&self) -> bool {
        self.conditions[0] == Cond::Never && self.conditions[1] != Cond::Never
    }

    /// Hazards 16 to 19: units that must not meet in one instruction. Source: guide, "QPU instruction
    /// restrictions"; vc4asm's validator; Broadcom's driver sources.
    fn check_units(&self, rules: &mut Vec<Rule>) {
        let uses = |unit| self.units.uses(unit);
        let is_semaphore = uses(Units::SEMAPHORE);
        let unit_writes = self
            .writes()
            .filter(|(_, address, _)| {
                address.is_tmu() || address.is_sfu() || (is_semaphore && address.is_vpm())
            })
            .count();
        let load = uses(Units::LDTMU0.with(Units::LDTMU1));
        let units = unit_writes
            + usize::from(load)
            + usize::from(uses(Units::MUTEX))
            + usize::from(is_semaphore);
        // t, r and b of either TMU: the write takes a uniform itself.
        let coordinate = self
            .writes()
            .any(|(_, address, _)| address.is_tmu() && address.bits() & 3 != 0);
        let setup = uses(Units::READ_SETUP.with(Units::WRITE_SETUP));
        let (read, write) = (uses(Units::VPM_READ), uses(Units::VPM_WRITE));
        let broken = [
            (units > 1, Rule::OneUnitPerInstruction),
            (
                uses(Units::READ_SETUP) && uses(Units::WRITE_SETUP),
                Rule::BothSetups,
            ),
            (coordinate && uses(Units::UNIFORM), Rule::TextureWithUniform),
            (read && setup, Rule::VpmReadWithSetup),
            (write && setup, Rule::VpmWriteWithSetup),
            (read && write, Rule::VpmReadWithWrite),
            (load && (read || write), Rule::LdtmuWithVpm),
        ];
        rules.extend(
            broken
                .iter()
                .filter(|(is_broken, _)| *is_broken)
                .map(|(_, rule)| *rule),
        );
    }

    /// Results that are written somewhere: slot, address and the file whose space it is in. Not what
    /// only a mul nop leaves.
    pub fn writes(&self) -> impl Iterator<Item = (Slot, Waddr, File)> {
        let write = self.instruction.write_back();
        let live = match self.instruction {
            Instruction::Alu(alu) => [alu.op_add != AddOp::Nop, alu.op_mul != MulOp::Nop],
            _ => [true; 2],
        };
        Slot::BOTH
            .into_iter()
            .zip(live)
            .filter(move |(slot, live)| *live && write.cond(*slot) != Cond::Never)
            .map(move |(slot, _)| (slot, write.waddr(slot), write.file(slot)))
    }

    /// What is read through the ports of files A and B, whether an operand takes it or not.
    #[must_use]
    pub fn addresses(&self) -> [Raddr; 2] {
        match &self.instruction {
            Instruction::Alu(alu) => [alu.raddr_a, alu.read_b()],
            _ => [raddr::NOP; 2],
        }
    }

    /// Whether an operand that counts comes through `mux`.
    #[must_use]
    pub const fn takes(&self, mux: Mux) -> bool {
        self.muxes & 1 << mux.bits() != 0
    }

    /// The signal.
    #[must_use]
    pub const fn signal(&self) -> Signal {
        self.instruction.signal()
    }

    /// What it does to a semaphore, and to which.
    #[must_use]
    pub const fn semaphore(&self) -> Option<(SemaphoreAction, u8)> {
        match &self.instruction {
            Instruction::Semaphore(semaphore) => Some((semaphore.action(), semaphore.number())),
            _ => None,
        }
    }

    /// The branch, if it is one.
    #[must_use]
    pub const fn branch(&self) -> Option<&Branch> {
        match &self.instruction {
            Instruction::Branch(branch) => Some(branch),
            _ => None,
        }
    }
}

/// Addresses that are two registers, by the file through which they are written.
fn differs_by_file(address: Waddr) -> bool {
    matches!(
        address,
        waddr::VPMVCD_SETUP
            | waddr::VPM_ADDR
            | waddr::UNIFORMS_ADDRESS
            | waddr::QUAD_XY
            | waddr::MS_REV_FLAGS
    )
}

fn register_or(port: Port, other: Index) -> Index {
    match port {
        Port::Register(index) | Port::Constant(index) => index,
        _ => other,
    }
}
