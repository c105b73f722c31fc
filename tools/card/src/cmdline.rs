//! `cmdline.txt`: one line of `key=value` words for qpuscope itself.

use std::io;

use crate::config::Settings;
use crate::finding::Finding;
use crate::folder::Folder;

/// Keys that the firmware takes; a test holds them to the firmware's own.
const KEYS: [&str; 22] = [
    "n", "window", "overlap", "avg", "detector", "dc", "out", "domain", "first", "bins", "centre",
    "unit", "engine", "start", "qputest", "allow", "input", "rate", "clock", "channel", "mode",
    "exp",
];

/// Bytes of the line that the firmware looks at.
const LONGEST: usize = 1024;

/// Looks at the file; none is fine.
pub fn look(folder: &Folder, settings: &Settings) -> io::Result<Vec<Finding>> {
    let name = settings.cmdline.as_str();
    Ok(match folder.text(name)? {
        None => vec![Finding::right(
            name,
            "not there, so qpuscope takes its defaults",
        )],
        Some(Err(finding)) => vec![finding],
        Some(Ok(text)) => vec![judge(name, &text)],
    })
}

fn judge(name: &str, text: &str) -> Finding {
    let wrong = |sentence: &str| Finding::wrong(name, sentence);
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let words = || lines.iter().flat_map(|line| line.split_ascii_whitespace());
    let has = |key: &str| words().any(|word| word.split('=').next() == Some(key));
    if !text.is_ascii() {
        return wrong("has characters that are not ASCII; type the line anew, for example start=1");
    }
    if has("root") || has("console") {
        return wrong(
            "is the command line of another system; replace it by one line of qpuscope's settings, for example start=1",
        );
    }
    if lines.len() > 1 {
        return wrong(
            "has more than one line, and the boot firmware hands the first over; put all words into one line",
        );
    }
    if text.len() > LONGEST {
        return wrong("is longer than the 1024 bytes that are read; shorten it");
    }
    // Words with a dot are the boot firmware's own.
    let unknown = words().find(|word| {
        let key = word.split('=').next().unwrap_or(word);
        !(key.contains('.') || KEYS.contains(&key) && word.contains('='))
    });
    match unknown {
        Some(word) => wrong(&format!(
            "{word}: no such setting; known are {}",
            KEYS.join(", ")
        )),
        None => Finding::right(
            name,
            if lines.is_empty() {
                "empty".to_owned()
            } else {
                lines[0].to_owned()
            },
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::instrument::{Problem, Settings};

    #[test]
    fn the_firmware_knows_the_same_keys() {
        for key in KEYS {
            let (_, error) = Settings::from_cmdline(&format!("{key}=?"));
            let problem = error.expect("no setting has this value").problem;
            assert_ne!(problem, Problem::UnknownKey, "{key}");
        }
        let (settings, _) = Settings::from_cmdline("");
        let mut text = String::new();
        settings
            .write("all", &mut text)
            .expect("strings take everything");
        for line in text.lines() {
            let key = line.split('=').next().expect("a line of a setting");
            assert!(KEYS.contains(&key), "{key} is not known here");
        }
    }
}
