//! Speed of the simulated core: ARM instructions a second of processor time, by kind of loop.
//!
//! `cargo run --release -p virtual-pi --example speed`. MMU and caches are on, all checks too, as
//! when kernel.img runs.

#[path = "../tests/guest/mod.rs"]
mod guest;

use std::time::Instant;

use guest::Guest;
use virtual_pi::{Config, Stop, VirtualPi};

/// Name, how the loop is prepared, and its body without the counting and the branch.
type Case = (&'static str, fn(&mut Guest), &'static [u32]);

const CASES: [Case; 6] = [
    (
        "integer",
        |guest| {
            guest.set(0, 0x92d6_8ca2);
        },
        &[
            0xe020_0680, // eor r0, r0, r0, lsl #13
            0xe020_08a0, // eor r0, r0, r0, lsr #17
            0xe020_0280, // eor r0, r0, r0, lsl #5
            0xe081_13a0, // add r1, r1, r0, lsr #7
            0xe311_0c01, // tst r1, #0x100
            0x1221_1f69, // eorne r1, r1, #0x1a4
        ],
    ),
    (
        "load and store",
        |guest| {
            guest.set(5, 0x0020_0000).set(6, 0x0030_0000);
        },
        &[
            0xe495_0004, // ldr r0, [r5], #4
            0xe080_0001, // add r0, r0, r1
            0xe486_0004, // str r0, [r6], #4
            0xe3c5_5a02, // bic r5, r5, #0x2000
            0xe3c6_6a02, // bic r6, r6, #0x2000
        ],
    ),
    (
        "bytes",
        |guest| {
            guest.set(5, 0x0020_0000);
        },
        &[
            0xe5d5_0000, // ldrb r0, [r5]
            0xe280_0003, // add r0, r0, #3
            0xe4c5_0001, // strb r0, [r5], #1
            0xe3c5_5a02, // bic r5, r5, #0x2000
        ],
    ),
    (
        "VFP single",
        |guest| {
            guest
                .set(5, 0x0020_0000)
                .vfp(0x0300_0000)
                .set(0, 0x3f9d_70a4);
            guest
                .word(0xee00_0a10) // fmsr s0, r0
                .set(0, 0x3f7f_fff0)
                .word(0xee00_0a90); // fmsr s1, r0
        },
        &[
            0xed95_1a00, // flds s2, [r5]
            0xee20_1a20, // fmuls s2, s0, s1
            0xee31_2a20, // fadds s4, s2, s1
            0xee00_2a20, // fmacs s4, s0, s1
            0xed85_2a01, // fsts s4, [r5, #4]
        ],
    ),
    (
        "block copy (8 words an instruction)",
        |guest| {
            guest.set(11, 0x0020_0000).set(12, 0x0030_0000);
        },
        &[
            0xe8bb_03fc, // ldmia r11!, {r2-r9}
            0xe8ac_03fc, // stmia r12!, {r2-r9}
            0xe3cb_ba02, // bic r11, r11, #0x2000
            0xe3cc_ca02, // bic r12, r12, #0x2000
        ],
    ),
    (
        "call and return",
        |guest| {
            guest.set(13, 0x0030_0000);
            let skip = guest.here() + 16;
            guest
                .branch(14, skip)
                .word(0xe92d_4010) // push {r4, lr}
                .word(0xe280_0001) // add r0, r0, #1
                .word(0xe8bd_8010); // pop {r4, pc}
        },
        &[0xebff_ffff],
    ),
];

/// Seconds that a processor has worked for this program; where Linux does not say, seconds.
fn processor_seconds(started: Instant) -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    ns.map_or_else(|| started.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn main() {
    let started = Instant::now();
    for (name, prepare, body) in CASES {
        let mut code = Guest::with_mmu(|_| ());
        prepare(&mut code);
        let function = code.here() - 12;
        code.set(10, 0xffff_ffff);
        let top = code.here();
        for &word in body {
            if word == 0xebff_ffff {
                let offset = function.wrapping_sub(code.here() + 8) >> 2 & 0x00ff_ffff;
                code.word(0xeb00_0000 | offset); // bl function
            } else {
                code.word(word);
            }
        }
        code.word(0xe25a_a001); // subs r10, r10, #1
        code.branch(1, top);
        let mut pi =
            VirtualPi::new(Config::default(), &code.image()).expect("a good configuration");
        let stop = pi.run_until_ns(50_000_000);
        assert_eq!(stop, Stop::Deadline, "{name}");
        let (before, begun) = (pi.clocks(), processor_seconds(started));
        pi.run_until_ns(1_050_000_000);
        // Two clocks an instruction; these loops have nothing slower.
        let instructions = (pi.clocks() - before) / 2;
        let seconds = processor_seconds(started) - begun;
        println!(
            "{name:36} {:6.1} million instructions a second",
            instructions as f64 / seconds / 1e6
        );
    }
}
