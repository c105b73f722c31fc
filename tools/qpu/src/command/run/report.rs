//! The output of a job: one JSON object, whose format is stable (docs/formats.md).

use serde_json::{Map, Value, json};
use v3d_sim::{JobEnd, JobOptions, Outcome, Place, SOURCE_NAMES};

use common::constants;

/// The outcome of a job that ran with these options.
#[must_use]
pub fn report(outcome: &Outcome, options: &JobOptions) -> Value {
    let statistics = &outcome.statistics;
    let mut faults: Vec<Value> = outcome
        .faults
        .iter()
        .map(|fault| {
            entry(
                fault.place.as_ref(),
                fault.kind.id(),
                &fault.kind.to_string(),
                1,
            )
        })
        .collect();
    if let Some(deadlock) = &outcome.deadlock {
        faults.extend(
            deadlock.waiting.iter().map(|(place, wait)| {
                entry(Some(place), "deadlock", &format!("waits for {wait}"), 1)
            }),
        );
    }
    if outcome.end == JobEnd::CycleLimit {
        let text = format!("not ended after {} cycles", options.limit_cycles);
        faults.push(entry(None, "cycle-limit", &text, 1));
    }
    let warnings: Vec<Value> = outcome
        .warnings
        .iter()
        .map(|warning| {
            let text = match warning.detail.as_str() {
                "" => warning.rule.entry().sentence().to_owned(),
                detail => format!("{}: {detail}", warning.rule.entry().sentence()),
            };
            entry(
                warning.place.as_ref(),
                warning.rule.id(),
                &text,
                warning.count,
            )
        })
        .collect();
    let by_name: Map<String, Value> = SOURCE_NAMES
        .into_iter()
        .zip(statistics.counters)
        .map(|(name, count)| (name.to_owned(), json!(count)))
        .collect();
    let mut report = json!({
        "end": match outcome.end {
            JobEnd::Completed => "completed",
            JobEnd::Fault => "fault",
            JobEnd::Deadlock => "deadlock",
            JobEnd::CycleLimit => "cycle-limit",
            JobEnd::Interrupted => "interrupted",
        },
        "timed": outcome.timed,
        "cycles": outcome.cycles,
        "instructions": statistics.instructions,
        "stall": statistics.stall,
        "counters": statistics.counters,
        "counters_by_name": by_name,
        "tmu_requests": statistics.tmu_requests,
        "vdr": { "commands": statistics.vdr.commands, "bytes": statistics.vdr.bytes },
        "vdw": { "commands": statistics.vdw.commands, "bytes": statistics.vdw.bytes },
        "host_interrupts": statistics.host_interrupts,
        "faults": faults,
        "warnings": warnings,
    });
    if let Some(changed) = constants::changed(&options.constants) {
        report["constants"] = changed;
    }
    report
}

fn entry(place: Option<&Place>, rule: &str, text: &str, count: u64) -> Value {
    json!({
        "qpu": place.map(|place| place.qpu),
        "pc": place.map(|place| place.pc),
        "disassembly": place.map(|place| place.disassembly.clone()),
        "rule": rule,
        "message": text,
        "count": count,
    })
}
