//! CPU seconds of a program.
//!
//! Source: proc(5), `/proc/pid/stat`, fields 16 and 17.

use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Linux counts in hundredths of a second there, on every computer.
const TICKS_A_SECOND: f64 = 100.0;

/// Runs a program to its end and returns its CPU seconds, those of the system for it included. What
/// it says is thrown away, where it does not fail.
///
/// # Errors
/// When it cannot be started, fails, or the computer has no `/proc`.
pub fn cpu_seconds(command: &mut Command) -> Result<f64> {
    let before = of_children()?;
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let what = command.get_program().to_string_lossy().into_owned();
    let output = command
        .stderr(Stdio::piped())
        .output()
        .with_context(|| format!("cannot start {what}"))?;
    ensure!(
        output.status.success(),
        "{what} failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(of_children()? - before)
}

/// CPU seconds of all programs that this one has started and that have ended.
fn of_children() -> Result<f64> {
    let path = "/proc/self/stat";
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read {path}, which Linux has: run this there"))?;
    parse(&text).with_context(|| format!("{path} is of another form"))
}

/// The sum of both fields. They are counted behind the name, which may have blanks in it.
fn parse(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(13);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_A_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_children_are_the_sixteenth_and_seventeenth_field() {
        let stat = "7 (a )name) S 4 5 6 7 8 9 10 11 12 13 14 15 150 25 18 19";
        assert_eq!(parse(stat), Some(1.75));
        assert_eq!(parse("7 (short) S 4"), None);
    }

    #[test]
    fn a_program_that_fails_is_an_error_with_its_words() {
        let mut command = Command::new("sh");
        let error = cpu_seconds(command.args(["-c", "echo why >&2; exit 3"])).expect_err("3");
        assert!(error.to_string().contains("why"), "{error}");
        assert!(cpu_seconds(&mut Command::new("true")).is_ok());
    }
}
