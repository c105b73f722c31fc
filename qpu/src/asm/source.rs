//! Source files: loaded once, split into lines and tokens, blocks matched.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::token::{BadToken, Kind, Token, tokens};

/// A file, ready to be assembled any number of times.
#[derive(Debug)]
pub(super) struct Source {
    pub name: Arc<str>,
    text: Box<str>,
    /// Lines that hold more than blanks and a comment.
    lines: Vec<Line>,
    /// The block that each opening line belongs to.
    pub blocks: HashMap<usize, Rc<Block>>,
    /// The line that opens a block inside too many others; blocks from there on are not matched.
    pub too_deep: Option<usize>,
    /// Lines that open what nothing closes, or close what nothing opened.
    pub unmatched: Vec<(usize, String)>,
}

#[derive(Clone, Copy, Debug)]
struct Line {
    number: u32,
    start: u32,
    end: u32,
}

/// The lines where a block's parts begin: the openers of its alternatives (`.if`, `.elseif` or
/// `.elif`, `.else`), and its end.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub parts: Vec<usize>,
    pub end: usize,
}

/// A line of a file.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub source: Rc<Source>,
    pub line: usize,
}

type Opener = (&'static str, &'static [&'static str]);

/// The directives that open a block, and those that close it.
const BLOCKS: &[Opener] = &[
    ("if", &["endif"]),
    ("ifset", &["endif"]),
    ("ifnset", &["endif"]),
    ("macro", &["endm"]),
    ("rep", &["endr"]),
    ("foreach", &["endfor", "endr"]),
    ("func", &["endf"]),
    ("local", &["endloc"]),
    ("back", &["endb"]),
];

/// True if a directive opens a block.
pub(super) fn opens(directive: &str) -> bool {
    BLOCKS.iter().any(|(opener, _)| *opener == directive)
}

/// True if a directive closes a block, or begins another part of one.
pub(super) fn closes(directive: &str) -> bool {
    let is_part = matches!(directive, "else" | "elseif" | "elif");
    is_part
        || BLOCKS
            .iter()
            .any(|(_, closers)| closers.contains(&directive))
}

/// The lines of a text, each without its end, which is one byte. Where no line ends in LF all end
/// in CR, as on old Macintoshes.
pub fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(if text.contains('\n') { '\n' } else { '\r' })
}

impl Source {
    /// Splits a text, whose length fits 32 bits. Blocks lie at most so deep in each other.
    pub fn new(name: &str, text: &str, block_depth: usize) -> Self {
        let mut kept = Vec::new();
        let mut start = 0;
        for (index, line) in lines(text).enumerate() {
            let content = line.trim_start();
            if !content.is_empty() && !content.starts_with('#') {
                let (number, end) = (index as u32 + 1, (start + line.len()) as u32);
                kept.push(Line {
                    number,
                    start: start as u32,
                    end,
                });
            }
            start += line.len() + 1;
        }
        let mut source = Self {
            name: name.into(),
            text: text.into(),
            lines: kept,
            blocks: HashMap::new(),
            too_deep: None,
            unmatched: Vec::new(),
        };
        source.match_blocks(block_depth);
        source
    }

    /// Lines that hold something.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// The number of a line in its file, from 1.
    pub fn number(&self, line: usize) -> u32 {
        self.lines.get(line).map_or(0, |line| line.number)
    }

    /// The text of a line.
    pub fn text(&self, line: usize) -> &str {
        let text = |line: &Line| self.text.get(line.start as usize..line.end as usize);
        let text = self.lines.get(line).and_then(text).unwrap_or_default();
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// The tokens of a line.
    pub fn tokens(&self, line: usize) -> Result<Vec<Token>, BadToken> {
        tokens(self.text(line))
    }

    /// The word that a line's `# !bits` asks for.
    pub fn bits(&self, line: usize) -> Option<u64> {
        bits(self.text(line))
    }

    /// The directive that a line holds, behind its labels.
    fn directive(&self, line: usize) -> Option<String> {
        let text = self.text(line);
        if !text.trim_start().starts_with(['.', ':']) {
            return None;
        }
        let tokens = tokens(text).ok()?;
        let mut behind = tokens.into_iter().map(|token| token.kind);
        match behind.find(|kind| !matches!(kind, Kind::Label(_) | Kind::GlobalLabel(_)))? {
            Kind::Directive(name) => Some(crate::names::directive(&name).to_string()),
            _ => None,
        }
    }

    fn match_blocks(&mut self, block_depth: usize) {
        let mut open: Vec<(usize, &Opener, Vec<usize>)> = Vec::new();
        for index in 0..self.lines.len() {
            let Some(directive) = self.directive(index) else {
                continue;
            };
            let directive = directive.as_str();
            if let Some(opener) = BLOCKS.iter().find(|(opener, _)| *opener == directive) {
                // The search for what an end closes goes over all that are open.
                if open.len() >= block_depth {
                    self.too_deep = Some(index);
                    return;
                }
                open.push((index, opener, vec![index]));
            } else if matches!(directive, "else" | "elseif" | "elif") {
                match open.last_mut() {
                    Some((_, ("if" | "ifset" | "ifnset", _), parts)) => parts.push(index),
                    _ => self
                        .unmatched
                        .push((index, format!(".{directive} stands in no .if"))),
                }
            } else if closes(directive) {
                let closes = |(_, closers): &Opener| closers.contains(&directive);
                if !open.iter().any(|(_, opener, _)| closes(opener)) {
                    let message = format!(".{directive} closes nothing");
                    self.unmatched.push((index, message));
                    continue;
                }
                while let Some((opened, opener, parts)) = open.pop() {
                    let block = Block { parts, end: index };
                    self.blocks.insert(opened, Rc::new(block));
                    if closes(opener) {
                        break;
                    }
                    self.unmatched.push((opened, unclosed(opener)));
                }
            }
        }
        for (opened, opener, parts) in open {
            self.unmatched.push((opened, unclosed(opener)));
            let end = self.lines.len();
            self.blocks.insert(opened, Rc::new(Block { parts, end }));
        }
    }
}

fn unclosed((opener, closers): &Opener) -> String {
    format!(".{opener} is not closed by .{}", closers.join(" or ."))
}

/// The 64 bits of a trailing `# !bits 0xHHHHHHHH_LLLLLLLL`, the high word first.
fn bits(line: &str) -> Option<u64> {
    let (_, note) = line.split_once('#')?;
    let (_, note) = note.split_once("!bits")?;
    let word = note.split_whitespace().next()?;
    let digits = word.strip_prefix("0x")?.replace('_', "");
    (digits.len() == 16).then(|| u64::from_str_radix(&digits, 16).ok())?
}
