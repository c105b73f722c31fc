//! Letting the job go on until something stops it.

use std::fmt::Write;

use v3d_sim::{JobEnd, QpuStatus};

use super::Debugger;

/// Why the job stands still.
enum Why {
    /// The user asked for this stop, and nothing more is to be said.
    Asked,
    /// Words about it.
    Said(String),
    /// It has ended.
    Ended(JobEnd),
}

impl Debugger {
    /// Lets at most `rounds` rounds pass, until a breakpoint, a watch, a step, Ctrl-C or the end.
    /// Says why it stopped and where.
    pub(super) fn go(&mut self, rounds: u64) -> Result<String, String> {
        if let Some(end) = self.ended {
            return Err(format!(
                "the job has {}; `restart` begins it again",
                end_name(end)
            ));
        }
        let why = self.walk(rounds);
        (self.halt.steps, self.halt.until) = (None, None);
        self.choose_running();
        Ok(match why {
            Why::Asked => self.here(),
            Why::Said(text) => text + &self.here(),
            Why::Ended(end) => {
                self.ended = Some(end);
                self.end_text(end)
            }
        })
    }

    fn walk(&mut self, rounds: u64) -> Why {
        let v3d = self.run.v3d();
        if (0..12).any(|qpu| v3d.qpu(qpu).status() == QpuStatus::Halted) {
            self.run.release_halted();
        }
        let v3d = self.run.v3d();
        self.halt
            .refresh(|qpu| v3d.qpu(qpu), |row| v3d.vpm_row(row));
        let warned = v3d.warnings().count();
        let _ = self.memory.take_hit();
        for _ in 0..rounds {
            if self.stop.take() {
                return Why::Said("interrupted\n".to_owned());
            }
            let launch = self.run.launch();
            let end = self.run.advance(&mut self.memory, 1, &mut self.halt);
            if let Some(end) = end {
                return Why::Ended(end);
            }
            if self.run.launch() != launch {
                self.run.begin();
                let v3d = self.run.v3d();
                self.halt.begun((0..12).map(|qpu| v3d.qpu(qpu)));
            }
            let v3d = self.run.v3d();
            self.halt.look_at_vpm(|row| v3d.vpm_row(row));
            if let Some((id, address, bytes)) = self.memory.take_hit() {
                let text = format!("watch {id}: {bytes} bytes were written at {address:#010x}");
                self.halt.found.push((None, text));
            }
            if self.halt.warnings
                && let Some(warning) = v3d.warnings().nth(warned)
            {
                let text = format!("warning: {warning}");
                self.halt.found.push((None, text));
            }
            if !self.halt.found.is_empty() {
                return self.tell_found();
            }
        }
        Why::Asked
    }

    /// The reason for its stop, in words; the first QPU of it is the chosen one.
    fn tell_found(&mut self) -> Why {
        let found = std::mem::take(&mut self.halt.found);
        if let Some(qpu) = found.iter().find_map(|(qpu, _)| *qpu) {
            self.qpu = qpu;
        }
        let mut text = String::new();
        for (qpu, what) in found.iter().filter(|(_, what)| !what.is_empty()) {
            let _ = match qpu {
                None => writeln!(text, "{what}"),
                Some(qpu) => writeln!(text, "QPU {qpu}: {what}"),
            };
        }
        if text.is_empty() {
            Why::Asked
        } else {
            Why::Said(text)
        }
    }

    fn end_text(&self, end: JobEnd) -> String {
        let v3d = self.run.v3d();
        let mut text = match end {
            JobEnd::Completed => "all programs have ended".to_owned(),
            JobEnd::Deadlock => v3d.deadlock_report().to_string(),
            JobEnd::CycleLimit => "limit_cycles is reached".to_owned(),
            JobEnd::Fault | JobEnd::Interrupted => String::new(),
        };
        for fault in v3d.faults() {
            let _ = write!(
                text,
                "{}fault: {fault}",
                if text.is_empty() { "" } else { "\n" }
            );
        }
        let _ = writeln!(
            text,
            "\nthe job has {} after {} clocks",
            end_name(end),
            v3d.clocks()
        );
        text
    }
}

const fn end_name(end: JobEnd) -> &'static str {
    match end {
        JobEnd::Completed => "ended",
        JobEnd::Fault => "faulted",
        JobEnd::Deadlock => "come to a deadlock",
        JobEnd::CycleLimit => "reached its limit of cycles",
        JobEnd::Interrupted => "been interrupted",
    }
}
