//! Breakpoints and watches, seen while a job runs.

use qpu::isa::File;
use v3d_sim::{Issue, Observer, QpuStatus, QpuView, UnitEvent};

/// A breakpoint.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breakpoint {
    /// Its name.
    pub id: u32,
    /// The instruction before which it stops.
    pub address: u32,
    /// A bit for each QPU that it stops.
    pub qpus: u16,
    /// The number of times that it has stopped a QPU.
    pub hits: u64,
}

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

/// A register whose change stops.
pub struct RegisterWatch {
    pub id: u32,
    pub qpu: u8,
    pub register: Register,
    pub last: [u32; 16],
}

/// Rows of the VPM whose change stops.
pub struct VpmWatch {
    pub id: u32,
    pub rows: std::ops::Range<u8>,
    pub last: Vec<[u32; 16]>,
}

/// A semaphore whose counting stops.
pub struct SemaphoreWatch {
    pub id: u32,
    pub number: u8,
}

/// Watches and breakpoints, and what they have found.
#[derive(Default)]
pub struct Halt {
    pub breakpoints: Vec<Breakpoint>,
    pub registers: Vec<RegisterWatch>,
    pub vpm: Vec<VpmWatch>,
    pub semaphores: Vec<SemaphoreWatch>,
    /// Memory watches are in the memory; their texts are here.
    pub memory: Vec<(u32, String)>,
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
    /// Removes what stops only once.
    pub fn clear_once(&mut self) {
        self.steps = None;
        self.until = None;
    }

    /// Returns whether a QPU has a breakpoint at an address.
    pub fn is_marked(&self, address: u32) -> bool {
        self.breakpoints
            .iter()
            .any(|point| point.address == address)
    }

    /// A QPU has come to stand before an instruction.
    fn arrived(&mut self, qpu: QpuView<'_>) {
        let (number, pc) = (qpu.number(), qpu.pc());
        for point in &mut self.breakpoints {
            if point.address == pc && point.qpus & 1 << number != 0 {
                point.hits += 1;
                self.found
                    .push((Some(number), format!("breakpoint {}", point.id)));
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
        for watch in &mut self.vpm {
            for (number, last) in watch.rows.clone().zip(&mut watch.last) {
                let now = row(number);
                if now != *last {
                    self.found.push((
                        None,
                        format!("watch {}: VPM row {number} has changed", watch.id),
                    ));
                    *last = now;
                }
            }
        }
    }

    /// Makes the present values those that watches compare with.
    pub fn refresh<'a>(&mut self, qpu: impl Fn(u8) -> QpuView<'a>, row: impl Fn(u8) -> [u32; 16]) {
        for watch in &mut self.registers {
            watch.last = watch.register.value(qpu(watch.qpu));
        }
        for watch in &mut self.vpm {
            watch.last = watch.rows.clone().map(&row).collect();
        }
    }
}

impl Observer for Halt {
    fn issued(&mut self, issue: Issue, qpu: QpuView<'_>) {
        for watch in self
            .registers
            .iter_mut()
            .filter(|watch| watch.qpu == issue.qpu)
        {
            let now = watch.register.value(qpu);
            if now != watch.last {
                let name = watch.register.name();
                let text = format!(
                    "watch {}: {name} was changed by {:#010x} `{}`",
                    watch.id,
                    issue.pc,
                    qpu::disasm::line(issue.word, issue.pc)
                );
                self.found.push((Some(issue.qpu), text));
                watch.last = now;
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
            for watch in self
                .semaphores
                .iter()
                .filter(|watch| watch.number == number)
            {
                self.found.push((
                    Some(qpu),
                    format!("watch {}: semaphore {number} is {count}", watch.id),
                ));
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
