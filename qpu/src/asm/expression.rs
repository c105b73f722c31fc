//! Expressions: read and evaluated in one go.
//!
//! What a name means is asked in this order: definitions of the source, definitions built in,
//! functions of one number, registers. `exp` and `log` are functions where an operand follows,
//! registers elsewhere.

use std::rc::Rc;

use super::Syntax;
use super::assembler::Assembler;
use super::builtin;
use super::cursor::Cursor;
use super::diagnostic::Fault;
use super::limits::Limits;
use super::operators::{self, functions, precedence};
use super::register::Register;
use super::scope::Meaning;
use super::suffix::{Marked, Packing, Suffix};
use super::token::Kind;
use super::value::{Elements, Value};
use crate::isa::Cond;
use crate::names::{READS, WRITES, nearest};

impl Assembler<'_> {
    /// An expression and its value.
    pub(super) fn expression(&mut self, cursor: &mut Cursor) -> Result<Value, Fault> {
        self.operators(cursor, 0)
    }

    /// A level deeper into an expression: the only way down, but through functions, which are
    /// expressions again.
    fn descend(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        let Limits {
            expression_depth: most,
            expression_levels: most_in_all,
            ..
        } = *self.limits();
        let message = if cursor.depth >= most {
            format!("expressions nest at most {most} deep")
        } else if self.levels >= most_in_all {
            format!("expressions in functions that call each other nest at most {most_in_all} deep")
        } else {
            cursor.depth += 1;
            self.levels += 1;
            return Ok(());
        };
        let fault = Fault::limit(cursor.span(), message);
        Err(fault.help("give a part of it a name with .set, and use that"))
    }

    fn ascend(&mut self, cursor: &mut Cursor) {
        cursor.depth -= 1;
        self.levels -= 1;
    }

    fn operators(&mut self, cursor: &mut Cursor, least: u8) -> Result<Value, Fault> {
        self.descend(cursor)?;
        let value = self.operators_within(cursor, least);
        self.ascend(cursor);
        value
    }

    fn operators_within(&mut self, cursor: &mut Cursor, least: u8) -> Result<Value, Fault> {
        let start = cursor.span();
        let mut value = self.operand_value(cursor)?;
        while let Some(Kind::Sign(sign)) = cursor.kind() {
            let Some(own) = precedence(sign).filter(|own| *own > least) else {
                break;
            };
            cursor.step();
            let right = self.operators(cursor, own)?;
            value = operators::binary(sign, value, right)
                .map_err(|message| Fault::new("expression", cursor.span_from(start), message))?;
        }
        Ok(value)
    }

    /// A value with the signs and functions before it and the suffixes behind.
    fn operand_value(&mut self, cursor: &mut Cursor) -> Result<Value, Fault> {
        let start = cursor.span();
        self.spend(1, start)?;
        if let Some(Kind::Sign(sign @ ("-" | "+" | "~" | "!"))) = cursor.kind() {
            cursor.step();
            if *sign == "-" && cursor.ends_operand() {
                return Ok(Value::Register(Register::NOTHING));
            }
            return self.unary(sign, start, cursor);
        }
        let value = self.primary(cursor)?;
        self.packed(value, cursor)
    }

    fn unary(
        &mut self,
        name: &str,
        start: (u32, u32),
        cursor: &mut Cursor,
    ) -> Result<Value, Fault> {
        self.descend(cursor)?;
        let value = self.operand_value(cursor);
        self.ascend(cursor);
        operators::unary(name, value?)
            .map_err(|message| Fault::new("expression", cursor.span_from(start), message))
    }

    /// Pack and unpack modes belong to the register; other suffixes are left for the instruction.
    fn packed(&mut self, mut value: Value, cursor: &mut Cursor) -> Result<Value, Fault> {
        while let Some(Kind::Suffix(name)) = cursor.kind() {
            let bare = name.strip_prefix("unpack").or(name.strip_prefix("pack"));
            let Some(packing) = Packing::parse(bare.unwrap_or(name)) else {
                break;
            };
            let Value::Register(register) = &mut value else {
                let message = format!("only registers are packed, and this is {}", value.what());
                return Err(Fault::new("pack", cursor.span(), message));
            };
            if register.packing.replace(packing).is_some() {
                let message = "the register has a pack mode already";
                return Err(Fault::new("pack", cursor.span(), message));
            }
            cursor.step();
        }
        Ok(value)
    }

    fn primary(&mut self, cursor: &mut Cursor) -> Result<Value, Fault> {
        let span = cursor.span();
        let Some(kind) = cursor.kind() else {
            return Err(cursor.expected("a value"));
        };
        match kind {
            Kind::Int(value) => {
                cursor.step();
                Ok(Value::Int(*value))
            }
            Kind::Float(value) => {
                cursor.step();
                Ok(Value::Float(*value))
            }
            Kind::Label(name) => {
                cursor.step();
                Ok(Value::Label(self.label_address(name, span)?))
            }
            // Broadcom's addresses, `a:label`; what is no label is another program's, which its
            // linker knows.
            Kind::Name(name)
                if **name == *"a"
                    && self.options.syntax == Syntax::Broadcom
                    && let Some(Kind::Label(label)) =
                        cursor.rest().get(1).map(|next| &next.kind) =>
            {
                cursor.step();
                let span = cursor.span_from(span);
                cursor.step();
                match self.lookup(label) {
                    Some(Meaning::Value(value)) => Ok(value),
                    _ => Ok(Value::Label(self.label_address(label, span)?)),
                }
            }
            Kind::Name(name) => {
                cursor.step();
                self.named(name, span, cursor)
            }
            Kind::Sign("(") => {
                cursor.step();
                let value = self.expression(cursor)?;
                cursor.expect(")")?;
                Ok(value)
            }
            Kind::Sign("[") => {
                cursor.step();
                self.elements(cursor, span)
            }
            _ => Err(cursor.expected("a value")),
        }
    }

    fn named(&mut self, name: &str, span: (u32, u32), cursor: &mut Cursor) -> Result<Value, Fault> {
        match self.lookup(name) {
            Some(Meaning::Value(value)) => return Ok(value),
            Some(Meaning::Function(function)) => {
                let arguments = self.arguments(name, cursor)?;
                return self.call(&function, arguments, cursor.span_from(span));
            }
            None => (),
        }
        if cursor.is("(") && builtin::is_function(name) {
            let arguments = self.arguments(name, cursor)?;
            return builtin::call(name, &arguments)
                .map_err(|message| Fault::new("built-in", cursor.span_from(span), message));
        }
        if let Some(value) = builtin::constant(name) {
            return Ok(value);
        }
        if functions().any(|own| own == name) && !cursor.ends_operand() {
            return self.unary(name, span, cursor);
        }
        if let Some(register) = Register::named(name) {
            return Ok(Value::Register(register));
        }
        if name == "a" && matches!(cursor.kind(), Some(Kind::Label(_))) {
            let message = "`a:` with a label is an address in Broadcom's language";
            return Err(Fault::new("unknown-name", span, message)
                .help("assemble with --syntax broadcom; a label alone, `:NAME`, is its distance from the start"));
        }
        // hermanhermitage's assembler has labels without a colon there.
        if self.in_branch {
            return Ok(Value::Label(self.label_address(name, span)?));
        }
        Err(self.unknown(name, span))
    }

    fn unknown(&self, name: &str, span: (u32, u32)) -> Fault {
        let mut known: Vec<Rc<str>> = self.scopes.names();
        let tables = READS.iter().map(|entry| entry.0);
        let tables = tables
            .chain(WRITES.iter().map(|entry| entry.0))
            .chain(builtin::names());
        known.extend(tables.chain(functions()).map(Rc::from));
        let near = nearest(name, known.iter().map(|name| &**name));
        if self.macros.contains_key(name) {
            let message = format!("`{name}` is a macro, which is no value");
            return Fault::new("unknown-name", span, message).help(
                "call it on a line of its own; a macro that is to choose among others takes a number, and asks it with `.if`",
            );
        }
        let fault = Fault::new("unknown-name", span, format!("`{name}` is not defined"));
        fault.suggest(&near, "define it before with `.set NAME, VALUE`, give it with -D, or include the file that does")
    }

    /// `(a, b, ...)`, the parenthesis not yet read.
    fn arguments(&mut self, name: &str, cursor: &mut Cursor) -> Result<Vec<Value>, Fault> {
        if !cursor.take("(") {
            return Err(cursor.expected(&format!("`(` behind the function {name}")));
        }
        let mut all = Vec::new();
        if cursor.take(")") {
            return Ok(all);
        }
        loop {
            self.look_at_part(name, cursor);
            all.push(self.expression(cursor)?);
            if !cursor.take(",") {
                break;
            }
        }
        cursor.expect(")")?;
        Ok(all)
    }

    /// Warns of a setup word whose place is described as that of another kind: the number may well
    /// fit.
    fn look_at_part(&mut self, setup: &str, cursor: &Cursor) {
        if let [first, open, ..] = cursor.rest()
            && let Kind::Name(part) = &first.kind
            && open.is("(")
            && let Some((message, help)) = builtin::misplaced(setup, part)
        {
            self.warn(Fault::new("setup-part", cursor.span(), message).help(help));
        }
    }

    /// `[a, b, ...]`, the bracket at `start` already read.
    fn elements(&mut self, cursor: &mut Cursor, start: (u32, u32)) -> Result<Value, Fault> {
        let mut values = Vec::new();
        loop {
            let span = cursor.span();
            match self.expression(cursor)? {
                Value::Int(value @ -2..=3) => values.push(value as i8),
                other => {
                    let message =
                        format!("an element is -2 to 1, or 0 to 3, and not {}", other.what());
                    return Err(Fault::new("elements", span, message));
                }
            }
            if !cursor.take(",") {
                break;
            }
        }
        let end = cursor.span();
        cursor.expect("]")?;
        let count = values.len();
        let Ok(values) = values.try_into() else {
            let message = format!("{count} elements, and there are 16 lanes");
            return Err(Fault::new("elements", (start.0, end.1), message)
                .help("give one value for each lane, lane 0 first"));
        };
        let elements = Elements::new(values).map(Value::Elements);
        elements.ok_or_else(|| {
            let message = "the elements are neither all -2 to 1 nor all 0 to 3";
            Fault::new("elements", (start.0, end.1), message)
        })
    }

    /// An integer.
    pub(super) fn integer(&mut self, cursor: &mut Cursor, what: &str) -> Result<i64, Fault> {
        let start = cursor.span();
        match self.expression(cursor)? {
            Value::Int(value) => Ok(value),
            other => {
                let message = format!("{what} is an integer, and not {}", other.what());
                Err(Fault::new("type", cursor.span_from(start), message))
            }
        }
    }

    /// A condition: whether an integer or float is not zero.
    pub(super) fn condition(&mut self, cursor: &mut Cursor) -> Result<bool, Fault> {
        let start = cursor.span();
        match self.expression(cursor)? {
            Value::Int(value) => Ok(value != 0),
            Value::Float(value) => Ok(value != 0.0),
            other => {
                let message = format!("a condition is a number, and not {}", other.what());
                Err(Fault::new("type", cursor.span_from(start), message)
                    .help("compare it, as in `x == ra0`"))
            }
        }
    }

    /// `.ifnc` is carry clear to Broadcom's assembler and negative clear to vc4asm's.
    fn settled_suffix(&mut self, name: &str, suffix: Suffix, span: (u32, u32)) -> Suffix {
        if !Suffix::is_disputed(name) {
            return suffix;
        }
        if self.options.syntax == Syntax::Broadcom {
            return Suffix::Condition(Cond::CC);
        }
        let bare = name.trim_end_matches("nc");
        let message = format!(
            ".{name} is negative clear here, as vc4asm has it; Broadcom's assembler means carry clear by it"
        );
        self.warn(Fault::new("disputed-condition", span, message).help(format!(
            "write .{bare}nn for negative clear or .{bare}cc for carry clear, or assemble with --syntax broadcom"
        )));
        suffix
    }

    /// Suffixes that stand behind an operand and are no pack modes.
    pub(super) fn operand_suffixes(
        &mut self,
        cursor: &mut Cursor,
        of_operation: bool,
    ) -> Result<Vec<Marked>, Fault> {
        let mut all = Vec::new();
        while let Some(Kind::Suffix(name)) = cursor.kind() {
            let parsed = if of_operation {
                Suffix::of_operation(name)
            } else {
                Suffix::of_operand(name)
            };
            let Some(suffix) = parsed else {
                let message = format!("`.{name}` is no suffix");
                return Err(Fault::new("unknown-suffix", cursor.span(), message).help(
                    "known are .setf, .ifz .ifnz .ifn .ifnn .ifc .ifcc, .pack... and .unpack..., and .allz ... .anync on branches",
                ));
            };
            let suffix = self.settled_suffix(name, suffix, cursor.span());
            all.push((suffix, cursor.span()));
            cursor.step();
        }
        Ok(all)
    }
}
