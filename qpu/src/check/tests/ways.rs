//! Findings on some ways through a program and not on others.

use super::*;
use crate::isa::BranchCond;

#[test]
fn a_branch_in_the_third_delay_slot_meets_both_targets() {
    // A's target runs three instructions as B's delay slots; then comes B's target. The write in
    // the third of them and the read at B's target follow each other.
    let words = words(|b| {
        let (first, second) = (b.label("first"), b.label("second"));
        b.brr(BranchCond::Always, first);
        b.nops(2);
        b.brr(BranchCond::Always, second);
        b.bind(first);
        b.nops(2);
        b.mov(rb(4), R0);
        b.nops(3);
        b.bind(second);
        b.mov(R0, rb(4));
        b.end();
    });
    let findings = check(&words);
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(
        (findings[0].rule, findings[0].pc),
        (Rule::RegisterFile, 10 * 8)
    );
}

/// Rules with the ways of their findings: bytes of the branches, and whether they are taken.
fn ways(body: impl FnOnce(&mut Builder)) -> Vec<(Rule, Vec<(u32, bool)>)> {
    let findings = check(&words(body));
    let way = |finding: &Finding| finding.way.iter().map(|way| (way.pc, way.taken)).collect();
    findings
        .iter()
        .map(|finding| (finding.rule, way(finding)))
        .collect()
}

#[test]
fn what_is_taken_on_one_way_only_is_found_on_that_way() {
    // The branch at 0x10 jumps over the release.
    let found = ways(|b| {
        b.mov(NONE, MUTEX_ACQUIRE);
        b.sub(NONE, R0, 1).setf();
        let end = b.label("end");
        b.brr(BranchCond::AllZS, end);
        b.nops(3);
        b.mov(MUTEX_RELEASE, R0);
        b.bind(end);
        b.end();
    });
    assert_eq!(found, [(Rule::MutexHeld, vec![(0x10, true)])]);
}

#[test]
fn a_loop_that_owes_more_each_time_is_found_and_one_that_does_not_is_not() {
    let program = |loads: bool| {
        ways(move |b| {
            b.nops(2);
            let again = b.here("again");
            b.mov(TMU0_S, R0);
            b.sub(R0, R0, 1).setf();
            b.brr(BranchCond::AnyZC, again);
            b.nops(2);
            if loads {
                b.nop().ldtmu0()
            } else {
                b.nop()
            };
            b.end();
        })
    };
    let found = program(false);
    let rules: Vec<Rule> = found.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules, [Rule::TmuTooMany, Rule::TmuUnread]);
    assert_eq!(found[0].1.last(), Some(&(0x20, true)));
    assert_eq!(program(true), []);
}

/// The number of rounds of the loop is not known, as in rpi-playground's SHA-256.
#[test]
fn a_loop_that_takes_vectors_one_by_one_is_not_counted() {
    let program = |vectors: u32| {
        ways(move |b| {
            let outer = b.here("outer");
            b.ldi(RD_SETUP, 0x1a00 | (vectors & 15) << 20);
            let inner = b.here("inner");
            b.mov(R1, VPM);
            b.sub(R0, R0, 1).setf();
            b.brr(BranchCond::AnyZC, inner);
            b.nops(3);
            b.sub(R2, R2, 1).setf();
            b.brr(BranchCond::AnyZC, outer);
            b.nops(3);
            b.end();
        })
    };
    assert_eq!(program(16), []);
    // A single vector is gone after the first round.
    assert_eq!(program(1), [(Rule::VpmNothingToRead, vec![(0x18, true)])]);
}

#[test]
fn the_same_question_has_the_same_answer() {
    // Taken and given back under one condition that is asked twice.
    let found = ways(|b| {
        b.sub(NONE, R0, 1).setf();
        let (free, end) = (b.label("free"), b.label("end"));
        b.brr(BranchCond::AllZS, free);
        b.nops(3);
        b.mov(NONE, MUTEX_ACQUIRE);
        b.bind(free);
        b.nops(2);
        b.brr(BranchCond::AllZS, end);
        b.nops(3);
        b.mov(MUTEX_RELEASE, R0);
        b.bind(end);
        b.end();
    });
    assert_eq!(found, []);
}

#[test]
fn a_subroutine_returns_to_the_place_that_called_it() {
    // One caller holds the mutex and the other does not; neither return may go to the other.
    let found = ways(|b| {
        let f = b.label("f");
        b.brr(BranchCond::Always, f).link(ra(2));
        b.nops(3);
        b.mov(NONE, MUTEX_ACQUIRE);
        b.brr(BranchCond::Always, f).link(ra(2));
        b.nops(3);
        b.mov(MUTEX_RELEASE, R0);
        b.end();
        b.bind(f);
        b.nop();
        b.bra(BranchCond::Always, ra(2));
        b.nops(3);
    });
    assert_eq!(found, []);
}

#[test]
fn a_setup_that_one_way_leaves_out_is_missed_on_it() {
    let found = ways(|b| {
        b.sub(NONE, R0, 1).setf();
        let read = b.label("read");
        b.brr(BranchCond::AnyNS, read);
        b.nops(3);
        b.ldi(RD_SETUP, 0x0010_1a00);
        b.bind(read);
        b.mov(R0, VPM);
        b.end();
    });
    assert_eq!(found, [(Rule::VpmNothingToRead, vec![(0x08, true)])]);
}

#[test]
fn opposite_conditions_touch_different_lanes() {
    let program = |cond, sets_flags| {
        let words = words(|b| {
            let line = b.mov(ra(3), R0).ifz();
            if sets_flags {
                line.setf();
            }
            b.mov(R1, ra(3)).cond(cond);
            b.end();
        });
        broken(&words)
    };
    assert_eq!(program(Cond::ZC, false), []);
    assert_eq!(program(Cond::ZS, false), [Rule::RegisterFile]);
    assert_eq!(program(Cond::ZC, true), [Rule::RegisterFile]);
}

/// One lookup is left out if a count is negative, as in vc4asm's GPU_FFT on its last round.
fn counted(count: impl FnOnce(&mut Builder)) -> Vec<(Rule, Vec<(u32, bool)>)> {
    ways(|b| {
        b.nops(2);
        count(b);
        b.mov(TMU0_S, R0);
        b.mov(NONE, ra(7)).setf();
        let last = b.label("last");
        b.brr(BranchCond::AnyNS, last);
        b.nops(3);
        b.mov(TMU0_S, R0);
        b.bind(last);
        b.nop().ldtmu0();
        b.nop().ldtmu0();
        b.end();
    })
}

#[test]
fn the_sign_of_a_constant_decides_branches() {
    let positive: [fn(&mut Builder); 4] = [
        |b| {
            b.ldi(ra(7), 30);
        },
        |b| {
            b.mov(ra(7), 2);
        },
        |b| {
            b.v8adds(ra(7), 15, 15);
        },
        |b| {
            b.v8subs(ra(7), R0, R0);
        },
    ];
    for count in positive {
        assert_eq!(counted(count), []);
    }
    // It is known to be negative: there is no other way that the finding would have to name.
    let found = counted(|b| {
        b.ldi(ra(7), u32::MAX);
    });
    assert_eq!(found, [(Rule::TmuNothingToLoad, vec![])]);
}

#[test]
fn the_sign_of_what_is_no_constant_does_not() {
    let unknown: [fn(&mut Builder); 4] = [
        |b| {
            b.mov(ra(7), UNIF);
        },
        |b| {
            b.mov(ra(7), 2).ifz();
        },
        |b| {
            b.ldi(ra(7), 30);
            b.nop();
            b.sub(ra(7), ra(7), 1);
        },
        |b| {
            b.ldi(ra(7), 30);
            b.mov(ra(7), R1).ifz();
        },
    ];
    for count in unknown {
        let rules: Vec<Rule> = counted(count).into_iter().map(|(rule, _)| rule).collect();
        assert_eq!(rules, [Rule::TmuNothingToLoad]);
    }
}

#[test]
fn the_ninth_lookup_is_the_last_that_is_judged() {
    let words = program(|b| {
        for _ in 0..10 {
            b.mov(TMU0_S, R0);
        }
        for _ in 0..10 {
            b.nop().ldtmu0();
        }
    });
    let found = check(&words);
    assert!(found.iter().all(|finding| finding.rule == Rule::TmuTooMany));
    let last = &found[found.len() - 1];
    assert_eq!((found.len(), last.pc), (5, 10 * 8));
    assert!(last.reason.ends_with("waits for ever with this"));
}
