//! Static hazards: what the QPU does not interlock and a look at the program can find.
//!
//! Every way through the program is walked: fall-through, branches both ways with their delay
//! slots, branches in the third delay slot of another, loops, and returns through links. On each
//! way two instructions back are looked at for what comes too early, and lookups, VPM vectors, DMA,
//! setups and the mutex are counted to the end. A finding says by which branches its way goes.
//! Values, trip counts of loops and other QPUs are for the simulator to judge.
//!
//! Where sources disagree the strict end is taken. Published programs break some of these rules
//! without harm on real chips, which is why [`check`] reports and does not judge;
//! `generate::Builder` refuses what is reported unless the rule is waived. [`Rule::is_disputed`]
//! says which rules one source alone has against the others; tools for people leave those out until
//! they are asked.
//!
//! ```
//! // A loop whose last delay slot writes what the first instruction reads.
//! use qpu::generate::*;
//! use qpu::isa::BranchCond;
//!
//! let mut b = Builder::new();
//! let again = b.here("again");
//! b.sub(R0, ra(1), 1).setf();
//! b.brr(BranchCond::AnyZC, again);
//! b.nops(2);
//! b.mov(ra(1), R0);
//! b.end();
//! let findings = qpu::check::check(&b.finish_unchecked()?);
//! assert_eq!(
//!     findings[0].to_string(),
//!     "0x0000: regfile-read-after-write: \
//!      ra1 was written in the instruction before and cannot be read yet, \
//!      on the way over the branch at 0x0008 (taken); \
//!      to fix it, put an instruction between, or keep the value in r0..r3"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Sources: VideoCore IV 3D Architecture Reference Guide, "QPU instruction restrictions"; vc4asm's
//! addendum and documentation; Broadcom's hardware-issue numbers (HW-nnnn) from its 2014 driver
//! sources.

mod accounts;
mod conditions;
mod facts;
mod flags;
mod flow;
mod instruction;
mod packing;
mod program;
mod rules;
mod sequence;
mod transfers;
mod values;
mod written;

use crate::isa::{INSTRUCTION_BYTES, Signal, decode};
use facts::Facts;

pub use rules::Rule;

/// A branch on the way to a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Way {
    /// Byte address of the branch, from the start of the program.
    pub pc: u32,
    /// True if it is taken on this way.
    pub taken: bool,
}

/// One place where a program breaks a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Byte address, from the start of the program, of the instruction that comes too early or is
    /// wrong.
    pub pc: u32,
    /// The problem, in one sentence.
    pub reason: String,
    /// The last branches on a way that leads to it, in their order; empty where every way does, as
    /// far as branches decide. Of branches without condition only those that matter are named.
    pub way: Vec<Way>,
}

impl Finding {
    /// The way in words, to follow the reason: "on the way over the branch at 0x0038 (taken)".
    #[must_use]
    pub fn way_text(&self) -> Option<String> {
        let branches: Vec<String> = self
            .way
            .iter()
            .map(|way| {
                let taken = if way.taken { "taken" } else { "not taken" };
                format!("{:#06x} ({taken})", way.pc)
            })
            .collect();
        let plural = if branches.len() == 1 { "" } else { "es" };
        (!branches.is_empty()).then(|| {
            format!(
                "on the way over the branch{plural} at {}",
                branches.join(", ")
            )
        })
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            rule, pc, reason, ..
        } = self;
        write!(f, "{pc:#06x}: {}: {reason}", rule.name())?;
        if let Some(way) = self.way_text() {
            write!(f, ", {way}")?;
        }
        write!(f, "; to fix it, {}", rule.fix())
    }
}

/// All findings in a program, in order of address. The first word is where it starts.
///
/// Words that no way reaches are not looked at, so data can stand among code; if a branch goes to a
/// computed address, any word may be reached.
#[must_use]
pub fn check(words: &[u64]) -> Vec<Finding> {
    find(words, |_| false, &[], false)
}

/// Checks a whole program as [`check`] does, and also reports where it reads what it never wrote
/// ([`Rule::UndefinedRead`]). Pieces of programs may find what others left for them.
///
/// The program starts at the first word that was not written as data, and words of data count only
/// where a way leads to them: vc4dis writes instructions so that it cannot name. At the
/// instructions of `entries`, such as exported labels, others may start, with nothing known.
#[must_use]
pub fn check_program(
    words: &[u64],
    is_data: impl Fn(usize) -> bool,
    entries: &[usize],
) -> Vec<Finding> {
    find(words, is_data, entries, true)
}

fn find(
    words: &[u64],
    is_data: impl Fn(usize) -> bool,
    entries: &[usize],
    is_whole: bool,
) -> Vec<Finding> {
    let facts: Vec<_> = words.iter().map(|word| Facts::new(*word)).collect();
    let start = (0..words.len()).find(|index| !is_data(*index));
    let start = start.unwrap_or(0);
    let mut flow = flow::walk(&facts, start as u32, is_data, entries);
    let mut findings = std::mem::take(&mut flow.findings);
    let runs_off = findings
        .iter()
        .any(|finding| finding.rule == Rule::NoProgramEnd);
    let mut report = |rule, index: usize, reason: String| {
        findings.push(Finding {
            rule,
            pc: index as u32 * INSTRUCTION_BYTES,
            reason,
            way: Vec::new(),
        });
    };
    if is_whole && !runs_off {
        written::check(&facts, &flow, &mut report);
    }
    instruction::check(&facts, &flow, &mut report);
    program::check(&facts, start, &flow, &mut report);
    findings
        .sort_by(|one, two| (one.pc, one.rule, &one.reason).cmp(&(two.pc, two.rule, &two.reason)));
    findings.dedup();
    findings
}

/// True if a program is a fragment shader, going by what [`check`] found in it: one that uses the
/// scoreboard, which every fragment shader hands on at its end and nothing else has.
/// [`Rule::FragmentOnly`] is no fault of it.
#[must_use]
pub fn is_fragment_shader(words: &[u64], findings: &[Finding]) -> bool {
    let uses_scoreboard = |finding: &Finding| {
        let word = words.get((finding.pc / INSTRUCTION_BYTES) as usize);
        let signal = word.and_then(|word| Some(decode(*word).ok()?.signal()));
        matches!(
            signal,
            Some(Signal::WaitScoreboard | Signal::UnlockScoreboard)
        )
    };
    let mut found = findings
        .iter()
        .filter(|finding| finding.rule == Rule::FragmentOnly);
    found.any(uses_scoreboard)
}

/// True if an instruction must not come `distance` (1 or 2) instructions after another.
#[cfg(feature = "generate")]
pub fn must_be_apart(
    earlier: &crate::isa::Instruction,
    later: &crate::isa::Instruction,
    distance: usize,
) -> bool {
    let facts = [earlier, later].map(|instruction| Facts::new(instruction.encode()));
    let [Ok(earlier), Ok(later)] = facts else {
        return true;
    };
    let mut found = false;
    sequence::check(&earlier, &later, distance, &mut |_, _| found = true);
    found
}

#[cfg(all(test, feature = "generate"))]
mod tests;
