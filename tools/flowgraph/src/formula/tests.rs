//! Words that are computed give the numbers of their nodes.

use dsp::Complex;
use dsp::dft::root_of_unity;

use super::*;
use crate::flow::{chosen, textbook};
use crate::input::{Preset, samples};
use crate::network::stages;
use crate::values::columns;

const TOLERANCE: f64 = 1e-12;

/// A reader of the words: sums of products of letters, numbers, i, roots and brackets.
struct Reader<'a> {
    rest: &'a str,
    legs: &'a [Complex<f64>],
}

impl Reader<'_> {
    fn takes(&mut self, word: &str) -> bool {
        let rest = self.rest.trim_start();
        let taken = rest.strip_prefix(word);
        self.rest = taken.unwrap_or(rest);
        taken.is_some()
    }

    fn whole(&mut self) -> u64 {
        let end = self.rest.find(|c: char| !c.is_ascii_digit());
        let (number, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        number.parse().expect("a number")
    }

    fn sum(&mut self) -> Complex<f64> {
        let mut sum = self.product();
        loop {
            if self.takes("+") {
                sum = sum + self.product();
            } else if self.takes("\u{2212}") {
                sum = sum - self.product();
            } else {
                return sum;
            }
        }
    }

    fn product(&mut self) -> Complex<f64> {
        let mut product = self.factor();
        while self.takes("·") {
            product = product * self.factor();
        }
        product
    }

    fn factor(&mut self) -> Complex<f64> {
        if self.takes("\u{2212}") {
            return Complex::ZERO - self.factor();
        }
        if self.takes("(") {
            let inner = self.sum();
            assert!(self.takes(")"), "{}", self.rest);
            return inner;
        }
        if self.takes("W") {
            let order = self.whole();
            assert!(self.takes("^"), "{}", self.rest);
            return root_of_unity(self.whole(), order);
        }
        if self.takes("i") {
            return Complex::new(0.0, 1.0);
        }
        if self.takes("1") {
            return Complex::new(1.0, 0.0);
        }
        let leg = LETTERS.iter().position(|letter| {
            let letter = char::from(*letter).to_string();
            self.takes(&letter)
        });
        self.legs[leg.expect("a leg")]
    }
}

#[test]
fn words_computed_give_the_number_of_the_node() {
    let kinds = [2, 4, 8]
        .into_iter()
        .flat_map(|radix| [(radix, false), (radix, true)]);
    let textbooks = kinds.flat_map(|(radix, in_time)| {
        (2..=6).map(move |log2| {
            let stages = stages(1 << log2, radix).expect("a power of two");
            textbook(&stages, in_time).expect("a transform")
        })
    });
    let others = [&[3, 5][..], &[16, 4], &[4, 2, 8]].map(|radices| chosen(radices).expect("one"));
    for flow in textbooks.chain(others) {
        let network = flow.network;
        let input = samples(Preset::Noise { seed: 3 }, network.points(), true);
        let values = Values::of(&network, &input).expect("numbers");
        for column in 1..columns(&network) {
            for row in 0..network.points() {
                let text = words(&network, column, row);
                let (before, rows) = legs(&network, column, row).expect("legs");
                let mut of_legs: Vec<_> = rows
                    .iter()
                    .map(|row| values.columns()[before][*row as usize])
                    .collect();
                if let (Column::Twiddles(stage), Order::InTime) =
                    (Column::of(column), network.order())
                {
                    // The one leg has the letter that it has in its butterfly.
                    of_legs = vec![of_legs[0]; network.leg(stage + 1, row) as usize + 1];
                }
                let mut reader = Reader {
                    rest: &text,
                    legs: &of_legs,
                };
                let computed = reader.sum();
                assert_eq!(reader.rest, "", "{text}");
                let off = computed - values.columns()[column][row as usize];
                assert!(
                    off.norm_sqr() < TOLERANCE * TOLERANCE,
                    "{network:?}: {text}"
                );
            }
        }
    }
}

fn network(radices: &[u32], in_time: bool) -> Network {
    textbook(radices, in_time).expect("a transform").network
}

#[test]
fn words_are_those_of_textbooks() {
    let frequency = network(&[2; 4], false);
    assert_eq!(words(&frequency, 0, 3), "x[3]");
    assert_eq!(words(&frequency, 1, 3), "a + b");
    assert_eq!(words(&frequency, 1, 11), "a \u{2212} b");
    assert_eq!(words(&frequency, 2, 11), "(a \u{2212} b) · W16^3");
    assert_eq!(words(&frequency, 2, 12), "(a \u{2212} b) · \u{2212}i");
    let time = network(&[2; 4], true);
    assert_eq!(words(&time, 7, 3), "a + W16^3·b");
    assert_eq!(words(&time, 7, 11), "a \u{2212} W16^3·b");
    assert_eq!(words(&time, 6, 11), "W16^3·b");
    assert_eq!(words(&time, 7, 4), "a \u{2212} i·b");
    assert_eq!(
        words(&network(&[4], false), 1, 1),
        "a \u{2212} i·b \u{2212} c + i·d"
    );
    assert_eq!(
        words(&network(&[8], false), 1, 1),
        "a + W8^1·b \u{2212} i·c + W8^3·d \u{2212} e \u{2212} W8^1·f + i·g \u{2212} W8^3·h"
    );
}

#[test]
fn a_stage_says_how_many_of_what() {
    let of = |radices: &[u32], in_time, number| stage(&network(radices, in_time), number);
    assert_eq!(
        of(&[2; 4], false, 0).as_deref(),
        Some("Stage 1 of 4: 8 butterflies of radix 2, legs 8 rows apart; 7 twiddles behind them.")
    );
    assert_eq!(
        of(&[4, 4], true, 1).as_deref(),
        Some(
            "Stage 2 of 2: 4 butterflies of radix 4, legs 4 rows apart; 9 twiddles in front of them."
        )
    );
    assert_eq!(
        of(&[4], false, 0).as_deref(),
        Some("Stage 1 of 1: 1 butterfly of radix 4, legs 1 row apart; no twiddles.")
    );
    assert_eq!(of(&[4], false, 1), None);
}

#[test]
fn the_order_at_both_ends_is_said() {
    let of = |radices: &[u32], in_time| ends(&network(radices, in_time));
    assert_eq!(of(&[2; 3], false)[0], "Input: 8 samples, in order.");
    assert_eq!(
        of(&[2; 3], false)[1],
        "The bins come out in bit-reversed order."
    );
    assert_eq!(
        of(&[8, 2], true)[0],
        "Input: 16 samples, in digit-reversed order."
    );
    assert_eq!(of(&[8, 2], true)[1], "The bins come out in order.");
    assert_eq!(of(&[8], false)[1], "The bins come out in order.");
}

#[test]
fn an_explanation_has_all_numbers_of_its_words() {
    let network = network(&[2; 3], false);
    let input = samples(Preset::Step, 8, false);
    let values = Values::of(&network, &input).expect("numbers");
    let text = explanation(&network, &values, 2, 5, 2).expect("a node");
    assert_eq!(
        text,
        "(a \u{2212} b) · W8^1 = 0.71\u{2212}0.71i; a = 1.00 (row 1); b = 0 (row 5); W8^1 = 0.71\u{2212}0.71i"
    );
    let text = explanation(&network, &values, 5, 4, 0).expect("a node");
    assert!(text.starts_with("X[1] = a + b = 1"), "{text}");
    assert_eq!(
        explanation(&network, &values, 0, 3, 1).as_deref(),
        Some("x[3] = 1.0")
    );
    assert_eq!(explanation(&network, &values, 9, 0, 1), None);
}
