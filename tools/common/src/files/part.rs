//! Parts: files that lie beside the file that they will become, until they are whole.
//!
//! The process knows all of its parts, so that none remains when a signal ends it. Each step that
//! makes, renames or removes one holds the list, and the thread that ends the process keeps it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use tempfile::{NamedTempFile, TempPath};

/// The time that a step with a file may take before the process ends all the same.
const STEP: Duration = Duration::from_secs(1);

/// The parts that there are.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(vec![]);

/// The name of a part. Dropping it removes the file.
pub struct PartFile(Option<TempPath>);

impl PartFile {
    /// Notes the file that `make` makes.
    ///
    /// # Errors
    /// As `make`.
    pub fn of(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<(File, Self)> {
        let mut parts = parts();
        let (file, path) = make()?.into_parts();
        parts.push(path.to_path_buf());
        Ok((file, Self(Some(path))))
    }

    /// Gives the file its own name, in place of an older one.
    ///
    /// # Errors
    /// When the system does not do it; the part is removed then.
    pub fn rename(mut self, target: &Path) -> io::Result<()> {
        let mut parts = parts();
        let Some(path) = self.0.take() else {
            return Ok(());
        };
        forget(&mut parts, &path);
        path.persist(target).map_err(|error| error.error)
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let mut parts = parts();
            forget(&mut parts, &path);
            drop(path);
        }
    }
}

fn parts() -> MutexGuard<'static, Vec<PathBuf>> {
    // No step leaves the list half changed.
    PARTS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn forget(parts: &mut Vec<PathBuf>, path: &Path) {
    parts.retain(|part| part != path);
}

/// Removes all parts, for a process that ends now: no other is made, renamed or removed afterwards.
pub fn remove_all() {
    let until = Instant::now() + STEP;
    let parts = loop {
        match PARTS.try_lock() {
            Ok(parts) => break parts,
            Err(TryLockError::Poisoned(error)) => break error.into_inner(),
            // A file system that does not answer must not keep a process from its end.
            Err(TryLockError::WouldBlock) if Instant::now() >= until => return,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    for part in &*parts {
        let _ = std::fs::remove_file(part);
    }
    std::mem::forget(parts);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_known_until_it_is_renamed_or_dropped() {
        let folder = tempfile::tempdir().expect("a folder");
        let part = || PartFile::of(|| NamedTempFile::new_in(folder.path())).expect("a part");
        let count = || {
            let parts = parts();
            let own = parts.iter().filter(|part| part.starts_with(folder.path()));
            own.count()
        };
        let ((_, one), (_, other)) = (part(), part());
        assert_eq!(count(), 2);
        one.rename(&folder.path().join("whole")).expect("a name");
        assert_eq!(count(), 1);
        drop(other);
        assert_eq!(count(), 0);
        let left = folder.path().read_dir().expect("a folder").count();
        assert_eq!(left, 1, "only the whole file is left");
    }
}
