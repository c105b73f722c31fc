//! `qpuscope explain`: a rule with its remedy and source, or a constant of the cycle model.
//!
//! Rules are those of `qpuscope check`, which looks at the program, and those of the simulator,
//! which watches it run. Many are both.

use std::fmt::Write;

use qpu::rules::Entry;
use v3d_sim::{Constants, Described, REFERENCE_HZ};

use crate::constants::is_of_host;
use crate::failure::{Failure, Result};
use crate::say;

/// Options of `explain`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The rule's name, as findings and warnings give it, or a constant's; all of both without one
    name: Option<String>,
}

/// A rule, and the tools that find it.
struct Known {
    entry: &'static Entry,
    found_by: &'static str,
}

/// Prints the rule or the constant, or the names of all.
///
/// # Errors
/// Usage, when there is none of that name.
pub fn run(options: &Options) -> Result<()> {
    let rules = rules();
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

/// The failure for a rule that does not exist, with the names that are nearest.
pub fn unknown(name: &str) -> Failure {
    let rules = rules();
    let mut near: Vec<_> = rules
        .iter()
        .map(|rule| (likeness(name, rule.entry.id), rule.entry.id))
        .collect();
    near.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
    let near: Vec<_> = near.iter().take(3).map(|(_, rule)| *rule).collect();
    Failure::usage(format!(
        "there is no rule `{name}`; the nearest are {}; `qpuscope explain` lists all",
        near.join(", ")
    ))
}

/// The rule of that name that a run reports.
///
/// # Errors
/// Usage, when there is none.
pub fn simulated(name: &str) -> Result<v3d_sim::Rule> {
    v3d_sim::Rule::from_id(name).ok_or_else(|| match qpu::check::Rule::from_name(name) {
        None => unknown(name),
        Some(_) => Failure::usage(format!(
            "`{name}` is a rule of `qpuscope check`, which no run reports; leave it out"
        )),
    })
}

/// The likeness of a rule's name to another: of the whole, and of each word's nearest.
fn likeness(name: &str, rule: &str) -> f64 {
    let words: Vec<f64> = name
        .split('-')
        .map(|word| {
            let near = rule
                .split('-')
                .map(|other| strsim::jaro_winkler(word, other));
            near.fold(0.0, f64::max)
        })
        .collect();
    strsim::normalized_damerau_levenshtein(rule, name)
        + words.iter().sum::<f64>() / words.len() as f64
}

/// All rules by name.
fn rules() -> Vec<Known> {
    let checked = qpu::check::Rule::ALL.iter().map(|rule| {
        let is_simulated = v3d_sim::Rule::from_id(rule.name()).is_some();
        let found_by = if is_simulated {
            "check and simulator"
        } else {
            "check"
        };
        let entry = rule.entry();
        Known { entry, found_by }
    });
    let only_simulated = v3d_sim::Rule::ALL
        .iter()
        .filter(|rule| qpu::check::Rule::from_name(rule.id()).is_none())
        .map(|rule| Known {
            entry: rule.entry(),
            found_by: "simulator",
        });
    let mut rules: Vec<_> = checked.chain(only_simulated).collect();
    rules.sort_by_key(|rule| rule.entry.id);
    rules
}

fn list(rules: &[Known]) -> String {
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
            "Of a board at {} MHz. `qpuscope run --set {name}=VALUE`, {least} to {most}, changes it for one run.",
            REFERENCE_HZ / 1_000_000
        )
    };
    let source = format!("Source: {}.", source.trim_end_matches('.'));
    let [what, source, set] = [*what, &source, &set].map(folded);
    format!("{name} = {value} {unit} (cycle model)\n\n{what}\n\n{source}\n\n{set}\n")
}

fn explain(rule: &Known) -> String {
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
        let rules = rules();
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
        let rules = rules();
        for constant in Constants::recommended().describe() {
            let text = explain_constant(&constant);
            assert!(text.contains("Source: "), "{text}");
            assert!(rules.iter().all(|rule| rule.entry.id != constant.name));
        }
    }

    #[test]
    fn an_unknown_rule_names_its_neighbours() {
        let failure = unknown("register-file-read");
        assert!(
            failure.message.contains("regfile-read-after-write"),
            "{failure}"
        );
        assert!(unknown("pack").message.contains(" pack-"));
    }
}
