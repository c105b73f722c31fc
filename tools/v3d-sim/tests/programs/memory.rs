//! Uniforms, TMU, VPM and DMA.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{
    AddOp, Alu, Cond, Instruction, Mux, RaddrB, Signal, Waddr, WriteBack, raddr, waddr,
};
use qpu::job::{CacheClear, Job, Launch, Runner};
use v3d_sim::SimRunner;

#[test]
fn uniforms_come_one_per_instruction_whatever_reads_them() {
    let mut lab = Lab::new();
    let result = lab.program(&[10, 20, 30, 40, 50], |b| {
        b.add(VPM, UNIF, UNIF); // one word, twice
        b.add(R0, UNIF, 1).fmul(R1, UNIF, UNIF);
        show(b, R0);
        b.mov(R0, UNIF).cond(Cond::Never); // taken all the same
        show(b, UNIF);
    });
    let values: Vec<u32> = result.rows[..3].iter().map(|row| row[0]).collect();
    assert_eq!(values, [20, 21, 40]);
    assert!(result.rules.is_empty(), "{:?}", result.rules);
}

#[test]
fn the_uniforms_address_can_be_set_and_moved() {
    let mut lab = Lab::new();
    let other = lab.put(&[7, 8, 9, 10, 11]);
    let result = lab.program(&[1, other.addr.0], |b| {
        show(b, UNIF);
        b.mov(UNIFORMS_ADDRESS, UNIF);
        b.nops(2);
        show(b, UNIF);
        show(b, UNIF);
        b.mov(UNIFORMS_ADDRESS_RELATIVE, -2);
        b.nops(2);
        show(b, UNIF);
        b.mov(UNIFORMS_ADDRESS_RELATIVE, 2);
        b.nop();
        show(b, UNIF); // one instruction too early
    });
    let values: Vec<u32> = result.rows[..5].iter().map(|row| row[0]).collect();
    assert_eq!(values, [1, 7, 8, 7, 10]);
    assert_eq!(result.rules, ["uniforms-address-too-late"]);
}

#[test]
fn a_read_through_both_ports_takes_one_uniform() {
    let mut lab = Lab::new();
    let result = lab.program(&[5, 6], |b| {
        b.instruction(Instruction::Alu(Alu {
            write: WriteBack {
                waddr_add: waddr::VPM_WRITE,
                cond_add: Cond::Always,
                ..WriteBack::NOTHING
            },
            op_add: AddOp::Add,
            raddr_a: raddr::UNIFORM,
            raddr_b: RaddrB::Register {
                raddr: raddr::UNIFORM,
                signal: Signal::None,
            },
            add_a: Mux::A,
            add_b: Mux::B,
            ..Alu::NOP
        }));
        show(b, UNIF);
    });
    assert_eq!((result.rows[0], result.rows[1]), ([10; 16], [6; 16]));
    assert_eq!(result.rules, ["uniform-both-ports"]);
}

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

/// An image of 16 x 4 texels; lane i looks at (i, 2), between the middles of texels.
#[test]
fn a_raster_texture_is_looked_up() {
    let nearest = 1 << 31 | 4 << 20 | 16 << 8 | 1 << 7 | 1 << 4;
    for (p1, third, wanted) in [
        (nearest, 2, Ok(std::array::from_fn(|lane| 32 + lane as u32))),
        // Border in t, and t = 2.6 rows of 4: the border colour, which is in r.
        (nearest | 3 << 2, 11, Ok([7; 16])),
        (nearest & !(1 << 31), 2, Err("a texture of type RGBA8888")),
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

#[test]
fn a_line_stored_after_a_lookup_is_old_until_the_caches_are_cleared() {
    let mut lab = Lab::new();
    let data = lab.put(&[1; 16]);
    let mut b = Builder::new();
    b.shl(R0, ELEM_NUM, 2);
    b.add(R0, R0, UNIF);
    b.mov(TMU0_S, R0);
    b.nop().ldtmu0();
    b.end();
    let program = lab.load(&b.finish().unwrap(), &[data.addr.0]);
    for (clear, stale) in [
        (CacheClear::All, false),
        (CacheClear::Data, false),
        (CacheClear::None, true),
    ] {
        lab.runner.write(data, 0, &[2]).unwrap();
        let launches = [Launch {
            programs: &[program],
            clear,
        }];
        lab.runner
            .run(
                &Job {
                    launches: &launches,
                },
                1000,
            )
            .unwrap();
        assert_eq!(!lab.runner.warnings().is_empty(), stale, "{clear:?}");
    }
    let warning = &lab.runner.warnings()[0];
    assert_eq!(warning.rule.id(), "tmu-stale-line");
    assert!(warning.detail.contains("changed by the ARM"), "{warning}");
}

#[test]
fn a_line_that_its_own_program_stored_to_is_old_for_lookups() {
    let data = Lab::new().put(&[1; 16]).addr.0;
    let look_up = |b: &mut Builder| {
        b.ldi(TMU0_S, data);
        b.nop().ldtmu0();
    };
    for (first, stale) in [(true, true), (false, false)] {
        let mut lab = Lab::new();
        lab.put(&[1; 16]);
        let result = lab.program(&[], |b| {
            b.nops(2);
            if first {
                look_up(b);
            }
            show(b, 7);
            b.ldi(WR_SETUP, 0x8090_4000u32);
            b.ldi(WR_SETUP, 0xc000_0000u32);
            b.ldi(ST_ADDR, data);
            b.mov(NONE, ST_WAIT);
            look_up(b);
        });
        assert_eq!(
            result.rules == ["tmu-stale-line"],
            stale,
            "{:?}",
            result.rules
        );
        if stale {
            let warning = &lab.runner.warnings()[0];
            let other = warning.other.as_ref().unwrap();
            assert!(other.disassembly.contains("st_addr"), "{warning}");
        }
    }
}

#[test]
fn uniforms_that_changed_need_their_caches_cleared() {
    let mut lab = Lab::new();
    let mut b = Builder::new();
    b.mov(R0, UNIF);
    b.end();
    let program = lab.load(&b.finish().unwrap(), &[1]);
    let uniforms = qpu::job::Buffer {
        addr: program.uniforms,
        bytes: 4,
    };
    for (clear, stale) in [(CacheClear::Data, false), (CacheClear::None, true)] {
        lab.run(&[program]).unwrap();
        lab.runner.write(uniforms, 0, &[2]).unwrap();
        let launches = [Launch {
            programs: &[program],
            clear,
        }];
        let job = Job {
            launches: &launches,
        };
        lab.runner.run(&job, 1000).unwrap();
        assert_eq!(!lab.runner.warnings().is_empty(), stale, "{clear:?}");
    }
    assert_eq!(lab.runner.warnings()[0].rule.id(), "uniform-stale-line");
}

#[test]
fn code_runs_as_it_was_until_the_instruction_cache_is_cleared() {
    let mut lab = Lab::new();
    let code = |value: u32, out: u32| {
        let mut b = Builder::new();
        b.ldi(WR_SETUP, 0x1a00u32);
        b.ldi(VPM, value);
        b.ldi(WR_SETUP, 0x8090_4000u32);
        b.ldi(WR_SETUP, 0xc000_0000u32);
        b.ldi(ST_ADDR, out);
        b.mov(NONE, ST_WAIT);
        b.end();
        b.finish().unwrap()
    };
    let out = lab.out;
    let program = lab.load(&code(1, out.addr.0), &[0]);
    let buffer = qpu::job::Buffer {
        addr: program.code,
        bytes: 80,
    };
    for (value, clear, seen) in [
        (1, CacheClear::All, 1),
        (2, CacheClear::Data, 1),
        (3, CacheClear::All, 3),
    ] {
        let words: Vec<u32> = code(value, out.addr.0)
            .iter()
            .flat_map(|word| [*word as u32, (word >> 32) as u32])
            .collect();
        lab.runner.write(buffer, 0, &words).unwrap();
        let launches = [Launch {
            programs: &[program],
            clear,
        }];
        lab.runner
            .run(
                &Job {
                    launches: &launches,
                },
                1000,
            )
            .unwrap();
        assert_eq!(lab.rows()[0], [seen; 16]);
    }
}

#[test]
fn a_row_written_is_a_column_read() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        // A 16 x 16 block in rows 16..31, then its columns back.
        b.ldi(WR_SETUP, 0x1a10u32);
        b.mov(R0, ELEM_NUM);
        b.ldi(R1, 100u32);
        for _ in 0..16 {
            b.mov(VPM, R0);
            b.add(R0, R0, R1);
        }
        b.ldi(WR_SETUP, 0x1a00u32);
        b.ldi(RD_SETUP, 0x0020_1200u32 | 0x10);
        b.mov(R2, VPM);
        show(b, R2);
        b.mov(R2, VPM);
        show(b, R2);
    });
    assert_eq!(
        result.rows[0],
        std::array::from_fn(|lane| lane as u32 * 100)
    );
    assert_eq!(
        result.rows[1],
        std::array::from_fn(|lane| lane as u32 * 100 + 1)
    );
    assert!(result.rules.is_empty(), "{:?}", result.rules);
}

#[test]
fn a_read_setup_too_soon_is_ignored() {
    let mut lab = Lab::new();
    let result = lab.program(&[], |b| {
        b.ldi(R0, 5u32);
        show(b, R0);
        show(b, ELEM_NUM);
        b.ldi(RD_SETUP, 0x0020_1a00u32); // rows 0 and 1
        b.ldi(RD_SETUP, 0x0010_1a0fu32); // ignored
        b.mov(R1, VPM);
        b.mov(R2, VPM);
        show(b, R2);
    });
    assert_eq!(result.rows[2], iota());
    assert_eq!(result.rules, ["vpm-setup-ignored"]);
}

#[test]
fn dma_loads_and_stores_meet_in_the_vpm() {
    let mut lab = Lab::new();
    let table = lab.put(&(0..64).collect::<Vec<u32>>());
    let result = lab.program(&[table.addr.0], |b| {
        b.ldi(RD_SETUP, 0x8304_1000u32 | 4 << 4); // 4 rows of 16 to row 4
        b.mov(LD_ADDR, UNIF);
        b.mov(NONE, LD_WAIT);
    });
    for row in 0..4 {
        assert_eq!(
            result.rows[4 + row],
            std::array::from_fn(|lane| (row * 16 + lane) as u32)
        );
    }
    assert!(result.rules.is_empty(), "{:?}", result.rules);
    assert_eq!(lab.runner.statistics().vdr.bytes, 256);
}

#[test]
fn a_load_without_its_wait_is_not_there_yet() {
    let mut lab = Lab::new();
    let table = lab.put(&[9; 16]);
    let result = lab.program(&[table.addr.0], |b| {
        b.ldi(R0, 1u32);
        b.mov(VPM, R0); // row 0
        b.ldi(RD_SETUP, 0x8301_1000u32); // loads row 0
        b.mov(LD_ADDR, UNIF);
        b.ldi(RD_SETUP, 0x0010_1a00u32);
        b.mov(R1, VPM);
        b.mov(NONE, LD_WAIT);
        b.ldi(RD_SETUP, 0x0010_1a00u32);
        b.mov(R2, VPM);
        show(b, R1);
        show(b, R2);
    });
    assert_eq!((result.rows[1], result.rows[2]), ([1; 16], [9; 16]));
}

#[test]
fn stores_in_a_row_wait_for_each_other() {
    let mut lab = Lab::new();
    let buffer = lab.put(&[0; 64]);
    lab.program(&[buffer.addr.0], |b| {
        b.mov(R0, UNIF);
        b.ldi(R1, 64u32);
        for row in 0..4 {
            b.ldi(R2, 100 + row);
            b.mov(VPM, R2);
        }
        b.ldi(WR_SETUP, 0xc000_0000u32);
        for row in 0..4u32 {
            b.ldi(WR_SETUP, 0x8090_4000 | row << 7);
            b.mov(ST_ADDR, R0);
            b.add(R0, R0, R1);
        }
        b.mov(NONE, ST_WAIT);
    });
    let mut words = [0; 64];
    lab.runner.read(buffer, 0, &mut words).unwrap();
    assert_eq!(
        [words[0], words[16], words[32], words[63]],
        [100, 101, 102, 103]
    );
}

#[test]
fn setup_that_the_program_has_not_written_is_noticed() {
    let mut lab = Lab::new();
    let mut b = Builder::new();
    b.ldi(VPM, 1u32);
    b.ldi(WR_SETUP, 0x8110_4000u32); // two rows, no stride word
    b.ldi(ST_ADDR, lab.out.addr.0);
    b.mov(NONE, ST_WAIT);
    b.end();
    let program = lab.load(&b.finish_unchecked().unwrap(), &[]);
    lab.run(&[program]).unwrap();
    let rules: Vec<_> = lab
        .runner
        .warnings()
        .iter()
        .map(|warning| warning.rule.id())
        .collect();
    assert_eq!(rules, ["setup-before-write", "vdw-stride-unset"]);
}

#[test]
fn combinations_in_one_instruction_are_noticed() {
    let mut lab = Lab::new();
    let table = lab.put(&[1; 16]);
    let result = lab.program(&[table.addr.0], |b| {
        b.nop();
        b.mov(R0, UNIF);
        b.mov(TMU0_S, R0);
        b.mov(VPM, R0).ldtmu0();
        b.mov(TMU0_S, R0).mov(TMU1_S, R0);
        b.nop().ldtmu0();
        b.nop().ldtmu1();
        b.ldi(RD_SETUP, 0x0010_1a00u32);
        b.mov(VPM, VPM);
        b.mov(SFU_RECIP, R0).cond(Cond::Never);
        b.ldi(NONE, 0u32).setf();
        b.mov(VPM, R0).ifnz();
    });
    assert_eq!(
        result.rules,
        [
            "conditional-peripheral-write",
            "ldtmu-with-vpm",
            "never-peripheral-write",
            "one-unit-per-instruction",
            "vpm-read-with-write"
        ]
    );
}

#[test]
fn a_uniforms_address_without_memory_is_noticed() {
    let mut lab = Lab::new();
    let mut b = Builder::new();
    b.nop();
    b.end();
    let mut program = lab.load(&b.finish().unwrap(), &[]);
    program.uniforms.0 = 0x4fff_0000;
    lab.run(&[program]).unwrap();
    assert_eq!(lab.runner.warnings()[0].rule.id(), "uniforms-pointer");
}

#[test]
fn a_mutex_taken_before_vpm_writes_are_drained_is_noticed() {
    let rules = rules(|b| {
        show(b, 1);
        b.mov(NONE, MUTEX_ACQUIRE);
        b.nop();
        b.mov(MUTEX_RELEASE, 1);
        show(b, 1);
        b.ldi(RD_SETUP, 0x0010_1a00u32);
        b.mov(R0, VPM);
        b.mov(NONE, MUTEX_ACQUIRE);
        b.nop();
        b.mov(MUTEX_RELEASE, 1);
    });
    assert_eq!(rules, ["mutex-before-drain"]);
}

#[test]
fn packs_that_do_nothing_are_noticed() {
    use qpu::isa::{Pack, waddr};
    let rules = rules(|b| {
        b.ldi(ra(0), 3u32);
        b.nop();
        let write = |address| WriteBack {
            pack: Pack::P8a,
            waddr_add: address,
            cond_add: Cond::Always,
            ..WriteBack::NOTHING
        };
        let mov = |write| {
            Instruction::Alu(Alu {
                write,
                op_add: AddOp::Or,
                raddr_a: qpu::isa::Raddr::from_bits(0).unwrap(),
                add_a: Mux::A,
                add_b: Mux::A,
                ..Alu::NOP
            })
        };
        b.instruction(mov(write(waddr::NOP)));
        b.instruction(mov(write(waddr::ACC0)));
    });
    assert_eq!(rules, ["pack-no-effect"]);
}

#[test]
fn what_is_left_at_the_end_is_noticed() {
    // Functional: with time the load is over before the program is.
    let runner = SimRunner::new(1 << 20).with_strict(false);
    let mut lab = Lab::with(runner.with_functional(true));
    let table = lab.put(&[1; 32]);
    let mut b = Builder::new();
    b.ldi(RD_SETUP, 0x8302_1000u32);
    b.ldi(LD_ADDR, table.addr.0);
    b.ldi(TMU0_S, table.addr.0);
    b.mov(NONE, MUTEX_ACQUIRE);
    b.ldi(RD_SETUP, 0x0020_1a04u32);
    b.mov(R0, VPM);
    b.srel(3);
    b.end();
    let program = lab.load(&b.finish_unchecked().unwrap(), &[]);
    lab.run(&[program]).unwrap();
    let mut rules: Vec<_> = lab
        .runner
        .warnings()
        .iter()
        .map(|warning| warning.rule.id())
        .collect();
    rules.sort_unstable();
    assert_eq!(
        rules,
        [
            "dma-unfinished-at-end",
            "mutex-held-at-end",
            "semaphore-left",
            "tmu-unread-at-end",
            "vpm-unread-at-end"
        ]
    );
}
