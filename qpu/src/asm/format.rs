//! Programs as files: binary, hexadecimal, C, Rust, and the listing.

use std::fmt::Write;

use super::Assembly;
use crate::disasm::SlotsLeft;
use crate::isa::{INSTRUCTION_BYTES, decode};

/// Characters of a source line that stand beside a word.
const LONGEST_COMMENT: usize = 240;

impl Assembly {
    /// Little-endian words.
    #[must_use]
    pub fn to_bin(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    /// `0xLOW, 0xHIGH, // source`, one instruction a line.
    #[must_use]
    pub fn to_hex(&self) -> String {
        let mut out = String::new();
        for (index, word) in self.words.iter().enumerate() {
            self.pair(&mut out, index, *word);
        }
        out
    }

    /// An array of 32-bit words, low half first, and a constant for each exported name.
    #[must_use]
    pub fn to_c(&self, name: &str) -> String {
        let name = identifier(name);
        let mut out = String::from("#include <stdint.h>\n\n");
        for (label, value) in &self.globals {
            let value = value.word();
            let _ = writeln!(out, "#define {}_{} {value:#x}", name, identifier(label));
        }
        let count = self.words.len() * 2;
        let _ = writeln!(
            out,
            "static const uint32_t {name}[{count}] __attribute__((aligned(8))) = {{"
        );
        for (index, word) in self.words.iter().enumerate() {
            out.push_str("    ");
            self.pair(&mut out, index, *word);
        }
        out + "};\n"
    }

    /// A constant array of instructions, and a constant for each exported name.
    #[must_use]
    pub fn to_rust(&self, name: &str) -> String {
        let name = identifier(name).to_uppercase();
        let mut out = String::new();
        for (label, value) in &self.globals {
            let value = value.word();
            let label = identifier(label).to_uppercase();
            let _ = writeln!(out, "pub const {name}_{label}: u32 = {value:#x};");
        }
        let _ = writeln!(out, "pub const {name}: [u64; {}] = [", self.words.len());
        for (index, word) in self.words.iter().enumerate() {
            let _ = writeln!(
                out,
                "    0x{:08x}_{:08x}, // {}",
                word >> 32,
                *word as u32,
                self.comment(index)
            );
        }
        out + "];\n"
    }

    /// Address, word, place in the source and its text, with labels; `|` marks delay slots.
    #[must_use]
    pub fn listing(&self) -> String {
        let mut out = String::new();
        let mut labels = self.labels.iter().peekable();
        let mut slots = SlotsLeft::default();
        for (index, word) in self.words.iter().enumerate() {
            let address = index as u32 * INSTRUCTION_BYTES;
            while let Some((_, name)) = labels.next_if(|(at, _)| *at < address + INSTRUCTION_BYTES)
            {
                let _ = writeln!(out, ":{name}");
            }
            let code = decode(*word).ok().filter(|_| !self.is_data(index));
            let in_slot = slots.next(code.as_ref()) && !self.is_data(index);
            let mark = if in_slot { '|' } else { ' ' };
            let place = self.origin(index).map_or(String::new(), |origin| {
                format!("{}:{}", origin.file, origin.line)
            });
            let _ = writeln!(
                out,
                "{address:04x}  {:08x}_{:08x} {mark} {place:<24} {}",
                word >> 32,
                *word as u32,
                self.comment(index)
            );
        }
        for (_, name) in labels {
            let _ = writeln!(out, ":{name}");
        }
        out
    }

    fn pair(&self, out: &mut String, index: usize, word: u64) {
        let _ = writeln!(
            out,
            "0x{:08x}, 0x{:08x}, // {}",
            word as u32,
            word >> 32,
            self.comment(index)
        );
    }

    /// The source of a word, such that it stays a comment in any of the formats.
    fn comment(&self, index: usize) -> String {
        let text = self.origin(index).map_or("", |origin| origin.text.trim());
        // A line of many constants stands beside each of its words.
        let text: String = text
            .chars()
            .filter(|c| !c.is_control() || *c == '\t')
            .take(LONGEST_COMMENT)
            .collect();
        text.trim_end_matches('\\').to_string()
    }
}

/// The name with everything replaced that C and Rust do not allow.
fn identifier(name: &str) -> String {
    let mut own: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if own.is_empty() || own.starts_with(|c: char| c.is_ascii_digit()) {
        own.insert(0, '_');
    }
    own
}
