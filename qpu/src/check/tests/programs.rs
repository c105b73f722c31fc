//! Programs that break a second rule, or that are no whole programs; what a finding says.

use super::*;
use crate::isa::{AddOp, BranchCond, Semaphore, SemaphoreAction, Signal, waddr};

#[test]
fn a_word_that_is_no_instruction() {
    let mut words = words(|b| b.end());
    words.insert(0, 0x1000_09e7_099e_7000);
    let findings = check(&words);
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].rule, findings[0].pc), (Rule::Undecodable, 0));
}

#[test]
fn no_tmu_write_in_the_first_two_instructions() {
    for early in 0..3 {
        let words = words(|b| {
            b.nops(early);
            b.mov(TMU1_S, R0);
            b.end();
        });
        let expected: &[Rule] = if early < 2 { &[Rule::TmuAtStart] } else { &[] };
        assert_eq!(broken(&words), expected, "TMU write at instruction {early}");
    }
}

#[test]
fn a_semaphore_instruction_writes_no_tmu() {
    let semaphore = |address| {
        let semaphore = Semaphore::new(SemaphoreAction::Increment, 3).unwrap();
        Instruction::Semaphore(Semaphore {
            write: to(address),
            ..semaphore
        })
    };
    let program = |address| {
        words(|b| {
            b.nops(2);
            b.instruction(semaphore(address));
            b.end();
        })
    };
    assert_eq!(
        broken(&program(waddr::TMU0_S)),
        [Rule::OnePeripheral, Rule::SemaphoreWrite]
    );
    assert_eq!(broken(&program(waddr::VPM_WRITE)), [Rule::SemaphoreWrite]);
    assert_eq!(broken(&program(waddr::ACC0)), []);
}

#[test]
fn every_way_ends() {
    assert_eq!(broken(&[]), [Rule::NoProgramEnd]);
    assert_eq!(broken(&words(|b| b.nops(4))), [Rule::NoProgramEnd]);
    let cut = |slots| {
        words(|b| {
            b.nop().thrend();
            b.nops(slots);
        })
    };
    assert_eq!(broken(&cut(1)), [Rule::NoProgramEnd]);
    assert_eq!(broken(&cut(2)), []);
    let ends_in_branch = |condition, slots| {
        words(|b| {
            let start = b.here("start");
            b.nops(3);
            b.brr(condition, start);
            b.nops(slots);
        })
    };
    assert_eq!(broken(&ends_in_branch(BranchCond::Always, 3)), []);
    assert_eq!(
        broken(&ends_in_branch(BranchCond::Always, 2)),
        [Rule::NoProgramEnd]
    );
    assert_eq!(
        broken(&ends_in_branch(BranchCond::AnyZS, 3)),
        [Rule::NoProgramEnd]
    );
}

#[test]
fn no_z_write_in_the_last_instruction() {
    let words = words(|b| {
        b.nop().thrend();
        b.nop();
        odd(b, |alu| {
            alu.op_add = crate::isa::AddOp::Or;
            alu.write = to(waddr::TLB_Z);
        });
    });
    assert_eq!(broken(&words), [Rule::FragmentOnly, Rule::EndTlbZ]);
}

#[test]
fn a_finding_says_what_and_where_and_how_to_fix_it() {
    let words = words(|b| {
        b.mov(ra(3), R0);
        b.mov(R1, ra(3));
        b.end();
    });
    assert_eq!(
        check(&words)[0].to_string(),
        "0x0008: regfile-read-after-write: ra3 was written in the instruction before and cannot be read yet; \
         to fix it, put an instruction between, or keep the value in r0..r3"
    );
}

#[test]
fn data_among_code_is_not_looked_at() {
    let mut words = words(|b| {
        b.end();
    });
    words.extend([0x1000_09e7_099e_7000, 0, u64::MAX]);
    assert_eq!(check(&words), []);
}

#[test]
fn programs_of_random_words_are_walked_in_bounded_time() {
    let mut state = 1_u64;
    for _ in 0..200 {
        let words: Vec<u64> = (0..200)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let word = state ^ state >> 29;
                // Short branches, some through registers, one word in four.
                if word & 3 == 0 {
                    word & 0x0fff_ffff_0000_03f8 | 0xf << 60 | 1 << 51
                } else {
                    word
                }
            })
            .collect();
        for finding in check(&words) {
            assert!(!finding.to_string().is_empty());
        }
    }
}

/// The colour of a uniform; PeterLemon's and kumaashi's shaders, which ran on boards, end like it.
#[test]
fn a_fragment_shader_is_known_by_the_scoreboard() {
    let shader = |signal: Signal| {
        words(|b| {
            b.nop().signal(signal);
            b.mov(R0, UNIF);
            odd(b, |alu| {
                // Of no pixel but those that are wanted.
                alu.write = WriteBack {
                    cond_add: Cond::ZS,
                    ..to(waddr::TLB_COLOUR_ALL)
                };
                alu.op_add = AddOp::Or;
            });
            b.end();
        })
    };
    for (signal, is_shader) in [
        (Signal::WaitScoreboard, true),
        (Signal::UnlockScoreboard, true),
        (Signal::None, false),
        (Signal::LoadColour, false),
    ] {
        let words = shader(signal);
        let findings = check(&words);
        assert!(
            findings
                .iter()
                .all(|finding| finding.rule == Rule::FragmentOnly)
        );
        assert_eq!(
            is_fragment_shader(&words, &findings),
            is_shader,
            "{signal:?}"
        );
    }
    // What no way reaches is no code.
    let mut beyond = shader(Signal::None);
    beyond.extend(shader(Signal::UnlockScoreboard));
    assert!(!is_fragment_shader(&beyond, &check(&beyond)));
}

/// Sources may begin with tables. vc4dis writes instructions as data that it cannot name.
#[test]
fn a_program_begins_behind_its_tables() {
    let code = words(|b| {
        b.nops(2);
        b.mov(TMU0_S, R0);
        b.nop().ldtmu0();
        b.end();
    });
    // Read as instructions: a load from no lookup, and an opcode that is none.
    let table = [0xa000_09e7_009e_7000, 0x1000_09e7_099e_7000];
    let both = [&table[..], &code].concat();
    let count = table.len();
    assert_eq!(find(&both, |index| index < count, &[], false), []);
    assert_ne!(check(&both), []);
    let early = [&table[..], &code[1..]].concat();
    let found = find(&early, |index| index < count, &[], false);
    let rules: Vec<Rule> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, [Rule::TmuAtStart]);
    // A way that leads to data makes it code.
    let led = [&words(|b| b.nops(1))[..], &table].concat();
    let found = find(&led, |index| index > 0, &[], false);
    let rules: Vec<Rule> = found.iter().map(|finding| finding.rule).collect();
    assert_eq!(rules, [Rule::TmuNothingToLoad, Rule::Undecodable]);
}

/// Several programs in one source, as Kenta Ishii's for V3D: the caller knows their labels.
#[test]
fn programs_that_are_exported_are_checked_too() {
    let good = words(|b| b.end());
    let bad = words(|b| {
        b.mov(ra(1), R0);
        b.mov(R0, ra(1));
        b.nop().ldtmu0();
        b.end();
    });
    let both = [&good[..], &bad].concat();
    let rules = |entries: &[usize]| -> Vec<Rule> {
        let found = find(&both, |_| false, entries, false);
        found.iter().map(|finding| finding.rule).collect()
    };
    assert_eq!(rules(&[]), []);
    // It may be a piece that others call, with a lookup that they made.
    assert_eq!(rules(&[good.len()]), [Rule::RegisterFile]);
    assert_eq!(rules(&[both.len(), 0]), [], "an end, and the start");
    let without_end = find(&both[..both.len() - 3], |_| false, &[good.len()], false);
    assert!(
        without_end
            .iter()
            .any(|finding| finding.rule == Rule::NoProgramEnd)
    );
    let data = find(&both, |index| index >= good.len(), &[good.len()], false);
    assert_eq!(data, []);
}
