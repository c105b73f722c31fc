//! From checked arguments to a run and what it did.

use std::fmt::Write;

use qpu::job::{BusAddr, CacheClear};
use v3d_sim::{
    Board, JobEnd, JobLaunch, JobOptions, Memory, Outcome, Unobserved, run_job_observed,
};

use super::structures::{Options, Program, RunResult};
use crate::boundary::{Failure, choice, clock_of, status, wrong};

const FUNCTIONAL: u32 = 1;
const STRICT: u32 = 2;
const SEEDED: u32 = 4;

fn job_options(options: Option<&Options>) -> Result<JobOptions, Failure> {
    let timed = JobOptions {
        functional: false,
        ..JobOptions::default()
    };
    let Some(options) = options else {
        return Ok(timed);
    };
    let board = choice("board", options.board, &Board::ALL)?;
    if options.flags & !(FUNCTIONAL | STRICT | SEEDED) != 0 {
        let text = format!(
            "options.flags is {:#x}; 0 to 7 have a meaning",
            options.flags
        );
        return Err(wrong(text));
    }
    let seeded = options.flags & SEEDED != 0;
    Ok(JobOptions {
        board,
        clock_hz: clock_of(board, options.clock_hz)?,
        functional: options.flags & FUNCTIONAL != 0 || seeded,
        limit_cycles: match options.limit_cycles {
            0 => timed.limit_cycles,
            cycles => cycles,
        },
        order_seed: seeded.then_some(options.seed),
        strict: options.flags & STRICT != 0,
        ..timed
    })
}

fn launch(programs: &[Program]) -> Result<JobLaunch, Failure> {
    let mut list = vec![];
    for (index, program) in programs.iter().enumerate() {
        for (field, address, step) in [("code", program.code, 8), ("uniforms", program.uniforms, 4)]
        {
            if !address.is_multiple_of(step) {
                let text =
                    format!("programs[{index}].{field} {address:#010x} is no multiple of {step}");
                return Err(Failure::new(status::ERROR_ALIGNMENT, text));
            }
        }
        list.push(qpu::job::Program {
            code: BusAddr(program.code),
            uniforms: BusAddr(program.uniforms),
        });
    }
    Ok(JobLaunch {
        programs: list,
        clear: CacheClear::All,
    })
}

/// Runs the programs. What they did, and the message about it.
pub fn run(
    memory: &mut impl Memory,
    programs: &[Program],
    options: Option<&Options>,
) -> Result<(RunResult, String), Failure> {
    let options = job_options(options)?;
    let launch = launch(programs)?;
    let outcome = run_job_observed(memory, &[launch], &options, &mut Unobserved);
    Ok((
        result(&outcome, options.clock_hz),
        message(&outcome, &options),
    ))
}

fn result(outcome: &Outcome, clock_hz: u32) -> RunResult {
    let statistics = &outcome.statistics;
    let place = outcome
        .faults
        .first()
        .and_then(|fault| fault.place.as_ref());
    RunResult {
        struct_size: size_of::<RunResult>() as u32,
        status: match outcome.end {
            JobEnd::Completed => status::COMPLETED,
            JobEnd::Fault => status::FAULT,
            JobEnd::Deadlock => status::DEADLOCK,
            JobEnd::CycleLimit | JobEnd::Interrupted => status::CYCLE_LIMIT,
        },
        timed: u32::from(outcome.timed),
        clock_hz,
        cycles: outcome.cycles,
        instructions: statistics.instructions,
        stall_cycles: std::array::from_fn(|qpu| statistics.stall[qpu].values().sum()),
        counters: statistics.counters,
        tmu_requests: statistics.tmu_requests,
        vdr_commands: statistics.vdr.commands,
        vdr_bytes: statistics.vdr.bytes,
        vdw_commands: statistics.vdw.commands,
        vdw_bytes: statistics.vdw.bytes,
        host_interrupts: statistics.host_interrupts,
        warnings: outcome.warnings.len() as u32,
        fault_qpu: place.map_or(u32::MAX, |place| place.qpu.into()),
        fault_pc: place.map_or(u32::MAX, |place| place.pc),
        reserved: 0,
    }
}

fn message(outcome: &Outcome, options: &JobOptions) -> String {
    let mut text = String::new();
    for fault in &outcome.faults {
        let _ = writeln!(text, "fault: {fault}");
    }
    if let Some(deadlock) = &outcome.deadlock {
        let _ = writeln!(text, "{deadlock}");
    }
    if outcome.end == JobEnd::CycleLimit {
        let limit = options.limit_cycles;
        let _ = writeln!(text, "the programs had not ended after {limit} cycles");
        for place in &outcome.running {
            let _ = writeln!(text, "  {place} runs");
        }
    }
    for warning in &outcome.warnings {
        let _ = writeln!(text, "warning: {warning} [{} times]", warning.count);
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_a_job() {
        let zero = Options::default();
        let options = |options: Options| job_options(Some(&options)).map_err(|f| f.text);
        let plain = options(zero).expect("a Pi 1");
        assert_eq!((plain.board, plain.functional), (Board::Pi1, false));
        assert_eq!(plain.limit_cycles, 1_000_000_000);
        let all = Options {
            board: 3,
            flags: 7,
            seed: 5,
            limit_cycles: 9,
            ..zero
        };
        let all = options(all).expect("a Pi 3");
        assert_eq!((all.clock_hz, all.order_seed), (400_000_000, Some(5)));
        assert!(all.strict && all.functional && all.limit_cycles == 9);
        assert!(options(Options { board: 5, ..zero }).is_err());
        assert!(options(Options { flags: 8, ..zero }).is_err());
        let slow = options(Options {
            clock_hz: 1,
            ..zero
        });
        assert!(slow.is_err_and(|text| text.contains("options.clock_hz is 1; give 50000000 to")));
    }
}
