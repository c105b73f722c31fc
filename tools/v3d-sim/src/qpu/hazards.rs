//! What the last instructions did, as far as the next ones must know.
//!
//! Distances are in executed instructions, delay slots included. Sources: guide, "QPU
//! instruction restrictions"; vc4asm's validator; Broadcom's driver sources.

use crate::alu::Lanes;
use crate::event::FaultKind;
use crate::report::At;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{File, Instruction, Mux, Rotation, Signal, Waddr, raddr, waddr};

use super::Qpu;
use crate::code::Code;

/// An instruction index that is further back than any rule looks.
const LONG_AGO: i64 = -1000;

/// An SFU result on its way to r4.
#[derive(Clone, Copy)]
pub struct SfuResult {
    /// Index of the first instruction that sees it.
    pub due: i64,
    /// What r4 becomes.
    pub value: Lanes,
}

/// Not a register.
const NO_REGISTER: u8 = 255;

/// A register that an instruction has written, and what it held before.
#[derive(Clone, Copy)]
struct Overwritten {
    register: u8,
    old: Lanes,
}

/// The recent past of a QPU.
pub struct Hazards {
    /// Index of the instruction that executes, from the start of the program.
    pub index: i64,
    /// For each file what the last two instructions wrote, by the parity of their indices.
    written: [[Overwritten; 2]; 2],
    /// Accumulators that the previous instruction wrote, a bit each.
    pub previous_accumulators: u8,
    /// The same for the instruction that executes.
    pub current_accumulators: u8,
    /// Registers of each file that the program has written.
    pub defined: [u32; 2],
    /// The same for r0..r5.
    pub defined_accumulators: u8,
    /// Whether the program has set flags.
    pub defined_flags: bool,
    /// Whether C comes from a mul operation.
    pub carry_from_mul: bool,
    /// SFU results that are not in r4 yet, oldest first.
    pub sfu: Vec<SfuResult>,
    /// Last write of the uniforms address.
    pub uniforms_address: i64,
    /// Last write of `tmu_noswap`.
    pub noswap: i64,
    /// Whether the program has written a TMU.
    pub tmu_written: bool,
    /// Last branch, taken or not.
    pub branch: i64,
}

impl Default for Hazards {
    fn default() -> Self {
        Self {
            index: 0,
            written: [[Overwritten {
                register: NO_REGISTER,
                old: [0; 16],
            }; 2]; 2],
            previous_accumulators: 0,
            current_accumulators: 0,
            defined: [0; 2],
            defined_accumulators: 0,
            defined_flags: false,
            carry_from_mul: false,
            sfu: Vec::new(),
            uniforms_address: LONG_AGO,
            noswap: LONG_AGO,
            tmu_written: false,
            branch: LONG_AGO,
        }
    }
}

impl Hazards {
    fn parity(&self) -> usize {
        self.index as usize & 1
    }

    /// What a register of a file held before the previous instruction wrote it; `None` when it did not.
    pub fn overwritten(&self, file: File, register: u8) -> Option<&Lanes> {
        let previous = &self.written[file_index(file)][self.parity() ^ 1];
        (previous.register == register).then_some(&previous.old)
    }

    /// The instruction that executes writes a register.
    pub fn overwrite(&mut self, file: File, register: u8, old: &Lanes) {
        let parity = self.parity();
        let current = &mut self.written[file_index(file)][parity];
        current.register = register;
        current.old = *old;
        self.defined[file_index(file)] |= 1 << register;
    }
}

/// Place of a file in the arrays above.
pub const fn file_index(file: File) -> usize {
    match file {
        File::A => 0,
        File::B => 1,
    }
}

impl Qpu {
    /// What was current is now previous; an SFU result that is due arrives.
    pub(super) fn start_instruction(&mut self) {
        let hazards = &mut self.hazards;
        let parity = hazards.parity();
        hazards.written[0][parity].register = NO_REGISTER;
        hazards.written[1][parity].register = NO_REGISTER;
        hazards.previous_accumulators = std::mem::take(&mut hazards.current_accumulators);
        if let Some(result) = hazards.sfu.first()
            && result.due <= hazards.index
        {
            self.registers.accumulators[4] = result.value;
            hazards.defined_accumulators |= 1 << 4;
            hazards.sfu.remove(0);
        }
    }

    /// Warns about what the instruction itself shows: combinations of units, reads that are too early,
    /// and what the end of a program forbids.
    pub(super) fn check_instruction(&mut self, code: &Code, shared: &mut Shared) {
        if code.uses_units {
            self.check_units(code, shared);
        }
        if self.flow.is_ending() || code.instruction.signal() == Signal::ProgramEnd {
            self.check_end(code, shared);
        }
        if let Instruction::Alu(alu) = &code.instruction {
            let hazards = &self.hazards;
            let at = self.at();
            if code.muxes & 1 << Mux::R4.bits() != 0 && !hazards.sfu.is_empty() {
                shared.report.warn(Rule::SfuResultTooEarly, at, String::new);
            }
            let undefined = code.needed & 0x3f & !hazards.defined_accumulators;
            if undefined != 0 {
                let number = undefined.trailing_zeros();
                shared
                    .report
                    .warn(Rule::UndefinedRead, at, || format!("r{number}"));
            }
            if let Some(rotation) = alu.rotation()
                && alu.op_mul.operands() > 0
            {
                let rotated = (1 << alu.mul_a.bits() | 1 << alu.mul_b.bits()) & 0xf;
                if rotated & hazards.previous_accumulators != 0 {
                    shared.report.warn(Rule::RotateAfterWrite, at, String::new);
                }
                if rotation == Rotation::ByR5 && hazards.previous_accumulators & 1 << 5 != 0 {
                    shared
                        .report
                        .warn(Rule::RotateR5AfterWrite, at, String::new);
                }
            }
        }
    }

    /// Hazards 16 to 19: units that must not meet in one instruction.
    fn check_units(&mut self, code: &Code, shared: &mut Shared) {
        let at = self.at();
        let mut warn = |rule| shared.report.warn(rule, at, String::new);
        let reads = code.reads;
        let written: Vec<_> = code
            .writes()
            .map(|(_, address, file)| (address, file))
            .collect();
        let load = matches!(
            code.instruction.signal(),
            Signal::LoadTmu0 | Signal::LoadTmu1
        );
        let is_semaphore = matches!(code.instruction, Instruction::Semaphore(_));
        let is_unit = |address: Waddr| {
            address.is_tmu() || address.is_sfu() || (is_semaphore && address.is_vpm())
        };
        let units = written
            .iter()
            .filter(|(address, _)| is_unit(*address))
            .count()
            + usize::from(load)
            + usize::from(reads.contains(&raddr::MUTEX_ACQUIRE))
            + usize::from(is_semaphore);
        if units > 1 {
            warn(Rule::OneUnitPerInstruction);
        }
        let vpm_read = reads.contains(&raddr::VPM_READ);
        let vpm_write = written
            .iter()
            .any(|(address, _)| *address == waddr::VPM_WRITE);
        let setups: Vec<File> = written
            .iter()
            .filter(|(address, _)| *address == waddr::VPMVCD_SETUP)
            .map(|(_, file)| *file)
            .collect();
        if setups.len() > 1 {
            warn(Rule::BothSetups);
        }
        if vpm_read && !setups.is_empty() {
            warn(Rule::VpmReadWithSetup);
        }
        if vpm_write && !setups.is_empty() {
            warn(Rule::VpmWriteWithSetup);
        }
        if vpm_read && vpm_write {
            warn(Rule::VpmReadWithWrite);
        }
        if load && (vpm_read || vpm_write) {
            warn(Rule::LdtmuWithVpm);
        }
    }

    /// Hazard 22: the program-end instruction and the two after it.
    fn check_end(&mut self, code: &Code, shared: &mut Shared) {
        let at = self.at();
        let mut warn = |rule| shared.report.warn(rule, at, String::new);
        let is_end = code.instruction.signal() == Signal::ProgramEnd;
        if self.flow.is_ending() && (is_end || matches!(code.instruction, Instruction::Branch(_))) {
            warn(Rule::EndBranch);
        }
        if code.reads.contains(&raddr::UNIFORM) {
            warn(Rule::EndUniform);
        }
        let mut registers_14 = 0;
        for (read, mux) in code.reads.iter().zip([Mux::A, Mux::B]) {
            registers_14 += u32::from(read.register() == Some(14) && code.reads(mux));
            if read.is_vpm() {
                warn(Rule::EndVpm);
            }
        }
        for (_, address, _) in code.writes() {
            registers_14 += u32::from(address.register() == Some(14));
            if address.is_vpm() {
                warn(Rule::EndVpm);
            }
            if is_end && address.register().is_some() {
                warn(Rule::EndRegfileWrite);
            }
        }
        if registers_14 > 0 {
            warn(Rule::EndRegister14);
        }
    }

    /// A result for r4 by `ldtmu`; too soon after an SFU write it meets the SFU's.
    pub(super) fn write_r4(&mut self, value: Lanes, shared: &mut Shared) {
        if !self.hazards.sfu.is_empty() {
            shared
                .report
                .warn(Rule::SfuResultOverwritten, self.at(), String::new);
        }
        self.registers.accumulators[4] = value;
        self.hazards.defined_accumulators |= 1 << 4;
    }

    /// An SFU function was written: r4 gets its result for the third instruction from here.
    pub(super) fn write_sfu(&mut self, value: Lanes, shared: &mut Shared) -> Result<(), FaultKind> {
        if !self.hazards.sfu.is_empty() {
            shared
                .report
                .warn(Rule::SfuResultOverwritten, self.at(), String::new);
        }
        self.hazards.sfu.push(SfuResult {
            due: self.hazards.index + 3,
            value,
        });
        Ok(())
    }

    /// Where the QPU is, for a warning from outside this file.
    pub(super) fn warn(&self, rule: Rule, shared: &mut Shared, detail: impl FnOnce() -> String) {
        let at: At = self.at();
        shared.report.warn(rule, at, detail);
    }
}
