//! Words that are the command `qpu`'s now.

use std::ffi::OsString;

use common::failure::{Failure, Result};
use common::say;

/// The words of a command line that has moved; they are not looked at.
#[derive(clap::Args, Debug)]
#[command(disable_help_flag = true)]
pub struct Options {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<OsString>,
}

/// Says where the command is.
///
/// # Errors
/// Always: nothing is run.
pub fn say_where(name: &str) -> Result<()> {
    say::note(&format!("moved: qpu {name} ...\n"));
    Err(Failure::usage(""))
}
