//! Networks with their words: of textbooks, of one's own passes, of the QPU plan.

use qpu_fft::Split;
use qpu_fft::kernels::catalogue::Pass;
use qpu_fft::kernels::layout::OnePass;
use qpu_fft::planner::tuning::{self, Chip};

use crate::network::{Network, Order};
use crate::plan::words;
use crate::scene::Heading;

/// A drawing's content.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The stages.
    pub network: Network,
    /// Title of the picture.
    pub title: String,
    /// Lines under the title.
    pub notes: Vec<String>,
    /// Headings of the stages.
    pub headings: Vec<Heading>,
    /// For the message.
    pub kind: String,
}

/// The passes that the planner takes for 2^`log2n` points; `None` for lengths without a plan.
#[must_use]
pub fn planned(log2n: u32) -> Option<Split> {
    tuning::split(Chip::Bcm2835, log2n, 1)
}

/// The QPU plan of 2^`log2n` points; `None` for lengths without a plan.
#[must_use]
pub fn plan(log2n: u32) -> Option<Flow> {
    of_split(&planned(log2n)?)
}

/// The passes of a split of a plan.
#[must_use]
pub fn of_split(split: &Split) -> Option<Flow> {
    let pass = Pass::of(split);
    match pass.as_ref().and_then(|pass| pass.layout().one_pass()) {
        Some(one) => steps(one, split),
        None => of_plan(split),
    }
}

/// Stages of textbooks: everything that a residue needs, in one place. `None` when the radices make
/// no transform.
#[must_use]
pub fn textbook(radices: &[u32], in_time: bool) -> Option<Flow> {
    let order = if in_time {
        Order::InTime
    } else {
        Order::Classic
    };
    let network = Network::new(radices.to_vec(), order)?;
    let points = network.points();
    let count = radices.len();
    let heading = |stage: usize| {
        let radix = radices[stage];
        [
            match radix {
                2 => format!("stage {}", stage + 1),
                radix => format!("stage {}, radix {radix}", stage + 1),
            },
            format!("{} apart", network.stride(stage)),
        ]
    };
    let headings = (0..count).map(heading).collect();
    let is_radix_2 = radices.iter().all(|radix| *radix == 2);
    let (radix, reversed) = if is_radix_2 {
        ("radix 2".to_owned(), "bit-reversed")
    } else {
        (
            format!("stages {}", words::product(radices)),
            "digit-reversed",
        )
    };
    let (decimation, ends) = if in_time {
        ("decimation in time", "Samples")
    } else {
        ("decimation in frequency", "Results")
    };
    let mut notes = vec![w(points)];
    if !is_radix_2 {
        notes.push(HUB.to_owned());
    }
    let crossing = match radices.contains(&2) {
        true => "A crossing is a sum (upper row) and a difference (lower row). ",
        false => "",
    };
    notes.push(format!("{crossing}{ends} lie in {reversed} order."));
    Some(Flow {
        title: format!("{points} points, {radix}, {decimation}"),
        kind: match (is_radix_2, in_time) {
            (true, false) => format!("{radix}, {count} stage{}", plural(count)),
            (true, true) => format!("{radix} in time, {count} stage{}", plural(count)),
            _ => format!("{radix} in time"),
        },
        headings,
        notes,
        network,
    })
}

const fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// Passes of one's own choice. `None` when the radices make no transform.
#[must_use]
pub fn chosen(radices: &[u32]) -> Option<Flow> {
    let count = radices.len();
    let title = format!("passes {}", words::product(radices));
    let kind = format!("{title}, {}", passes(count));
    let name = |pass, _| format!("pass {} of {count}", pass + 1);
    let note = "In place, results lie in digit-reversed order.";
    let notes = (count > 1).then(|| note.to_owned());
    of_passes(radices, name, notes, &title, kind)
}

/// The passes of a plan.
fn of_plan(split: &Split) -> Option<Flow> {
    let radices: Vec<u32> = split.radices().collect();
    let title = format!("QPU plan {split}");
    let kind = format!("{title}, {}", passes(radices.len()));
    let name = |pass, radix| format!("{} pass, radix {radix}", words::name(split.role(pass)));
    let note = "The last pass stores X[k] at place k: the output is in natural order.";
    let last = (radices.len() > 1).then(|| note.to_owned());
    let notes = words::marks(split).into_iter().map(sentence).chain(last);
    of_passes(&radices, name, notes, &title, kind)
}

/// The two steps of a shared pass.
fn steps(one: &dyn OnePass, split: &Split) -> Option<Flow> {
    let radices = one.radices();
    let (shared, count) = (words::SHARED, radices.len());
    let steps = words::product(&radices);
    let title = format!("QPU plan {split}: {steps} in one launch");
    let kind = format!("QPU plan {split}, {steps} in one launch");
    let name = |step, _| format!("{shared} pass, step {} of {count}", step + 1);
    let marks = words::marks(split);
    let notes = [words::steps(one)].into_iter().chain(marks).map(sentence);
    let notes = notes.chain(["X[k] is stored at place k.".to_owned()]);
    of_passes(&radices, name, notes, &title, kind)
}

/// Passes with a name for each, by its number and radix.
fn of_passes(
    radices: &[u32],
    name: impl Fn(usize, u32) -> String,
    notes: impl IntoIterator<Item = String>,
    title: &str,
    kind: String,
) -> Option<Flow> {
    let network = Network::new(radices.to_vec(), Order::NextStage)?;
    let points = network.points();
    let heading = |(pass, &radix): (usize, &u32)| {
        let size = format!("{} x {radix} points", points / radix);
        [name(pass, radix), size]
    };
    let notes = [w(points), HUB.to_owned()].into_iter().chain(notes);
    Some(Flow {
        title: format!("{points} points, {title}"),
        notes: notes.collect(),
        headings: radices.iter().enumerate().map(heading).collect(),
        kind,
        network,
    })
}

fn passes(count: usize) -> String {
    format!("{count} pass{}", if count == 1 { "" } else { "es" })
}

/// A line of `plan` as a sentence of a picture.
fn sentence(line: String) -> String {
    let mut letters = line.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

const HUB: &str =
    "A hub is a transform of as many points as it says, from its legs' rows to the same rows.";

fn w(points: u32) -> String {
    format!("W = exp(-2 pi i / {points}); an edge without a label is multiplied by 1.")
}
