//! Sessions in documents: commands and what they print, run and compared.
//!
//! A block of ```` ```console ```` holds commands after `$ `, their further lines after `> `, and
//! what they print on both outputs. A command that does not exit with 0 is followed by `[status
//! N]`. Of what is printed, a line that is only `...` stands for any lines, and one that ends with
//! ` ...` for any end: documents must not repeat what changes with every constant of a model.

use std::path::Path;
use std::process::{Command, Stdio};

/// A command and what the document says it prints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The command, for `sh`.
    pub command: String,
    /// Lines, each with its end.
    pub expected: String,
}

/// The console blocks of a Markdown text, each a list of steps.
///
/// # Panics
/// When a block does not begin with a command.
#[must_use]
pub fn blocks(text: &str) -> Vec<Vec<Step>> {
    let mut blocks: Vec<Vec<Step>> = vec![];
    let mut inside = false;
    for line in text.lines() {
        if !inside {
            inside = line == "```console";
            if inside {
                blocks.push(vec![]);
            }
            continue;
        }
        if line == "```" {
            inside = false;
            continue;
        }
        let block = blocks.last_mut().expect("a block has begun");
        if let Some(command) = line.strip_prefix("$ ") {
            block.push(Step {
                command: command.to_owned(),
                expected: String::new(),
            });
            continue;
        }
        let step = block.last_mut().expect("a block begins with a command");
        let more = line.strip_prefix("> ").or((line == ">").then_some(""));
        match more {
            Some(more) if step.expected.is_empty() => {
                step.command.push('\n');
                step.command.push_str(more);
            }
            _ => {
                step.expected.push_str(line);
                step.expected.push('\n');
            }
        }
    }
    blocks
}

/// True if `printed` is what `expected` says, `...` being any lines or any rest of a line.
#[must_use]
pub fn matches(expected: &str, printed: &str) -> bool {
    let expected: Vec<&str> = expected.lines().collect();
    let printed: Vec<&str> = printed.lines().collect();
    lines_match(&expected, &printed)
}

fn lines_match(expected: &[&str], printed: &[&str]) -> bool {
    let Some((first, rest)) = expected.split_first() else {
        return printed.is_empty();
    };
    if *first == "..." {
        return (0..=printed.len()).any(|skip| lines_match(rest, &printed[skip..]));
    }
    let Some((line, more)) = printed.split_first() else {
        return false;
    };
    let same = match first.strip_suffix(" ...") {
        Some(begin) => line.starts_with(begin),
        None => first == line,
    };
    same && lines_match(rest, more)
}

/// The text that a command prints on both outputs, in `folder` and with the programs of the folder
/// `programs` found first; then `[status N]` when its status is not 0.
///
/// # Panics
/// When there is no `sh`.
#[must_use]
pub fn printed(command: &str, folder: &Path, programs: &Path) -> String {
    let path = std::env::var("PATH").unwrap_or_default();
    let script =
        format!("exec 2>&1\n{command}\nstatus=$?; [ $status = 0 ] || echo \"[status $status]\"");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", programs.display()))
        .env_remove("QPUSCOPE_PORT")
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Runs steps one after the other, each as [`printed`]. With `QPUSCOPE_BLESS` set, shows the
/// session as it went.
///
/// # Errors
/// With every step whose output differs.
///
/// # Panics
/// When there is no `sh`.
pub fn check(steps: &[Step], folder: &Path, programs: &Path) -> Result<(), String> {
    let mut wrong = String::new();
    for Step { command, expected } in steps {
        let printed = printed(command, folder, programs);
        if !matches(expected, &printed) {
            wrong.push_str(&format!(
                "$ {command}\n--- printed\n{printed}--- the document says\n{expected}\n"
            ));
        }
        if std::env::var_os("QPUSCOPE_BLESS").is_some() {
            eprint!("$ {}\n{printed}", command.replace('\n', "\n> "));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

#[cfg(test)]
mod test {
    use super::*;

    #[test]
    fn a_block_is_commands_and_what_they_print() {
        let text = "words\n```console\n$ cat <<E\n> a\n>\n> E\na\n\n$ false\n[status 1]\n```\n```sh\n$ no\n```\n";
        let blocks = blocks(text);
        assert_eq!(blocks.len(), 1);
        assert_eq!(blocks[0][0].command, "cat <<E\na\n\nE");
        assert_eq!(blocks[0][0].expected, "a\n\n");
        check(&blocks[0], Path::new("."), Path::new(".")).expect("as the text says");
        let mut other = blocks[0].clone();
        other[1].expected = "[status 2]\n".to_owned();
        let error = check(&other, Path::new("."), Path::new(".")).expect_err("another status");
        assert!(
            error.contains("[status 1]\n--- the document says\n[status 2]"),
            "{error}"
        );
    }

    #[test]
    fn dots_stand_for_lines_and_ends_of_lines() {
        for (expected, printed, same) in [
            ("a\n...\nz\n", "a\nb\nc\nz\n", true),
            ("...\n", "", true),
            ("a\n...\n", "b\n", false),
            ("cycles ...\n", "cycles 12\n", true),
            ("cycles ...\n", "cycle 12\n", false),
            ("a\n", "a\nb\n", false),
            ("a\nb\n", "a\n", false),
        ] {
            assert_eq!(matches(expected, printed), same, "{expected:?} {printed:?}");
        }
    }
}
