//! `qpu dis`: QPU code as source of the assembler.
//!
//! The file is hexadecimal text (one or more words, of 32 or 64 bits, as assemblers print them) or
//! binary; which one is told by its content.

use std::path::PathBuf;

use qpu::disasm::{SourceOptions, listing, source};

use common::failure::Result;
use common::say;
use workbench::code;

/// Options of `dis`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The code: hexadecimal words or binary; - for standard input
    file: PathBuf,
    #[command(flatten)]
    choice: code::Choice,
    /// Only the text: no addresses, bits and marks of delay slots
    #[arg(long, conflicts_with = "listing")]
    plain: bool,
    /// Address and bits before the text, for reading
    #[arg(long)]
    listing: bool,
    /// Say in comments what `qpu check` finds
    #[arg(long, conflicts_with = "listing")]
    check: bool,
}

/// Prints the source, which `qpu asm` turns back into the same words.
///
/// # Errors
/// Usage, when the file is neither text nor whole instructions.
pub fn run(options: &Options) -> Result<()> {
    let (name, bytes) = code::read(&options.file)?;
    let words = code::words(&name, &bytes, &options.choice)?;
    if options.listing {
        return say::data(&listing(&words));
    }
    let findings = if options.check {
        let mut findings = qpu::check::check_program(&words, |_| false, &[]);
        findings.retain(|finding| !finding.rule.is_disputed());
        findings
    } else {
        vec![]
    };
    let options = SourceOptions {
        addresses: !options.plain,
        findings: &findings,
    };
    say::data(&source(&words, &options))
}
