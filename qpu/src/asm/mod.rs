//! The text assembler: `.qasm` to words.
//!
//! ```
//! use qpu::asm::{Options, assemble};
//!
//! let source = "
//! .set count, 3
//!     mov ra0, unif
//! .rep i, count
//!     add r0, r0, i; mov r1, ra0
//! .endr
//!     nop; thrend
//!     nop
//!     nop
//! ";
//! let assembly = assemble(source, &Options::default()).unwrap();
//! assert_eq!(assembly.words.len(), 7);
//!
//! let error = assemble("moc r0, r1", &Options::default()).unwrap_err();
//! assert!(error.to_string().contains("did you mean mov?"));
//! ```
//!
//! The language is vc4asm's, as its documentation describes it: see [`crate::names`] for every word
//! of it.

mod assembler;
mod block;
mod builtin;
mod constant;
mod cursor;
mod diagnostic;
mod directive;
mod expression;
mod findings;
mod format;
mod limits;
mod operation;
mod operators;
mod output;
mod piece;
mod playground;
mod register;
mod scope;
mod source;
mod suffix;
mod token;
mod value;

pub use builtin::names as built_in;
pub use diagnostic::{Diagnostic, Diagnostics, Expansion, Severity};
pub use limits::Limits;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use assembler::{Assembler, Tree};
use output::Content;

/// A file that a source asks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Include<'a> {
    /// The name as it is written.
    pub name: &'a str,
    /// The file that asks.
    pub from: &'a str,
    /// True if it is to be looked for in the include path first: `<...>` and not `"..."`.
    pub searched: bool,
}

/// A file that was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loaded {
    /// Its name, for messages and for the names it includes in turn.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Finds files; an error is one sentence that says what to do.
pub type Loader<'a> = &'a dyn Fn(&Include) -> Result<Loaded, String>;

/// Languages that are understood.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Syntax {
    /// vc4asm's, in which most sources are written, GPU_FFT's among them.
    #[default]
    Vc4asm,
    /// Broadcom's, which differs in one word: `.ifnc` is carry clear, as in FFmpeg's
    /// `rpi_hevc_shader`.
    Broadcom,
    /// elorimer/rpi-playground's and jetpacapp/qpu-asm's, behind m4: an operation of the add ALU,
    /// `;`, one of the mul ALU.
    RpiPlayground,
}

/// The settings for the assembly of a source.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The name of the source, for messages.
    pub file: &'a str,
    /// Names that are set before the first line, with expressions for their values.
    pub defines: &'a [(String, String)],
    /// The loader of included files.
    pub include: Loader<'a>,
    /// The language.
    pub syntax: Syntax,
    /// Bounds.
    pub limits: Limits,
    /// True if hazards are looked for, as [`crate::check`] does.
    pub check: bool,
    /// True: warnings are errors, and what one source alone forbids
    /// ([`crate::check::Rule::is_disputed`]) is warned of.
    pub strict: bool,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self {
            file: "program.qasm",
            defines: &[],
            include: &|include| {
                Err(format!(
                    "{} cannot be included: no files are at hand",
                    include.name
                ))
            },
            syntax: Syntax::default(),
            limits: Limits::DEFAULT,
            check: true,
            strict: false,
        }
    }
}

/// The line that a word came from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// Its text.
    pub text: Arc<str>,
    /// The way to it.
    way: u32,
}

/// The value of an exported name.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Exported {
    /// A label: bytes from the start of the program.
    Label(u32),
    /// A constant's 32 bits.
    Constant(u32),
}

impl Exported {
    const fn word(self) -> u32 {
        match self {
            Self::Label(word) | Self::Constant(word) => word,
        }
    }
}

/// A program.
#[derive(Clone, PartialEq, Debug)]
pub struct Assembly {
    /// The instructions, and data between them.
    pub words: Vec<u64>,
    /// Labels in the order of their addresses, in bytes.
    pub labels: Vec<(u32, String)>,
    /// The exports of `.global` and `::label`: names and values.
    pub globals: Vec<(String, Exported)>,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
    origins: Vec<Origin>,
    /// The ways by which the assembler came to the origins.
    ways: Tree,
    /// For each word.
    emitted: Vec<Emitted>,
}

/// The first of what a word holds.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Emitted {
    /// Index of its origin.
    origin: u32,
    /// True if it is data and no instruction.
    is_data: bool,
    /// True if it is said to rotate inside quads, and means it.
    rotates_in_quads: bool,
}

impl Assembly {
    /// The place that a word came from.
    #[must_use]
    pub fn origin(&self, word: usize) -> Option<&Origin> {
        self.origins.get(self.emitted.get(word)?.origin as usize)
    }

    /// The way by which the assembler came to the line of a word, innermost first; for a
    /// repetition, any of its iterations.
    #[must_use]
    pub fn expansion(&self, word: usize) -> Vec<Expansion> {
        let way = self.origin(word).map_or(0, |origin| origin.way);
        self.ways.steps(way)
    }

    /// True if a word is data and no instruction.
    #[must_use]
    pub fn is_data(&self, word: usize) -> bool {
        self.emitted.get(word).is_none_or(|word| word.is_data)
    }
}

/// Assembles a source.
///
/// # Errors
/// Names what is wrong, as far as it can be found in one go.
pub fn assemble(source: &str, options: &Options) -> Result<Assembly, Diagnostics> {
    let mut assembler = Assembler::new(options);
    match assembler.source(options.file, source) {
        Ok(main) => assembler.run(&main),
        Err(fault) => assembler.report(Severity::Error, fault, None),
    }
    let failed = |all: &[Diagnostic]| all.iter().any(|one| one.severity == Severity::Error);
    if failed(&assembler.diagnostics) {
        return Err(Diagnostics(assembler.diagnostics));
    }
    let mut assembly = finish(assembler);
    if options.check {
        findings::add(&mut assembly, options.limits.diagnostics, options.strict);
    }
    if options.strict && !assembly.warnings.is_empty() {
        let errors = assembly.warnings.into_iter().map(|warning| Diagnostic {
            severity: Severity::Error,
            ..warning
        });
        return Err(Diagnostics(errors.collect()));
    }
    Ok(assembly)
}

fn finish(assembler: Assembler) -> Assembly {
    let addresses = assembler.output.addresses();
    let address = |unit: u32| addresses.get(unit as usize).copied().unwrap_or(0);
    let mut bytes = Vec::with_capacity(assembler.output.bytes);
    let mut emitted: Vec<Emitted> = Vec::new();
    for (unit, address) in assembler.output.units.iter().zip(&addresses) {
        let first = Emitted {
            origin: unit.origin,
            is_data: matches!(unit.content, Content::Data { .. }),
            rotates_in_quads: matches!(unit.content, Content::Code(code, _) if code.rotates_in_quads),
        };
        emitted.resize(emitted.len().max((*address / 8) as usize + 1), first);
        match unit.content {
            Content::Code(encoded, bits) => {
                bytes.extend(bits.unwrap_or(encoded.word(*address)).to_le_bytes())
            }
            Content::Data { bytes: data, count } => bytes.extend(&data[..usize::from(count)]),
        }
    }
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let (words, _) = bytes.as_chunks::<8>();
    let order = &assembler.output.order;
    let mut labels: Vec<(u32, String)> = order
        .iter()
        .map(|(name, unit, _)| (address(*unit), name.to_string()))
        .collect();
    labels.sort_by_key(|(address, _)| *address);
    let exported = order.iter().filter(|(_, _, global)| *global);
    let exported =
        exported.map(|(name, unit, _)| (name.to_string(), Exported::Label(address(*unit))));
    let constants = assembler.globals.iter().map(|(name, value)| {
        let word = value.word().unwrap_or(0);
        let value = match value {
            value::Value::Label(_) => Exported::Label(word),
            _ => Exported::Constant(word),
        };
        (name.to_string(), value)
    });
    // Macros bring the same line in many ways.
    let mut texts: HashMap<(*const source::Source, usize), Arc<str>> = HashMap::new();
    let origins = assembler.lines.into_iter().map(|(place, way)| {
        let source::Place { source, line } = place;
        let text = texts.entry((Rc::as_ptr(&source), line));
        Origin {
            file: source.name.clone(),
            line: source.number(line),
            text: text.or_insert_with(|| source.text(line).into()).clone(),
            way,
        }
    });
    Assembly {
        words: words.iter().map(|word| u64::from_le_bytes(*word)).collect(),
        labels,
        globals: exported.chain(constants).collect(),
        origins: origins.collect(),
        ways: assembler.ways.tree,
        emitted,
        warnings: assembler.diagnostics,
    }
}
