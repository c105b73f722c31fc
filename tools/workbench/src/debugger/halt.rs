//! Breakpoints and watches, seen while a job runs.

use std::fmt;
use std::ops::Range;

use qpu::isa::File;
use v3d_sim::{Issue, Observer, QpuStatus, QpuView, UnitEvent};

/// A register, accumulator or flags, by the name that people write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Register {
    /// ra0..ra31 and rb0..rb31.
    File(File, u8),
    /// r0..r5.
    Accumulator(u8),
}

impl Register {
    /// The register called `text`.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |digits: &str, most: u8| {
            let number: u8 = digits.parse().ok()?;
            (number <= most && (digits.len() == 1 || !digits.starts_with('0'))).then_some(number)
        };
        if let Some(digits) = text.strip_prefix("ra") {
            return Some(Self::File(File::A, number(digits, 31)?));
        }
        if let Some(digits) = text.strip_prefix("rb") {
            return Some(Self::File(File::B, number(digits, 31)?));
        }
        Some(Self::Accumulator(number(text.strip_prefix('r')?, 5)?))
    }

    /// Its value.
    pub fn value(self, qpu: QpuView<'_>) -> [u32; 16] {
        match self {
            Self::File(file, number) => qpu.register(file, number),
            Self::Accumulator(number) => qpu.accumulator(number),
        }
    }

    /// Its name.
    pub fn name(self) -> String {
        match self {
            Self::File(File::A, number) => format!("ra{number}"),
            Self::File(File::B, number) => format!("rb{number}"),
            Self::Accumulator(number) => format!("r{number}"),
        }
    }
}

/// A breakpoint or a watch.
pub enum Watchpoint {
    /// A QPU has come to stand before an instruction.
    Break {
        address: u32,
        /// A bit for each QPU that it stops.
        qpus: u16,
        /// The number of times that it has stopped a QPU.
        hits: u64,
    },
    /// Memory is stored to. The memory notices it ([`super::memory::Watched`]).
    Memory { address: u32, bytes: u32 },
    /// Rows of the VPM change.
    Vpm {
        rows: Range<u8>,
        last: Vec<[u32; 16]>,
    },
    /// A register changes.
    Register {
        qpu: u8,
        register: Register,
        last: [u32; 16],
    },
    /// A semaphore counts.
    Semaphore(u8),
}

impl fmt::Display for Watchpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Break { address, .. } => write!(f, "the instruction at {address:#010x}"),
            Self::Memory { address, bytes } => {
                write!(f, "{bytes} bytes of memory at {address:#010x}")
            }
            Self::Vpm { rows, .. } => write!(f, "VPM rows {} to {}", rows.start, rows.end - 1),
            Self::Register { qpu, register, .. } => {
                write!(f, "{} of QPU {qpu}", register.name())
            }
            Self::Semaphore(number) => write!(f, "semaphore {number}"),
        }
    }
}

/// Watches and breakpoints, and what they have found.
#[derive(Default)]
pub struct Halt {
    /// Breakpoints and watches by number.
    pub watches: Vec<(u32, Watchpoint)>,
    /// Stop at the first warning of each kind.
    pub warnings: bool,
    /// Stop when this QPU has executed so many instructions.
    pub steps: Option<(u8, u64)>,
    /// Stop when this QPU stands before this instruction.
    pub until: Option<(u8, u32)>,
    /// The event since the last stop, and the QPU that it happened on, if on one.
    pub found: Vec<(Option<u8>, String)>,
    /// QPUs whose start at the beginning of a launch has been looked at.
    begun: u16,
}

impl Halt {
    /// Returns whether a QPU has a breakpoint at an address.
    pub fn is_marked(&self, address: u32) -> bool {
        let is_it = |watch: &Watchpoint| matches!(watch, Watchpoint::Break { address: own, .. } if *own == address);
        self.watches.iter().any(|(_, watch)| is_it(watch))
    }

    /// A QPU has come to stand before an instruction.
    fn arrived(&mut self, qpu: QpuView<'_>) {
        let (number, pc) = (qpu.number(), qpu.pc());
        for (id, watch) in &mut self.watches {
            if let Watchpoint::Break {
                address,
                qpus,
                hits,
            } = watch
                && *address == pc
                && *qpus & 1 << number != 0
            {
                *hits += 1;
                self.found.push((Some(number), format!("breakpoint {id}")));
            }
        }
        if self.until == Some((number, pc)) {
            self.found.push((Some(number), "there".to_owned()));
        }
    }

    /// A launch has begun: these QPUs stand before their first instructions.
    pub fn begun<'a>(&mut self, qpus: impl Iterator<Item = QpuView<'a>>) {
        for qpu in qpus.filter(|qpu| qpu.status() == QpuStatus::Running) {
            self.begun |= 1 << qpu.number();
            self.arrived(qpu);
        }
    }

    /// Prepares the start of the job, where nothing stops.
    pub fn begun_job<'a>(&mut self, qpus: impl Iterator<Item = QpuView<'a>>) {
        self.begun = qpus
            .filter(|qpu| qpu.status() == QpuStatus::Running)
            .fold(0, |bits, qpu| bits | 1 << qpu.number());
    }

    /// Looks for changes of watched rows.
    pub fn look_at_vpm(&mut self, row: impl Fn(u8) -> [u32; 16]) {
        for (id, watch) in &mut self.watches {
            let Watchpoint::Vpm { rows, last } = watch else {
                continue;
            };
            for (number, last) in rows.clone().zip(last) {
                let now = row(number);
                if now != *last {
                    let text = format!("watch {id}: VPM row {number} has changed");
                    self.found.push((None, text));
                    *last = now;
                }
            }
        }
    }

    /// Makes the present values those that watches compare with.
    pub fn refresh<'a>(&mut self, qpu: impl Fn(u8) -> QpuView<'a>, row: impl Fn(u8) -> [u32; 16]) {
        for (_, watch) in &mut self.watches {
            match watch {
                Watchpoint::Register {
                    qpu: number,
                    register,
                    last,
                } => *last = register.value(qpu(*number)),
                Watchpoint::Vpm { rows, last } => *last = rows.clone().map(&row).collect(),
                Watchpoint::Break { .. } | Watchpoint::Memory { .. } | Watchpoint::Semaphore(_) => {
                }
            }
        }
    }
}

impl Observer for Halt {
    fn issued(&mut self, issue: Issue, qpu: QpuView<'_>) {
        for (id, watch) in &mut self.watches {
            if let Watchpoint::Register {
                qpu: number,
                register,
                last,
            } = watch
                && *number == issue.qpu
            {
                let now = register.value(qpu);
                if now != *last {
                    let text = format!(
                        "watch {id}: {} was changed by {:#010x} `{}`",
                        register.name(),
                        issue.pc,
                        qpu::disasm::line(issue.word, issue.pc)
                    );
                    self.found.push((Some(issue.qpu), text));
                    *last = now;
                }
            }
        }
        if let Some((number, left)) = &mut self.steps
            && *number == issue.qpu
        {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.found.push((Some(issue.qpu), String::new()));
            }
        }
        match qpu.status() {
            QpuStatus::Running => self.arrived(qpu),
            QpuStatus::Halted => {
                let text = "stopped by its breakpoint signal; `continue` goes on".to_owned();
                self.found.push((Some(issue.qpu), text));
            }
            QpuStatus::Idle | QpuStatus::Hung => {}
        }
    }

    fn unit(&mut self, _: u64, event: UnitEvent) {
        if let UnitEvent::Semaphore { qpu, number, count } = event {
            for (id, watch) in &self.watches {
                if matches!(watch, Watchpoint::Semaphore(own) if *own == number) {
                    let text = format!("watch {id}: semaphore {number} is {count}");
                    self.found.push((Some(qpu), text));
                }
            }
        }
    }

    fn program_started(&mut self, _: u64, qpu: QpuView<'_>) {
        let bit = 1 << qpu.number();
        if self.begun & bit == 0 {
            self.arrived(qpu);
        }
        self.begun &= !bit;
    }

    fn program_ended(&mut self, _: u64, qpu: u8) {
        let waited_for = [
            self.steps.map(|(qpu, _)| qpu),
            self.until.map(|(qpu, _)| qpu),
        ];
        if waited_for.contains(&Some(qpu)) {
            self.found
                .push((Some(qpu), "its program has ended".to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_have_their_usual_names() {
        for name in ["ra0", "rb31", "r5", "r0", "ra10"] {
            assert_eq!(
                Register::parse(name).map(Register::name).as_deref(),
                Some(name)
            );
        }
        for name in ["ra32", "r6", "r", "ra", "rc1", "ra01", "x", "ra-1"] {
            assert_eq!(Register::parse(name), None, "{name}");
        }
    }
}
