//! Whole programs as source of the assembler.
//!
//! Every word comes back to the same 64 bits: as text that the assembler encodes to them, as text
//! with the bits beside it (`# !bits 0xHIGH_LOW`) where the text leaves something open, or as
//! numbers (`.int`) where the word is no instruction. Labels, delay slots, addresses and findings
//! are comments or label lines, which the assembler takes as what they are.

use std::fmt::Write;

use super::canonical::of_instruction;
use super::{Labels, SlotsLeft, target, text_of};
use crate::check::Finding;
use crate::isa::{Branch, INSTRUCTION_BYTES, Instruction, decode};

/// The additions of [`source`] to the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceOptions<'a> {
    /// Address and bits of each word, and a mark on delay slots.
    pub addresses: bool,
    /// Findings, each in a comment line before its instruction.
    pub findings: &'a [Finding],
}

impl Default for SourceOptions<'_> {
    fn default() -> Self {
        Self {
            addresses: true,
            findings: &[],
        }
    }
}

/// Column of the comments.
const COMMENT: usize = 44;

/// A program as text that the assembler turns back into the same words.
///
/// Branch targets inside the program get labels L1, L2 ... in the order of their addresses.
#[must_use]
pub fn source(words: &[u64], options: &SourceOptions<'_>) -> String {
    let labels = Labels::new(words, &[]);
    let mut findings = options.findings.iter().peekable();
    let mut slots = SlotsLeft::default();
    let mut out = String::with_capacity(words.len() * 64);
    for (index, &word) in words.iter().enumerate() {
        let pc = index as u32 * INSTRUCTION_BYTES;
        for name in labels.at(index) {
            let _ = writeln!(out, ":{name}");
        }
        while let Some(finding) = findings.next_if(|finding| finding.pc <= pc) {
            let _ = writeln!(out, "# {}: {}", finding.rule.name(), finding.reason);
        }
        let start = out.len();
        out.push_str("    ");
        let mut comment = Comment {
            out: &mut out,
            start,
        };
        let instruction = decode(word);
        match &instruction {
            Err(error) => {
                let _ = write!(
                    comment.out,
                    ".int {:#010x}, {:#010x}",
                    word as u32,
                    word >> 32
                );
                comment.add(format_args!("{error}"));
            }
            Ok(instruction) => {
                let is_canonical = of_instruction(instruction).encode() == word;
                let place = target(words, index);
                let name = place.filter(|_| is_canonical);
                let name = name.and_then(|place| labels.first(place));
                text_of(comment.out, instruction, name);
                if !is_canonical {
                    comment.add_hex("!bits ", word >> 32, word as u32);
                } else if options.addresses {
                    comment.add_hex("", word >> 32, word as u32);
                }
                if let (Instruction::Branch(branch), None) = (instruction, name) {
                    comment_on_target(&mut comment, branch, pc, place, &labels);
                }
            }
        }
        let in_slot = slots.next(instruction.ok().as_ref());
        if options.addresses {
            let mark = if in_slot { " |" } else { "" };
            comment.add(format_args!("@{pc:04x}{mark}"));
        }
        out.push('\n');
    }
    out
}

/// Comments on the target of a branch whose text has no label.
fn comment_on_target(
    comment: &mut Comment<'_>,
    branch: &Branch,
    pc: u32,
    place: Option<usize>,
    labels: &Labels,
) {
    if !branch.rel {
        return;
    }
    let register = if branch.reg {
        format!(" + ra{}", branch.raddr_a)
    } else {
        String::new()
    };
    match place.and_then(|place| labels.first(place)) {
        Some(name) => comment.add(format_args!("to {name}")),
        None => {
            let target = branch.target(pc, 0);
            comment.add(format_args!("to {target:#06x}{register}"));
        }
    }
}

/// The comment of one line, begun by its first part.
struct Comment<'a> {
    out: &'a mut String,
    /// The start of the line; once the comment has begun, `usize::MAX`.
    start: usize,
}

impl Comment<'_> {
    fn begin(&mut self) {
        const BLANKS: &str = "                                            ";
        if self.start != usize::MAX {
            let width = self.out.len() - self.start;
            self.out.push_str(&BLANKS[width.min(COMMENT)..]);
            self.out.push_str(" #");
            self.start = usize::MAX;
        }
        self.out.push(' ');
    }

    fn add(&mut self, part: std::fmt::Arguments<'_>) {
        self.begin();
        let _ = self.out.write_fmt(part);
    }

    /// The two halves of a word; by hand, because every line has them.
    fn add_hex(&mut self, name: &str, high: u64, low: u32) {
        self.begin();
        self.out.push_str(name);
        self.out.push_str("0x");
        push_hex(self.out, high as u32);
        self.out.push('_');
        push_hex(self.out, low);
    }
}

/// Eight hexadecimal digits.
fn push_hex(out: &mut String, word: u32) {
    for shift in (0..8).rev().map(|digit| 4 * digit) {
        let digit = word >> shift & 15;
        out.push(char::from_digit(digit, 16).unwrap_or('0'));
    }
}
