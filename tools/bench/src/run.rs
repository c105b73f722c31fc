//! Running both sides of every case, on as many threads as the machine has.

use crate::case::{Case, Kind};
use crate::recorded::Recorded;
use crate::row::Row;
use crate::side::Side;
use crate::{ours, peer};
use anyhow::Result;
use fidelity::Userland;
use fidelity::parallel::in_parallel;
use v3d_sim::Constants;

/// Source of the peer's figures.
pub enum PeerSource<'a> {
    /// Its shaders, run now.
    Shaders(&'a Userland),
    /// An earlier run.
    Recorded(&'a Recorded),
}

/// One simulation.
enum Task<'a> {
    /// Ours, of the case at this place.
    Ours(usize),
    /// The peer's, of a length and a batch.
    Peer(&'a Userland, u32, u32),
}

/// Runs all cases. `progress` is told what is done.
///
/// # Errors
/// The first that happened; runs under way are finished.
pub fn run(
    cases: &[Case],
    source: &PeerSource<'_>,
    constants: &Constants,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Row>> {
    let there = |place: &usize| ours::is_there(&cases[*place]);
    let mut tasks: Vec<Task> = (0..cases.len()).filter(there).map(Task::Ours).collect();
    if let PeerSource::Shaders(userland) = source {
        let with_peer = cases.iter().filter(|case| case.has_peer());
        let mut shapes: Vec<_> = with_peer.map(|case| (case.log2n, case.batch)).collect();
        shapes.sort_unstable();
        shapes.dedup();
        let peers = shapes.into_iter();
        tasks.extend(peers.map(|(log2n, batch)| Task::Peer(userland, log2n, batch)));
    }
    // The peer takes several times as long, in simulation as on the chip.
    let weight = |task: &Task| match task {
        Task::Ours(place) => cases[*place].points(),
        Task::Peer(_, log2n, batch) => (4 * u64::from(*batch)) << log2n,
    };
    let sides = in_parallel(&tasks, weight, |task| {
        let (side, name) = match task {
            Task::Peer(userland, log2n, batch) => (
                peer::measure(userland, *log2n, *batch, constants)?,
                format!("GPU_FFT 3.0 2^{log2n} x {batch}"),
            ),
            Task::Ours(place) => {
                let case = &cases[*place];
                (ours::measure(case, constants)?, case.name())
            }
        };
        progress(&name);
        anyhow::Ok(side)
    })?;
    let rows = cases.iter().enumerate().map(|(place, case)| Row {
        case: *case,
        ours: find(&tasks, &sides, |task| matches!(task, Task::Ours(p) if *p == place)),
        peer: match source {
            _ if case.kind != Kind::Complex => None,
            PeerSource::Recorded(recorded) => recorded.find(case.log2n, case.batch).cloned(),
            PeerSource::Shaders(_) => find(&tasks, &sides, |task| {
                matches!(task, Task::Peer(_, log2n, batch) if (*log2n, *batch) == (case.log2n, case.batch))
            }),
        },
        bound: case.bound(),
        wall: None,
    });
    Ok(rows.collect())
}

fn find(tasks: &[Task<'_>], sides: &[Side], is_it: impl Fn(&Task<'_>) -> bool) -> Option<Side> {
    let place = tasks.iter().position(is_it)?;
    sides.get(place).cloned()
}
