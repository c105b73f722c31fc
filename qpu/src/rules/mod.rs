//! The rules of QPU code: one catalogue for [`check`](crate::check) and for the simulator.
//!
//! The checker looks at a program, the simulator watches it run, and most rules are found by both.
//! Each has one entry: a name that does not change, the rule, a remedy, and a source. Rules that
//! only a run can break are in a table of the same form in `v3d-sim`.

/// Every rule that `check` looks for.
pub static CATALOGUE: [Entry; 66] = parse(include_str!("catalogue.txt"));

/// A rule of the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// A short name, which does not change.
    pub id: &'static str,
    /// The rule in its first sentence, then what else is known, a sentence a line.
    pub text: &'static str,
    /// The remedy, to follow "to fix it, ".
    pub remedy: &'static str,
    /// The documents and measurements that it comes from. "Against" stands between those that
    /// conflict.
    pub source: &'static str,
}

impl Entry {
    /// The first sentence, without its full stop.
    #[must_use]
    pub fn sentence(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.trim_end_matches('.')
    }

    /// The problem with the texts of this entry, if there is one: a test holds each table to it.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        let lower = self.remedy.starts_with(|first: char| first.is_lowercase());
        if !self.text.lines().all(|line| line.ends_with('.')) {
            Some("a line of the text is no whole sentence")
        } else if self.source.ends_with('.') {
            Some("the source ends in a full stop")
        } else if !lower || self.remedy.ends_with('.') {
            Some("the remedy does not follow \"to fix it, \"")
        } else {
            None
        }
    }
}

/// The entries of a text, at compile time. Its first paragraph explains it. Each of the others is
/// an entry: its name, lines of text, a line "to fix it, REMEDY", a line "source: SOURCE".
///
/// # Panics
/// When the text has another form, or another number of entries.
#[must_use]
pub const fn parse<const ENTRIES: usize>(text: &'static str) -> [Entry; ENTRIES] {
    const EMPTY: Entry = Entry {
        id: "",
        text: "",
        remedy: "",
        source: "",
    };
    let mut entries = [EMPTY; ENTRIES];
    let mut left = text;
    let mut index = 0;
    while index < ENTRIES {
        // Behind the paragraph before.
        let (_, entry) = split(left, "\n\n");
        let (id, after) = split(entry, "\n");
        let (text, after) = split(after, "\nto fix it, ");
        let (remedy, after) = split(after, "\nsource: ");
        let (source, _) = split(after, "\n");
        entries[index] = Entry {
            id,
            text,
            remedy,
            source,
        };
        index += 1;
        left = after;
    }
    let is_last = find(left, "\n\n").is_none();
    assert!(is_last, "the text has more entries");
    entries
}

/// The parts of a text before and behind the first `mark`.
const fn split<'a>(text: &'a str, mark: &str) -> (&'a str, &'a str) {
    let Some(at) = find(text, mark) else {
        panic!("a part of an entry is missing")
    };
    let (before, after) = text.split_at(at);
    (before, after.split_at(mark.len()).1)
}

const fn find(text: &str, mark: &str) -> Option<usize> {
    let mut at = 0;
    while at + mark.len() <= text.len() {
        let here = text.as_bytes().split_at(at).1.split_at(mark.len()).0;
        if is_same(here, mark.as_bytes()) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// The entry of this name, at compile time.
///
/// # Panics
/// When there is none.
#[must_use]
pub const fn entry(entries: &'static [Entry], id: &str) -> &'static Entry {
    let mut index = 0;
    while index < entries.len() {
        if is_same(entries[index].id.as_bytes(), id.as_bytes()) {
            return &entries[index];
        }
        index += 1;
    }
    panic!("the catalogue has no rule of this name")
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut index = 0;
    while index < one.len() {
        if one[index] != other[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_whole_sentences_and_have_their_own_names() {
        for (index, entry) in CATALOGUE.iter().enumerate() {
            assert_eq!(entry.problem(), None, "{}", entry.id);
            let others = &CATALOGUE[index + 1..];
            assert!(others.iter().all(|other| other.id != entry.id));
        }
    }

    #[test]
    fn an_entry_is_a_paragraph() {
        let text = "About.\n\nid\nThe rule.\nMore.\nto fix it, do it\nsource: a book\n\n\
                    other\nOnly the rule.\nto fix it, do that\nsource: open question\n";
        let [one, other] = parse(text);
        assert_eq!((one.id, one.sentence()), ("id", "The rule"));
        assert_eq!((one.remedy, one.source), ("do it", "a book"));
        assert_eq!(
            (other.text, other.sentence()),
            ("Only the rule.", "Only the rule")
        );
    }
}
