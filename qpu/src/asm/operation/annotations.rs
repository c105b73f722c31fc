//! Broadcom's annotations behind an operation: lanes that count, and notes for a simulator.
//!
//! `@mul_used(8, 9)` and `@mul_unused(0)` name lanes of the mul result, so that there is no warning
//! of others where a rotation moves a register of the files inside its quads only; FFmpeg's
//! `rpi_hevc_shader` writes lanes as bits, `@ "mul_used", 0`. `@preserve_cond` keeps the condition
//! of a result that goes nowhere. All others mean something to Broadcom's simulator alone. Source:
//! Broadcom's assembler, qasm, and its shaders for `OpenVG`.

use super::super::Syntax;
use super::super::assembler::Assembler;
use super::super::cursor::Cursor;
use super::super::diagnostic::Fault;
use super::super::token::Kind;
use super::Line;
use crate::isa::Rotation;
use crate::names::nearest;

/// The annotations of an operation.
const WORDS: &[&str] = &["mul_used", "mul_unused", "preserve_cond"];

/// Notes for Broadcom's simulator. Its shaders add `_a` or `_m`, for the ALU whose result is meant.
#[rustfmt::skip]
const NOTES: &[&str] = &[
    "geomd_open", "geomd_i", "geomd_tris_clear", "geomd_verts", "geomd_tris_add", "geomd_tris_set_center",
    "geomd_region_clear", "geomd_region_set", "geomd_images_clear", "geomd_images_l", "geomd_images_b",
    "geomd_images_r", "geomd_images_t", "geomd_images_add_vpm", "geomd_images_add_tex", "trace_4c",
];

fn is_note(name: &str) -> bool {
    let bare = name.strip_suffix("_a").or(name.strip_suffix("_m"));
    NOTES.contains(&name) || bare.is_some_and(|bare| NOTES.contains(&bare))
}

/// True if the line keeps conditions of results that go nowhere; the annotation is at its end.
pub(super) fn preserves_conditions(cursor: &Cursor) -> bool {
    let pairs = cursor.rest().windows(2);
    pairs
        .filter(|pair| pair[0].is("@"))
        .any(|pair| match &pair[1].kind {
            Kind::Name(name) | Kind::Text(name) => **name == *"preserve_cond",
            _ => false,
        })
}

impl Assembler<'_> {
    /// Annotations up to `;` or the end of the line. Gives the lanes that count, if any says so.
    pub(super) fn annotations(&mut self, cursor: &mut Cursor) -> Result<Option<u16>, Fault> {
        let mut used = None;
        while cursor.take("@") {
            let start = cursor.span();
            let lanes = match cursor.kind() {
                Some(Kind::Name(name)) if self.options.syntax == Syntax::Broadcom => {
                    cursor.step();
                    self.called(name, start, cursor)?
                }
                Some(Kind::Text(name)) => {
                    cursor.step();
                    cursor.expect(",")?;
                    let value = self.integer(cursor, "the annotation's value")?;
                    if **name != *"mul_used" {
                        self.warn_unknown(name, cursor.span_from(start));
                    }
                    (**name == *"mul_used").then_some(value as u16)
                }
                _ => return Err(cursor.expected("the annotation's name in double quotes")),
            };
            used = lanes.or(used);
        }
        match cursor.at_end() || cursor.is(";") {
            true => Ok(used),
            false => Err(cursor.expected("`;` or the end of the line")),
        }
    }

    /// `NAME` or `NAME(...)`, whose name has been read. Gives the lanes that count, if it says so.
    fn called(
        &mut self,
        name: &str,
        span: (u32, u32),
        cursor: &mut Cursor,
    ) -> Result<Option<u16>, Fault> {
        match name {
            "mul_used" => self.lanes(cursor).map(Some),
            "mul_unused" => self.lanes(cursor).map(|lanes| Some(!lanes)),
            _ => {
                self.warn_unknown(name, span);
                skip_arguments(cursor)?;
                Ok(None)
            }
        }
    }

    /// `(LANE, ...)`, a bit each.
    fn lanes(&mut self, cursor: &mut Cursor) -> Result<u16, Fault> {
        cursor.expect("(")?;
        let mut lanes = 0;
        while !cursor.take(")") {
            if lanes != 0 {
                cursor.expect(",")?;
            }
            let start = cursor.span();
            match self.integer(cursor, "a lane")? {
                lane @ 0..=15 => lanes |= 1 << lane,
                lane => {
                    let message = format!("there is no lane {lane}");
                    let fault = Fault::new("annotation", cursor.span_from(start), message);
                    return Err(fault.help("lanes are 0 to 15"));
                }
            }
        }
        Ok(lanes)
    }

    /// Warns of a name that Broadcom's assembler does not know either.
    fn warn_unknown(&mut self, name: &str, span: (u32, u32)) {
        if WORDS.contains(&name) || is_note(name) {
            return;
        }
        let near = nearest(name, WORDS.iter().chain(NOTES).copied());
        let help = match near.first() {
            Some(near) => format!("did you mean {near}?"),
            None => format!("leave it out; there are {}", WORDS.join(", ")),
        };
        let message = format!("the annotation {name} means nothing here");
        self.warn(Fault::new("annotation", span, message).help(help));
    }
}

impl Line<'_> {
    /// Lanes that get another element than the rotation says, where it moves inside quads only.
    pub(super) fn lanes_off(&self) -> u16 {
        let mut rotations = self.operands.iter().enumerate();
        let by = rotations.find_map(|(place, operand)| match operand.register()?.rotation? {
            // A destination moves the other way.
            Rotation::By(lanes) if place == 0 => Some(Rotation::By(16 - lanes)),
            by => Some(by),
        });
        match by {
            None => 0,
            Some(Rotation::By(lanes @ 1..=3)) => ((1 << lanes) - 1) * 0x1111,
            Some(Rotation::By(lanes @ 13..=15)) => !(((1 << (lanes & 3)) - 1) * 0x1111),
            Some(_) => u16::MAX,
        }
    }
}

/// Passes over `(...)`, if it follows.
fn skip_arguments(cursor: &mut Cursor) -> Result<(), Fault> {
    if !cursor.take("(") {
        return Ok(());
    }
    let mut open = 1;
    while open > 0 {
        match cursor.kind() {
            None => return Err(cursor.expected("`)`")),
            Some(Kind::Sign("(")) => open += 1,
            Some(Kind::Sign(")")) => open -= 1,
            Some(_) => (),
        }
        cursor.step();
    }
    Ok(())
}
