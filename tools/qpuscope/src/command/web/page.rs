//! The files of the page: static files of one folder.

use std::path::{Path, PathBuf};

use axum::http::StatusCode;

use super::gate::Refusal;
use common::failure::{Failure, Result};
use common::say;

/// The place of the page when `cargo xtask web` was given no other.
const BUILT: &str = "target/web/page";
/// The file that makes a folder a page.
const INDEX: &str = "index.html";

/// A folder with the page.
pub struct Folder(PathBuf);

impl Folder {
    /// The folder that is named, or the first of the usual places that has a page.
    ///
    /// # Errors
    /// Usage, when there is no page.
    pub fn find(named: Option<&Path>) -> Result<Self> {
        let beside = std::env::current_exe().ok();
        let beside = beside
            .as_deref()
            .and_then(Path::parent)
            .map(|folder| folder.join("web"));
        let places = match named {
            Some(named) => vec![named.to_owned()],
            None => beside.into_iter().chain([PathBuf::from(BUILT)]).collect(),
        };
        let has_page = |place: &&PathBuf| place.join(INDEX).is_file();
        if let Some(place) = places.iter().find(has_page)
            && let Ok(place) = place.canonicalize()
        {
            return Ok(Self(place));
        }
        let names: Vec<_> = places.iter().map(|place| say::path(place)).collect();
        Err(Failure::usage(format!(
            "there is no page in {}; build it with `cargo xtask web DIR` and name that folder with --page DIR",
            names.join(" nor in ")
        )))
    }

    /// The file for a path of a request.
    ///
    /// # Errors
    /// 404, when there is no such file in the folder.
    pub fn file(&self, path: &str) -> Result<PathBuf, Refusal> {
        let name = match path.strip_prefix('/').ok_or_else(no_such_file)? {
            "" => INDEX,
            name => name,
        };
        // Without percent signs, empty and dotted names no path leads out of the folder.
        if !name.split('/').all(is_plain) {
            return Err(no_such_file());
        }
        let found = self.0.join(name).canonicalize();
        let found = found.map_err(|_| no_such_file())?;
        // Links neither.
        match found.starts_with(&self.0) && found.is_file() {
            true => Ok(found),
            false => Err(no_such_file()),
        }
    }
}

/// The refusal of a path that no file has.
#[must_use]
pub fn no_such_file() -> Refusal {
    (
        StatusCode::NOT_FOUND,
        "the page has no such file; open the address without a path".into(),
    )
}

/// Returns whether a name is one that files of the page have.
fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_files_of_the_folder_are_opened() {
        let around = tempfile::tempdir().expect("a folder");
        let place = around.path().join("page");
        std::fs::create_dir_all(place.join("sub")).expect("a folder");
        for name in [
            "index.html",
            "a.wasm",
            "sub/b.js",
            ".hidden",
            "../secret.txt",
        ] {
            std::fs::write(place.join(name), name).expect("a file");
        }
        symlink("../secret.txt", place.join("link.txt")).expect("a link");
        let folder = Folder::find(Some(&place)).expect("a page");
        let inside = place.canonicalize().expect("a folder");
        for (path, name) in [
            ("/", "index.html"),
            ("/a.wasm", "a.wasm"),
            ("/sub/b.js", "sub/b.js"),
        ] {
            assert_eq!(folder.file(path), Ok(inside.join(name)));
        }
        let outside = [
            "/../secret.txt",
            "/sub/../../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "//secret.txt",
            "/.hidden",
            "/link.txt",
            "/sub",
            "/sub/",
            "/absent.js",
            "/a.wasm/",
            "/./a.wasm",
            "secret.txt",
            "",
        ];
        for path in outside {
            assert_eq!(folder.file(path), Err(no_such_file()), "{path}");
        }
    }

    #[test]
    fn a_folder_without_a_page_is_none() {
        let empty = tempfile::tempdir().expect("a folder");
        let failure = Folder::find(Some(empty.path())).err().expect("no page");
        assert!(failure.message.contains("cargo xtask web DIR"), "{failure}");
    }
}
