//! The ALUs against tables recorded on real chips.
//!
//! The tables (doe300/VC4C, MIT) are in `data/hw_alu` of this crate, with their source. Flags
//! recorded for mul-ALU operations are not valid, as their author notes.

use super::pack::{Source, file_a};
use super::unpack::{Unpacked, lane};
use super::{add, add_carry, mul, mul_carry};
use qpu::isa::{AddOp, MulOp, Pack, Unpack};

#[derive(Clone, Copy, PartialEq)]
enum Op {
    Add(AddOp),
    Mul(MulOp),
}

fn op(name: &str) -> Op {
    // v8adds and v8subs exist in both ALUs; the table has them for the add ALU.
    match AddOp::ALL.iter().find(|op| op.name() == name) {
        Some(op) => Op::Add(*op),
        None => Op::Mul(
            *MulOp::ALL
                .iter()
                .find(|op| op.name() == name)
                .unwrap_or_else(|| panic!("{name}")),
        ),
    }
}

fn compute(op: Op, a: u32, b: u32) -> (u32, String) {
    let (x, y) = ([a; 16], [b; 16]);
    let value = match op {
        Op::Add(op) => add(op)(&x, &y),
        Op::Mul(op) => mul(op)(&x, &y),
    };
    let carry = match op {
        Op::Add(op) => add_carry(op, &x, &y, &value),
        Op::Mul(op) => mul_carry(op, &x, &y),
    };
    assert!(value.iter().all(|lane| *lane == value[0]) && (carry == 0 || carry == u16::MAX));
    let flags = [
        ('n', value[0] >> 31 != 0),
        ('z', value[0] == 0),
        ('c', carry != 0),
    ];
    (
        value[0],
        flags
            .iter()
            .filter(|(_, set)| *set)
            .map(|(name, _)| *name)
            .collect(),
    )
}

/// The rows of a table, the first with its headings.
fn rows(table: &str) -> Vec<Vec<&str>> {
    table
        .lines()
        .map(|line| line.split(',').collect())
        .collect()
}

fn hex(text: &str) -> u32 {
    u32::from_str_radix(text, 16).unwrap_or_else(|_| panic!("{text}"))
}

fn sorted(flags: &str) -> String {
    let mut flags: Vec<char> = flags.chars().filter(|flag| "nzc".contains(*flag)).collect();
    flags.sort_unstable();
    flags.into_iter().collect()
}

/// Overflow rules need the operands; other operations are integer or float.
fn source(op: Op, a: u32, b: u32) -> Source {
    match op {
        Op::Add(op @ (AddOp::Add | AddOp::Sub)) => Source::Sum(op, a, b),
        Op::Add(op) if op.gives_float() => Source::Float,
        Op::Mul(op) if op.is_float() => Source::Float,
        _ => Source::Integer,
    }
}

#[test]
fn operations_and_flags() {
    let rows = rows(include_str!("../../data/hw_alu/opcode.csv"));
    assert!(rows.len() > 2000);
    for row in &rows[1..] {
        let (op, a, b) = (op(row[0]), hex(row[1]), hex(row[2]));
        let (result, flags) = compute(op, a, b);
        assert_eq!(result, hex(row[3]), "{row:?}");
        assert_eq!(
            file_a(Pack::P32s, result, source(op, a, b)).bits,
            hex(row[4]),
            "{row:?}"
        );
        if let Op::Add(_) = op
            && row[0] != "v8adds"
            && row[0] != "v8subs"
        {
            assert_eq!(sorted(&flags), sorted(row[5]), "{row:?}");
        }
    }
}

#[test]
fn pack_modes() {
    let rows = rows(include_str!("../../data/hw_alu/pack.csv"));
    let pack = |name: &str| match name {
        "32s" => Pack::P32s,
        "16a" => Pack::P16a,
        "16b" => Pack::P16b,
        "8a" => Pack::P8a,
        "8b" => Pack::P8b,
        "8c" => Pack::P8c,
        "8d" => Pack::P8d,
        "8888" => Pack::P8888,
        "16a_s" => Pack::P16as,
        "16b_s" => Pack::P16bs,
        "8a_s" => Pack::P8as,
        "8b_s" => Pack::P8bs,
        "8c_s" => Pack::P8cs,
        "8d_s" => Pack::P8ds,
        "8888_s" => Pack::P8888s,
        _ => panic!("{name}"),
    };
    for row in &rows[1..] {
        let (op, a, b) = (op(row[0]), hex(row[1]), hex(row[2]));
        for (column, name) in rows[0].iter().enumerate().skip(4) {
            let packed = file_a(pack(name), hex(row[3]), source(op, a, b));
            assert_eq!(packed.bits, hex(row[column]), "{name} of {row:?}");
        }
    }
}

#[test]
fn unpack_modes() {
    let rows = rows(include_str!("../../data/hw_alu/unpack.csv"));
    for row in &rows[1..] {
        for (column, name) in rows[0].iter().enumerate().skip(2) {
            let (mode, to) = match name.strip_suffix("_f") {
                Some(mode) => (mode, Unpacked::Float),
                None => (name.strip_suffix("_i").unwrap_or(name), Unpacked::Integer),
            };
            let mode = *Unpack::ALL
                .iter()
                .find(|unpack| unpack.name() == mode)
                .unwrap();
            assert_eq!(
                lane(mode, to, hex(row[0])),
                hex(row[column]),
                "{name} of {row:?}"
            );
        }
    }
}

/// Samples of VC4C's tables; flags as recorded, `-` for none, `n/a` for the mul ALU.
#[test]
fn printed_samples() {
    let samples = "
        fadd 80000000 80000000 00000000 z
        fadd 7fffffff 70000000 7f800000 c
        fadd ffffffff 00000000 ff800000 n
        fadd 3f800000 90000000 3f7fffff c
        fadd 00000001 3f800000 3f800000 c
        fsub 7fffffff 7fffffff ff800000 n
        fsub 00000000 ffffffff 7f800000 c
        fsub 00007fff 70000000 f0000000 n
        fmin 80000000 00008000 80000000 n
        fmin 00000000 ffffffff ffffffff nc
        fmax 80000000 00008000 00008000 -
        fmax 7fffffff 70000000 7fffffff c
        fmax 00000000 ffffffff 00000000 zc
        fminabs ffffffff f0000000 70000000 c
        fmaxabs 80000000 80000000 00000000 z
        fmul 7fffffff 00007fff 00000000 n/a
        fmul ffffffff f0000000 7f800000 n/a
        ftoi bf800000 00000000 ffffffff n
        itof 00007fff 00000000 46fffe00 c
        itof bf800000 00000000 ce810000 n
        shl ffffffff 7fffffff 80000000 nc
        shr ffffffff 7fffffff 00000001 c
        asr 7fffffff ffffffff 00000000 zc
        ror 00000001 0000007f 00000002 -
        sub 00000001 0000007f ffffff82 nc
        mul24 ffffffff 7fffffff fe000001 n/a
        v8muld 80000000 80000000 40000000 n/a";
    for line in samples.trim().lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (result, flags) = compute(op(fields[0]), hex(fields[1]), hex(fields[2]));
        assert_eq!(result, hex(fields[3]), "{line}");
        if fields[4] != "n/a" {
            assert_eq!(sorted(&flags), sorted(fields[4]), "{line}");
        }
    }
}

#[test]
fn carry_of_the_mul_alu_is_as_recommended() {
    assert_eq!(compute(Op::Mul(MulOp::Mul24), 0xffff, 0x1_0000).1, "n");
    assert_eq!(compute(Op::Mul(MulOp::Mul24), 0x1_0001, 0x1_0000).1, "c");
    assert_eq!(
        compute(Op::Mul(MulOp::Fmul), 0x3f80_0000, 0x3f80_0000).1,
        ""
    );
}
