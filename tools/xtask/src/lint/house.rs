//! The house's own checks: what the compiler and clippy do not look at.
//!
//! Each check counts its findings in groups: packages, or single documents. A group may have as
//! many as [`limits`] allows; one that is not listed there may have none.

use super::count::Count;
use super::sources::{self, Source};
use super::{circles, comments, limits, markdown, openings, words};
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;

/// A check that counts lines.
struct Check {
    /// The findings, in the plural.
    name: &'static str,
    limits: &'static [(&'static str, usize)],
    find: fn(&Source) -> Vec<usize>,
}

const CHECKS: [Check; 4] = [
    Check {
        name: "lines of Markdown over 100 columns that are not one sentence",
        limits: limits::MARKDOWN,
        find: |it| {
            if it.is_markdown() {
                markdown::find(&it.text)
            } else {
                vec![]
            }
        },
    },
    Check {
        name: "comments over 100 columns",
        limits: limits::COMMENTS,
        find: |it| {
            if it.is_rust() {
                comments::find(&it.text)
            } else {
                vec![]
            }
        },
    },
    Check {
        name: "names with words that are gone",
        limits: limits::NAMES,
        find: names,
    },
    Check {
        name: "lines of prose with terms that are gone",
        limits: limits::TERMS,
        // The list itself.
        find: |it| match it.path.ends_with("lint/words.rs") {
            true => vec![],
            false => words::find_terms(&it.text, it.is_rust()),
        },
    },
];

/// Lines with names that are gone; line 0 is the name of the file.
fn names(source: &Source) -> Vec<usize> {
    let mut found = vec![];
    if source.is_rust() {
        found = words::find_names(&source.text);
        let file = source
            .path
            .trim_end_matches("/mod.rs")
            .trim_end_matches(".rs");
        if words::is_gone(file.rsplit('/').next().unwrap_or_default()) {
            found.insert(0, 0);
        }
    }
    found
}

/// The group that a file counts to: its package, or itself if it is a document.
fn group(source: &Source) -> &str {
    if source.is_markdown() {
        &source.path
    } else {
        &source.package
    }
}

impl Check {
    /// Findings by group, for groups that have or may have some.
    fn count<'a>(&self, sources: &'a [Source]) -> BTreeMap<&'a str, usize> {
        let mut counts = BTreeMap::new();
        for source in sources {
            let count: &mut usize = counts.entry(group(source)).or_default();
            *count += (self.find)(source).len();
        }
        counts.retain(|group, count| *count > 0 || limit(self.limits, group) > 0);
        counts
    }
}

fn limit(limits: &[(&str, usize)], group: &str) -> usize {
    limits
        .iter()
        .find(|(name, _)| *name == group)
        .map_or(0, |(_, limit)| *limit)
}

/// Doc comments by package, and those of them with a poor opening.
fn count_openings(sources: &[Source]) -> BTreeMap<&str, (usize, usize)> {
    let mut counts = BTreeMap::new();
    for source in sources.iter().filter(|it| it.is_rust()) {
        let openings = openings::find(&source.text);
        let count: &mut (usize, usize) = counts.entry(group(source)).or_default();
        count.0 += openings.comments;
        count.1 += openings.found.len();
    }
    counts
}

/// The share in percent, rounded up.
fn percent((comments, found): (usize, usize)) -> usize {
    (found * 100).div_ceil(comments.max(1))
}

fn opening_limit(group: &str) -> usize {
    limit(limits::OPENINGS, group).max(limits::OPENINGS_ALLOWED)
}

/// Holds the tree at `root` to its limits.
///
/// # Errors
/// When a limit is passed, in a sentence for each, or a file cannot be read.
pub fn check(root: &Path) -> Result<()> {
    let sources = sources::tracked(root)?;
    let mut wrong = circles::check(root, limits::CIRCLES)?;
    for check in &CHECKS {
        for (group, count) in check.count(&sources) {
            let limit = limit(check.limits, group);
            if count > limit {
                wrong.push(format!(
                    "{group}: {count} {}; allowed are {limit}",
                    check.name
                ));
            }
        }
    }
    for (group, counts) in count_openings(&sources) {
        let limit = opening_limit(group);
        if percent(counts) > limit {
            wrong.push(format!(
                "{group}: {} of {} doc comments begin with What, Whether, How, Of, As, The same or Who; \
                 allowed are {limit} %",
                counts.1, counts.0
            ));
        }
    }
    let count = Count::of(&sources)?;
    if count.p90 > limits::P90 {
        wrong.push(format!(
            "one file of ten has more than {} lines; allowed are {}",
            count.p90,
            limits::P90
        ));
    }
    if count.longest.0 > limits::FUNCTION {
        let (lines, place) = &count.longest;
        wrong.push(format!(
            "{place}: a function of {lines} lines; allowed are {}",
            limits::FUNCTION
        ));
    }
    let instead = words::instead();
    ensure!(
        wrong.is_empty(),
        "{}\n`cargo xtask lint --places PATH` names each place below PATH. Words to use:\n{instead}",
        wrong.join("\n")
    );
    Ok(())
}

/// `cargo xtask lint --count`: product lines, and findings beside their limits.
///
/// # Errors
/// When a file cannot be read.
pub fn count(root: &Path) -> Result<()> {
    let sources = sources::tracked(root)?;
    Count::of(&sources)?.print();
    for check in &CHECKS {
        println!("\n{}, and how many are allowed:", check.name);
        let counts = check.count(&sources);
        for (group, count) in &counts {
            println!("{count:7} {:7}  {group}", limit(check.limits, group));
        }
        println!("{:7}          in all", counts.values().sum::<usize>());
    }
    println!(
        "\ndoc comments that begin poorly, all of them, the share in percent and how much is allowed:"
    );
    for (group, counts) in count_openings(&sources) {
        let (comments, found) = counts;
        println!(
            "{found:7} {comments:7} {:4} {:4}  {group}",
            percent(counts),
            opening_limit(group)
        );
    }
    Ok(())
}

/// `cargo xtask lint --places PATH`: each finding in files below `path`.
///
/// # Errors
/// When a file cannot be read.
pub fn places(root: &Path, path: &str) -> Result<()> {
    let sources = sources::tracked(root)?;
    for source in sources
        .iter()
        .filter(|source| source.path.starts_with(path))
    {
        let show = |lines: Vec<usize>, name: &str| {
            lines
                .iter()
                .for_each(|line| println!("{}:{line}: {name}", source.path));
        };
        CHECKS
            .iter()
            .for_each(|check| show((check.find)(source), check.name));
        if source.is_rust() {
            show(
                openings::find(&source.text).found,
                "poor opening of a doc comment",
            );
        }
    }
    Ok(())
}
