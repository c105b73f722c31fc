//! Waits of operations for others: distances that hazards of the machine impose.
//!
//! A register of a file is readable in the second instruction after its write, an accumulator and
//! r4 in the next, a rotated accumulator in the second. A TMU holds four lookups of one QPU. VPM,
//! store DMA and mutex are accessed in program order. Source: Architecture Reference Guide, "QPU
//! instruction restrictions"; for the TMU vc4asm's addendum.

use super::operation::{Operation, Place, Unit};
use crate::isa::Cond;
use crate::machine::TMU_RESULTS;
use std::collections::HashMap;

/// Instructions between a lookup and its fetch; a fetch that is too early only stalls.
const LOOKUP_DISTANCE: u32 = 12;

/// From a write to the SFU to the first use of r4: by the operation that reads the result, or
/// whatever comes there next.
const SFU_DISTANCE: u32 = 3;

/// From a write of the uniforms address to the first read behind it.
const UNIFORMS_DISTANCE: u32 = 3;

/// An operation waits for another.
#[derive(Clone, Copy)]
pub(super) struct Wait {
    /// The operation that is waited for.
    pub on: usize,
    /// By how many instructions it is put later; 0 allows both in one.
    pub distance: u32,
    /// By how many it must be later, or the result would be another: a fetch that is put nearer to
    /// its lookup only stalls.
    pub needed: u32,
}

/// The waits of each operation, given in program order.
///
/// A piece that fetches from a TMU what it has not asked of it yet begins with those lookups on
/// their way; one that leaves as many there as it found with as many as there can be.
pub(super) fn waits<U: Copy + PartialEq>(operations: &[Operation<U>]) -> Vec<Vec<Wait>> {
    #[derive(Default)]
    struct Use {
        writer: Option<usize>,
        readers: Vec<usize>,
    }
    let mut uses: HashMap<Option<Place>, Use> = HashMap::new(); // None stands for the flags.
    let mut requests: [Vec<usize>; 2] = Default::default();
    let mut fetches: [Vec<usize>; 2] = Default::default();
    let on_their_way = [0, 1].map(|tmu| lookups_before(operations, tmu));
    let is_of_sfu =
        |writer: Option<usize>| writer.is_some_and(|index| operations[index].asks_sfu());
    let mut last_store_access = None;
    let mut uniforms_moved = None;
    let mut uniform_readers: Vec<usize> = Vec::new();
    let mut all = Vec::with_capacity(operations.len());
    for (index, operation) in operations.iter().enumerate() {
        let mut waits = Vec::new();
        let mut lookup = None;
        let mut wait = |on: Option<usize>, distance| {
            let needed = distance;
            waits.extend(on.map(|on| Wait {
                on,
                distance,
                needed,
            }));
        };
        let reads_flags = operation.cond != Cond::Always;
        for read in operation
            .reads()
            .map(Some)
            .chain(reads_flags.then_some(None))
        {
            let used = uses.entry(read).or_default();
            let distance = match read {
                Some(Place::R4) if is_of_sfu(used.writer) => SFU_DISTANCE,
                Some(Place::Register(..)) => 2,
                Some(_) if operation.rotation != 0 => 2,
                _ => 1,
            };
            wait(used.writer, distance);
            used.readers.push(index);
        }
        for write in operation
            .writes()
            .map(Some)
            .chain(operation.sets_flags.then_some(None))
        {
            let used = uses.entry(write).or_default();
            let is_late = write == Some(Place::R4) && is_of_sfu(used.writer);
            wait(used.writer, if is_late { SFU_DISTANCE } else { 1 });
            for reader in used.readers.drain(..).filter(|&reader| reader != index) {
                wait(Some(reader), 0);
            }
            used.writer = Some(index);
        }
        if let Some(tmu) = operation.request() {
            let (sent, fetched) = (&mut requests[usize::from(tmu)], &fetches[usize::from(tmu)]);
            wait(sent.last().copied(), 1);
            let sent_ever = on_their_way[usize::from(tmu)] + sent.len();
            let full = sent_ever.checked_sub(TMU_RESULTS.into());
            wait(full.map(|oldest| fetched[oldest]), 1);
            sent.push(index);
        }
        if let Unit::Fetch(tmu) = operation.unit {
            let fetched = &mut fetches[usize::from(tmu)];
            let sent = fetched.len().checked_sub(on_their_way[usize::from(tmu)]);
            let sent = sent.and_then(|number| requests[usize::from(tmu)].get(number));
            lookup = sent.copied();
            fetched.push(index);
        }
        if operation.uniform().is_some() {
            wait(uniforms_moved, UNIFORMS_DISTANCE);
            uniform_readers.push(index);
        }
        if operation.moves_uniforms() {
            for reader in uniform_readers.drain(..).filter(|&reader| reader != index) {
                wait(Some(reader), 1);
            }
            wait(uniforms_moved, 1);
            uniforms_moved = Some(index);
        }
        if operation.is_store_access() {
            wait(last_store_access, 1);
            last_store_access = Some(index);
        }
        if operation.is_barrier {
            for before in 0..index {
                wait(Some(before), 1);
            }
        }
        waits.extend(lookup.map(|on| Wait {
            on,
            distance: LOOKUP_DISTANCE,
            needed: 1,
        }));
        all.push(waits);
    }
    all
}

/// Lookups of a TMU that are on their way when a piece begins.
fn lookups_before<U: Copy + PartialEq>(operations: &[Operation<U>], tmu: u8) -> usize {
    let (mut ahead, mut most) = (0_isize, 0);
    for operation in operations {
        ahead += isize::from(operation.unit == Unit::Fetch(tmu));
        ahead -= isize::from(operation.request() == Some(tmu));
        most = most.max(ahead);
    }
    match (ahead, most) {
        (0, 1..) => TMU_RESULTS.into(),
        _ => most.unsigned_abs(),
    }
}

/// Instructions from each operation to the end of the program, if nothing but waits counted.
pub(super) fn heights(waits: &[Vec<Wait>]) -> Vec<u32> {
    let mut heights = vec![0; waits.len()];
    for index in (0..waits.len()).rev() {
        for wait in &waits[index] {
            heights[wait.on] = heights[wait.on].max(heights[index] + wait.distance);
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::super::Destination;
    use super::*;

    fn request() -> Operation<()> {
        Operation::copy(Place::Accumulator(0), Destination::Tmu(0))
    }

    fn fetch() -> Operation<()> {
        Operation::fetch(0)
    }

    /// Instructions by which operation `index` must come after `on`; `None` when it waits for
    /// others only.
    fn distance(operations: &[Operation<()>], index: usize, on: usize) -> Option<u32> {
        let waits = &waits(operations)[index];
        let distances = waits.iter().filter(|wait| wait.on == on);
        distances.map(|wait| wait.distance).max()
    }

    #[test]
    fn a_fetch_waits_for_its_own_lookup() {
        let piece = [request(), request(), fetch(), fetch()];
        assert_eq!(distance(&piece, 2, 0), Some(LOOKUP_DISTANCE));
        assert_eq!(distance(&piece, 2, 1), None);
        assert_eq!(distance(&piece, 3, 1), Some(LOOKUP_DISTANCE));
    }

    #[test]
    fn a_fetch_of_what_an_earlier_piece_asked_for_waits_for_no_lookup_here() {
        let piece = [fetch(), request(), fetch()];
        assert_eq!(distance(&piece, 2, 1), Some(LOOKUP_DISTANCE));
        // One was on its way, whether or not this piece asks before it fetches.
        let asks_first = [request(), fetch(), fetch()];
        assert_eq!(distance(&asks_first, 1, 0), None);
        assert_eq!(distance(&asks_first, 2, 0), Some(LOOKUP_DISTANCE));
    }

    #[test]
    fn lookups_of_an_earlier_piece_take_room_in_the_tmu() {
        let full = [fetch(), request(), fetch(), fetch(), fetch(), fetch()];
        assert_eq!(distance(&full, 1, 0), Some(1), "four were on their way");
        assert_eq!(distance(&full, 5, 1), Some(LOOKUP_DISTANCE));
        let room = [fetch(), request(), fetch(), fetch(), fetch()];
        assert_eq!(distance(&room, 1, 0), None, "three were");
        let handed_on = [fetch(), request()];
        assert_eq!(distance(&handed_on, 1, 0), Some(1), "as many are behind it");
    }
}
