//! `qpuscope web` of a build without the feature `web`, such as that of `cargo xtask demo`.

use common::failure::{Failure, Result};

/// Options of `web`, which nobody reads.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Not used: this build has no server of the page
    #[arg(
        value_name = "PORT|FILE",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<std::ffi::OsString>,
}

/// Says that the server is missing, and how to get it.
///
/// # Errors
/// Usage, always.
pub fn run(_: &Options) -> Result<()> {
    Err(Failure::usage(
        "this qpuscope was built without the server of its page; build one that has it with `cargo build --release -p qpuscope`",
    ))
}
