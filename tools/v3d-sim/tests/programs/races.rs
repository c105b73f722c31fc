//! Accesses that nothing orders: each rule broken by two small programs, and kept by their repair.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::BranchCond;
use qpu::job::{Program, Runner};

const FIRST: u32 = 0x0010_1a00;

fn program(lab: &mut Lab, body: impl FnOnce(&mut Builder)) -> Program {
    let mut b = Builder::new();
    body(&mut b);
    b.end();
    lab.load(&b.finish_unchecked().unwrap(), &[])
}

/// The rules that two programs break, in order, and the first warning.
fn broken(
    mut lab: Lab,
    first: impl FnOnce(&mut Builder),
    second: impl FnOnce(&mut Builder),
) -> (Vec<&'static str>, Option<v3d_sim::Warning>) {
    lab.zero_rows();
    let programs = [program(&mut lab, first), program(&mut lab, second)];
    lab.run(&programs).unwrap();
    let warnings = lab.runner.warnings();
    let rules = warnings.iter().map(|warning| warning.rule.id()).collect();
    (rules, warnings.into_iter().next())
}

fn rules_of(
    first: impl FnOnce(&mut Builder),
    second: impl FnOnce(&mut Builder),
) -> Vec<&'static str> {
    broken(Lab::new(), first, second).0
}

/// Row 0 written; drained or not.
fn write_row(b: &mut Builder, drained: bool) {
    b.ldi(WR_SETUP, 0x1a00u32);
    b.mov(VPM, ELEM_NUM);
    if drained {
        b.ldi(RD_SETUP, FIRST);
        b.mov(NONE, VPM);
    }
}

fn read_row(b: &mut Builder) {
    b.ldi(RD_SETUP, FIRST);
    b.mov(R0, VPM);
}

#[test]
fn two_qpus_on_a_row_need_an_order() {
    let (rules, warning) = broken(Lab::new(), |b| write_row(b, true), read_row);
    assert_eq!(rules, ["vpm-race"]);
    let warning = warning.unwrap();
    let (place, other) = (
        warning.place.clone().unwrap(),
        warning.other.clone().unwrap(),
    );
    assert_eq!((place.qpu, other.qpu), (10, 11));
    assert_eq!(
        warning.detail,
        format!("reads VPM row 0, column 0; before, {other} wrote it")
    );
    assert!(other.disassembly.contains("vpm"), "{other}");
    let text = warning.to_string();
    assert!(
        text.ends_with("then hand over with a semaphore or the mutex"),
        "{text}"
    );

    let ordered = rules_of(
        |b| {
            write_row(b, true);
            b.srel(0);
        },
        |b| {
            b.sacq(0);
            read_row(b);
        },
    );
    assert!(ordered.is_empty(), "{ordered:?}");
}

/// It comes out right in this order of turns; it is found all the same.
#[test]
fn a_race_is_found_whoever_comes_first() {
    for seed in 0..8 {
        let runner = v3d_sim::SimRunner::new(1 << 20).with_strict(false);
        let lab = Lab::with(runner.with_order_seed(seed));
        let (rules, _) = broken(lab, |b| write_row(b, true), read_row);
        assert_eq!(rules, ["vpm-race"], "seed {seed}");
    }
}

#[test]
fn a_row_that_is_only_drained_through_is_not_read() {
    let rules = rules_of(|b| write_row(b, true), write_row_1);
    assert!(rules.is_empty(), "{rules:?}");
}

fn write_row_1(b: &mut Builder) {
    b.ldi(WR_SETUP, 0x1a01u32);
    b.mov(VPM, ELEM_NUM);
    b.ldi(RD_SETUP, FIRST); // row 0, which the other writes
    b.mov(NONE, VPM);
}

#[test]
fn columns_of_the_same_rows_do_not_meet_but_a_row_does() {
    let column = |x: u32| {
        move |b: &mut Builder| {
            b.ldi(WR_SETUP, 0x1200 + x);
            b.mov(VPM, ELEM_NUM);
        }
    };
    let rules = rules_of(column(0), column(1));
    assert!(rules.is_empty(), "{rules:?}");
    assert_eq!(rules_of(column(15), read_row), ["vpm-race"]);
}

#[test]
fn a_hand_over_without_a_drain() {
    let hand_over = |drained| {
        rules_of(
            move |b| {
                write_row(b, drained);
                b.srel(0);
            },
            |b| {
                b.sacq(0);
                read_row(b);
            },
        )
    };
    assert_eq!(hand_over(false), ["vpm-write-undrained"]);
    assert!(hand_over(true).is_empty());
}

#[test]
fn a_setup_before_the_acquire() {
    let rules = rules_of(
        |b| {
            write_row(b, true);
            b.srel(0);
        },
        |b| {
            b.ldi(RD_SETUP, FIRST);
            b.sacq(0);
            b.mov(R0, VPM);
        },
    );
    assert_eq!(rules, ["vpm-setup-before-acquire"]);
}

#[test]
fn a_setup_before_a_write_of_the_same_qpu() {
    let write_between = |b: &mut Builder| {
        write_row(b, false);
        b.ldi(RD_SETUP, 0x0020_1a00u32); // rows 0 and 1
        b.mov(R0, VPM);
        b.ldi(WR_SETUP, 0x1a01u32);
        b.mov(VPM, ELEM_NUM);
        b.mov(R1, VPM);
    };
    let (rules, warning) = broken(Lab::new(), write_between, |_| ());
    assert_eq!(rules, ["vpm-setup-before-acquire"]);
    let fix = warning.unwrap().rule.entry().remedy;
    assert!(fix.contains("after the vectors are written"), "{fix}");
}

#[test]
fn the_mutex_orders_too() {
    let inside = |b: &mut Builder| {
        b.mov(NONE, MUTEX_ACQUIRE);
        read_row(b);
        write_row(b, true);
        b.mov(MUTEX_RELEASE, 1);
    };
    let rules = rules_of(inside, inside);
    assert!(rules.is_empty(), "{rules:?}");
}

/// A DMA load into row 0, waited for or not.
fn load_row(b: &mut Builder, from: u32, waited: bool) {
    b.ldi(RD_SETUP, 0x8301_1000u32);
    b.ldi(LD_ADDR, from);
    if waited {
        b.mov(NONE, LD_WAIT);
    }
}

#[test]
fn dma_loads_are_waited_for_before_rows_are_used_or_handed_over() {
    for (waited, rules) in [(true, &[][..]), (false, &["dma-not-awaited"])] {
        let mut lab = Lab::new();
        let table = lab.put(&[7; 16]).addr.0;
        let own = lab.program(&[], |b| {
            load_row(b, table, waited);
            b.ldi(RD_SETUP, FIRST);
            b.mov(R0, VPM);
            b.mov(NONE, LD_WAIT);
        });
        assert_eq!(own.rules, rules);
        let mut lab = Lab::new();
        let table = lab.put(&[7; 16]).addr.0;
        let (handed_over, _) = broken(
            lab,
            |b| {
                load_row(b, table, waited);
                b.srel(0);
                b.mov(NONE, LD_WAIT);
            },
            |b| {
                b.sacq(0);
                read_row(b);
            },
        );
        assert_eq!(handed_over, rules);
    }
}

/// A DMA store of row 0 to `to`.
fn store_row(b: &mut Builder, to: u32, waited: bool) {
    b.ldi(WR_SETUP, 0x8090_4000u32);
    b.ldi(WR_SETUP, 0xc000_0000u32);
    b.ldi(ST_ADDR, to);
    if waited {
        b.mov(NONE, ST_WAIT);
    }
}

#[test]
fn rows_on_their_way_to_memory_are_not_overwritten() {
    for (waited, rules) in [(true, &[][..]), (false, &["dma-not-awaited"])] {
        let mut lab = Lab::new();
        let out = lab.put(&[0; 16]).addr.0;
        let own = lab.program(&[], |b| {
            show(b, 1);
            store_row(b, out, waited);
            write_row(b, false);
            b.mov(NONE, ST_WAIT);
        });
        assert_eq!(own.rules, rules);
    }
}

#[test]
fn stores_of_two_qpus_to_the_same_bytes() {
    for (apart, rules) in [(64, &[][..]), (0, &["store-race"]), (60, &["store-race"])] {
        let mut lab = Lab::new();
        let out = lab.put(&[0; 32]).addr.0;
        let store = |row: u32, to: u32| {
            move |b: &mut Builder| {
                b.ldi(WR_SETUP, 0x1a00 + row);
                b.mov(VPM, 1);
                b.ldi(WR_SETUP, 0x8090_4000u32 | row << 7);
                b.ldi(WR_SETUP, 0xc000_0000u32);
                b.ldi(ST_ADDR, to);
                b.mov(NONE, ST_WAIT);
            }
        };
        let (found, _) = broken(lab, store(0, out), store(1, out + apart));
        assert_eq!(found, rules, "{apart} bytes apart");
    }
}

#[test]
fn memory_that_another_stores_to_is_read_after_its_wait() {
    for (waited, ordered, rules) in [
        (true, true, &[][..]),
        (false, true, &["load-race"]),
        (true, false, &["load-race"]),
    ] {
        for by_tmu in [true, false] {
            let mut lab = Lab::new();
            let out = lab.put(&[0; 16]).addr.0;
            let (found, warning) = broken(
                lab,
                |b| {
                    b.ldi(WR_SETUP, 0x1a00u32);
                    b.mov(VPM, 1);
                    store_row(b, out, waited);
                    if ordered {
                        b.srel(0);
                    }
                    b.mov(NONE, ST_WAIT);
                },
                |b| {
                    if ordered {
                        b.sacq(0);
                    } else {
                        b.nops(10);
                    }
                    if by_tmu {
                        b.nop();
                        b.ldi(TMU0_S, out + 60);
                        b.nop().ldtmu0();
                    } else {
                        b.ldi(RD_SETUP, 0x8301_1010u32);
                        b.ldi(LD_ADDR, out);
                        b.mov(NONE, LD_WAIT);
                    }
                },
            );
            assert_eq!(found, rules, "{waited} {ordered} {by_tmu}");
            if let Some(warning) = warning {
                assert!(warning.detail.contains("started a DMA store to it"));
            }
        }
    }
}

/// A lookup of data that another QPU stored long before is reported, however far QPUs run ahead.
#[test]
fn a_run_without_time_looks_up_in_its_round() {
    for (looks_first, strict) in [(true, true), (true, false), (false, true), (false, false)] {
        let runner = v3d_sim::SimRunner::new(1 << 20);
        let runner = runner.with_functional(true).with_strict(strict);
        let mut lab = Lab::with(runner);
        let out = lab.put(&[0; 32]).addr.0;
        let store = program(&mut lab, |b| {
            b.nops(200);
            b.ldi(WR_SETUP, 0x1a00u32);
            b.mov(VPM, 1);
            store_row(b, out, true);
        });
        // The second turn finds its instructions decoded, and looks up in round 300 or so.
        let look = program(&mut lab, |b| {
            b.ldi(ra(0), out + 64);
            let repeat = b.here("repeat");
            b.nops(150);
            b.mov(TMU0_S, ra(0));
            b.nop().ldtmu0();
            b.ldi(R0, 64);
            b.sub(ra(0), ra(0), R0);
            b.ldi(R0, out);
            b.sub(NONE, ra(0), R0).setf();
            b.brr(BranchCond::AllNC, repeat);
            b.nops(3);
        });
        let programs = if looks_first {
            [look, store]
        } else {
            [store, look]
        };
        let ended = lab.run(&programs);
        let report = match ended {
            Err(error) => error.to_string(),
            Ok(_) => format!("{:?}", lab.runner.warnings()),
        };
        assert!(report.contains("looks up memory"), "{strict}: {report}");
    }
}

/// Programs queued behind each other are ordered by their QPU; those that the ARM queues once
/// others have ended, by the ARM.
#[test]
fn programs_that_follow_each_other_are_ordered() {
    let mut lab = Lab::new();
    let writer = program(&mut lab, |b| write_row(b, true));
    lab.run(&[writer]).unwrap();
    let result = lab.program(&[], read_row);
    assert!(result.rules.is_empty(), "{:?}", result.rules);
    lab.run(&[writer, writer]).unwrap();
    assert_eq!(lab.runner.warnings()[0].rule.id(), "vpm-race");
}

/// With time or without, and strictly: both sides are reported.
#[test]
fn strictness_tells_both_sides() {
    let mut lab = Lab::with(v3d_sim::SimRunner::new(1 << 20));
    let programs = [
        program(&mut lab, |b| write_row(b, true)),
        program(&mut lab, read_row),
    ];
    let error = lab.run(&programs).unwrap_err().to_string();
    for part in [
        "QPU 10 at",
        "QPU 11 at",
        "wrote it",
        "semaphore or the mutex",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let buffer = lab.put(&[1]);
    let mut word = [0];
    lab.runner.read(buffer, 0, &mut word).unwrap();
    assert_eq!(word, [1], "the runner goes on");
}
