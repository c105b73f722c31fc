//! `qpu flowgraph`: the data flow of a transform, with the exponents of its twiddles, as a
//! picture.
//!
//! Every row is a point. From left to right it passes the stages: butterflies, and behind them
//! twiddles W^e with W = exp(-2 pi i / N); an edge without a label is multiplied by 1. A stage of
//! the QPU plan is a pass over memory, drawn as a hub for each of its transforms; a shared pass is
//! drawn as the two steps of its launch. Names and marks are those that `qpu plan` prints. A
//! stage of the classic flow has radix 2 and is drawn crosswise (the lower output is the
//! difference). With `--dit` the flow decimates in time: samples are in digit-reversed order, and
//! twiddles stand in front of the butterflies that need them.
//!
//! Up to 64 points all rows are drawn. Beyond, a picture is folded: it keeps the first, second and
//! last butterflies of each stage with their first and last legs, under the labels of the whole
//! transform, and says how many rows are left out. `--full` draws up to 4096 rows all the same, to
//! be zoomed.

mod pdf;

use std::path::{Path, PathBuf};

use flowgraph::flow::{self, Flow};
use flowgraph::{rows, scene, svg};

use crate::command::digits::{self, list};
use common::failure::{Failure, Result};
use common::files::output;
use common::quantity::whole;
use common::say;

/// Most rows of a picture.
const MAX_FULL: u32 = 4096;
/// Most points of a folded picture.
const MAX_POINTS: u32 = 1 << dsp::MAX_LOG2;

/// Options of `flowgraph`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    qpu flowgraph 16 --classic -o classic.svg    the textbook's picture\n  \
    qpu flowgraph 16 --dit -o dit.svg            the same in time instead of frequency\n  \
    qpu flowgraph 4096 -o plan.pdf               the passes of the QPU plan\n  \
    qpu flowgraph 512 --passes 8,8,8 -o cpu.svg  stages of one's own choice")]
pub struct Options {
    /// Points of the transform
    #[arg(value_name = "N", value_parser = whole::<u32>)]
    points: u32,
    /// Radices of the passes, first pass first (default: those of the QPU plan)
    #[arg(long, value_name = "R1,R2,..", conflicts_with = "classic")]
    passes: Option<String>,
    /// The classic flow: radix 2, decimation in frequency
    #[arg(long)]
    classic: bool,
    /// Decimation in time: of radix 2, or of the stages of --passes
    #[arg(long)]
    dit: bool,
    /// Draw every row, up to 4096 points (default: up to 64)
    #[arg(long)]
    full: bool,
    /// Where the picture goes; its name ends in .svg or .pdf
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
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

/// The stages that the options ask for: of the QPU plan, of one's own passes, of textbooks.
///
/// # Errors
/// Usage, when there is no such transform.
fn flow(options: &Options) -> Result<Flow> {
    let points = options.points;
    if let Some(text) = &options.passes {
        let radices = digits::radices(points, text)?;
        let flow = match options.dit {
            true => flow::textbook(&radices, true),
            false => flow::chosen(&radices),
        };
        return flow.ok_or_else(|| no_transform(&radices));
    }
    if !points.is_power_of_two() {
        return Err(Failure::usage(format!(
            "{points} is not a power of two; use {} or {}, or give the radices with --passes",
            1u32 << points.ilog2(),
            2u32 << points.ilog2()
        )));
    }
    if options.classic || options.dit {
        let stages = vec![2; points.ilog2() as usize];
        let flow = flow::textbook(&stages, options.dit);
        return flow.ok_or_else(|| no_transform(&stages));
    }
    flow::plan(points.ilog2()).ok_or_else(|| {
        Failure::usage(format!(
            "the QPU plan has 16 points or more, not {points}; use --classic, or give the radices with --passes"
        ))
    })
}

fn no_transform(radices: &[u32]) -> Failure {
    Failure::usage(format!(
        "the radices {} make no transform; give numbers from 2 up",
        list(radices)
    ))
}

#[cfg(test)]
mod tests {
    use qpu_fft::kernels::catalogue::Pass;

    use super::*;

    fn options(points: u32) -> Options {
        Options {
            points,
            passes: None,
            classic: false,
            dit: false,
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
            let shared = Pass::of(&flowgraph::flow::planned(log2n).unwrap()).is_some();
            let part = if shared {
                "shared pass, step 1 of 2"
            } else {
                "first pass, radix"
            };
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
