//! The state of a job that stands still, as text.

use std::fmt::Write;

use v3d_sim::{FlagBits, Memory, QpuStatus, V3d};

use super::Debugger;
use super::halt::Register;

/// The notation of words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Eight hexadecimal digits.
    Hex,
    /// Signed decimal.
    Int,
    /// Unsigned decimal.
    Unsigned,
    /// 32-bit float.
    Float,
}

impl Format {
    /// The format of that name.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "hex" | "x" => Self::Hex,
            "int" | "i" | "d" => Self::Int,
            "unsigned" | "u" => Self::Unsigned,
            "float" | "f" => Self::Float,
            _ => return None,
        })
    }

    /// One word, as wide as all of its format.
    pub fn word(self, word: u32) -> String {
        match self {
            Self::Hex => format!("{word:08x}"),
            Self::Int => format!("{:>11}", word.cast_signed()),
            Self::Unsigned => format!("{word:>10}"),
            Self::Float => {
                let value = f32::from_bits(word);
                let size = value.abs();
                if value == 0.0 || (1e-3..1e7).contains(&size) || !value.is_finite() {
                    format!("{value:>13.5}")
                } else {
                    format!("{value:>13.6e}")
                }
            }
        }
    }

    /// Words of a line.
    const fn per_line(self) -> usize {
        match self {
            Self::Hex => 8,
            _ => 4,
        }
    }
}

/// A vector under its name: one word when all lanes are equal, else a table.
fn vector(name: &str, value: &[u32; 16], format: Format) -> String {
    if value.iter().all(|lane| *lane == value[0]) {
        return format!("{name:<5}= {} in all lanes\n", format.word(value[0]).trim());
    }
    let mut out = String::new();
    for (index, lanes) in value.chunks(format.per_line()).enumerate() {
        let name = if index == 0 { name } else { "" };
        let words: Vec<String> = lanes.iter().map(|lane| format.word(*lane)).collect();
        let first = index * format.per_line();
        let _ = writeln!(out, "{name:<5}[{first:>2}] {}", words.join(" "));
    }
    out
}

fn flags(flags: FlagBits) -> String {
    let FlagBits { z, n, c } = flags;
    let letters = |bits: u16, letter: char| -> String {
        (0..16)
            .map(|lane| if bits & 1 << lane != 0 { letter } else { '-' })
            .collect()
    };
    format!(
        "flags  lanes 0..15: {} {} {}\n",
        letters(z, 'z'),
        letters(n, 'n'),
        letters(c, 'c')
    )
}

/// The cause of each QPU's wait in the last round.
fn wait_of(v3d: &V3d, qpu: u8) -> String {
    let report = v3d.deadlock_report();
    let waiting = report.waiting.iter().find(|(place, _)| place.qpu == qpu);
    waiting.map_or_else(String::new, |(_, wait)| format!("  waits for {wait}"))
}

impl Debugger {
    /// The instruction that the chosen QPU executes next.
    pub(super) fn here(&mut self) -> String {
        let (v3d, number) = (self.run.v3d(), self.qpu);
        let qpu = v3d.qpu(number);
        let clock = v3d.clocks();
        if qpu.status() == QpuStatus::Idle {
            return format!("clock {clock}: no QPU has a program\n");
        }
        let wait = wait_of(v3d, number);
        let pc = qpu.pc();
        let line = self.code.line(&mut self.memory, pc, "=>");
        format!("clock {clock}, QPU {number}{wait}\n{line}")
    }

    /// All QPUs with a program.
    pub(super) fn qpus(&mut self) -> String {
        let mut out = String::new();
        for number in (0..12).rev() {
            let qpu = self.run.v3d().qpu(number);
            let status = match qpu.status() {
                QpuStatus::Idle => continue,
                QpuStatus::Running => "runs",
                QpuStatus::Halted => "halted",
                QpuStatus::Hung => "faulted",
            };
            let wait = wait_of(self.run.v3d(), number);
            let mark = if number == self.qpu { '*' } else { ' ' };
            let pc = qpu.pc();
            let line = self.code.line(&mut self.memory, pc, "");
            let line = line.lines().last().unwrap_or_default().trim();
            let _ = writeln!(out, "{mark}{number:>2} {status:<7} {line}{wait}");
        }
        if out.is_empty() {
            out.push_str("no QPU has a program\n");
        }
        out
    }

    /// The named registers of the chosen QPU, or accumulators and flags.
    pub(super) fn registers(&self, names: &[&str], format: Format) -> Result<String, String> {
        let qpu = self.run.v3d().qpu(self.qpu);
        let file = |letter: char| (0..32).map(move |number| format!("r{letter}{number}"));
        let accumulators = || (0..6).map(|number| format!("r{number}"));
        let mut wanted: Vec<String> = vec![];
        for name in names {
            match *name {
                "a" => wanted.extend(file('a')),
                "b" => wanted.extend(file('b')),
                "r" => wanted.extend(accumulators()),
                "all" => {
                    wanted.extend(file('a').chain(file('b')).chain(accumulators()));
                    wanted.push("flags".to_owned());
                }
                name => wanted.push(name.to_owned()),
            }
        }
        if names.is_empty() {
            wanted.extend(accumulators());
            wanted.push("flags".to_owned());
        }
        let mut out = String::new();
        for name in wanted {
            if name == "flags" {
                out.push_str(&flags(qpu.flags()));
                continue;
            }
            let register = Register::parse(&name).ok_or_else(|| {
                format!("`{name}` is no register; write ra0..ra31, rb0..rb31, r0..r5, flags, a, b, r or all")
            })?;
            out.push_str(&vector(&name, &register.value(qpu), format));
        }
        Ok(out)
    }

    pub(super) fn vpm(&self, first: u8, count: u8, format: Format) -> String {
        (first..first.saturating_add(count).min(128))
            .map(|row| vector(&format!("{row:>3}"), &self.run.v3d().vpm_row(row), format))
            .collect()
    }

    pub(super) fn words(
        &mut self,
        address: u32,
        count: u32,
        format: Format,
    ) -> Result<String, String> {
        let mut out = String::new();
        let per_line = format.per_line() as u32;
        for index in 0..count {
            let at = address.wrapping_add(4 * index);
            let word = self.memory.read_word(at);
            let word = word.map_err(|fault| format!("{at:#010x}: {}", fault.reason));
            let word = match word {
                Ok(word) => word,
                // What was read so far is shown all the same.
                Err(text) if index > 0 => {
                    let _ = writeln!(out, "\n{text}");
                    return Ok(out);
                }
                Err(text) => return Err(text),
            };
            if index % per_line == 0 {
                let _ = write!(out, "{}{at:#010x}:", if index > 0 { "\n" } else { "" });
            }
            let _ = write!(out, " {}", format.word(word));
        }
        out.push('\n');
        Ok(out)
    }

    /// Semaphores, mutex, lookups, transfers, uniforms and the queue.
    pub(super) fn units(&self) -> String {
        let v3d = self.run.v3d();
        let mut out = String::new();
        let counts = v3d.semaphores();
        let raised: Vec<String> = counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(number, count)| format!("{number} is {count}"))
            .collect();
        let _ = match &raised[..] {
            [] => writeln!(out, "semaphores  all 0"),
            raised => writeln!(out, "semaphores  {}", raised.join(", ")),
        };
        let _ = match v3d.mutex_holder() {
            Some(qpu) => writeln!(out, "mutex       held by QPU {qpu}"),
            None => writeln!(out, "mutex       free"),
        };
        let list = |qpus: Vec<u8>| match &qpus[..] {
            [] => "idle".to_owned(),
            qpus => {
                let names: Vec<String> = qpus.iter().map(|qpu| format!("QPU {qpu}")).collect();
                names.join(", then ")
            }
        };
        let _ = writeln!(out, "DMA load    {}", list(v3d.loads_pending()));
        let _ = writeln!(out, "DMA store   {}", list(v3d.stores_pending()));
        for qpu in (0..12).rev().map(|number| v3d.qpu(number)) {
            if qpu.status() == QpuStatus::Idle {
                continue;
            }
            let _ = writeln!(
                out,
                "QPU {:<2}      next uniform {:#010x}; lookups {} on TMU 0, {} on TMU 1; {} VPM vectors to read",
                qpu.number(),
                qpu.uniforms(),
                qpu.lookups(0),
                qpu.lookups(1),
                qpu.vpm_vectors_left()
            );
        }
        let _ = writeln!(
            out,
            "launch      {}, {} programs queued, clock {}",
            self.run.launch(),
            v3d.queued(),
            v3d.clocks()
        );
        out
    }

    pub(super) fn warnings(&self) -> String {
        let mut out = String::new();
        for warning in self.run.v3d().warnings() {
            let _ = writeln!(out, "{warning} [{} times]", warning.count);
        }
        if out.is_empty() {
            out.push_str("no warnings\n");
        }
        out
    }

    /// The listing around an address.
    pub(super) fn list(&mut self, address: u32, before: usize, count: usize) -> String {
        let pc = self.run.v3d().qpu(self.qpu).pc();
        let mut out = String::new();
        for at in self.code.around(address, before, count) {
            let marks = format!(
                "{}{}",
                if at == pc { "=>" } else { "  " },
                if self.halt.is_marked(at) { "*" } else { "" }
            );
            out.push_str(&self.code.line(&mut self.memory, at, &marks));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_four_spellings() {
        let word = 0xbf80_0000;
        assert_eq!(Format::Hex.word(word), "bf800000");
        assert_eq!(Format::Int.word(word).trim(), "-1082130432");
        assert_eq!(Format::Unsigned.word(word).trim(), "3212836864");
        assert_eq!(Format::Float.word(word).trim(), "-1.00000");
        assert_eq!(Format::Float.word(1).trim(), "1.401298e-45");
        assert_eq!(Format::Float.word(0x7fc0_0000).trim(), "NaN");
    }

    #[test]
    fn a_vector_is_one_word_or_a_table() {
        assert_eq!(
            vector("r0", &[7; 16], Format::Int),
            "r0   = 7 in all lanes\n"
        );
        let iota = std::array::from_fn(|lane| lane as u32);
        let table = vector("ra3", &iota, Format::Hex);
        assert_eq!(table.lines().count(), 2);
        assert!(table.starts_with("ra3  [ 0] 00000000 00000001"), "{table}");
    }
}
