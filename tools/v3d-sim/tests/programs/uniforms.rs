//! Uniforms: their order, their address, both ports.

use crate::lab::*;
use qpu::generate::*;
use qpu::isa::{AddOp, Alu, Cond, Instruction, Mux, RaddrB, Signal, WriteBack, raddr, waddr};

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
