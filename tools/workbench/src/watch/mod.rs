//! Views of a job that `qpu run` makes while it runs: profile, timeline, trace of registers.

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

/// Tells each that is wanted of an event.
macro_rules! each {
    ($watch:ident.$event:ident($($argument:expr),*)) => {{
        if let Some(profile) = &mut $watch.profile {
            profile.$event($($argument),*);
        }
        if let Some(timeline) = &mut $watch.timeline {
            timeline.$event($($argument),*);
        }
        if let Some(trace) = &mut $watch.trace {
            trace.$event($($argument),*);
        }
    }};
}

impl Observer for Watch {
    fn issued(&mut self, issue: Issue, qpu: QpuView<'_>) {
        each!(self.issued(issue, qpu));
    }

    fn stalled(&mut self, stall: Stall) {
        each!(self.stalled(stall));
    }

    fn unit(&mut self, clock: u64, event: UnitEvent) {
        each!(self.unit(clock, event));
    }

    fn program_started(&mut self, clock: u64, qpu: QpuView<'_>) {
        each!(self.program_started(clock, qpu));
    }

    fn program_ended(&mut self, clock: u64, qpu: u8) {
        each!(self.program_ended(clock, qpu));
    }
}
