//! Reads of what no way has written.

use super::*;
use crate::isa::{BranchCond, Mux, Unpack};

/// The findings on reads in a whole program, and their places.
fn undefined(body: impl FnOnce(&mut Builder)) -> Vec<(u32, String)> {
    let words = words(|b| {
        body(b);
        b.end();
    });
    let found = check_program(&words, |_| false, &[]);
    let found = found
        .into_iter()
        .filter(|finding| finding.rule == Rule::UndefinedRead);
    found.map(|finding| (finding.pc, finding.reason)).collect()
}

fn is_reported(body: impl FnOnce(&mut Builder)) -> bool {
    !undefined(body).is_empty()
}

#[test]
fn what_nothing_wrote_is_reported_once_with_its_name() {
    let found = undefined(|b| {
        b.mov(rb(7), 1);
        b.add(R0, ra(7), 1);
        b.add(R0, ra(7), R2);
        b.add(R1, R5, R4);
    });
    let read = |name: &str| format!("{name} is read, and nothing before it writes it");
    let other_file = format!("{}, but rb7 is written", read("ra7"));
    assert_eq!(
        found,
        [
            (8, other_file),
            (16, read("r2")),
            (24, read("r4")),
            (24, read("r5")),
        ]
    );
}

#[test]
fn conditions_ask_for_flags_that_something_set() {
    let reported = "flags are asked for, and nothing before sets them".to_string();
    assert_eq!(
        undefined(|b| {
            b.mov(R0, 1).ifz();
        }),
        [(0, reported)]
    );
    assert!(is_reported(|b| {
        let end = b.label("end");
        b.brr(BranchCond::AnyZS, end);
        b.nops(3);
        b.bind(end);
    }));
    assert!(!is_reported(|b| {
        b.mov(R0, 0).setf();
        b.mov(R0, 1).ifz();
    }));
}

/// The findings on `mov host_int, nop` through file A's port behind `before`.
fn of_interrupt(before: impl FnOnce(&mut Builder)) -> Vec<String> {
    let words = words(|b| {
        before(b);
        odd(b, |alu| {
            alu.op_add = AddOp::Or;
            (alu.add_a, alu.add_b) = (Mux::A, Mux::A);
            alu.write = to(waddr::HOST_INT);
        });
        b.end();
    });
    let found = check_program(&words, |_| false, &[]);
    found.into_iter().map(|finding| finding.reason).collect()
}

#[test]
fn a_host_interrupt_may_take_what_a_port_read_before() {
    let reported = [
        "host_int is written with what the last read through file A's port left, and nothing before reads through it",
    ];
    assert_eq!(of_interrupt(|_| ()), reported);
    // Through the other port, and what leaves nothing in any.
    assert_eq!(
        of_interrupt(|b| {
            b.ldi(R0, 1u32);
            b.add(R0, R0, 1);
        }),
        reported
    );
    // An address from a uniform, as a published wrapper in C++ has it.
    let none: [String; 0] = [];
    assert_eq!(
        of_interrupt(|b| {
            b.mov(R0, UNIF);
        }),
        none
    );
}

#[test]
fn what_some_way_may_have_written_is_not_reported() {
    // The second round of the loop finds what the first wrote; nothing comes of the first.
    let looped = |b: &mut Builder, is_written: bool| {
        b.mov(R0, 4);
        let again = b.here("again");
        b.add(R2, R3, 1);
        b.sub(R0, R0, 1).setf();
        b.brr(BranchCond::AnyZC, again);
        b.nops(2);
        b.mov(if is_written { R3 } else { R1 }, 0);
    };
    assert!(!is_reported(|b| looped(b, true)));
    assert!(is_reported(|b| looped(b, false)));
    // The last delay slot of a branch that always goes is executed, what it passes over is not.
    let jump = |b: &mut Builder, nops: usize| {
        let end = b.label("end");
        b.brr(BranchCond::Always, end);
        b.nops(nops);
        b.mov(R1, 0);
        b.nops(3 - nops.min(2));
        b.bind(end);
        b.mov(R0, R1);
    };
    assert!(!is_reported(|b| jump(b, 2)));
    assert!(is_reported(|b| jump(b, 3)));
}

#[test]
fn what_makes_nothing_of_a_value_does_not_read_it() {
    assert!(!is_reported(|b| {
        b.xor(R0, R0, R0);
        b.sub(R1, R1, R1);
        b.and(R2, R2, 0);
        b.or(R3, R3, R3);
        b.mov(ra(1), ra(1));
    }));
    assert!(is_reported(|b| {
        b.mov(ra(1), ra(2));
    }));
    assert!(is_reported(|b| {
        b.or(R3, R3, R3).setf();
    }));
    // Nor has a copy to itself written anything.
    assert!(is_reported(|b| {
        b.or(R3, R3, R3);
        b.add(R1, R3, 1);
    }));
    assert!(is_reported(|b| {
        b.mov(ra(1), ra(1).unpack(Unpack::U16a));
    }));
}

#[test]
fn nothing_is_reported_of_pieces_and_of_what_others_start() {
    let piece = words(|b| {
        b.add(R0, R1, R2);
    });
    let found = check_program(&piece, |_| false, &[]);
    assert!(
        found
            .iter()
            .all(|finding| finding.rule == Rule::NoProgramEnd)
    );
    // A second program begins at an exported label.
    let both = words(|b| {
        b.end();
        b.add(R0, R1, R2);
        b.end();
    });
    assert_eq!(check_program(&both, |_| false, &[3]), []);
    // Where to a register leads is not known.
    assert!(!is_reported(|b| {
        b.mov(ra(2), UNIF);
        b.nop();
        b.bra(BranchCond::Always, ra(2));
        b.nops(3);
        b.add(R0, R1, R2);
    }));
    // The 3D pipeline fills registers of a fragment shader.
    assert!(!is_reported(|b| {
        odd(b, |alu| alu.raddr_a = raddr::VARYING);
        b.fmul(R0, ra(15), R5);
        b.fadd(R0, R0, R5);
    }));
}
