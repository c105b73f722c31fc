//! Rules of an instruction and of what stands near it.

use super::*;
use crate::isa::{Branch, BranchCond, MulPack, Pack, Raddr, RaddrB, Signal, Unpack, raddr, waddr};

/// `or.setf -, nop, nop`, as in waits whose value goes nowhere.
fn unread_flags(alu: &mut Alu) {
    alu.op_add = crate::isa::AddOp::Or;
    alu.write = to(waddr::NOP);
    alu.write.sf = true;
    alu.add_a = crate::isa::Mux::B;
}

#[rustfmt::skip]
pub(super) const CASES: &[Case] = &[
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
    (Rule::RotationSource, // << 3 into one lane takes it from the same quad
        |b| { b.mov(R0, R1); b.mov(R5_ALL, R0).rotate(12); },
        |b| { b.mov(R0, R1); b.mov(R5_ALL, R0).rotate(13); }),
    (Rule::RotationSource, // a scalar is written, and another taken
        |b| { b.mov(R0, R1); b.mov(R5_ALL, R0).rotate(4); },
        |b| { b.mov(R0, R1).ifz(); b.mov(R5_ALL, R0).rotate(4); }),
    (Rule::RotationSource, // all lanes are taken, that one too
        |b| { b.mov(R0, R1).ifz(); b.mov(R2, R0).rotate(4); },
        |b| { b.mov(R0, R1).ifz(); b.nop(); b.mov(R2, R0).rotate(4); }),
    (Rule::RegisterFile, // the same of a register
        |b| { b.mov(ra(3), R1).ifz(); b.mov(R2, R1).mov(R1, ra(3)); },
        |b| { b.mov(ra(3), R1).ifz(); odd(b, |alu| rotate_ra3(alu, 15)); }),
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
    (Rule::TmuUniform, // s belongs to the coordinates before it
        |b| { b.mov(TMU1_T, R0); b.mov(TMU1_S, UNIF); b.nop().ldtmu1(); },
        |b| { b.mov(TMU1_T, R0); b.mov(TMU1_S, R0); b.mov(TMU1_S, UNIF); b.mov(TMU0_S, UNIF); b.nops(2); }),
    (Rule::BothSetups,
        |b| { b.mov(RD_SETUP, R0).mov(WR_SETUP, R1); },
        |b| { b.mov(LD_ADDR, R0).mov(ST_ADDR, R1); }),
    (Rule::VpmReadAndSetup,
        |b| { b.mov(R0, VPM).mov(WR_SETUP, R1); },
        |b| { b.mov(R0, VPM).mov(ra(2), R1); }),
    (Rule::VpmWriteAndSetup,
        |b| { b.mov(VPM, R0).mov(WR_SETUP, R1); },
        |b| { b.mov(VPM, R0); b.mov(WR_SETUP, R1); }),
    (Rule::TmuLoadAndVpm,
        |b| { b.mov(R0, VPM).ldtmu0(); },
        |b| { b.mov(R1, R0).ldtmu0(); }),
    (Rule::TmuLoadBesideVpm,
        |b| { b.mov(VPM, R0).ldtmu0(); },
        |b| { b.mov(VPM, R0); b.mov(R1, R0).ldtmu0(); }),
    (Rule::TmuLoadBesideVpm,
        |b| { b.mov(NONE, ST_WAIT).ldtmu1(); },
        |b| { b.mov(NONE, ST_WAIT); }),
    (Rule::SameDestination,
        |b| { b.mov(R0, R1).mov(R0, R2); },
        |b| { b.mov(R0, R1).ifz().mov(R0, R2).ifnz(); b.mov(ra(7), R1).mov(rb(7), R2); }),
    (Rule::SameDestination, // a result cannot be zero and negative
        |b| { b.mov(R0, R1).ifz().mov(R0, R2).ifnn(); },
        |b| { b.mov(R0, R1).ifz().mov(R0, R2).ifn(); b.mov(R0, R1).ifn().mov(R0, R2).ifz(); }),
    (Rule::SameDestination, // one value twice, as at the end of py-videocore's programs, is harmless
        |b| { b.mov(R0, R0).v8adds(R0, R0, R0); },
        |b| { b.mov(R0, R0).mov(R0, R0); }),
    (Rule::SameDestination, // opposite conditions do not help a peripheral, nor r5 two names
        |b| { b.mov(R5_QUAD, R1).mov(R5_ALL, R2); },
        |b| { b.mov(R5_QUAD, R1); b.mov(R5_ALL, R2); }),
    (Rule::SameRead,
        |b| odd(b, |alu| { alu.raddr_a = raddr::UNIFORM; alu.raddr_b = RaddrB::Register { raddr: raddr::UNIFORM, signal: Signal::None }; }),
        |b| { b.mov(R0, UNIF).fmul(R1, UNIF, UNIF); }),
    (Rule::ConditionalPeripheral,
        |b| { b.mov(TMU0_S, R0).ifz(); },
        |b| { b.mov(HOST_INT, R0).ifz(); }),
    (Rule::ConditionalPeripheral, // the lanes of an SFU function are independent
        |b| { b.mov(VPM, R0).ifn(); },
        |b| { b.mov(SFU_RECIP, R0).ifn(); b.nops(2); }),
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
    (Rule::RotationInQuad, // into one lane, << 1 to << 3 are the same
        |b| odd(b, |alu| rotate_ra3(alu, 12)),
        |b| odd(b, |alu| rotate_ra3(alu, 13))),
    (Rule::PackToPeripheral,
        |b| { b.v8max(VPM, R0, R1).pack_mul(MulPack::P8b); },
        |b| { b.v8max(rb(3), R0, R1).pack_mul(MulPack::P8b); b.v8max(VPM, R0, R1).pack_mul(MulPack::P8888); b.v8max(VPM, R0, R1).pack_mul(MulPack::P8a); }),
    (Rule::PackReserved, // reserved code
        |b| odd(b, |alu| { alu.write.pm = true; alu.write.pack = Pack::P16a; }),
        |b| odd(b, |alu| { alu.write.pm = true; })),
    (Rule::PackUndocumented, // vc4asm's code of .8a
        |b| odd(b, |alu| { alu.write.pm = true; alu.write.pack = Pack::P8as; }),
        |b| odd(b, |alu| { alu.write.pm = true; alu.write.pack = Pack::P8a; })),
    (Rule::PackWithoutFileA,
        |b| odd(b, |alu| { alu.op_add = crate::isa::AddOp::Or; alu.write = to(waddr::ACC1); alu.write.pack = Pack::P16a; }),
        |b| { b.mov(ra(5).pack(Pack::P16a), R0); b.mov(R1, R2).mov(ra(6).pack(Pack::P8b), R2); }),
    (Rule::PackKind, // the low byte of a float's bits; of an integer it is its low byte
        |b| { b.fadd(ra(5).pack(Pack::P8a), R0, R1); },
        |b| { b.ftoi(ra(5).pack(Pack::P8a), R0); b.fadd(ra(6).pack(Pack::P16a), R0, R1); }),
    (Rule::PackKind, // .8as on the mul ALU with a destination in file A, where .8asf makes a colour
        |b| { b.fmul(ra(5).pack(Pack::P8as), R0, R1); },
        |b| { b.fmul(ra(5), R0, R1).pack_mul(MulPack::P8a); }),
    (Rule::PackKind, // an integer is no colour
        |b| { b.mul24(R2, R0, R1).pack_mul(MulPack::P8a); },
        |b| { b.mul24(ra(5).pack(Pack::P8a), R0, R1); }),
    (Rule::UnpackKind, // bytes of r4 are floats
        |b| { b.add(R2, R4.unpack(Unpack::U8a), R1); },
        |b| { b.fadd(R2, R4.unpack(Unpack::U8a), R1); b.add(R2, ra(4).unpack(Unpack::U8a), R1); b.add(R2, R4.unpack(Unpack::U8dr), R1); }),
    (Rule::UnpackIo,
        |b| odd(b, |alu| { alu.op_add = crate::isa::AddOp::Or; alu.write = to(waddr::ACC1); alu.raddr_a = raddr::UNIFORM; alu.add_a = crate::isa::Mux::A; alu.unpack = Unpack::U8a; }),
        |b| { b.mov(R1, ra(4).unpack(Unpack::U8a)); b.mov(R1, R4.unpack(Unpack::U8a)); }),
    (Rule::UnpackMixed,
        |b| { let a = ra(4).unpack(Unpack::U16a); b.add(R1, a, R0).fmul(R2, a, R0); },
        |b| { let a = ra(4).unpack(Unpack::U16a); b.fadd(R1, a, R0).fmul(R2, a, R0); }),
    (Rule::UnpackMixed,
        |b| { let a = ra(4).unpack(Unpack::U8d); b.add(R1, a, R0).fmul(R2, a, R0); },
        |b| { let a = ra(4).unpack(Unpack::U8dr); b.add(R1, a, R0).fmul(R2, a, R0); }),
    (Rule::FlagsOfNever,
        |b| { b.sub(R0, R0, 1).setf().cond(Cond::Never); },
        |b| { b.sub(NONE, R0, 1).setf(); b.fmul(R0, R0, R0).setf(); }),
    (Rule::IdleMulWrite,
        |b| odd(b, |alu| { alu.write.cond_mul = Cond::Always; alu.write.waddr_mul = waddr::ACC3; }),
        |b| odd(b, |alu| { alu.write.cond_mul = Cond::Always; })),
    (Rule::NoRead,
        |b| odd(b, |alu| { alu.op_add = crate::isa::AddOp::Or; alu.write = to(waddr::ACC1); alu.add_a = crate::isa::Mux::B; }),
        |b| odd(b, |alu| { alu.add_a = crate::isa::Mux::B; })),
    (Rule::NoRead, // nothing comes of flags that nobody asks for
        |b| { odd(b, unread_flags); b.mov(R1, R0).ifz(); },
        |b| { odd(b, unread_flags); b.sub(NONE, R0, 1).setf(); b.mov(R1, R0).ifz(); }),
    (Rule::NoRead, // by way of a branch, and of what stands in its delay slots
        |b| { let l = b.label("l"); odd(b, unread_flags); b.brr(BranchCond::Always, l); b.nops(3); b.sub(NONE, R0, 1).setf(); b.nops(3); b.end(); b.bind(l); b.mov(R1, R0).ifc(); },
        |b| { let l = b.label("l"); odd(b, unread_flags); b.brr(BranchCond::Always, l); b.nops(2); b.sub(NONE, R0, 1).setf(); b.mov(R1, R0).ifc(); b.nops(3); b.end(); b.bind(l); b.mov(R1, R0).ifc(); }),
    (Rule::NoRead, // in the last instructions of a program, not behind them
        |b| { odd(b, unread_flags); b.nop().thrend(); b.nop(); b.mov(R1, R0).ifz(); b.mov(R1, R0).ifz(); },
        |b| { odd(b, unread_flags); b.nop().thrend(); b.nops(2); b.mov(R1, R0).ifz(); }),
    (Rule::NoRead, // where a subroutine returns to is not looked for
        |b| { let f = b.label("f"); b.brr(BranchCond::Always, f).link(ra(2)); b.nops(3); b.nops(2); b.end();
              b.bind(f); odd(b, unread_flags); b.nop(); b.bra(BranchCond::Always, ra(2)); b.nops(3); },
        |b| { let f = b.label("f"); b.brr(BranchCond::Always, f).link(ra(2)); b.nops(3); b.nops(2); b.end();
              b.bind(f); odd(b, unread_flags); b.sub(NONE, R0, 1).setf(); b.bra(BranchCond::Always, ra(2)); b.nops(3); }),
    (Rule::NoRead, // flags are set again in some lanes only
        |b| { odd(b, unread_flags); b.sub(NONE, R0, 1).ifz().setf(); },
        |b| odd(b, unread_flags)),
    (Rule::NoRead, // of the mul ALU, beside an idle add ALU
        |b| { odd(b, |alu| { alu.op_mul = crate::isa::MulOp::V8min; alu.write.sf = true; alu.mul_b = crate::isa::Mux::B; }); b.mov(R1, R0).ifz(); },
        |b| odd(b, |alu| { alu.op_mul = crate::isa::MulOp::V8min; alu.mul_b = crate::isa::Mux::B; })),
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
        |b| { b.instruction(Instruction::Branch(Branch { raddr_a: 3, ..Branch::RELATIVE })); b.nops(3); b.mov(R1, R0).ifz(); },
        |b| { b.instruction(Instruction::Branch(Branch { raddr_a: 2, ..Branch::RELATIVE })); b.nops(3); b.mov(R1, R0).ifz(); }),
    (Rule::BranchOddRegister, // nothing asks for flags, as in asurati's shaders
        |b| { b.instruction(Instruction::Branch(Branch { raddr_a: 3, ..Branch::RELATIVE })); b.nops(3); b.mov(NONE, R0).ifz().setf(); },
        |b| { b.instruction(Instruction::Branch(Branch { raddr_a: 3, ..Branch::RELATIVE })); b.nops(3); b.mov(NONE, R0).setf(); }),
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
    (Rule::EndBranch, // the instruction after thrend is the branch's target
        |b| { let l = b.label("l"); b.brr(BranchCond::Always, l); b.nops(2); b.nop().thrend(); b.nops(2); b.bind(l); b.nop().thrend(); b.nops(2); },
        |b| { let l = b.label("l"); b.brr(BranchCond::Always, l); b.nops(2); b.nop().thrend(); b.nop().thrend(); b.bind(l); b.nops(2); }),
    (Rule::EndUniform, // what stands behind the last delay slot does not follow it
        |b| { let l = b.label("l"); b.brr(BranchCond::Always, l); b.nop(); b.nop().thrend(); b.nops(3); b.bind(l); b.mov(R0, UNIF); },
        |b| { let l = b.label("l"); b.brr(BranchCond::Always, l); b.nop(); b.nop().thrend(); b.nop(); b.mov(R0, UNIF); b.nop(); b.bind(l); b.nop(); }),
    (Rule::EndBranch,
        |b| { let l = b.here("l"); b.nop().thrend(); b.nop(); b.brr(BranchCond::AnyZS, l); },
        |b| { let l = b.here("l"); b.brr(BranchCond::AnyZS, l); b.nops(3); }),
];

/// Makes a `nop` into `mov r5all, ra3 >> by`.
fn rotate_ra3(alu: &mut Alu, by: u8) {
    use crate::isa::{MulOp, Mux, SmallImmediate};
    alu.op_mul = MulOp::V8min;
    alu.raddr_a = Raddr::from_bits(3).unwrap();
    alu.raddr_b = RaddrB::SmallImmediate(SmallImmediate::from_rotation(by).unwrap());
    (alu.mul_a, alu.mul_b) = (Mux::A, Mux::A);
    (alu.write.cond_mul, alu.write.waddr_mul) = (Cond::Always, waddr::ACC5);
}
