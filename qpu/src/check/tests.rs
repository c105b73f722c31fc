//! One bad and one good program for each rule.
//!
//! The bad one breaks that rule and no other.

use super::*;
use crate::generate::*;
use crate::isa::{
    Alu, Branch, BranchCond, Cond, Instruction, MulPack, Pack, Raddr, RaddrB, Semaphore,
    SemaphoreAction, Signal, Unpack, Waddr, WriteBack, raddr, waddr,
};

/// A rule, a program that breaks it, and one that does nearly the same without breaking it.
type Case = (Rule, fn(&mut Builder), fn(&mut Builder));

/// Most programs start with two instructions that matter to no rule and end like any program.
fn program(body: fn(&mut Builder)) -> Vec<u64> {
    let mut b = Builder::new();
    b.nops(2);
    body(&mut b);
    b.nops(3);
    b.end();
    b.finish_unchecked()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A `nop` with some of its fields changed.
fn odd(b: &mut Builder, change: fn(&mut Alu)) {
    let mut alu = Alu::NOP;
    change(&mut alu);
    b.instruction(Instruction::Alu(alu));
}

fn to(address: Waddr) -> WriteBack {
    WriteBack {
        cond_add: Cond::Always,
        waddr_add: address,
        ..WriteBack::NOTHING
    }
}

#[rustfmt::skip]
const CASES: &[Case] = &[
    (Rule::RegisterFile,
        |b| { b.mov(ra(3), R0); b.mov(R1, ra(3)); },
        |b| { b.mov(ra(3), R0); b.mov(R1, rb(3)); b.mov(R1, ra(3)); }),
    (Rule::RegisterFile, // a load immediate into file B
        |b| { b.ldi(rb(31), 7); b.fadd(R1, R1, rb(31)); },
        |b| { b.ldi(rb(31), 7); b.nop(); b.fadd(R1, R1, rb(31)); }),
    (Rule::RegisterFile, // by way of a branch: the third delay slot, then the target
        |b| { let l = b.label("l"); b.brr(BranchCond::Always, l); b.nops(2); b.mov(ra(1), R0); b.nops(3); b.bind(l); b.mov(R0, ra(1)); },
        |b| { let l = b.label("l"); b.brr(BranchCond::Always, l); b.nops(2); b.mov(ra(1), R0); b.mov(R0, ra(1)); b.bind(l); b.nop(); b.mov(R0, ra(1)); }),
    (Rule::RegisterFile, // a link is a write
        |b| { let l = b.here("l"); b.brr(BranchCond::AnyZS, l).link(ra(2)); b.mov(R0, ra(2)); b.nops(2); },
        |b| { let l = b.here("l"); b.brr(BranchCond::AnyZS, l).link(ra(2)); b.nop(); b.mov(R0, ra(2)); b.nop(); }),
    (Rule::RegisterFile, // a branch reads its register
        |b| { b.ldi(ra(2), 64); b.bra(BranchCond::AllZS, ra(2)); b.nops(3); },
        |b| { b.ldi(ra(2), 64); b.nop(); b.bra(BranchCond::AllZS, ra(2)); b.nops(3); }),
    (Rule::RegisterFile, // by way of a return
        |b| { let f = b.label("f"); b.brr(BranchCond::Always, f).link(ra(2)); b.nops(3); b.mov(R0, rb(9)); b.nop(); b.end();
              b.bind(f); b.nop(); b.bra(BranchCond::Always, ra(2)); b.nops(2); b.mov(rb(9), R1); },
        |b| { let f = b.label("f"); b.brr(BranchCond::Always, f).link(ra(2)); b.nops(3); b.nop(); b.mov(R0, rb(9)); b.end();
              b.bind(f); b.nop(); b.bra(BranchCond::Always, ra(2)); b.nops(2); b.mov(rb(9), R1); }),
    (Rule::RegisterFile, // in a subroutine behind the end
        |b| { let f = b.label("f"); b.brr(BranchCond::Always, f).link(ra(2)); b.nops(3); b.end();
              b.bind(f); b.mov(rb(9), R1); b.mov(R0, rb(9)); b.bra(BranchCond::Always, ra(2)); b.nops(3); },
        |b| { let f = b.label("f"); b.brr(BranchCond::Always, f).link(ra(2)); b.nops(3); b.end();
              b.bind(f); b.mov(rb(9), R1); b.bra(BranchCond::Always, ra(2)); b.mov(R0, rb(9)); b.nops(2); }),
    (Rule::RegisterFile, // in a delay slot that is jumped to as well
        |b| { let l = b.label("l"); b.brr(BranchCond::AnyZS, l); b.nops(3); let m = b.label("m"); b.brr(BranchCond::Always, m); b.nops(2);
              b.bind(l); b.mov(rb(9), R1); b.mov(R0, rb(9)); b.bind(m); },
        |b| { let l = b.label("l"); b.brr(BranchCond::AnyZS, l); b.nops(3); let m = b.label("m"); b.brr(BranchCond::Always, m); b.nops(2);
              b.bind(l); b.mov(rb(9), R1); b.mov(R0, rb(8)); b.bind(m); }),
    (Rule::SfuResultTooEarly,
        |b| { b.mov(SFU_RECIP, R0); b.nop(); b.mov(R1, R4); },
        |b| { b.mov(SFU_RECIP, R0); b.nops(2); b.mov(R1, R4); }),
    (Rule::SfuResultOverwritten, // r4 loaded by a TMU meanwhile
        |b| { b.mov(SFU_EXP, R0); b.nop().ldtmu0(); },
        |b| { b.mov(SFU_EXP, R0); b.nops(2); b.nop().ldtmu0(); }),
    (Rule::TmuNoswap,
        |b| { b.mov(TMU_NOSWAP, 1); b.nop(); b.mov(TMU0_S, R0); },
        |b| { b.mov(TMU_NOSWAP, 1); b.nops(2); b.mov(TMU0_S, R0); }),
    (Rule::UniformsAddress,
        |b| { b.mov(UNIFORMS_ADDRESS, R0); b.nop(); b.mov(R1, UNIF); },
        |b| { b.mov(UNIFORMS_ADDRESS, R0); b.nops(2); b.mov(R1, UNIF); }),
    (Rule::UniformsAddress, // relative; a uniform beside the write is the one before
        |b| { b.mov(UNIFORMS_ADDRESS_RELATIVE, -1); b.mov(R1, UNIF); },
        |b| { b.mov(UNIFORMS_ADDRESS_RELATIVE, -1).mov(R1, UNIF); }),
    (Rule::RotationSource,
        |b| { b.mov(R0, R1); b.mov(R2, R0).rotate(1); },
        |b| { b.mov(R0, R1); b.mov(R3, R1).mov(R2, R1).rotate(1); b.mov(R2, R0).rotate(1); }),
    (Rule::RotationAmount,
        |b| { b.mov(R5_ALL, R1); b.mov(R2, R0).rotate_r5(); },
        |b| { b.mov(R5_ALL, R1); b.nop(); b.mov(R2, R0).rotate_r5(); }),
    (Rule::BranchSpacing,
        |b| { let l = b.label("l"); b.brr(BranchCond::AnyZS, l); b.nop(); b.brr(BranchCond::AnyNS, l); b.nops(3); b.bind(l); },
        |b| { let l = b.label("l"); b.brr(BranchCond::AnyZS, l); b.nops(2); b.brr(BranchCond::AnyNS, l); b.nops(3); b.bind(l); }),
    (Rule::OnePeripheral,
        |b| { b.mov(TMU0_S, R0).mov(TMU1_S, R0); },
        |b| { b.mov(TMU0_S, R0).mov(VPM, R0); }),
    (Rule::OnePeripheral,
        |b| { b.mov(TMU0_S, R0).ldtmu1(); },
        |b| { b.mov(TMU0_S, R0); b.nop().ldtmu1(); }),
    (Rule::OnePeripheral,
        |b| { b.mov(SFU_RECIP, MUTEX_ACQUIRE); },
        |b| { b.mov(NONE, MUTEX_ACQUIRE); b.mov(MUTEX_RELEASE, 1); }),
    (Rule::TmuUniform,
        |b| { b.mov(TMU0_T, UNIF); },
        |b| { b.mov(TMU0_S, UNIF); }),
    (Rule::BothSetups,
        |b| { b.mov(RD_SETUP, R0).mov(WR_SETUP, R1); },
        |b| { b.mov(LD_ADDR, R0).mov(ST_ADDR, R1); }),
    (Rule::VpmReadAndSetup,
        |b| { b.mov(R0, VPM).mov(WR_SETUP, R1); },
        |b| { b.mov(R0, VPM).mov(ra(2), R1); }),
    (Rule::VpmReadAndWrite,
        |b| { b.mov(VPM, VPM); },
        |b| { b.mov(R0, VPM); b.mov(VPM, R0); }),
    (Rule::VpmWriteAndSetup,
        |b| { b.mov(VPM, R0).mov(WR_SETUP, R1); },
        |b| { b.mov(VPM, R0); b.mov(WR_SETUP, R1); }),
    (Rule::TmuLoadAndVpm,
        |b| { b.mov(VPM, R0).ldtmu0(); },
        |b| { b.mov(R1, R0).ldtmu0(); }),
    (Rule::SameDestination,
        |b| { b.mov(R0, R1).mov(R0, R2); },
        |b| { b.mov(R0, R1).ifz().mov(R0, R2).ifnz(); b.mov(ra(7), R1).mov(rb(7), R2); }),
    (Rule::SameDestination, // opposite conditions do not help a peripheral, nor r5 two names
        |b| { b.mov(R5_QUAD, R1).mov(R5_ALL, R2); },
        |b| { b.mov(R5_QUAD, R1); b.mov(R5_ALL, R2); }),
    (Rule::SameRead,
        |b| odd(b, |alu| { alu.raddr_a = raddr::UNIFORM; alu.raddr_b = RaddrB::Register { raddr: raddr::UNIFORM, signal: Signal::None }; }),
        |b| { b.mov(R0, UNIF).fmul(R1, UNIF, UNIF); }),
    (Rule::ConditionalPeripheral,
        |b| { b.mov(TMU0_S, R0).ifz(); },
        |b| { b.mov(HOST_INT, R0).ifz(); }),
    (Rule::HostIntZero,
        |b| { b.mov(HOST_INT, 0); },
        |b| { b.mov(HOST_INT, 1); b.ldi(HOST_INT, 1); b.mov(HOST_INT, R0); }),
    (Rule::HostIntZero,
        |b| { b.ldi(HOST_INT, 0); },
        |b| { b.add(HOST_INT, R0, 0); }),
    (Rule::NeverPeripheral,
        |b| { b.mov(VPM, R0).cond(Cond::Never); },
        |b| { b.mov(ra(3), R0).cond(Cond::Never); }),
    (Rule::RotationInQuad,
        |b| odd(b, |alu| { alu.op_mul = crate::isa::MulOp::V8min; alu.raddr_b = RaddrB::SmallImmediate(crate::isa::SmallImmediate::from_rotation(3).unwrap()); alu.mul_a = crate::isa::Mux::R4; alu.mul_b = crate::isa::Mux::R4; }),
        |b| { b.fmul(R1, R0, R5).rotate(3); }),
    (Rule::PackToPeripheral,
        |b| { b.v8max(VPM, R0, R1).pack_mul(MulPack::P8888); },
        |b| { b.v8max(rb(3), R0, R1).pack_mul(MulPack::P8888); }),
    (Rule::PackReserved, // reserved code
        |b| odd(b, |alu| { alu.write.pm = true; alu.write.pack = Pack::P16a; }),
        |b| odd(b, |alu| { alu.write.pm = true; })),
    (Rule::PackWithoutFileA,
        |b| odd(b, |alu| { alu.op_add = crate::isa::AddOp::Or; alu.write = to(waddr::ACC1); alu.write.pack = Pack::P16a; }),
        |b| { b.mov(ra(5).pack(Pack::P16a), R0); b.mov(R1, R2).mov(ra(6).pack(Pack::P8b), R2); }),
    (Rule::UnpackIo,
        |b| odd(b, |alu| { alu.op_add = crate::isa::AddOp::Or; alu.write = to(waddr::ACC1); alu.raddr_a = raddr::UNIFORM; alu.add_a = crate::isa::Mux::A; alu.unpack = Unpack::U8a; }),
        |b| { b.mov(R1, ra(4).unpack(Unpack::U8a)); b.mov(R1, R4.unpack(Unpack::U8a)); }),
    (Rule::UnpackMixed,
        |b| { let a = ra(4).unpack(Unpack::U16a); b.add(R1, a, R0).fmul(R2, a, R0); },
        |b| { let a = ra(4).unpack(Unpack::U16a); b.fadd(R1, a, R0).fmul(R2, a, R0); }),
    (Rule::FlagsOfNever,
        |b| { b.sub(R0, R0, 1).setf().cond(Cond::Never); },
        |b| { b.sub(NONE, R0, 1).setf(); b.fmul(R0, R0, R0).setf(); }),
    (Rule::IdleMulWrite,
        |b| odd(b, |alu| { alu.write.cond_mul = Cond::Always; alu.write.waddr_mul = waddr::ACC3; }),
        |b| odd(b, |alu| { alu.write.cond_mul = Cond::Always; })),
    (Rule::NoRead,
        |b| odd(b, |alu| { alu.op_add = crate::isa::AddOp::Or; alu.write = to(waddr::ACC1); alu.add_a = crate::isa::Mux::B; }),
        |b| odd(b, |alu| { alu.add_a = crate::isa::Mux::B; })),
    (Rule::UnmappedRead,
        |b| odd(b, |alu| { alu.raddr_a = Raddr::from_bits(40).unwrap(); }),
        |b| odd(b, |alu| { alu.raddr_a = raddr::XY_PIXEL_COORD; })),
    (Rule::BusyRead,
        |b| odd(b, |alu| { alu.raddr_a = raddr::VPM_BUSY; }),
        |b| { b.or(NONE, LD_WAIT, ST_WAIT); }),
    (Rule::FragmentOnly,
        |b| { b.nop().signal(Signal::WaitScoreboard); },
        |b| { b.nop().signal(Signal::Breakpoint); }),
    (Rule::FragmentOnly,
        |b| odd(b, |alu| { alu.raddr_a = raddr::VARYING; }),
        |b| odd(b, |alu| { alu.raddr_a = raddr::UNIFORM; })),
    (Rule::BranchOddRegister,
        |b| b.instruction(Instruction::Branch(Branch { raddr_a: 3, ..Branch::RELATIVE })),
        |b| b.instruction(Instruction::Branch(Branch { raddr_a: 2, ..Branch::RELATIVE }))),
    (Rule::LinkOddRegister,
        |b| { let l = b.label("l"); b.brr(BranchCond::AnyZS, l).link(ra(5)); b.nops(3); b.bind(l); },
        |b| { let l = b.label("l"); b.brr(BranchCond::AnyZS, l).link(ra(4)).link(rb(5)); b.nops(3); b.bind(l); }),
    (Rule::LinkIo,
        |b| { let l = b.label("l"); b.brr(BranchCond::AnyZS, l).link(VPM); b.nops(3); b.bind(l); },
        |b| { let l = b.label("l"); b.brr(BranchCond::AnyZS, l).link(R0); b.nops(3); b.bind(l); }),
    (Rule::BranchTarget,
        |b| b.instruction(Instruction::Branch(Branch { immediate: 8000, cond_br: BranchCond::AnyZS, ..Branch::RELATIVE })),
        |b| b.instruction(Instruction::Branch(Branch { immediate: 0, cond_br: BranchCond::AnyZS, ..Branch::RELATIVE }))),
    (Rule::BranchTarget, // between instructions
        |b| b.instruction(Instruction::Branch(Branch { immediate: 4, cond_br: BranchCond::AnyZS, ..Branch::RELATIVE })),
        |b| b.instruction(Instruction::Branch(Branch { immediate: -8i32 as u32, cond_br: BranchCond::AnyZS, ..Branch::RELATIVE }))),
    (Rule::EndUniform,
        |b| { b.nop().thrend(); b.nop(); b.mov(R0, UNIF); },
        |b| { b.nop().thrend(); b.nops(2); b.mov(R0, UNIF); }),
    (Rule::EndVpm,
        |b| { b.mov(VPM, R0).thrend(); b.nops(2); },
        |b| { b.mov(VPM, R0); b.nop().thrend(); b.nops(2); }),
    (Rule::EndVpm, // waits are DMA too
        |b| { b.nop().thrend(); b.mov(NONE, ST_WAIT); b.nop(); },
        |b| { b.mov(NONE, ST_WAIT); b.nop().thrend(); b.nop(); b.nop(); }),
    (Rule::EndRegister14,
        |b| { b.nop().thrend(); b.mov(R0, rb(14)); b.nop(); },
        |b| { b.nop().thrend(); b.mov(R0, rb(13)); b.nop(); }),
    (Rule::EndRegisterWrite,
        |b| { b.mov(ra(1), R0).thrend(); b.nops(2); },
        |b| { b.mov(HOST_INT, R0).thrend(); b.mov(ra(1), R0); b.nop(); }),
    (Rule::EndBranch,
        |b| { b.nop().thrend(); b.nop().thrend(); b.nops(2); },
        |b| { b.nop().thrend(); b.nops(2); b.nop().thrend(); b.nops(2); }),
    (Rule::EndBranch,
        |b| { let l = b.here("l"); b.nop().thrend(); b.nop(); b.brr(BranchCond::AnyZS, l); },
        |b| { let l = b.here("l"); b.brr(BranchCond::AnyZS, l); b.nops(3); }),
];

/// The rules of `accounts`: pieces that show another rule do not set up all they use.
const ACCOUNTS: &[Rule] = &[
    Rule::TmuNothingToLoad,
    Rule::TmuTooMany,
    Rule::TmuUnread,
    Rule::VpmNothingToRead,
    Rule::VpmSetupIgnored,
    Rule::VpmUnread,
    Rule::SetupMissing,
    Rule::StrideMissing,
    Rule::DmaUnfinished,
    Rule::MutexTwice,
    Rule::MutexNotHeld,
    Rule::MutexHeld,
    Rule::MutexAfterVpmWrite,
];

/// Rules that a program breaks, those of `accounts` aside.
fn broken(words: &[u64]) -> Vec<Rule> {
    let mut rules = all_broken(words);
    rules.retain(|rule| !ACCOUNTS.contains(rule));
    rules.dedup();
    rules
}

fn all_broken(words: &[u64]) -> Vec<Rule> {
    check(words)
        .into_iter()
        .map(|finding| finding.rule)
        .collect()
}

/// A vector of VPM row 0, read back.
fn drain(b: &mut Builder) {
    b.ldi(RD_SETUP, 0x0010_1a00);
    b.mov(NONE, VPM);
}

/// As `CASES`, of whole programs.
#[rustfmt::skip]
const COUNTED: &[Case] = &[
    (Rule::TmuNothingToLoad,
        |b| { b.mov(TMU0_S, R0); b.nop().ldtmu0(); b.nop().ldtmu0(); },
        |b| { b.mov(TMU0_S, R0); b.mov(TMU0_S, R0); b.nop().ldtmu0(); b.nop().ldtmu0(); }),
    (Rule::TmuTooMany,
        |b| { for _ in 0..5 { b.mov(TMU1_S, R0); } for _ in 0..5 { b.nop().ldtmu1(); } },
        |b| { for _ in 0..4 { b.mov(TMU1_S, R0); b.mov(TMU0_S, R0); } for _ in 0..4 { b.nop().ldtmu1(); b.nop().ldtmu0(); } }),
    (Rule::TmuUnread,
        |b| { b.mov(TMU0_S, R0); },
        |b| { b.mov(TMU0_S, R0); b.nop().ldtmu0(); }),
    (Rule::VpmNothingToRead,
        |b| { b.ldi(RD_SETUP, 0x0010_1a00); b.mov(R0, VPM); b.mov(R0, VPM); },
        |b| { b.ldi(RD_SETUP, 0x0020_1a00); b.mov(R0, VPM); b.mov(R0, VPM); }),
    (Rule::VpmNothingToRead, // a DMA setup asks for no vector
        |b| { b.ldi(RD_SETUP, 0x8300_1000_u32); b.mov(R0, VPM); },
        |b| { b.mov(RD_SETUP, R1); b.mov(R0, VPM); b.mov(R0, VPM); }),
    (Rule::VpmSetupIgnored,
        |b| { b.ldi(RD_SETUP, 0x0020_1a00); b.ldi(RD_SETUP, 0x0010_1a00); b.mov(NONE, VPM); b.mov(NONE, VPM); },
        |b| { b.ldi(RD_SETUP, 0x0020_1a00); b.mov(NONE, VPM); drain(b); b.mov(NONE, VPM); }),
    (Rule::VpmUnread, // 0 is 16
        |b| { b.ldi(RD_SETUP, 0x0000_1a00); for _ in 0..15 { b.mov(R0, VPM); } },
        |b| { b.ldi(RD_SETUP, 0x0000_1a00); for _ in 0..16 { b.mov(R0, VPM); } }),
    (Rule::SetupMissing,
        |b| { b.mov(VPM, R0); },
        |b| { b.ldi(WR_SETUP, 0x1a00); b.mov(VPM, R0); }),
    (Rule::SetupMissing,
        |b| { b.ldi(RD_SETUP, 0x9000_0040_u32); b.mov(LD_ADDR, R0); b.mov(NONE, LD_WAIT); },
        |b| { b.ldi(RD_SETUP, 0x8300_1000_u32); b.mov(LD_ADDR, R0); b.mov(NONE, LD_WAIT); }),
    (Rule::SetupMissing,
        |b| { b.ldi(WR_SETUP, 0x1a00); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); },
        |b| { b.ldi(WR_SETUP, 0x8090_4000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); }),
    (Rule::StrideMissing, // two rows need the stride, one does not
        |b| { b.ldi(WR_SETUP, 0x8110_4000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); },
        |b| { b.ldi(WR_SETUP, 0x8110_4000_u32); b.ldi(WR_SETUP, 0xc000_0000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); }),
    (Rule::DmaUnfinished,
        |b| { b.mov(WR_SETUP, R1); b.mov(ST_ADDR, R0); b.mov(NONE, LD_WAIT); },
        |b| { b.mov(WR_SETUP, R1); b.mov(ST_ADDR, R0); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); }),
    (Rule::MutexHeld, // never given back
        |b| { b.mov(NONE, MUTEX_ACQUIRE); },
        |b| { b.mov(NONE, MUTEX_ACQUIRE); b.mov(MUTEX_RELEASE, R0); }),
    (Rule::MutexTwice, // taken twice
        |b| { b.mov(NONE, MUTEX_ACQUIRE); b.mov(NONE, MUTEX_ACQUIRE); b.mov(MUTEX_RELEASE, R0); },
        |b| { for _ in 0..2 { b.mov(NONE, MUTEX_ACQUIRE); b.mov(MUTEX_RELEASE, R0); } }),
    (Rule::MutexNotHeld, // given back without being held
        |b| { b.mov(MUTEX_RELEASE, R0); },
        |b| { b.mov(MUTEX_RELEASE, MUTEX_ACQUIRE); }),
    (Rule::MutexAfterVpmWrite,
        |b| { b.mov(WR_SETUP, R0); b.mov(VPM, R0); b.mov(NONE, MUTEX_ACQUIRE); b.mov(MUTEX_RELEASE, R0); },
        |b| { b.mov(WR_SETUP, R0); b.mov(VPM, R0); drain(b); b.mov(NONE, MUTEX_ACQUIRE); b.mov(MUTEX_RELEASE, R0); }),
    (Rule::MutexAfterVpmWrite, // a store that has been waited for took the writes along
        |b| { b.mov(WR_SETUP, R0); b.mov(VPM, R0); b.mov(NONE, ST_WAIT); b.mov(NONE, MUTEX_ACQUIRE); b.mov(MUTEX_RELEASE, R0); },
        |b| { b.mov(WR_SETUP, R0); b.mov(VPM, R0); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); b.mov(NONE, MUTEX_ACQUIRE); b.mov(MUTEX_RELEASE, R0); }),
];

#[test]
fn each_miscounting_program_breaks_its_rule_and_no_other() {
    for (number, (rule, bad, good)) in COUNTED.iter().enumerate() {
        assert_eq!(
            all_broken(&program(*bad)),
            [*rule],
            "bad program of case {number}"
        );
        assert_eq!(
            all_broken(&program(*good)),
            [],
            "good program of case {number}, {rule:?}"
        );
    }
}

#[test]
fn each_bad_program_breaks_its_rule_and_no_other() {
    for (number, (rule, bad, good)) in CASES.iter().enumerate() {
        assert_eq!(
            broken(&program(*bad)),
            [*rule],
            "bad program of case {number}"
        );
        assert_eq!(
            broken(&program(*good)),
            [],
            "good program of case {number}, {rule:?}"
        );
    }
}

#[test]
fn every_rule_has_a_case() {
    // Tested by themselves below, because their programs break a second rule or are no whole programs.
    let apart = [
        Rule::Undecodable,
        Rule::TmuAtStart,
        Rule::SemaphoreWrite,
        Rule::NoProgramEnd,
        Rule::EndTlbZ,
        Rule::NotFollowed,
    ];
    for rule in Rule::ALL.iter().filter(|rule| !apart.contains(rule)) {
        assert!(
            CASES.iter().chain(COUNTED).any(|(case, ..)| case == rule),
            "{rule:?}"
        );
    }
}

fn words(body: impl FnOnce(&mut Builder)) -> Vec<u64> {
    let mut b = Builder::new();
    body(&mut b);
    b.finish_unchecked()
        .unwrap_or_else(|error| panic!("{error}"))
}

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
fn a_branch_in_the_third_delay_slot_meets_both_targets() {
    // A's target runs three instructions as B's delay slots; then comes B's target. The write in the
    // third of them and the read at B's target follow each other.
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

#[test]
fn a_finding_says_what_and_where_and_how_to_mend_it() {
    let words = words(|b| {
        b.mov(ra(3), R0);
        b.mov(R1, ra(3));
        b.end();
    });
    assert_eq!(
        check(&words)[0].to_string(),
        "0x0008: regfile-read-after-write: ra3 was written in the instruction before and cannot be read yet; \
         to mend it, put an instruction between, or keep the value in r0..r3"
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
