//! `qpu check`: what is wrong with QPU code, before it runs.
//!
//! Every finding has the name of a rule (`qpu explain RULE`), a place, a reason and what to
//! do. The exit status is 5 when there is one. Of a fragment shader it is said that it is one, and
//! everything is looked at but that: tile buffer, varyings, scoreboard and thread switches are its
//! own.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;

use qpu::asm::{Assembly, Expansion, Options as AsmOptions, Origin};
use qpu::check::{Finding, Rule, Way, check_program, is_fragment_shader};
use qpu::disasm;
use qpu::isa::INSTRUCTION_BYTES;
use serde_json::json;

use super::asm::{Reading, expansion_json};
use common::failure::{Failure, Result};
use common::say;
use workbench::code;
use workbench::known_rule;

/// Options of `check`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The code: source, hexadecimal words or binary; - for standard input
    file: PathBuf,
    #[command(flatten)]
    choice: code::Choice,
    #[command(flatten)]
    reading: Reading,
    /// Leave out findings of this rule; can be given several times
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Report what only one source forbids, too
    #[arg(long)]
    strict: bool,
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
        .map(|name| Rule::from_name(name).ok_or_else(|| known_rule::unknown(name)))
        .collect::<Result<Vec<_>>>()?;
    let (name, bytes) = code::read(&options.file)?;
    let code = if code::is_source(&bytes) {
        options.choice.refuse(&name)?;
        code::refuse_other_language(&name)?;
        Code::Source(assembled(
            &name,
            &code::source_text(bytes),
            &options.reading,
        )?)
    } else {
        Code::Words(code::words(&name, &bytes, &options.choice)?)
    };
    let words = code.words();
    let mut findings = code.findings();
    let is_shader = is_fragment_shader(words, &findings);
    findings.retain(|finding| {
        let is_own = is_shader && finding.rule == Rule::FragmentOnly;
        !is_own && !allowed.contains(&finding.rule)
    });
    let all = findings.len();
    findings.retain(|finding| options.strict || !finding.rule.is_disputed());
    let disputed = all - findings.len();
    let shown = &findings[..findings.len().min(MOST_SHOWN)];
    if options.json {
        let all = as_json(&name, &code, shown, is_shader);
        say::json(&format!("{all}\n"))?;
    } else {
        say::data(&as_text(&name, &code, shown))?;
    }
    if shown.len() < findings.len() {
        common::say::remark!(
            "{name}: only the first {MOST_SHOWN} findings are listed; fix those first"
        );
    }
    if is_shader {
        common::say::remark!(
            "{name} is a fragment shader, or has one: it uses the scoreboard. The 3D pipeline starts such code from a \
             control list; `qpu run` has none and refuses it. What holds for all QPU code was checked"
        );
    }
    if disputed > 0 {
        let plural = if disputed == 1 { "" } else { "s" };
        common::say::remark!(
            "{name}: {disputed} place{plural} where one source forbids what others allow; --strict reports them"
        );
    }
    let count = findings.len();
    match count {
        0 => {
            common::say::remark!("{name}: {} instructions, no findings", words.len());
            Ok(())
        }
        _ => Err(Failure::integrity(format!(
            "{name}: {count} finding{} in {} instructions; `qpu explain RULE` says more of a rule",
            if count == 1 { "" } else { "s" },
            words.len()
        ))),
    }
}

/// Findings that are listed: nobody reads more, and macros can make a million of a short source.
const MOST_SHOWN: usize = 4096;

/// A program, with its source if there is one.
enum Code {
    Source(Assembly),
    Words(Vec<u64>),
}

impl Code {
    fn words(&self) -> &[u64] {
        match self {
            Self::Source(assembly) => &assembly.words,
            Self::Words(words) => words,
        }
    }

    fn findings(&self) -> Vec<Finding> {
        match self {
            Self::Words(words) => check_program(words, |_| false, &[]),
            Self::Source(assembly) => assembly.check(),
        }
    }

    /// The line that an instruction came from.
    fn origin(&self, finding: &Finding) -> Option<&Origin> {
        match self {
            Self::Source(assembly) => assembly.origin((finding.pc / INSTRUCTION_BYTES) as usize),
            Self::Words(_) => None,
        }
    }

    /// The calls and repetitions that led the assembler to that line, innermost first.
    fn expansion(&self, finding: &Finding) -> Vec<Expansion> {
        match self {
            Self::Source(assembly) => assembly.expansion((finding.pc / INSTRUCTION_BYTES) as usize),
            Self::Words(_) => vec![],
        }
    }

    fn fix(&self, finding: &Finding) -> String {
        match self {
            Self::Source(assembly) => assembly.fix(finding),
            Self::Words(_) => finding.rule.fix().to_owned(),
        }
    }

    fn text(&self, finding: &Finding) -> Option<String> {
        let word = self
            .words()
            .get((finding.pc / INSTRUCTION_BYTES) as usize)?;
        Some(disasm::line(*word, finding.pc))
    }
}

fn assembled(file: &str, text: &str, reading: &Reading) -> Result<Assembly> {
    let options = AsmOptions {
        check: false,
        ..AsmOptions::default()
    };
    reading.assemble(file, text, &options)?.map_err(|errors| {
        Failure::usage(format!(
            "{errors}\n{file} does not assemble; mend that first, or say with --syntax which language it is in"
        ))
    })
}

/// Findings that differ in nothing but the repetition of their line, by a macro or `.rep`: the
/// first, and how many there are.
fn grouped<'a>(code: &Code, findings: &'a [Finding]) -> Vec<(&'a Finding, usize)> {
    let mut groups: Vec<(&Finding, usize)> = vec![];
    let mut known = HashMap::new();
    for finding in findings {
        let key = code.origin(finding).map(|origin| {
            let Finding { rule, reason, .. } = finding;
            (&origin.file, origin.line, *rule, reason)
        });
        let group = key.map(|key| *known.entry(key).or_insert(groups.len()));
        match group.and_then(|group| groups.get_mut(group)) {
            Some((_, count)) => *count += 1,
            None => groups.push((finding, 1)),
        }
    }
    groups
}

fn as_text(name: &str, code: &Code, findings: &[Finding]) -> String {
    let mut out = String::new();
    for (finding, count) in grouped(code, findings) {
        let Finding {
            rule, pc, reason, ..
        } = finding;
        let _ = match code.origin(finding) {
            Some(Origin { file, line, .. }) => write!(out, "{file}:{line}"),
            None => write!(out, "{name}:{pc:#06x}"),
        };
        let _ = writeln!(out, ": {}: {reason}", rule.name());
        if let Some(text) = code.text(finding) {
            let _ = writeln!(out, "    {text}");
        }
        for step in code.expansion(finding) {
            let _ = writeln!(out, "    {step}");
        }
        if let Some(way) = finding.way_text() {
            let _ = writeln!(out, "    {way}");
        }
        let more = match count {
            0 | 1 => None,
            2 => Some("once more".to_owned()),
            _ => Some(format!("{} more times", count - 1)),
        };
        if let Some(more) = more {
            let _ = writeln!(out, "    and {more} where this line is repeated");
        }
        let _ = writeln!(out, "    to fix it, {}", code.fix(finding));
    }
    out
}

fn as_json(
    name: &str,
    code: &Code,
    findings: &[Finding],
    is_fragment_shader: bool,
) -> serde_json::Value {
    let way = |way: &Way| json!({ "address": way.pc, "taken": way.taken });
    let findings: Vec<_> = findings
        .iter()
        .map(|finding| {
            let origin = code.origin(finding);
            json!({
                "rule": finding.rule.name(),
                "address": finding.pc,
                "file": origin.map(|origin| &*origin.file),
                "line": origin.map(|origin| origin.line),
                "expansion": expansion_json(&code.expansion(finding)),
                "text": code.text(finding),
                "reason": finding.reason,
                "fix": code.fix(finding),
                "way": finding.way.iter().map(way).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "file": name,
        "instructions": code.words().len(),
        "fragment_shader": is_fragment_shader,
        "findings": findings,
    })
}
