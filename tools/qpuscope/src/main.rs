//! The command `qpuscope`; everything is in the library.
#![forbid(unsafe_code)]

fn main() -> std::process::ExitCode {
    common::stop::survive_file_limits();
    qpuscope::cli::main()
}
