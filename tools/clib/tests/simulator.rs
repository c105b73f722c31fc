//! `v3d_sim_run` from C and Python, and beside a second model.

mod common;

use std::process::Command;

use common::{NO_CC, NO_PYTHON, SHARED, example, folder, installed, must, python, scratch};
use tests::need;

const STORED: &str = "1128 1128\n13 instructions on QPU 11, 64 bytes stored\n";

#[test]
fn a_c_program_runs_on_memory_of_its_own() {
    let installed = need!(installed(), "{NO_CC}");
    let program = example(installed, "store");
    assert_eq!(must(&mut Command::new(program)), STORED);
}

#[test]
fn the_static_library_does_the_same() {
    let installed = need!(installed(), "{NO_CC}");
    let program = scratch("examples").join("store-static");
    let mut cc = common::cc(installed);
    cc.arg(folder().join("examples/store.c"));
    cc.arg(installed.join("lib/libqpuscope.a"));
    cc.args(["-lpthread", "-ldl", "-lm"])
        .arg("-o")
        .arg(&program);
    must(&mut cc);
    assert_eq!(must(&mut Command::new(program)), STORED);
}

#[test]
fn wrong_arguments_are_answered_by_name() {
    let installed = need!(installed(), "{NO_CC}");
    let printed = must(&mut Command::new(example(installed, "arguments")));
    let lines: Vec<&str> = printed.lines().collect();
    let expected = [
        "nothing wrong: 0 ",
        "no data: -1 regions[1].data is NULL",
        "no size: -2 regions[1].size is 0; from 0x00002000 on 1 to 1073733632 bytes fit",
        "too much: -2 regions[1].size is 18446744073709551615; from 0x00002000 on 1 to 1073733632 bytes fit",
        "beyond the end: -2 regions[1].size is 64; from 0x3ffffff0 on 1 to 16 bytes fit",
        "an odd region: -3 regions[1].bus_address 0x00002002 is no multiple of 4",
        "shared addresses: -4 regions[0] and regions[1] overlap",
        "shared bytes: -4 regions[0] and regions[1] overlap",
        "a flag: -5 regions[1].flags is 0x2, which has no meaning",
        "odd code: -3 programs[0].code 0x00001004 is no multiple of 8",
        "odd uniforms: -3 programs[0].uniforms 0x00000002 is no multiple of 4",
        "other options: -2 options.struct_size is 8; set it to sizeof, 32 here",
        "another result: -2 result.struct_size is 8; set it to sizeof, 520 here",
        "a board: -5 options.board is 9; 0 to 4 are known",
        "an option: -5 options.flags is 0x40; 0 to 7 have a meaning",
        "a clock: -5 options.clock_hz is 1; give 50000000 to 1000000000, or 0 for the board's own",
        "no regions: -1 regions is NULL",
        "odd list: -3 regions is not aligned: ",
        "too many: -2",
        "no message: -1",
        "nothing to do: 0",
        "no code: 1 qpu 11 pc 0x5000 'fault: QPU '",
        "sizes: 24 8 32 520",
    ];
    for (line, expected) in lines.iter().zip(expected) {
        assert_eq!(line.trim_end(), expected.trim_end(), "{printed}");
    }
    assert_eq!(lines.len(), expected.len(), "{printed}");
}

#[test]
fn python_runs_programs_through_ctypes() {
    let installed = need!(installed(), "{NO_CC}");
    let python = need!(python(), "{NO_PYTHON}");
    let mut python = Command::new(python);
    python.arg(folder().join("examples/v3d_sim.py"));
    python.arg(installed.join(format!("lib/libqpuscope.{SHARED}")));
    let printed = must(&mut python);
    let lines: Vec<&str> = printed.lines().collect();
    let [row, counts, error] = lines[..] else {
        panic!("{printed}");
    };
    assert_eq!(
        row,
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]"
    );
    assert_eq!(counts, "11 instructions, 64 bytes stored");
    assert!(
        error.starts_with("status 1: fault: ") && error.contains("DMA store at 0x40003000"),
        "{error}"
    );
}

/// The model in `tests/model` shares nothing with the simulator but its sources. Both must leave
/// the same of random programs that do everything that is defined: registers, flags, VPM, memory.
#[test]
fn a_second_model_agrees_on_random_programs() {
    let installed = need!(installed(), "{NO_CC}");
    let python = need!(python(), "{NO_PYTHON}");
    let mut python = Command::new(python);
    python
        .arg("-B")
        .arg(folder().join("tests/model/compare.py"));
    python.arg(installed.join(format!("lib/libqpuscope.{SHARED}")));
    let printed = must(python.args(["0", "24"]));
    assert_eq!(printed.trim(), "24 programs agree");
}
