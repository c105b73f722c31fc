//! `cmdline.txt`: one line of `key=value` words for qpuscope itself.

use std::io;

use wire::SETTINGS;

use crate::config::Settings;
use crate::finding::Finding;
use crate::folder::Folder;

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
        let is_known = SETTINGS.iter().any(|setting| setting.key == key);
        !(key.contains('.') || is_known && word.contains('='))
    });
    match unknown {
        Some(word) => {
            let keys: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
            wrong(&format!(
                "{word}: no such setting; known are {}",
                keys.join(", ")
            ))
        }
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
