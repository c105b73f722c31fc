//! The beginning and the end of a command line: help in groups, and the exit status.

use std::fmt::Write;
use std::process::ExitCode;

use clap::{Command, CommandFactory, FromArgMatches};

use crate::failure::{Exit, Result};
use crate::{files, say, stop, text};

/// Commands under a heading of the help.
pub type Group = (&'static str, &'static [&'static str]);

/// What every tool's help ends with.
const EXIT: &str = "Exit status: 0 done; 1 tried and not done; 2 a wrong option, or an input that is not what it is said \
                    to be; 3 no port, or nobody answers at it; 4 the line was cut, or carries something else; 5 the \
                    result cannot be trusted.";

/// The command with its help in groups, each command in one of them.
///
/// # Panics
/// When a group names a command that there is not.
#[must_use]
pub fn grouped<T: CommandFactory>(groups: &[Group]) -> Command {
    let command = T::command();
    let all = groups.iter().flat_map(|(_, names)| names.iter());
    let width = all.map(|name| name.len()).max().unwrap_or(0);
    let mut list = String::new();
    for (heading, names) in groups {
        let _ = writeln!(list, "{heading}:");
        for name in *names {
            let known = command.find_subcommand(name);
            let about = known.expect("each name is a command").get_about();
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(list, "  {name:width$}  {about}");
        }
        list.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{{options}}\n{{after-help}}"
    );
    command.help_template(template).after_help(EXIT)
}

/// The arguments of the process; or its exit status, when they ask for help or are wrong.
///
/// # Errors
/// The exit status, when what there is to say has been said.
pub fn parse<T: CommandFactory + FromArgMatches>(
    groups: &[Group],
) -> std::result::Result<T, ExitCode> {
    stop::tidy_up_with(files::part::remove_all);
    let matches = grouped::<T>(groups).try_get_matches();
    let parsed = matches.and_then(|matches| T::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let text = error.render().to_string();
        match text::said(&text) {
            // Help and version are no errors and go to standard output.
            plain if plain == text => drop(error.print()),
            // A name such as `*` brings is not to act on the terminal.
            safe => say::note(&safe),
        }
        ExitCode::from(if error.use_stderr() {
            Exit::Usage as u8
        } else {
            0
        })
    })
}

/// The exit status of a command that has ended; what failed is said first.
#[must_use]
pub fn end(tool: &str, done: Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.message.is_empty() {
                say::note(&format!("{tool}: {failure}\n"));
            }
            ExitCode::from(failure.exit as u8)
        }
    }
}
