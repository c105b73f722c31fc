//! Every fuzz target with 10,000 inputs from a fixed seed.
#![forbid(unsafe_code)]

#[path = "../fuzz/targets.rs"]
mod targets;

const INPUTS: u64 = 10_000;

fn drive(name: &str) {
    let target = targets::ALL.iter().find(|(known, _)| *known == name);
    let target = target.expect("the target is listed");
    // Shown by libtest when the target panics.
    targets::drive(target, INPUTS, |number, _| {
        if number % 1000 == 0 {
            println!("{name}: past input {number}");
        }
    });
}

#[test]
fn wire_decoder() {
    drive("wire-decoder");
}

#[test]
fn wire_payloads() {
    drive("wire-payloads");
}

#[test]
fn qpu_words() {
    drive("qpu-words");
}

#[test]
fn assembler() {
    drive("assembler");
}

#[test]
fn qpu_programs() {
    drive("qpu-programs");
}

#[test]
fn qpu_instructions() {
    drive("qpu-instructions");
}

#[test]
fn qpu_textures() {
    drive("qpu-textures");
}

#[test]
fn job_files() {
    drive("job-files");
}

#[test]
fn recordings() {
    drive("recordings");
}

#[test]
fn settings() {
    drive("settings");
}

#[test]
fn control_blocks() {
    drive("control-blocks");
}
