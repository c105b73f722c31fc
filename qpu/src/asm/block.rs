//! Directives that hold blocks of lines: macros, functions, repetitions, alternatives, `.back`.

use std::rc::Rc;

use super::assembler::{Assembler, Expanded};
use super::cursor::Cursor;
use super::diagnostic::Fault;
use super::directive::{identifier, parameters};
use super::scope::{Body, Function, Meaning};
use super::source::{Block, Place};
use super::token::Kind;
use super::value::Value;

impl Assembler<'_> {
    /// A directive that opens a block; the line behind the block.
    pub(super) fn block(
        &mut self,
        name: &str,
        cursor: &mut Cursor,
        place: &Place,
    ) -> Result<usize, Fault> {
        let Some(block) = place.source.blocks.get(&place.line).cloned() else {
            return Err(cursor.expected("a block"));
        };
        match name {
            "macro" => self.define_macro(cursor, place, &block)?,
            "func" => self.define_function(cursor, place, &block)?,
            "rep" => self.repeat(cursor, place, &block)?,
            "foreach" => self.for_each(cursor, place, &block)?,
            "local" => {
                cursor.finish()?;
                self.scopes.enter();
                let done = self.lines(&place.source, place.line + 1, block.end);
                self.scopes.leave();
                done?;
            }
            "back" => self.back(cursor, place, &block)?,
            _ => self.alternatives(name, cursor, place, &block)?,
        }
        Ok(block.end + 1)
    }

    fn define_macro(
        &mut self,
        cursor: &mut Cursor,
        place: &Place,
        block: &Block,
    ) -> Result<(), Fault> {
        let name = identifier(cursor)?;
        let mut parameters = Vec::new();
        while !cursor.at_end() {
            // The first comma may be left out.
            if !cursor.take(",") && !parameters.is_empty() {
                return Err(cursor.expected("`,` between parameters"));
            }
            parameters.push(identifier(cursor)?);
        }
        let own = Function {
            name: name.clone(),
            parameters,
            body: Body::Lines(place.line + 1, block.end),
            place: place.clone(),
        };
        self.macros.insert(name, Rc::new(own));
        Ok(())
    }

    fn define_function(
        &mut self,
        cursor: &mut Cursor,
        place: &Place,
        block: &Block,
    ) -> Result<(), Fault> {
        let name = identifier(cursor)?;
        let parameters = parameters(cursor)?;
        cursor.finish()?;
        let body = Body::Lines(place.line + 1, block.end);
        let function = Function {
            name: name.clone(),
            parameters,
            body,
            place: place.clone(),
        };
        self.scopes
            .set(&name, Meaning::Function(Rc::new(function)), false, false)
            .map_err(|()| {
                Fault::new(
                    "constant",
                    cursor.span_before(),
                    format!("{name} is constant and cannot be defined again"),
                )
            })
    }

    /// A macro whose name has been read.
    pub(super) fn call_macro(
        &mut self,
        own: &Function,
        cursor: &mut Cursor,
        place: &Place,
    ) -> Result<(), Fault> {
        let (name, span) = (&own.name, cursor.span_before());
        let mut arguments = Vec::new();
        while !cursor.at_end() && !cursor.is(";") {
            arguments.push(self.expression(cursor)?);
            if !cursor.take(",") {
                break;
            }
        }
        while cursor.take(";") {}
        cursor.finish()?;
        if arguments.len() != own.parameters.len() {
            let (takes, given) = (own.parameters.len(), arguments.len());
            let message = format!("macro {name} takes {takes} arguments, and {given} are given");
            let fault = Fault::new("arguments", cursor.span_from(span), message);
            return Err(fault.help(format!("it is defined as `.macro {}`", head(own))));
        }
        let expanded = self.expand(format!("macro {name}"), place, Expanded::Lines);
        expanded.map_err(|fault| fault.at(span))?;
        self.scopes.enter_call(&own.parameters, arguments);
        let done = match own.body {
            Body::Lines(from, to) => self.lines(&own.place.source, from, to),
            Body::Expression(_) => Ok(()),
        };
        self.scopes.leave();
        self.expansions.pop();
        done
    }

    fn repeat(&mut self, cursor: &mut Cursor, place: &Place, block: &Block) -> Result<(), Fault> {
        let name = identifier(cursor)?;
        cursor.take(",");
        let start = cursor.span();
        let count = self.integer(cursor, "a number of repetitions")?;
        let span = cursor.span_from(start);
        cursor.finish()?;
        let most = self.limits().repetitions;
        if count < 0 {
            let message = format!("{count} repetitions; there must be 0 or more");
            return Err(Fault::new("rep", span, message));
        }
        if count > most {
            let message = format!("{count} repetitions, and {most} are allowed");
            return Err(Fault::limit(span, message));
        }
        (0..count)
            .try_for_each(|index| self.repetition("rep", &name, Value::Int(index), place, block))
    }

    fn for_each(&mut self, cursor: &mut Cursor, place: &Place, block: &Block) -> Result<(), Fault> {
        let name = identifier(cursor)?;
        cursor.take(",");
        let mut values = Vec::new();
        while !cursor.at_end() {
            values.push(self.expression(cursor)?);
            if !cursor.take(",") {
                break;
            }
        }
        cursor.finish()?;
        values
            .into_iter()
            .try_for_each(|value| self.repetition("foreach", &name, value, place, block))
    }

    fn repetition(
        &mut self,
        what: &str,
        name: &Rc<str>,
        value: Value,
        place: &Place,
        block: &Block,
    ) -> Result<(), Fault> {
        let said = match value {
            Value::Int(value) => value.to_string(),
            Value::Register(register) => register.name(),
            other => other.what(),
        };
        self.expand(
            format!(".{what} {name} = {said}"),
            place,
            Expanded::Iteration,
        )?;
        self.scopes.enter_with(name, value);
        let done = self.lines(&place.source, place.line + 1, block.end);
        self.scopes.leave();
        self.expansions.pop();
        done
    }

    fn back(&mut self, cursor: &mut Cursor, place: &Place, block: &Block) -> Result<(), Fault> {
        let start = cursor.span();
        let count = self.integer(cursor, "a number of instructions")?;
        cursor.finish()?;
        // Every label is looked at when the instructions come back.
        self.spend(self.output.order.len() / 8, start)?;
        if !(0..=64).contains(&count) || !self.output.begin_back(count as usize) {
            let fault = Fault::new("back", start, format!("there is no going back by {count}"));
            let help = ".back takes 0 to 64, and as many instructions must stand before it";
            return Err(fault.help(help));
        }
        let done = self.lines(&place.source, place.line + 1, block.end);
        self.output.end_back();
        done
    }

    /// `.if`, `.ifset` and `.ifnset`, with everything up to `.endif`.
    fn alternatives(
        &mut self,
        name: &str,
        cursor: &mut Cursor,
        place: &Place,
        block: &Block,
    ) -> Result<(), Fault> {
        let mut chosen = self.holds(name, cursor)?;
        for (index, opener) in block.parts.iter().enumerate() {
            if index > 0 && !chosen {
                let place = Place {
                    source: place.source.clone(),
                    line: *opener,
                };
                chosen = self.else_holds(&place)?;
            } else if index > 0 {
                break;
            }
            if chosen {
                let end = block.parts.get(index + 1).copied().unwrap_or(block.end);
                return self.lines(&place.source, opener + 1, end);
            }
        }
        Ok(())
    }

    /// True if the condition of `.if`, `.ifset` or `.ifnset` holds; the directive has been read.
    fn holds(&mut self, directive: &str, cursor: &mut Cursor) -> Result<bool, Fault> {
        let holds = match directive {
            // Broadcom's sources have both.
            "ifset" | "ifnset" => {
                let name = identifier(cursor)?;
                self.is_set(&name) == (directive == "ifset")
            }
            _ => self.condition(cursor)?,
        };
        cursor.finish()?;
        Ok(holds)
    }

    fn is_set(&self, name: &str) -> bool {
        self.lookup(name).is_some()
            || super::builtin::names().any(|own| own == name)
            || self.macros.contains_key(name)
    }

    /// True if an `.else`, `.elseif` or `.elif` is taken when it comes to it.
    fn else_holds(&mut self, place: &Place) -> Result<bool, Fault> {
        let tokens = place
            .source
            .tokens(place.line)
            .map_err(|bad| Fault::new("syntax", (bad.start, bad.end), bad.reason))?;
        let mut cursor = Cursor::new(&tokens);
        while let Some(kind) = cursor.kind() {
            cursor.step();
            if let Kind::Directive(name) = kind {
                let holds = if **name == *"else" {
                    true
                } else {
                    self.condition(&mut cursor)?
                };
                cursor.finish()?;
                return Ok(holds);
            }
        }
        Ok(false)
    }
}

fn head(own: &Function) -> String {
    let parameters = own.parameters.iter().map(|name| &**name);
    std::iter::once(&*own.name)
        .chain(parameters)
        .collect::<Vec<_>>()
        .join(", ")
}
