//! Errors and warnings: what they say of their place, and when enough were reported.

use super::super::diagnostic::{Diagnostic, Expansion, Fault, Severity};
use super::super::source::Place;
use super::{Assembler, Step};

/// The most times that a reported problem may come again in other iterations and calls, for each
/// report that is allowed: each time it is put into words to be compared.
const MOST_REPEATED: usize = 5;

impl Assembler<'_> {
    pub(super) fn stack(&self) -> Vec<Expansion> {
        let steps = self.expansions.iter().rev();
        let expansion = |Step { what, place, .. }: &Step| Expansion {
            what: what.clone(),
            file: place.source.name.to_string(),
            line: place.source.number(place.line),
        };
        steps.map(expansion).collect()
    }

    /// The number of the way to what is expanded: 0 for the file that is assembled.
    pub(super) fn way(&self) -> u32 {
        self.expansions.last().map_or(0, |step| step.way)
    }

    /// Reports an error; stops when enough are reported, some of them very often, or it is a limit.
    pub(super) fn fault(&mut self, fault: Fault, place: &Place) -> Result<(), Fault> {
        let fatal = fault.fatal;
        self.raised += 1;
        if !fault.is_stop() {
            self.report(Severity::Error, fault, Some(place));
        }
        let most = self.limits().diagnostics;
        let errors = self.count(Severity::Error);
        match fatal || errors >= most || self.raised >= MOST_REPEATED * most {
            true => Err(Fault::stop()),
            false => Ok(()),
        }
    }

    fn count(&self, severity: Severity) -> usize {
        let own = |diagnostic: &&Diagnostic| diagnostic.severity == severity;
        self.diagnostics.iter().filter(own).count()
    }

    /// Reports a warning, unless the source says that it is not wanted.
    pub fn warn(&mut self, fault: Fault) {
        if !self.unwarned.is_empty() {
            return;
        }
        self.warned += 1;
        let most = self.limits().diagnostics;
        if self.count(Severity::Warning) < most && self.warned < MOST_REPEATED * most {
            let place = self.place.clone();
            self.report(Severity::Warning, fault, place.as_ref());
        }
    }

    pub fn report(&mut self, severity: Severity, fault: Fault, place: Option<&Place>) {
        let (place, expansion) = match fault.place {
            Some(said) => (Some(said.0), said.1),
            None => (place.cloned(), self.stack()),
        };
        let (file, line, source) = match &place {
            Some(Place { source, line }) => {
                (&*source.name, source.number(*line), source.text(*line))
            }
            None => (self.options.file, 0, ""),
        };
        let characters = |bytes: u32| {
            source
                .get(..(bytes as usize).min(source.len()))
                .map_or(0, |text| text.chars().count() as u32)
        };
        let start = characters(fault.start);
        let length = characters(fault.end).saturating_sub(start).max(1);
        let diagnostic = Diagnostic {
            severity,
            rule: fault.rule,
            message: fault.message,
            help: fault.help,
            file: file.to_string(),
            line,
            column: start + 1,
            length,
            source: source.chars().take(2000).collect(),
            expansion,
        };
        let is_known = |known: &Diagnostic| known.is_same_in_any_iteration(&diagnostic);
        if !self.diagnostics.iter().any(is_known) {
            self.diagnostics.push(diagnostic);
        }
    }
}
