//! Published words, each beside the same instruction built from fields.
//!
//! Sources: vc4asm's test/shader_1k, GPU_FFT's hex, Broadcom's OpenVG shaders (BD), asurati's QPU
//! demo, py-videocore. The left side is the meaning, in fields; the right side the word. Bits that
//! mean nothing (operands of an idle ALU, say) are part of the word and so part of the fields. The
//! text is what the disassembler writes.

use crate::isa::*;
use AddOp::*;
use Mux::{A, B, R0, R1, R2, R3, R4};

const fn read(bits: u8) -> Raddr {
    Raddr::from_low_bits(bits)
}

/// ALU instruction under construction; addresses are the six bits of the field.
struct Text(Alu);

/// Both ALUs idle, as vc4asm writes them.
const fn nop() -> Text {
    Text(Alu::NOP)
}

/// The add ALU does `op`, the mul ALU is idle.
const fn add(op: AddOp, waddr: u8, a: Mux, b: Mux) -> Text {
    let write = WriteBack {
        cond_add: Cond::Always,
        waddr_add: Waddr::from_low_bits(waddr),
        ..WriteBack::NOTHING
    };
    Text(Alu {
        op_add: op,
        add_a: a,
        add_b: b,
        write,
        ..Alu::NOP
    })
}

/// The mul ALU does `op`, the add ALU is idle.
const fn mul(op: MulOp, waddr: u8, a: Mux, b: Mux) -> Text {
    nop().mul(op, waddr, a, b)
}

impl Text {
    const fn mul(mut self, op: MulOp, waddr: u8, a: Mux, b: Mux) -> Self {
        self.0.op_mul = op;
        self.0.mul_a = a;
        self.0.mul_b = b;
        self.0.write.cond_mul = Cond::Always;
        self.0.write.waddr_mul = Waddr::from_low_bits(waddr);
        self
    }

    const fn a(mut self, raddr: u8) -> Self {
        self.0.raddr_a = read(raddr);
        self
    }

    const fn b(mut self, raddr: u8) -> Self {
        self.0.raddr_b = RaddrB::Register {
            raddr: read(raddr),
            signal: self.0.signal(),
        };
        self
    }

    const fn signal(mut self, signal: Signal) -> Self {
        self.0.raddr_b = RaddrB::Register {
            raddr: self.0.read_b(),
            signal,
        };
        self
    }

    /// Small immediate code.
    const fn small(mut self, code: u8) -> Self {
        self.0.raddr_b = RaddrB::SmallImmediate(SmallImmediate::from_low_bits(code));
        self
    }

    /// Mux fields of an ALU that is idle, or whose second operand does not count.
    const fn mux(mut self, add_a: Mux, add_b: Mux, mul_a: Mux, mul_b: Mux) -> Self {
        self.0.add_a = add_a;
        self.0.add_b = add_b;
        self.0.mul_a = mul_a;
        self.0.mul_b = mul_b;
        self
    }

    const fn cond(mut self, cond_add: Cond, cond_mul: Cond) -> Self {
        self.0.write.cond_add = cond_add;
        self.0.write.cond_mul = cond_mul;
        self
    }

    const fn sf(mut self) -> Self {
        self.0.write.sf = true;
        self
    }

    const fn ws(mut self) -> Self {
        self.0.write.ws = true;
        self
    }

    const fn end(self) -> Instruction {
        Instruction::Alu(self.0)
    }
}

const fn ldi(ws: bool, waddr: u8, immediate: u32) -> Instruction {
    let write = WriteBack {
        cond_add: Cond::Always,
        ws,
        waddr_add: Waddr::from_low_bits(waddr),
        ..WriteBack::NOTHING
    };
    Instruction::LoadImmediate(LoadImmediate {
        kind: LoadImmediateKind::Word,
        write,
        immediate,
    })
}

const fn semaphore(action: SemaphoreAction, number: u8) -> Instruction {
    match Semaphore::new(action, number) {
        Some(semaphore) => Instruction::Semaphore(semaphore),
        None => panic!("semaphore number"),
    }
}

const fn brr(cond_br: BranchCond, link: u8, offset: i32) -> Instruction {
    let (waddr_add, immediate) = (Waddr::from_low_bits(link), offset as u32);
    Instruction::Branch(Branch {
        cond_br,
        waddr_add,
        immediate,
        ..Branch::RELATIVE
    })
}

const fn bra(waddr_add: u8, waddr_mul: u8, raddr_a: u8) -> Instruction {
    let (waddr_add, waddr_mul) = (
        Waddr::from_low_bits(waddr_add),
        Waddr::from_low_bits(waddr_mul),
    );
    Instruction::Branch(Branch {
        rel: false,
        reg: true,
        raddr_a,
        waddr_add,
        waddr_mul,
        ..Branch::RELATIVE
    })
}

/// py-videocore's nop: operation nop with a live address and condition.
const PY_NOP: Instruction = add(Nop, 32, R0, R0).end();

use Cond::{Always, Never, ZC, ZS};
use MulOp::{Fmul, Mul24, V8adds as V8addsMul, V8min};
use SemaphoreAction::{Decrement, Increment};

#[rustfmt::skip]
pub(crate) const WORDS: &[(&str, Instruction, u64)] = &[
    ("nop",                                 nop().end(), 0x100009e7_009e7000),
    ("nop; thrend",                         nop().signal(Signal::ProgramEnd).end(), 0x300009e7_009e7000),
    ("nop; ldtmu0",                         nop().signal(Signal::LoadTmu0).end(), 0xa00009e7_009e7000),
    ("or host_int, 1, 1",                   add(Or, 38, B, B).small(1).end(), 0xd00209a7_159c1fc0),
    ("mov host_int, rb3",                   add(Or, 38, B, B).b(3).end(), 0x100209a7_159c3fc0),
    ("mov r0, unif",                        add(Or, 32, A, A).a(32).end(), 0x10020827_15827d80),
    ("mov rb5, unif",                       add(Or, 5, A, A).a(32).ws().end(), 0x10021167_15827d80),
    ("ldi r3, 128",                         ldi(false, 35, 128), 0xe00208e7_00000080),
    ("ldi ra30, 0x5555",                    ldi(false, 30, 0x5555), 0xe00207a7_00005555),
    ("ldi rb27, 16",                        ldi(true, 27, 16), 0xe00216e7_00000010),
    ("ldi wr_setup, vdw_setup_1(192)",       ldi(true, 49, 0xc000_00c0), 0xe0021c67_c00000c0),
    ("ldi rd_setup, vdr_setup_0(64, 16, 4, vdr_v32(16, 0, 15))", ldi(false, 49, 0x8304_080f), 0xe0020c67_8304080f),
    ("mov ra10, r4",                        add(Or, 10, R4, R4).end(), 0x100202a7_159e7900),
    ("mov rb10, r4",                        add(Or, 10, R4, R4).ws().end(), 0x100212a7_159e7900),
    ("add r1, r0, 4",                       add(Add, 33, R0, B).small(4).end(), 0xd0020867_0c9c41c0),
    ("shl r2, elem_num, 3",                 add(Shl, 34, A, B).a(38).small(3).end(), 0xd00208a7_11983dc0),
    ("add tmu0_s, r0, r2",                  add(Add, 56, R0, R2).end(), 0x10020e27_0c9e7080),
    ("add r0, r0, r3; ldtmu0",              add(Add, 32, R0, R3).signal(Signal::LoadTmu0).end(), 0xa0020827_0c9e70c0),
    ("nop; mul24 r2, r2, rb5",              mul(Mul24, 34, R2, B).b(5).end(), 0x100049e2_409c5017),
    ("add ra27, r0, r2; v8adds r0, r0, r1", add(Add, 27, R0, R2).mul(V8addsMul, 32, R0, R1).end(), 0x100246e0_cc9e7081),
    ("add rb2, r0, r2; v8adds r0, r0, r1",  add(Add, 2, R0, R2).mul(V8addsMul, 32, R0, R1).ws().end(), 0x100250a0_cc9e7081),
    ("fadd vpm, ra9, r0",                   add(Fadd, 48, A, R0).a(9).end(), 0x10020c27_01267c00),
    ("fadd vpm, rb9, r1",                   add(Fadd, 48, B, R1).b(9).end(), 0x10020c27_019c9e40),
    ("fsub vpm, ra9, r0",                   add(Fsub, 48, A, R0).a(9).end(), 0x10020c27_02267c00),
    ("fsub r0, ra2, r2; fmul r1, r0, rb16", add(Fsub, 32, A, R2).mul(Fmul, 33, R0, B).a(2).b(16).end(), 0x10024821_22090c87),
    ("fsub.ifnz r0, ra2, r2; fmul.ifnz r3, rb17, r0", add(Fsub, 32, A, R2).mul(Fmul, 35, B, R0).a(2).b(17).cond(ZC, ZC).end(), 0x1006c823_22091cb8),
    ("fadd r2, r0, r2; fmul r3, r3, ra12",  add(Fadd, 34, R0, R2).mul(Fmul, 35, R3, A).a(12).end(), 0x100248a3_2132709e),
    ("and.setf -, elem_num, 1",             add(And, 39, A, B).a(38).small(1).sf().end(), 0xd00229e7_14981dc0),
    ("and.setf -, elem_num, 1; mov r2, r0", add(And, 39, A, B).mul(V8min, 34, R0, R0).a(38).small(1).sf().end(), 0xd00269e2_94981dc0),
    ("fadd.ifnz r1, r1, r3; mov r2, r0 << 1", add(Fadd, 33, R1, R3).mul(V8min, 34, R0, R0).small(63).cond(ZC, Always).end(), 0xd0064862_819ff2c0),
    ("fadd.ifz r0, r2, r0; mov r3, r0 >> 1", add(Fadd, 32, R2, R0).mul(V8min, 35, R0, R0).small(49).cond(ZS, Always).end(), 0xd0044823_819f1400),
    ("mov ra17, r2; mov.ifnz r2, r2 >> 1", add(Or, 17, R2, R2).mul(V8min, 34, R2, R2).small(49).cond(Always, ZC).end(), 0xd002c462_959f1492),
    ("shr.setf -, ra7, 10",                 add(Shr, 39, A, B).a(7).small(10).sf().end(), 0xd00229e7_0e1cadc0),
    ("sub.setf r3, r2, 4",                  add(Sub, 35, R2, B).small(4).sf().end(), 0xd00228e7_0d9c45c0),
    ("not ra0, ra0",                        add(Not, 0, A, A).a(0).end(), 0x10020027_17027d80),
    ("mov wr_setup, ra27",                  add(Or, 49, A, A).a(27).ws().end(), 0x10021c67_156e7d80),
    ("mov rd_setup, ra27",                  add(Or, 49, A, A).a(27).end(), 0x10020c67_156e7d80),
    ("add ra1, ra1, rb28; mov st_addr, ra1", add(Add, 1, A, B).mul(V8min, 50, A, A).a(1).b(28).end(), 0x10024072_8c05cdf6),
    ("or -, ld_wait, r0",                   add(Or, 39, A, R0).a(50).end(), 0x100209e7_15ca7c00),
    ("or -, st_wait, r0",                   add(Or, 39, B, R0).b(50).end(), 0x100209e7_159f2e00),
    ("or ra0, vpm, 0",                      add(Or, 0, A, A).a(48).small(0).mux(A, B, R0, R0).end(), 0xd0020027_15c00dc0),
    ("srel -, 1",                              semaphore(Increment, 1), 0xe80009e7_00000001),
    ("sacq -, 9",                              semaphore(Decrement, 9), 0xe80009e7_00000019),
    ("brr ra4, 200",                       brr(BranchCond::Always, 4, 200), 0xf0f80127_000000c8),
    ("brr -, -1064",                        brr(BranchCond::Always, 39, -1064), 0xf0f809e7_fffffbd8),
    ("bra -, ra8",                          bra(39, 39, 8), 0xf0f509e7_00000000),
    ("bra ra8, ra6",                        bra(8, 39, 6), 0xf0f4c227_00000000),
    ("brr.allz -, -1264",                   brr(BranchCond::AllZS, 39, -1264), 0xf00809e7_fffffb10),
    ("brr.anyz -, 72",                     brr(BranchCond::AnyZS, 39, 72), 0xf02809e7_00000048),
    ("ldi vpm, -1",                         ldi(false, 48, u32::MAX), 0xe0020c27_ffffffff),
    ("ldi host_int, 1",                     ldi(false, 38, 1), 0xe00209a7_00000001),
    ("ldi rd_setup, vdr_setup_0(64, 16, 2, vdr_h32(16, 15, 0))", ldi(false, 49, 0x8302_00f0), 0xe0020c67_830200f0),
    ("ldi rd_setup, vdr_setup_0(0, 2, 3, vdr_h32(5, 0, 0))", ldi(false, 49, 0x8023_5000), 0xe0020c67_80235000),
    ("ldi rd_setup, vdr_setup_1(8)", ldi(false, 49, 0x9000_0008), 0xe0020c67_90000008),
    ("ldi wr_setup, vpm_setup(1, 64, h32(1))", ldi(true, 49, 0x0010_0a01), 0xe0021c67_00100a01),
    ("ldi wr_setup, vdw_setup_0(1, 1, dma_h32(1, 0))", ldi(true, 49, 0x8081_4080), 0xe0021c67_80814080),
    ("ldi ld_addr, 0x40001000",             ldi(false, 50, 0x4000_1000), 0xe0020ca7_40001000),
    ("ldi st_addr, 0x40001000",             ldi(true, 50, 0x4000_1000), 0xe0021ca7_40001000),
    ("mov -, ld_wait",        add(Or, 39, A, A).a(50).cond(Never, Never).end(), 0x100009e7_15ca7d80),
    ("mov -, st_wait",        add(Or, 39, B, B).b(50).cond(Never, Never).end(), 0x100009e7_159f2fc0),
    ("nop",                  PY_NOP, 0x10020827_009e7000),
];

#[test]
fn fields_give_the_published_word() {
    for (text, instruction, word) in WORDS {
        assert_eq!(
            instruction.encode(),
            *word,
            "{text}: {:#018x}",
            instruction.encode()
        );
    }
}

#[test]
fn published_words_decode_to_those_fields() {
    for (text, instruction, word) in WORDS {
        assert_eq!(decode(*word), Ok(*instruction), "{text}");
    }
}
