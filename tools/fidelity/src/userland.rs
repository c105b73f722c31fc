//! A checkout of raspberrypi/userland, from which GPU_FFT's shaders are read.
//!
//! Two releases are measured: 3.0 is what the newest commits hold, 2.0 is read from the history.
//! Both come from git and not from the work tree, so that what is measured does not depend on what
//! is checked out or edited; a checkout without git (a tarball) has release 3.0 only.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the checkout.
pub const VARIABLE: &str = "QPUSCOPE_USERLAND";

const FOLDER: &str = "host_applications/linux/apps/hello_pi/hello_fft";

/// A release of GPU_FFT.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Release {
    /// 2.0 of 2014: 2^8 to 2^21.
    V2,
    /// 3.0 of 2015: 2^8 to 2^22.
    V3,
}

impl Release {
    /// The number that its author gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2 => "2.0",
            Self::V3 => "3.0",
        }
    }

    /// A commit of raspberrypi/userland that has it. The hex files of 3.0 have not changed since.
    const fn commit(self) -> &'static str {
        match self {
            Self::V2 => "8f542a1",
            Self::V3 => "HEAD",
        }
    }
}

/// An error in the checkout.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UserlandError {
    /// The folder is not that of a checkout.
    #[error(
        "{VARIABLE} is {}, which holds no {FOLDER}/gpu_fft.txt: name the root of a checkout of raspberrypi/userland",
        .0.display()
    )]
    NoCheckout(PathBuf),
    /// Another release than 3.0 is checked out.
    #[error("{} holds no GPU_FFT release 3.0: check out the newest commit (git checkout master)", .0.display())]
    NoRelease3(PathBuf),
    /// A file of a release is not there.
    #[error(
        "cannot read {path} of GPU_FFT {} in {}: {why}; release 2.0 needs git and the whole history (git fetch --unshallow)",
        .release.name(), .root.display()
    )]
    Unreadable {
        /// The checkout.
        root: PathBuf,
        /// The release asked for.
        release: Release,
        /// The file below the folder of hello_fft.
        path: String,
        /// The message of git or the system.
        why: String,
    },
    /// A hex file holds something else.
    #[error("{path} of GPU_FFT {}: {what:?} is no instruction word", .release.name())]
    NotHex {
        /// The release.
        release: Release,
        /// The file.
        path: String,
        /// The text that stands where a word should be.
        what: String,
    },
}

/// A checkout with GPU_FFT 3.0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Userland {
    root: PathBuf,
}

impl Userland {
    /// The checkout that the environment names; `None` when it names none.
    ///
    /// # Errors
    /// When what it names is no checkout.
    pub fn from_environment() -> Result<Option<Self>, UserlandError> {
        match std::env::var_os(VARIABLE) {
            Some(root) if !root.is_empty() => Self::open(Path::new(&root)).map(Some),
            _ => Ok(None),
        }
    }

    /// The checkout in `root`.
    ///
    /// # Errors
    /// When it is none, or not of release 3.0.
    pub fn open(root: &Path) -> Result<Self, UserlandError> {
        let text = std::fs::read_to_string(root.join(FOLDER).join("gpu_fft.txt"))
            .map_err(|_| UserlandError::NoCheckout(root.into()))?;
        if !text.contains("release 3.0") {
            return Err(UserlandError::NoRelease3(root.into()));
        }
        Ok(Self { root: root.into() })
    }

    /// The instruction words of `hex/shader_{name}.hex`, low half first.
    ///
    /// # Errors
    /// When the file is not there or holds something else.
    pub fn shader(&self, release: Release, name: &str) -> Result<Vec<u32>, UserlandError> {
        let path = format!("hex/shader_{name}.hex");
        let text = self.read(release, &path)?;
        hex_words(&text).map_err(|what| UserlandError::NotHex {
            release,
            path,
            what,
        })
    }

    /// The text of a file of hello_fft.
    fn read(&self, release: Release, path: &str) -> Result<String, UserlandError> {
        let unreadable = |why: String| UserlandError::Unreadable {
            root: self.root.clone(),
            release,
            path: path.into(),
            why,
        };
        if release == Release::V3 && !self.root.join(".git").exists() {
            return std::fs::read_to_string(self.root.join(FOLDER).join(path))
                .map_err(|e| unreadable(e.to_string()));
        }
        let output = Command::new("git")
            .arg("-C")
            .arg(&self.root)
            .arg("show")
            .arg(format!("{}:{FOLDER}/{path}", release.commit()))
            .output()
            .map_err(|e| unreadable(format!("cannot start git: {e}")))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(unreadable(
                said.lines().next().unwrap_or("git failed").into(),
            ))
        }
    }
}

/// The words of a hex file: `0xLOW, 0xHIGH, // source` a line. `Err`: what is no word.
fn hex_words(text: &str) -> Result<Vec<u32>, String> {
    text.lines()
        .filter_map(|line| line.split("//").next())
        .flat_map(|code| code.split(','))
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(|word| {
            word.strip_prefix("0x")
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .ok_or_else(|| word.into())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_words() {
        let text = "0x00000040, 0xe00217a7, // mov rb_0x40, 0x40\n\n0x009e7000, 0x100009e7,\n";
        let words = [0x40, 0xe002_17a7, 0x009e_7000, 0x1000_09e7];
        assert_eq!(hex_words(text).as_deref(), Ok(&words[..]));
        assert_eq!(hex_words("0x12, junk"), Err("junk".into()));
    }

    #[test]
    fn a_wrong_folder_is_named_with_what_to_do() {
        let error = Userland::open(Path::new("/nowhere"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("/nowhere"), "{error}");
        assert!(error.contains("name the root of a checkout"), "{error}");
    }
}
