//! Lists of uniforms: what a piece of code reads stands in its program once, and in the list as
//! often as it runs.

use crate::kernels::pipeline::double_buffered::DoubleBuffered;
use crate::kernels::pipeline::uniforms::{PartWord, Units, Word};

/// What a producer's pieces read: what is done once, the beginning of a unit, two columns, a half,
/// pairs of vectors, the last pair, and the way to another half.
pub type OfProducers = [Vec<Word>; 7];
/// What a consumer's pieces read: what is done once, early vectors, what is looked up ahead, late
/// vectors, the store of even and of odd outputs, what is looked up ahead again, and rows.
pub type OfConsumers = [Vec<Word>; 8];

/// In a program's reads: a way, which is in its list; in a list: a way that no program takes.
pub const OF_LIST: Word = Word::Bytes(0);
/// The words at the end of a producer's transform, and of a consumer's.
pub const END_OF_PRODUCERS: [Word; 2] = [Word::List, Word::Step];
pub const END_OF_CONSUMERS: [Word; 3] = [Word::Step, Word::List, Word::Peers];
/// What a consumer waits for at the beginning of a transform.
pub const FIRST: Word = part(PartWord::Await(Units::Early));
/// What a consumer does when it has read late vectors.
pub const PASS_ON: Word = part(PartWord::PassOn(Units::Late));

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
struct WordList(Vec<Word>);

impl WordList {
    /// Words of code that runs for this part.
    fn put(&mut self, words: &[Word], part: u32) {
        self.0.extend(words.iter().map(|&word| of_part(word, part)));
    }
}

/// The counterpart of `word` for the other columns of a unit: the steps of their rows, and behind
/// them twiddle factors.
fn of_other_columns(word: Word) -> Word {
    let Word::Part { part, word } = word else {
        return word;
    };
    let rows = DoubleBuffered::ROWS as u8;
    match word {
        PartWord::RowStep { number } => match number + rows / 2 {
            last if last + 1 == rows => self::part(PartWord::Twiddles { half: 0 }),
            number if number < rows => self::part(PartWord::RowStep { number }),
            _ => Word::Bytes(2 * DoubleBuffered::VECTOR_STEP),
        },
        PartWord::Component => Word::Bytes(DoubleBuffered::VECTOR_STEP),
        word => Word::Part { part, word },
    }
}

/// The list of a producer that reads these words; `bytes` is how far it is from one label to
/// another.
pub fn of_producers(reads: OfProducers, bytes: impl Fn(&str, &str) -> u32) -> Vec<Word> {
    let [once, begin, columns, half, write, last, rotate] = &reads;
    assert_eq!(once.len() as u32, DoubleBuffered::PRODUCER_HEAD);
    let mut list = WordList::default();
    list.put(once, 0);
    let other_columns: Vec<_> = columns.iter().copied().map(of_other_columns).collect();
    // Behind the way to what follows them, counted from a label.
    let [columns, other_columns] = [columns, &other_columns].map(|words| (words, "aside"));
    let [half, write, last] = [(half, "write"), (write, "rotate"), (last, "unit")];
    let go = |list: &mut WordList, unit, (words, base): (&Vec<Word>, &str), next: &str| {
        list.put(&[Word::Bytes(bytes(base, next))], unit);
        list.put(words, unit);
    };
    let load = |list: &mut WordList, unit| {
        list.put(begin, unit);
        go(list, unit, columns, "aside");
        go(list, unit, other_columns, "outputs");
    };
    let [early, late] = [0, DoubleBuffered::UNITS - 1];
    load(&mut list, early);
    go(&mut list, early, half, "write");
    go(&mut list, early, write, "keep");
    go(&mut list, early, last, "unit");
    load(&mut list, late);
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
    list.put(&END_OF_PRODUCERS, late);
    list.0
}

/// The counterpart of `word` that is read with the odd output behind an even one.
fn of_odd_output(word: Word) -> Word {
    match word {
        Word::Part {
            part,
            word: PartWord::Factor { output, is_sine },
        } => {
            let output = output + 1;
            let word = PartWord::Factor { output, is_sine };
            Word::Part { part, word }
        }
        word => word,
    }
}

/// The list of a consumer that reads these words; `bytes` is how far it is from one label to
/// another.
pub fn of_consumers(reads: OfConsumers, bytes: impl Fn(&str, &str) -> u32) -> Vec<Word> {
    let [
        once,
        early,
        ahead,
        late,
        even_store,
        odd_store,
        again,
        even_rows,
    ] = &reads;
    assert_eq!(once.len() as u32, DoubleBuffered::CONSUMER_HEAD);
    let mut list = WordList::default();
    list.put(once, 0);
    list.put(&[FIRST], 0);
    let odd_rows: Vec<_> = even_rows.iter().copied().map(of_odd_output).collect();
    let wait = [part(PartWord::Await(Units::Late))];
    // Where it goes on, and the way that this finds in its register.
    let go = |list: &mut WordList, label, (way, number): (&[Word], u32)| {
        list.put(&[Word::Bytes(bytes("next", label))], number);
        list.put(way, number);
    };
    for number in 0..DoubleBuffered::EARLY_ROUNDS {
        list.put(early, number);
        match number + 1 {
            DoubleBuffered::EARLY_ROUNDS => list.put(&wait, 0),
            // These are the next, and others come where they were.
            next => go(&mut list, "early", (&wait, next)),
        }
    }
    list.put(ahead, 0);
    for number in 0..DoubleBuffered::ROUNDS {
        if number >= DoubleBuffered::EARLY_ROUNDS {
            // Early vectors have come with late ones: nobody is told before these have been read.
            list.put(&[Word::Bytes(bytes("ways", "next"))], number);
            list.put(&early[1..], number);
            list.put(&[Word::Bytes(bytes("next", "late"))], number);
        }
        list.put(&[PASS_ON], number);
        for words in [late, even_rows, even_store, &odd_rows, odd_store] {
            list.put(words, number);
        }
        let next = number + 1;
        if next == DoubleBuffered::ROUNDS {
            go(&mut list, "done", (&[OF_LIST], number));
        } else if next < DoubleBuffered::EARLY_ROUNDS {
            go(
                &mut list,
                "again",
                (&[Word::Bytes(bytes("next", "round"))], number),
            );
            list.put(again, number);
            list.put(&wait, next);
        } else {
            go(&mut list, "early", (&wait, next));
        }
    }
    list.put(&END_OF_CONSUMERS, 0);
    list.0
}
