//! Views of a job that `qpuscope run` makes while it runs: profile, timeline, trace of registers.

pub mod profile;
pub mod timeline;
pub mod trace;

use v3d_sim::{Issue, Observer, Profile, QpuView, Stall, UnitEvent};

use timeline::Timeline;
use trace::Trace;

/// Those of the three that a user has asked for.
#[derive(Default)]
pub struct Watch {
    /// Where the clocks go.
    pub profile: Option<Profile>,
    /// Events beside each other.
    pub timeline: Option<Timeline>,
    /// The changes by every instruction.
    pub trace: Option<Trace>,
}

impl Watch {
    /// Returns whether anybody has asked for anything.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.profile.is_some() || self.timeline.is_some() || self.trace.is_some()
    }
}

impl Observer for Watch {
    fn issued(&mut self, issue: Issue, qpu: QpuView<'_>) {
        if let Some(profile) = &mut self.profile {
            profile.issued(issue, qpu);
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.issued(issue, qpu);
        }
        if let Some(trace) = &mut self.trace {
            trace.issued(issue, qpu);
        }
    }

    fn stalled(&mut self, stall: Stall) {
        if let Some(profile) = &mut self.profile {
            profile.stalled(stall);
        }
        if let Some(timeline) = &mut self.timeline {
            timeline.stalled(stall);
        }
    }

    fn unit(&mut self, clock: u64, event: UnitEvent) {
        if let Some(timeline) = &mut self.timeline {
            timeline.unit(clock, event);
        }
        if let Some(trace) = &mut self.trace {
            trace.unit(clock, event);
        }
    }

    fn program_started(&mut self, clock: u64, qpu: QpuView<'_>) {
        if let Some(timeline) = &mut self.timeline {
            timeline.program_started(clock, qpu);
        }
        if let Some(trace) = &mut self.trace {
            trace.program_started(clock, qpu);
        }
    }

    fn program_ended(&mut self, clock: u64, qpu: u8) {
        if let Some(timeline) = &mut self.timeline {
            timeline.program_ended(clock, qpu);
        }
    }
}
