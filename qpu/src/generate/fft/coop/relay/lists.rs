//! Lists of uniforms: what a piece of code reads stands in its program once, and in the list as often as it runs.

use crate::fft::coop::{PartWord, Word};
use crate::fft::relay::Relay;

/// A word of a part, put to its place by [`of_part`].
pub const fn part(word: PartWord) -> Word {
    Word::Part { part: 0, word }
}

/// The word, of this part.
fn of_part(word: Word, part: u32) -> Word {
    let part = part as u8;
    match word {
        Word::Part { word, .. } => Word::Part { part, word },
        Word::Store { index } => Word::Part {
            part,
            word: PartWord::Store { half: index },
        },
        word => word,
    }
}

/// A list being put together.
#[derive(Default)]
struct List(Vec<Word>);

impl List {
    /// Words of code that runs for this part.
    fn put(&mut self, words: &[Word], part: u32) {
        self.0.extend(words.iter().map(|&word| of_part(word, part)));
    }
}

/// Splits words off the front.
fn front<'a>(words: &mut &'a [Word], count: u32) -> &'a [Word] {
    let (front, rest) = words.split_at(count as usize);
    *words = rest;
    front
}

/// The list of a producer that reads these words; `bytes` is how far it is from one label to another.
pub fn of_producers(mut reads: &[Word], bytes: impl Fn(&str, &str) -> u32) -> Vec<Word> {
    let mut list = List::default();
    list.put(front(&mut reads, Relay::PRODUCER_HEAD), 0);
    let load = front(&mut reads, Relay::UNIT);
    // Both begin with the way to what follows them.
    let half = front(&mut reads, Relay::HALF).split_at(1).1;
    let pairs = front(&mut reads, Relay::WRITE).split_at(1).1;
    let go_on = front(&mut reads, Relay::GO_ON);
    let half_then = |list: &mut List, then, unit| {
        list.put(&[Word::Bytes(bytes("write", then))], unit);
        list.put(half, unit);
    };
    let pairs_then = |list: &mut List, then, unit| {
        list.put(&[Word::Bytes(bytes("written", then))], unit);
        list.put(pairs, unit);
    };
    let late = Relay::UNITS - 1;
    for unit in 0..Relay::UNITS {
        list.put(load, unit);
        half_then(&mut list, "write", unit);
        pairs_then(&mut list, "written", unit);
        list.put(go_on, unit);
        half_then(&mut list, if unit == late { "both" } else { "keep" }, unit);
    }
    pairs_then(&mut list, "others", late);
    pairs_then(&mut list, "end", late);
    list.put(reads, late);
    // A half once more, of which nothing is kept.
    list.put(go_on, late);
    half_then(&mut list, "finish", late);
    list.0
}

/// The list of a consumer that reads these words.
pub fn of_consumers(mut reads: &[Word]) -> Vec<Word> {
    let mut list = List::default();
    list.put(front(&mut reads, Relay::CONSUMER_HEAD + Relay::BEGIN), 0);
    let next = front(&mut reads, Relay::EARLY);
    let pass = front(&mut reads, 1);
    let then = front(&mut reads, Relay::EARLY);
    let rows = front(&mut reads, Relay::ROWS_AHEAD);
    let wait = front(&mut reads, 1);
    let round = front(&mut reads, Relay::ROUND - 1);
    list.put(next, 0);
    list.put(pass, 0);
    for number in 1..Relay::EARLY_ROUNDS {
        list.put(then, number);
    }
    list.put(rows, 0);
    for number in 0..Relay::ROUNDS {
        // Early vectors of the second half come with late ones.
        let is_early = number < Relay::EARLY_ROUNDS;
        list.put(if is_early { wait } else { next }, number);
        list.put(round, number);
    }
    list.put(reads, 0);
    list.0
}
