//! The assembler: passes over the source, statements, what it knows meanwhile.

use std::collections::HashMap;
use std::rc::Rc;

use super::diagnostic::{Diagnostic, Expansion, Fault, Severity};
use super::expression::Cursor;
use super::limits::Limits;
use super::output::{Content, Open, Output, Places, Unit};
use super::piece::{Encoded, Piece, encode, settle_nops};
use super::scope::{Body, Function, Macro, Meaning, Scopes};
use super::source::{Place, Source};
use super::token::{Kind, Token};
use super::value::Value;
use super::{Include, Options, Syntax};
use crate::disasm;
use crate::isa::{Instruction, decode};
use crate::names::nearest;

/// Nothing after it is worth reading; what stopped it has been reported.
#[derive(Debug)]
pub(super) struct Stop;

pub(super) struct Assembler<'a> {
    pub options: &'a Options<'a>,
    pub scopes: Scopes,
    pub macros: HashMap<Rc<str>, Rc<Macro>>,
    pub output: Output,
    /// Exported constants.
    pub globals: Vec<(Rc<str>, Value)>,
    pub diagnostics: Vec<Diagnostic>,
    pub expansions: Vec<Expansion>,
    /// Files, by the place and name by which they were asked for.
    files: HashMap<(String, String, bool), Rc<Source>>,
    source_bytes: usize,
    source_lines: usize,
    /// Lines that added something; units name them by index.
    pub lines: Vec<Place>,
    line_index: HashMap<(*const Source, usize), u32>,
    /// Labels of the pass before; none in the first.
    known: Option<Places>,
    /// Units of the pass before.
    pub before: Vec<Unit>,
    /// How often a label was used: when never, one pass is enough.
    pub label_uses: usize,
    steps: usize,
    place: Option<Place>,
    /// The value of the function that is being computed, when one is.
    pub result: Option<Option<Value>>,
    /// How deep inclusion is.
    pub include_depth: usize,
}

impl<'a> Assembler<'a> {
    pub fn new(options: &'a Options<'a>) -> Self {
        Self {
            options,
            scopes: Scopes::default(),
            macros: HashMap::new(),
            output: Output::default(),
            globals: Vec::new(),
            diagnostics: Vec::new(),
            expansions: Vec::new(),
            files: HashMap::new(),
            source_bytes: 0,
            source_lines: 0,
            lines: Vec::new(),
            line_index: HashMap::new(),
            known: None,
            before: Vec::new(),
            label_uses: 0,
            steps: 0,
            place: None,
            result: None,
            include_depth: 0,
        }
    }

    /// Counts work: statements by their length, operands, calls, over all passes.
    pub fn spend(&mut self, steps: usize, span: (u32, u32)) -> Result<(), Fault> {
        self.steps += steps;
        let most = self.limits().steps;
        if self.steps <= most {
            return Ok(());
        }
        let fault = Fault::limit(
            span,
            format!("the source expands to more than {most} steps"),
        );
        Err(fault.help("look for macros or functions that call themselves without end"))
    }

    pub fn limits(&self) -> &Limits {
        &self.options.limits
    }

    /// Passes until no label moves.
    pub fn run(&mut self, main: &Rc<Source>) {
        const PASSES: usize = 8;
        for pass in 1..=PASSES {
            self.begin();
            if self.once(main).is_err() {
                return;
            }
            let places = self.output.places();
            let settled = self.label_uses == 0 || self.known.as_ref() == Some(&places);
            if settled {
                return;
            }
            if pass == PASSES {
                let message = format!(
                    "after {PASSES} passes labels still move: what is assembled depends on where it lies"
                );
                let fault = Fault::new("labels-move", (0, 1), message)
                    .help("let no .if, .rep or .align depend on a label behind it");
                self.report(Severity::Error, fault, None);
            }
            self.known = Some(places);
            self.before = std::mem::take(&mut self.output.units);
        }
    }

    fn begin(&mut self) {
        self.scopes = Scopes::default();
        self.macros.clear();
        self.output = Output::default();
        self.globals.clear();
        self.diagnostics.clear();
        self.expansions.clear();
        self.label_uses = 0;
        self.include_depth = 0;
    }

    fn once(&mut self, main: &Rc<Source>) -> Result<(), Stop> {
        for (name, text) in self.options.defines {
            self.define_option(name, text)?;
        }
        self.file(main)
    }

    /// A `-D NAME=VALUE`.
    fn define_option(&mut self, name: &str, text: &str) -> Result<(), Stop> {
        let source = Rc::new(Source::new("-D", &format!("{name}={text}")));
        let place = Place {
            source: source.clone(),
            line: 0,
        };
        self.place = Some(place.clone());
        let value = super::token::tokens(text)
            .map_err(|bad| Fault::new("syntax", (bad.start, bad.end), bad.reason))
            .and_then(|tokens| {
                let mut cursor = Cursor::new(&tokens);
                let value = self.expression(&mut cursor)?;
                cursor.finish()?;
                Ok(value)
            });
        match value {
            Ok(value) => {
                let name: Rc<str> = name.into();
                // The first definition of a name never fails.
                let _ = self.scopes.set(&name, Meaning::Value(value), false, false);
                Ok(())
            }
            Err(mut fault) => {
                fault.message = format!("-D {name}: {}", fault.message);
                let before = name.len() as u32 + 1;
                (fault.start, fault.end) = (fault.start + before, fault.end + before);
                self.fault(fault, &place)
            }
        }
    }

    /// A whole file.
    pub fn file(&mut self, source: &Rc<Source>) -> Result<(), Stop> {
        for (line, message) in &source.unmatched {
            let end = source.text(*line).len() as u32;
            let start = end - source.text(*line).trim_start().len() as u32;
            let fault = Fault::new("blocks", (start, end), message.clone())
                .help("every block is closed in the file that opens it");
            self.fault(
                fault,
                &Place {
                    source: source.clone(),
                    line: *line,
                },
            )?;
        }
        self.lines(source, 0, source.len())
    }

    /// Lines `from..to` of a file.
    pub fn lines(&mut self, source: &Rc<Source>, from: usize, to: usize) -> Result<(), Stop> {
        let mut line = from;
        while line < to {
            let place = Place {
                source: source.clone(),
                line,
            };
            self.place = Some(place.clone());
            let length = place.source.text(place.line).len();
            if let Err(fault) = self.spend(1 + length / 32, (0, 1)) {
                return self.fault(fault, &place);
            }
            line = match self.statement(&place) {
                Ok(next) => next,
                Err(Trouble::Fault(fault)) => {
                    self.fault(*fault, &place)?;
                    source
                        .blocks
                        .get(&line)
                        .map_or(line + 1, |block| block.end + 1)
                }
                Err(Trouble::Stop) => return Err(Stop),
            };
        }
        Ok(())
    }

    /// The statement of a line, and the line that comes next.
    fn statement(&mut self, place: &Place) -> Result<usize, Trouble> {
        let length = place.source.text(place.line).len();
        let most = self.limits().line_bytes;
        if length > most {
            return Err(Fault::limit(
                (0, 1),
                format!("the line has {length} bytes, and a line may have {most}"),
            )
            .into());
        }
        let tokens = place
            .source
            .tokens(place.line)
            .map_err(|bad| Fault::new("syntax", (bad.start, bad.end), bad.reason))?;
        let mut rest: &[Token] = &tokens;
        // `name:` defines a label too.
        while let Some(first) = rest.first() {
            match &first.kind {
                Kind::Label(name) => self.label(name, false, (first.start, first.end))?,
                Kind::GlobalLabel(name) => self.label(name, true, (first.start, first.end))?,
                Kind::Sign(":") => self.output.open = None,
                Kind::Name(name)
                    if rest
                        .get(1)
                        .is_some_and(|next| next.is(":") && next.start == first.end) =>
                {
                    self.label(name, false, (first.start, first.end))?;
                    rest = &rest[1..];
                }
                _ => break,
            }
            rest = &rest[1..];
        }
        let mut cursor = Cursor::new(rest);
        if self.options.syntax == Syntax::RpiPlayground && !rest.is_empty() {
            self.playground(&mut cursor, place)?;
            return Ok(place.line + 1);
        }
        match rest.first().map(|first| &first.kind) {
            None => Ok(place.line + 1),
            Some(Kind::Directive(name)) => {
                cursor.step();
                self.directive(name, &mut cursor, place)
            }
            Some(Kind::Name(name)) if self.macros.contains_key(name) => {
                cursor.step();
                self.call_macro(&name.clone(), &mut cursor, place)?;
                Ok(place.line + 1)
            }
            _ if self.result.is_some() => {
                let value = self.expression(&mut cursor)?;
                cursor.finish()?;
                self.result = Some(Some(value));
                Ok(place.line + 1)
            }
            _ => {
                self.instruction(&mut cursor, place)?;
                Ok(place.line + 1)
            }
        }
    }

    fn label(&mut self, name: &Rc<str>, global: bool, span: (u32, u32)) -> Result<(), Fault> {
        let again = name.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        if !again && self.output.labels.contains_key(name) {
            let fault = Fault::new("label", span, format!("label {name} is defined already"));
            return Err(fault.help("labels that are numbers, as `:1`, can be defined again; `r:1f` and `r:1b` mean the next and the last"));
        }
        self.output.define(name, global);
        Ok(())
    }

    /// The address of a label, as the pass before found it.
    pub fn label_address(&mut self, name: &str, span: (u32, u32)) -> Result<i64, Fault> {
        self.label_uses += 1;
        let Some(known) = &self.known else {
            return Ok(0);
        };
        let defined = |name: &str| self.output.labels.get(name).map_or(0, Vec::len);
        let places = |name: &str| known.get(name).map_or(&[][..], Vec::as_slice);
        let digits = name.trim_end_matches(['f', 'b']);
        let numbered = name.len() == digits.len() + 1
            && !digits.is_empty()
            && digits.bytes().all(|b| b.is_ascii_digit());
        let place = if numbered && name.ends_with('f') {
            places(digits).get(defined(digits))
        } else if numbered {
            defined(digits)
                .checked_sub(1)
                .and_then(|last| places(digits).get(last))
        } else {
            // Of labels that are defined again, the last one so far, else the next.
            places(name).get(defined(name).saturating_sub(1))
        };
        if let Some(place) = place {
            return Ok(i64::from(*place));
        }
        let near = nearest(name, known.keys().map(|name| &**name));
        let fault = Fault::new("label", span, format!("label {name} is not defined"));
        Err(match near.is_empty() {
            true => fault.help("define it with `:NAME` before an instruction; `r:1f` looks forward and `r:1b` back for `:1`"),
            false => fault.help(format!("did you mean {}?", near.join(" or "))),
        })
    }

    /// A line of operations.
    fn instruction(&mut self, cursor: &mut Cursor, place: &Place) -> Result<(), Fault> {
        let bits = place.source.bits(place.line);
        if let Some(noted) = bits.and_then(|word| noted(place.source.text(place.line), word)) {
            // The text is the disassembler's for these very bits, and may be none that can be encoded.
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
            let mut all = last.pieces;
            all.extend(pieces.iter().cloned());
            if let Ok((encoded, warnings)) = settled(all.clone()).and_then(|all| encode(&all)) {
                warnings.into_iter().for_each(|warning| self.warn(warning));
                if let Some(unit) = self.output.units.last_mut() {
                    unit.content = Content::Code(encoded, bits);
                }
                self.output.open = open.then_some(Open { pieces: all });
                return Ok(());
            }
        }
        let encoded = settled(pieces.clone()).and_then(|pieces| encode(&pieces));
        let (encoded, warnings) = match encoded {
            Ok(encoded) => encoded,
            Err(fault) => {
                // Later labels keep their places, so that one error does not make others.
                let nop = super::piece::Encoded::fixed(crate::isa::Instruction::NOP);
                self.emit(Content::Code(nop, None), place)?;
                return Err(fault);
            }
        };
        warnings.into_iter().for_each(|warning| self.warn(warning));
        if bits.is_some_and(|word| !agree(&encoded, word)) {
            let message = "the text does not say what the bits in its comment say".to_string();
            return Err(Fault::new("bits", span, message)
                .help("remove the `!bits` note, which is for text as `qpuscope dis` writes it"));
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
        self.output.open = open.then_some(Open { pieces });
        Ok(())
    }

    /// Adds something to the program.
    pub fn emit(&mut self, content: Content, place: &Place) -> Result<(), Fault> {
        if self.result.is_some() {
            return Err(Fault::new(
                "function",
                (0, 1),
                "a function computes a value and emits no code",
            ));
        }
        let most = self.limits().output_bytes;
        if self.output.bytes + content.len() > most {
            return Err(Fault::limit(
                (0, 1),
                format!("the program has more than {most} bytes"),
            ));
        }
        let key = (Rc::as_ptr(&place.source), place.line);
        let origin = *self.line_index.entry(key).or_insert_with(|| {
            self.lines.push(place.clone());
            self.lines.len() as u32 - 1
        });
        self.output.push(Unit { content, origin });
        Ok(())
    }

    /// Whether labels have addresses, which in the first pass they have not.
    pub fn knows_labels(&self) -> bool {
        self.known.is_some()
    }

    pub fn lookup(&self, name: &str) -> Option<Meaning> {
        self.scopes.get(name).cloned()
    }

    pub fn defined_names(&self) -> Vec<Rc<str>> {
        self.scopes.names()
    }

    pub fn macro_names(&self) -> Vec<Rc<str>> {
        self.macros.keys().cloned().collect()
    }

    /// One step further into macros, functions, repetitions or files.
    pub fn expand(&mut self, what: String, place: &Place) -> Result<(), Fault> {
        let most = self.limits().expansion_depth;
        if self.expansions.len() >= most {
            let fault = Fault::limit(
                (0, u32::MAX),
                format!("macros, functions and files nest more than {most} deep"),
            );
            return Err(fault.help("look for one that calls itself"));
        }
        let (file, line) = (place.source.name.clone(), place.source.number(place.line));
        self.expansions.push(Expansion { what, file, line });
        Ok(())
    }

    /// The value of a function of the source.
    pub fn call(
        &mut self,
        function: &Rc<Function>,
        arguments: Vec<Value>,
        span: (u32, u32),
    ) -> Result<Value, Fault> {
        if arguments.len() != function.parameters.len() {
            let (takes, given) = (function.parameters.len(), arguments.len());
            let message = format!(
                "{} takes {takes} arguments, and {given} are given",
                function.name
            );
            return Err(Fault::new("arguments", span, message));
        }
        self.spend(1, span)?;
        let Some(here) = self.place.clone() else {
            return Err(Fault::new("function", span, "no place to call from"));
        };
        self.expand(format!("function {}", function.name), &here)
            .map_err(|fault| Fault {
                start: span.0,
                end: span.1,
                ..fault
            })?;
        self.scopes.enter();
        for (name, value) in function.parameters.iter().zip(arguments) {
            // A new scope holds no constants.
            let _ = self.scopes.set(name, Meaning::Value(value), true, false);
        }
        let value = match &function.body {
            Body::Expression(tokens) => {
                let mut cursor = Cursor::new(tokens);
                self.place = Some(function.place.clone());
                let value = self
                    .expression(&mut cursor)
                    .and_then(|value| cursor.finish().map(|()| value));
                value.map_err(|mut fault| {
                    fault
                        .place
                        .get_or_insert_with(|| Box::new((function.place.clone(), self.stack())));
                    fault
                })
            }
            Body::Lines(from, to) => {
                let outer = self.result.replace(None);
                let done = self.lines(&function.place.source.clone(), *from, *to);
                let value = std::mem::replace(&mut self.result, outer);
                match (done, value.flatten()) {
                    (Err(Stop), _) => Err(Fault {
                        fatal: true,
                        ..Fault::new("stop", span, "")
                    }),
                    (Ok(()), Some(value)) => Ok(value),
                    (Ok(()), None) => {
                        let message = format!("function {} came to no value", function.name);
                        Err(Fault::new("function", span, message)
                            .help("let every path through it reach a line that is an expression"))
                    }
                }
            }
        };
        self.scopes.leave();
        self.expansions.pop();
        self.place = Some(here);
        value
    }

    /// The file that `.include` asks for.
    pub fn load(&mut self, name: &str, from: &str, searched: bool) -> Result<Rc<Source>, Fault> {
        let key = (from.to_string(), name.to_string(), searched);
        if let Some(source) = self.files.get(&key) {
            return Ok(source.clone());
        }
        let loaded = (self.options.include)(&Include {
            name,
            from,
            searched,
        })
        .map_err(|error| Fault::new("include", (0, u32::MAX), error))?;
        let source = self.source(&loaded.name, &loaded.text)?;
        self.files.insert(key, source.clone());
        Ok(source)
    }

    /// A text as a source, within the limits.
    pub fn source(&mut self, name: &str, text: &str) -> Result<Rc<Source>, Fault> {
        let limits = *self.limits();
        self.source_bytes = self.source_bytes.saturating_add(text.len());
        if self.source_bytes > limits.source_bytes {
            return Err(Fault::limit(
                (0, u32::MAX),
                format!(
                    "the files have more than {} bytes together",
                    limits.source_bytes
                ),
            ));
        }
        let lines = text
            .split('\n')
            .filter(|line| !line.trim_start().is_empty())
            .count();
        self.source_lines = self.source_lines.saturating_add(lines);
        if self.source_lines > limits.source_lines {
            return Err(Fault::limit(
                (0, u32::MAX),
                format!(
                    "the files have more than {} lines together",
                    limits.source_lines
                ),
            ));
        }
        Ok(Rc::new(Source::new(name, text)))
    }

    fn stack(&self) -> Vec<Expansion> {
        self.expansions.iter().rev().cloned().collect()
    }

    /// Reports an error; stops when enough are reported or it is a limit.
    fn fault(&mut self, fault: Fault, place: &Place) -> Result<(), Stop> {
        let fatal = fault.fatal;
        if fault.rule != "stop" {
            self.report(Severity::Error, fault, Some(place));
        }
        let errors = self
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .count();
        if fatal || errors >= self.limits().diagnostics {
            Err(Stop)
        } else {
            Ok(())
        }
    }

    pub fn warn(&mut self, fault: Fault) {
        let warnings = self
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Warning)
            .count();
        if warnings < self.limits().diagnostics {
            let place = self.place.clone();
            self.report(Severity::Warning, fault, place.as_ref());
        }
    }

    pub fn report(&mut self, severity: Severity, fault: Fault, place: Option<&Place>) {
        let (place, expansion) = match fault.place {
            Some(said) => (Some(said.0), said.1),
            None => (place.cloned(), self.stack()),
        };
        let source = place
            .as_ref()
            .map_or("", |place| place.source.text(place.line));
        let characters = |bytes: u32| {
            source
                .get(..(bytes as usize).min(source.len()))
                .map_or(0, |text| text.chars().count() as u32)
        };
        let start = characters(fault.start);
        let length = characters(fault.end).saturating_sub(start).max(1);
        let diagnostic = Diagnostic {
            severity,
            rule: fault.rule,
            message: fault.message,
            help: fault.help,
            file: place
                .as_ref()
                .map_or(self.options.file, |place| &place.source.name)
                .to_string(),
            line: place
                .as_ref()
                .map_or(0, |place| place.source.number(place.line)),
            column: start + 1,
            length,
            source: source.chars().take(2000).collect(),
            expansion,
        };
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }
}

fn settled(mut pieces: Vec<Piece>) -> Result<Vec<Piece>, Fault> {
    settle_nops(&mut pieces)?;
    Ok(pieces)
}

/// What ends a statement early.
pub(super) enum Trouble {
    Fault(Box<Fault>),
    /// Reported already.
    Stop,
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

impl From<Stop> for Trouble {
    fn from(_: Stop) -> Self {
        Self::Stop
    }
}

/// The instruction of `word`, if the code of a line is the disassembler's text for it.
fn noted(line: &str, word: u64) -> Option<Instruction> {
    let code = line.split('#').next().unwrap_or_default().trim();
    let same = disasm::text(word).is_some_and(|text| text == code);
    decode(word).ok().filter(|_| same)
}

/// Whether bits are what the text says, but for fields that text leaves open.
fn agree(encoded: &Encoded, word: u64) -> bool {
    // A branch's distance is known when all addresses are.
    let open = match encoded.target {
        Some(_) => u64::from(u32::MAX),
        None => 0,
    };
    let said = disasm::canonical(encoded.instruction.encode());
    said.map(|word| word & !open) == disasm::canonical(word).map(|word| word & !open)
}
