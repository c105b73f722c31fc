//! Directives, but for those that hold blocks of lines.

use std::rc::Rc;

use super::Syntax;
use super::assembler::{Assembler, Expanded};
use super::cursor::Cursor;
use super::diagnostic::Fault;
use super::output::Content;
use super::piece::Encoded;
use super::scope::{Body, Function, Meaning};
use super::source::{self, Place};
use super::token::{Kind, Token};
use super::value::Value;
use crate::isa::Instruction;
use crate::names::{DIRECTIVES, directive, nearest};

impl Assembler<'_> {
    /// A directive whose name has been read; the line that comes next.
    pub(super) fn directive(
        &mut self,
        name: &str,
        cursor: &mut Cursor,
        place: &Place,
    ) -> Result<usize, Fault> {
        let next = place.line + 1;
        let name = directive(name);
        match name {
            "set" | "equ" | "define" => self.define(cursor, place, false, false)?,
            "const" => self.define(cursor, place, false, true)?,
            "lset" => self.define(cursor, place, true, false)?,
            "lconst" => self.define(cursor, place, true, true)?,
            "unset" | "lunset" => {
                let span = cursor.span();
                let own = identifier(cursor)?;
                cursor.finish()?;
                if !self.scopes.unset(&own, name == "lunset") {
                    let message = format!("`{own}` is not defined here");
                    return Err(Fault::new("unknown-name", span, message));
                }
            }
            "assert" => {
                let start = cursor.span();
                let uses = self.label_uses;
                let holds = self.condition(cursor)?;
                cursor.finish()?;
                // In the first pass labels lie nowhere yet.
                let knows = uses == self.label_uses || self.knows_labels();
                if !holds && knows {
                    let message = "the condition does not hold";
                    return Err(Fault::new("assert", cursor.span_from(start), message));
                }
            }
            "include" => self.include(cursor, place)?,
            "align" => self.align(cursor, place)?,
            "global" => self.global(cursor)?,
            "clone" => self.clone_units(cursor, place)?,
            "code" | "text" | "rodata" => cursor.finish()?,
            "byte" | "short" | "int" | "long" | "bit" | "float" | "half" | "double" => {
                self.data(name, cursor, place)?
            }
            // Broadcom's, around lines whose warnings are not wanted.
            "pushnwarn" if self.options.syntax == Syntax::Broadcom => {
                cursor.finish()?;
                self.unwarned.push(place.clone());
            }
            "popnwarn" if self.options.syntax == Syntax::Broadcom => {
                cursor.finish()?;
                if self.unwarned.pop().is_none() {
                    let message = "`.popnwarn` without a `.pushnwarn` before it";
                    let fault = Fault::new("blocks", cursor.span_before(), message);
                    return Err(fault.help("open it with .pushnwarn, or leave it out"));
                }
            }
            _ if source::opens(name) => return self.block(name, cursor, place),
            // Reported with the file, when they close nothing.
            _ if source::closes(name) => (),
            _ => {
                let near = nearest(name, DIRECTIVES.iter().copied());
                let near: Vec<String> = near.into_iter().map(|name| format!(".{name}")).collect();
                let message = format!("`.{name}` is no directive");
                let fault = Fault::new("unknown-directive", cursor.span_before(), message);
                let all = format!("directives are .{}", DIRECTIVES.join(" ."));
                return Err(fault.suggest(&near, &all));
            }
        }
        Ok(next)
    }

    /// `NAME, VALUE` or `NAME(ARGUMENTS) EXPRESSION`.
    fn define(
        &mut self,
        cursor: &mut Cursor,
        place: &Place,
        local: bool,
        is_const: bool,
    ) -> Result<(), Fault> {
        let span = cursor.span();
        let name = identifier(cursor)?;
        let function = cursor.is("(") && cursor.span().0 == span.1;
        let meaning = if function {
            let parameters = parameters(cursor)?;
            cursor.take(",");
            if cursor.at_end() {
                return Err(cursor.expected("the function's expression"));
            }
            let body = Body::Expression(cursor.rest().to_vec());
            if keeps_built_in(&name, cursor.rest()) {
                return Ok(());
            }
            Meaning::Function(Rc::new(Function {
                name: name.clone(),
                parameters,
                body,
                place: place.clone(),
            }))
        } else {
            if !cursor.take(",") {
                return Err(cursor.expected(&format!(
                    "`,` and the value of {name}, or `(` and arguments,"
                )));
            }
            let value = self.expression(cursor)?;
            cursor.finish()?;
            Meaning::Value(value)
        };
        self.scopes
            .set(&name, meaning, local, is_const)
            .map_err(|()| {
                let message = format!("{name} is constant and cannot be defined again");
                Fault::new("constant", span, message)
                    .help("define it with .set the first time, or take it back with .unset")
            })
    }

    fn include(&mut self, cursor: &mut Cursor, place: &Place) -> Result<(), Fault> {
        let start = cursor.span();
        let (name, searched) = match cursor.kind() {
            Some(Kind::Text(name)) => {
                cursor.step();
                (name.to_string(), false)
            }
            Some(Kind::Sign("<")) => {
                // What stands between the brackets is taken as it is written.
                let text = place.source.text(place.line);
                let rest = text.get(start.1 as usize..).unwrap_or_default();
                let Some((name, _)) = rest.split_once('>') else {
                    return Err(cursor.expected("a file in \"...\" or <...>"));
                };
                (name.trim().to_string(), true)
            }
            _ => return Err(cursor.expected("a file in \"...\" or <...>")),
        };
        let span = (start.0, start.1.max(start.0 + name.len() as u32 + 2));
        let most = self.limits().include_depth;
        if self.include_depth >= most {
            let message = format!("files include each other more than {most} deep");
            let fault = Fault::limit(span, message);
            return Err(fault.help("look for a file that includes itself"));
        }
        let at = |fault: Fault| fault.at(span);
        // What vc4asm's file defines is built in; a copy that is there may define more.
        let built_in = name.rsplit('/').next() == Some("vc4.qinc");
        let source = match self.load(&name, &place.source.name, searched) {
            Err(fault) if built_in && !fault.fatal => return Ok(()),
            found => found.map_err(at)?,
        };
        self.expand(format!("file {}", source.name), place, Expanded::Lines)
            .map_err(at)?;
        self.include_depth += 1;
        self.scopes.enter();
        let done = self.file(&source);
        self.scopes.leave();
        self.include_depth -= 1;
        self.expansions.pop();
        done
    }

    fn align(&mut self, cursor: &mut Cursor, place: &Place) -> Result<(), Fault> {
        let start = cursor.span();
        let bytes = self.integer(cursor, "an alignment")?;
        let base = match cursor.take(",") {
            false => 0,
            true => match self.expression(cursor)? {
                Value::Int(base) | Value::Label(base) => base,
                other => {
                    let what = other.what();
                    let message =
                        format!("the base of .align is an integer or a label, and not {what}");
                    return Err(Fault::new("type", start, message));
                }
            },
        };
        cursor.finish()?;
        if !(0..=64).contains(&bytes) || bytes.count_ones() > 1 {
            let message = format!("an alignment is a power of two up to 64, and not {bytes}");
            return Err(Fault::new("alignment", start, message));
        }
        let zero = Content::Data {
            bytes: [0; 8],
            count: 1,
        };
        while bytes > 0 && (self.output.bytes as i64).wrapping_sub(base) & (bytes - 1) != 0 {
            self.emit(zero.clone(), place)?;
        }
        Ok(())
    }

    fn global(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        let (name, value) = match cursor.kind() {
            Some(Kind::Label(name)) => {
                let value = Value::Label(self.label_address(name, cursor.span())?);
                cursor.step();
                (name.clone(), value)
            }
            _ => {
                let span = cursor.span();
                let name = identifier(cursor)?;
                // Without a value it is a label, as hermanhermitage's assembler has it.
                let value = match cursor.take(",") {
                    true => self.expression(cursor)?,
                    false => Value::Label(self.label_address(&name, span)?),
                };
                (name, value)
            }
        };
        let span = cursor.span_before();
        cursor.finish()?;
        if !matches!(value, Value::Int(_) | Value::Float(_) | Value::Label(_)) {
            let what = value.what();
            let message = format!("a global is a label or a constant, and not {what}");
            return Err(Fault::new("type", span, message));
        }
        let known = self.global_index.get(&name);
        if let Some((_, before)) = known.and_then(|index| self.globals.get(*index)) {
            if *before != value {
                let message = format!("global {name} has another value already");
                return Err(Fault::new("global", span, message));
            }
            return Ok(());
        }
        self.global_index.insert(name.clone(), self.globals.len());
        self.globals.push((name, value));
        Ok(())
    }

    fn clone_units(&mut self, cursor: &mut Cursor, place: &Place) -> Result<(), Fault> {
        let start = cursor.span();
        let Value::Label(address) = self.expression(cursor)? else {
            return Err(Fault::new("type", start, ".clone copies from a label")
                .help("as in `.clone :target, 3`"));
        };
        cursor.expect(",")?;
        let count = self.integer(cursor, "a number of instructions")?;
        cursor.finish()?;
        let most = (self.limits().output_bytes / 8) as i64;
        if !(0..=most).contains(&count) {
            let message = format!("{count} instructions cannot be copied; 0 to {most} can");
            return Err(Fault::limit(start, message));
        }
        self.spend(self.before.len() / 8 + count as usize, start)?;
        let mut from = 0;
        let units: Vec<_> = self
            .before
            .iter()
            .filter(|unit| {
                let own = from;
                from += unit.content.len() as i64;
                own >= address
            })
            .take(count as usize)
            .cloned()
            .collect();
        if self.knows_labels() && units.len() < count as usize {
            let found = units.len();
            let message = format!("there are only {found} instructions behind the label");
            return Err(Fault::new("clone", start, message));
        }
        let nop = Content::Code(Encoded::fixed(Instruction::NOP), None);
        for index in 0..count as usize {
            let content = units.get(index).map_or(&nop, |unit| &unit.content);
            self.emit(content.clone(), place)?;
        }
        Ok(())
    }

    fn data(&mut self, name: &str, cursor: &mut Cursor, place: &Place) -> Result<(), Fault> {
        let mut bits: Vec<bool> = Vec::new();
        loop {
            let start = cursor.span();
            let value = self.expression(cursor)?;
            let span = cursor.span_from(start);
            if name == "bit" {
                bits.push(match value {
                    Value::Int(value @ 0..=1) => value == 1,
                    other => {
                        let message = format!("a bit is 0 or 1, and not {}", other.what());
                        return Err(Fault::new("type", span, message));
                    }
                });
            } else {
                let (bytes, count) = datum(name, value).map_err(|message| {
                    let fault = Fault::new("data", span, message);
                    match wider(name, value) {
                        Some(wider) => fault.help(wider),
                        None => fault,
                    }
                })?;
                self.emit(Content::Data { bytes, count }, place)?;
            }
            if !cursor.take(",") || cursor.at_end() {
                break;
            }
        }
        cursor.finish()?;
        for eight in bits.chunks(8) {
            let bits = eight.iter().rev();
            let byte = bits.fold(0, |byte, bit| byte << 1 | u64::from(*bit));
            let (bytes, count) = (byte.to_le_bytes(), 1);
            self.emit(Content::Data { bytes, count }, place)?;
        }
        Ok(())
    }
}

/// The bytes of one constant, little end first.
fn datum(name: &str, value: Value) -> Result<([u8; 8], u8), String> {
    let float = |value: Value| match value {
        Value::Int(value) => Ok(value as f64),
        Value::Float(value) => Ok(value),
        other => Err(format!("a number is needed here, not {}", other.what())),
    };
    let (bits, count) = match (name, value) {
        ("float", value) => (u64::from((float(value)? as f32).to_bits()), 4),
        ("half", value) => (u64::from(half(float(value)?)), 2),
        ("double", value) => (float(value)?.to_bits(), 8),
        (_, Value::Int(value) | Value::Label(value)) => {
            let count = match name {
                "byte" => 1,
                "short" => 2,
                "int" => 4,
                _ => 8,
            };
            let width = count * 8;
            if width < 64 && !(-(1i64 << (width - 1))..1 << width).contains(&value) {
                return Err(format!("{value} does not fit the {width} bits of .{name}"));
            }
            (value as u64, count as u8)
        }
        ("int", Value::Float(value)) => (u64::from((value as f32).to_bits()), 4),
        ("long", Value::Float(value)) => (value.to_bits(), 8),
        (_, other) => return Err(format!(".{name} holds integers, and not {}", other.what())),
    };
    Ok((bits.to_le_bytes(), count))
}

/// The directive that holds a constant that does not fit.
fn wider(name: &str, value: Value) -> Option<&'static str> {
    let (Value::Int(value) | Value::Label(value)) = value else {
        return None;
    };
    match name {
        "byte" if (-0x8000..0x1_0000).contains(&value) => Some(".short holds 16 bits"),
        "byte" | "short" if (-0x8000_0000..0x1_0000_0000).contains(&value) => {
            Some(".int holds 32 bits; .word is .short, as in vc4asm")
        }
        _ => Some(".long holds 64 bits"),
    }
}

/// The nearest half precision float, ties to even.
fn half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let size = value.abs();
    if value.is_nan() {
        return sign | 0x7e00;
    }
    // Below 2^-14 steps are 2^-24; above, there are 1024 between powers of two.
    let exponent = if size < 2f64.powi(-14) {
        -15
    } else {
        libm::ilogb(size)
    };
    if exponent > 15 {
        return sign | 0x7c00;
    }
    let steps = libm::rint(libm::scalbn(size, 10 - exponent.max(-14))) as u32;
    let bits = if exponent == -15 {
        steps
    } else {
        ((exponent + 14) as u32 * 1024) + steps
    };
    sign | bits.min(0x7c00) as u16
}

/// A name that can be defined.
pub(super) fn identifier(cursor: &mut Cursor) -> Result<Rc<str>, Fault> {
    match cursor.kind() {
        Some(Kind::Name(name)) if !name.starts_with(|c: char| c.is_ascii_digit()) => {
            cursor.step();
            Ok(name.clone())
        }
        _ => Err(cursor.expected("a name")),
    }
}

/// `(a, b, ...)`.
pub(super) fn parameters(cursor: &mut Cursor) -> Result<Vec<Rc<str>>, Fault> {
    cursor.expect("(")?;
    let mut all = Vec::new();
    if cursor.take(")") {
        return Ok(all);
    }
    loop {
        all.push(identifier(cursor)?);
        if !cursor.take(",") {
            break;
        }
    }
    cursor.expect(")")?;
    Ok(all)
}

/// Private copies of vc4.qinc define the predicates by vc4asm's internal register numbers
/// (`:[0,16]`), which mean nothing here; ours ask the same of a value.
fn keeps_built_in(name: &str, body: &[Token]) -> bool {
    let internal = body.windows(2).any(|two| two[0].is(":") && two[1].is("["));
    let predicate = super::builtin::is_function(name) && name.starts_with("is");
    predicate && (internal || name == "isConstant" || name.starts_with("isLdPE"))
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn halves_are_the_nearest() {
        let cases = [
            (0.0, 0),
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (1e9, 0x7c00),
            (f64::INFINITY, 0x7c00),
            (2f64.powi(-24), 1),
            (6.103515625e-5, 0x0400),
            (6.09755516e-5, 0x03ff),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (0.1, 0x2e66),
        ];
        for (value, bits) in cases {
            assert_eq!(half(value), bits, "{value}");
        }
    }
}
