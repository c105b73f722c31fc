//! Lookups: their order, how many, raster textures.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{AddOp, Alu, Cond, Instruction, Mux, Waddr, WriteBack, waddr};
use qpu::job::Runner;

#[test]
fn both_tmus_answer_in_order_and_more_than_four_are_noticed() {
    let mut lab = Lab::new();
    let table = lab.put(&(100..200).collect::<Vec<u32>>());
    let result = lab.program(&[table.addr.0], |b| {
        b.mov(R3, UNIF);
        b.shl(R0, ELEM_NUM, 2);
        b.add(R0, R0, R3);
        for n in 0..5 {
            b.add(TMU0_S, R0, n * 3); // the low two bits do not count
        }
        b.add(TMU1_S, R0, 12);
        for _ in 0..5 {
            b.nop().ldtmu0();
            show(b, R4);
        }
        b.nop().ldtmu1();
        show(b, R4);
    });
    let values: Vec<u32> = result.rows[..6].iter().map(|row| row[2]).collect();
    assert_eq!(values, [102, 102, 103, 104, 105, 105]);
    assert_eq!(result.rules, ["tmu-too-many-outstanding"]);
}

/// `or` of two accumulators to an address that the generator has no name for.
fn coordinate(b: &mut Builder, address: Waddr, from: Mux) {
    let write = WriteBack {
        waddr_add: address,
        cond_add: Cond::Always,
        ..WriteBack::NOTHING
    };
    b.instruction(Instruction::Alu(Alu {
        write,
        op_add: AddOp::Or,
        add_a: from,
        add_b: from,
        ..Alu::NOP
    }));
}

/// The FIFO holds eight; each coordinate is one, s and the others alike.
#[test]
fn a_coordinate_waits_for_room_among_the_requests() {
    for lookups in [7, 8] {
        let mut lab = Lab::new();
        let table = lab.put(&[5; 16]);
        let result = lab.try_program(&[table.addr.0, 0], |b| {
            b.mov(R0, UNIF);
            for _ in 0..lookups {
                b.mov(TMU0_S, R0);
            }
            coordinate(b, waddr::TMU0_T, Mux::R0);
            for _ in 0..lookups {
                b.nop().ldtmu0();
            }
            show(b, R4);
        });
        match result {
            Ok(result) => assert_eq!((lookups, result.rows[0]), (7, [5; 16])),
            Err(error) => {
                assert_eq!(lookups, 8, "{error}");
                let error = error.to_string();
                assert!(error.contains("`mov tmu0_t, r0` waits for room"), "{error}");
            }
        }
    }
}

/// An image of 16 x 4 texels; lane i looks at (i, 2), between the middles of texels.
#[test]
fn a_raster_texture_is_looked_up() {
    let nearest = 1 << 31 | 4 << 20 | 16 << 8 | 1 << 7 | 1 << 4;
    for (p1, third, wanted) in [
        (nearest, 2, Ok(std::array::from_fn(|lane| 32 + lane as u32))),
        // Border in t, and t = 2.6 rows of 4: the border colour, which is in r.
        (nearest | 3 << 2, 11, Ok([7; 16])),
        (
            nearest & !(1 << 31),
            2,
            Err("a texture of type RGBA8888 is not simulated"),
        ),
        (nearest & !(1 << 4), 2, Err("a filtered texture lookup")),
    ] {
        let mut lab = Lab::new();
        let image = lab.runner.alloc(4096, 4096).unwrap();
        let texels: Vec<u32> = (0..64).collect();
        lab.runner.write(image, 0, &texels).unwrap();
        let result = lab.try_program(&[image.addr.0, p1, 0, 99], |b| {
            b.itof(R0, ELEM_NUM);
            b.ldi(R1, 1.0 / 16.0 + 1e-4);
            b.nop().fmul(R0, R0, R1);
            b.ldi(R1, third as f32 / 4.0 + 0.1);
            b.ldi(R2, 7u32);
            coordinate(b, waddr::TMU0_T, Mux::R1);
            coordinate(b, waddr::TMU0_R, Mux::R2);
            coordinate(b, waddr::TMU0_S, Mux::R0);
            b.mov(R3, UNIF); // the fourth: three went with the coordinates
            b.nop().ldtmu0();
            show(b, R4);
            show(b, R3);
        });
        match (result, wanted) {
            (Ok(result), Ok(wanted)) => {
                assert_eq!((result.rows[0], result.rows[1]), (wanted, [99; 16]));
                assert!(result.rules.is_empty(), "{:?}", result.rules);
            }
            (Err(error), Err(wanted)) => {
                assert!(error.to_string().contains(wanted), "{error}");
            }
            (result, _) => panic!("{result:?}"),
        }
    }
}

/// A texel is one word: what else was stored to in its line is nothing to it.
#[test]
fn texels_are_old_that_were_stored_to() {
    let nearest = 1 << 31 | 4 << 20 | 16 << 8 | 1 << 7 | 1 << 4;
    for (stored, stale) in [(32, true), (33, true), (47, true), (31, false), (48, false)] {
        let mut lab = Lab::new();
        let image = lab.runner.alloc(4096, 4096).unwrap();
        lab.runner.write(image, 0, &[9; 64]).unwrap();
        let look_up = |b: &mut Builder| {
            b.itof(R0, ELEM_NUM);
            b.ldi(R1, 1.0 / 16.0 + 1e-4);
            b.nop().fmul(R0, R0, R1);
            b.ldi(R1, 0.6);
            coordinate(b, waddr::TMU0_T, Mux::R1);
            coordinate(b, waddr::TMU0_S, Mux::R0);
            b.nop().ldtmu0();
        };
        let config = [image.addr.0, nearest];
        let uniforms = [config, config].concat();
        let result = lab.program(&uniforms, |b| {
            b.nops(2);
            look_up(b);
            show(b, 7);
            b.ldi(WR_SETUP, 0x8081_4000u32); // one word
            b.ldi(WR_SETUP, 0xc000_0000u32);
            b.ldi(ST_ADDR, image.addr.0 + 4 * stored);
            b.mov(NONE, ST_WAIT);
            look_up(b);
        });
        assert_eq!(result.rules == ["tmu-stale-line"], stale, "word {stored}");
        assert!(stale || result.rules.is_empty(), "{:?}", result.rules);
    }
}
