//! Child processes, each with a time limit and with nothing on standard input.
//!
//! The limit is what keeps a run without a person at the keyboard from hanging: a package manager
//! that waits for a lock, a network that does not answer, a test that does not end.

use anyhow::{Context, Result, bail};
use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(10);

/// A command as one would type it.
pub fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

/// Runs a command to its end with its output shown; `None` when the limit ended it.
pub fn run(command: &mut Command, limit: Duration) -> Result<Option<ExitStatus>> {
    let what = describe(command);
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {what}"))?;
    wait(&mut child, limit)
}

/// Runs a command that must succeed.
pub fn must(command: &mut Command, limit: Duration) -> Result<()> {
    let status = run(command, limit)?;
    match status {
        Some(status) if status.success() => Ok(()),
        Some(status) => bail!("`{}` ended with {status}", describe(command)),
        None => bail!(
            "`{}` had not ended after {} s and was stopped",
            describe(command),
            limit.as_secs()
        ),
    }
}

/// What a command printed, and how it ended.
pub struct Output {
    /// `None` when the limit ended it.
    pub status: Option<ExitStatus>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// Runs a command to its end and keeps what it prints.
pub fn capture(command: &mut Command, limit: Duration) -> Result<Output> {
    let what = describe(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {what}"))?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let status = wait(&mut child, limit)?;
    Ok(Output {
        status,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
    })
}

/// The standard output of a command that is only asked a question; `None` when it is not there or fails.
pub fn ask(command: &mut Command) -> Option<String> {
    let output = capture(command, Duration::from_secs(60)).ok()?;
    output.status?.success().then_some(output.stdout)
}

/// Prints a command, then runs it. Used where xtask changes the machine, so that its user sees how.
pub fn announce(command: &mut Command, limit: Duration) -> Result<()> {
    eprintln!("+ {} (at most {} s)", describe(command), limit.as_secs());
    // Standard output belongs to data (`demo --json`).
    must(command.stdout(std::io::stderr()), limit)
}

fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // A pipe that breaks has said what it had to say.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
