//! The flow graph that the options ask for: of the QPU plan, of one's own passes, of textbooks.

use flowgraph::flow::{self, Flow};

use super::Options;
use crate::command::digits::{self, list};
use crate::failure::{Failure, Result};

/// The stages that the options ask for.
///
/// # Errors
/// Usage, when there is no such transform.
pub(super) fn flow(options: &Options) -> Result<Flow> {
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
