//! Instructions from the numbers of a text: 64-bit words, halves of them, or bytes.

use crate::failure::{Failure, Result};

/// A number of the text.
struct Number<'a> {
    /// In the line of this number, from 1.
    line: usize,
    /// As it is written.
    word: &'a str,
    value: u64,
    digits: usize,
}

impl Number<'_> {
    /// Whether it is written like a byte: `0x9e`.
    fn is_byte(&self) -> bool {
        self.digits <= 2 && self.word.starts_with(['0']) && self.word.len() > self.digits
    }
}

/// A line without a comment that begins with `;`.
pub fn without_tail(line: &str) -> &str {
    line.split(';').next().unwrap_or("").trim()
}

/// The instructions of a text that has nothing but numbers.
///
/// Words of 16 digits are instructions; of 8 or fewer, the low and the high half in turn. Where all have one
/// or two, as `xxd -i` writes them, they are bytes: no instruction has such halves.
///
/// # Errors
/// Usage, where something is no hexadecimal number, or an instruction is not whole.
pub fn instructions(name: &str, code: &str) -> Result<Vec<u64>> {
    let numbers = numbers(name, code)?;
    if numbers.len() >= 8 && numbers.iter().all(Number::is_byte) {
        let bytes: Vec<u8> = numbers.iter().map(|number| number.value as u8).collect();
        return whole(name, &bytes);
    }
    let mut instructions = vec![];
    let mut low: Option<Number> = None;
    for number in numbers {
        match (low.take(), number.digits > 8) {
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

fn numbers<'a>(name: &str, code: &'a str) -> Result<Vec<Number<'a>>> {
    let mut numbers = vec![];
    for (line, text) in (1..).zip(code.lines()) {
        let words = without_tail(text).split([' ', '\t', ',', '{', '}']);
        for word in words.filter(|word| !word.is_empty()) {
            let digits = word
                .strip_prefix("0x")
                .or(word.strip_prefix("0X"))
                .unwrap_or(word);
            let digits = digits
                .trim_end_matches(['u', 'U', 'l', 'L'])
                .replace('_', "");
            let value = u64::from_str_radix(&digits, 16).map_err(|_| {
                Failure::usage(format!(
                    "{name}, line {line}: `{word}` is not a hexadecimal word; give 0x… words, or a binary file"
                ))
            })?;
            let digits = digits.len();
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

fn half(name: &str, low: &Number) -> Failure {
    let line = low.line;
    Failure::usage(format!(
        "{name}, line {line}: a 32-bit word without its other half; an instruction is two of them, low half first"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOP: &str = "0x00, 0x70, 0x9e, 0x0, 0xe7, 0x09,\n 0x00, 0x10,";

    #[test]
    fn bytes_are_told_from_words() {
        assert_eq!(
            instructions("t", NOP).expect("bytes"),
            [0x1000_09E7_009E_7000]
        );
        // Too few for an instruction, or without a prefix, or one with more digits.
        assert_eq!(instructions("t", "0x1 0x2").expect("two"), [2 << 32 | 1]);
        for words in [
            "1 2 3 4 5 6 7 8",
            "0x1 2 3 4 5 6 7 0x8",
            "0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x123",
        ] {
            assert_eq!(instructions("t", words).expect(words).len(), 4, "{words}");
        }
        let message = instructions("t", &NOP.repeat(2)[5..])
            .expect_err("one is missing")
            .message;
        assert!(message.contains("15 bytes"), "{message}");
    }
}
