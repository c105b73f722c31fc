//! What is not understood in a list: the first of it is named, and the rest is counted.

/// Oddities of a list.
#[derive(Default)]
pub struct Oddities {
    first: Option<String>,
    more: usize,
}

impl Oddities {
    /// Adds one in words.
    pub fn add(&mut self, words: impl FnOnce() -> String) {
        match &self.first {
            Some(_) => self.more += 1,
            None => self.first = Some(words()),
        }
    }

    /// Says them all in one sentence.
    pub fn note(self, notes: &mut Vec<String>) {
        if let Some(first) = self.first {
            let more = match self.more {
                0 => String::new(),
                more => format!("; {more} more of its kind are not understood either"),
            };
            notes.push(format!("{first}{more}"));
        }
    }
}
