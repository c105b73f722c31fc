//! The rules of QPU code: one catalogue for [`check`](crate::check) and for the simulator.
//!
//! The checker looks at a program, the simulator watches it run, and most rules are found by both.
//! Each has one entry: a name that does not change, the rule, a remedy, and a source. Rules that
//! only a run can break are in a table of the same form in `v3d-sim`.

mod catalogue;

pub use catalogue::CATALOGUE;

/// A rule of the hardware.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// A short name, which does not change.
    pub id: &'static str,
    /// The rule in its first sentence, then what else is known.
    pub text: &'static str,
    /// The remedy, to follow "to fix it, ".
    pub remedy: &'static str,
    /// The documents and measurements that it comes from. "Against" stands between those that
    /// conflict.
    pub source: &'static str,
}

impl Entry {
    /// An entry, in the order of a table's columns.
    #[must_use]
    pub const fn new(
        id: &'static str,
        source: &'static str,
        text: &'static str,
        remedy: &'static str,
    ) -> Self {
        Self {
            id,
            text,
            remedy,
            source,
        }
    }

    /// The first sentence, without its full stop.
    #[must_use]
    pub fn sentence(&self) -> &'static str {
        let first = self.text.split_once(". ").map(|(first, _)| first);
        first.unwrap_or(self.text.trim_end_matches('.'))
    }

    /// The problem with the texts of this entry, if there is one: a test holds each table to it.
    #[must_use]
    pub fn problem(&self) -> Option<&'static str> {
        let lower = self.remedy.starts_with(|first: char| first.is_lowercase());
        if !self.text.ends_with('.') {
            Some("the text is no whole sentence")
        } else if self.source.ends_with('.') {
            Some("the source ends in a full stop")
        } else if !lower || self.remedy.ends_with('.') {
            Some("the remedy does not follow \"to fix it, \"")
        } else {
            None
        }
    }
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
    fn the_rule_is_the_first_sentence() {
        let entry = Entry::new("id", "a source", "The rule. More.", "do it");
        assert_eq!(entry.sentence(), "The rule");
        let entry = Entry::new("id", "a source", "Only the rule.", "do it");
        assert_eq!(entry.sentence(), "Only the rule");
    }
}
