//! The last writer and the readers of each word of the VPM.

use super::{Actor, Clock, Epoch, Race};
use crate::chip::QPUS;
use crate::vpm::{WORDS, Words};

/// The actors that have read a word since it was written, when nothing orders them: one for each
/// QPU itself and one for its stores.
type Readers = [Epoch; 2 * QPUS];

fn reader(epoch: Epoch) -> usize {
    usize::from(epoch.qpu())
        + if epoch.actor() == Actor::Stores {
            QPUS
        } else {
            0
        }
}

/// The last accesses of every word.
pub struct Shadow {
    writes: Box<[Epoch; WORDS]>,
    /// One reader, or [`Epoch::NONE`].
    reads: Box<[Epoch; WORDS]>,
    /// For each word 0, or 1 + the place of its readers.
    many: Box<[u32; WORDS]>,
    readers: Vec<Readers>,
    free: Vec<u32>,
}

impl Default for Shadow {
    fn default() -> Self {
        Self {
            writes: Box::new([Epoch::NONE; WORDS]),
            reads: Box::new([Epoch::NONE; WORDS]),
            many: Box::new([0; WORDS]),
            readers: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl Shadow {
    /// Nobody has accessed anything.
    pub fn forget(&mut self) {
        self.writes.fill(Epoch::NONE);
        self.reads.fill(Epoch::NONE);
        self.many.fill(0);
        self.readers.clear();
        self.free.clear();
    }

    /// `me` writes words, knowing `seen`. Gives the first access that it is not ordered after.
    pub fn write(&mut self, me: Epoch, seen: &Clock, words: Words) -> Option<Race> {
        let me = me.with_bytes(words.bytes);
        let mut race = None;
        if let Some((last_write, last_read)) = self.alike(words) {
            let place = words.first % WORDS;
            for (last, wrote) in [(last_write, true), (last_read, false)] {
                if conflict(last, me, seen) {
                    note(&mut race, seen, last, wrote, place);
                }
            }
            if let Some(row) = words.row_places() {
                self.writes[row.clone()].fill(me);
                self.reads[row].fill(Epoch::NONE);
                return race;
            }
            for word in words.indices() {
                self.writes[word] = me;
                self.reads[word] = Epoch::NONE;
            }
            return race;
        }
        // Words of one vector were mostly accessed together: what was right for one is for the
        // next.
        let (mut good_write, mut good_read) = (Epoch::NONE, Epoch::NONE);
        for word in words.indices() {
            let last = std::mem::replace(&mut self.writes[word], me);
            if last.difference(good_write) != 0 {
                match conflict(last, me, seen) {
                    true => note(&mut race, seen, last, true, word),
                    false => good_write = last,
                }
            }
            let last = std::mem::replace(&mut self.reads[word], Epoch::NONE);
            if last.difference(good_read) != 0 {
                match conflict(last, me, seen) {
                    true => note(&mut race, seen, last, false, word),
                    false => good_read = last,
                }
            }
            if self.many[word] != 0 {
                let place = std::mem::take(&mut self.many[word]) - 1;
                for last in self.readers[place as usize] {
                    if conflict(last, me, seen) {
                        note(&mut race, seen, last, false, word);
                    }
                }
                self.free.push(place);
            }
        }
        race
    }

    /// `me` reads words, knowing `seen`. Gives the first write that it is not ordered after.
    pub fn read(&mut self, me: Epoch, seen: &Clock, words: Words) -> Option<Race> {
        let me = me.with_bytes(words.bytes);
        let mut race = None;
        if let Some((last_write, last_read)) = self.alike(words)
            && replaces(last_read, me, seen)
        {
            if conflict(last_write, me, seen) {
                note(&mut race, seen, last_write, true, words.first % WORDS);
            }
            if let Some(row) = words.row_places() {
                self.reads[row].fill(me);
                return race;
            }
            for word in words.indices() {
                self.reads[word] = me;
            }
            return race;
        }
        // Neighbours were mostly accessed alike: what was right for one is for the next.
        let (mut good_write, mut good_read) = (Epoch::NONE, None);
        for word in words.indices() {
            let last = self.writes[word];
            if last.difference(good_write) != 0 {
                match conflict(last, me, seen) {
                    true => note(&mut race, seen, last, true, word),
                    false => good_write = last,
                }
            }
            let last = self.reads[word];
            if self.many[word] != 0 {
                self.read_with_others(word, me);
            } else if good_read.is_some_and(|good| last.difference(good) == 0) {
                self.reads[word] = me;
            } else if replaces(last, me, seen) {
                self.reads[word] = me;
                good_read = Some(last);
            } else {
                self.read_with_others(word, me);
            }
        }
        race
    }

    /// The last write and the last read of words, if they differ in nothing but the instruction, so
    /// that what is true of the first word is true of all.
    fn alike(&self, words: Words) -> Option<(Epoch, Epoch)> {
        let first = words.first % WORDS;
        let (last_write, last_read) = (self.writes[first], self.reads[first]);
        // Columns by several QPUs: the ends of a row tell.
        if self.writes[words.last() % WORDS].difference(last_write) != 0 {
            return None;
        }
        let (mut other, mut many) = (0, 0);
        if let Some(row) = words.row_places() {
            let writes = &self.writes[row.clone()];
            let reads = &self.reads[row.clone()];
            for ((write, read), readers) in writes.iter().zip(reads).zip(&self.many[row]) {
                other |= write.difference(last_write) | read.difference(last_read);
                many |= readers;
            }
            return (other == 0 && many == 0).then_some((last_write, last_read));
        }
        for word in words.indices() {
            other |= self.writes[word].difference(last_write);
            other |= self.reads[word].difference(last_read);
            many |= self.many[word];
        }
        (other == 0 && many == 0).then_some((last_write, last_read))
    }

    fn read_with_others(&mut self, word: usize, me: Epoch) {
        if self.many[word] == 0 {
            let place = self.free.pop().unwrap_or_else(|| {
                self.readers.push([Epoch::NONE; 2 * QPUS]);
                self.readers.len() as u32 - 1
            });
            self.readers[place as usize] = [Epoch::NONE; 2 * QPUS];
            self.many[word] = place + 1;
            let first = std::mem::replace(&mut self.reads[word], Epoch::NONE);
            self.readers[place as usize][reader(first)] = first;
        }
        let last = &mut self.readers[self.many[word] as usize - 1][reader(me)];
        *last = me.with_bytes(me.bytes() | last.bytes());
    }
}

/// True if a read by `me` takes the place of the last one.
fn replaces(last: Epoch, me: Epoch, seen: &Clock) -> bool {
    last == Epoch::NONE
        || (last.bytes() & !me.bytes() == 0 && (last.is_by_same(me) || seen.orders(last, me)))
}

/// True if `last` was an access, had bytes in common with `me`, and is not known to be over.
fn conflict(last: Epoch, me: Epoch, seen: &Clock) -> bool {
    last.bytes() & me.bytes() != 0 && !seen.orders(last, me)
}

#[cold]
fn note(race: &mut Option<Race>, seen: &Clock, other: Epoch, other_wrote: bool, word: usize) {
    race.get_or_insert(Race {
        rule: seen.broken(other),
        other,
        other_wrote,
        place: word as u32,
    });
}

#[cfg(test)]
mod tests {
    use super::super::tests::row;
    use super::*;
    use crate::vpm::COLUMNS;

    fn epoch(qpu: u8) -> Epoch {
        Epoch::new(qpu, Actor::Program, 1, 8 * u32::from(qpu))
    }

    fn column(x: usize) -> Words {
        Words {
            first: x,
            step: COLUMNS,
            count: 16,
            bytes: 15,
        }
    }

    /// GPU_FFT's QPUs fill columns of the same rows.
    #[test]
    fn columns_beside_each_other_do_not_meet() {
        let (mut shadow, nothing) = (Shadow::default(), Clock::default());
        for x in 0..16 {
            assert_eq!(shadow.write(epoch(x as u8 % 12), &nothing, column(x)), None);
        }
        let race = shadow.read(epoch(3), &nothing, row(5)).unwrap();
        assert_eq!((race.other.qpu(), race.place), (0, 5 * 16));
        assert!(shadow.write(epoch(11), &nothing, column(4)).is_some());
    }

    #[test]
    fn bytes_of_a_word_are_distinguished() {
        let (mut shadow, nothing) = (Shadow::default(), Clock::default());
        let byte = |n: u32| Words {
            bytes: 1 << n,
            ..row(0)
        };
        assert_eq!(shadow.write(epoch(1), &nothing, byte(0)), None);
        assert_eq!(shadow.write(epoch(2), &nothing, byte(1)), None);
        assert_eq!(shadow.read(epoch(3), &nothing, byte(2)), None);
        assert!(shadow.read(epoch(3), &nothing, byte(1)).is_some());
    }

    #[test]
    fn all_of_many_readers_are_remembered() {
        let (mut shadow, mut seen) = (Shadow::default(), Clock::default());
        for qpu in 0..5 {
            assert_eq!(shadow.read(epoch(qpu), &seen, row(0)), None);
        }
        for qpu in [0, 1, 3, 4] {
            seen.pass(Actor::Program, qpu, 1);
        }
        let race = shadow.write(epoch(0), &seen, row(0)).unwrap();
        assert_eq!((race.other.qpu(), race.other_wrote), (2, false));
        assert_eq!(shadow.write(epoch(0), &seen, row(0)), None);
        assert_eq!(shadow.free.len(), 16);
    }

    #[test]
    fn places_wrap_at_the_end_of_the_vpm() {
        let mut shadow = Shadow::default();
        let words = Words {
            first: WORDS - 1,
            count: 2,
            ..row(0)
        };
        shadow.write(epoch(1), &Clock::default(), words);
        let race = shadow.read(epoch(2), &Clock::default(), row(0));
        assert_eq!(race.unwrap().place, 0);
    }
}
