//! GPU_FFT's figures of the last recorded run, for those who have no checkout of its shaders.
//!
//! `cargo xtask bench --record` writes the file after a full run. Figures hold for the constants of
//! the cycle model that they were made with, so those are recorded, too.

use crate::side::Side;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use v3d_sim::Constants;

/// Path of the file, below the root of the repository.
pub const PATH: &str = "tools/bench/recorded.json";

/// The peer's side of one run.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
pub struct Recorded {
    /// The day of the run, as year-month-day; empty when nothing was ever recorded.
    pub date: String,
    /// The commit of this repository that was run.
    pub commit: String,
    /// The constants of the cycle model.
    pub constants: BTreeMap<String, f64>,
    /// One for each length and batch.
    pub peers: Vec<Peer>,
}

/// The figures of one length and batch.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Peer {
    /// log2 of the number of points.
    pub log2n: u32,
    /// Transforms.
    pub batch: u32,
    /// The measured figures.
    pub side: Side,
}

/// Constants by name.
#[must_use]
pub fn constants(constants: &Constants) -> BTreeMap<String, f64> {
    let all = constants.describe().into_iter();
    all.map(|constant| (constant.name.to_owned(), constant.value))
        .collect()
}

impl Recorded {
    /// The record that this program was compiled with.
    #[must_use]
    pub fn last() -> Self {
        serde_json::from_str(include_str!("../recorded.json")).unwrap_or_default()
    }

    /// The side of one length and batch.
    #[must_use]
    pub fn find(&self, log2n: u32, batch: u32) -> Option<&Side> {
        let mut peers = self.peers.iter();
        let peer = peers.find(|peer| peer.log2n == log2n && peer.batch == batch)?;
        Some(&peer.side)
    }

    /// Takes `peer` in, in the place of what was there of its length and batch.
    pub fn put(&mut self, peer: Peer) {
        let key = |peer: &Peer| (peer.batch, peer.log2n);
        self.peers.retain(|old| key(old) != key(&peer));
        self.peers.push(peer);
        self.peers.sort_by_key(key);
    }

    /// Names of constants that have another value now, or that were not there.
    #[must_use]
    pub fn changed(&self, now: &Constants) -> Vec<String> {
        let now = constants(now);
        let names = now.keys().chain(self.constants.keys());
        let mut changed: Vec<String> = names
            .filter(|name| now.get(*name) != self.constants.get(*name))
            .cloned()
            .collect();
        changed.sort();
        changed.dedup();
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_file_is_of_this_form() {
        let text = include_str!("../recorded.json");
        let recorded: Recorded = serde_json::from_str(text).unwrap();
        assert_eq!(recorded, Recorded::last());
    }

    #[test]
    fn another_constant_is_named() {
        let mut now = Constants::recommended();
        let recorded = Recorded {
            constants: constants(&now),
            ..Recorded::default()
        };
        assert_eq!(recorded.changed(&now), Vec::<String>::new());
        now.vdw_row += 1.0;
        assert_eq!(recorded.changed(&now), ["vdw_row"]);
    }
}
