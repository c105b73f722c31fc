//! Lines that a cache keeps after memory has changed: data, uniforms, code.

use crate::lab::*;
use qpu::generate::*;
use qpu::job::{CacheClear, Job, Launch, QpuSet, Runner};

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
            qpus: QpuSet::ALL,
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

/// Programs that work in place on what is not aligned to lines read the rest of a line that they
/// stored to.
#[test]
fn words_that_were_not_stored_to_are_not_old() {
    let data = Lab::new().put(&[1; 16]).addr.0;
    for (word, stale) in [(3, true), (4, false)] {
        let mut lab = Lab::new();
        lab.put(&[1; 16]);
        let result = lab.program(&[], |b| {
            b.nops(2);
            b.ldi(TMU0_S, data);
            b.nop().ldtmu0();
            show(b, 7);
            b.ldi(WR_SETUP, 0x8084_4000u32); // one row of 4 words
            b.ldi(WR_SETUP, 0xc000_0000u32);
            b.ldi(ST_ADDR, data);
            b.mov(NONE, ST_WAIT);
            b.ldi(TMU0_S, data + 4 * word);
            b.nop().ldtmu0();
        });
        assert_eq!(result.rules == ["tmu-stale-line"], stale, "word {word}");
        assert!(stale || result.rules.is_empty(), "{:?}", result.rules);
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
            qpus: QpuSet::ALL,
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
            qpus: QpuSet::ALL,
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
