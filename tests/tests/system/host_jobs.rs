//! Programs of a host on a board: who lets them run, and what becomes of those that go astray.

use crate::failures::{allowing, assert_sentence, assert_works, boot};
use tests::{NO_KERNEL, need};
use virtual_pi::Config;
use wire::{Engine, Kind, Message, NakCode};

const END: &str = "thrend\nnop\nnop\n";

/// A program, as the bytes of its instructions.
fn program(source: &str) -> Vec<u8> {
    let options = qpu::asm::Options::default();
    let assembled = qpu::asm::assemble(&format!("{source}\n{END}"), &options);
    let assembled = assembled.unwrap_or_else(|errors| panic!("{source}: {errors}"));
    let words = assembled.words.iter();
    words.flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn programs_of_a_host_need_leave_from_the_card() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, Config::default());
    host.quiet();
    let (code, sentence) = host.run_program(&program("nop"), 1_000).unwrap_err();
    assert_eq!(code, NakCode::NOT_ALLOWED);
    assert!(sentence.contains("allow=run in cmdline.txt"), "{sentence}");
    let (_, sentence) = host.refused(&Message::Set("allow=run"));
    assert!(sentence.contains("cmdline.txt"), "{sentence}");
    assert_works(&mut host, Engine::Qpu);
}

#[test]
fn a_program_that_names_memory_of_others_is_not_run() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, allowing());
    host.quiet();
    assert!(host.run_program(&program("nop"), 1_000).is_ok());
    for line in ["mov t0s, 0x20", "mov vw_addr, 0x40008000"] {
        let code = program(line);
        let (refusal, sentence) = host.run_program(&code, 1_000).unwrap_err();
        assert_eq!(refusal, NakCode::BAD_VALUE, "{line}");
        assert_sentence(&sentence);
        assert!(sentence.contains("instruction 0"), "{sentence}");
    }
    assert_works(&mut host, Engine::Qpu);
}

/// The address is computed, so that it is not seen before: a QPU of this board finds no memory
/// there.
#[test]
fn a_bad_access_ends_the_job_and_not_the_board() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, allowing());
    host.quiet();
    let code = program("mov r0, 0x20\nnop\nmov t0s, r0\nldtmu0");
    host.line.expect_message("0x00000020");
    for _ in 0..2 {
        let (refusal, sentence) = host.run_program(&code, 20_000).unwrap_err();
        assert_eq!(refusal, NakCode::QPU_FAILED);
        assert_sentence(&sentence);
    }
    let notes = host.line.messages.join("\n");
    assert!(
        notes.contains("QPU 11") && notes.contains("0x00000020"),
        "{notes}"
    );
    assert_works(&mut host, Engine::Qpu);
    assert_eq!(host.line.resets, 0);
}

/// A program that stores into the constants of the firmware, whose address it computes.
#[test]
fn a_job_that_changes_the_firmware_restarts_the_board() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut host = boot(&image, allowing());
    host.quiet();
    // Far behind the code, which comes first.
    let target = 0x4000_8000_u32 + (image.len() as u32 / 4 * 3).next_multiple_of(64);
    let code = program(&format!(
        "mov vw_setup, vpm_setup(1, 1, h32(0))\nmov vpm, -1\nmov vw_setup, vdw_setup_0(1, 16, dma_h32(0, 0))\n\
         mov r0, {target:#x}\nnop\nmov vw_addr, r0\nmov -, vw_wait"
    ));
    let request = host.send_program(&code, 20_000);
    assert!(request.is_ok());
    let fault = host.until("fault", 5_000, |event| match event {
        crate::host::Event::Frame(reply) if reply.header.kind == Kind::FAULT => Some(reply.clone()),
        _ => None,
    });
    let Message::Fault(fault) = fault.message() else {
        panic!("{fault:?}");
    };
    assert_eq!(fault.code, wire::Fault::MEMORY_CHANGED);
    host.text.clear();
    let banner = host.line_with("reset cause: ", 5_000);
    assert!(banner.contains("job of the host"), "{banner}");
    assert_eq!(host.line.resets, 1);
    host.quiet();
    assert_works(&mut host, Engine::Qpu);
}
