//! Packs operations into instructions: list scheduling under the hazard rules.
//!
//! Operations are given in program order, on registers that the caller has chosen, for a straight
//! piece of a program without branches. What comes out does the same: two operations share an
//! instruction where ports and units allow, and everything stays as far apart as the hardware,
//! which does not wait, demands. Registers are written and read in the order given, lookups of a
//! TMU are fetched in the order in which they were sent, and accesses to VPM, store DMA and mutex
//! keep theirs. Uniforms are read in whatever order is best: [`Scheduled::uniforms`] says which.
//!
//! Instruction by instruction, those operations whose predecessors are far enough back are tried in
//! the order of a priority. Priorities mix the distance to the end of the program with the order in
//! which the operations were given; a few mixtures are tried and the shortest program wins, so
//! equal operations always give equal words. The result goes into a [`Builder`](super::Builder),
//! whose checks know nothing of the scheduler.
//!
//! A sum of products in nine instructions, by the simulator's word:
//!
//! ```
//! use qpu::generate::schedule::{Destination, Operation, Place, Source, schedule};
//! use qpu::generate::{Builder, NONE, ST_WAIT};
//! use qpu::isa::{AddOp, File, MulOp};
//! use qpu::job::{CacheClear, Job, Launch, Program, QpuSet, Runner};
//! use qpu::vpm::{Block, Store, store_stride};
//!
//! let [x, y, xx, yy] = [0, 1, 2, 3].map(Place::Accumulator);
//! let wide = Place::Register(File::A, 0);
//! let (from, to) = (Source::Place, Destination::Place);
//! let setup = |word| Operation::immediate(word, [Destination::WriteSetup, Destination::Nothing]);
//! let operations = [
//!     Operation::copy(Source::Lane, to(x)),
//!     Operation::copy(Source::Uniform("offset"), to(wide)),
//!     Operation::mul(MulOp::Mul24, from(x), from(x), to(xx)),
//!     Operation::add(AddOp::Add, from(x), from(wide), to(y)),
//!     Operation::mul(MulOp::Mul24, from(y), from(y), to(yy)),
//!     setup(Block::row(0).write_setup()?),
//!     Operation::add(AddOp::Add, from(xx), from(yy), Destination::Vpm),
//!     setup(Store::rows(1, 0).setup()?),
//!     setup(store_stride(0)),
//!     Operation::copy(Source::Uniform("address"), Destination::StoreAddress),
//! ];
//! let scheduled = schedule(&operations);
//! assert!(scheduled.instructions.len() < operations.len());
//!
//! let mut b = Builder::new();
//! for &instruction in &scheduled.instructions {
//!     b.instruction(instruction);
//! }
//! b.mov(NONE, ST_WAIT);
//! b.end();
//! let words: Vec<u32> = b.finish()?.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect();
//!
//! let mut sim = v3d_sim::SimRunner::new(1 << 20).with_strict(true);
//! let code = sim.alloc(4 * words.len() as u32, 64)?;
//! let uniforms = sim.alloc(64, 64)?;
//! let result = sim.alloc(64, 64)?;
//! let value_of = |name| if name == "offset" { 100 } else { result.addr.0 };
//! let values: Vec<u32> = scheduled.uniforms.iter().map(|&name| value_of(name)).collect();
//! sim.write(code, 0, &words)?;
//! sim.write(uniforms, 0, &values)?;
//! let program = Program { code: code.addr, uniforms: uniforms.addr };
//! let launch = Launch { programs: &[program], clear: CacheClear::All, qpus: QpuSet::ALL };
//! sim.run(&Job { launches: &[launch] }, 1_000)?;
//! let mut sums = [0; 16];
//! sim.read(result, 0, &mut sums)?;
//! assert_eq!(sums, std::array::from_fn(|lane| {
//!     let lane = lane as u32;
//!     lane * lane + (lane + 100) * (lane + 100)
//! }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bundle;
mod operation;
mod waits;

use crate::isa::Instruction;
use bundle::Bundle;
use std::collections::BTreeSet;
use waits::{Wait, heights, waits};

pub use operation::{Destination, Operation, Place, Source, Unit};

/// First instruction that may send a lookup: TMU swapping is not settled before (HW-2615).
const FIRST_LOOKUP: u32 = 3;

/// Instructions, and the uniforms in the order in which they are read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheduled<U> {
    /// The instructions, without a program's end.
    pub instructions: Vec<Instruction>,
    /// Its uniforms.
    pub uniforms: Vec<U>,
    /// The instruction that starts the first store.
    pub stores_from: Option<usize>,
}

/// Schedules operations given in program order.
///
/// # Panics
/// When an operation fits no instruction at all, such as one with both operands in different
/// registers of file A: a bug of the caller that wrote it.
#[must_use]
pub fn schedule<U: Copy + PartialEq>(operations: &[Operation<U>]) -> Scheduled<U> {
    schedule_by(operations, &ScheduleTuning::default())
}

/// The preferences of [`schedule_by`] where operations compete: the outcome of a [`search`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ScheduleTuning {
    /// In percent: how much program order counts beside the distance to the end; `None` tries a
    /// few.
    pub order: Option<u8>,
    /// Each moves a few operations forward or back.
    pub moves: Vec<u16>,
}

/// Schedules operations as [`schedule`] does, with a tuning that was searched for.
///
/// # Panics
/// As [`schedule`].
#[must_use]
pub fn schedule_by<U: Copy + PartialEq>(
    operations: &[Operation<U>],
    tuning: &ScheduleTuning,
) -> Scheduled<U> {
    let waits = waits(operations);
    let heights = heights(&waits);
    let moved = moved(operations.len(), &tuning.moves);
    let orders: &[u8] = match &tuning.order {
        Some(order) => std::slice::from_ref(order),
        None => &ORDERS,
    };
    orders
        .iter()
        .map(|&order| place(operations, &waits, &priorities(&heights, order, &moved)))
        .min_by_key(|scheduled| scheduled.instructions.len())
        .expect("at least one mixture")
}

/// Percents of program order that are tried.
const ORDERS: [u8; 9] = [0, 10, 20, 40, 60, 80, 100, 150, 200];

fn priorities(heights: &[u32], order: u8, moved: &[i64]) -> Vec<i64> {
    (0..heights.len())
        .map(|index| {
            100 * i64::from(heights[index]) - i64::from(order) * index as i64 + moved[index]
        })
        .collect()
}

/// By how much each operation's priority is moved: a move touches one operation in 32, on average,
/// by up to 20 instructions.
fn moved(operations: usize, moves: &[u16]) -> Vec<i64> {
    let mut moved = vec![0; operations];
    for &seed in moves {
        let mut state = u64::from(seed) << 1 | 1;
        for value in &mut moved {
            // xorshift64*.
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            let random = state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
            if random.is_multiple_of(32) {
                *value += (random / 32 % 4001) as i64 - 2000;
            }
        }
    }
    moved
}

/// Looks for a tuning that makes a shorter program, from `tuning` on, by `tries` schedules: each
/// tries one more move, and keeps it if the program gets no longer. Equal searches find the same.
/// Instructions before the first store count twice: from then on, the engine that stores is waited
/// for. Gives the number of instructions, too.
///
/// # Panics
/// As [`schedule`].
#[must_use]
pub fn search<U: Copy + PartialEq>(
    operations: &[Operation<U>],
    tuning: &ScheduleTuning,
    tries: u16,
) -> (ScheduleTuning, usize) {
    let waits = waits(operations);
    let heights = heights(&waits);
    let placed = |tuning: &ScheduleTuning| {
        let moved = moved(operations.len(), &tuning.moves);
        let priorities = priorities(&heights, tuning.order.unwrap_or(0), &moved);
        place(operations, &waits, &priorities)
    };
    let length = |tuning: &ScheduleTuning| {
        let placed = placed(tuning);
        placed.instructions.len() + placed.stores_from.unwrap_or(0)
    };
    let mut best = tuning.clone();
    if best.order.is_none() {
        best.order = ORDERS.into_iter().min_by_key(|&order| {
            length(&ScheduleTuning {
                order: Some(order),
                ..tuning.clone()
            })
        });
    }
    let mut least = length(&best);
    // Moves since the last that made the program shorter are dropped in the end.
    let mut needed = best.moves.len();
    for seed in 0..tries {
        best.moves.push(seed);
        let now = length(&best);
        if now > least {
            best.moves.pop();
        } else if now < least {
            least = now;
            needed = best.moves.len();
        }
    }
    best.moves.truncate(needed);
    let length = placed(&best).instructions.len();
    (best, length)
}

fn place<U: Copy + PartialEq>(
    operations: &[Operation<U>],
    waits: &[Vec<Wait>],
    priorities: &[i64],
) -> Scheduled<U> {
    let mut followers: Vec<Vec<(usize, u32)>> = vec![Vec::new(); operations.len()];
    for (index, waits) in waits.iter().enumerate() {
        for wait in waits {
            followers[wait.on].push((index, wait.distance));
        }
    }
    // How many waits of each operation are not issued yet, and where it may be once none is left.
    let mut blocked: Vec<usize> = waits.iter().map(Vec::len).collect();
    let mut earliest: Vec<u32> = operations
        .iter()
        .map(|operation| operation.request().map_or(0, |_| FIRST_LOOKUP))
        .collect();
    let key = |index: usize| (-priorities[index], index);
    let mut ready: BTreeSet<_> = (0..operations.len())
        .filter(|&index| blocked[index] == 0)
        .map(key)
        .collect();
    let mut bundles: Vec<Bundle> = Vec::new();
    while !ready.is_empty() {
        let now = bundles.len() as u32;
        let mut bundle = Bundle::default();
        // A reader and the writer that waits for it can share an instruction: look again after
        // each.
        while let Some(&next) = ready
            .iter()
            .find(|&&(_, index)| earliest[index] <= now && bundle.try_add(operations, index))
        {
            ready.remove(&next);
            for &(follower, distance) in &followers[next.1] {
                earliest[follower] = earliest[follower].max(now + distance);
                blocked[follower] -= 1;
                if blocked[follower] == 0 {
                    ready.insert(key(follower));
                }
            }
        }
        if bundle.members.is_empty() {
            // What is ready and yet not in an empty instruction fits none.
            let stuck = ready.iter().find(|&&(_, index)| earliest[index] <= now);
            assert!(
                stuck.is_none(),
                "no instruction holds operation {stuck:?} alone"
            );
        }
        bundles.push(bundle);
    }
    drop_stalls(&mut bundles, operations, waits);
    let members = bundles.iter().flat_map(|bundle| &bundle.members);
    let uniforms = members.filter_map(|&index| operations[index].uniform());
    let stores = |&index: &usize| {
        let to = &operations[index].destinations;
        to.contains(&Destination::StoreAddress)
    };
    Scheduled {
        uniforms: uniforms.collect(),
        stores_from: bundles
            .iter()
            .position(|bundle| bundle.members.iter().any(stores)),
        instructions: bundles
            .into_iter()
            .map(|bundle| bundle.instruction)
            .collect(),
    }
}

/// Leaves out instructions that do nothing but let time pass for a lookup: its fetch stalls as
/// long, and code is shorter.
fn drop_stalls<U: Copy + PartialEq>(
    bundles: &mut Vec<Bundle>,
    operations: &[Operation<U>],
    waits: &[Vec<Wait>],
) {
    let mut places = vec![0; operations.len()];
    for (at, bundle) in bundles.iter().enumerate() {
        bundle.members.iter().for_each(|&index| places[index] = at);
    }
    for at in (0..bundles.len()).rev() {
        let is_too_near = |&index: &usize| {
            let place = places[index] - 1;
            let first = operations[index].request().map_or(0, |_| FIRST_LOOKUP);
            let mut waits = waits[index].iter().filter(|wait| places[wait.on] < at);
            place < first as usize
                || waits.any(|wait| place < places[wait.on] + wait.needed as usize)
        };
        let mut behind = bundles[at + 1..].iter().flat_map(|bundle| &bundle.members);
        if bundles[at].members.is_empty() && !behind.any(is_too_near) {
            bundles.remove(at);
            for place in places.iter_mut().filter(|place| **place > at) {
                *place -= 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::File;

    fn length(operations: &[Operation<()>]) -> usize {
        schedule(operations).instructions.len()
    }

    #[test]
    fn a_fetch_is_waited_for_by_its_stall() {
        let [lanes, r4] = [Place::Accumulator(0), Place::R4].map(Source::Place);
        let lookup = [
            Operation::copy(Source::Lane, Place::Accumulator(0)),
            Operation::copy(lanes, Destination::Tmu(0)),
            Operation::fetch(0),
            Operation::copy(r4, Destination::Vpm),
        ];
        assert_eq!(length(&lookup), FIRST_LOOKUP as usize + 3);
    }

    #[test]
    fn stalls_of_both_units_are_left_out_and_what_follows_keeps_its_distance() {
        let [lanes, r4] = [Place::Accumulator(0), Place::R4].map(Source::Place);
        let place = Place::Register(File::A, 0);
        let lookups = [
            Operation::copy(Source::Lane, Place::Accumulator(0)),
            Operation::copy(lanes, Destination::Tmu(0)),
            Operation::copy(lanes, Destination::Tmu(1)),
            Operation::fetch(0),
            Operation::copy(r4, place),
            Operation::fetch(1),
            Operation::copy(place, Destination::Vpm),
            Operation::copy(r4, Destination::Vpm),
        ];
        // Two lookups, two fetches of which the second goes along with the copy of the first, one
        // empty instruction for the register, and two vectors.
        assert_eq!(length(&lookups), FIRST_LOOKUP as usize + 7);
    }

    #[test]
    fn what_the_machine_does_not_wait_for_keeps_its_distance() {
        let place = Place::Register(File::A, 0);
        let chain = [
            Operation::copy(Source::Lane, place),
            Operation::copy(place, Destination::Vpm),
        ];
        assert_eq!(length(&chain), 3);
    }
}
