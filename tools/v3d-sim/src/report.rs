//! Collects faults and warnings while QPUs run.

use crate::event::{Event, Fault, FaultKind, Place, Warning};
use crate::rule::Rule;

/// Where a QPU is: enough to write a [`Place`] when one is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// QPU number.
    pub qpu: u8,
    /// Bus address of the instruction.
    pub pc: u32,
    /// The instruction; `None` when it could not be read.
    pub word: Option<u64>,
}

impl At {
    /// With the instruction as text.
    #[must_use]
    pub fn place(self) -> Place {
        let disassembly = self.word.map(|word| qpu::disasm::line(word, self.pc));
        Place {
            qpu: self.qpu,
            pc: self.pc,
            disassembly: disassembly.unwrap_or_default(),
        }
    }
}

/// What has happened so far.
pub struct Reporter {
    strict: bool,
    /// By rule number.
    warnings: Vec<Option<Warning>>,
    faults: Vec<Fault>,
    events: Vec<Event>,
    /// A warning of the instruction that runs now, which strictness makes a fault.
    broken: Option<FaultKind>,
}

impl Reporter {
    /// Nothing yet.
    #[must_use]
    pub fn new(strict: bool) -> Self {
        Self {
            strict,
            warnings: vec![None; Rule::ALL.len()],
            faults: Vec::new(),
            events: Vec::new(),
            broken: None,
        }
    }

    /// A rule was broken by the instruction at `at`.
    #[inline(never)]
    pub fn warn(&mut self, rule: Rule, at: At, detail: impl FnOnce() -> String) {
        if self.strict {
            self.broken
                .get_or_insert_with(|| FaultKind::Strict(rule, detail()));
        } else {
            self.count(rule, || Some(at.place()), detail);
        }
    }

    /// A rule was broken by the driver, or by a launch as a whole.
    pub fn warn_launch(&mut self, rule: Rule, detail: impl FnOnce() -> String) {
        if self.strict {
            let kind = FaultKind::Strict(rule, detail());
            self.push_fault(Fault { place: None, kind });
        } else {
            self.count(rule, || None, detail);
        }
    }

    fn count(
        &mut self,
        rule: Rule,
        place: impl FnOnce() -> Option<Place>,
        detail: impl FnOnce() -> String,
    ) {
        match &mut self.warnings[rule as usize] {
            Some(warning) => warning.count += 1,
            first => {
                let warning = Warning {
                    rule,
                    place: place(),
                    detail: detail(),
                    count: 1,
                };
                self.events.push(Event::Warning(warning.clone()));
                *first = Some(warning);
            }
        }
    }

    /// A QPU stops for good.
    pub fn fault(&mut self, at: At, kind: FaultKind) {
        self.push_fault(Fault {
            place: Some(at.place()),
            kind,
        });
    }

    fn push_fault(&mut self, fault: Fault) {
        self.events.push(Event::Fault(fault.clone()));
        self.faults.push(fault);
    }

    /// Anything else to tell.
    pub fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    /// The warning that strictness makes a fault, once.
    pub fn take_broken(&mut self) -> Option<FaultKind> {
        self.broken.take()
    }

    /// Events since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// All faults since reset.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// All warnings since reset, with their counts.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        self.warnings.iter().flatten()
    }
}
