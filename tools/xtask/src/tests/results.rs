//! The results of tests, and the count that is the last line of a run.

use crate::process::Output;
use anyhow::Result;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Everything that has been run so far.
#[derive(Default)]
pub struct Results {
    passed: usize,
    /// Name of the test, and what it printed.
    pub failed: Vec<(String, String)>,
    /// Name of the test, and why it was skipped.
    skipped: Vec<(String, String)>,
}

impl Results {
    /// Counts something xtask did itself; returns its value.
    pub fn step<T>(&mut self, name: &str, outcome: Result<T>) -> Option<T> {
        match outcome {
            Ok(value) => {
                self.passed += 1;
                Some(value)
            }
            Err(error) => {
                eprintln!("{name}: FAILED");
                self.failed.push((name.into(), format!("{error:#}")));
                None
            }
        }
    }

    /// Counts the tests of one program from its output and its skips; returns a summary.
    pub fn add(&mut self, program: &str, output: &Output, skips: &str, limit: Duration) -> String {
        let reasons: BTreeMap<&str, &str> = skips.lines().filter_map(split_skip).collect();
        let (mut passed, mut failed, mut skipped) = (0, 0, 0);
        for (test, verdict) in output.stdout.lines().filter_map(verdict) {
            let name = format!("{program} {test}");
            let skip = reasons.get(test).copied();
            match (verdict, skip) {
                (Verdict::Ok, None) => passed += 1,
                (Verdict::Ok, Some(reason)) => {
                    skipped += 1;
                    self.skipped.push((name, reason.into()));
                }
                (Verdict::Ignored(reason), _) => {
                    skipped += 1;
                    self.skipped.push((name, reason.into()));
                }
                (Verdict::Failed, _) => {
                    failed += 1;
                    let said = captured(&output.stdout, test);
                    self.failed.push((name, said));
                }
            }
        }
        let ended_well = output.status.is_some_and(|status| status.success());
        if !ended_well && failed == 0 {
            failed += 1;
            let how = match output.status {
                Some(status) => status.to_string(),
                None => format!("no end after {} s", limit.as_secs()),
            };
            let said = format!("{how}\n{}\n{}", tail(&output.stdout), tail(&output.stderr));
            self.failed.push((program.into(), said));
        }
        self.passed += passed;
        format!("{passed} passed, {failed} failed, {skipped} skipped")
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, said) in &self.failed {
            writeln!(f, "\nFAILED {name}\n{}", said.trim_end())?;
        }
        if !self.failed.is_empty() {
            writeln!(f)?;
        }
        for (name, reason) in &self.skipped {
            writeln!(f, "skipped {name}: {reason}")?;
        }
        for (name, _) in &self.failed {
            writeln!(f, "failed {name}")?;
        }
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed,
            self.failed.len(),
            self.skipped.len()
        )
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Verdict<'a> {
    Ok,
    Failed,
    /// By `#[ignore]`, for this reason.
    Ignored(&'a str),
}

/// Reads libtest's `test NAME ... ok`.
fn verdict(line: &str) -> Option<(&str, Verdict<'_>)> {
    let (name, outcome) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    // `#[should_panic]` tests carry a note behind their name.
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    let reason = outcome.split_once(", ");
    let verdict = match outcome.split([',', ' ']).next()? {
        "ok" => Verdict::Ok,
        "FAILED" => Verdict::Failed,
        "ignored" => Verdict::Ignored(reason.map_or("marked as ignored", |(_, reason)| reason)),
        _ => return None,
    };
    Some((name, verdict))
}

/// A line of the skips file: test name, tab, reason.
fn split_skip(line: &str) -> Option<(&str, &str)> {
    line.split_once('\t').or_else(|| line.split_once(": "))
}

/// The output of a failed test, as libtest kept it.
fn captured(stdout: &str, test: &str) -> String {
    let head = format!("---- {test} stdout ----");
    let Some((_, rest)) = stdout.split_once(&head) else {
        return tail(stdout);
    };
    let end = rest.find("\n---- ").or_else(|| rest.find("\nfailures:\n"));
    rest[..end.unwrap_or(rest.len())].trim().to_string()
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(30)..].join("\n")
}

#[cfg(test)]
mod test {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    const STDOUT: &str = "
running 4 tests
test a::good ... ok
test a::lacks ... ok
test bad ... FAILED
test panics - should panic ... ok

failures:

---- bad stdout ----

thread 'bad' panicked at src/lib.rs:1:1:
left is not right

failures:
    bad
";

    fn output(code: i32) -> Output {
        Output {
            status: Some(ExitStatus::from_raw(code << 8)),
            stdout: STDOUT.into(),
            stderr: String::new(),
        }
    }

    #[test]
    fn a_test_that_wrote_a_reason_is_skipped_and_not_passed() {
        let mut results = Results::default();
        let limit = Duration::from_secs(1);
        let summary = results.add("p", &output(101), "a::lacks\tno board\n", limit);
        assert_eq!(summary, "2 passed, 1 failed, 1 skipped");
        let text = results.to_string();
        assert!(text.contains("skipped p a::lacks: no board"), "{text}");
        assert!(text.contains("left is not right"), "{text}");
        assert!(text.ends_with("\n2 passed, 1 failed, 1 skipped"), "{text}");
    }

    #[test]
    fn a_test_that_is_ignored_is_skipped_for_its_reason() {
        let long = "test soak::a ... ignored, long: cargo xtask soak";
        let wanted = ("soak::a", Verdict::Ignored("long: cargo xtask soak"));
        assert_eq!(verdict(long), Some(wanted));
        let plain = verdict("test b ... ignored").map(|(_, verdict)| verdict);
        assert_eq!(plain, Some(Verdict::Ignored("marked as ignored")));
    }

    #[test]
    fn a_program_that_crashes_or_hangs_is_a_failure() {
        for status in [Some(ExitStatus::from_raw(11)), None] {
            let mut results = Results::default();
            let output = Output {
                status,
                stdout: "test a ... ok\n".into(),
                stderr: "gone".into(),
            };
            results.add("p", &output, "", Duration::from_secs(1));
            assert_eq!(results.failed.len(), 1);
            assert!(results.failed[0].1.contains("gone"));
        }
    }
}
