//! The house's own checks: what the compiler and clippy do not look at.
//!
//! Each check counts its findings in groups: packages, or single documents. A group may have as
//! many as [`limits`] allows; one that is not listed there may have none.

use super::count::Count;
use super::sources::{self, Source};
use super::{comments, limits, markdown, words};
use crate::circles;
use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;

/// A check that counts lines.
struct Check {
    /// The findings, in the plural.
    name: &'static str,
    limits: &'static [(&'static str, usize)],
    /// The limit of a group that is not listed.
    unlisted: usize,
    reads: fn(&Source) -> bool,
    find: fn(&Source) -> Vec<usize>,
    /// The number of places that findings are counted in percent of; without it they are counted.
    places: Option<fn(&Source) -> usize>,
}

const CHECKS: [Check; 5] = [
    Check {
        name: "lines of Markdown over 100 columns that are not one sentence",
        limits: &[],
        unlisted: 0,
        reads: Source::is_markdown,
        find: |it| markdown::find(&it.text),
        places: None,
    },
    Check {
        name: "comments over 100 columns",
        limits: &[],
        unlisted: 0,
        reads: Source::is_rust,
        find: |it| comments::too_long(&it.text),
        places: None,
    },
    Check {
        name: "names with words that are gone",
        limits: limits::NAMES,
        unlisted: 0,
        reads: Source::is_rust,
        find: names,
        places: None,
    },
    Check {
        name: "lines of prose with terms that are gone",
        limits: &[],
        unlisted: 0,
        // But for the list itself.
        reads: |it| !it.path.ends_with("lint/words.rs"),
        find: |it| words::find_terms(&it.text, it.is_rust()),
        places: None,
    },
    Check {
        name: "percent of doc comments that begin with What, Whether, How, Of, As, The same or Who",
        limits: &[],
        unlisted: limits::OPENINGS,
        reads: Source::is_rust,
        find: |it| comments::poor_openings(&it.text),
        places: Some(|it| comments::openings(&it.text).count()),
    },
];

/// Lines with names that are gone; line 0 is the name of the file.
fn names(source: &Source) -> Vec<usize> {
    let mut found = words::find_names(&source.text);
    let file = source
        .path
        .trim_end_matches("/mod.rs")
        .trim_end_matches(".rs");
    if words::is_gone(file.rsplit('/').next().unwrap_or_default()) {
        found.insert(0, 0);
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
        let mut counts = BTreeMap::<_, (usize, usize)>::new();
        for source in sources.iter().filter(|source| (self.reads)(source)) {
            let (found, places) = counts.entry(group(source)).or_default();
            *found += (self.find)(source).len();
            *places += self.places.map_or(0, |count| count(source));
        }
        let counts = counts
            .into_iter()
            .map(|(group, (found, places))| match self.places {
                Some(_) => (group, (100 * found).div_ceil(places.max(1))),
                None => (group, found),
            });
        counts
            .filter(|(group, count)| *count > 0 || self.limit(group) > 0)
            .collect()
    }

    /// The limit of a group.
    fn limit(&self, group: &str) -> usize {
        let listed = self.limits.iter().find(|(name, _)| *name == group);
        listed.map_or(self.unlisted, |(_, limit)| *limit)
    }
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
            let limit = check.limit(group);
            if count > limit {
                wrong.push(format!(
                    "{group}: {count} {}; allowed are {limit}",
                    check.name
                ));
            }
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
            println!("{count:7} {:7}  {group}", check.limit(group));
        }
        if check.places.is_none() {
            println!("{:7}          in all", counts.values().sum::<usize>());
        }
    }
    Ok(())
}

/// `cargo xtask lint --places PATH`: each finding in files below `path`.
///
/// # Errors
/// When a file cannot be read.
pub fn places(root: &Path, path: &str) -> Result<()> {
    let sources = sources::tracked(root)?;
    let below = sources.iter().filter(|it| it.path.starts_with(path));
    for source in below {
        for check in CHECKS.iter().filter(|check| (check.reads)(source)) {
            for line in (check.find)(source) {
                println!("{}:{line}: {}", source.path, check.name);
            }
        }
    }
    Ok(())
}
