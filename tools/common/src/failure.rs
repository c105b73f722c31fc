//! Why a command ended without doing its work, as the user reads it.
//!
//! Every message says what to do next. The exit codes are part of the interface: scripts tell a
//! missing board from a broken recording by them.

use std::fmt;

use v3d_sim::SimError;

use crate::text;

/// The end of a command, as the process's exit status.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// Tried and not done.
    Failed = 1,
    /// A wrong option, or an input that is not what it is said to be.
    Usage = 2,
    /// No port, or nobody answers at it.
    NoDevice = 3,
    /// Bytes come, and are not what the protocol allows; or the line was cut.
    Link = 4,
    /// The result cannot be trusted: a self-test failed, a job faulted, data was lost under
    /// `--strict`.
    Integrity = 5,
}

/// An exit status and the sentence that goes with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// The process's exit status.
    pub exit: Exit,
    /// The event and the remedy, for standard error.
    pub message: String,
}

/// The result of every fallible function of the tool.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// Tried and not done.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(Exit::Failed, message)
    }

    /// The user's options or files are at fault.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// Nobody there.
    pub fn no_device(message: impl Into<String>) -> Self {
        Self::new(Exit::NoDevice, message)
    }

    /// The line or the protocol is at fault.
    pub fn link(message: impl Into<String>) -> Self {
        Self::new(Exit::Link, message)
    }

    /// The result cannot be trusted.
    pub fn integrity(message: impl Into<String>) -> Self {
        Self::new(Exit::Integrity, message)
    }

    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: message.into(),
        }
    }

    /// A file that cannot be read: usage, for the path came from the user.
    #[must_use]
    pub fn reading(path: &std::path::Path, error: &std::io::Error) -> Self {
        Self::usage(format!(
            "cannot read {}: {error}; check the path and its permissions",
            text::shown_name(path)
        ))
    }

    /// A file that cannot be written. An older one of that name is as it was.
    #[must_use]
    pub fn writing(path: &std::path::Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as Kind;
        let remedy = match error.kind() {
            Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => "make room, or",
            _ => "check the folder and its permissions, or",
        };
        let path = text::shown_name(path);
        Self::failed(format!(
            "cannot write {path}: {error}; {remedy} choose another place"
        ))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<SimError> for Failure {
    fn from(error: SimError) -> Self {
        Self::integrity(format!(
            "the simulated V3D failed: {error}; report it with the command"
        ))
    }
}
