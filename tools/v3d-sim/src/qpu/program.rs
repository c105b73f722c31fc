//! Start and end of a program on a QPU.
//!
//! Nothing is initialised for a user program but its code and uniforms address; what it leaves, it
//! leaves. What the chip does to setup words between programs nobody says.

use super::{Flow, Hazards, Qpu, QpuStatus};
use crate::race::Actor;
use crate::rule::Rule;
use crate::scheduler::Request;
use crate::shared::Shared;
use qpu::isa::INSTRUCTION_BYTES;

impl Qpu {
    /// Starts a program on an idle QPU.
    pub fn start(&mut self, request: Request, shared: &mut Shared) {
        self.status = QpuStatus::Running;
        self.pc = request.code & !(INSTRUCTION_BYTES - 1);
        self.word = None;
        self.cursor.forget();
        self.registers.invert_address();
        self.hazards = Hazards::default();
        self.flow = Flow::default();
        self.uniforms = request.uniforms;
        self.tmus.reset();
        self.vpm_write_given = false;
        self.vpm_reads.clear();
        self.vdr.start_program();
        self.vdw.start_program();
        self.unwatched = [false; 2];
        if !request.code.is_multiple_of(INSTRUCTION_BYTES) {
            shared.report.warn_launch(Rule::BranchAlignment, || {
                format!("SRQPC {:#010x}", request.code)
            });
        }
        shared.races.start(self.number, &request.after);
        // The two uniforms fetched ahead count as read, whether the program reads any or not.
        shared.totals.uniforms += 2;
    }

    /// The program has executed its last instruction.
    pub(super) fn end_program(&mut self, shared: &mut Shared) {
        self.status = QpuStatus::Idle;
        shared.vpm.drain(self.number);
        shared.races.complete(self.number, Actor::Writes);
        shared.races.tell_arm(self.number);
        let outstanding = self.tmus.reset();
        if outstanding > 0 {
            self.warn(Rule::TmuUnreadAtEnd, shared, || {
                format!("{outstanding} lookups")
            });
        }
        if self.vpm_reads.left() > 0 {
            let left = self.vpm_reads.left();
            self.warn(Rule::VpmUnreadAtEnd, shared, || format!("{left} vectors"));
            self.vpm_reads.clear();
        }
        if shared.vdr.is_busy_for(self.number) || shared.vdw.is_busy_for(self.number) {
            self.warn(Rule::DmaUnfinishedAtEnd, shared, String::new);
        } else if self.has_unwatched_transfer(shared) {
            self.warn(Rule::DmaUnfinishedAtEnd, shared, || {
                "it was over by now, which nothing made sure of".into()
            });
        }
        if shared.mutex == Some(self.number) {
            self.warn(Rule::MutexHeldAtEnd, shared, String::new);
        }
        // A broken rule of a strict run is found when nothing runs any more: report it as it is.
        if let Some(kind) = shared.report.take_broken() {
            self.hang(self.at(), kind, shared);
        }
    }

    /// True if the program started a transfer of whose end it cannot know: it has neither waited
    /// nor read the busy register since, nor been told by a QPU that waited for a later transfer of
    /// the engine.
    fn has_unwatched_transfer(&self, shared: &Shared) -> bool {
        let started = self
            .unwatched
            .into_iter()
            .zip([Actor::Loads, Actor::Stores]);
        started
            .filter(|(unwatched, _)| *unwatched)
            .any(|(_, engine)| !shared.races.is_over(self.number, engine))
    }
}
