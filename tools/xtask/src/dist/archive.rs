//! The zip for a card: everything but Raspberry Pi's own boot files, and nothing that would
//! overwrite its user's settings: `cmdline.txt` is there as an example only.
//!
//! Files are stored in order of their names, with one date for all and without compression, so that
//! the bytes depend on nothing but the files'.

use super::{VERSION, sum};
use anyhow::{Context, Result};
use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Files of the workspace, and what they are called on the card.
const FROM_WORKSPACE: [(&str, &str); 5] = [
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("README.txt", "boot/sdcard/README.txt"),
    ("cmdline-example.txt", "boot/sdcard/cmdline.txt"),
    ("config.txt", "boot/sdcard/config.txt"),
];

/// The bytes of the zip, from the workspace at `root`, an image, and the licences of what is
/// compiled into it.
pub fn card(root: &Path, image: &[u8], notices: &str) -> Result<Vec<u8>> {
    let version = format!(
        "qpuscope {VERSION}\nkernel.img: {} bytes, SHA-256 {}\n",
        image.len(),
        sum(image)
    );
    let mut files = vec![
        ("LICENSES-OTHERS.txt", notices.as_bytes().to_vec()),
        ("VERSION", version.into_bytes()),
        ("kernel.img", image.to_vec()),
    ];
    for (name, from) in FROM_WORKSPACE {
        let bytes = fs::read(root.join(from)).with_context(|| format!("cannot read {from}"))?;
        files.push((name, bytes));
    }
    files.sort();
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(name, options)?;
        zip.write_all(&bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;
    use std::io::Read;
    use zip::ZipArchive;

    /// A copy of what goes into the zip, in a folder of another name and with other times.
    fn elsewhere(name: &str) -> std::path::PathBuf {
        let folder =
            std::env::temp_dir().join(format!("qpuscope-dist-{}-{name}", std::process::id()));
        for (_, from) in FROM_WORKSPACE {
            let to = folder.join(from);
            fs::create_dir_all(to.parent().expect("a file lies in a folder")).expect("a folder");
            let bytes = fs::read(workspace::root().join(from)).expect("a file of the workspace");
            fs::write(to, bytes).expect("a copy");
        }
        folder
    }

    #[test]
    fn the_zip_has_the_same_bytes_from_another_folder() {
        let copy = elsewhere("another");
        let ours = card(workspace::root(), b"image", "notices").expect("a zip");
        let theirs = card(&copy, b"image", "notices").expect("a zip");
        fs::remove_dir_all(copy).expect("the copy was there");
        assert!(ours == theirs, "{} and {} bytes", ours.len(), theirs.len());
    }

    #[test]
    fn the_zip_unpacks_onto_a_card_and_leaves_settings_alone() {
        let zip = card(workspace::root(), b"image", "notices").expect("a zip");
        let mut zip = ZipArchive::new(Cursor::new(zip)).expect("a zip");
        let names: Vec<String> = zip
            .file_names()
            .map(|name| name.expect("a name is text").into_owned())
            .collect();
        let mut wanted = ["LICENSES-OTHERS.txt", "VERSION", "kernel.img"].to_vec();
        wanted.extend(FROM_WORKSPACE.map(|(name, _)| name));
        wanted.sort_unstable();
        assert_eq!(names, wanted);
        let mut version = String::new();
        let mut file = zip.by_name("VERSION").expect("a file");
        file.read_to_string(&mut version).expect("text");
        assert!(
            version.starts_with(&format!("qpuscope {VERSION}\nkernel.img: 5 bytes")),
            "{version}"
        );
    }

    /// Windows shows a text file without carriage returns as it should since 2018; other characters
    /// it may not.
    #[test]
    fn the_readme_is_plain_text() {
        let text = include_str!("../../../../boot/sdcard/README.txt");
        assert!(text.is_ascii());
        for line in text.lines() {
            // An address cannot be cut.
            assert!(line.len() <= 79 || line.starts_with("https://"), "{line}");
        }
        assert!(text.contains(::card::BOOT_FILES_COMMIT));
    }
}
