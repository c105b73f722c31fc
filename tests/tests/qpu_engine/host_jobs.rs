//! Jobs of a host: its block, programs in it, and addresses that those may not name.

use crate::{forward, plans, runner};
use kernel::engine::host_job::HostJob;
use kernel::engine::literals::{MOST, Stray, Walk};
use kernel::engine::qpu::{LIMIT_US, MAX_LOG2, QpuEngine};
use kernel::engine::{EngineError, QpuHost};
use qpu::job::{Buffer, BusAddr};
use qpu_programs::code::HELLO;
use qpu_programs::hello::ADDED;
use qpu_programs::microbench;
use v3d_sim::SimRunner;
use wire::{JobBlock, JobClear, JobProgram, JobWords, RunJob};

/// The program of `hello.qasm` as a host would send it: code, then a line of uniforms, then a line
/// of output.
fn hello_of_a_host(block: JobBlock, number: u32) -> (Vec<u8>, RunJobAt) {
    let code_words = 2 * HELLO.len() as u32;
    let uniforms = (code_words + 16).next_multiple_of(16);
    let output = uniforms + 16;
    let mut words: Vec<u32> = HELLO
        .iter()
        .flat_map(|&word| [word as u32, (word >> 32) as u32])
        .collect();
    words.resize(output as usize + 16, 0);
    words[uniforms as usize] = number;
    words[uniforms as usize + 1] = block.address + 4 * output;
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let at = RunJobAt {
        program: JobProgram {
            code: block.address,
            uniforms: block.address + 4 * uniforms,
        },
        output,
    };
    (bytes, at)
}

struct RunJobAt {
    program: JobProgram,
    output: u32,
}

/// Runs one launch of one program.
fn run_of_a_host(
    engine: &mut impl QpuHost,
    number: u32,
    program: JobProgram,
) -> Result<u32, EngineError> {
    let mut launch = [0; 12];
    RunJob::put_launch(JobClear::All, RunJob::ALL_QPUS, &[program], &mut launch).unwrap();
    engine.host_job(HostJob::Run(
        RunJob::new(number, LIMIT_US, &launch).unwrap(),
    ))
}

#[test]
fn jobs_of_a_host_run_in_its_block_until_it_is_given_back() {
    let mut engine = QpuEngine::new(runner(1 << 24), |_| EngineError::Device, plans());
    let outside = Err(EngineError::OutsideBlock);
    let write = |engine: &mut QpuEngine<SimRunner>, first, bytes: &[u8]| {
        engine.host_job(HostJob::Write(JobWords::new(first, bytes)))
    };
    assert_eq!(write(&mut engine, 0, &[0; 4]), outside, "there is none");
    forward(&mut engine, 10).unwrap();

    let block = engine.host_block(8192).unwrap();
    assert_eq!(block.bytes, 8192);
    assert_eq!(block.launch_order[0], 11);
    let (words, at) = hello_of_a_host(block, 7);
    assert_eq!(write(&mut engine, 0, &words), Ok(0));
    let mut output = [0; 64];
    let mut read = |engine: &mut QpuEngine<SimRunner>| {
        let job = HostJob::Read {
            first: at.output,
            bytes: &mut output,
        };
        engine.host_job(job).unwrap();
        u32::from_le_bytes(*output.first_chunk().unwrap())
    };
    assert!(run_of_a_host(&mut engine, 1, at.program).is_ok());
    assert_eq!(read(&mut engine), 7 + ADDED);

    // The answer of run 1 was lost: it is not run again. Run 2 is another.
    assert_eq!(write(&mut engine, at.output, &[0; 64]), Ok(0));
    assert!(run_of_a_host(&mut engine, 1, at.program).is_ok());
    assert_eq!(read(&mut engine), 0);
    assert!(run_of_a_host(&mut engine, 2, at.program).is_ok());
    assert_eq!(read(&mut engine), 7 + ADDED);

    assert_eq!(write(&mut engine, 2047, &[0; 8]), outside);
    assert_eq!(write(&mut engine, u32::MAX, &[0; 4]), outside);
    let beside = [
        JobProgram {
            code: block.address + block.bytes,
            ..at.program
        },
        JobProgram {
            code: at.program.code + 4,
            ..at.program
        },
        JobProgram {
            uniforms: block.address - 4,
            ..at.program
        },
    ];
    for program in beside {
        assert_eq!(run_of_a_host(&mut engine, 3, program), outside);
    }

    // A transform fits beside it; a microbenchmark begins anew, as does a transform that does not
    // fit.
    forward(&mut engine, 10).unwrap();
    assert_eq!(write(&mut engine, 0, &[0; 4]), Ok(0));
    let _ = engine.measure(&microbench::LIST[0]);
    assert_eq!(write(&mut engine, 0, &[0; 4]), outside);
    assert_eq!(engine.host_block(0).map(|block| block.bytes), Ok(0));
    assert_eq!(write(&mut engine, 0, &[0; 4]), outside);
    assert!(engine.host_block(u32::MAX - 3).is_err());
    engine.host_block((1 << 24) - (1 << 16)).unwrap();
    assert_eq!(write(&mut engine, 0, &[0; 4]), Ok(0));
    forward(&mut engine, MAX_LOG2).unwrap();
    assert_eq!(write(&mut engine, 0, &[0; 4]), outside);
}

const BLOCK: Buffer = Buffer {
    addr: BusAddr(0x4100_0000),
    bytes: 0x1_0000,
};

/// The address of a program in the block.
const CODE: u32 = 0x4100_1000;

/// The address outside of the block that a program names, and how many instructions were looked at.
fn walk(source: &str) -> (Option<u32>, u32) {
    let assembled = qpu::asm::assemble(source, &qpu::asm::Options::default());
    let assembled = assembled.unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let mut walk = Walk::new(BLOCK, CODE);
    let mut looked_at = 0;
    for word in assembled.words.iter().copied().cycle() {
        if !walk.goes_on() {
            break;
        }
        looked_at += 1;
        if let Err(Stray {
            instruction,
            address,
        }) = walk.take(word)
        {
            assert_eq!(instruction + 1, looked_at);
            return (Some(address), looked_at);
        }
    }
    (None, looked_at)
}

const END: &str = "thrend\nnop\nnop\n";

#[test]
fn literals_of_a_host_that_lead_out_of_its_block_are_found() {
    for (line, stray) in [
        ("mov t0s, 0x20", Some(0x20)),
        ("mov t1s, 0x40008000", Some(0x4000_8000)),
        ("mov vr_addr, 0x40ffffff", Some(0x40ff_ffff)),
        ("mov vw_addr, 0x41010000", Some(0x4101_0000)),
        ("mov unif_addr, 0", Some(0)),
        ("mov t0s, 15", Some(15)),
        ("brr ra0, -0x2000; nop; nop; nop", Some(CODE + 32 - 0x2000)),
        ("bra -, 0x40008000; nop; nop; nop", Some(0x4000_8000)),
        // In the block, by any alias, and not addresses at all.
        ("mov t0s, 0x4100fffc", None),
        ("mov t0s, 0x81000000", None),
        ("mov vw_addr, 0x41000000", None),
        ("mov unif_addr_rel, 8", None),
        ("mov vw_setup, 0x20", None),
        ("mov ra1, 0x20", None),
        ("bra -, 0x41000000; nop; nop; nop", None),
        // Computed: not found before it runs.
        ("add t0s, r0, 4", None),
    ] {
        let source = format!("{}\n{END}", line.replace(';', "\n"));
        assert_eq!(walk(&source).0, stray, "{line}");
    }
}

#[test]
fn a_walk_ends_where_the_program_does() {
    let bad = "mov t0s, 0x20\n";
    assert_eq!(walk(&format!("{END}{bad}")), (None, 3));
    // Code behind the first end is reached by a branch.
    let jump = format!("brr.anyz -, :on\nnop\nnop\nnop\n{END}:on\n{bad}{END}");
    assert_eq!(walk(&jump), (Some(0x20), 8));
    let endless = ":l\nbrr -, :l\nnop\nnop\nnop\n";
    assert_eq!(walk(endless), (None, MOST));
}

#[test]
fn a_job_whose_code_names_another_address_is_not_run() {
    let mut engine = QpuEngine::new(runner(1 << 24), |_| EngineError::Device, plans());
    let block = engine.host_block(8192).unwrap();
    let source = format!("nop\nmov t0s, 0x20\n{END}");
    let code = qpu::asm::assemble(&source, &qpu::asm::Options::default()).unwrap();
    let bytes: Vec<u8> = code
        .words
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    // The last instructions of the block, so that the walk has to stop at its end.
    let place = block.bytes - bytes.len() as u32;
    let write = HostJob::Write(JobWords::new(place / 4, &bytes));
    assert_eq!(engine.host_job(write), Ok(0));
    let program = JobProgram {
        code: block.address + place,
        uniforms: block.address,
    };
    let stray = Stray {
        instruction: 1,
        address: 0x20,
    };
    let refused = run_of_a_host(&mut engine, 1, program);
    assert_eq!(refused, Err(EngineError::Stray(stray)));
}
