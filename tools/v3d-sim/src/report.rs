//! Collects faults and warnings while QPUs run.

use crate::event::{Event, Fault, FaultKind, Place, Warning};
use crate::rule::Rule;

/// Faults that are kept: all of twelve QPUs, and some of the driver.
const MOST_FAULTS: usize = 64;

/// The place of a QPU: enough to write a [`Place`] when one is wanted.
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

/// The events so far.
pub struct Reporter {
    strict: bool,
    /// Rules that may be broken without a report.
    allowed: Vec<Rule>,
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
    pub fn new(strict: bool, allowed: Vec<Rule>) -> Self {
        Self {
            strict,
            allowed,
            warnings: vec![None; Rule::ALL.len()],
            faults: Vec::new(),
            events: Vec::new(),
            broken: None,
        }
    }

    /// True if the instruction that runs now has broken a rule, which strictness makes a fault.
    #[inline]
    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// A rule was broken by the instruction at `at`.
    #[inline(never)]
    pub fn warn(&mut self, rule: Rule, at: At, detail: impl FnOnce() -> String) {
        self.warn_with(rule, at, || (detail(), None));
    }

    /// A rule was broken by two instructions, of which the one at `at` came later. `story` gives
    /// what both did, and where the other one is.
    #[inline(never)]
    pub fn warn_with(
        &mut self,
        rule: Rule,
        at: At,
        story: impl FnOnce() -> (String, Option<Place>),
    ) {
        if self.allowed.contains(&rule) {
            return;
        }
        if self.strict {
            self.broken
                .get_or_insert_with(|| FaultKind::Strict(rule, story().0));
        } else {
            self.count(rule, || {
                let (detail, other) = story();
                (Some(at.place()), detail, other)
            });
        }
    }

    /// A rule was broken by the driver, or by a launch as a whole.
    pub fn warn_launch(&mut self, rule: Rule, detail: impl FnOnce() -> String) {
        if self.allowed.contains(&rule) {
            return;
        }
        if self.strict {
            let kind = FaultKind::Strict(rule, detail());
            self.push_fault(Fault { place: None, kind });
        } else {
            self.count(rule, || (None, detail(), None));
        }
    }

    fn count(
        &mut self,
        rule: Rule,
        story: impl FnOnce() -> (Option<Place>, String, Option<Place>),
    ) {
        match &mut self.warnings[rule as usize] {
            Some(warning) => warning.count += 1,
            first => {
                let (place, detail, other) = story();
                let warning = Warning {
                    rule,
                    place,
                    detail,
                    other,
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

    /// A strict driver can go on breaking rules for ever: the first of its faults are enough.
    fn push_fault(&mut self, fault: Fault) {
        if self.faults.len() < MOST_FAULTS {
            self.events.push(Event::Fault(fault.clone()));
            self.faults.push(fault);
        }
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
