//! Command lines of the debugger, taken apart and done.

use std::fmt::Write;
use std::ops::{ControlFlow, RangeInclusive};

use super::Debugger;
use super::halt::{Register, Watchpoint};
use super::help;
use super::show::Format;
use common::quantity::number;

/// Rounds of `continue`: more than any limit of cycles allows.
const FOREVER: u64 = u64::MAX;

/// The words or lines that one command may show.
const SHOWN: RangeInclusive<u64> = 1..=65_536;

/// A number that must lie in a range.
fn within(what: &str, text: &str, range: RangeInclusive<u64>) -> Result<u64, String> {
    let value = number(text)?;
    let (least, most) = (range.start(), range.end());
    match range.contains(&value) {
        true => Ok(value),
        false => Err(format!("{what} is {least} to {most}, not {text}")),
    }
}

/// The words behind a command's name.
struct Words<'a> {
    words: Vec<&'a str>,
    usage: String,
}

impl<'a> Words<'a> {
    /// The word at a place, if it is there.
    fn get(&self, at: usize) -> Option<&'a str> {
        self.words.get(at).copied()
    }

    /// The word at a place, which must be there.
    fn need(&self, at: usize) -> Result<&'a str, String> {
        self.get(at).ok_or_else(|| format!("write {}", self.usage))
    }

    /// The number at a place, which must lie in a range; `absent` where there is none.
    fn number(
        &self,
        at: usize,
        what: &str,
        range: RangeInclusive<u64>,
        absent: u64,
    ) -> Result<u64, String> {
        self.get(at)
            .map_or(Ok(absent), |text| within(what, text, range))
    }

    /// Refuses more than `most` words.
    fn at_most(&self, most: usize) -> Result<(), String> {
        match self.get(most) {
            Some(word) => Err(format!("`{word}` is too much; write {}", self.usage)),
            None => Ok(()),
        }
    }
}

impl Debugger {
    /// Does what a line says. Gives what is shown; a break ends the debugger.
    ///
    /// # Errors
    /// With what to write instead; nothing has happened then.
    pub fn execute(&mut self, line: &str) -> Result<(String, ControlFlow<()>), String> {
        let line = line.split('#').next().unwrap_or_default();
        let mut words = line.split_whitespace();
        let Some(command) = words.next() else {
            return Ok((String::new(), ControlFlow::Continue(())));
        };
        let command = help::find(command)?;
        let name = command.names[0];
        let mut words = Words {
            words: words.collect(),
            usage: format!("{name} {}", command.usage).trim().to_owned(),
        };
        let mut format = self.format;
        if matches!(name, "registers" | "vpm" | "memory")
            && let Some(named) = words.words.last().and_then(|word| Format::parse(word))
        {
            words.words.pop();
            format = named;
        }
        words.at_most(match name {
            "registers" => usize::MAX,
            "watch" => 3,
            "break" | "vpm" | "memory" | "list" => 2,
            "help" | "step" | "round" | "until" | "delete" | "qpu" | "format" => 1,
            _ => 0,
        })?;
        let count = || words.number(0, "COUNT", 1..=u64::MAX, 1);
        let shown = match name {
            "help" => help::text(words.get(0))?,
            "continue" => self.go(FOREVER)?,
            "step" => {
                let count = count()?;
                self.need_program()?;
                self.halt.steps = Some((self.qpu, count));
                self.go(FOREVER)?
            }
            "round" => self.go(count()?)?,
            "until" => {
                let address = self.code.instruction(words.need(0)?, self.pc())?;
                self.need_program()?;
                self.halt.until = Some((self.qpu, address));
                self.go(FOREVER)?
            }
            "break" => self.set_breakpoint(&words)?,
            "watch" => self.set_watch(&words)?,
            "delete" => self.delete(words.need(0)?)?,
            "qpu" if words.get(0).is_none() => self.qpus(),
            "qpu" => {
                self.qpu = words.number(0, "a QPU", 0..=11, 0)? as u8;
                self.need_program()?;
                self.here()
            }
            "registers" => self.registers(&words.words, format)?,
            "vpm" => {
                let row = words.number(0, "ROW", 0..=127, 0)?;
                let all = if words.get(0).is_none() { 64 } else { 1 };
                let rows = words.number(1, "ROWS", 1..=128, all)?;
                self.vpm(row as u8, rows as u8, format)
            }
            "memory" => {
                let address = self.code.address(words.need(0)?, self.pc())? & !3;
                let count = words.number(1, "WORDS", SHOWN, 16)?;
                self.words(address, count as u32, format)?
            }
            "units" => self.units(),
            "list" => {
                let (address, before) = match words.get(0) {
                    Some(text) => (self.code.instruction(text, self.pc())?, 0),
                    None => (self.pc(), 4),
                };
                let count = words.number(1, "COUNT", SHOWN, 12)?;
                self.list(address, before, count as usize)
            }
            "warnings" => self.warnings(),
            "format" => {
                let text = words.need(0)?;
                self.format = Format::parse(text)
                    .ok_or_else(|| format!("`{text}` is no format; write {}", words.usage))?;
                String::new()
            }
            "restart" => {
                self.restart().map_err(|failure| failure.message)?;
                self.here()
            }
            _ => return Ok((String::new(), ControlFlow::Break(()))),
        };
        Ok((shown, ControlFlow::Continue(())))
    }

    fn pc(&self) -> u32 {
        self.run.v3d().qpu(self.qpu).pc()
    }

    fn need_program(&self) -> Result<(), String> {
        let running = self.run.v3d().running();
        if running.iter().any(|place| place.qpu == self.qpu) || self.ended.is_some() {
            return Ok(());
        }
        let names: Vec<String> = running.iter().map(|place| place.qpu.to_string()).collect();
        Err(format!(
            "QPU {} has no program now; {}",
            self.qpu,
            match &names[..] {
                [] => "no other has, `continue` or `round` goes on".to_owned(),
                names => format!("choose another with `qpu`: {}", names.join(", ")),
            }
        ))
    }

    /// Adds a breakpoint or a watch; returns its number.
    fn add(&mut self, watch: Watchpoint) -> u32 {
        let id = self.next_id;
        self.next_id += 1;
        if let Watchpoint::Memory { address, bytes } = watch {
            self.memory.watch(id, address, bytes);
        }
        self.halt.watches.push((id, watch));
        id
    }

    fn set_breakpoint(&mut self, words: &Words) -> Result<String, String> {
        let Some(text) = words.get(0) else {
            return Ok(self.all_stops());
        };
        if text == "warning" {
            words.at_most(1)?;
            self.halt.warnings = true;
            return Ok(
                "stops at the first warning of each kind; `delete warning` ends that\n".to_owned(),
            );
        }
        let address = self.code.instruction(text, self.pc())?;
        let qpus = match words.get(1) {
            None => 0xfff,
            Some(text) => 1 << within("a QPU", text, 0..=11)?,
        };
        let id = self.add(Watchpoint::Break {
            address,
            qpus,
            hits: 0,
        });
        let line = self.code.line(&mut self.memory, address, "*");
        Ok(format!("breakpoint {id}\n{line}"))
    }

    fn set_watch(&mut self, words: &Words) -> Result<String, String> {
        let Some(kind) = words.get(0) else {
            return Ok(self.all_stops());
        };
        let what = words.need(1)?;
        let watch = match kind {
            "mem" | "memory" => Watchpoint::Memory {
                address: self.code.address(what, self.pc())?,
                bytes: words.number(2, "BYTES", 1..=1 << 30, 4)? as u32,
            },
            "vpm" => {
                let first = within("ROW", what, 0..=127)?;
                let rows = words.number(2, "ROWS", 1..=128 - first, 1)?;
                Watchpoint::Vpm {
                    rows: first as u8..(first + rows) as u8,
                    last: vec![],
                }
            }
            "reg" | "register" => {
                words.at_most(2)?;
                let register = Register::parse(what).ok_or_else(|| {
                    format!("`{what}` is no register; write ra0..ra31, rb0..rb31 or r0..r5")
                })?;
                Watchpoint::Register {
                    qpu: self.qpu,
                    register,
                    last: [0; 16],
                }
            }
            "sem" | "semaphore" => {
                words.at_most(2)?;
                Watchpoint::Semaphore(within("a semaphore", what, 0..=15)? as u8)
            }
            _ => return Err(format!("`{kind}` cannot be watched; write {}", words.usage)),
        };
        let text = watch.to_string();
        Ok(format!("watch {}: {text}\n", self.add(watch)))
    }

    fn all_stops(&mut self) -> String {
        let mut out = String::new();
        for (id, watch) in &self.halt.watches {
            let _ = match watch {
                Watchpoint::Break {
                    address,
                    qpus,
                    hits,
                } => {
                    let line = self.code.line(&mut self.memory, *address, "");
                    let line = line.lines().last().unwrap_or_default().trim();
                    let whose = match qpus.count_ones() {
                        1 => format!(" of QPU {}", qpus.trailing_zeros()),
                        _ => String::new(),
                    };
                    writeln!(out, "{id:>3} breakpoint{whose}, {hits} hits: {line}")
                }
                watch => writeln!(out, "{id:>3} watch {watch}"),
            };
        }
        if self.halt.warnings {
            out.push_str("    the first warning of each kind\n");
        }
        if out.is_empty() {
            out.push_str("no breakpoints and no watches\n");
        }
        out
    }

    fn delete(&mut self, what: &str) -> Result<String, String> {
        if what == "warning" || what == "all" {
            self.halt.warnings = false;
        }
        let watches = &mut self.halt.watches;
        match what {
            "warning" => {}
            "all" => {
                for (id, _) in watches.drain(..) {
                    self.memory.unwatch(id);
                }
            }
            text => {
                let id = within("NUMBER", text, 1..=u64::from(u32::MAX))? as u32;
                let place = watches.iter().position(|(own, _)| *own == id);
                let place = place.ok_or_else(|| {
                    format!("there is no breakpoint or watch {id}; `break` lists them")
                })?;
                watches.remove(place);
                self.memory.unwatch(id);
            }
        }
        Ok(String::new())
    }
}
