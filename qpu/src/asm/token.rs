//! Lines of assembly text as tokens.
//!
//! Two places need care. A dot belongs to a number (`1.5`), to what stands before it without a
//! blank (`ra0.8a`, `(ra2 >> 2).16b`: a suffix), or begins a directive. A colon defines a label at
//! the start of a statement and refers to one elsewhere; `r:name` is a reference too.

use std::rc::Rc;

/// The kind of a token.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kind {
    /// A name, with case kept.
    Name(Rc<str>),
    /// An integer constant, as the 64 bits it was written with.
    Int(i64),
    /// A float constant.
    Float(f64),
    /// Text between double quotes.
    Text(Rc<str>),
    /// `.name` right behind an operand.
    Suffix(Rc<str>),
    /// `.name` that stands alone.
    Directive(Rc<str>),
    /// `:name`, `r:name`: where it is defined or meant.
    Label(Rc<str>),
    /// `::name`: defined and exported.
    GlobalLabel(Rc<str>),
    /// An operator, or any other punctuation.
    Sign(&'static str),
}

/// A token and its bytes in the line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    pub fn is(&self, sign: &str) -> bool {
        matches!(self.kind, Kind::Sign(own) if own == sign)
    }
}

/// A part of a line that no token begins with.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct BadToken {
    pub start: u32,
    pub end: u32,
    pub reason: String,
}

/// Longest first, so that the first that matches is the one.
const SIGNS: &[&str] = &[
    "><<<", ">>><", "...", "<<<", ">>>", "><<", ">><", "<=>", "===", "!==", "!^^", "!^", "^^",
    "<=", ">=", "==", "!=", "&&", "||", "**", "<<", ">>", "+", "-", "*", "/", "%", "<", ">", "&",
    "^", "|", "~", "!", "=", "@", "(", ")", "[", "]", ",", ";", ":",
];

/// The tokens of a line, without its comment.
pub(super) fn tokens(line: &str) -> Result<Vec<Token>, BadToken> {
    let mut lexer = Lexer { line, at: 0 };
    let mut all = Vec::new();
    loop {
        lexer.skip_blanks();
        if lexer.rest().is_empty() || lexer.rest().starts_with('#') {
            return Ok(all);
        }
        let start = lexer.at;
        let glued = all
            .last()
            .filter(|token: &&Token| token.end as usize == start);
        let kind = lexer.next(glued).map_err(|reason| BadToken {
            start: start as u32,
            end: lexer.at.max(start + 1) as u32,
            reason,
        })?;
        all.push(Token {
            kind,
            start: start as u32,
            end: lexer.at as u32,
        });
    }
}

fn in_name(byte: char) -> bool {
    byte.is_ascii_alphanumeric() || byte == '_'
}

struct Lexer<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn skip_blanks(&mut self) {
        let blanks = |byte: char| byte.is_whitespace() || byte == '\u{feff}';
        self.at = self.line.len() - self.rest().trim_start_matches(blanks).len();
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|byte| !accept(byte)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The token that begins here; `glued` is the one that ends here.
    fn next(&mut self, glued: Option<&Token>) -> Result<Kind, String> {
        let rest = self.rest();
        let mut letters = rest.chars();
        let (first, second) = (letters.next().unwrap_or(' '), letters.next().unwrap_or(' '));
        match first {
            '"' => self.text(),
            '.' if second.is_ascii_digit() && !glued.is_some_and(ends_operand) => self.number(),
            '.' if in_name(second) => {
                self.at += 1;
                let name = self.take_while(in_name).into();
                Ok(
                    if glued.is_some_and(|token| ends_operand(token) || token.is("-")) {
                        Kind::Suffix(name)
                    } else {
                        Kind::Directive(name)
                    },
                )
            }
            '.' if second == '*' && glued.is_some_and(ends_operand) => {
                self.at += 2;
                Ok(Kind::Suffix("*".into()))
            }
            '0'..='9' => self.number(),
            'r' if second == ':' && rest[2..].starts_with(|c: char| in_name(c) || c == '.') => {
                self.at += 1;
                Ok(self.label())
            }
            _ if in_name(first) => Ok(Kind::Name(self.take_while(in_name).into())),
            ':' if second == ':' => {
                self.at += 1;
                match self.label() {
                    Kind::Label(name) => Ok(Kind::GlobalLabel(name)),
                    _ => Err("`::` needs a name right behind it".into()),
                }
            }
            ':' => Ok(self.label()),
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => {
                    self.at += sign.len();
                    Ok(Kind::Sign(sign))
                }
                None => {
                    self.at += first.len_utf8();
                    Err(format!("{first:?} begins nothing that is known here"))
                }
            },
        }
    }

    /// A colon and the name behind it; alone it is a sign.
    fn label(&mut self) -> Kind {
        self.at += 1;
        let rest = self.rest();
        let dotted = rest.starts_with('.') && rest[1..].starts_with(in_name);
        let start = self.at;
        self.at += usize::from(dotted);
        self.take_while(in_name);
        match &self.line[start..self.at] {
            "" => Kind::Sign(":"),
            name => Kind::Label(name.into()),
        }
    }

    fn text(&mut self) -> Result<Kind, String> {
        self.at += 1;
        let text = self.take_while(|byte| byte != '"');
        if self.rest().is_empty() {
            return Err("the text has no closing \"".into());
        }
        self.at += 1;
        Ok(Kind::Text(text.into()))
    }

    fn number(&mut self) -> Result<Kind, String> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let digits = |from: usize| {
            from + bytes[from..]
                .iter()
                .take_while(|b| b.is_ascii_digit())
                .count()
        };
        if bytes[0] == b'0' && bytes.get(1).is_some_and(|b| b.is_ascii_alphanumeric()) {
            let radix = match bytes[1] {
                b'x' | b'X' => Some(16),
                b'b' | b'B' => Some(2),
                b'0'..=b'9' if !is_float(bytes, digits(0)) => Some(8),
                _ => None,
            };
            if let Some(radix) = radix {
                let word = self.take_while(in_name);
                let digits = if radix == 8 { &word[1..] } else { &word[2..] };
                return match u64::from_str_radix(digits, radix) {
                    Ok(value) => Ok(Kind::Int(value as i64)),
                    Err(_) => Err(format!("{word} is no number of base {radix} in 64 bits")),
                };
            }
        }
        let mut end = digits(0);
        let mut float = false;
        // Of `1...` the dots are no part.
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
            (float, end) = (true, digits(end + 1));
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits((end + 1 + sign).min(bytes.len()));
            if exponent > end + 1 + sign {
                (float, end) = (true, exponent);
            }
        }
        let word = &rest[..end];
        self.at += end;
        if self.rest().starts_with(in_name) {
            let more = self.take_while(in_name);
            return Err(format!("{word}{more} is no number"));
        }
        let value = match float {
            true => word.parse().ok().map(Kind::Float),
            false => word
                .parse::<u64>()
                .ok()
                .map(|value| Kind::Int(value as i64)),
        };
        value.ok_or_else(|| format!("{word} is more than a number of 64 bits can be"))
    }
}

fn is_float(bytes: &[u8], end: usize) -> bool {
    matches!(bytes.get(end), Some(b'.' | b'e' | b'E'))
}

/// True if a suffix can follow without a blank.
fn ends_operand(token: &Token) -> bool {
    match token.kind {
        Kind::Name(_) | Kind::Suffix(_) => true,
        Kind::Sign(sign) => sign == ")" || sign == "]",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(line: &str) -> Vec<Kind> {
        let all = tokens(line).unwrap_or_else(|bad| panic!("{line}: {}", bad.reason));
        all.into_iter().map(|token| token.kind).collect()
    }

    fn name(name: &str) -> Kind {
        Kind::Name(name.into())
    }

    #[test]
    fn dots_are_distinguished() {
        let suffix = |name: &str| Kind::Suffix(name.into());
        assert_eq!(kinds(".set"), [Kind::Directive("set".into())]);
        assert_eq!(kinds("mov.setf"), [name("mov"), suffix("setf")]);
        assert_eq!(kinds("ra0.8a"), [name("ra0"), suffix("8a")]);
        assert_eq!(kinds("-.setf"), [Kind::Sign("-"), suffix("setf")]);
        assert_eq!(kinds("(r2).16b")[3], suffix("16b"));
        assert_eq!(
            kinds("1.5 .5 2. 1e3"),
            [1.5, 0.5, 2.0, 1000.0].map(Kind::Float)
        );
        assert_eq!(kinds("1..."), [Kind::Int(1), Kind::Sign("...")]);
    }

    #[test]
    fn numbers_of_every_base() {
        let values = [0, 10, 31, 255, 5, i64::MAX, -1];
        let line = "0 10 037 0xff 0b101 9223372036854775807 0xffffffffffffffff";
        assert_eq!(kinds(line), values.map(Kind::Int));
        for bad in [
            "08",
            "0x",
            "0b2",
            "12ab",
            "99999999999999999999",
            "\"abc",
            "`",
        ] {
            assert!(tokens(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn labels_and_comments() {
        let label = |name: &str| Kind::Label(name.into());
        assert_eq!(
            kinds(":1 r:1f :.x # no"),
            [label("1"), label("1f"), label(".x")]
        );
        assert_eq!(kinds("::main"), [Kind::GlobalLabel("main".into())]);
        assert_eq!(kinds(": nop"), [Kind::Sign(":"), name("nop")]);
        assert_eq!(
            kinds("r :a-:b"),
            [name("r"), label("a"), Kind::Sign("-"), label("b")]
        );
    }
}
