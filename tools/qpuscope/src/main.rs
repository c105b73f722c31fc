//! The command `qpuscope`: [the manual page](../MANUAL.md) and its commands.
#![forbid(unsafe_code)]

mod cli;
mod command;

fn main() -> std::process::ExitCode {
    common::stop::survive_file_limits();
    cli::main()
}
