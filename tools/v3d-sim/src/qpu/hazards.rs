//! The effects of the last instructions that the next ones must know.
//!
//! Distances are in executed instructions, delay slots included. What an instruction breaks by its
//! word alone is found when it is decoded. Sources: guide, "QPU instruction restrictions"; vc4asm's
//! validator; Broadcom's driver sources.

use super::Qpu;
use super::state::{FILE_B, Index, OLD_A, accumulator};
use crate::alu::{LaneMask, Lanes};
use crate::decoded::{BY_R5, Code, NO_REGISTER, Units};
use crate::event::FaultKind;
use crate::report::At;
use crate::rule::Rule;
use crate::run::Run;
use crate::shared::Shared;
use qpu::isa::{Mux, Signal};

/// An instruction index that is further back than any rule looks.
const LONG_AGO: i64 = -1000;

/// An SFU result on its way to r4.
#[derive(Clone, Copy)]
struct SfuResult {
    /// Index of the first instruction that sees it.
    due: i64,
    /// The value that r4 gets.
    value: Lanes,
    /// Lanes that the condition of its write left out.
    left_out: LaneMask,
    /// Its write.
    from: At,
}

/// Not a register, and not [`NO_REGISTER`], which a port that reads none has.
const NOT_WRITTEN: Index = 254;

/// The recent past of a QPU.
pub struct Hazards {
    /// Index of the instruction that executes, from the start of the program.
    pub index: i64,
    /// Nothing that lasts for several instructions is on its way: no start, no end, no SFU result.
    pub calm: bool,
    /// The register of each file that the instruction wrote which executes or has just executed.
    written: [Index; 2],
    /// The registers that the instruction before wrote; their old values are at [`OLD_A`].
    overwritten: [Index; 2],
    /// Lanes that the last write of each of both wrote.
    written_lanes: [LaneMask; 2],
    /// Lanes that the writes of the instruction before wrote.
    overwritten_lanes: [LaneMask; 2],
    /// Accumulators that the previous instruction wrote, a bit each.
    previous_accumulators: u8,
    /// Accumulators that the instruction that executes wrote, a bit each.
    current_accumulators: u8,
    /// Lanes that the last write of each accumulator wrote.
    accumulator_lanes: [LaneMask; 6],
    /// Registers of files A (low half) and B that the program has written.
    defined: u64,
    /// Accumulators r0..r5 that the program has written.
    defined_accumulators: u8,
    /// True if the program has set flags.
    pub defined_flags: bool,
    /// True if a branch with an odd register has set flags since.
    pub flags_of_link: bool,
    /// True if C comes from a mul operation.
    pub carry_from_mul: bool,
    /// SFU results that are not in r4 yet, oldest first.
    sfu: Vec<SfuResult>,
    /// Lanes of r4 that the condition of an SFU write left out, and that write. What they hold then
    /// nobody says.
    pub left_out: Option<(LaneMask, At)>,
    /// Last read of a uniform through a port.
    pub uniform_read: i64,
    /// Last write of the uniforms address.
    pub uniforms_address: i64,
    /// Last write of `tmu_noswap`.
    pub noswap: i64,
    /// True if the program has written a TMU.
    pub tmu_written: bool,
    /// Last branch, taken or not.
    pub branch: i64,
}

impl Default for Hazards {
    fn default() -> Self {
        Self {
            index: 0,
            calm: false,
            written: [NOT_WRITTEN; 2],
            overwritten: [NOT_WRITTEN; 2],
            written_lanes: [0; 2],
            overwritten_lanes: [0; 2],
            previous_accumulators: 0,
            current_accumulators: 0,
            accumulator_lanes: [0; 6],
            defined: 0,
            defined_accumulators: 0,
            defined_flags: false,
            flags_of_link: false,
            carry_from_mul: false,
            sfu: Vec::new(),
            left_out: None,
            uniform_read: LONG_AGO,
            uniforms_address: LONG_AGO,
            noswap: LONG_AGO,
            tmu_written: false,
            branch: LONG_AGO,
        }
    }
}

impl Hazards {
    /// True if the next instruction, which is plain, can meet no hazard at all.
    #[inline]
    pub fn is_clear(&self, code: &Code) -> bool {
        self.calm
            && code.reads[0] != self.written[0]
            && code.reads[1] != self.written[1]
            && code.rotated & self.current_accumulators == 0
            && code.needed_registers & !self.defined == 0
            && code.needed_accumulators & !self.defined_accumulators == 0
            && (!code.asks_flags || self.defined_flags && !self.flags_of_link)
            && !(code.asks_carry && self.carry_from_mul)
    }

    /// True if a run that begins with `first` can meet no hazard at all.
    #[inline]
    pub fn allows(&self, run: &Run, first: &Code) -> bool {
        self.calm
            && first.reads[0] != self.written[0]
            && first.reads[1] != self.written[1]
            && first.rotated & self.current_accumulators == 0
            && run.registers & !self.defined == 0
            && run.accumulators & !self.defined_accumulators == 0
            && (!run.flags || self.defined_flags && !self.flags_of_link)
            && !(run.carry && self.carry_from_mul)
    }

    /// The program has written registers and accumulators, a bit each, that no instruction can see
    /// too early.
    #[inline]
    pub fn define(&mut self, (registers, accumulators): (u64, u8)) {
        self.defined |= registers;
        self.defined_accumulators |= accumulators;
    }

    /// Registers and accumulators that the program has written, a bit each.
    pub fn defined(&self) -> (u64, u8) {
        (self.defined, self.defined_accumulators)
    }

    /// Restores the written registers and accumulators after a copy onto itself, which defines
    /// none.
    pub fn keep_defined(&mut self, (registers, accumulators): (u64, u8)) {
        (self.defined, self.defined_accumulators) = (registers, accumulators);
    }

    /// A result is in r4, but for lanes that a condition left out.
    fn write_r4(&mut self, left_out: Option<(LaneMask, At)>) {
        self.left_out = left_out;
        // The straight way asks for all lanes.
        match left_out {
            None => self.defined_accumulators |= 1 << 4,
            Some(_) => self.defined_accumulators &= !(1 << 4),
        }
    }

    /// True if the program has written all of these.
    #[inline]
    pub fn has_defined(&self, (registers, accumulators): (u64, u8)) -> bool {
        registers & !self.defined == 0 && accumulators & !self.defined_accumulators == 0
    }

    /// The current instruction becomes the previous one.
    #[inline]
    pub fn begin(&mut self) {
        self.overwritten = std::mem::replace(&mut self.written, [NOT_WRITTEN; 2]);
        self.overwritten_lanes = self.written_lanes;
        self.previous_accumulators = std::mem::take(&mut self.current_accumulators);
    }

    /// The next instruction is known not to come too early for anything.
    #[inline]
    pub fn settle(&mut self) {
        self.written = [NOT_WRITTEN; 2];
        self.current_accumulators = 0;
    }

    /// The index of the old value of a register that the previous instruction wrote; `None` when it
    /// did not.
    pub fn overwritten(&self, register: Index) -> Option<Index> {
        let file = register / FILE_B;
        (register < 2 * FILE_B && self.overwritten[usize::from(file)] == register)
            .then_some(OLD_A + file)
    }

    /// The lanes in which [`Hazards::overwritten`] gives an old value.
    pub fn overwritten_lanes(&self, register: Index) -> LaneMask {
        self.overwritten_lanes[usize::from(register / FILE_B) & 1]
    }

    /// The instruction that executes writes lanes of a register. Gives where its old value must be
    /// kept.
    #[inline]
    pub fn overwrite(&mut self, register: Index, lanes: LaneMask) -> Index {
        let file = (register / FILE_B) & 1;
        self.written[usize::from(file)] = register;
        self.written_lanes[usize::from(file)] = lanes;
        self.defined |= 1 << (register & 63);
        OLD_A + file
    }

    /// The instruction that executes writes lanes of an accumulator.
    #[inline]
    pub fn write_accumulator(&mut self, number: u8, lanes: LaneMask) {
        let written = &mut self.accumulator_lanes[usize::from(number % 6)];
        // Both ALUs may write it, under conditions that exclude each other.
        let is_again = self.current_accumulators & 1 << number != 0;
        *written = if is_again { *written | lanes } else { lanes };
        self.current_accumulators |= 1 << number;
        self.defined_accumulators |= 1 << number;
    }

    /// Lanes of r0..r3, by number, that the previous instruction wrote.
    pub fn fresh_lanes(&self, number: u8) -> LaneMask {
        let is_fresh = self.previous_accumulators & 1 << number != 0;
        if is_fresh {
            self.accumulator_lanes[usize::from(number % 6)]
        } else {
            0
        }
    }

    /// True if the program has written a register.
    pub fn is_defined(&self, register: Index) -> bool {
        self.defined & 1 << (register & 63) != 0
    }
}

impl Qpu {
    /// The current instruction becomes the previous one; an SFU result that is due arrives.
    pub(super) fn start_instruction(&mut self) {
        let hazards = &mut self.hazards;
        hazards.begin();
        hazards.calm = true;
        if let Some(result) = hazards.sfu.first()
            && result.due <= hazards.index
        {
            *self.registers.at_mut(accumulator(4)) = result.value;
            let left_out = (result.left_out != 0).then_some((result.left_out, result.from));
            hazards.write_r4(left_out);
            hazards.sfu.remove(0);
        }
        hazards.calm = hazards.sfu.is_empty() && !self.flow.is_ending();
    }

    /// Warns about what the instruction itself shows, about reads that are too early, and about
    /// what the end of a program forbids.
    pub(super) fn check_instruction(&mut self, code: &Code, shared: &mut Shared) {
        for rule in &code.rules {
            self.warn(*rule, shared, String::new);
        }
        let has_signal = code.units.uses(Units::OTHER_SIGNAL);
        if self.flow.is_ending() || (has_signal && code.signal() == Signal::ProgramEnd) {
            self.check_end(code, shared);
        }
        let hazards = &self.hazards;
        if code.takes(Mux::R4) && !hazards.sfu.is_empty() {
            self.warn_after(Rule::SfuResultTooEarly, self.sfu_write(), shared, after);
        }
        self.check_accumulators(code, shared);
        if code.rotated & 0xf & hazards.previous_accumulators != 0 && self.rotates_too_early(code) {
            self.warn_after(Rule::RotateAfterWrite, self.back(1), shared, after);
        }
        if code.rotation == BY_R5 && hazards.previous_accumulators & 1 << 5 != 0 {
            self.warn_after(Rule::RotateR5AfterWrite, self.back(1), shared, after);
        }
    }

    /// Hazard 22: the program-end instruction and the two after it.
    fn check_end(&mut self, code: &Code, shared: &mut Shared) {
        let at = self.at();
        let mut warn = |rule| shared.report.warn(rule, at, String::new);
        let is_end = code.signal() == Signal::ProgramEnd;
        if self.flow.is_ending() && (is_end || code.branch().is_some()) {
            warn(Rule::EndBranch);
        }
        if code.units.uses(Units::UNIFORM) {
            warn(Rule::EndUniform);
        }
        let mut registers_14 = 0;
        for (read, mux) in code.addresses().into_iter().zip([Mux::A, Mux::B]) {
            registers_14 += u32::from(read.register() == Some(14) && code.takes(mux));
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

    /// `ldtmu` has written r4; too soon after an SFU write it meets the SFU's.
    #[inline]
    pub(super) fn note_r4(&mut self, shared: &mut Shared) {
        if !self.hazards.sfu.is_empty() {
            self.warn_after(Rule::SfuResultOverwritten, self.sfu_write(), shared, after);
        }
        self.hazards.write_r4(None);
    }

    /// An SFU function was written in the lanes of `enabled`: r4 gets its result for the third
    /// instruction from here. Whether a condition keeps the others as they were is not published,
    /// so they are undefined.
    pub(super) fn write_sfu(
        &mut self,
        value: Lanes,
        enabled: LaneMask,
        shared: &mut Shared,
    ) -> Result<(), FaultKind> {
        if !self.hazards.sfu.is_empty() {
            self.warn_after(Rule::SfuResultOverwritten, self.sfu_write(), shared, after);
        }
        self.hazards.calm = false;
        self.hazards.sfu.push(SfuResult {
            due: self.hazards.index + 3,
            value,
            left_out: !enabled,
            from: self.at(),
        });
        Ok(())
    }

    /// The instruction whose SFU result is on its way.
    fn sfu_write(&self) -> Option<At> {
        let due = self.hazards.sfu.first()?.due;
        self.back(self.hazards.index + 3 - due)
    }

    /// The instruction `count` before this one, as far as three are remembered.
    pub(super) fn back(&self, count: i64) -> Option<At> {
        let index = usize::try_from(self.hazards.index.checked_sub(count)?).ok()?;
        let (pc, word) = self.trail[index % self.trail.len()];
        let qpu = self.number;
        (1..self.trail.len() as i64).contains(&count).then_some(At {
            qpu,
            pc,
            word: Some(word),
        })
    }

    /// Reports that the instruction breaks a rule by coming after another one.
    #[cold]
    pub(super) fn warn_after(
        &self,
        rule: Rule,
        other: Option<At>,
        shared: &mut Shared,
        detail: impl FnOnce(&str) -> String,
    ) {
        shared.report.warn_with(rule, self.at(), || {
            let other = other.map(At::place);
            let named = other.as_ref().map(ToString::to_string);
            (
                detail(named.as_deref().unwrap_or("an instruction before")),
                other,
            )
        });
    }

    /// Reports that the instruction breaks a rule.
    #[cold]
    pub(super) fn warn(&self, rule: Rule, shared: &mut Shared, detail: impl FnOnce() -> String) {
        let at: At = self.at();
        shared.report.warn(rule, at, detail);
    }
}

/// The message on an instruction that comes too soon after another.
pub fn after(other: &str) -> String {
    format!("after {other}")
}

const _: () = assert!(NO_REGISTER != NOT_WRITTEN);
