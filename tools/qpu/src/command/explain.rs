//! `qpu explain`: a rule with its remedy and source, or a constant of the cycle model.
//!
//! Rules are those of `qpu check`, which looks at the program, and those of the simulator,
//! which watches it run. Many are both.

use std::fmt::Write;

use qpu::rules::Entry;
use v3d_sim::{Constants, Described, REFERENCE_HZ};

use common::constants::is_of_host;
use common::failure::Result;
use common::say;
use workbench::known_rule::{KnownRule, known_rules, unknown};

/// Options of `explain`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The rule's name, as findings and warnings give it, or a constant's; all of both without one
    name: Option<String>,
}

/// Prints the rule or the constant, or the names of all.
///
/// # Errors
/// Usage, when there is none of that name.
pub fn run(options: &Options) -> Result<()> {
    let rules = known_rules();
    let constants = Constants::recommended().describe();
    let Some(name) = &options.name else {
        return say::data(&(list(&rules) + &list_of_constants(&constants)));
    };
    if let Some(rule) = rules.iter().find(|rule| rule.entry.id == name.as_str()) {
        return say::data(&explain(rule));
    }
    match constants.iter().find(|constant| constant.name == name) {
        Some(constant) => say::data(&explain_constant(constant)),
        None => Err(unknown(name)),
    }
}

fn list(rules: &[KnownRule]) -> String {
    let mut out = String::new();
    for rule in rules {
        let _ = writeln!(out, "{:<30} {}", rule.entry.id, rule.found_by);
    }
    out
}

fn list_of_constants(constants: &[Described]) -> String {
    let mut out = String::new();
    for Described {
        name, value, unit, ..
    } in constants
    {
        let _ = writeln!(out, "{name:<30} cycle model: {value} {unit}");
    }
    out
}

fn explain_constant(constant: &Described) -> String {
    let Described {
        name,
        value,
        unit,
        what,
        source,
        range: [least, most],
        ..
    } = constant;
    let set = if is_of_host(constant) {
        "The host's share of a call: no run counts it.".to_owned()
    } else {
        format!(
            "Of a board at {} MHz. `qpu run --set {name}=VALUE`, {least} to {most}, changes it for one run.",
            REFERENCE_HZ / 1_000_000
        )
    };
    let source = format!("Source: {}.", source.trim_end_matches('.'));
    let [what, source, set] = [*what, &source, &set].map(folded);
    format!("{name} = {value} {unit} (cycle model)\n\n{what}\n\n{source}\n\n{set}\n")
}

fn explain(rule: &KnownRule) -> String {
    let Entry {
        id,
        text,
        remedy,
        source,
    } = rule.entry;
    let remedy = format!("To fix it, {remedy}.");
    let source = format!("Source: {source}.");
    let [text, remedy, source] = [*text, &remedy, &source].map(folded);
    format!(
        "{id} (found by: {})\n\n{text}\n\n{remedy}\n\n{source}\n",
        rule.found_by
    )
}

/// Lines of at most 100 characters.
fn folded(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > 100 {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_explained_once() {
        let rules = known_rules();
        let mut names: Vec<_> = rules.iter().map(|rule| rule.entry.id).collect();
        names.dedup();
        assert_eq!(names.len(), rules.len());
        for rule in &rules {
            let text = explain(rule);
            assert!(text.contains("Source: "), "{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= 100),
                "{text}"
            );
        }
    }

    #[test]
    fn every_constant_is_explained_and_none_is_called_like_a_rule() {
        let rules = known_rules();
        for constant in Constants::recommended().describe() {
            let text = explain_constant(&constant);
            assert!(text.contains("Source: "), "{text}");
            assert!(rules.iter().all(|rule| rule.entry.id != constant.name));
        }
    }
}
