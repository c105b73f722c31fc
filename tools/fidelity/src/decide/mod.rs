//! Which constants of the cycle model a report decides, and which values explain it.
//!
//! Microbenchmarks stand in groups. Where all figures of a group are what the model makes of them
//! with the constants decided so far, nothing is named. Otherwise the group's hypotheses are tried
//! in order, each a list of constants that are fitted one after the other: the first that makes all
//! figures of the group right is taken, else the one that leaves the least. Groups are in such an
//! order that what a later group depends on is known.

mod groups;
mod model;
mod solve;

use v3d_sim::Constants;

use groups::{Fit, GROUPS, Group};
use model::Model;
use solve::solve;

/// A figure is the model's when it is nearer than this, or than the noise of its times.
const NEAR: f64 = 0.06;
/// The standard deviation by which each time may be off by chance, relative to it.
pub const NOISE: f64 = 0.02;
/// So many standard deviations are no chance.
const DEVIATIONS: f64 = 4.0;

/// A figure beside the model's.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// The microbenchmark.
    pub name: String,
    /// V3D clocks of an operation, as measured.
    pub measured: f64,
    /// The model's figure with the documented constants; `None` for what it does not know.
    pub model: Option<f64>,
    /// The model's figure with the constants that were found.
    pub explained: Option<f64>,
    /// The chance deviation of the measured figure from the model's, relative to it.
    pub tolerance: f64,
}

impl Figure {
    /// Returns whether what was found explains it.
    #[must_use]
    pub fn is_explained(&self) -> bool {
        self.explained
            .is_none_or(|clocks| (self.measured / clocks).ln().abs() <= self.tolerance)
    }
}

/// The verdict on a constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// The documented value explains what was measured.
    Documented,
    /// This value does.
    Value(f64),
    /// Something above this value would.
    AtLeast(f64),
    /// Something below this value would.
    AtMost(f64),
    /// It was not measured, and why.
    Open(&'static str),
}

/// A constant, and what is said of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// Its name.
    pub constant: &'static str,
    /// Its documented value.
    pub documented: f64,
    /// The verdict.
    pub verdict: Verdict,
    /// The figures that decide it.
    pub figures: &'static [&'static str],
}

/// All figures and decisions.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// V3D's clock that was taken, in Hz.
    pub v3d_hz: f64,
    /// The clock that the board stated.
    pub stated_hz: u32,
    /// Every timed microbenchmark.
    pub figures: Vec<Figure>,
    /// Every constant that could be decided.
    pub decisions: Vec<Decision>,
}

/// A microbenchmark that was timed on a board.
#[derive(Clone, PartialEq, Debug)]
pub struct Timed {
    /// The microbenchmark.
    pub name: String,
    /// Microseconds of an operation; `None` where its times do not tell.
    pub us: Option<f64>,
    /// The standard deviation of `us`, relative to it, where each time has one of [`NOISE`].
    pub uncertainty: f64,
}

/// The figures of a report, and how far they may be off.
struct Measured<'a> {
    timed: &'a [Timed],
    v3d_hz: f64,
}

impl Measured<'_> {
    /// Clocks of an operation.
    fn clocks(&self, name: &str) -> Option<f64> {
        Some(self.timed(name)?.us? * self.v3d_hz / 1e6)
    }

    fn tolerance(&self, name: &str) -> f64 {
        self.timed(name).map_or(f64::INFINITY, |timed| {
            NEAR.max(DEVIATIONS * timed.uncertainty)
        })
    }

    fn timed(&self, name: &str) -> Option<&Timed> {
        self.timed.iter().find(|timed| timed.name == name)
    }
}

/// Sets the times of a board beside the model; the board states V3D's clock, or 0.
#[must_use]
pub fn decide(stated_hz: u32, timed: &[Timed]) -> Comparison {
    let stated_hz = match stated_hz {
        0 => v3d_sim::REFERENCE_HZ,
        hz => hz,
    };
    let model = Model::new(stated_hz);
    let mut measured = Measured {
        timed,
        v3d_hz: f64::from(stated_hz),
    };
    measured.v3d_hz *= clock_factor(&measured, &model);
    let model = Model::new(measured.v3d_hz.round() as u32);
    let mut constants = Constants::recommended();
    let mut decisions = vec![];
    for group in GROUPS {
        decide_group(group, &measured, &model, &mut constants, &mut decisions);
    }
    let documented = Constants::recommended();
    let figures = timed.iter().filter_map(|timed| {
        let name = &timed.name;
        Some(Figure {
            name: name.clone(),
            measured: measured.clocks(name)?,
            model: model.clocks(name, &documented),
            explained: model.clocks(name, &constants),
            tolerance: measured.tolerance(name),
        })
    });
    Comparison {
        v3d_hz: measured.v3d_hz,
        stated_hz,
        figures: figures.collect(),
        decisions,
    }
}

/// The ratio of V3D's clock to what the board says, by figures that are made of instructions alone.
/// 1 where they agree with the statement, or not with each other.
fn clock_factor(measured: &Measured, model: &Model) -> f64 {
    const PURE: [&str; 3] = ["code-1k", "rows-1", "uniforms-1-1"];
    const SURE: f64 = 0.05;
    let documented = Constants::recommended();
    let ratios = PURE.map(|name| {
        let (measured, model) = (measured.clocks(name)?, model.clocks(name, &documented)?);
        Some(model / measured)
    });
    let [Some(a), Some(b), Some(c)] = ratios else {
        return 1.0;
    };
    let (least, most) = (a.min(b).min(c), a.max(b).max(c));
    let mean = (a * b * c).cbrt();
    if most / least < 1.0 + SURE && (mean - 1.0).abs() > SURE {
        mean
    } else {
        1.0
    }
}

/// The worst figure of some with these constants: how far it is off, in units of what is allowed.
fn worst(figures: &[&str], measured: &Measured, model: &Model, constants: &Constants) -> f64 {
    let off = |name: &&str| {
        let found = measured.clocks(name)?;
        let Some(clocks) = model.clocks(name, constants) else {
            return Some(f64::INFINITY);
        };
        Some((found / clocks).ln().abs() / measured.tolerance(name))
    };
    figures.iter().filter_map(off).fold(0.0, f64::max)
}

/// The remainder of a hypothesis, the constants that it found, and its verdict on them.
type Tried = (f64, Constants, Vec<(&'static str, Verdict)>);

fn constant_of(fit: Fit) -> &'static str {
    match fit {
        Fit::Grows { constant, .. } | Fit::OneOf { constant, .. } => constant,
    }
}

fn value_of(constants: &Constants, name: &str) -> f64 {
    let all = constants.describe();
    let found = all.iter().find(|constant| constant.name == name);
    found.map_or(0.0, |constant| constant.value)
}

fn decide_group(
    group: &Group,
    measured: &Measured,
    model: &Model,
    constants: &mut Constants,
    decisions: &mut Vec<Decision>,
) {
    let before = constants.clone();
    let mut all: Vec<&'static str> = vec![];
    for fit in group.hypotheses.iter().flat_map(|fits| fits.iter()) {
        if !all.contains(&constant_of(*fit)) {
            all.push(constant_of(*fit));
        }
    }
    let mut say = |constant: &'static str, verdict| {
        decisions.push(Decision {
            constant,
            documented: value_of(&before, constant),
            verdict,
            figures: group.figures,
        });
    };
    let is_measured = group
        .figures
        .iter()
        .any(|name| measured.clocks(name).is_some());
    let open = if is_measured {
        why_open(group, measured)
    } else {
        Some("the report has no times of it")
    };
    if let Some(why) = open {
        all.into_iter()
            .for_each(|constant| say(constant, Verdict::Open(why)));
        return;
    }
    if worst(group.figures, measured, model, &before) <= 1.0 {
        all.into_iter()
            .for_each(|constant| say(constant, Verdict::Documented));
        return;
    }
    let mut best: Option<Tried> = None;
    for fits in group.hypotheses {
        let mut tried = before.clone();
        let verdicts: Vec<_> = fits
            .iter()
            .map(|fit| {
                let verdict = solve(*fit, group, measured, model, &mut tried);
                (constant_of(*fit), verdict)
            })
            .collect();
        let left = worst(group.figures, measured, model, &tried);
        if best.as_ref().is_none_or(|(least, ..)| left < *least) {
            best = Some((left, tried, verdicts));
        }
        if left <= 1.0 {
            break;
        }
    }
    let Some((_, found, verdicts)) = best else {
        return;
    };
    *constants = found;
    for constant in all {
        let verdict = verdicts.iter().find(|(name, _)| *name == constant);
        say(
            constant,
            verdict.map_or(Verdict::Documented, |(_, verdict)| *verdict),
        );
    }
}

/// Why the times of a group decide nothing.
fn why_open(group: &Group, measured: &Measured) -> Option<&'static str> {
    if group.figures != ["queue"] {
        return None;
    }
    // With more time to queue programs nothing may change, or it is the ARM that was timed.
    let (queue, later) = (measured.clocks("queue")?, measured.clocks("queue-later")?);
    let tolerance = measured
        .tolerance("queue")
        .hypot(measured.tolerance("queue-later"));
    ((queue / later).ln().abs() > tolerance)
        .then_some("the ARM did not queue programs fast enough to tell")
}
