//! A plan as a job file.

use qpu::job::CacheClear;
use serde_json::{Value, json};

use super::{JOB_MEMORY, Named};

/// The job, at the address of the memory that boards give to jobs.
pub fn text(named: &Named, input: &str, output: &str) -> String {
    let plan = &named.plan;
    let base = named.alias | JOB_MEMORY;
    let at = |offset: u32| format!("{:#010x}", base + offset);
    let mut memory = vec![json!({ "at": at(0), "zero": plan.bytes })];
    memory.extend(
        plan.placed(base)
            .iter()
            .map(|part| json!({ "at": at(part.offset), "words": part.words })),
    );
    memory.push(json!({ "at": at(plan.input.offset), "file": input, "bytes": plan.input.bytes }));
    let launches = plan.launches.iter().map(|launch| {
        let programs = launch.programs.iter();
        let programs = programs
            .map(|[code, uniforms]| json!({ "code": at(*code), "uniforms": at(*uniforms) }));
        let clear = match launch.clear {
            CacheClear::None => "none",
            CacheClear::Data => "data",
            CacheClear::All => "all",
        };
        json!({ "programs": programs.collect::<Value>(), "clear": clear })
    });
    let job = json!({
        "board": named.board.name(),
        "dump": [{ "at": at(plan.output.offset), "bytes": plan.output.bytes, "file": output }],
        "launches": launches.collect::<Value>(),
        "memory": memory,
    });
    format!("{job}\n")
}
