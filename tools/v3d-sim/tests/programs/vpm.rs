//! The VPM's rows and columns, and DMA between it and memory.

use crate::lab::*;
use qpu::generate::*;
use qpu::job::Runner;

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
