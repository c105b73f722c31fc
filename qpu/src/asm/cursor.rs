//! A place among the tokens of a line.

use super::diagnostic::Fault;
use super::operators::precedence;
use super::token::{Kind, Token};

/// A place among the tokens of a line.
#[derive(Clone)]
pub(super) struct Cursor<'t> {
    tokens: &'t [Token],
    at: usize,
    /// Bytes of the line.
    end: u32,
    /// Operators and parentheses that are being read, one inside the other.
    pub depth: usize,
}

impl<'t> Cursor<'t> {
    pub fn new(tokens: &'t [Token]) -> Self {
        let end = tokens.last().map_or(0, |token| token.end);
        Self {
            tokens,
            at: 0,
            end,
            depth: 0,
        }
    }

    pub fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub fn kind(&self) -> Option<&'t Kind> {
        self.peek().map(|token| &token.kind)
    }

    pub fn step(&mut self) {
        self.at += 1;
    }

    /// The bytes of the next token, or of the place behind the last.
    pub fn span(&self) -> (u32, u32) {
        self.peek()
            .map_or((self.end, self.end + 1), |token| (token.start, token.end))
    }

    /// The bytes of the token before.
    pub fn span_before(&self) -> (u32, u32) {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or(self.span(), |token| (token.start, token.end))
    }

    /// Bytes from `start` to what was read last.
    pub fn span_from(&self, start: (u32, u32)) -> (u32, u32) {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        (
            start.0,
            last.map_or(start.1, |token| token.end)
                .max(start.1.min(start.0 + 1)),
        )
    }

    pub fn is(&self, sign: &str) -> bool {
        self.peek().is_some_and(|token| token.is(sign))
    }

    /// Steps over a sign if it comes next.
    pub fn take(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    pub fn name(&mut self) -> Option<&'t str> {
        match self.kind() {
            Some(Kind::Name(name)) => {
                self.step();
                Some(name)
            }
            _ => None,
        }
    }

    pub fn at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// The text of the next token, for messages.
    pub fn found(&self) -> String {
        match self.kind() {
            None => "the end of the line".to_string(),
            Some(Kind::Name(name)) => format!("`{name}`"),
            Some(Kind::Int(value)) => format!("{value}"),
            Some(Kind::Float(value)) => format!("{value:?}"),
            Some(Kind::Text(text)) => format!("\"{text}\""),
            Some(Kind::Suffix(name) | Kind::Directive(name)) => format!("`.{name}`"),
            Some(Kind::Label(name)) => format!("`:{name}`"),
            Some(Kind::GlobalLabel(name)) => format!("`::{name}`"),
            Some(Kind::Sign(sign)) => format!("`{sign}`"),
        }
    }

    /// A fault at the next token: something else is needed there.
    pub fn expected(&self, what: &str) -> Fault {
        let fault = Fault::new(
            "syntax",
            self.span(),
            format!("{} found where {what} is needed", self.found()),
        );
        // Comments of C: `//` is no operator, and neither is `/*`.
        let signs = [self.at.checked_sub(1), Some(self.at), Some(self.at + 1)].map(|place| {
            let token = place.and_then(|place| self.tokens.get(place));
            token.map(|token| &token.kind)
        });
        let is = |place: usize, sign: &str| matches!(signs[place], Some(Kind::Sign(own)) if *own == sign);
        let is_comment = is(1, "/") && (is(0, "/") || is(2, "/") || is(2, "*") || is(2, "**"))
            || is(1, "*") && is(0, "/");
        if is_comment {
            return fault.help("a comment begins with `#`");
        }
        fault
    }

    pub fn expect(&mut self, sign: &str) -> Result<(), Fault> {
        if self.take(sign) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{sign}`")))
        }
    }

    /// Nothing more may follow.
    pub fn finish(&self) -> Result<(), Fault> {
        if self.at_end() {
            Ok(())
        } else {
            Err(self.expected("the end of the line"))
        }
    }

    /// The tokens that are left.
    pub fn rest(&self) -> &'t [Token] {
        self.tokens.get(self.at..).unwrap_or_default()
    }

    /// True if nothing that could be an operand follows.
    pub fn ends_operand(&self) -> bool {
        match self.kind() {
            None | Some(Kind::Suffix(_)) => true,
            Some(Kind::Sign(sign)) => {
                matches!(*sign, "," | ";" | "@" | ")" | "]") || binary_only(sign)
            }
            _ => false,
        }
    }
}

fn binary_only(sign: &str) -> bool {
    precedence(sign).is_some() && !matches!(sign, "+" | "-")
}
