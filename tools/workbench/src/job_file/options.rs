//! Options of a job: board and clock, limit, order of the QPUs, strictness.

use serde_json::Value;
use v3d_sim::{Board, Conflicts, Constants, JobOptions, Rule};

use super::object::{Object, bad};
use crate::known_rule;
use common::constants::apply;
use common::failure::Result;
use common::text::quote;

/// The options among the fields of `job`.
pub(super) fn options(job: &Object) -> Result<JobOptions> {
    let defaults = JobOptions::default();
    let board = match job.text("board")? {
        None => defaults.board,
        Some(name) => Board::from_name(name).ok_or_else(|| {
            let names = Board::ALL.map(Board::name).join(", ");
            bad(
                "board",
                format!("\"{}\" is unknown; give one of {names}", quote(name)),
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
        allowed: allowed(job)?,
        conflicts: conflicts(job)?,
        constants: constants(job)?,
        ..defaults
    })
}

/// The rules under `allow`: a list of their names.
fn allowed(job: &Object) -> Result<Vec<Rule>> {
    let names = job.list("allow")?.unwrap_or_default();
    let rule = |(index, name): (usize, &Value)| {
        let field = format!("allow[{index}]");
        let name = name
            .as_str()
            .ok_or_else(|| bad(&field, "must be the name of a rule"))?;
        known_rule::simulated(name).map_err(|failure| bad(&field, failure))
    };
    names.iter().enumerate().map(rule).collect()
}

/// The choices under `conflicts`: an object with a choice for each name.
fn conflicts(job: &Object) -> Result<Conflicts> {
    let mut chosen = Conflicts::default();
    let Some(value) = job.get("conflicts") else {
        return Ok(chosen);
    };
    let names: Vec<&str> = Conflicts::ALL.iter().map(|(name, _)| *name).collect();
    let object = Object::new("conflicts", value, &names)?;
    for name in names {
        if let Some(choice) = object.text(name)? {
            chosen
                .choose(name, choice)
                .map_err(|error| bad(&object.field(name), error))?;
        }
    }
    Ok(chosen)
}

/// The values under `constants`: an object with a number for each name.
fn constants(job: &Object) -> Result<Constants> {
    let mut constants = Constants::recommended();
    let Some(value) = job.get("constants") else {
        return Ok(constants);
    };
    let values = value
        .as_object()
        .ok_or_else(|| bad("constants", "must be an object, as {\"sdram_line\": 8}"))?;
    for (name, value) in values {
        let field = format!("constants.{}", quote(name));
        let number = value
            .as_f64()
            .ok_or_else(|| bad(&field, "must be a number"))?;
        apply(&mut constants, name, number).map_err(|failure| bad(&field, failure))?;
    }
    Ok(constants)
}

#[cfg(test)]
mod tests {
    use v3d_sim::{Board, TmuDepth};

    use crate::job_file::tests::each_is_refused;
    use crate::job_file::tests::parse;

    #[test]
    fn a_board_brings_its_clock_and_conflicts_are_chosen_by_name() {
        let with = |rest: &str| {
            parse(&format!(r#"{{"memory": [], "programs": [], {rest}}}"#))
                .unwrap_or_else(|failure| panic!("{failure}"))
                .options
        };
        for board in Board::ALL {
            let options = with(&format!(r#""board": "{}""#, board.name()));
            assert_eq!((options.board, options.clock_hz), (board, board.clock_hz()));
        }
        assert_eq!(
            with(r#""board": "pi3", "clock_hz": "300000000""#).clock_hz,
            300_000_000
        );
        assert!(!with(r#""functional": false"#).functional);
        let constants = with(r#""constants": {"sdram_line": 8.5}"#).constants;
        let changed: Vec<_> = constants.changed().collect();
        assert_eq!(changed, [("sdram_line", 8.5)]);
        let chosen = with(r#""conflicts": {"tmu-depth": "four"}"#).conflicts;
        assert_eq!(chosen.tmu_depth, TmuDepth::Four);
    }

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
            (
                r#"{"memory": [], "programs": [], "functional": "no"}"#,
                "functional: must be true or false",
            ),
            (
                r#"{"memory": [], "programs": [], "conflicts": {"tmu": "four"}}"#,
                "conflicts.tmu: unknown key; known are vpm-read-setups,",
            ),
            (
                r#"{"memory": [], "programs": [], "conflicts": {"tmu-depth": "nine"}}"#,
                "conflicts.tmu-depth: tmu-depth cannot be \"nine\"; use one of eight, four",
            ),
            (
                r#"{"memory": [], "programs": [], "constants": 8}"#,
                "constants: must be an object",
            ),
            (
                r#"{"memory": [], "programs": [], "constants": {"sdram_line": "8"}}"#,
                "constants.sdram_line: must be a number",
            ),
            (
                r#"{"memory": [], "programs": [], "constants": {"sdram_lines": 8}}"#,
                "constants.sdram_lines: there is no constant `sdram_lines`; the nearest is sdram_line",
            ),
            (
                r#"{"memory": [], "programs": [], "constants": {"vdr_lines": 0}}"#,
                "constants.vdr_lines: vdr_lines cannot be 0: it is an integer of lines from 1 to",
            ),
        ]);
    }

    #[test]
    fn rules_are_allowed_by_names_that_a_run_has() {
        // The nearest names help, and so does it to know who reports a rule.
        each_is_refused(&[
            (
                r#"{"memory": [], "programs": [], "allow": [1]}"#,
                "allow[0]: must be the name of a rule",
            ),
            (
                r#"{"memory": [], "programs": [], "allow": ["regfile-read-after-rite"]}"#,
                "the nearest are regfile-read-after-write",
            ),
            (
                r#"{"memory": [], "programs": [], "allow": ["no-program-end"]}"#,
                "allow[0]: `no-program-end` is a rule of `qpu check`",
            ),
        ]);
    }
}
