//! `qpuscope explain`: what a rule says, who says so, and what to do; what a constant of the cycle
//! model is.
//!
//! Rules are those of `qpuscope check`, which looks at the program, and those of the simulator,
//! which watches it run. Many are both.

use std::fmt::Write;

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

/// The known facts of one rule; at least one of them.
struct Known {
    name: &'static str,
    checked: Option<qpu::check::Rule>,
    simulated: Option<v3d_sim::Rule>,
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
    if let Some(rule) = rules.iter().find(|rule| rule.name == name.as_str()) {
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
        .map(|rule| (likeness(name, rule.name), rule.name))
        .collect();
    near.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
    let near: Vec<_> = near.iter().take(3).map(|(_, rule)| *rule).collect();
    Failure::usage(format!(
        "there is no rule `{name}`; the nearest are {}; `qpuscope explain` lists all",
        near.join(", ")
    ))
}

/// The rule of that name that a run tells of.
///
/// # Errors
/// Usage, when there is none.
pub fn simulated(name: &str) -> Result<v3d_sim::Rule> {
    v3d_sim::Rule::from_id(name).ok_or_else(|| match qpu::check::Rule::from_name(name) {
        None => unknown(name),
        Some(_) => Failure::usage(format!(
            "`{name}` is a rule of `qpuscope check`, of which no run tells; leave it out"
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

/// Rules of both kinds by name.
fn rules() -> Vec<Known> {
    let checked = qpu::check::Rule::ALL.iter().map(|rule| Known {
        name: rule.name(),
        checked: Some(*rule),
        simulated: v3d_sim::Rule::ALL
            .iter()
            .find(|other| other.id() == rule.name())
            .copied(),
    });
    let only_simulated = v3d_sim::Rule::ALL
        .iter()
        .filter(|rule| qpu::check::Rule::from_name(rule.id()).is_none())
        .map(|rule| Known {
            name: rule.id(),
            checked: None,
            simulated: Some(*rule),
        });
    let mut rules: Vec<_> = checked.chain(only_simulated).collect();
    rules.sort_by_key(|rule| rule.name);
    rules
}

fn who(rule: &Known) -> &'static str {
    match (rule.checked, rule.simulated) {
        (Some(_), Some(_)) => "check and simulator",
        (Some(_), None) => "check",
        _ => "simulator",
    }
}

fn list(rules: &[Known]) -> String {
    let mut out = String::new();
    for rule in rules {
        let _ = writeln!(out, "{:<30} {}", rule.name, who(rule));
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
    let mut out = format!("{} (found by: {})\n", rule.name, who(rule));
    if let Some(checked) = rule.checked {
        let _ = writeln!(out, "\n{}", folded(checked.explanation()));
        let _ = writeln!(
            out,
            "\n{}",
            folded(&format!("To mend it, {}.", checked.fix()))
        );
        let _ = writeln!(out, "\nSource: {}.", checked.source());
    }
    if let Some(simulated) = rule.simulated {
        let what = format!("In the simulator: {}.", simulated.text());
        let _ = writeln!(out, "\n{}", folded(&what));
        if rule.checked.is_none() {
            let fix = format!("To mend it, {}.", simulated.fix());
            let _ = writeln!(out, "\n{}", folded(&fix));
        }
        let _ = writeln!(out, "\nSource: {}.", simulated.source());
    }
    out
}

/// Lines of at most 100 characters.
fn folded(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
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
        let mut names: Vec<_> = rules.iter().map(|rule| rule.name).collect();
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
            assert!(rules.iter().all(|rule| rule.name != constant.name));
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
