//! docs/qpu-tutorial, done as a reader would: every command is run and prints what the text says.
//!
//! Each page lies in a folder with its programs. The commands of its `console` blocks are run by
//! `sh`, one after the other, in a copy of that folder; what they print on both outputs is compared
//! with the lines that follow, and a status other than 0 with `[status N]`. `QPUSCOPE_BLESS=1`
//! writes what was printed into the pages instead.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the tutorial, in the reader's order.
const PARTS: [&str; 4] = ["1-hello", "2-collatz", "3-sum", "4-fast"];

fn tutorial() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/qpu-tutorial")
}

/// A fresh copy of a part's files.
fn copy_of(part: &str) -> PathBuf {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("qpu-tutorial")
        .join(part);
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(&copy).expect("a folder for files");
    for entry in fs::read_dir(tutorial().join(part)).expect("a folder for each part") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("files have names");
        fs::copy(&path, copy.join(name)).expect("a part has files only");
    }
    copy
}

/// The output of a command, and its status when that is not 0.
fn printed(command: &str, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_qpuscope"));
    tests::transcript::printed(command, folder, program.parent().expect("a folder"))
}

/// The page as it would be if it said what its commands print, and the number of commands.
fn as_printed(page: &str, folder: &Path) -> (String, usize) {
    let mut text = String::new();
    let mut commands = 0;
    let mut lines = page.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ ").filter(|_| inside);
        // What follows a command is what it printed when the page was written.
        if inside && command.is_none() && line != "```" {
            continue;
        }
        let _ = writeln!(text, "{line}");
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ => {}
        }
        let Some(command) = command else { continue };
        commands += 1;
        let mut command = command.to_owned();
        while command.ends_with('\\') {
            let more = lines
                .next()
                .expect("a command that goes on has another line");
            let _ = writeln!(text, "{more}");
            command = format!("{command}\n{more}");
        }
        text.push_str(&printed(&command, folder));
    }
    (text, commands)
}

#[test]
fn every_command_prints_what_the_text_says() {
    for part in PARTS {
        let path = tutorial().join(part).join("README.md");
        let page = fs::read_to_string(&path).expect("a page in each folder");
        let (text, commands) = as_printed(&page, &copy_of(part));
        assert!(commands >= 3, "{part} has {commands} commands");
        if std::env::var_os("QPUSCOPE_BLESS").is_some() {
            fs::write(&path, &text).expect("the page can be written");
            continue;
        }
        let differs = page
            .lines()
            .zip(text.lines())
            .find(|(says, prints)| says != prints);
        assert_eq!(
            (differs, text.lines().count()),
            (None, page.lines().count()),
            "{part}: the page says the first, a command prints the second; QPUSCOPE_BLESS=1 rewrites it"
        );
    }
}

#[test]
fn every_part_is_in_the_table_of_contents_and_every_program_in_its_part() {
    let contents = fs::read_to_string(tutorial().join("README.md")).expect("the first page");
    for part in PARTS {
        assert!(contents.contains(&format!("({part}/README.md)")), "{part}");
        let page = fs::read_to_string(tutorial().join(part).join("README.md")).expect("a page");
        for entry in fs::read_dir(tutorial().join(part)).expect("a folder for each part") {
            let name = entry
                .expect("a file")
                .file_name()
                .into_string()
                .expect("ASCII");
            assert!(
                name == "README.md" || page.contains(&name),
                "{part}: {name}"
            );
        }
    }
}
