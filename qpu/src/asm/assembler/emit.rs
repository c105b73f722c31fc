//! Adds the output of a line to the program.

use std::rc::Rc;

use super::super::cursor::Cursor;
use super::super::diagnostic::Fault;
use super::super::output::{Content, Unit};
use super::super::piece::{Encoded, Piece, encode, settle_nops};
use super::super::source::Place;
use super::Assembler;
use crate::disasm;
use crate::isa::{Instruction, decode};

/// The advice on a program that is too large.
const HELP: &str = "look for a macro or a repetition that makes more than is meant";

impl Assembler<'_> {
    /// A line of operations.
    pub(super) fn instruction(&mut self, cursor: &mut Cursor, place: &Place) -> Result<(), Fault> {
        let bits = place.source.bits(place.line);
        if let Some(noted) = bits.and_then(|word| noted(place.source.text(place.line), word)) {
            // The text is the disassembler's for these very bits, and may be none that can be
            // encoded.
            return self.emit(Content::Code(Encoded::fixed(noted), bits), place);
        }
        let joins = cursor.take(";");
        let mut pieces: Vec<Piece> = Vec::new();
        let mut open = false;
        while !cursor.at_end() {
            if cursor.take(";") {
                continue;
            }
            pieces.extend(self.operation(cursor)?);
            open = cursor.take(";") && cursor.at_end();
        }
        if pieces.is_empty() {
            return Ok(());
        }
        self.add(pieces, joins, open, place, cursor.span())
    }

    /// Adds the instruction that the parts of a line make, joined with the one before if asked for.
    pub fn add(
        &mut self,
        pieces: Vec<Piece>,
        joins: bool,
        open: bool,
        place: &Place,
        span: (u32, u32),
    ) -> Result<(), Fault> {
        let bits = place.source.bits(place.line);
        if joins && let Some(last) = self.output.open.take() {
            let mut all = last;
            all.extend(pieces.iter().cloned());
            if let Ok((encoded, warnings)) = settle_nops(all.clone()).and_then(|all| encode(&all)) {
                warnings.into_iter().for_each(|warning| self.warn(warning));
                if let Some(unit) = self.output.units.last_mut() {
                    unit.content = Content::Code(encoded, bits);
                }
                self.output.open = open.then_some(all);
                return Ok(());
            }
        }
        let encoded = settle_nops(pieces.clone()).and_then(|pieces| encode(&pieces));
        let (encoded, warnings) = match encoded {
            Ok(encoded) => encoded,
            Err(fault) => {
                // Later labels keep their places, so that one error does not make others.
                let nop = Encoded::fixed(Instruction::NOP);
                self.emit(Content::Code(nop, None), place)?;
                return Err(fault);
            }
        };
        warnings.into_iter().for_each(|warning| self.warn(warning));
        if bits.is_some_and(|word| !agree(&encoded, word)) {
            let message = "the text does not say what the bits in its comment say".to_string();
            return Err(Fault::new("bits", span, message)
                .help("remove the `!bits` note, which is for text as `qpu dis` writes it"));
        }
        if !self.output.bytes.is_multiple_of(8) {
            let message = format!(
                "an instruction lies at a multiple of 8 bytes, and this would be at {}",
                self.output.bytes
            );
            return Err(Fault::new("alignment", span, message)
                .help("write `.align 8` behind the data before it"));
        }
        self.emit(Content::Code(encoded, bits), place)?;
        self.output.open = open.then_some(pieces);
        Ok(())
    }

    /// Adds something to the program.
    pub fn emit(&mut self, content: Content, place: &Place) -> Result<(), Fault> {
        if self.result.is_some() {
            let message = "a function computes a value and emits no code";
            return Err(Fault::new("function", (0, 1), message));
        }
        let most = self.limits().output_bytes;
        if self.output.bytes + content.len() > most {
            let fault = Fault::limit((0, 1), format!("the program has more than {most} bytes"));
            return Err(fault.help(HELP));
        }
        let most = self.limits().units;
        if self.output.units.len() >= most {
            let message = format!("the program has more than {most} instructions and constants");
            return Err(Fault::limit((0, 1), message).help(HELP));
        }
        let key = (Rc::as_ptr(&place.source), place.line, self.way());
        let origin = match self.line_index.get(&key) {
            Some(&origin) => origin,
            None => {
                let origin = self.lines.len() as u32;
                self.lines.push((place.clone(), self.way()));
                self.line_index.insert(key, origin);
                origin
            }
        };
        self.output.push(Unit { content, origin });
        Ok(())
    }
}

/// The instruction of `word`, if the code of a line is the disassembler's text for it.
fn noted(line: &str, word: u64) -> Option<Instruction> {
    let code = line.split('#').next().unwrap_or_default().trim();
    let same = disasm::text(word).is_some_and(|text| text == code);
    decode(word).ok().filter(|_| same)
}

/// True if bits are what the text says, but for fields that text leaves open.
fn agree(encoded: &Encoded, word: u64) -> bool {
    // A branch's distance is known when all addresses are.
    let open = match encoded.target {
        Some(_) => u64::from(u32::MAX),
        None => 0,
    };
    let said = disasm::canonical(encoded.instruction.encode());
    said.map(|word| word & !open) == disasm::canonical(word).map(|word| word & !open)
}
