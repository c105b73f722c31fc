//! Output files: written beside their name, and renamed when they are whole.
//!
//! A disk that gets full, or a command that is ended, so costs no older file of that name. What is
//! written lies beside it as `NAME.??????.part` until then; it is removed when writing fails or a
//! signal ends the command, and remains only when the process is killed (SIGKILL). Links are
//! followed and stay; mode and, where the system lets us, owner are those of the older file.
//! Devices and pipes cannot be renamed to: they are written as they are.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Seek, Stderr, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::part::PartFile;
use crate::failure::{Failure, Result};
use crate::stop;

/// Links that are followed one after the other; the system itself allows as many.
const MOST_LINKS: u32 = 40;
/// Bytes of a name that a part keeps, so that with its ending it is no longer than names may be.
const NAME_BYTES: usize = 200;
/// The mode of a file that was not there, before the process's mask.
const NEW_MODE: u32 = 0o666;

/// A file that is being written.
pub struct Output {
    path: PathBuf,
    sink: Sink,
}

enum Sink {
    /// A regular file, which gets its name in the end.
    Beside {
        file: BufWriter<File>,
        part: PartFile,
        target: PathBuf,
        replaces: bool,
    },
    /// A device or a pipe.
    InPlace(BufWriter<File>),
    StandardError(BufWriter<Stderr>),
}

impl Output {
    /// Begins a file; `path` holds what it held until [`Output::finish`].
    ///
    /// # Errors
    /// When the file cannot be written: failed, with what to do.
    pub fn create(path: &Path) -> Result<Self> {
        let sink = Sink::open(path).map_err(|error| Failure::writing(path, &error))?;
        Ok(Self {
            path: path.to_owned(),
            sink,
        })
    }

    /// Standard error, for what goes to a file or to it.
    #[must_use]
    pub fn standard_error() -> Self {
        Self {
            path: PathBuf::from("standard error"),
            sink: Sink::StandardError(BufWriter::new(io::stderr())),
        }
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// As [`Output::create`].
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        let put = stop::blocking(|| self.write_all(bytes));
        put.map_err(|error| self.failure(&error))
    }

    /// Goes back to the beginning, to write over it.
    ///
    /// # Errors
    /// As [`Output::create`], and for what has no beginning: a pipe, a terminal.
    pub fn rewind(&mut self) -> Result<()> {
        let to = match &mut self.sink {
            Sink::Beside { file, .. } | Sink::InPlace(file) => file.rewind(),
            Sink::StandardError(_) => Err(io::ErrorKind::NotSeekable.into()),
        };
        to.map_err(|error| self.failure(&error))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// As [`Output::create`]; then an older file is as it was.
    pub fn finish(self) -> Result<()> {
        let path = self.path;
        let finished = self.sink.finish();
        finished.map_err(|error| Failure::writing(&path, &error))
    }

    /// The failure that an error of writing to this file is.
    #[must_use]
    pub fn failure(&self, error: &io::Error) -> Failure {
        Failure::writing(&self.path, error)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.writer().flush()
    }
}

impl Sink {
    fn open(path: &Path) -> io::Result<Self> {
        let Some(target) = target(path)? else {
            // A pipe waits here for its reader.
            let file = stop::blocking(|| File::options().write(true).truncate(true).open(path));
            return Ok(Self::InPlace(BufWriter::new(file?)));
        };
        let old = target.metadata().ok();
        let (file, part) = beside(&target, old.as_ref())?;
        Ok(Self::Beside {
            file: BufWriter::new(file),
            part,
            target,
            replaces: old.is_some(),
        })
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Beside { file, .. } => file,
            Self::InPlace(file) => file,
            Self::StandardError(out) => out,
        }
    }

    fn finish(mut self) -> io::Result<()> {
        stop::blocking(|| self.writer().flush())?;
        let Self::Beside {
            file,
            part,
            target,
            replaces,
        } = self
        else {
            return Ok(());
        };
        let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        if replaces {
            // Some file systems find out only here that there is no room.
            file.sync_all()?;
        }
        part.rename(&target)
    }
}

/// A file beside `target`, with what it is to keep of the `old` one.
fn beside(target: &Path, old: Option<&std::fs::Metadata>) -> io::Result<(File, PartFile)> {
    if old.is_some() {
        // A file that may not be written may not be replaced either.
        File::options().write(true).open(target)?;
    }
    let mode = old.map_or(NEW_MODE, |old| old.mode() & 0o7777);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let kept = name.floor_char_boundary(NAME_BYTES);
    let (file, part) = PartFile::of(|| {
        tempfile::Builder::new()
            .prefix(&format!("{}.", &name[..kept]))
            .suffix(".part")
            .permissions(Permissions::from_mode(mode & 0o777))
            .tempfile_in(folder(target))
    })?;
    if let Some(old) = old {
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only root may give a file away.
            let _ = std::os::unix::fs::fchown(&file, Some(old.uid()), Some(old.gid()));
        }
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    Ok((file, part))
}

/// The folder that a path lies in.
fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// The regular file that writing to `path` would replace or make, behind all links. `None` for what
/// is written in place: devices, pipes, and what is open already (`/dev/stdout`, `/dev/fd/3`).
///
/// # Errors
/// When it names a folder, or lies in none.
pub fn target(path: &Path) -> io::Result<Option<PathBuf>> {
    let known = std::fs::metadata(path).ok();
    let is_folder = known.as_ref().is_some_and(std::fs::Metadata::is_dir);
    if is_folder || path.as_os_str().as_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if known.is_some_and(|known| !known.is_file()) {
        return Ok(None);
    }
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let folder = folder(&path).canonicalize()?;
        if folder.starts_with("/proc") {
            return Ok(None);
        }
        let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
        let place = folder.join(name);
        match std::fs::read_link(&place) {
            Ok(link) => path = folder.join(link),
            Err(_) => return Ok(Some(place)),
        }
    }
    Err(io::Error::other("too many links lead on from it"))
}

/// Writes a whole file.
///
/// # Errors
/// As [`Output::create`]; an older file is then as it was.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut output = Output::create(path)?;
    let written = output.write_all(bytes);
    written.map_err(|error| output.failure(&error))?;
    output.finish()
}

/// Finds out before a long run that a file can be written, and leaves what is there as it is.
///
/// # Errors
/// As [`Output::create`].
pub fn check(path: &Path) -> Result<()> {
    let tried = target(path).and_then(|target| match target {
        Some(target) => beside(&target, target.metadata().ok().as_ref()).map(|_| ()),
        // A pipe's reader would take this for its end.
        None => Ok(()),
    });
    tried.map_err(|error| Failure::writing(path, &error))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn text(path: &Path) -> String {
        std::fs::read_to_string(path).expect("a file")
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = folder.read_dir().expect("a folder");
        let names = entries.map(|entry| entry.expect("a name").file_name());
        let mut names: Vec<_> = names
            .map(|name| name.to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_old_or_new_and_never_half() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        std::fs::write(&path, "old").expect("a file");
        let mut output = Output::create(&path).expect("an output");
        output.write_all(b"ne").expect("room");
        output.flush().expect("room");
        assert_eq!(text(&path), "old");
        let beside = &names(folder.path())[1];
        assert!(
            beside.starts_with("out.") && beside.ends_with(".part"),
            "{beside}"
        );
        drop(output);
        assert_eq!(
            (names(folder.path()), text(&path)),
            (vec!["out".into()], "old".into())
        );
        write(&path, b"new").expect("room");
        assert_eq!(
            (names(folder.path()), text(&path)),
            (vec!["out".into()], "new".into())
        );
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("deep")).expect("a folder");
        symlink("deep/one", at("link")).expect("a link");
        symlink("link", at("to-link")).expect("a link");
        for words in ["not there before", "there before"] {
            write(&at("to-link"), words.as_bytes()).expect("room");
            assert_eq!(text(&at("deep/one")), words);
            assert!(at("link").is_symlink() && at("to-link").is_symlink());
        }
        symlink("round", at("round")).expect("a link");
        let failure = write(&at("round"), b"").expect_err("no end");
        assert!(failure.message.contains("too many links"), "{failure}");
    }

    #[test]
    fn the_mode_of_an_older_file_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out");
        for mode in [0o600, 0o755, 0o664] {
            std::fs::write(&path, "old").expect("a file");
            let set = std::fs::set_permissions(&path, Permissions::from_mode(mode));
            set.expect("a mode");
            write(&path, b"new").expect("room");
            let kept = path.metadata().expect("a file").permissions().mode();
            assert_eq!(kept & 0o7777, mode);
        }
    }

    #[test]
    fn devices_are_written_in_place() {
        let null = Path::new("/dev/null");
        check(null).expect("a device");
        write(null, b"words").expect("a device");
        assert!(!null.metadata().expect("a device").is_file());
    }

    #[test]
    fn folders_and_files_in_none_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["", "absent/out", "new/"] {
            let path = folder.path().join(name);
            for failure in [write(&path, b""), check(&path)] {
                let failure = failure.expect_err("no file");
                assert!(failure.message.contains("cannot write"), "{failure}");
            }
        }
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn a_name_of_any_length_has_a_part() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("\u{e9}".repeat(127));
        write(&path, b"new").expect("a part with a shorter name");
        assert_eq!(text(&path), "new");
    }
}
