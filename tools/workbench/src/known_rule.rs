//! The rules that a user can name: those of the hazard checker, which looks at a program, and those
//! of the simulator, which watches it run.

use common::failure::{Failure, Result};
use qpu::rules::Entry;

/// A rule, and the tools that find it.
pub struct KnownRule {
    /// Its entry in the catalogue.
    pub entry: &'static Entry,
    /// The tools: `check`, `simulator`, or both.
    pub found_by: &'static str,
}

/// The failure for a rule that does not exist, with the names that are nearest.
#[must_use]
pub fn unknown(name: &str) -> Failure {
    let rules = known_rules();
    let mut near: Vec<_> = rules
        .iter()
        .map(|rule| (likeness(name, rule.entry.id), rule.entry.id))
        .collect();
    near.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
    let near: Vec<_> = near.iter().take(3).map(|(_, rule)| *rule).collect();
    Failure::usage(format!(
        "there is no rule `{name}`; the nearest are {}; `qpu explain` lists all",
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
            "`{name}` is a rule of `qpu check`, which no run reports; leave it out"
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
#[must_use]
pub fn known_rules() -> Vec<KnownRule> {
    let checked = qpu::check::Rule::ALL.iter().map(|rule| {
        let is_simulated = v3d_sim::Rule::from_id(rule.name()).is_some();
        let found_by = if is_simulated {
            "check and simulator"
        } else {
            "check"
        };
        let entry = rule.entry();
        KnownRule { entry, found_by }
    });
    let only_simulated = v3d_sim::Rule::ALL
        .iter()
        .filter(|rule| qpu::check::Rule::from_name(rule.id()).is_none())
        .map(|rule| KnownRule {
            entry: rule.entry(),
            found_by: "simulator",
        });
    let mut rules: Vec<_> = checked.chain(only_simulated).collect();
    rules.sort_by_key(|rule| rule.entry.id);
    rules
}

#[cfg(test)]
mod tests {
    use super::*;

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
