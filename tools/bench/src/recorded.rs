//! The figures of the last recorded runs, from which `docs/performance.md` is written.
//!
//! `cargo xtask bench --record` puts what it ran in the place of older figures of the same
//! transforms. Those of GPU_FFT also stand beside ours where its shaders are not there. Figures
//! hold for the constants of the cycle model that they were made with, so those are recorded, too.

use crate::case::{self, Case};
use crate::copy::Rates;
use crate::row::Row;
use crate::side::Side;
use crate::tried::Tried;
use crate::wall::Wall;
use anyhow::{Context, Result};
use fidelity::repository::root;
use qpu_fft::Direction;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use v3d_sim::Constants;

/// Path of the file, below the root of the repository.
pub const PATH: &str = "tools/bench/recorded.json";

/// All figures that are kept.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug, Default)]
pub struct Recorded {
    /// The day of the last run, as year-month-day; empty when nothing was ever recorded.
    pub date: String,
    /// The commit of this repository that was run.
    pub commit: String,
    /// The constants of the cycle model.
    pub constants: BTreeMap<String, f64>,
    /// Rates of the memory.
    pub rates: Rates,
    /// One for each transform of ours.
    pub ours: Vec<Ours>,
    /// One for each length and batch.
    pub peers: Vec<Peer>,
    /// Both sides with other constants.
    pub tried: Vec<Tried>,
}

/// The figures of one transform of ours.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Ours {
    /// The case that was transformed.
    #[serde(flatten)]
    pub case: Case,
    /// Its times on the device; `None` where the firmware was not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall: Option<Wall>,
    /// The measured figures.
    pub side: Side,
}

/// The peer's figures of one length and batch.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Peer {
    /// log2 of the number of points.
    pub log2n: u32,
    /// Transforms.
    pub batch: u32,
    /// The measured figures.
    pub side: Side,
}

/// A side whose errors have six decimals, which are read as they were written.
fn rounded(side: &Side) -> Side {
    Side {
        hello_ppm: decimals(side.hello_ppm),
        random_ppm: decimals(side.random_ppm),
        ..side.clone()
    }
}

/// A figure with six decimals.
fn decimals(figure: f64) -> f64 {
    (1e6 * figure).round() / 1e6
}

/// Constants by name.
#[must_use]
pub fn constants(constants: &Constants) -> BTreeMap<String, f64> {
    let all = constants.describe().into_iter();
    all.map(|constant| (constant.name.to_owned(), constant.value))
        .collect()
}

impl Recorded {
    /// What is recorded.
    ///
    /// # Errors
    /// When the file is not there or not of this form.
    pub fn last() -> Result<Self> {
        let path = root().join(PATH);
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("reading {}", path.display()))
    }

    /// The peer's side of one length and batch.
    #[must_use]
    pub fn find(&self, log2n: u32, batch: u32) -> Option<&Side> {
        let mut peers = self.peers.iter();
        let peer = peers.find(|peer| peer.log2n == log2n && peer.batch == batch)?;
        Some(&peer.side)
    }

    /// A row for each case of a full run, of what is recorded.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let row = |case: Case| {
            let ours = self.ours.iter().find(|ours| ours.case == case);
            let peer = case.has_peer().then(|| self.find(case.log2n, case.batch));
            Row {
                case,
                ours: ours.map(|ours| ours.side.clone()),
                peer: peer.flatten().cloned(),
                bound: case.bound(),
                wall: ours.and_then(|ours| ours.wall),
            }
        };
        case::all().into_iter().map(row).collect()
    }

    /// What is kept when a run with these constants is recorded: everything, or nothing where they
    /// have changed.
    #[must_use]
    pub fn renewed(self, date: String, commit: String, now: &Constants, rates: Rates) -> Self {
        let kept = match self.changed(now).is_empty() {
            true => self,
            false => Self::default(),
        };
        Self {
            date,
            commit,
            constants: constants(now),
            rates: Rates {
                system_l2: decimals(rates.system_l2),
                sdram: decimals(rates.sdram),
            },
            ..kept
        }
    }

    /// Takes rows in, both sides of each, in the place of older ones of the same transform.
    pub fn put(&mut self, rows: &[Row]) {
        for row in rows {
            let Row {
                case, wall, peer, ..
            } = row;
            self.ours.retain(|old| old.case != *case);
            if let Some(side) = row.ours.as_ref().map(rounded) {
                self.ours.push(Ours {
                    case: *case,
                    wall: *wall,
                    side,
                });
            }
            if let Some(side) = peer.as_ref().map(rounded) {
                let (log2n, batch) = (case.log2n, case.batch);
                self.peers
                    .retain(|old| (old.log2n, old.batch) != (log2n, batch));
                self.peers.push(Peer { log2n, batch, side });
            }
        }
        self.ours.sort_by_key(|ours| {
            let Case {
                log2n, batch, kind, ..
            } = ours.case;
            (
                kind,
                ours.case.direction == Direction::Forward,
                batch,
                log2n,
            )
        });
        self.peers.sort_by_key(|peer| (peer.batch, peer.log2n));
    }

    /// Takes ratios with other constants in, in the place of older ones of the same length.
    pub fn put_tried(&mut self, tried: Vec<Tried>) {
        for new in tried {
            match self.tried.iter_mut().find(|old| old.name == new.name) {
                Some(old) => old.put(new.rows),
                None => self.tried.push(new),
            }
        }
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

    /// The text of the file: a transform a line, so that a difference shows which has changed.
    ///
    /// # Errors
    /// When a figure is no number that JSON has.
    pub fn text(&self) -> Result<String> {
        let value = serde_json::to_value(self)?;
        let fields = value.as_object().context("a record has fields")?;
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, value)| match value {
                Value::Array(items) => {
                    let lines: Vec<String> = items.iter().map(Value::to_string).collect();
                    format!("\"{name}\": [\n{}\n]", lines.join(",\n"))
                }
                value => format!("\"{name}\": {value}"),
            })
            .collect();
        Ok(format!("{{\n{}\n}}\n", fields.join(",\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> Recorded {
        Recorded::last().unwrap_or_else(|e| panic!("{e:#}"))
    }

    #[test]
    fn the_committed_file_is_what_would_be_written() {
        let recorded = last();
        assert!(!recorded.ours.is_empty() && !recorded.peers.is_empty());
        let text = recorded.text().unwrap_or_else(|e| panic!("{e:#}"));
        assert!(text == include_str!("../recorded.json"));
    }

    #[test]
    fn every_transform_of_a_full_run_is_recorded() {
        for row in last().rows() {
            assert!(row.ours.is_some(), "{}", row.case.name());
            assert_eq!(row.peer.is_some(), row.case.has_peer());
        }
    }

    #[test]
    fn a_run_replaces_its_own_transforms_alone() {
        let mut recorded = last();
        recorded.put(&recorded.rows());
        assert_eq!(recorded, last());
        let mut row = recorded.rows().swap_remove(0);
        row.ours.as_mut().expect("recorded").cycles += 1;
        recorded.put(std::slice::from_ref(&row));
        let changed = recorded.rows();
        let differ = last().rows().into_iter().zip(&changed);
        assert_eq!(differ.filter(|(old, new)| old != *new).count(), 1);
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
