//! The assembler: passes over the source, statements, what it knows meanwhile.

mod call;
mod emit;
mod labels;
mod report;
mod ways;

use std::collections::HashMap;
use std::rc::Rc;

use super::cursor::Cursor;
use super::diagnostic::{Diagnostic, Fault, Severity};
use super::limits::Limits;
use super::output::{Output, Places, Unit};
use super::scope::{Function, Meaning, Scopes};
use super::source::{self, Place, Source};
use super::token::{Kind, Token};
use super::value::Value;
use super::{Include, Options, Syntax};
pub(super) use ways::{Expanded, Tree, Ways};

/// An expansion that is not over.
pub(super) struct Step {
    /// The thing that is expanded, and for which iteration.
    what: String,
    /// The place where it was asked for.
    place: Place,
    /// The way to what it emits.
    way: u32,
}

pub(super) struct Assembler<'a> {
    pub options: &'a Options<'a>,
    pub scopes: Scopes,
    pub macros: HashMap<Rc<str>, Rc<Function>>,
    pub output: Output,
    /// Exported constants.
    pub globals: Vec<(Rc<str>, Value)>,
    pub global_index: HashMap<Rc<str>, usize>,
    pub diagnostics: Vec<Diagnostic>,
    pub expansions: Vec<Step>,
    pub ways: Ways,
    /// Files, by the place and name by which they were asked for.
    files: HashMap<(String, String, bool), Rc<Source>>,
    source_bytes: usize,
    source_lines: usize,
    /// Lines that added something, and the ways to them; units name them by index.
    pub lines: Vec<(Place, u32)>,
    line_index: HashMap<(*const Source, usize, u32), u32>,
    /// Labels of the pass before; none in the first.
    known: Option<Places>,
    /// Units of the pass before.
    pub before: Vec<Unit>,
    /// The number of uses of labels: without any, one pass is enough.
    pub label_uses: usize,
    steps: usize,
    /// Lines of this pass.
    expanded_lines: usize,
    /// Errors and warnings of this pass, those that were reported before counted too.
    raised: usize,
    warned: usize,
    /// Blocks of lines that are being assembled, one inside the other.
    nesting: usize,
    /// Operators and parentheses that are being computed, one inside the other.
    pub levels: usize,
    place: Option<Place>,
    /// The value of the function that is being computed, when one is.
    pub result: Option<Option<Value>>,
    /// The depth of inclusion.
    pub include_depth: usize,
    /// Places where warnings were silenced and still are.
    pub unwarned: Vec<Place>,
    /// The operands that are read are those of a branch: a name that means nothing else is a label.
    pub in_branch: bool,
}

impl<'a> Assembler<'a> {
    pub fn new(options: &'a Options<'a>) -> Self {
        Self {
            options,
            scopes: Scopes::default(),
            macros: HashMap::new(),
            output: Output::default(),
            globals: Vec::new(),
            global_index: HashMap::new(),
            diagnostics: Vec::new(),
            expansions: Vec::new(),
            ways: Ways::default(),
            files: HashMap::new(),
            source_bytes: 0,
            source_lines: 0,
            lines: Vec::new(),
            line_index: HashMap::new(),
            known: None,
            before: Vec::new(),
            label_uses: 0,
            steps: 0,
            expanded_lines: 0,
            raised: 0,
            warned: 0,
            nesting: 0,
            levels: 0,
            place: None,
            result: None,
            include_depth: 0,
            unwarned: Vec::new(),
            in_branch: false,
        }
    }

    /// Counts work: statements by their length, operands, calls, over all passes.
    pub fn spend(&mut self, steps: usize, span: (u32, u32)) -> Result<(), Fault> {
        self.steps += steps;
        let most = self.limits().steps;
        if self.steps <= most {
            return Ok(());
        }
        let message = format!("the source expands to more than {most} steps");
        let help = "look for macros or functions that call themselves without end";
        Err(Fault::limit(span, message).help(help))
    }

    /// Counts a line of this pass.
    fn count_line(&mut self) -> Result<(), Fault> {
        self.expanded_lines += 1;
        let most = self.limits().expanded_lines;
        if self.expanded_lines <= most {
            return Ok(());
        }
        let message = format!("the source expands to more than {most} lines");
        Err(Fault::limit((0, 1), message).help(
            "look for macros that call each other many times, and for repetitions inside repetitions",
        ))
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

    /// Forgets what a pass found, but for files, labels and how much work it was.
    fn begin(&mut self) {
        *self = Self {
            files: std::mem::take(&mut self.files),
            source_bytes: self.source_bytes,
            source_lines: self.source_lines,
            known: self.known.take(),
            before: std::mem::take(&mut self.before),
            steps: self.steps,
            ..Self::new(self.options)
        };
    }

    fn once(&mut self, main: &Rc<Source>) -> Result<(), Fault> {
        for (name, text) in self.options.defines {
            self.define_option(name, text)?;
        }
        self.file(main)?;
        while let Some(place) = self.unwarned.pop() {
            let message = "`.pushnwarn` has no `.popnwarn` behind it";
            let fault = Fault::new("blocks", (0, u32::MAX), message);
            self.fault(fault.help("close it with .popnwarn"), &place)?;
        }
        Ok(())
    }

    /// A `-D NAME=VALUE`.
    fn define_option(&mut self, name: &str, text: &str) -> Result<(), Fault> {
        let source = Rc::new(Source::new("-D", &format!("{name}={text}"), 0));
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
    pub fn file(&mut self, source: &Rc<Source>) -> Result<(), Fault> {
        if let Some(line) = source.too_deep {
            let source = source.clone();
            return self.fault(self.too_deep(), &Place { source, line });
        }
        for (line, message) in &source.unmatched {
            let end = source.text(*line).len() as u32;
            let start = end - source.text(*line).trim_start().len() as u32;
            let fault = Fault::new("blocks", (start, end), message.clone())
                .help("every block is closed in the file that opens it");
            let (source, line) = (source.clone(), *line);
            self.fault(fault, &Place { source, line })?;
        }
        self.lines(source, 0, source.len())
    }

    /// Blocks lie too deep in each other.
    fn too_deep(&self) -> Fault {
        let most = self.limits().block_depth;
        let message = format!("blocks (.if, .rep, .macro and others) nest more than {most} deep");
        let fault = Fault::limit((0, u32::MAX), message);
        fault.help("write .elseif instead of .else and .if, or look for a macro that calls itself")
    }

    /// Lines `from..to` of a file: the only way down into blocks, macros and files, whose depth is
    /// bounded here.
    pub fn lines(&mut self, source: &Rc<Source>, from: usize, to: usize) -> Result<(), Fault> {
        if self.nesting > self.limits().block_depth {
            let source = source.clone();
            let line = from.min(source.len().saturating_sub(1));
            return self.fault(self.too_deep(), &Place { source, line });
        }
        self.nesting += 1;
        let done = self.each_line(source, from, to);
        self.nesting -= 1;
        done
    }

    fn each_line(&mut self, source: &Rc<Source>, from: usize, to: usize) -> Result<(), Fault> {
        let mut line = from;
        while line < to {
            let place = Place {
                source: source.clone(),
                line,
            };
            self.place = Some(place.clone());
            let length = place.source.text(place.line).len();
            let spent = self.spend(1 + length / 32, (0, 1));
            if let Err(fault) = spent.and_then(|()| self.count_line()) {
                return self.fault(fault, &place);
            }
            line = match self.statement(&place) {
                Ok(next) => next,
                Err(fault) => {
                    self.fault(fault, &place)?;
                    let block = source.blocks.get(&line);
                    block.map_or(line + 1, |block| block.end + 1)
                }
            };
        }
        Ok(())
    }

    /// The statement of a line, and the line that comes next.
    fn statement(&mut self, place: &Place) -> Result<usize, Fault> {
        let length = place.source.text(place.line).len();
        let most = self.limits().line_bytes;
        if length > most {
            let message = format!("the line has {length} bytes, and a line may have {most}");
            return Err(Fault::limit((0, 1), message));
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
            Some(Kind::Name(name)) if let Some(own) = self.macros.get(name).cloned() => {
                cursor.step();
                self.call_macro(&own, &mut cursor, place)?;
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

    pub fn lookup(&self, name: &str) -> Option<Meaning> {
        self.scopes.get(name).cloned()
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
            let most = limits.source_bytes;
            let message = format!("the files have more than {most} bytes together");
            return Err(Fault::limit((0, u32::MAX), message));
        }
        let lines = source::lines(text)
            .filter(|line| !line.trim_start().is_empty())
            .count();
        self.source_lines = self.source_lines.saturating_add(lines);
        if self.source_lines > limits.source_lines {
            let most = limits.source_lines;
            let message = format!("the files have more than {most} lines together");
            return Err(Fault::limit((0, u32::MAX), message));
        }
        Ok(Rc::new(Source::new(name, text, limits.block_depth)))
    }
}
