//! `config.txt`: the lines that keep a Pi 1 or Zero from starting the firmware, or the QPUs from
//! it.
//!
//! A line counts when no section filter before it excludes these boards: `[pi4]` and its kind end
//! with the next model, `[none]` or `[all]`; filters by display, serial number or pin are
//! conditions that nobody can read off a card. Of the kinds of settings that matter each has a rule
//! here; what the boot firmware knows and the firmware does not care about is known by name;
//! anything else may be a typing error.
//!
//! Source: Raspberry Pi documentation, "config.txt", and its sections "Conditional filters" and
//! "Boot options".

mod rules;

use std::io;

use crate::finding::Finding;
use crate::folder::Folder;

const NAME: &str = "config.txt";

/// Characters of a line that the boot firmware reads.
const LONGEST_LINE: usize = 98;

/// Settings that other files are checked against.
pub struct Settings {
    /// Name of the image that is started.
    pub kernel: String,
    /// Name of the file with the settings of qpuscope.
    pub cmdline: String,
}

/// Applicability of a line to these boards.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Applies {
    /// On every board that this is for.
    #[default]
    Yes,
    /// On some, or under a condition.
    Perhaps,
    /// On other boards only.
    No,
}

/// A `key=value` line, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line<'a> {
    /// Number in the file, from 1.
    pub number: usize,
    /// Text before the equals sign.
    pub key: String,
    /// Text behind it.
    pub value: &'a str,
    /// The whole line.
    pub text: &'a str,
    /// Its applicability.
    pub applies: Applies,
    /// The filter that it stands under, as written; empty for none.
    pub section: &'a str,
}

impl Line<'_> {
    /// Its place, for a finding.
    pub fn place(&self) -> String {
        format!("{NAME}:{}", self.number)
    }
}

/// Looks at `config.txt`, and reads from it what other files are held to.
pub fn look(folder: &Folder) -> io::Result<(Vec<Finding>, Settings)> {
    let mut settings = Settings {
        kernel: "kernel.img".to_owned(),
        cmdline: "cmdline.txt".to_owned(),
    };
    let text = match folder.text(NAME)? {
        None => {
            let advice = "is missing; copy the shipped one, without which the boot firmware chooses for itself";
            return Ok((vec![Finding::wrong(NAME, advice)], settings));
        }
        Some(Err(finding)) => return Ok((vec![finding], settings)),
        Some(Ok(text)) => text,
    };
    let (lines, mut found) = read(&text);
    found.extend(rules::look(&lines, folder));
    let last = |key: &str| {
        let mut of_key = lines.iter().rev().filter(|line| line.key == key);
        of_key.find(|line| line.applies != Applies::No)
    };
    if let Some(line) = last("kernel").filter(|line| !line.value.is_empty()) {
        settings.kernel = line.value.to_owned();
    }
    if let Some(line) = last("cmdline").filter(|line| !line.value.is_empty()) {
        settings.cmdline = line.value.to_owned();
    }
    if !found.iter().any(Finding::is_wrong) {
        let count = lines
            .iter()
            .filter(|line| line.applies != Applies::No)
            .count();
        found.insert(0, Finding::right(NAME, format!("{count} settings apply")));
    }
    Ok((found, settings))
}

/// The settings of a text, and what is wrong with lines as such.
fn read(text: &str) -> (Vec<Line<'_>>, Vec<Finding>) {
    let mut lines = Vec::new();
    let mut found = Vec::new();
    let mut filter = Filter::default();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let place = || format!("{NAME}:{number}");
        let text = line.trim();
        let (bare, has_mark) = text
            .strip_prefix('\u{feff}')
            .map_or((text, false), |bare| (bare, true));
        let is_comment = bare.is_empty() || bare.starts_with('#');
        if has_mark && !is_comment {
            found.push(Finding::wrong(
                place(),
                "begins with a byte order mark, so the boot firmware does not know the setting; save the file without one",
            ));
            continue;
        }
        if is_comment {
            continue;
        }
        if !bare.is_ascii() {
            found.push(Finding::wrong(
                place(),
                format!(
                    "`{}` has characters that are not ASCII; type the line anew",
                    printable(bare)
                ),
            ));
            continue;
        }
        if bare.len() > LONGEST_LINE {
            found.push(Finding::wrong(
                place(),
                format!("is longer than the {LONGEST_LINE} characters that the boot firmware reads; shorten it"),
            ));
        }
        if bare.starts_with('[') {
            filter.enter(bare);
            continue;
        }
        // Two settings have a space instead: `include FILE` and `initramfs FILE ADDRESS`.
        let (key, value) = bare
            .split_once('=')
            .or_else(|| bare.split_once(' '))
            .unwrap_or((bare, ""));
        lines.push(Line {
            number,
            key: key.trim().to_lowercase(),
            value: value.trim(),
            text: bare,
            applies: filter.applies(),
            section: filter.written,
        });
    }
    (lines, found)
}

/// A text without what a terminal should not get.
fn printable(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).collect()
}

/// The filters that hold at a line.
#[derive(Default)]
struct Filter<'a> {
    model: Applies,
    /// One by display, serial number, pin or the like.
    condition: bool,
    written: &'a str,
}

impl<'a> Filter<'a> {
    fn enter(&mut self, written: &'a str) {
        let name = written.trim_matches(['[', ']']).trim().to_lowercase();
        match name.as_str() {
            "all" => *self = Self::default(),
            "none" => self.model = Applies::No,
            // The boards that this is for: Pi 1 and Compute Module 1; Zero and Zero W.
            "pi1" | "pi0" | "pi0w" | "cm1" => self.model = Applies::Perhaps,
            _ if name.starts_with("pi") || name.starts_with("cm") => self.model = Applies::No,
            _ => self.condition = true,
        }
        self.written = if name == "all" { "" } else { written };
    }

    fn applies(&self) -> Applies {
        match (self.model, self.condition) {
            (Applies::No, _) => Applies::No,
            (Applies::Yes, false) => Applies::Yes,
            _ => Applies::Perhaps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applying(text: &str) -> Vec<(String, Applies)> {
        let (lines, _) = read(text);
        lines
            .into_iter()
            .map(|line| (line.key, line.applies))
            .collect()
    }

    #[test]
    fn filters_hold_until_another_of_their_kind() {
        let text = "a=1\n[pi4]\nb=1\n[pi0]\nc=1\n[EDID=X]\nd=1\n[pi3+]\ne=1\n[all]\r\nf=1\r\n[none]\ng=1\n[cm4]\nh=1\n[0x12345678]\ni=1";
        let wanted = [
            ("a", Applies::Yes),
            ("b", Applies::No),
            ("c", Applies::Perhaps),
            ("d", Applies::Perhaps),
            ("e", Applies::No),
            ("f", Applies::Yes),
            ("g", Applies::No),
            ("h", Applies::No),
            ("i", Applies::No),
        ];
        let wanted = wanted.map(|(key, applies)| (key.to_owned(), applies));
        assert_eq!(applying(text), wanted);
    }

    #[test]
    fn what_is_no_setting_is_said_or_passed_over() {
        let long = format!("dtparam={}", "x".repeat(100));
        let (lines, found) = read(&long);
        assert_eq!((lines.len(), found.len()), (1, 1));
        let (lines, found) = read("\u{feff}# comment\n\n  # über\nkernel=k\u{fc}rnel.img\n");
        assert_eq!((lines.len(), found.len()), (0, 1));
        assert_eq!(found[0].place, "config.txt:4");
        assert_eq!(read("\u{feff}gpu_mem=64\n").1.len(), 1);
    }
}
