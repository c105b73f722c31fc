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
    // These begin with the way to what follows them, counted from a label.
    let half = (&front(&mut reads, Relay::HALF)[1..], "write");
    let write = (&front(&mut reads, Relay::WRITE)[1..], "rotate");
    let last = (&front(&mut reads, Relay::WRITE_LAST)[1..], "unit");
    let rotate = front(&mut reads, Relay::ROTATE);
    let go = |list: &mut List, unit, (words, base), next| {
        list.put(&[Word::Bytes(bytes(base, next))], unit);
        list.put(words, unit);
    };
    let [early, late] = [0, Relay::UNITS - 1];
    list.put(load, early);
    go(&mut list, early, half, "write");
    go(&mut list, early, write, "keep");
    go(&mut list, early, last, "unit");
    list.put(load, late);
    go(&mut list, late, half, "write");
    go(&mut list, late, write, "rotate");
    // The second halves of both; before that of the late unit the last pair of its first half.
    list.put(rotate, early);
    go(&mut list, early, half, "last");
    go(&mut list, late, last, "rotate");
    list.put(rotate, late);
    go(&mut list, late, half, "both");
    for next in ["others", "end"] {
        go(&mut list, late, write, "last");
        go(&mut list, late, last, next);
    }
    list.put(reads, late);
    // A half once more, of which nothing is kept.
    list.put(rotate, late);
    go(&mut list, late, half, "finish");
    list.0
}

/// The list of a consumer that reads these words.
pub fn of_consumers(mut reads: &[Word]) -> Vec<Word> {
    let mut list = List::default();
    list.put(front(&mut reads, Relay::CONSUMER_HEAD + Relay::BEGIN), 0);
    let next = front(&mut reads, Relay::EARLY);
    let pass = front(&mut reads, 1);
    let then = front(&mut reads, Relay::EARLY);
    let ahead = front(&mut reads, Relay::LOOKED_UP);
    let wait = front(&mut reads, 1);
    let round = front(&mut reads, Relay::ROUND - 1);
    let done = front(&mut reads, Relay::DONE);
    list.put(next, 0);
    list.put(pass, 0);
    for number in 1..Relay::EARLY_ROUNDS {
        list.put(then, number);
    }
    list.put(ahead, 0);
    for number in 0..Relay::ROUNDS {
        // Early vectors of the second half come with late ones.
        let is_early = number < Relay::EARLY_ROUNDS;
        list.put(if is_early { wait } else { next }, number);
        list.put(round, number);
        if number == 0 {
            list.put(reads, number);
        }
    }
    list.put(done, 0);
    list.0
}
