//! Lists of uniforms: what a piece of code reads stands in its program once, and in the list as
//! often as it runs.

use crate::fft::kernels::pipeline::double_buffered::DoubleBuffered;
use crate::fft::kernels::pipeline::uniforms::{PartWord, Units, Word};

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

/// The counterpart of `word` for the other columns of a unit: the steps of their rows, and behind
/// them twiddle factors.
fn of_other_columns(word: Word) -> Word {
    let Word::Part { part, word } = word else {
        return word;
    };
    let word = match word {
        PartWord::RowStep { number } => PartWord::RowStep {
            number: number + DoubleBuffered::ROWS as u8 / 2,
        },
        word => word,
    };
    match word {
        PartWord::RowStep { number } if u32::from(number) + 1 == DoubleBuffered::ROWS => {
            self::part(PartWord::Twiddles { half: 0 })
        }
        PartWord::RowStep { number } if u32::from(number) >= DoubleBuffered::ROWS => {
            Word::Bytes(2 * DoubleBuffered::VECTOR_STEP)
        }
        PartWord::Component => Word::Bytes(DoubleBuffered::VECTOR_STEP),
        word => Word::Part { part, word },
    }
}

/// The list of a producer that reads these words; `bytes` is how far it is from one label to
/// another.
pub fn of_producers(mut reads: &[Word], bytes: impl Fn(&str, &str) -> u32) -> Vec<Word> {
    let mut list = List::default();
    list.put(front(&mut reads, DoubleBuffered::PRODUCER_HEAD), 0);
    let begin = front(&mut reads, DoubleBuffered::BEGIN_UNIT);
    // These begin with the way to what follows them, counted from a label.
    let columns = (&front(&mut reads, DoubleBuffered::COLUMNS)[1..], "aside");
    let half = (&front(&mut reads, DoubleBuffered::HALF)[1..], "write");
    let write = (&front(&mut reads, DoubleBuffered::WRITE)[1..], "rotate");
    let last = (&front(&mut reads, DoubleBuffered::WRITE_LAST)[1..], "unit");
    let rotate = front(&mut reads, DoubleBuffered::ROTATE);
    let go = |list: &mut List, unit, (words, base), next| {
        list.put(&[Word::Bytes(bytes(base, next))], unit);
        list.put(words, unit);
    };
    let other_columns: Vec<_> = columns.0.iter().copied().map(of_other_columns).collect();
    let load = |list: &mut List, unit| {
        list.put(begin, unit);
        go(list, unit, columns, "aside");
        go(list, unit, (&other_columns, columns.1), "outputs");
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
    list.put(reads, late);
    list.0
}

/// In a program's reads: a way, which is in its list; in a list: a way that no program takes.
pub const OF_LIST: Word = Word::Bytes(0);

/// Splits words off the front, and drops the `ways` behind them.
fn front_before_ways<'a>(words: &mut &'a [Word], count: u32, ways: u32) -> &'a [Word] {
    let front_words = front(words, count);
    let ways = front(words, ways);
    assert!(ways.iter().all(|&way| way == OF_LIST), "{ways:?}");
    front_words
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
pub fn of_consumers(mut reads: &[Word], bytes: impl Fn(&str, &str) -> u32) -> Vec<Word> {
    let mut list = List::default();
    list.put(
        front(
            &mut reads,
            DoubleBuffered::CONSUMER_HEAD + DoubleBuffered::BEGIN,
        ),
        0,
    );
    let early = front_before_ways(&mut reads, DoubleBuffered::EARLY, 1);
    let ahead = front(&mut reads, DoubleBuffered::LOOKED_UP + DoubleBuffered::CODE);
    let pass = front(&mut reads, DoubleBuffered::PASS);
    let late = front(&mut reads, DoubleBuffered::LATE);
    let even_store = front(&mut reads, DoubleBuffered::STORES[0]);
    let odd_store = front_before_ways(&mut reads, DoubleBuffered::STORES[1], 2);
    let done = front(&mut reads, DoubleBuffered::DONE);
    let again = front_before_ways(&mut reads, DoubleBuffered::LOOKED_UP, 1);
    let even_rows = reads;
    assert_eq!(even_rows.len() as u32, DoubleBuffered::ROWS_OF_OUTPUTS);
    let odd_rows: Vec<_> = even_rows.iter().copied().map(of_odd_output).collect();
    let wait = [part(PartWord::Await(Units::Late))];
    // Where it goes on, and the way that this finds in its register.
    let go = |list: &mut List, label, (way, number): (&[Word], u32)| {
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
        list.put(pass, number);
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
    list.put(done, 0);
    list.0
}
