//! Conditions, flags, pack, unpack, rotation, immediates and left-overs.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{
    AddOp, Alu, Cond, Instruction, MulOp, MulPack, Mux, Pack, Unpack, WriteBack, waddr,
};

#[test]
fn conditions_use_old_flags_and_gate_lanes() {
    let rows = rows(|b| {
        b.mov(R0, ELEM_NUM);
        b.sub(R1, R0, 8).setf(); // N: 0..7, Z: 8, C (borrow): 0..7
        b.ldi(R2, 0u32);
        b.mov(R2, 1).ifn();
        show(b, R2);
        b.ldi(R2, 0u32);
        b.mov(R2, 1).ifz();
        show(b, R2);
        b.ldi(R2, 0u32);
        b.mov(R2, 1).ifnc();
        show(b, R2);
        // The condition of an instruction that sets flags is that of the flags before it.
        b.sub(R3, R0, R0).setf().ifn();
        b.ldi(R2, 0u32);
        b.mov(R2, 1).ifz();
        show(b, R2);
    });
    assert_eq!(rows[0], std::array::from_fn(|lane| u32::from(lane < 8)));
    assert_eq!(rows[1], std::array::from_fn(|lane| u32::from(lane == 8)));
    assert_eq!(rows[2], std::array::from_fn(|lane| u32::from(lane >= 8)));
    assert_eq!(
        rows[3],
        std::array::from_fn(|lane| u32::from(lane <= 8)),
        "lanes 9.. keep their flags"
    );
}

#[test]
fn flags_come_from_the_add_alu_unless_it_is_idle() {
    let rows = rows(|b| {
        b.mov(R0, ELEM_NUM);
        b.sub(R1, R0, R0).setf().v8min(R2, R0, R0); // add: all zero
        b.ldi(R3, 0u32);
        b.mov(R3, 1).ifz();
        show(b, R3);
        b.nop().v8min(R2, R0, R0).setf(); // mul alone: zero in lane 0
        b.ldi(R3, 0u32);
        b.mov(R3, 1).ifz();
        show(b, R3);
        b.ldi(NONE, 0x8000_0000u32).setf();
        b.ldi(R3, 0u32);
        b.mov(R3, 1).ifn();
        show(b, R3);
    });
    assert_eq!(rows[0], [1; 16]);
    assert_eq!(rows[1], std::array::from_fn(|lane| u32::from(lane == 0)));
    assert_eq!(rows[2], [1; 16]);
}

#[test]
fn flags_with_condition_never_change_nothing() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.mov(R0, ELEM_NUM);
        b.mov(NONE, R0).setf();
        b.sub(R1, R0, R0).setf().cond(Cond::Never);
        b.ldi(R3, 0u32);
        b.mov(R3, 1).ifz();
        show(b, R3);
    });
    assert_eq!(
        result.rows[0],
        std::array::from_fn(|lane| u32::from(lane == 0))
    );
    assert_eq!(result.rules, ["flags-cond-never"]);
}

#[test]
fn load_immediate_per_element() {
    let signed: [i32; 16] = std::array::from_fn(|lane| [-2, -1, 0, 1][lane % 4]);
    let unsigned: [i32; 16] = std::array::from_fn(|lane| (lane % 4) as i32);
    let rows = rows(|b| {
        b.ldi_signed(R0, signed).also(rb(3));
        b.ldi_unsigned(R1, unsigned);
        show(b, R0);
        show(b, R1);
        show(b, rb(3));
    });
    assert_eq!(rows[0], signed.map(|value| value as u32));
    assert_eq!(rows[1], unsigned.map(|value| value as u32));
    assert_eq!(rows[2], rows[0]);
}

#[test]
fn packs_keep_the_other_bytes_and_unpacks_widen() {
    let rows = rows(|b| {
        b.ldi(ra(1), 0x1122_3344u32);
        b.ldi(R0, 0xaabb_ccddu32);
        b.mov(ra(1).pack(Pack::P16b), R0);
        b.nop();
        show(b, ra(1));
        b.mov(ra(1).pack(Pack::P8as), R0); // negative: clamped to 0
        b.nop();
        show(b, ra(1));
        show(b, ra(1).unpack(Unpack::U16b)); // or: integer
        b.ldi(R1, 0u32);
        b.ldi(ra(2), 0x3c00_8000u32);
        b.nop();
        b.fadd(R2, ra(2).unpack(Unpack::U16b), R1); // float: 1.0
        show(b, R2);
        b.fadd(ra(3).pack(Pack::P16a), R2, R2); // 2.0 as f16, the other half is garbage
        b.nop();
        b.shl(R0, ra(3), 15);
        b.add(R0, R0, R0);
        show(b, R0);
    });
    assert_eq!(rows[0], [0xccdd_3344; 16]);
    assert_eq!(rows[1], [0xccdd_3300; 16]);
    assert_eq!(rows[2], [0xffff_ccdd; 16]);
    assert_eq!(rows[3], [0x3f80_0000; 16]);
    assert_eq!(rows[4], [0x4000_0000; 16]);
}

#[test]
fn a_packed_sum_that_overflows_follows_the_chip() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.ldi(R0, 0x8000_0000u32);
        b.ldi(R1, 1u32);
        b.sub(ra(0).pack(Pack::P32s), R0, R1);
        b.nop();
        show(b, ra(0));
    });
    assert_eq!(
        result.rows[0], [0x7fff_ffff; 16],
        "the chip saturates in the wrong direction"
    );
    assert_eq!(result.rules, ["pack-overflow"]);
}

#[test]
fn mul_results_become_colours_and_r4_is_unpacked_as_colours() {
    let rows = rows(|b| {
        b.ldi(R0, 0x1111_1111u32);
        b.ldi(R1, 0.5f32);
        b.nop().fmul(R0, R1, 1.0).pack_mul(MulPack::P8c);
        show(b, R0);
        b.mov(SFU_EXP, 0);
        b.nops(2);
        b.fmax(R2, R4.unpack(Unpack::U8d), 0); // 2^0 = 0x3f800100: byte 3 is 63
        show(b, R2);
    });
    assert_eq!(rows[0], [0x1180_1111; 16]);
    assert_eq!(rows[1], [0x3e7c_fcfc; 16], "63 / 255, truncated");
}

#[test]
fn colours_replace_bytes_of_r5_as_of_other_accumulators() {
    let rows = rows(|b| {
        b.ldi(R0, 0x1234_5678u32);
        b.mov(R5_ALL, R0);
        b.ldi(R1, 0.5f32);
        b.nop().fmul(R5_ALL, R1, 1.0).pack_mul(MulPack::P8c);
        show(b, R5);
        b.itof(R2, ELEM_NUM);
        // 0, 4/16, 8/16 and 12/16 of 255, to nearest.
        b.nop().fmul(R5_QUAD, R2, 1.0 / 16.0).pack_mul(MulPack::P8a);
        show(b, R5);
    });
    assert_eq!(rows[0], [0x1280_5678; 16]);
    let colours = [0x00, 0x40, 0x80, 0xbf];
    assert_eq!(
        rows[1],
        std::array::from_fn(|lane| 0x1280_5600 | colours[lane / 4])
    );
}

#[test]
fn rotation_by_constants_and_by_r5() {
    let rows = rows(|b| {
        b.mov(R0, ELEM_NUM);
        b.ldi(R1, 5u32);
        b.mov(R5_ALL, R1);
        b.nop();
        b.nop().v8min(R2, R0, R0).rotate(3);
        b.nop().v8min(R3, R0, R0).rotate_r5();
        show(b, R2);
        show(b, R3);
        // r0 moves over all lanes, r5 inside its quad only; here r5 holds element 0 of each quad.
        b.mov(R5_QUAD, R0);
        b.nop();
        b.nop().v8adds(R2, R0, R5).rotate(4);
        show(b, R2);
    });
    assert_eq!(
        rows[0],
        std::array::from_fn(|lane| (lane as u32).wrapping_sub(3) & 15)
    );
    assert_eq!(
        rows[1],
        std::array::from_fn(|lane| (lane as u32).wrapping_sub(5) & 15)
    );
    assert_eq!(
        rows[2],
        std::array::from_fn(|lane| ((lane as u32).wrapping_sub(4) & 15) + (lane as u32 & 12))
    );
}

#[test]
fn conditions_of_a_rotated_result_are_those_of_the_destination() {
    let rows = rows(|b| {
        b.mov(R0, ELEM_NUM);
        b.and(NONE, R0, 1).setf();
        b.ldi(R1, 99u32);
        b.nop().v8min(R1, R0, R0).rotate(1).ifnz();
        show(b, R1);
    });
    assert_eq!(
        rows[0],
        std::array::from_fn(|lane| if lane % 2 == 1 { lane as u32 - 1 } else { 99 })
    );
}

/// vc4asm describes it; a third-party program raises its host interrupt with such a value.
#[test]
fn nop_reads_and_nop_mul_writes_give_left_overs() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.mov(ra(0), ELEM_NUM);
        b.nop().v8min(R1, R1, R1);
        b.mov(R0, ra(0));
        let or = |write, add_a| {
            Instruction::Alu(Alu {
                write,
                op_add: AddOp::Or,
                add_a,
                add_b: add_a,
                ..Alu::NOP
            })
        };
        let to_vpm = WriteBack {
            waddr_add: waddr::VPM_WRITE,
            cond_add: Cond::Always,
            ..WriteBack::NOTHING
        };
        b.instruction(or(to_vpm, Mux::A)); // or vpm, nop, nop
        b.nop().v8min(R2, R0, R0);
        let to_r3 = WriteBack {
            waddr_mul: waddr::ACC3,
            cond_mul: Cond::Always,
            ..WriteBack::NOTHING
        };
        let nop_to_r3 = Instruction::Alu(Alu {
            write: to_r3,
            op_mul: MulOp::Nop,
            ..Alu::NOP
        });
        b.instruction(nop_to_r3);
        show(b, R3);
        // Left-overs of a product of left-overs that goes nowhere itself.
        b.ldi(ra(1), 7u32);
        b.nop();
        b.mov(R0, ra(1));
        b.instruction(Instruction::Alu(Alu {
            op_mul: MulOp::V8min,
            mul_a: Mux::A,
            mul_b: Mux::A,
            ..Alu::NOP
        }));
        b.instruction(nop_to_r3);
        show(b, R3);
    });
    let quads: Row = std::array::from_fn(|lane| 12 + lane as u32 % 4);
    assert_eq!(result.rows[..3], [quads, quads, [7; 16]]);
    assert_eq!(result.rules, ["nop-mul-write", "nop-read"]);
}

#[test]
fn sfu_results_arrive_in_the_third_instruction() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.mov(SFU_RECIP, 2.0);
        b.nops(2);
        show(b, R4);
        b.mov(SFU_RECIP, 4.0);
        b.nop();
        show(b, R4); // too early: the old value
        show(b, R4);
    });
    assert_eq!(result.rows[0], [0x3eff_fc00; 16]);
    assert_eq!(result.rows[1], result.rows[0]);
    assert_eq!(result.rows[2], [0x3e7f_fc00; 16]);
    assert_eq!(result.rules, ["sfu-result-too-early"]);
}

#[test]
fn a_register_read_too_early_gives_the_old_value() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.ldi(ra(0), 1u32);
        b.ldi(rb(0), 2u32);
        b.ldi(ra(0), 3u32);
        show(b, ra(0));
        show(b, ra(0));
        b.ldi(rb(0), 4u32);
        show(b, rb(0));
        show(b, rb(0));
    });
    let values: Vec<u32> = result.rows[..4].iter().map(|row| row[5]).collect();
    assert_eq!(values, [1, 3, 2, 4]);
    assert_eq!(result.rules, ["regfile-read-after-write"]);
    assert_eq!(lab.runner.warnings()[0].count, 2);
}

#[test]
fn a_program_finds_the_registers_of_its_predecessor_exchanged() {
    let mut lab = Lab::new();
    let mut first = Builder::new();
    first.ldi(ra(4), 44u32);
    first.ldi(rb(7), 77u32);
    first.end();
    let first = lab.load(&first.finish().unwrap(), &[]);
    lab.run(&[first]).unwrap();
    let result = lab.program(&[], |b| {
        show(b, ra(5));
        show(b, rb(6));
    });
    assert_eq!((result.rows[0], result.rows[1]), ([44; 16], [77; 16]));
    assert_eq!(result.rules, ["undefined-read"]);
}

#[test]
fn both_alus_may_share_an_accumulator_by_conditions() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.mov(R0, ELEM_NUM);
        b.and(NONE, R0, 1).setf();
        b.add(R1, R0, R0).ifz().v8min(R1, R0, R0).ifnz();
        show(b, R1);
    });
    assert_eq!(
        result.rows[0],
        std::array::from_fn(|lane| lane as u32 * if lane % 2 == 0 { 2 } else { 1 })
    );
    assert!(result.rules.is_empty(), "{:?}", result.rules);
}

#[test]
fn element_and_qpu_numbers() {
    let rows = rows(|b| {
        show(b, ELEM_NUM);
        show(b, QPU_NUM);
    });
    assert_eq!(rows[0], iota());
    assert_eq!(rows[1], [11; 16], "the first program goes to QPU 11");
}

#[test]
fn small_immediates_are_integers_and_powers_of_two() {
    let rows = rows(|b| {
        b.mov(R0, -16);
        show(b, R0);
        b.ldi(R1, 3.0f32);
        b.fmul(R0, R1, 128.0);
        show(b, R0);
    });
    assert_eq!(rows[0], [-16i32 as u32; 16]);
    assert_eq!(rows[1], [384.0f32.to_bits(); 16]);
}
