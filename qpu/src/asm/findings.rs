//! Hazards, as warnings at the lines that they are in.

use super::{Assembly, Diagnostic, Exported, Severity};
use crate::check::{Finding, Rule, check_program, is_fragment_shader};
use crate::isa::INSTRUCTION_BYTES;

impl Assembly {
    /// The findings of [`crate::check`] in the program, and in those that start at labels that it
    /// exports.
    #[must_use]
    pub fn check(&self) -> Vec<Finding> {
        let entries = self.globals.iter().filter_map(|(_, value)| match value {
            Exported::Label(address) => Some((address / INSTRUCTION_BYTES) as usize),
            Exported::Constant(_) => None,
        });
        let entries: Vec<usize> = entries.collect();
        check_program(&self.words, |index| self.is_data(index), &entries)
    }

    /// The remedy for a finding: that of its rule, and the number of instructions that a line of
    /// `nop`s is where one stands in the way, as students write who want to wait for three.
    #[must_use]
    pub fn fix(&self, finding: &Finding) -> String {
        let is_of_distance = matches!(
            finding.rule,
            Rule::SfuResultTooEarly
                | Rule::SfuResultOverwritten
                | Rule::TmuNoswap
                | Rule::UniformsAddress
                | Rule::BranchSpacing
        );
        let index = (finding.pc / INSTRUCTION_BYTES) as usize;
        let before = (1..=2).filter_map(|back| self.origin(index.checked_sub(back)?));
        let nops = before.map(|origin| nops(&origin.text)).max().unwrap_or(0);
        let fix = finding.rule.fix();
        if is_of_distance && nops > 1 {
            format!("{fix}; {nops} nops on one line are one instruction")
        } else {
            fix.to_owned()
        }
    }
}

/// The number of `nop`s of a line that has nothing else.
fn nops(text: &str) -> usize {
    let code = text.split('#').next().unwrap_or_default();
    let operations = || code.split(';').map(str::trim).filter(|it| !it.is_empty());
    match operations().all(|it| it == "nop") {
        true => operations().count(),
        false => 0,
    }
}

/// Adds at most `most` of what the checker finds, of what is disputed if it `is_strict`. Data is no
/// code and is not judged.
pub(super) fn add(assembly: &mut Assembly, most: usize, is_strict: bool) {
    if assembly.words.is_empty() {
        return;
    }
    let found = assembly.check();
    let is_shader = is_fragment_shader(&assembly.words, &found);
    for finding in found {
        let index = (finding.pc / INSTRUCTION_BYTES) as usize;
        let meant = match finding.rule {
            Rule::RotationInQuad => {
                let word = assembly.emitted.get(index);
                word.is_some_and(|word| word.rotates_in_quads)
            }
            Rule::FragmentOnly => is_shader,
            rule => rule.is_disputed() && !is_strict,
        };
        if meant || assembly.is_data(index) || assembly.warnings.len() >= most {
            continue;
        }
        let Some(origin) = assembly.origin(index) else {
            continue;
        };
        let blanks = origin
            .text
            .chars()
            .take_while(|c| c.is_whitespace())
            .count();
        let code = origin.text.split('#').next().unwrap_or_default().trim();
        let warning = Diagnostic {
            severity: Severity::Warning,
            rule: finding.rule.name(),
            message: match finding.way_text() {
                Some(way) => format!("{}, {way}", finding.reason),
                None => finding.reason.clone(),
            },
            help: format!("to fix it, {}", assembly.fix(&finding)),
            file: origin.file.to_string(),
            line: origin.line,
            column: blanks as u32 + 1,
            length: code.chars().count().max(1) as u32,
            source: origin.text.chars().take(2000).collect(),
            expansion: assembly.expansion(index),
        };
        // A line of a macro is reported once, with the first call that it is wrong in.
        let is_known = |known: &Diagnostic| known.is_same_anywhere(&warning);
        if !assembly.warnings.iter().any(is_known) {
            assembly.warnings.push(warning);
        }
    }
}
