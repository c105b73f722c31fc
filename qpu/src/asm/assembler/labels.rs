//! Labels: where they are, as the pass before found it.

use std::rc::Rc;

use super::super::diagnostic::Fault;
use super::Assembler;
use crate::names::nearest;

impl Assembler<'_> {
    pub(super) fn label(
        &mut self,
        name: &Rc<str>,
        global: bool,
        span: (u32, u32),
    ) -> Result<(), Fault> {
        let again = name.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        if !again && self.output.labels.contains_key(name) {
            let fault = Fault::new("label", span, format!("label {name} is defined already"));
            return Err(fault.help("labels that are numbers, as `:1`, can be defined again; `r:1f` and `r:1b` mean the next and the last"));
        }
        let most = self.limits().labels;
        if self.output.order.len() >= most {
            let fault = Fault::limit(span, format!("the program has more than {most} labels"));
            return Err(fault.help("look for a label in a macro or repetition that runs too often"));
        }
        self.output.define(name, global);
        Ok(())
    }

    /// The address of a label, as the pass before found it.
    pub fn label_address(&mut self, name: &str, span: (u32, u32)) -> Result<i64, Fault> {
        self.label_uses += 1;
        let Some(known) = &self.known else {
            return Ok(0);
        };
        let defined = |name: &str| self.output.labels.get(name).map_or(0, Vec::len);
        let places = |name: &str| known.get(name).map_or(&[][..], Vec::as_slice);
        let digits = name.trim_end_matches(['f', 'b']);
        let numbered = name.len() == digits.len() + 1
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit());
        let place = if numbered && name.ends_with('f') {
            places(digits).get(defined(digits))
        } else if numbered {
            defined(digits)
                .checked_sub(1)
                .and_then(|last| places(digits).get(last))
        } else {
            // Of labels that are defined again, the last one so far, else the next.
            places(name).get(defined(name).saturating_sub(1))
        };
        if let Some(place) = place {
            return Ok(i64::from(*place));
        }
        let near = nearest(name, known.keys().map(|name| &**name));
        let fault = Fault::new("label", span, format!("label {name} is not defined"));
        Err(fault.suggest(&near, "define it with `:NAME` before an instruction; `r:1f` looks forward and `r:1b` back for `:1`"))
    }

    /// True if labels have addresses, which they do not have in the first pass.
    pub fn knows_labels(&self) -> bool {
        self.known.is_some()
    }
}
