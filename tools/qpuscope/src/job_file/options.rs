//! How a job runs: board and clock, limit, order of the QPUs, strictness.

use v3d_sim::JobOptions;

use super::object::{Object, bad};
use crate::failure::Result;

/// Boards and the clock of their V3D in hertz (qpu.md section 0, "Default V3D clock").
const BOARDS: [(&str, u32); 5] = [
    ("pi1", 250_000_000),
    ("pi2", 250_000_000),
    ("zero", 300_000_000),
    ("pi3", 300_000_000),
    ("zero2", 300_000_000),
];

/// The options among the fields of `job`.
pub(super) fn options(job: &Object) -> Result<JobOptions> {
    job.flag("functional")?;
    let board = job.text("board")?.unwrap_or("pi1");
    let Some(&(_, board_hz)) = BOARDS.iter().find(|(name, _)| *name == board) else {
        let names = BOARDS.map(|(name, _)| name).join(", ");
        return Err(bad(
            "board",
            format!("\"{board}\" is unknown; give one of {names}"),
        ));
    };
    let clock_hz = job.number("clock_hz", u64::from(u32::MAX))?;
    if clock_hz == Some(0) {
        return Err(bad(
            "clock_hz",
            "must not be 0; leave it out for the board's clock",
        ));
    }
    let defaults = JobOptions::default();
    Ok(JobOptions {
        clock_hz: clock_hz.map_or(board_hz, |hz| hz as u32),
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
