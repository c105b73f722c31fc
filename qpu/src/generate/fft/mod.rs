//! FFT programs, written as codelets and packed into both ALUs by a scheduler.
//!
//! A codelet is a function that writes operations on registers in an order that is easy to read
//! ([`dft16`], [`passes`]); [`schedule`](super::schedule) decides which instruction each becomes part of. What a
//! program reads as uniforms is listed beside it ([`crate::fft::Uniform`]) in the order that came
//! out, so nothing else needs to know the schedule.

pub mod coop;
mod dft16;
mod draft;
mod passes;
pub mod unit;

use crate::disasm;
use crate::fft::{Pass, Uniform};
use crate::generate::{Builder, schedule};
use crate::isa::{self, Instruction, raddr};

/// An operation of these programs.
type Operation = schedule::Operation<Uniform>;
/// An operand of theirs.
type Source = schedule::Source<Uniform>;

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Generated {
    /// Its pass.
    pub pass: Pass,
    /// Programs that share a transform.
    pub parts: u8,
    /// Instructions.
    pub code: Vec<u64>,
    /// Uniforms in the order in which it reads them.
    pub uniforms: Vec<Uniform>,
}

/// All programs that plans use.
///
/// # Panics
/// When a program breaks a rule that the checker knows: a bug of the generator, found at build time.
#[must_use]
pub fn programs() -> Vec<Generated> {
    let pairs = [Pass::First, Pass::Second]
        .into_iter()
        .flat_map(|pass| [1, 2, 4].map(|parts| (pass, parts)));
    pairs.map(|(pass, parts)| program(pass, parts)).collect()
}

impl Generated {
    /// `fft-first-4`, say.
    #[must_use]
    pub fn name(&self) -> String {
        let pass = match self.pass {
            Pass::First => "first",
            Pass::Second => "second",
        };
        format!("fft-{pass}-{}", self.parts)
    }

    /// The program as text: byte offset, word, instruction, and which uniform it reads.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut uniforms = self.uniforms.iter();
        let mut text = String::new();
        for (&word, pc) in self.code.iter().zip((0..).step_by(8)) {
            let uniform = reads_uniform(word).then(|| uniforms.next()).flatten();
            let comment = uniform.map_or(String::new(), |uniform| format!("    # {uniform:?}"));
            let line = disasm::line(word, pc);
            text.push_str(&format!("{pc:04x}  {word:016x}  {line}{comment}\n"));
        }
        text
    }
}

/// Whether a word takes a uniform, through either port.
fn reads_uniform(word: u64) -> bool {
    matches!(isa::decode(word), Ok(Instruction::Alu(alu))
        if alu.raddr_a == raddr::UNIFORM || alu.read_b() == raddr::UNIFORM)
}

fn program(pass: Pass, parts: u8) -> Generated {
    let scheduled = schedule::schedule(&passes::operations(pass, parts));
    let mut builder = Builder::new();
    for &instruction in &scheduled.instructions {
        builder.instruction(instruction);
    }
    builder.end();
    let code = builder
        .finish()
        .unwrap_or_else(|error| panic!("FFT {pass:?} in {parts} parts: {error}"));
    Generated {
        pass,
        parts,
        code,
        uniforms: scheduled.uniforms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_lists_each_uniform_that_it_reads() {
        for program in programs() {
            let reads = |word: &&u64| reads_uniform(**word);
            assert_eq!(
                program.code.iter().filter(reads).count(),
                program.uniforms.len()
            );
        }
    }

    #[test]
    fn the_same_codelet_gives_the_same_words() {
        assert_eq!(program(Pass::First, 2), program(Pass::First, 2));
    }

    #[test]
    fn the_mutex_is_held_for_32_writes_and_the_store_only() {
        for program in programs() {
            let instructions: Vec<_> = program
                .code
                .iter()
                .map(|&word| isa::decode(word).unwrap())
                .collect();
            let acquired = instructions.iter().position(
                |instruction| matches!(instruction, Instruction::Alu(alu) if alu.raddr_a == raddr::MUTEX_ACQUIRE),
            );
            // Release, end and its two slots follow the last wait.
            let held = instructions.len() - acquired.unwrap();
            assert!(held < 50, "{}: {held} instructions", program.name());
        }
    }
}
