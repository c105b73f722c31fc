//! How a job runs: board and clock, limit, order of the QPUs, strictness.

use v3d_sim::{Board, JobOptions};

use super::object::{Object, bad};
use crate::failure::Result;

/// The options among the fields of `job`.
pub(super) fn options(job: &Object) -> Result<JobOptions> {
    let defaults = JobOptions::default();
    let board = match job.text("board")? {
        None => defaults.board,
        Some(name) => Board::from_name(name).ok_or_else(|| {
            let names = Board::ALL.map(Board::name).join(", ");
            bad(
                "board",
                format!("\"{name}\" is unknown; give one of {names}"),
            )
        })?,
    };
    let clock_hz = job.number("clock_hz", u64::from(u32::MAX))?;
    if clock_hz == Some(0) {
        return Err(bad(
            "clock_hz",
            "must not be 0; leave it out for the board's clock",
        ));
    }
    Ok(JobOptions {
        board,
        clock_hz: clock_hz.map_or(board.clock_hz(), |hz| hz as u32),
        functional: match job.get("functional") {
            None => defaults.functional,
            Some(_) => job.flag("functional")?,
        },
        limit_cycles: job
            .number("limit_cycles", u64::MAX)?
            .unwrap_or(defaults.limit_cycles),
        order_seed: job.number("seed", u64::MAX)?,
        strict: job.flag("strict")?,
    })
}

#[cfg(test)]
mod tests {
    use crate::job_file::tests::each_is_refused;

    #[test]
    fn an_option_that_is_wrong_names_its_field() {
        each_is_refused(&[
            (
                r#"{"memory": [], "programs": [], "board": "pi4"}"#,
                "board: \"pi4\" is unknown",
            ),
            (
                r#"{"memory": [], "programs": [], "clock_hz": 0}"#,
                "clock_hz",
            ),
        ]);
    }
}
