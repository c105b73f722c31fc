//! Child processes, each with a time limit and with nothing on standard input.
//!
//! The limit is what keeps a run without a person at the keyboard from hanging: a package manager
//! that waits for a lock, a network that does not answer, a test that does not end. It ends what
//! the child has started, too: a test under cargo, a program under a test. They stay in the
//! terminal's process group, so that its user can still interrupt all of them.

use anyhow::{Context, Result, bail};
use std::io::Read;
use std::path::Path;
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
        None => bail!(stopped(command, limit)),
    }
}

/// A sentence about a command that its limit has ended.
pub fn stopped(command: &Command, limit: Duration) -> String {
    let again = match Path::new(command.get_program()).file_stem() {
        Some(name) if name == "cargo" => "; run it again: it goes on from what is compiled",
        _ => "",
    };
    format!(
        "`{}` had not ended after {} s and was stopped{again}",
        describe(command),
        limit.as_secs()
    )
}

/// The output of a command, and how it ended.
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

/// The standard output of a command that is only asked a question; `None` when it is not there or
/// fails.
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
            let started = descendants(child.id());
            child.kill()?;
            child.wait()?;
            end(&started);
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

/// Processes that a process has started, and those that they have; none where there is no `/proc`.
fn descendants(of: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes: Vec<(u32, u32)> = entries
        .filter_map(|entry| {
            let id = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            // Behind the name, which may hold anything: state, parent.
            let (_, fields) = stat.rsplit_once(')')?;
            Some((id, fields.split_whitespace().nth(1)?.parse().ok()?))
        })
        .collect();
    let mut found = vec![of];
    let mut next = 0;
    while let Some(parent) = found.get(next).copied() {
        let children = processes.iter().filter(|(_, own)| *own == parent);
        let new: Vec<u32> = children
            .map(|(id, _)| *id)
            .filter(|id| !found.contains(id))
            .collect();
        found.extend(new);
        next += 1;
    }
    found.split_off(1)
}

/// Ends processes; those that have ended meanwhile do not matter.
fn end(processes: &[u32]) {
    if !processes.is_empty() {
        let mut kill = Command::new("kill");
        kill.arg("-KILL").args(processes.iter().map(u32::to_string));
        let _ = kill.stdin(Stdio::null()).stderr(Stdio::null()).status();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// True while a process runs: one that has ended may wait for its parent to ask.
    fn runs(process: u32) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    }

    #[test]
    fn a_build_that_was_stopped_says_that_a_second_run_goes_on() {
        let said = |program: &str| stopped(&Command::new(program), Duration::from_secs(9));
        assert!(said("/usr/bin/cargo").contains("after 9 s and was stopped; run it again"));
        assert!(said("apt-get").ends_with("was stopped"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_limit_ends_what_the_child_has_started() {
        let mut shell = Command::new("sh");
        shell.args([
            "-c",
            "(sleep 600 > /dev/null 2>&1 & echo $!; wait) & echo $!; wait",
        ]);
        let output = capture(&mut shell, Duration::from_millis(500)).expect("there is a shell");
        assert!(output.status.is_none());
        let ids: Vec<u32> = output
            .stdout
            .lines()
            .filter_map(|line| line.parse().ok())
            .collect();
        assert_eq!(ids.len(), 2, "{}", output.stdout);
        for id in ids {
            // The signal has been sent; the kernel may take a moment.
            let over = (0..500).any(|_| {
                thread::sleep(POLL);
                !runs(id)
            });
            assert!(over, "{id} is left");
        }
    }
}
