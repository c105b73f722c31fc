//! Tests of the VFP11 where it differs from IEEE 754 on the host, and from QEMU.

use super::arithmetic::{add, divide, multiply, multiply_add, root};
use super::*;
use crate::board::Board;
use crate::config::Config;

const RUN_FAST: u32 = FZ | DN;
const TINY: u32 = 0x0000_0001;
const SMALLEST: u32 = 0x0080_0000;
const ONE: u32 = 0x3f80_0000;
const NEGATIVE: u32 = 0x8000_0000;

fn cpu() -> Cpu {
    let config = Config {
        ram_mib: 256,
        ..Config::default()
    };
    let mut cpu = Cpu::new(&config, Board::new(&config), 0);
    cpu.cp15.cpacr = 0xf << 20;
    cpu.vfp.fpexc = EN;
    cpu.write_fpscr(RUN_FAST);
    cpu
}

/// s0 = n op m, with s0 = d before; returns s0 and the cumulative flags.
fn single_of(run: Handler, d: u32, n: u32, m: u32) -> (u32, u32) {
    single_on(&mut cpu(), run, d, n, m)
}

fn single_on(cpu: &mut Cpu, run: Handler, d: u32, n: u32, m: u32) -> (u32, u32) {
    cpu.vfp.s[..3].copy_from_slice(&[d, n, m]);
    let mut op = super::super::decode::decode(0);
    (op.rd, op.rn, op.rm) = (0, 1, 2);
    run(cpu, &op);
    assert_eq!(cpu.stopped(), None);
    (cpu.vfp.s[0], cpu.vfp.fpscr & 0x9f)
}

/// The counterpart in doubles.
fn double_of(run: Handler, n: f64, m: f64) -> (f64, u32) {
    let mut cpu = cpu();
    cpu.set_double(1, n.to_bits());
    cpu.set_double(2, m.to_bits());
    let mut op = super::super::decode::decode(0);
    (op.rd, op.rn, op.rm) = (0, 1, 2);
    run(&mut cpu, &op);
    (f64::from_bits(cpu.double(0)), cpu.vfp.fpscr & 0x9f)
}

/// ARM1176JZF-S TRM 18.5.2: flushed operands and results are positive zeros.
#[test]
fn flushing_loses_the_sign() {
    assert_eq!(
        single_of(add::<f32>, 0, NEGATIVE | TINY, NEGATIVE),
        (0, IDC)
    );
    assert_eq!(
        single_of(multiply::<f32, false>, 0, NEGATIVE | SMALLEST, 0x3f00_0000),
        (0, UFC)
    );
    // A zero that was exact keeps it.
    assert_eq!(
        single_of(multiply::<f32, false>, 0, NEGATIVE, ONE),
        (NEGATIVE, 0)
    );
}

#[test]
fn tiny_is_decided_before_rounding() {
    let below_one = ONE - 1;
    let half_up = single_of(multiply::<f32, false>, 0, SMALLEST, below_one);
    assert_eq!(half_up, (0, UFC));
    assert_eq!(
        single_of(multiply::<f32, false>, 0, SMALLEST, ONE),
        (SMALLEST, 0)
    );
    assert_eq!(single_of(divide::<f32>, 0, SMALLEST, 0x3f80_0001), (0, UFC));
    let (result, flags) = double_of(
        multiply::<f64, false>,
        f64::MIN_POSITIVE,
        1.0 - f64::EPSILON / 2.0,
    );
    assert_eq!((result, flags), (0.0, UFC));
    assert_eq!(
        double_of(multiply::<f64, false>, 1e-200, 1e-200),
        (0.0, UFC)
    );
    assert_eq!(double_of(divide::<f64>, 1e-200, 1e200), (0.0, UFC));
}

#[test]
fn exact_results_are_not_inexact() {
    assert_eq!(double_of(multiply::<f64, false>, 3.0, 0.125), (0.375, 0));
    assert_eq!(double_of(divide::<f64>, 1.0, 3.0).1, IXC);
    assert_eq!(double_of(divide::<f64>, 7.0, 0.5), (14.0, 0));
    assert_eq!(double_of(add::<f64>, 1.0, 1e-30).1, IXC);
    assert_eq!(double_of(root::<f64>, 0.0, 2.25), (1.5, 0));
    assert_eq!(double_of(root::<f64>, 0.0, 2.0), (2f64.sqrt(), IXC));
    assert_eq!(double_of(root::<f64>, 0.0, 4e-300).0, 2e-150);
}

#[test]
fn multiply_accumulate_rounds_twice() {
    // (1 + 2^-12)^2 - (1 + 2^-11): fused gives 2^-24, rounded in between gives 0.
    let factor = 0x3f80_0800;
    let addend = NEGATIVE | 0x3f80_1000;
    assert_eq!(
        single_of(multiply_add::<f32, false, false>, addend, factor, factor),
        (0, IXC)
    );
}

#[test]
fn nans_become_the_default_one() {
    assert_eq!(single_of(add::<f32>, 0, 0xffff_ffff, ONE), (0x7fc0_0000, 0));
    assert_eq!(
        single_of(add::<f32>, 0, 0x7f80_0001, ONE),
        (0x7fc0_0000, IOC)
    );
    let infinity = 0x7f80_0000;
    assert_eq!(
        single_of(multiply::<f32, false>, 0, infinity, 0),
        (0x7fc0_0000, IOC)
    );
    assert_eq!(
        single_of(divide::<f32>, 0, ONE, NEGATIVE),
        (NEGATIVE | infinity, DZC)
    );
    assert_eq!(
        single_of(add::<f32>, 0, 0x7f7f_ffff, 0x7f7f_ffff),
        (infinity, OFC | IXC)
    );
}

/// The fast path must not differ from the slow one: every operation over pairs of ordinary numbers.
#[test]
fn both_paths_agree_with_the_host_on_ordinary_numbers() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Exponents around 1, so that nothing over- or underflows.
        (state >> 32) as u32 & 0x83ff_ffff | 0x3e00_0000
    };
    let mut cpu = cpu();
    for _ in 0..10_000 {
        let (n, m) = (next(), next());
        let (a, b) = (f32::from_bits(n), f32::from_bits(m));
        assert_eq!(
            single_on(&mut cpu, add::<f32>, 0, n, m).0,
            (a + b).to_bits()
        );
        assert_eq!(
            single_on(&mut cpu, multiply::<f32, false>, 0, n, m).0,
            (a * b).to_bits()
        );
        assert_eq!(
            single_on(&mut cpu, divide::<f32>, 0, n, m).0,
            (a / b).to_bits()
        );
    }
}
