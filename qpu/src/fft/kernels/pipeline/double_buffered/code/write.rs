//! Vectors of producers: to consumers, or to where they are kept.

use super::lists::part;
use super::producer::{Producer, Unit};
use super::semaphore;
use crate::fft::kernels::pipeline::roles::{HALF, write_in_order};
use crate::fft::kernels::pipeline::uniforms::{PartWord, Word};
use crate::generate::codelet::op_list::{Complex, OpList, Wish};
use crate::generate::schedule::{Destination, Source};
use std::collections::HashSet;

/// Pairs that [`Producer::write`] writes.
const IN_A_ROW: usize = HALF / 2 - 1;
/// Positions of the last pair.
const LAST: [usize; 2] = [IN_A_ROW, HALF - 1];

fn write_pair(ops: &mut OpList<Word>, number: usize, both: [Complex; 2]) {
    let pair = number as u8;
    let semaphores = [semaphore::GATES[number], semaphore::WRITTEN[number]];
    let [setup, drain] = [PartWord::WriteSetup { pair }, PartWord::Drain { pair }]
        .map(|word| Source::Uniform(part(word)));
    write_in_order(ops, semaphores, drain, |ops| {
        ops.copy(setup, Destination::WriteSetup);
        for value in both.into_iter().flatten() {
            ops.copy(value.place, Destination::Vpm);
        }
    });
}

/// Copies values to where they are to be, all at once: what is overwritten is copied before.
///
/// # Panics
/// When a value is copied twice: a bug, found when the programs are built.
fn move_at_once(ops: &mut OpList<Word>, moves: impl IntoIterator<Item = (Complex, Complex)>) {
    let parts = moves
        .into_iter()
        .flat_map(|(from, to)| from.into_iter().zip(to));
    let mut moves: Vec<_> = parts.map(|(from, to)| (from.place, to.place)).collect();
    moves.retain(|(from, to)| from != to);
    let froms: HashSet<_> = moves.iter().map(|(from, _)| *from).collect();
    assert_eq!(froms.len(), moves.len(), "values are copied once");
    let mut spare = None;
    while !moves.is_empty() {
        let is_read = |place| moves.iter().any(|&(from, _)| from == place);
        if let Some(next) = moves.iter().position(|&(_, to)| !is_read(to)) {
            let (from, to) = moves.remove(next);
            ops.copy(from, to);
            if spare == Some(from) {
                ops.give_back(from);
                spare = None;
            }
        } else {
            // Only circles are left: one is opened.
            let opened = moves[0].1;
            let place = ops.load(opened, Wish::Accumulator);
            for (from, _) in &mut moves {
                if *from == opened {
                    *from = place;
                }
            }
            spare = Some(place);
        }
    }
}

impl Producer {
    /// Vectors to consumers, all but the last pair: each and the one four positions behind it.
    pub fn write(ops: &mut OpList<Word>, vectors: &[Complex; HALF]) {
        for number in 0..IN_A_ROW {
            write_pair(ops, number, [number, number + HALF / 2].map(|n| vectors[n]));
        }
    }

    /// The last pair, from where [`Producer::rotate`] leaves it.
    pub fn write_last(ops: &mut OpList<Word>, unit: &Unit) {
        let last = LAST.map(|n| unit.outputs[HALF + n]);
        write_pair(ops, IN_A_ROW, last);
    }

    /// Outputs of the second half to where they are kept, and the last pair to where it is written.
    pub fn keep(&self, ops: &mut OpList<Word>, vectors: &[Complex; HALF], unit: &Unit) {
        let second = &unit.outputs[HALF..];
        let kept = second.iter().copied().zip(self.kept);
        let last = LAST.map(|n| (vectors[n], second[n]));
        move_at_once(ops, kept.chain(last));
    }

    /// Moves what is kept to the place of the first half, outputs of the second half to where it
    /// was kept, and vectors to where these were; and asks for the first twiddle factors of what is
    /// now in place of the first half.
    pub fn rotate(&self, ops: &mut OpList<Word>, vectors: &[Complex; HALF], unit: &Unit) {
        self.ask_roots(ops, unit);
        let (first, second) = unit.outputs.split_at(HALF);
        let rows = [
            (vectors.as_slice(), second),
            (&self.kept, first),
            (second, &self.kept),
        ];
        let moves = rows.into_iter().flat_map(|(from, to)| from.iter().zip(to));
        move_at_once(ops, moves.map(|(&from, &to)| (from, to)));
    }

    /// Moves vectors of the second half of both units, late ones in their registers and early ones
    /// where outputs were: the first four of each to where they are written. Others wait where
    /// nothing is kept any more.
    pub fn pair_up(&self, ops: &mut OpList<Word>, vectors: &[Complex; HALF], unit: &Unit) {
        let (early, kept) = (&unit.outputs[HALF..], &self.kept);
        let of_row = (0..IN_A_ROW).flat_map(|n| {
            let behind = n + HALF / 2;
            [(vectors[behind], kept[n]), (early[n], vectors[behind])]
        });
        let [of_pair, free] = LAST;
        let last = [(early[free], kept[free]), (vectors[of_pair], early[free])];
        move_at_once(ops, of_row.chain(last));
    }

    /// The others as well.
    pub fn pair_up_others(&self, ops: &mut OpList<Word>, vectors: &[Complex; HALF], unit: &Unit) {
        let (early, kept) = (&unit.outputs[HALF..], &self.kept);
        let of_row = (0..IN_A_ROW).flat_map(|n| {
            let behind = n + HALF / 2;
            [(kept[n], vectors[n]), (early[behind], vectors[behind])]
        });
        let [first, second] = LAST;
        let last = [
            (kept[second], early[first]),
            (vectors[second], early[second]),
        ];
        move_at_once(ops, of_row.chain(last));
    }
}
