//! `qpu asm`: text to QPU code.
//!
//! The language is vc4asm's. Files included by `"name"` are looked for beside the file that
//! includes them, then in the folders of `-I`; by `<name>` the other way round. `vc4.qinc` need not
//! be there: what it defines is built in.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use qpu::asm::{
    Assembly, Diagnostic, Diagnostics, Expansion, Include, Loaded, Options as AsmOptions, Syntax,
    assemble,
};
use serde_json::{Value, json};

use common::failure::{Failure, Result};
use common::files::{apart, input, output};
use common::say;
use workbench::code;

/// Options of `asm`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The source; - for standard input
    file: PathBuf,
    /// Where to write the code; - for standard output, which is the default
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Form of the output; without it the one that the output file's name says, else hex
    #[arg(long, value_enum)]
    format: Option<CodeFormat>,
    #[command(flatten)]
    reading: Reading,
    /// Write addresses, words and the lines that they came from to this file
    #[arg(long, value_name = "FILE")]
    listing: Option<PathBuf>,
    /// Take warnings for errors, those of what one source alone forbids too
    #[arg(long)]
    strict: bool,
    /// Do not look for hazards
    #[arg(long, conflicts_with = "strict")]
    no_check: bool,
    /// Print what is wrong as one JSON object (and write code to -o only)
    #[arg(long)]
    json: bool,
}

/// The options of reading a source.
#[derive(clap::Args, Debug)]
pub struct Reading {
    /// Look for files that a source includes here too; it may include any file that you can read
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<PathBuf>,
    /// Set a name before the first line, as `.set NAME, VALUE` would
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    define: Vec<String>,
    /// The language of a source
    #[arg(long, value_enum, default_value_t = Language::Vc4asm)]
    syntax: Language,
    /// Files that sources have included.
    #[arg(skip)]
    included: RefCell<Vec<PathBuf>>,
}

impl Reading {
    /// The assembly of a source, with the options that are not of its language.
    ///
    /// # Errors
    /// Usage, when `-D` defines nothing. What is wrong with the source is the inner result.
    pub(super) fn assemble(
        &self,
        file: &str,
        text: &str,
        options: &AsmOptions,
    ) -> Result<std::result::Result<Assembly, Diagnostics>> {
        let defines = self.define.iter().map(|define| define_of(define));
        let defines = defines.collect::<Result<Vec<_>>>()?;
        let load = |include: &Include| {
            let loaded = find(include, &self.include)?;
            self.included.borrow_mut().push(PathBuf::from(&loaded.name));
            Ok(loaded)
        };
        let asm = AsmOptions {
            file,
            defines: &defines,
            include: &load,
            syntax: match self.syntax {
                Language::Vc4asm => Syntax::Vc4asm,
                Language::Broadcom => Syntax::Broadcom,
                Language::RpiPlayground => Syntax::RpiPlayground,
            },
            ..*options
        };
        Ok(assemble(text, &asm))
    }
}

/// The format of code.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum CodeFormat {
    /// `0xLOW, 0xHIGH, // source`, one instruction a line
    Hex,
    /// Little-endian 64-bit words
    Bin,
    /// A C array
    C,
    /// A Rust constant
    Rust,
}

/// Languages.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    /// vc4asm's, and so that of GPU_FFT
    Vc4asm,
    /// Broadcom's, in which `.ifnc` is carry clear, as in FFmpeg's rpi_hevc_shader
    Broadcom,
    /// elorimer/rpi-playground's and jetpacapp/qpu-asm's, after m4: `or ra1, ra32, 0; nop`
    RpiPlayground,
}

/// Assembles a file.
///
/// # Errors
/// Usage, when the source cannot be read or is not right.
pub fn run(options: &Options) -> Result<()> {
    let outputs: Vec<&Path> = [&options.out, &options.listing]
        .into_iter()
        .filter_map(|path| path.as_deref())
        .collect();
    apart(&outputs, &[(&options.file, "the source")])?;
    let (file, text) = source(&options.file)?;
    let asm = AsmOptions {
        check: !options.no_check,
        strict: options.strict,
        ..AsmOptions::default()
    };
    let assembled = options.reading.assemble(&file, &text, &asm)?;
    let included = options.reading.included.borrow();
    let included = included
        .iter()
        .map(|file| (&**file, "included by the source"));
    apart(&outputs, &included.collect::<Vec<_>>())?;
    let (said, assembly) = match assembled {
        Ok(assembly) => (assembly.warnings.clone(), Some(assembly)),
        Err(diagnostics) => (diagnostics.0, None),
    };
    if options.json {
        say::json(&format!("{:#}\n", json(&said, assembly.as_ref())))?;
    } else {
        for diagnostic in &said {
            say::remark!("{diagnostic}");
        }
    }
    let Some(assembly) = assembly else {
        let errors = said
            .iter()
            .filter(|one| one.severity == qpu::asm::Severity::Error)
            .count();
        let s = if errors == 1 { "" } else { "s" };
        return Err(Failure::usage(format!(
            "{file}: {errors} error{s}; nothing was written"
        )));
    };
    if let Some(path) = &options.listing {
        output::write(path, assembly.listing().as_bytes())?;
    }
    write(options, &assembly)
}

fn write(options: &Options, assembly: &Assembly) -> Result<()> {
    let extension = options.out.as_deref().and_then(Path::extension);
    let by_name = match extension.and_then(|extension| extension.to_str()) {
        Some("bin") => CodeFormat::Bin,
        Some("c" | "h" | "inc") => CodeFormat::C,
        Some("rs") => CodeFormat::Rust,
        _ => CodeFormat::Hex,
    };
    let named = options.out.as_deref().unwrap_or(&options.file).file_stem();
    let name = named.map_or("program".into(), |name| name.to_string_lossy());
    let name = if name == "-" { "program".into() } else { name };
    let format = options.format.unwrap_or(by_name);
    let text = match format {
        CodeFormat::Hex => assembly.to_hex(),
        CodeFormat::Bin => String::new(),
        CodeFormat::C => assembly.to_c(&name),
        CodeFormat::Rust => assembly.to_rust(&name),
    };
    if assembly.words.is_empty() {
        say::remark!("{}: no instruction is in it", options.file.display());
    }
    match &options.out {
        None if options.json => Ok(()),
        Some(path) if path != Path::new("-") => match format {
            CodeFormat::Bin => output::write(path, &assembly.to_bin()),
            _ => output::write(path, text.as_bytes()),
        },
        _ if format == CodeFormat::Bin => say::bytes(&assembly.to_bin()),
        _ => say::data(&text),
    }
}

/// The name and text of the source.
fn source(path: &Path) -> Result<(String, String)> {
    let bytes = input::read(path, "a source", input::TEXT)?;
    let name = path.display().to_string();
    code::refuse_job(&name, &bytes)?;
    if bytes.contains(&0) {
        return Err(Failure::usage(format!(
            "{name} is no text, it has bytes of 0; give source, or show code with `qpu dis`"
        )));
    }
    Ok((name, code::source_text(bytes)))
}

fn define_of(define: &str) -> Result<(String, String)> {
    let (name, value) = define.split_once('=').unwrap_or((define, "1"));
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(plain) || name.starts_with(|c: char| c.is_ascii_digit())
    {
        return Err(Failure::usage(format!(
            "-D {define} names nothing that could be defined; give NAME=VALUE"
        )));
    }
    Ok((name.to_string(), value.to_string()))
}

/// The text of an included file.
fn find(include: &Include, path: &[PathBuf]) -> Result<Loaded, String> {
    let beside = Path::new(include.from)
        .parent()
        .unwrap_or(Path::new(""))
        .to_path_buf();
    let mut folders = path.to_vec();
    folders.insert(if include.searched { path.len() } else { 0 }, beside);
    for folder in &folders {
        let path = folder.join(include.name);
        if path.is_file() {
            let bytes = input::read(&path, "a source", input::TEXT);
            let bytes = bytes.map_err(|failure| failure.message)?;
            return Ok(Loaded {
                name: path.display().to_string(),
                text: code::source_text(bytes),
            });
        }
    }
    let searched: Vec<String> = folders
        .iter()
        .map(|folder| match folder.as_os_str().is_empty() {
            true => ".".to_string(),
            false => folder.display().to_string(),
        })
        .collect();
    Err(format!(
        "{} is not in {}; say with -I where it is",
        include.name,
        searched.join(", ")
    ))
}

fn json(said: &[Diagnostic], assembly: Option<&Assembly>) -> Value {
    let diagnostics = said.iter().map(|one| {
        json!({
            "severity": one.severity.name(),
            "rule": one.rule,
            "message": one.message,
            "help": one.help,
            "file": one.file,
            "line": one.line,
            "column": one.column,
            "length": one.length,
            "source": one.source,
            "expansion": expansion_json(&one.expansion),
        })
    });
    json!({
        "instructions": assembly.map(|assembly| assembly.words.len()),
        "diagnostics": diagnostics.collect::<Vec<_>>(),
    })
}

/// The calls and repetitions that led the assembler to a line, innermost first.
pub(super) fn expansion_json(expansion: &[Expansion]) -> Value {
    let steps = expansion.iter();
    steps
        .map(|step| json!({ "what": step.what, "file": step.file, "line": step.line }))
        .collect()
}
