//! Functions of the source, and how deep expansion is.

use std::rc::Rc;

use super::super::cursor::Cursor;
use super::super::diagnostic::Fault;
use super::super::scope::{Body, Function};
use super::super::source::Place;
use super::super::value::Value;
use super::{Assembler, Expanded, Step};

impl Assembler<'_> {
    /// One step further into macros, functions, repetitions or files.
    pub fn expand(&mut self, what: String, place: &Place, kind: Expanded) -> Result<(), Fault> {
        let most = self.limits().expansion_depth;
        if self.expansions.len() >= most {
            let message = format!("macros, functions and files nest more than {most} deep");
            let fault = Fault::limit((0, u32::MAX), message);
            return Err(fault.help("look for one that calls itself"));
        }
        let way = self.ways.step(self.way(), &what, place, kind);
        let place = place.clone();
        self.expansions.push(Step { what, place, way });
        Ok(())
    }

    /// The value of a function of the source.
    pub fn call(
        &mut self,
        function: &Rc<Function>,
        arguments: Vec<Value>,
        span: (u32, u32),
    ) -> Result<Value, Fault> {
        if arguments.len() != function.parameters.len() {
            let (takes, given) = (function.parameters.len(), arguments.len());
            let name = &function.name;
            let message = format!("{name} takes {takes} arguments, and {given} are given");
            return Err(Fault::new("arguments", span, message));
        }
        self.spend(1, span)?;
        let Some(here) = self.place.clone() else {
            return Err(Fault::new("function", span, "no place to call from"));
        };
        let what = format!("function {}", function.name);
        let expanded = self.expand(what, &here, Expanded::Function);
        expanded.map_err(|fault| fault.at(span))?;
        self.scopes.enter_call(&function.parameters, arguments);
        let value = match &function.body {
            Body::Expression(tokens) => {
                let mut cursor = Cursor::new(tokens);
                self.place = Some(function.place.clone());
                let value = self
                    .expression(&mut cursor)
                    .and_then(|value| cursor.finish().map(|()| value));
                value.map_err(|mut fault| {
                    fault
                        .place
                        .get_or_insert_with(|| Box::new((function.place.clone(), self.stack())));
                    fault
                })
            }
            Body::Lines(from, to) => {
                let outer = self.result.replace(None);
                let done = self.lines(&function.place.source.clone(), *from, *to);
                let value = std::mem::replace(&mut self.result, outer);
                match (done, value.flatten()) {
                    (Err(stop), _) => Err(stop),
                    (Ok(()), Some(value)) => Ok(value),
                    (Ok(()), None) => {
                        let message = format!("function {} came to no value", function.name);
                        Err(Fault::new("function", span, message)
                            .help("let every path through it reach a line that is an expression"))
                    }
                }
            }
        };
        self.scopes.leave();
        self.expansions.pop();
        self.place = Some(here);
        value
    }
}
