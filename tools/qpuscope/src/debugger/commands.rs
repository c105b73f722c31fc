//! Command lines of the debugger, taken apart and done.

use std::fmt::Write;

use super::halt::{Breakpoint, Register, RegisterWatch, SemaphoreWatch, VpmWatch};
use super::help;
use super::show::Format;
use super::{Debugger, Next};
use crate::quantity::number;

/// Rounds of `continue`: more than any limit of cycles allows.
const FOREVER: u64 = u64::MAX;

/// The most words or lines that one command shows.
const MOST_SHOWN: u64 = 65_536;

/// A number that must lie in a range.
fn within(what: &str, text: &str, least: u64, most: u64) -> Result<u64, String> {
    let value = number(text)?;
    if (least..=most).contains(&value) {
        Ok(value)
    } else {
        Err(format!("{what} is {least} to {most}, not {text}"))
    }
}

/// At most `most` words.
fn at_most(words: &[&str], most: usize, usage: &str) -> Result<(), String> {
    match words.get(most) {
        Some(word) => Err(format!("`{word}` is too much; write {usage}")),
        None => Ok(()),
    }
}

impl Debugger {
    /// Does what a line says. What is shown, and whether it was the last.
    ///
    /// # Errors
    /// With what to write instead; nothing has happened then.
    pub fn execute(&mut self, line: &str) -> Result<(String, Next), String> {
        let line = line.split('#').next().unwrap_or_default();
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            return Ok((String::new(), Next::Prompt));
        }
        let command = help::find(words.remove(0))?;
        let usage = format!("{} {}", command.names[0], command.usage);
        let usage = usage.trim();
        let shown = match command.names[0] {
            "help" => {
                at_most(&words, 1, usage)?;
                help::text(words.first().copied())?
            }
            "continue" => {
                at_most(&words, 0, usage)?;
                self.go(FOREVER)?
            }
            "step" => {
                at_most(&words, 1, usage)?;
                let count = words
                    .first()
                    .map_or(Ok(1), |text| within("COUNT", text, 1, u64::MAX))?;
                self.need_program()?;
                self.halt.steps = Some((self.qpu, count));
                self.go(FOREVER)?
            }
            "round" => {
                at_most(&words, 1, usage)?;
                let count = words
                    .first()
                    .map_or(Ok(1), |text| within("COUNT", text, 1, u64::MAX))?;
                self.go(count)?
            }
            "until" => {
                at_most(&words, 1, usage)?;
                let text = words.first().ok_or_else(|| format!("write {usage}"))?;
                let address = self.code.instruction(text, self.pc())?;
                self.need_program()?;
                self.halt.until = Some((self.qpu, address));
                self.go(FOREVER)?
            }
            "break" => self.set_breakpoint(&words, usage)?,
            "watch" => self.set_watch(&words, usage)?,
            "delete" => {
                at_most(&words, 1, usage)?;
                self.delete(words.first().ok_or_else(|| format!("write {usage}"))?)?
            }
            "qpu" => {
                at_most(&words, 1, usage)?;
                match words.first() {
                    None => self.qpus(),
                    Some(text) => {
                        self.qpu = within("a QPU", text, 0, 11)? as u8;
                        self.need_program()?;
                        self.here()
                    }
                }
            }
            "registers" => {
                let format = self.take_format(&mut words);
                self.registers(&words, format)?
            }
            "vpm" => {
                let format = self.take_format(&mut words);
                at_most(&words, 2, usage)?;
                let row = words
                    .first()
                    .map_or(Ok(0), |text| within("ROW", text, 0, 127))?;
                let all = if words.is_empty() { 64 } else { 1 };
                let rows = words
                    .get(1)
                    .map_or(Ok(all), |text| within("ROWS", text, 1, 128))?;
                self.vpm(row as u8, rows as u8, format)
            }
            "memory" => {
                let format = self.take_format(&mut words);
                at_most(&words, 2, usage)?;
                let text = words.first().ok_or_else(|| format!("write {usage}"))?;
                let address = self.code.address(text, self.pc())? & !3;
                let count = words.get(1);
                let count = count.map_or(Ok(16), |text| within("WORDS", text, 1, MOST_SHOWN))?;
                self.words(address, count as u32, format)?
            }
            "units" => {
                at_most(&words, 0, usage)?;
                self.units()
            }
            "list" => {
                at_most(&words, 2, usage)?;
                let (address, before) = match words.first() {
                    Some(text) => (self.code.instruction(text, self.pc())?, 0),
                    None => (self.pc(), 4),
                };
                let count = words.get(1);
                let count = count.map_or(Ok(12), |text| within("COUNT", text, 1, MOST_SHOWN))?;
                self.list(address, before, count as usize)
            }
            "warnings" => {
                at_most(&words, 0, usage)?;
                self.warnings()
            }
            "format" => {
                at_most(&words, 1, usage)?;
                let text = words.first().ok_or_else(|| format!("write {usage}"))?;
                self.format = Format::parse(text)
                    .ok_or_else(|| format!("`{text}` is no format; write {usage}"))?;
                String::new()
            }
            "restart" => {
                at_most(&words, 0, usage)?;
                self.restart().map_err(|failure| failure.message)?;
                self.here()
            }
            _ => return Ok((String::new(), Next::Quit)),
        };
        Ok((shown, Next::Prompt))
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

    /// The format that the last word names, which is then taken away.
    fn take_format(&self, words: &mut Vec<&str>) -> Format {
        let format = words.last().and_then(|word| Format::parse(word));
        if format.is_some() {
            words.pop();
        }
        format.unwrap_or(self.format)
    }

    fn new_id(&mut self) -> u32 {
        self.next_id += 1;
        self.next_id - 1
    }

    fn set_breakpoint(&mut self, words: &[&str], usage: &str) -> Result<String, String> {
        at_most(words, 2, usage)?;
        let Some(text) = words.first() else {
            return Ok(self.all_stops());
        };
        if *text == "warning" {
            at_most(words, 1, usage)?;
            self.halt.warnings = true;
            return Ok(
                "stops at the first warning of each kind; `delete warning` ends that\n".to_owned(),
            );
        }
        let address = self.code.instruction(text, self.pc())?;
        let qpus = match words.get(1) {
            None => 0xfff,
            Some(text) => 1 << within("a QPU", text, 0, 11)?,
        };
        let id = self.new_id();
        self.halt.breakpoints.push(Breakpoint {
            id,
            address,
            qpus,
            hits: 0,
        });
        let line = self.code.line(&mut self.memory, address, "*");
        Ok(format!("breakpoint {id}\n{line}"))
    }

    fn set_watch(&mut self, words: &[&str], usage: &str) -> Result<String, String> {
        at_most(words, 3, usage)?;
        let (Some(kind), what) = (words.first(), words.get(1)) else {
            return Ok(self.all_stops());
        };
        let what = what.ok_or_else(|| format!("write {usage}"))?;
        let text = match *kind {
            "mem" | "memory" => {
                let address = self.code.address(what, self.pc())?;
                let bytes = words.get(2);
                let bytes = bytes.map_or(Ok(4), |text| within("BYTES", text, 1, 1 << 30))?;
                let id = self.new_id();
                self.memory.watch(id, address, bytes as u32);
                let text = format!("{bytes} bytes of memory at {address:#010x}");
                self.halt.memory.push((id, text.clone()));
                format!("watch {id}: {text}\n")
            }
            "vpm" => {
                let first = within("ROW", what, 0, 127)?;
                let rows = words.get(2);
                let rows = rows.map_or(Ok(1), |text| within("ROWS", text, 1, 128 - first))?;
                let id = self.new_id();
                let rows = first as u8..(first + rows) as u8;
                let text = format!("watch {id}: VPM rows {} to {}\n", rows.start, rows.end - 1);
                self.halt.vpm.push(VpmWatch {
                    id,
                    rows,
                    last: vec![],
                });
                text
            }
            "reg" | "register" => {
                at_most(words, 2, usage)?;
                let register = Register::parse(what).ok_or_else(|| {
                    format!("`{what}` is no register; write ra0..ra31, rb0..rb31 or r0..r5")
                })?;
                let (id, qpu) = (self.new_id(), self.qpu);
                self.halt.registers.push(RegisterWatch {
                    id,
                    qpu,
                    register,
                    last: [0; 16],
                });
                format!("watch {id}: {what} of QPU {qpu}\n")
            }
            "sem" | "semaphore" => {
                at_most(words, 2, usage)?;
                let number = within("a semaphore", what, 0, 15)? as u8;
                let id = self.new_id();
                self.halt.semaphores.push(SemaphoreWatch { id, number });
                format!("watch {id}: semaphore {number}\n")
            }
            _ => return Err(format!("`{kind}` cannot be watched; write {usage}")),
        };
        Ok(text)
    }

    fn all_stops(&mut self) -> String {
        let mut out = String::new();
        let points = self.halt.breakpoints.clone();
        for Breakpoint {
            id,
            address,
            qpus,
            hits,
        } in points
        {
            let line = self.code.line(&mut self.memory, address, "");
            let line = line.lines().last().unwrap_or_default().trim();
            let whose = match qpus.count_ones() {
                1 => format!(" of QPU {}", qpus.trailing_zeros()),
                _ => String::new(),
            };
            let _ = writeln!(out, "{id:>3} breakpoint{whose}, {hits} hits: {line}");
        }
        let halt = &self.halt;
        for (id, text) in &halt.memory {
            let _ = writeln!(out, "{id:>3} watch {text}");
        }
        for watch in &halt.vpm {
            let rows = &watch.rows;
            let _ = writeln!(
                out,
                "{:>3} watch VPM rows {} to {}",
                watch.id,
                rows.start,
                rows.end - 1
            );
        }
        for watch in &halt.registers {
            let _ = writeln!(
                out,
                "{:>3} watch {} of QPU {}",
                watch.id,
                watch.register.name(),
                watch.qpu
            );
        }
        for watch in &halt.semaphores {
            let _ = writeln!(out, "{:>3} watch semaphore {}", watch.id, watch.number);
        }
        if halt.warnings {
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
        if what == "warning" {
            return Ok(String::new());
        }
        let id = match what {
            "all" => None,
            text => Some(within("NUMBER", text, 1, u64::from(u32::MAX))? as u32),
        };
        let keep = |other: u32| id.is_some_and(|id| other != id);
        let halt = &mut self.halt;
        let count = |halt: &super::Halt| {
            halt.breakpoints.len()
                + halt.memory.len()
                + halt.vpm.len()
                + halt.registers.len()
                + halt.semaphores.len()
        };
        let before = count(halt);
        halt.breakpoints.retain(|point| keep(point.id));
        halt.vpm.retain(|watch| keep(watch.id));
        halt.registers.retain(|watch| keep(watch.id));
        halt.semaphores.retain(|watch| keep(watch.id));
        for (id, _) in halt.memory.iter().filter(|(other, _)| !keep(*other)) {
            self.memory.unwatch(*id);
        }
        halt.memory.retain(|(other, _)| keep(*other));
        match id {
            Some(id) if count(halt) == before => Err(format!(
                "there is no breakpoint or watch {id}; `break` lists them"
            )),
            _ => Ok(String::new()),
        }
    }
}
