//! Puts operations into instructions: list scheduling.
//!
//! Instruction by instruction, those operations whose predecessors are far enough back are tried in
//! the order of a priority. Priorities mix the distance to the end of the program with the order in
//! which the codelet was written; a few mixtures are tried and the shortest program wins, so the
//! same codelet always gives the same words.

use super::bundle::Bundle;
use super::operation::Operation;
use super::waits::{Wait, heights, waits};
use crate::fft::Uniform;
use crate::isa::Instruction;
use std::collections::BTreeSet;

/// First instruction that may send a lookup: TMU swapping is not settled before (HW-2615).
const FIRST_LOOKUP: u32 = 3;

/// Instructions, and the uniforms in the order in which they are read.
pub struct Scheduled {
    /// The program, without its end.
    pub instructions: Vec<Instruction>,
    /// Its uniforms.
    pub uniforms: Vec<Uniform>,
}

/// Schedules operations given in program order.
pub fn schedule(operations: &[Operation]) -> Scheduled {
    let waits = waits(operations);
    let heights = heights(&waits);
    // In percent: how much program order counts beside the distance to the end.
    [0, 10, 20, 40, 60, 80, 100, 150, 200]
        .into_iter()
        .map(|percent| {
            let priority = |index: usize| 100 * i64::from(heights[index]) - percent * index as i64;
            place(operations, &waits, priority)
        })
        .min_by_key(|scheduled| scheduled.instructions.len())
        .expect("at least one mixture")
}

fn place(
    operations: &[Operation],
    waits: &[Vec<Wait>],
    priority: impl Fn(usize) -> i64,
) -> Scheduled {
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
    let key = |index: usize| (-priority(index), index);
    let mut ready: BTreeSet<_> = (0..operations.len())
        .filter(|&index| blocked[index] == 0)
        .map(key)
        .collect();
    let mut scheduled = Scheduled {
        instructions: Vec::new(),
        uniforms: Vec::new(),
    };
    while !ready.is_empty() {
        let now = scheduled.instructions.len() as u32;
        let mut bundle = Bundle::default();
        // A reader and the writer that waits for it can share an instruction: look again after each.
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
        scheduled.uniforms.extend(
            bundle
                .members
                .iter()
                .filter_map(|&index| operations[index].uniform()),
        );
        scheduled.instructions.push(bundle.instruction);
    }
    scheduled
}
