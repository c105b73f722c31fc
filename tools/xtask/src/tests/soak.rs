//! `cargo xtask soak [NAME]`: the long forms of tests, one at a time.
//!
//! They are ignored by libtest: all such tests of the program `soak`, and of every other program
//! those that are named `soak_...`. They run with the environment and the build of `cargo xtask
//! test`. What a test prints, such as its virtual time and its figures, is shown below its result.

use super::programs::{self, Program};
use super::results::Results;
use super::selection::Selection;
use crate::{demo, process, toolchain, workspace};
use anyhow::{Context, Result, bail, ensure};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Longest time for one test: two virtual hours of short spectra take four to eight real ones.
const TEST_LIMIT: Duration = Duration::from_secs(12 * 3600);

/// The program of long tests alone.
const PROGRAM: &str = "soak";

/// The prefix of names of long tests in other programs.
const NAMED: &str = "soak_";

/// For a name that no test has, as for any wrong argument of the host tool.
const WRONG_NAME: u8 = 2;

/// Runs all long tests, or those whose name contains NAME; `--list` names them.
pub fn run(rest: &[String]) -> Result<ExitCode> {
    let wanted = match rest {
        [] => "",
        [list] if list == "--list" => "",
        [name] if !name.starts_with('-') => name.as_str(),
        _ => bail!("`cargo xtask soak` takes a part of test names, or --list"),
    };
    let programs = build()?;
    let mut all = vec![];
    for program in &programs {
        let names = names(program)?;
        all.extend(names.into_iter().map(|name| (program, name)));
    }
    let all_names: Vec<&str> = all.iter().map(|(_, name)| name.as_str()).collect();
    if rest.first().is_some_and(|list| list == "--list") {
        println!("{}", all_names.join("\n"));
        return Ok(ExitCode::SUCCESS);
    }
    let chosen: Vec<_> = all
        .iter()
        .filter(|(_, name)| name.contains(wanted))
        .collect();
    if chosen.is_empty() {
        eprintln!("xtask: {}", unknown(wanted, &all_names));
        return Ok(ExitCode::from(WRONG_NAME));
    }
    let mut prepared = Results::default();
    let toolchain = toolchain::find_or_install()?;
    let mut environment = super::prepare(&toolchain, Some(wanted), &mut prepared);
    // For release: these tests take hours.
    let host = prepared.step("xtask: qpuscope is built", demo::build_qpuscope());
    environment.extend(host.map(|host| super::named("QPUSCOPE_HOST", &host)));
    if !prepared.failed.is_empty() {
        println!("{prepared}");
        return Ok(ExitCode::FAILURE);
    }
    let skips = workspace::target().join("skips.txt");
    let mut results = Results::default();
    for (program, name) in chosen {
        let started = Instant::now();
        std::fs::write(&skips, "")?;
        let mut command = program.command(Some(name));
        command.args(["--exact", "--ignored", "--show-output"]);
        command.envs(environment.iter().cloned());
        command.env("QPUSCOPE_SEED", super::SEED);
        command.env("QPUSCOPE_SKIPS", &skips);
        let output = process::capture(&mut command, TEST_LIMIT)?;
        let skipped = std::fs::read_to_string(&skips).unwrap_or_default();
        let summary = results.add(&program.name, &output, &skipped, TEST_LIMIT);
        let took = started.elapsed().as_secs_f32();
        eprintln!("{name}: {summary}, {took:.1} s");
        for line in printed(&output.stdout) {
            eprintln!("    {line}");
        }
    }
    println!("{results}");
    Ok(if results.failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The programs that may have long tests, compiled as for `cargo xtask test`.
fn build() -> Result<Vec<Program>> {
    workspace::forget_copied_tests()?;
    let programs = programs::build(&Selection::of(PROGRAM)?)?.tests;
    ensure!(
        programs.iter().any(is_soak),
        "cargo has not built the test program `{PROGRAM}`"
    );
    Ok(programs)
}

/// True if all tests of a program are long.
fn is_soak(program: &Program) -> bool {
    program.name.ends_with(&format!(" {PROGRAM})"))
}

fn names(program: &Program) -> Result<Vec<String>> {
    let mut command = program.command(None);
    command.args(["--list", "--ignored", "--format=terse"]);
    let listed = process::ask(&mut command)
        .with_context(|| format!("{} does not list its tests", program.name))?;
    Ok(listed_names(&listed, is_soak(program)))
}

/// Reads libtest's `NAME: test`: all names, or those of long tests.
fn listed_names(listed: &str, all: bool) -> Vec<String> {
    let names = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    let is_long = |name: &str| {
        let own = name.rsplit("::").next();
        own.is_some_and(|own| own.starts_with(NAMED))
    };
    let names = names.filter(|name| all || is_long(name));
    names.map(String::from).collect()
}

/// The message about a name that is part of no test's.
fn unknown(name: &str, all: &[&str]) -> String {
    format!(
        "no long test has {name:?} in its name; there are {}",
        all.join(", ")
    )
}

/// The lines that the one test of a run printed, which libtest shows behind a headline.
fn printed(stdout: &str) -> impl Iterator<Item = &str> {
    let behind = stdout.lines().skip_while(|line| !line.starts_with("---- "));
    behind.skip(1).take_while(|line| !line.is_empty())
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn every_program_with_long_tests_is_found() {
        let selection = Selection::of(PROGRAM).expect("cargo is there");
        for program in [PROGRAM, "report"] {
            assert!(
                selection.arguments.iter().any(|own| own == program),
                "{:?}",
                selection.arguments
            );
        }
    }

    #[test]
    fn names_and_times_are_those_that_libtest_and_tests_print() {
        let listed = "defects::late_vpm: test\nwrong::soak_qpu: test\n\n2 tests, 0 benchmarks\n";
        let all = listed_names(listed, true);
        assert_eq!(all, ["defects::late_vpm", "wrong::soak_qpu"]);
        assert_eq!(listed_names(listed, false), ["wrong::soak_qpu"]);
        let all = ["defects::late_vpm", "defects::wrong_qpu"];
        let said = unknown("late_wpm", &all);
        assert!(
            said.contains("late_wpm") && said.contains("defects::wrong_qpu"),
            "{said}"
        );
        let stdout = "test a ... ok\n\n---- a stdout ----\nvirtual time: 600.1 s\n2 spectra\n\n\nsuccesses:\n";
        assert_eq!(
            printed(stdout).collect::<Vec<_>>(),
            ["virtual time: 600.1 s", "2 spectra"]
        );
        assert_eq!(printed("test a ... ok").count(), 0);
    }
}
