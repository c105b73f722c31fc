//! Time of a transform on the device: wall time as the firmware sees it, launch included.
//!
//! The firmware counts the time of its QPU engine in every record, from before the caches are
//! cleared until the poll that sees the last program ended. Blocks of one transform each are
//! uploaded, so that a record's count is one transform's. A microbenchmark before them makes the
//! firmware forget its plans, so that the first transform of every length is a cold one. On the
//! virtual Pi this is virtual time, with the cycle model of V3D and the virtual ARM's share; on a
//! board it is real. A microsecond is all that the timer shows.

use anyhow::{Context, Result};
use host::client::Client;
use host::input::{Channel, Samples};
use host::link::{self, FIRST_BAUD, Opening};
use host::log::Logs;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use wire::Message;
use wire::Rate;

/// Blocks that are transformed; the first is the cold one.
const BLOCKS: usize = 4;

/// Rate of the line while samples go over it, to a board: the virtual Pi has no cable.
const BAUD: u32 = 921_600;

/// Time for a microbenchmark.
const ANSWER: Duration = Duration::from_secs(2);

/// Wall times of one length, forward, batch 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wall {
    /// Time of the first transform of a new plan: nothing is in V3D's caches.
    pub first_us: u64,
    /// Time of the last.
    pub us: u64,
}

/// Measures `lengths` on the board or virtual Pi at `port`, as far as its firmware uses the QPUs
/// for them.
///
/// # Errors
/// When the port is none, or the board does not answer as it should.
pub fn measure(port: &str, lengths: impl Iterator<Item = u32>) -> Result<BTreeMap<u32, Wall>> {
    let link = link::open(Some(port), &Opening::default())?;
    let mut client = Client::new(link, FIRST_BAUD, Logs::default(), true);
    client.hello()?;
    client.stop()?;
    client.change_baud(BAUD)?;
    let mut walls = BTreeMap::new();
    for log2n in lengths {
        let settings = format!(
            "n={} window=rectangular overlap=0 avg=1 out=u8 engine=fft first=all bins=0",
            1u64 << log2n
        );
        // A length that the firmware has not.
        if client.set(&settings).is_err() || client.hello()?.engine != wire::Engine::Qpu {
            continue;
        }
        forget_plans(&mut client)?;
        let numbers = (0..(2 * BLOCKS) << log2n).map(|n| (n * 37 % 251) as u8);
        let channel = Channel::only(Samples::of_pairs(numbers.collect()));
        let spectra = client.upload(&channel, Rate { num: 1, den: 1 })?;
        let mut times = spectra.iter().filter(|spectrum| !spectrum.fallback);
        let first = times.next().context("the board sent no spectrum")?;
        let last = times.next_back().unwrap_or(first);
        walls.insert(
            log2n,
            Wall {
                first_us: first.counters.qpu_us,
                us: last.counters.qpu_us,
            },
        );
    }
    Ok(walls)
}

/// Runs a microbenchmark of the image, which takes the memory of plans.
fn forget_plans(client: &mut Client) -> Result<()> {
    client.ask(&Message::Measure(0), ANSWER, 1)?;
    Ok(())
}
