//! A log of what every instruction changes: registers, accumulators, flags, and uses of shared
//! units.

use std::io::{self, Write};
use std::ops::Range;

use qpu::isa::File;
use v3d_sim::{DmaEngine, FlagBits, Issue, Observer, QpuView, UnitEvent};

use common::failure::Result;
use common::files::output::Output;

const QPUS: usize = 12;

/// Registers that are compared: both files and the accumulators.
const REGISTERS: usize = 32 + 32 + 6;

/// Which instructions are logged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    /// A bit for each QPU.
    pub qpus: u16,
    /// The clocks that are traced.
    pub clocks: Range<u64>,
    /// At these addresses.
    pub addresses: Range<u64>,
    /// At most so many.
    pub limit: u64,
}

struct Shadow {
    registers: [[u32; 16]; REGISTERS],
    flags: FlagBits,
}

impl Shadow {
    fn of(qpu: QpuView<'_>) -> Self {
        Self {
            registers: std::array::from_fn(|register| value(qpu, register)),
            flags: qpu.flags(),
        }
    }
}

fn value(qpu: QpuView<'_>, register: usize) -> [u32; 16] {
    let number = register as u8 & 31;
    match register / 32 {
        0 => qpu.register(File::A, number),
        1 => qpu.register(File::B, number),
        _ => qpu.accumulator(number),
    }
}

fn name(register: usize) -> String {
    format!("{}{}", ["ra", "rb", "r"][register / 32], register % 32)
}

/// A vector in hexadecimal; one number when all lanes are equal.
#[must_use]
pub fn vector(value: &[u32; 16]) -> String {
    if value.iter().all(|lane| *lane == value[0]) {
        return format!("{:08x} in all lanes", value[0]);
    }
    let lanes: Vec<String> = value.iter().map(|lane| format!("{lane:08x}")).collect();
    lanes.join(" ")
}

/// An [`Observer`] that writes the log.
pub struct Trace {
    out: Output,
    selection: Selection,
    shadows: [Option<Box<Shadow>>; QPUS],
    /// True for each QPU whose last instruction was logged.
    logged: [bool; QPUS],
    lines: u64,
    left_out: u64,
    error: Option<io::Error>,
}

impl Trace {
    /// A log of the selected instructions, written to `out`.
    #[must_use]
    pub fn new(out: Output, selection: Selection) -> Self {
        Self {
            out,
            selection,
            shadows: Default::default(),
            logged: [false; QPUS],
            lines: 0,
            left_out: 0,
            error: None,
        }
    }

    fn print(&mut self, text: &str) {
        if self.error.is_none() {
            self.error = writeln!(self.out, "{text}").err();
        }
    }

    /// Returns whether no instruction was selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines == 0 && self.left_out == 0
    }

    /// Completes the log. Gives how many selected instructions the limit has left out.
    ///
    /// # Errors
    /// When some of it could not be written.
    pub fn finish(mut self) -> Result<u64> {
        if self.left_out > 0 {
            let text = format!("# cut: {} more instructions", self.left_out);
            self.print(&text);
        }
        match self.error {
            Some(error) => Err(self.out.failure(&error)),
            None => self.out.finish().map(|()| self.left_out),
        }
    }

    fn print_changes(&mut self, before: &Shadow, now: &Shadow) {
        for register in (0..REGISTERS).filter(|n| before.registers[*n] != now.registers[*n]) {
            let text = vector(&now.registers[register]);
            self.print(&format!("{:>33} = {text}", name(register)));
        }
        if before.flags != now.flags {
            let FlagBits { z, n, c } = now.flags;
            self.print(&format!(
                "{:>33} = z {z:016b}, n {n:016b}, c {c:016b}",
                "flags"
            ));
        }
    }

    fn wants(&self, issue: &Issue) -> bool {
        let Selection {
            qpus,
            clocks,
            addresses,
            ..
        } = &self.selection;
        qpus & 1 << issue.qpu != 0
            && clocks.contains(&issue.clock)
            && addresses.contains(&u64::from(issue.pc))
    }
}

impl Observer for Trace {
    fn issued(&mut self, issue: Issue, qpu: QpuView<'_>) {
        let number = usize::from(issue.qpu);
        self.logged[number] = false;
        let wanted = self.wants(&issue);
        if wanted && self.lines == self.selection.limit {
            self.left_out += 1;
        }
        if self.selection.qpus & 1 << issue.qpu == 0 || self.lines == self.selection.limit {
            return;
        }
        let now = Box::new(Shadow::of(qpu));
        let before = self.shadows[number].take();
        if wanted {
            self.lines += 1;
            self.logged[number] = true;
            let text = qpu::disasm::line(issue.word, issue.pc);
            self.print(&format!(
                "{:>10} QPU {number:<2} {:#010x}  {text}",
                issue.clock, issue.pc
            ));
            if let Some(before) = before {
                self.print_changes(&before, &now);
            }
        }
        self.shadows[number] = Some(now);
    }

    fn unit(&mut self, _: u64, event: UnitEvent) {
        let (qpu, text) = match event {
            UnitEvent::TmuRequest {
                qpu,
                tmu,
                addresses,
            } => (
                qpu,
                format!("{:>33} < {}", format!("TMU {tmu}"), vector(&addresses)),
            ),
            UnitEvent::TmuTaken { .. } | UnitEvent::DmaDone { .. } => return,
            UnitEvent::DmaRequest {
                engine,
                qpu,
                address,
                rows,
                row_bytes,
            } => {
                let what = match engine {
                    DmaEngine::Load => "load from",
                    DmaEngine::Store => "store to",
                };
                (
                    qpu,
                    format!(
                        "{:>33} {what} {address:#010x}: {rows} x {row_bytes} bytes",
                        "DMA"
                    ),
                )
            }
            UnitEvent::Semaphore { qpu, number, count } => (
                qpu,
                format!("{:>33} = {count}", format!("semaphore {number}")),
            ),
            UnitEvent::Mutex { qpu, held } => (
                qpu,
                format!("{:>33} = {}", "mutex", if held { "held" } else { "free" }),
            ),
        };
        if self.logged[usize::from(qpu)] {
            self.print(&text);
        }
    }

    fn program_started(&mut self, _: u64, qpu: QpuView<'_>) {
        self.shadows[usize::from(qpu.number())] = Some(Box::new(Shadow::of(qpu)));
    }
}
