//! Branches, and calls of the supervisor.
//!
//! Source: ARM Architecture Reference Manual (DDI 0100I), A3.3.

use super::Cpu;
use super::decode::Operation;

/// B.
pub fn b(cpu: &mut Cpu, op: &Operation) {
    cpu.next_pc = cpu.r[15].wrapping_add(op.immediate);
}

/// BL.
pub fn bl(cpu: &mut Cpu, op: &Operation) {
    cpu.r[14] = cpu.next_pc;
    cpu.next_pc = cpu.r[15].wrapping_add(op.immediate);
}

/// BX and BXJ, which is BX where Jazelle is not enabled.
pub fn bx(cpu: &mut Cpu, op: &Operation) {
    cpu.branch(cpu.r[op.rm as usize & 15]);
}

/// BLX to a register.
pub fn blx(cpu: &mut Cpu, op: &Operation) {
    let target = cpu.r[op.rm as usize & 15];
    cpu.r[14] = cpu.next_pc;
    cpu.branch(target);
}

/// SVC.
pub fn svc(cpu: &mut Cpu, _: &Operation) {
    cpu.supervisor_call();
}

/// NOP, YIELD, SEV; and WFE, whose event register counts as set, so that it never waits.
pub fn hint(_: &mut Cpu, _: &Operation) {}
