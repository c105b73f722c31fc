//! `qpuscope flowgraph`: the data flow of a transform, with the exponents of its twiddles, as a
//! picture.
//!
//! Every row is a point. From left to right it passes the stages: butterflies, and behind them
//! twiddles W^e with W = exp(-2 pi i / N); an edge without a label is multiplied by 1. Of the QPU
//! plan a stage is a pass over memory, drawn as a hub for each of its transforms; where QPUs share
//! a transform in one launch, it is one of the two steps that they take. Of the classic flow it is
//! one of radix 2, drawn crosswise (the lower output is the difference).
//!
//! Up to 64 points all rows are drawn. Beyond, a picture is folded: it keeps the first, second and
//! last butterflies of each stage with their first and last legs, under the labels of the whole
//! transform, and says how many rows are left out. `--full` draws up to 4096 rows all the same, to
//! be zoomed.

use std::path::{Path, PathBuf};

use qpu::fft::kernels::catalogue::Pass;
use qpu::fft::kernels::layout::OnePass;
use qpu::fft::planner::tuning;
use qpu::fft::planner::tuning::Chip;
use qpu::fft::{Role, Split};

use super::digits::{self, list};
use crate::failure::{Failure, Result};
use crate::files::output;
use crate::flowgraph::network::{Network, Order};
use crate::flowgraph::scene::Heading;
use crate::flowgraph::{pdf, rows, scene, svg};
use crate::say;

/// Most rows of a picture.
const MAX_FULL: u32 = 4096;
/// Most points of a folded picture.
const MAX_POINTS: u32 = 1 << dsp::MAX_LOG2;

/// Options of `flowgraph`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    qpuscope flowgraph 16 --classic -o classic.svg    the textbook's picture\n  \
    qpuscope flowgraph 4096 -o plan.pdf               the passes of the QPU plan\n  \
    qpuscope flowgraph 512 --passes 8,8,8 -o cpu.svg  stages of one's own choice")]
pub struct Options {
    /// Points of the transform
    #[arg(value_name = "N")]
    points: u32,
    /// Radices of the passes, first pass first (default: those of the QPU plan)
    #[arg(long, value_name = "R1,R2,..", conflicts_with = "classic")]
    passes: Option<String>,
    /// The classic flow: radix 2, decimation in frequency
    #[arg(long)]
    classic: bool,
    /// Draw every row, up to 4096 points (default: up to 64)
    #[arg(long)]
    full: bool,
    /// Where the picture goes; its name ends in .svg or .pdf
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// The drawing.
struct Flow {
    network: Network,
    title: String,
    notes: Vec<String>,
    headings: Vec<Heading>,
    /// For the message.
    kind: String,
}

/// Draws the graph.
///
/// # Errors
/// Usage, when there is no such transform or no such format; failed, when the file cannot be
/// written.
pub fn run(options: &Options) -> Result<()> {
    let format = format(&options.out)?;
    let points = options.points;
    if !(2..=MAX_POINTS).contains(&points) {
        return Err(Failure::usage(format!(
            "a flow graph has 2 to {MAX_POINTS} points, not {points}; choose another N"
        )));
    }
    if options.full && points > MAX_FULL {
        return Err(Failure::usage(format!(
            "--full draws up to {MAX_FULL} points, not {points}; leave it out for a folded picture"
        )));
    }
    let flow = flow(options)?;
    let all = points <= rows::FULL_POINTS || options.full;
    let rows = if all {
        rows::full(&flow.network)
    } else {
        rows::folded(&flow.network)
    };
    let mut notes = flow.notes;
    if rows.len() < points as usize {
        notes.push(
            "Folded: each stage keeps its first, second and last butterflies; a dashed edge passes one \
             that is not drawn, or stands for legs that are not."
                .to_owned(),
        );
    }
    let scene = scene::draw(&flow.network, &rows, &flow.title, &notes, &flow.headings);
    let file = match format {
        Format::Svg => svg::write(&scene).into_bytes(),
        Format::Pdf => pdf::write(&scene),
    };
    output::write(&options.out, &file)?;
    let drawn = if rows.len() < points as usize {
        let hint = if points <= MAX_FULL {
            ", --full draws all"
        } else {
            ""
        };
        format!("{} of {points} rows drawn{hint}", rows.len())
    } else {
        "every row drawn".to_owned()
    };
    say::note(&format!(
        "wrote {}: {points} points, {}; {drawn}\n",
        say::path(&options.out),
        flow.kind
    ));
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Svg,
    Pdf,
}

fn format(path: &Path) -> Result<Format> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("pdf") => Ok(Format::Pdf),
        _ => Err(Failure::usage(format!(
            "{} is neither .svg nor .pdf; name the picture so that it ends in one of them",
            say::path(path)
        ))),
    }
}

fn flow(options: &Options) -> Result<Flow> {
    let points = options.points;
    if let Some(text) = &options.passes {
        let radices = digits::radices(points, text)?;
        let split = split(&radices);
        return passes(points, &radices, split.as_ref(), "passes");
    }
    if !points.is_power_of_two() {
        return Err(Failure::usage(format!(
            "{points} is not a power of two; use {} or {}, or give the radices with --passes",
            1u32 << points.ilog2(),
            2u32 << points.ilog2()
        )));
    }
    if options.classic {
        return classic(points);
    }
    let split = planned(points.ilog2()).ok_or_else(|| {
        Failure::usage(format!(
            "the QPU plan has 16 points or more, not {points}; use --classic, or give the radices with --passes"
        ))
    })?;
    let pass = Pass::of(&split);
    if let Some(one) = pass.as_ref().and_then(|pass| pass.layout().one_pass()) {
        return steps(one);
    }
    let radices: Vec<u32> = split.radices().collect();
    passes(points, &radices, Some(&split), "QPU plan")
}

/// The passes that the planner takes for 2^`log2n` points.
fn planned(log2n: u32) -> Option<Split> {
    tuning::split(Chip::Bcm2835, log2n, 1)
}

fn split(radices: &[u32]) -> Option<Split> {
    let log2 = |radix: &u32| radix.is_power_of_two().then(|| radix.ilog2() as u8);
    let log2: Option<Vec<u8>> = radices.iter().map(log2).collect();
    Split::new(&log2?)
}

fn network(radices: &[u32], order: Order) -> Result<Network> {
    Network::new(radices.to_vec(), order).ok_or_else(|| {
        Failure::usage(format!(
            "the radices {} make no transform; give numbers from 2 up",
            list(radices)
        ))
    })
}

fn classic(points: u32) -> Result<Flow> {
    let stages = points.ilog2() as usize;
    let network = network(&vec![2; stages], Order::Classic)?;
    let headings = (0..stages).map(|stage| {
        [
            format!("stage {}", stage + 1),
            format!("{} apart", network.stride(stage)),
        ]
    });
    Ok(Flow {
        headings: headings.collect(),
        title: format!("{points} points, radix 2, decimation in frequency"),
        notes: vec![
            w(points),
            "A crossing is a sum (upper row) and a difference (lower row). Results lie in bit-reversed order."
                .to_owned(),
        ],
        kind: format!("radix 2, {stages} stage{}", if stages == 1 { "" } else { "s" }),
        network,
    })
}

fn passes(points: u32, radices: &[u32], split: Option<&Split>, what: &str) -> Result<Flow> {
    let network = network(radices, Order::NextStage)?;
    let count = radices.len();
    let heading = |(pass, radix): (usize, &u32)| {
        let role = split.map(|split| match split.role(pass) {
            Role::Single => format!(" (Single{radix})"),
            Role::First => format!(" (First{radix})"),
            Role::Middle => format!(" (Middle{radix})"),
            Role::Last => format!(" (Last{radix})"),
        });
        [
            format!("pass {} of {count}{}", pass + 1, role.unwrap_or_default()),
            format!("{} x {radix} points", points / radix),
        ]
    };
    let radices_text = product(radices);
    let mut notes = vec![w(points), HUB.to_owned()];
    if count > 1 {
        notes.push(
            match split {
                Some(_) => "The last pass stores X[k] at place k: the output is in natural order.",
                None => "In place, results lie in digit-reversed order.",
            }
            .to_owned(),
        );
    }
    Ok(Flow {
        headings: radices.iter().enumerate().map(heading).collect(),
        title: format!("{points} points, {what} {radices_text}"),
        notes,
        kind: format!(
            "{what} {radices_text}, {count} pass{}",
            if count == 1 { "" } else { "es" }
        ),
        network,
    })
}

/// The two transforms of one launch.
fn steps(one: &dyn OnePass) -> Result<Flow> {
    let points = 1 << one.log2_points();
    let radices = one.radices();
    let radices_text = product(&radices);
    let headings = radices.iter().zip(1..).map(|(radix, step)| {
        [
            format!("step {step} of {}", radices.len()),
            format!("{} x {radix} points", points / radix),
        ]
    });
    Ok(Flow {
        headings: headings.collect(),
        title: format!("{points} points, QPU plan {radices_text} in one launch"),
        notes: vec![
            w(points),
            HUB.to_owned(),
            "QPUs pass through the VPM what one step gives the next; X[k] is stored at place k."
                .to_owned(),
        ],
        kind: format!("QPU plan {radices_text}, one launch"),
        network: network(&radices, Order::NextStage)?,
    })
}

const HUB: &str =
    "A hub is a transform of as many points as it says, from its legs' rows to the same rows.";

fn product(radices: &[u32]) -> String {
    let radices: Vec<_> = radices.iter().map(u32::to_string).collect();
    radices.join(" x ")
}

fn w(points: u32) -> String {
    format!("W = exp(-2 pi i / {points}); an edge without a label is multiplied by 1.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(points: u32) -> Options {
        Options {
            points,
            passes: None,
            classic: false,
            full: false,
            out: "flow.svg".into(),
        }
    }

    #[test]
    fn formats_are_those_of_the_name() {
        assert_eq!(format(Path::new("a.svg")), Ok(Format::Svg));
        assert_eq!(format(Path::new("a.b.PDF")), Ok(Format::Pdf));
        for name in ["a.png", "svg", ""] {
            assert!(
                format(Path::new(name))
                    .unwrap_err()
                    .message
                    .contains(".svg nor .pdf")
            );
        }
    }

    #[test]
    fn every_length_of_the_plan_is_drawn_with_its_passes() {
        for log2n in 4..=22 {
            let flow = flow(&options(1 << log2n)).unwrap();
            assert_eq!(flow.network.points(), 1 << log2n);
            let all = rows::folded(&flow.network);
            let scene = scene::draw(
                &flow.network,
                &all,
                &flow.title,
                &flow.notes,
                &flow.headings,
            );
            assert!(scene.height < 3000.0, "2^{log2n}: {}", scene.height);
            let shared = Pass::of(&planned(log2n).unwrap()).is_some();
            let part = if shared { "step 1 of 2" } else { "pass 1 of" };
            assert!(svg::write(&scene).contains(part), "2^{log2n}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_said() {
        let message = |options: &Options| flow(options).map(|_| ()).unwrap_err().message;
        assert!(message(&options(8)).contains("use --classic"));
        assert!(message(&options(100)).contains("use 64 or 128"));
        let with = |text: &str| Options {
            passes: Some(text.to_owned()),
            ..options(64)
        };
        assert!(message(&with("8,4")).contains("multiply to 32, not to 64"));
        assert!(message(&with("1,64")).contains("names no radix"));
        assert_eq!(flow(&with("4,4,4")).unwrap().headings.len(), 3);
        assert_eq!(flow(&with("16,4")).unwrap().network.radices(), [16, 4]);
    }
}
