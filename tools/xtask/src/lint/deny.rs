//! `cargo deny`, where it is installed: licences, duplicate versions and where packages come from,
//! by `deny.toml`, and known vulnerabilities.
//!
//! Vulnerabilities are looked up in a database in the network, which changes without a change of
//! ours. Without a network they are not checked, and one line says so.

use super::LIMIT;
use crate::process;
use anyhow::{Context, Result};
use std::process::Command;
use std::time::Duration;

/// The time in which the database has to come.
const FETCH_LIMIT: Duration = Duration::from_secs(120);

/// Runs the checks with the cargo that `cargo` makes.
///
/// # Errors
/// When a check finds something.
pub fn check(cargo: impl Fn() -> Command) -> Result<()> {
    if process::ask(cargo().args(["deny", "--version"])).is_none() {
        eprintln!(
            "cargo deny is not installed, so licences, duplicate versions and known vulnerabilities are not checked; \
             `cargo install cargo-deny --locked` installs it"
        );
        return Ok(());
    }
    eprintln!("cargo deny");
    let own = ["deny", "--locked", "check", "licenses", "bans", "sources"];
    process::must(cargo().args(own), LIMIT)?;
    // The check itself says nothing of the network: whatever it finds ends the same way.
    let fetched = process::capture(
        cargo().args(["deny", "--locked", "fetch", "db"]),
        FETCH_LIMIT,
    )?;
    if !fetched.status.is_some_and(|status| status.success()) {
        eprintln!(
            "the database of known vulnerabilities does not come, so they are not checked; lint again with a network"
        );
        return Ok(());
    }
    let known = ["deny", "--locked", "check", "--disable-fetch", "advisories"];
    process::must(cargo().args(known), LIMIT).context(
        "a dependency has a known vulnerability or nobody who looks after it; \
         take another version, or give it to `ignore` in deny.toml with a reason",
    )
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    /// Runs the checks with a cargo that fails for arguments with `failing` in them; the arguments
    /// that it was given, and whether the checks passed.
    fn run(failing: &str) -> (Vec<String>, bool) {
        let folder = tempfile::tempdir().expect("a folder");
        let (cargo, list) = (folder.path().join("cargo"), folder.path().join("list"));
        let script = format!(
            "#!/bin/sh\necho \"$*\" >> '{}'\ncase \"$*\" in *'{failing}'*) exit 1;; esac\n",
            list.display()
        );
        std::fs::write(&cargo, script).expect("a file");
        let shell = || {
            let mut shell = Command::new("sh");
            shell.arg(&cargo);
            shell
        };
        let passed = check(shell).is_ok();
        let list = std::fs::read_to_string(list).expect("a list");
        (list.lines().map(str::to_owned).collect(), passed)
    }

    const VERSION: &str = "deny --version";
    const OWN: &str = "deny --locked check licenses bans sources";
    const FETCH: &str = "deny --locked fetch db";
    const KNOWN: &str = "deny --locked check --disable-fetch advisories";

    #[test]
    fn vulnerabilities_are_asked_for_where_their_database_comes() {
        assert_eq!(run("nothing"), (lines(&[VERSION, OWN, FETCH, KNOWN]), true));
        assert_eq!(
            run("advisories"),
            (lines(&[VERSION, OWN, FETCH, KNOWN]), false)
        );
    }

    #[test]
    fn without_a_network_vulnerabilities_are_left_out() {
        assert_eq!(run("fetch db"), (lines(&[VERSION, OWN, FETCH]), true));
    }

    #[test]
    fn without_the_program_nothing_is_checked_and_its_own_findings_end_the_run() {
        assert_eq!(run("version"), (lines(&[VERSION]), true));
        assert_eq!(run("licenses"), (lines(&[VERSION, OWN]), false));
    }

    fn lines(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| (*line).to_owned()).collect()
    }
}
