//! Samples as they came, packed in words: read by the QPUs, and by the ARM only where it
//! transforms.
//!
//! Samples of any format follow each other without gaps, the first byte lowest in its word, as V3D
//! sees memory. The ARM copies them a word at a time and counts, in the words, the samples that are
//! clipped. It changes nothing but numbers that are not finite: these become 0, so that one bad
//! sample does not spoil an average.

use core::ops::Range;

use dsp::Complex;
use dsp::sample::{Sample, from_f32, from_i8, from_i16, from_i32, from_u8};
use dsp::spectrum::Domain;
use wire::{Channels, SampleFormat};

/// Bytes of a word.
const WORD: usize = 4;
/// Bytes that belong to no clipped sample.
const NOT_CLIPPED: u32 = 0x5555_5555;

/// The coding of samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Coding {
    /// A component of a sample.
    pub format: SampleFormat,
    /// Real samples have one component, complex ones two, in-phase first.
    pub domain: Domain,
    /// The numbers that are components. Others than all are of i32 only.
    pub channels: Channels,
}

impl Coding {
    /// Samples whose components follow each other.
    #[must_use]
    pub const fn new(format: SampleFormat, domain: Domain) -> Self {
        Self {
            format,
            domain,
            channels: Channels::All,
        }
    }

    /// Bytes from a sample to the next.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.format.sample_bytes(self.domain) * self.channels.step() as usize
    }

    /// Words that `count` samples take.
    #[must_use]
    pub const fn words(self, count: usize) -> usize {
        (count * self.bytes()).div_ceil(WORD)
    }

    /// Samples from `first` on, full scale being 1, times a window, to `out`, which is as long as
    /// the window; 0 where there is none.
    pub fn load(self, words: &[u32], first: usize, window: &[f32], out: &mut [Complex<f32>]) {
        let (real, out) = (self.domain == Domain::Real, (window, out));
        let all = |index| index;
        let of = (words, first);
        match self.format {
            SampleFormat::U8 => load::<1>(of, all, real, out, |x| from_u8(x as u8).value),
            SampleFormat::I16 => load::<2>(of, all, real, out, |x| from_i16(x as i16).value),
            SampleFormat::U8High => {
                load::<2>(of, all, real, out, |x| from_u8((x >> 8) as u8).value);
            }
            SampleFormat::I8 => load::<1>(of, all, real, out, |x| from_i8(x as i8).value),
            SampleFormat::F32 => load::<4>(of, all, real, out, f32::from_bits),
            SampleFormat::I32 => {
                let (step, other) = (
                    self.channels.step() as usize,
                    self.channels.place(0) as usize,
                );
                let place = |index| (step * index) ^ other;
                load::<4>(of, place, real, out, |x| from_i32(x as i32).value);
            }
        }
    }

    /// The number of samples in `words` that have a component at either end of its range. Of the
    /// words' bytes only those of `bytes` count, which are whole samples.
    #[must_use]
    pub fn count_clipped(self, words: &[u32], bytes: Range<usize>) -> u32 {
        let is_at_end = |word: &u32| {
            let upper = *word as i32 >> 8;
            upper ^ (upper >> 31) == i32::MAX >> 8
        };
        match (self.format, self.channels.step(), self.domain) {
            (SampleFormat::F32, ..) => 0,
            // A loop for each: the ARM looks at many samples.
            (SampleFormat::I32, 1, Domain::Real) => {
                words.iter().filter(|word| is_at_end(word)).count() as u32
            }
            (SampleFormat::I32, 1, Domain::Complex) => {
                let frames = words.as_chunks().0.iter();
                let clipped = frames.filter(|[re, im]: &&[u32; 2]| is_at_end(re) | is_at_end(im));
                clipped.count() as u32
            }
            (SampleFormat::I32, ..) => {
                let own = words
                    .iter()
                    .skip(self.channels.place(0) as usize)
                    .step_by(2);
                own.filter(|word| is_at_end(word)).count() as u32
            }
            _ => {
                let whole = bytes.start.div_ceil(WORD)..bytes.end / WORD;
                let ends = [
                    (bytes.start, bytes.end.min(WORD * whole.start)),
                    ((WORD * whole.end).max(bytes.start), bytes.end),
                ];
                let part = |(from, until): (usize, usize)| {
                    let kept =
                        (from..until).fold(0, |kept, byte| kept | 0xff << (8 * (byte % WORD)));
                    let word = word_at(words, from / WORD * WORD);
                    self.clipped(word & kept | NOT_CLIPPED & !kept)
                };
                let count = |word: &u32| self.clipped(*word);
                let within = words.get(whole).unwrap_or_default().iter().map(count);
                // Both ends may be in one word, and then they are one.
                match ends {
                    [first, last] if first == last => part(first),
                    _ => ends.map(part).iter().sum::<u32>() + within.sum::<u32>(),
                }
            }
        }
    }

    /// The number of samples of integers in `word` that have a component at either end of its
    /// range.
    const fn clipped(self, word: u32) -> u32 {
        // At either end all bits are equal, or in two's complement all but the sign: so none
        // differs from its neighbour, and adding all bits but the highest to those that differ does
        // not reach the highest.
        let (word, low) = match self.format {
            SampleFormat::U8 => (word, 0x7f7f_7f7f),
            SampleFormat::I8 => (word ^ 0x7f7f_7f7f, 0x7f7f_7f7f),
            SampleFormat::I16 => (word ^ 0x7fff_7fff, 0x7fff_7fff),
            SampleFormat::U8High => {
                let high = word & 0xff00_ff00;
                (high | high >> 8, 0x7fff_7fff)
            }
            SampleFormat::F32 | SampleFormat::I32 => return 0,
        };
        let differ = (word ^ (word >> 1)) & low;
        let ends = !(differ + low) & !low;
        if ends == 0 {
            return 0;
        }
        let both = match (self.format, self.domain) {
            (_, Domain::Real) => ends,
            (SampleFormat::U8 | SampleFormat::I8, Domain::Complex) => {
                (ends | ends >> 8) & 0x0080_0080
            }
            (_, Domain::Complex) => (ends | ends >> 16) & 0x0000_8000,
        };
        both.count_ones()
    }
}

/// [`Coding::load`] for components of `BYTES` bytes, of which `value` gets the lowest of a word.
/// `place`: which of all numbers one of those that are taken is.
#[inline(always)]
fn load<const BYTES: usize>(
    (words, first): (&[u32], usize),
    place: impl Fn(usize) -> usize,
    is_real: bool,
    (window, out): (&[f32], &mut [Complex<f32>]),
    value: impl Fn(u32) -> f32,
) {
    let component = |index: usize| {
        let byte = BYTES * place(index);
        let word = words.get(byte / WORD).copied().unwrap_or_default();
        value(word >> (8 * (byte % WORD)))
    };
    let samples = window.iter().zip(out).enumerate();
    if is_real {
        for (index, (w, out)) in samples {
            *out = Complex::new(component(first + index) * w, 0.0);
        }
    } else {
        for (index, (w, out)) in samples {
            let re = 2 * (first + index);
            *out = Complex::new(component(re), component(re + 1)).scale(*w);
        }
    }
}

/// The four bytes from byte `byte` on, those that there are not being 0.
#[must_use]
pub fn word_at(words: &[u32], byte: usize) -> u32 {
    let word = |index: usize| words.get(index).copied().unwrap_or_default();
    let (index, shift) = (byte / WORD, 8 * (byte % WORD) as u32);
    if shift == 0 {
        word(index)
    } else {
        word(index) >> shift | word(index + 1) << (32 - shift)
    }
}

/// Samples that wait for their blocks, in memory of the caller's.
///
/// Those that are forgotten leave room at the front. What is left moves there when there is none
/// behind it, so that blocks are always in one piece.
pub struct History<'a> {
    words: &'a mut [u32],
    coding: Coding,
    /// The word in which they begin.
    first: usize,
    /// Bytes that are taken, from that word on.
    filled: usize,
}

impl<'a> History<'a> {
    /// No samples; `words` is where they will be.
    #[must_use]
    pub const fn new(words: &'a mut [u32]) -> Self {
        Self {
            words,
            coding: Coding::new(SampleFormat::F32, Domain::Real),
            first: 0,
            filled: 0,
        }
    }

    /// Forgets all samples. Those that follow are coded like this.
    pub const fn begin(&mut self, coding: Coding) {
        self.coding = coding;
        self.first = 0;
        self.filled = 0;
    }

    /// The number of samples.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.filled / self.coding.bytes()
    }

    /// Reports if there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// The words that they lie in, from the first on.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words[self.first..self.first + self.filled.div_ceil(WORD)]
    }

    /// Loads them as [`Coding::load`] does.
    pub fn load(&self, first: usize, window: &[f32], out: &mut [Complex<f32>]) {
        self.coding.load(self.words(), first, window, out);
    }

    /// Makes room for so many bytes more, if there is; reports how many of them fit.
    fn make_room(&mut self, bytes: usize) -> usize {
        if WORD * (self.words.len() - self.first) < self.filled + bytes {
            let end = self.first + self.filled.div_ceil(WORD);
            self.words.copy_within(self.first..end, 0);
            self.first = 0;
        }
        bytes.min(WORD * self.words.len() - self.filled)
    }

    /// Takes the bytes of whole samples, as many as there is room for; how many of them are
    /// clipped.
    pub fn extend(&mut self, bytes: &[u8]) -> u32 {
        let room = self.make_room(bytes.len());
        let bytes = &bytes[..room - room % self.coding.bytes()];
        match self.coding.format {
            SampleFormat::F32 => {
                return self.extend_words(bytes, |raw| from_f32(f32::from_bits(raw)));
            }
            SampleFormat::I32 => return self.extend_words(bytes, |raw| from_i32(raw as i32)),
            SampleFormat::U8 | SampleFormat::I16 | SampleFormat::U8High | SampleFormat::I8 => {}
        }
        let fills_a_word = self.filled.next_multiple_of(WORD) - self.filled;
        let (head, rest) = bytes.split_at(fills_a_word.min(bytes.len()));
        let (whole, tail) = rest.as_chunks();
        let mut clipped = self.extend_word(head);
        let places = self.words[self.first + self.filled.div_ceil(WORD)..].iter_mut();
        for (place, bytes) in places.zip(whole) {
            *place = u32::from_le_bytes(*bytes);
            clipped += self.coding.clipped(*place);
        }
        self.filled += WORD * whole.len();
        clipped + self.extend_word(tail)
    }

    /// Takes bytes of one word.
    fn extend_word(&mut self, bytes: &[u8]) -> u32 {
        let mut seen = NOT_CLIPPED;
        for &byte in bytes {
            let shift = 8 * (self.filled % WORD) as u32;
            let put = |word: u32| word & !(0xff << shift) | u32::from(byte) << shift;
            let place = &mut self.words[self.first + self.filled / WORD];
            *place = put(*place);
            seen = put(seen);
            self.filled += 1;
        }
        self.coding.clipped(seen)
    }

    /// Takes samples whose numbers are words. f32 are kept as `sample` gives them.
    fn extend_words(&mut self, bytes: &[u8], sample: impl Fn(u32) -> Sample) -> u32 {
        let Coding {
            format, channels, ..
        } = self.coding;
        let is_f32 = format == SampleFormat::F32;
        let is_taken = |number| channels.step() == 1 || channels.place(0) == number;
        let mut clipped = 0;
        for frame in bytes.chunks_exact(self.coding.bytes()) {
            let mut is_clipped = false;
            for (number, &raw) in (0..).zip(frame.as_chunks().0) {
                let raw = u32::from_le_bytes(raw);
                let Sample { value, clipped } = sample(raw);
                is_clipped |= clipped && is_taken(number);
                self.words[self.first + self.filled / WORD] =
                    if is_f32 { value.to_bits() } else { raw };
                self.filled += WORD;
            }
            clipped += u32::from(is_clipped);
        }
        clipped
    }

    /// Takes a sample that is not coded, where the coding is f32.
    pub fn push(&mut self, sample: Complex<f32>) {
        let count = self.coding.bytes() / WORD;
        self.make_room(self.coding.bytes());
        let first = self.first + self.filled / WORD;
        let Some(places) = self.words.get_mut(first..first + count) else {
            return;
        };
        for (place, component) in places.iter_mut().zip([sample.re, sample.im]) {
            *place = component.to_bits();
        }
        self.filled += self.coding.bytes();
    }

    /// Forgets the first `count` samples.
    pub fn discard(&mut self, count: usize) {
        let bytes = (count * self.coding.bytes()).min(self.filled);
        self.filled -= bytes;
        self.first += bytes / WORD;
        if !bytes.is_multiple_of(WORD) {
            // A block begins in the first byte of a word.
            let words = &mut self.words[self.first..];
            for index in 0..self.filled.div_ceil(WORD) {
                words[index] = word_at(words, bytes % WORD + WORD * index);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl History<'_> {
        fn sample(&self, index: usize) -> Complex<f32> {
            let mut one = [Complex::ZERO];
            self.load(index, &[1.0], &mut one);
            one[0]
        }
    }

    /// Every coding.
    fn codings() -> impl Iterator<Item = Coding> {
        let of = |format| [Domain::Real, Domain::Complex].map(|domain| Coding::new(format, domain));
        let frames = [
            (Domain::Real, Channels::First),
            (Domain::Real, Channels::Second),
            (Domain::Complex, Channels::Swapped),
        ];
        let frames = frames.map(|(domain, channels)| Coding {
            format: SampleFormat::I32,
            domain,
            channels,
        });
        SampleFormat::ALL.into_iter().flat_map(of).chain(frames)
    }

    /// A component, from a number that has every value of a component's bytes in turn.
    fn component(format: SampleFormat, number: u32) -> ([u8; 4], dsp::sample::Sample) {
        let raw = (number.wrapping_mul(0x9e37_79b9) >> 8) ^ number;
        let raw = match number % 5 {
            0 => [0, 0x8000, 0x7fc0_0080, 0xff80_0000, 0x8000_00ff][number as usize / 5 % 5],
            1 => [0xff, 0x7fff, 0x3f80_0000, 0xbf80_007f, 0x7fff_ff00][number as usize / 5 % 5],
            _ => raw,
        };
        let sample = match format {
            SampleFormat::U8 => from_u8(raw as u8),
            SampleFormat::U8High => from_u8((raw >> 8) as u8),
            SampleFormat::I8 => from_i8(raw as i8),
            SampleFormat::I16 => from_i16(raw as i16),
            SampleFormat::F32 => from_f32(f32::from_bits(raw)),
            SampleFormat::I32 => from_i32(raw as i32),
        };
        (raw.to_le_bytes(), sample)
    }

    #[test]
    fn samples_come_out_as_they_went_in_however_they_were_cut() {
        for coding in codings() {
            let component_bytes = coding.format.bytes() as usize;
            // A number that is no component, and clipped.
            let other = 0x7fff_ffff_u32.to_le_bytes();
            let (mut bytes, mut expected, mut clipped) = (Vec::new(), Vec::new(), 0);
            for number in 0..500 {
                let (raw, re) = component(coding.format, 2 * number);
                let at = bytes.len();
                bytes.extend(&raw[..component_bytes]);
                let mut im = dsp::sample::Sample {
                    value: 0.0,
                    clipped: false,
                };
                if coding.domain == Domain::Complex {
                    let raw;
                    (raw, im) = component(coding.format, 2 * number + 1);
                    bytes.extend(&raw[..component_bytes]);
                }
                match coding.channels {
                    Channels::All => {}
                    Channels::First => bytes.extend(other),
                    Channels::Second => drop(bytes.splice(at..at, other)),
                    Channels::Swapped => bytes[at..].rotate_left(component_bytes),
                }
                expected.push(Complex::new(re.value, im.value));
                clipped += u32::from(re.clipped || im.clipped);
            }
            assert!(clipped > 20);
            for (piece, step) in [(1, 1), (3, 2), (7, 5), (500, 64), (100, 99)] {
                let mut words = [0xdead_beef; 1000];
                let mut history = History::new(&mut words);
                history.begin(coding);
                let (mut found, mut got) = (0, Vec::new());
                for piece in bytes.chunks(piece * coding.bytes()) {
                    found += history.extend(piece);
                    while history.len() >= step {
                        got.extend((0..step).map(|index| history.sample(index)));
                        history.discard(step);
                    }
                }
                got.extend((0..history.len()).map(|index| history.sample(index)));
                assert_eq!(got, expected, "{coding:?}, {piece} at a time, {step} away");
                assert_eq!(found, clipped, "{coding:?}, {piece} at a time");
            }
        }
    }

    #[test]
    fn every_number_is_clipped_or_not_as_the_conversions_say() {
        for raw in 0..=u16::MAX {
            let [low, high] = raw.to_le_bytes();
            let of = |format, word| {
                let domain = Domain::Real;
                Coding::new(format, domain).clipped(word)
            };
            let wanted = u32::from(from_i16(raw as i16).clipped);
            let word = u32::from(raw) << 16 | 0x1234;
            assert_eq!(of(SampleFormat::I16, word), wanted, "{raw:#x}");
            let wanted = u32::from(from_u8(high).clipped);
            assert_eq!(of(SampleFormat::U8High, word), wanted, "{raw:#x}");
            let wanted = u32::from(from_u8(low).clipped) + u32::from(from_u8(high).clipped);
            let word = u32::from(raw) << 8 | 0x1200_0034;
            assert_eq!(of(SampleFormat::U8, word), wanted, "{raw:#x}");
        }
    }

    #[test]
    fn what_does_not_fit_is_left_out() {
        let mut words = [0; 2];
        let mut history = History::new(&mut words);
        let domain = Domain::Complex;
        history.begin(Coding::new(SampleFormat::I16, domain));
        history.extend(&[1; 12]);
        assert_eq!(history.len(), 2);
        history.begin(Coding::new(SampleFormat::F32, domain));
        assert!(history.is_empty());
        for value in [1.0, 2.0] {
            history.push(Complex::new(value, -value));
        }
        assert_eq!(history.len(), 1);
        assert_eq!(history.sample(0), Complex::new(1.0, -1.0));
    }

    #[test]
    fn clipped_samples_are_counted_in_words_from_any_sample_on() {
        for coding in codings().filter(|coding| coding.format != SampleFormat::F32) {
            let width = coding.format.bytes() as usize;
            let numbers = 0..4 * 128 * coding.bytes() as u32 / width as u32;
            let raw = |number| component(coding.format, number).0;
            let bytes: Vec<u8> = numbers
                .flat_map(|number| raw(number).into_iter().take(width))
                .collect();
            let words: Vec<u32> = bytes
                .as_chunks()
                .0
                .iter()
                .map(|word| u32::from_le_bytes(*word))
                .collect();
            let mut memory = vec![0; words.len()];
            let frame = coding.bytes();
            for first in (0..8).step_by(frame) {
                for count in [1, 2, 3, 4, 5, 100, 101].map(|count| count * frame) {
                    let mut history = History::new(&mut memory);
                    history.begin(coding);
                    let wanted = history.extend(&bytes[first..first + count]);
                    let words = &words[first / WORD..(first + count).div_ceil(WORD)];
                    let from = first % WORD;
                    let found = coding.count_clipped(words, from..from + count);
                    assert_eq!(found, wanted, "{coding:?}: {count} from {first}");
                }
            }
        }
    }
}
