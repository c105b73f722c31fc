//! `qpuscope check`: what is wrong with QPU code, before it runs.
//!
//! Every finding has the name of a rule (`qpuscope explain RULE`), a place, a reason and what to do.
//! The exit status is 5 when there is one.

use std::fmt::Write;
use std::path::PathBuf;

use qpu::check::{Finding, Rule};
use qpu::disasm;
use serde_json::json;

use super::explain;
use crate::failure::{Failure, Result};
use crate::{code, say};

/// Options of `check`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The code: hexadecimal words or binary; - for standard input
    file: PathBuf,
    /// Leave out findings of this rule; can be given several times
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Print one object with all findings
    #[arg(long)]
    json: bool,
}

/// Prints the findings.
///
/// # Errors
/// Integrity, when there is one; usage, when the file is no code or `--allow` names no rule.
pub fn run(options: &Options) -> Result<()> {
    let allowed = options
        .allow
        .iter()
        .map(|name| Rule::from_name(name).ok_or_else(|| explain::unknown(name)))
        .collect::<Result<Vec<_>>>()?;
    let (name, bytes) = code::read(&options.file)?;
    let words = code::words(&name, &bytes)?;
    let mut findings = qpu::check::check(&words);
    findings.retain(|finding| !allowed.contains(&finding.rule));
    if options.json {
        say::data(&format!("{}\n", as_json(&name, &words, &findings)))?;
    } else {
        say::data(&as_text(&name, &words, &findings))?;
    }
    let count = findings.len();
    match count {
        0 => {
            eprintln!("{name}: {} instructions, no findings", words.len());
            Ok(())
        }
        _ => Err(Failure::integrity(format!(
            "{name}: {count} finding{} in {} instructions; `qpuscope explain RULE` says more of a rule",
            if count == 1 { "" } else { "s" },
            words.len()
        ))),
    }
}

fn text_at(words: &[u64], finding: &Finding) -> Option<String> {
    let word = words.get((finding.pc / 8) as usize)?;
    Some(disasm::line(*word, finding.pc))
}

fn as_text(name: &str, words: &[u64], findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let Finding {
            rule, pc, reason, ..
        } = finding;
        let _ = writeln!(out, "{name}:{pc:#06x}: {}: {reason}", rule.name());
        if let Some(text) = text_at(words, finding) {
            let _ = writeln!(out, "    {text}");
        }
        if let Some(way) = finding.way_text() {
            let _ = writeln!(out, "    {way}");
        }
        let _ = writeln!(out, "    to mend it, {}", rule.fix());
    }
    out
}

fn as_json(name: &str, words: &[u64], findings: &[Finding]) -> serde_json::Value {
    let findings: Vec<_> = findings
        .iter()
        .map(|finding| {
            json!({
                "rule": finding.rule.name(),
                "address": finding.pc,
                "text": text_at(words, finding),
                "reason": finding.reason,
                "fix": finding.rule.fix(),
                "way": finding.way.iter().map(|way| json!({"address": way.pc, "taken": way.taken})).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "file": name, "instructions": words.len(), "findings": findings })
}
