//! Rules of accounts over whole programs: what was asked for and taken, held and given back.

use super::*;
use crate::isa::BranchCond;

/// A vector of VPM row 0, read back.
fn drain(b: &mut Builder) {
    b.ldi(RD_SETUP, 0x0010_1a00);
    b.mov(NONE, VPM);
}

/// The counterpart of `CASES` for whole programs.
#[rustfmt::skip]
pub(super) const COUNTED: &[Case] = &[
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
    (Rule::VpmNothingToRead, // rows are added to a setup of DMA; a setup of vectors is kept in a register
        |b| { b.ldi(R2, 0x8301_1000_u32); b.add(RD_SETUP, R2, R1); b.mov(R0, VPM); },
        |b| { b.ldi(ra(3), 0x0020_1a00); b.nop(); b.mov(RD_SETUP, ra(3)); b.mov(R0, VPM); b.mov(R0, VPM); }),
    (Rule::VpmUnread, // of what a sum or a condition makes nothing is known
        |b| { b.ldi(R2, 0x0020_1a00); b.mov(RD_SETUP, R2); b.mov(R0, VPM); },
        |b| { b.ldi(R2, 0x0020_1a00); b.mov(R2, R1).ifz(); b.mov(RD_SETUP, R2); b.mov(R0, VPM); b.ldi(R2, 0x0020_1a00); b.add(RD_SETUP, R2, R1); }),
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
    (Rule::SetupUnknown, // SIZE 3
        |b| { b.ldi(WR_SETUP, 0x1b00); b.mov(VPM, R0); },
        |b| { b.ldi(WR_SETUP, 0x1a00); b.mov(VPM, R0); }),
    (Rule::SetupUnknown,
        |b| { b.ldi(RD_SETUP, 0x0010_1b00); b.mov(R0, VPM); },
        |b| { b.ldi(RD_SETUP, 0x0010_1900); b.mov(R0, VPM); }),
    (Rule::SetupUnknown, // bits 31:30 are 1, kept in a register
        |b| { b.ldi(R2, 0x4000_1a00); b.mov(RD_SETUP, R2); },
        |b| { b.ldi(R2, 0x9000_0040_u32); b.mov(RD_SETUP, R2); }),
    (Rule::SetupUnknown, // MODEW 1
        |b| { b.ldi(WR_SETUP, 0x8090_4001_u32); },
        |b| { b.ldi(WR_SETUP, 0x8090_4002_u32); }),
    (Rule::SetupUnknown, // LANED
        |b| { b.ldi(WR_SETUP, 0x8090_c000_u32); },
        |b| { b.ldi(WR_SETUP, 0xc000_8001_u32); }),
    (Rule::StrideMissing, // two rows need the stride, one does not
        |b| { b.ldi(WR_SETUP, 0x8110_4000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); },
        |b| { b.ldi(WR_SETUP, 0x8110_4000_u32); b.ldi(WR_SETUP, 0xc000_0000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); }),
    (Rule::StrideMissing, // what is added may make it the stride
        |b| { b.ldi(R2, 0x8110_4000_u32); b.mov(WR_SETUP, R2); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); },
        |b| { b.ldi(R2, 0x8110_4000_u32); b.or(WR_SETUP, R2, R1); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); }),
    (Rule::ColumnPassesBlock, // depth 32, and depth 16
        |b| { b.ldi(WR_SETUP, 0x8820_0000_u32); b.ldi(WR_SETUP, 0xc000_0000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); },
        |b| { b.ldi(WR_SETUP, 0x8810_0000_u32); b.ldi(WR_SETUP, 0xc000_0000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); }),
    (Rule::ColumnPassesBlock, // row 8 of a block, in a register
        |b| { b.ldi(R2, 0x8810_0400_u32); b.mov(WR_SETUP, R2); b.ldi(WR_SETUP, 0xc000_0000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); },
        |b| { b.ldi(R2, 0x8808_0400_u32); b.mov(WR_SETUP, R2); b.ldi(WR_SETUP, 0xc000_0000_u32); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); }),
    (Rule::SetupMissing, // a store says nothing of VPM writes
        |b| { b.ldi(R2, 0x8110_4000_u32); b.add(WR_SETUP, R2, R1); b.mov(VPM, R0); },
        |b| { b.ldi(R2, 0x1a00); b.add(WR_SETUP, R2, R1); b.mov(VPM, R0); }),
    (Rule::DmaUnfinished,
        |b| { b.mov(WR_SETUP, R1); b.mov(ST_ADDR, R0); b.mov(NONE, LD_WAIT); },
        |b| { b.mov(WR_SETUP, R1); b.mov(ST_ADDR, R0); b.mov(ST_ADDR, R0); b.mov(NONE, ST_WAIT); }),
    (Rule::DmaNotAwaited, // the row is still filled
        |b| { b.ldi(RD_SETUP, 0x8301_1050_u32); b.mov(LD_ADDR, R0); b.ldi(RD_SETUP, 0x0010_1a05); b.mov(R1, VPM); b.mov(NONE, LD_WAIT); },
        |b| { b.ldi(RD_SETUP, 0x8301_1050_u32); b.mov(LD_ADDR, R0); b.ldi(RD_SETUP, 0x0010_1a06); b.mov(R1, VPM); b.mov(NONE, LD_WAIT); }),
    (Rule::DmaNotAwaited, // the second load waits for the first
        |b| { b.ldi(RD_SETUP, 0x8301_1050_u32); b.mov(LD_ADDR, R0); b.mov(LD_ADDR, R0); b.ldi(RD_SETUP, 0x0010_1a05); b.mov(R1, VPM); b.mov(NONE, LD_WAIT); },
        |b| { b.ldi(RD_SETUP, 0x8301_1050_u32); b.mov(LD_ADDR, R0); b.ldi(RD_SETUP, 0x8301_1060_u32); b.mov(LD_ADDR, R0);
              b.ldi(RD_SETUP, 0x0010_1a05); b.mov(R1, VPM); b.mov(NONE, LD_WAIT); }),
    (Rule::DmaNotAwaited, // a loop writes what the round before stores
        |b| { let l = b.here("l"); b.ldi(WR_SETUP, 0x1a00); b.mov(VPM, R0); b.ldi(WR_SETUP, 0x8090_4000_u32); b.mov(ST_ADDR, R0);
              b.brr(BranchCond::AnyZS, l); b.nops(3); b.mov(NONE, ST_WAIT); },
        |b| { let l = b.here("l"); b.ldi(WR_SETUP, 0x1a00); b.mov(VPM, R0); b.ldi(WR_SETUP, 0x8090_4000_u32); b.mov(ST_ADDR, R0);
              b.brr(BranchCond::AnyZS, l); b.nops(2); b.mov(NONE, ST_WAIT); }),
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
