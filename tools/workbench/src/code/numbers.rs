//! Instructions from the numbers of a text: 64-bit words, halves of them, or bytes.

use common::failure::{Failure, Result};
use common::text::quote;

/// The notation of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// Hexadecimal digits, with `0x` or without.
    Hex,
    /// C's notation: hexadecimal only with `0x`, decimal without.
    C,
}

struct Number<'a> {
    /// In the line of this number, from 1.
    line: usize,
    /// The number as it is written.
    word: &'a str,
    value: u64,
    /// Hexadecimal digits; none where it is written in decimal.
    digits: Option<usize>,
}

impl Number<'_> {
    /// Returns whether it is written like a byte: `0x9e`, or 158.
    fn is_byte(&self) -> bool {
        match self.digits {
            Some(digits) => digits <= 2 && self.word.starts_with('0') && self.word.len() > digits,
            None => self.value <= 0xff,
        }
    }

    /// Returns whether it is more than half an instruction.
    fn is_whole(&self) -> bool {
        self.digits.unwrap_or(0) > 8 || self.value > u64::from(u32::MAX)
    }
}

/// A line without a comment that begins with `;`.
pub fn without_tail(line: &str) -> &str {
    line.split(';').next().unwrap_or("").trim()
}

/// The instructions of a text that has nothing but numbers.
///
/// Words of 16 digits are instructions; of 8 or fewer, the low and the high half in turn, unless
/// they are in an array whose other elements are longer. Where all are as short as bytes, as
/// `xxd -i` writes them, they are bytes: no instruction has such halves.
///
/// # Errors
/// Usage, where something is no number of this notation, or an instruction is not whole.
pub fn instructions(name: &str, code: &str, notation: Notation) -> Result<Vec<u64>> {
    let numbers = numbers(name, code, notation)?;
    if numbers.iter().all(Number::is_byte) {
        let bytes: Vec<u8> = numbers.iter().map(|number| number.value as u8).collect();
        let is_of_two_digits = numbers.iter().all(|number| number.digits == Some(2));
        if bytes.len() >= 8 || (is_of_two_digits && !bytes.is_empty()) {
            return whole(name, &bytes);
        }
    }
    if notation == Notation::C && numbers.iter().any(Number::is_whole) {
        return Ok(numbers.iter().map(|number| number.value).collect());
    }
    let mut instructions = vec![];
    let mut low: Option<Number> = None;
    for number in numbers {
        match (low.take(), number.is_whole()) {
            (None, true) => instructions.push(number.value),
            (Some(low), true) => return Err(half(name, &low)),
            (None, false) => low = Some(number),
            (Some(low), false) => instructions.push(number.value << 32 | low.value),
        }
    }
    match low {
        Some(low) => Err(half(name, &low)),
        None if instructions.is_empty() => Err(Failure::usage(format!(
            "{name} holds no words; give a file with QPU code"
        ))),
        None => Ok(instructions),
    }
}

/// The instructions that bytes are.
///
/// # Errors
/// Usage, when the last is not whole.
pub fn whole(name: &str, bytes: &[u8]) -> Result<Vec<u64>> {
    let (words, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(Failure::usage(format!(
            "{name} has {} bytes, which is no whole number of 8-byte instructions; give the code alone",
            bytes.len()
        )));
    }
    Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

fn numbers<'a>(name: &str, code: &'a str, notation: Notation) -> Result<Vec<Number<'a>>> {
    let mut numbers = vec![];
    for (line, text) in (1..).zip(code.lines()) {
        let words = without_tail(text).split([' ', '\t', ',', '{', '}']);
        for word in words.filter(|word| !word.is_empty()) {
            let (value, digits) = value(word, notation).map_err(|wrong| {
                Failure::usage(format!("{name}, line {line}: `{}` {wrong}", quote(word)))
            })?;
            numbers.push(Number {
                line,
                word,
                value,
                digits,
            });
        }
    }
    Ok(numbers)
}

/// The value of a number, and its hexadecimal digits if it has such; or what is wrong with it.
fn value(
    word: &str,
    notation: Notation,
) -> std::result::Result<(u64, Option<usize>), &'static str> {
    const NO_HEX: &str = "is not a hexadecimal word; give 0x… words, or a binary file";
    const NO_NUMBER: &str = "is no number, and names and expressions are not evaluated; give their values, or a binary file";
    // Types: 1u, 1ULL. None of these letters is a digit.
    let bare = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let hexadecimal = bare.strip_prefix("0x").or(bare.strip_prefix("0X"));
    let hexadecimal = match notation {
        Notation::Hex => Some(hexadecimal.unwrap_or(bare)),
        Notation::C => hexadecimal,
    };
    if let Some(digits) = hexadecimal {
        let value = u64::from_str_radix(digits, 16).ok();
        return value.map(|value| (value, Some(digits.len()))).ok_or(NO_HEX);
    }
    if notation == Notation::Hex {
        return Err(NO_HEX);
    }
    let is_decimal = bare.bytes().all(|byte| byte.is_ascii_digit());
    if is_decimal && bare.len() > 1 && bare.starts_with('0') {
        return Err("may be octal, decimal or hexadecimal; write 0x before hexadecimal digits");
    }
    let value = bare.parse().ok().filter(|_| is_decimal);
    value.map(|value| (value, None)).ok_or(NO_NUMBER)
}

fn half(name: &str, low: &Number) -> Failure {
    let line = low.line;
    let what = match low.is_byte() {
        true => {
            "a byte, or a 32-bit word without its other half; an instruction is 8 bytes, or two words"
        }
        false => "a 32-bit word without its other half; an instruction is two of them",
    };
    Failure::usage(format!("{name}, line {line}: {what}, low half first"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: &str = "0x00, 0x70, 0x9e, 0x0, 0xe7, 0x09,\n 0x00, 0x10,";

    #[test]
    fn bytes_and_words_are_distinguished() {
        let instructions = |code: &str| instructions("t", code, Notation::Hex);
        assert_eq!(instructions(NOP).expect("bytes"), [0x1000_09E7_009E_7000]);
        // Too few for an instruction, or without a prefix, or one with more digits.
        assert_eq!(instructions("0x1 0x2").expect("two"), [2 << 32 | 1]);
        for words in [
            "1 2 3 4 5 6 7 8",
            "0x1 2 3 4 5 6 7 0x8",
            "0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x123",
        ] {
            assert_eq!(instructions(words).expect(words).len(), 4, "{words}");
        }
        for (bytes, named) in [
            (&NOP.repeat(2)[5..], "15 bytes"),
            ("0x00, 0x70, 0x9e, 0x00", "4 bytes"),
            ("0x00", "1 bytes"),
            ("0x1, 0x2, 0x3", "a byte, or"),
            ("0x00, 0x123, 0x00", "a byte, or"),
        ] {
            let message = instructions(bytes).expect_err(named).message;
            assert!(message.contains(named), "{message}");
        }
    }

    #[test]
    fn numbers_of_c_are_decimal_without_a_prefix() {
        let instructions = |code: &str| instructions("t", code, Notation::C);
        let nop = 0x1000_09E7_009E_7000;
        for code in [
            "10383360, 268437991",
            "{ 10383360, 268437991 }",
            "0x9e7000u, 268437991UL",
            "0x100009e7009e7000ULL",
            "1152932392359325696",
            "0, 112, 158, 0, 231, 9, 0, 16",
        ] {
            assert_eq!(instructions(code).expect(code), [nop], "{code}");
        }
        // All elements are as long as the longest.
        let words = instructions("0x100009e7009e7000, 0x0").expect("words");
        assert_eq!(words, [nop, 0]);
        for (code, named) in [
            ("009e7000, 100009e7", "no number"),
            ("0100, 1", "may be octal"),
            ("layout(1, 2), 3", "names and expressions"),
            ("1 << 3, 4", "names and expressions"),
            ("-1, 2", "names and expressions"),
            ("0x1ffffffffffffffff", "not a hexadecimal word"),
            ("0xzz", "not a hexadecimal word"),
            ("5, 6, 7", "a byte, or"),
        ] {
            let message = instructions(code).expect_err(named).message;
            assert!(message.contains(named), "{code}: {message}");
        }
    }
}
