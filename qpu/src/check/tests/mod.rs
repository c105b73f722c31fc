//! One bad and one good program for each rule.
//!
//! The bad one breaks that rule and no other.

mod counts;
mod instructions;
mod programs;
mod undefined;
mod ways;

use super::*;
use crate::generate::*;
use crate::isa::{AddOp, Alu, Cond, Instruction, RaddrB, Waddr, WriteBack, raddr, waddr};
use counts::COUNTED;
use instructions::CASES;

/// A rule, a program that breaks it, and one that does nearly the same without breaking it.
type Case = (Rule, fn(&mut Builder), fn(&mut Builder));

/// Most programs start with two instructions that matter to no rule and end like any program.
fn program(body: impl FnOnce(&mut Builder)) -> Vec<u64> {
    let mut b = Builder::new();
    b.nops(2);
    body(&mut b);
    b.nops(3);
    b.end();
    b.finish_unchecked()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A `nop` with some of its fields changed.
fn odd(b: &mut Builder, change: fn(&mut Alu)) {
    let mut alu = Alu::NOP;
    change(&mut alu);
    b.instruction(Instruction::Alu(alu));
}

fn to(address: Waddr) -> WriteBack {
    WriteBack {
        cond_add: Cond::Always,
        waddr_add: address,
        ..WriteBack::NOTHING
    }
}

/// The rules of `accounts`: pieces that show another rule do not set up all they use.
const ACCOUNTS: &[Rule] = &[
    Rule::TmuNothingToLoad,
    Rule::TmuTooMany,
    Rule::TmuUnread,
    Rule::VpmNothingToRead,
    Rule::VpmSetupIgnored,
    Rule::VpmUnread,
    Rule::SetupMissing,
    Rule::SetupUnknown,
    Rule::StrideMissing,
    Rule::DmaUnfinished,
    Rule::DmaNotAwaited,
    Rule::MutexTwice,
    Rule::MutexNotHeld,
    Rule::MutexHeld,
    Rule::MutexAfterVpmWrite,
];

/// Rules that a program breaks, those of `accounts` aside.
fn broken(words: &[u64]) -> Vec<Rule> {
    let mut rules = all_broken(words);
    rules.retain(|rule| !ACCOUNTS.contains(rule));
    rules.dedup();
    rules
}

fn all_broken(words: &[u64]) -> Vec<Rule> {
    check(words)
        .into_iter()
        .map(|finding| finding.rule)
        .collect()
}

#[test]
fn each_miscounting_program_breaks_its_rule_and_no_other() {
    for (number, (rule, bad, good)) in COUNTED.iter().enumerate() {
        assert_eq!(
            all_broken(&program(*bad)),
            [*rule],
            "bad program of case {number}"
        );
        assert_eq!(
            all_broken(&program(*good)),
            [],
            "good program of case {number}, {rule:?}"
        );
    }
}

#[test]
fn each_bad_program_breaks_its_rule_and_no_other() {
    for (number, (rule, bad, good)) in CASES.iter().enumerate() {
        assert_eq!(
            broken(&program(*bad)),
            [*rule],
            "bad program of case {number}"
        );
        assert_eq!(
            broken(&program(*good)),
            [],
            "good program of case {number}, {rule:?}"
        );
    }
}

#[test]
fn every_rule_has_a_case() {
    // Tested by themselves below, because their programs break a second rule or are no whole
    // programs.
    let apart = [
        Rule::Undecodable,
        Rule::TmuAtStart,
        Rule::SemaphoreWrite,
        Rule::NoProgramEnd,
        Rule::EndTlbZ,
        Rule::UndefinedRead,
        Rule::NotFollowed,
    ];
    for rule in Rule::ALL.iter().filter(|rule| !apart.contains(rule)) {
        assert!(
            CASES.iter().chain(COUNTED).any(|(case, ..)| case == rule),
            "{rule:?}"
        );
    }
}

fn words(body: impl FnOnce(&mut Builder)) -> Vec<u64> {
    let mut b = Builder::new();
    body(&mut b);
    b.finish_unchecked()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Shaders that blend each sample do this. The guide has the two as one access.
#[test]
fn a_colour_or_the_stencils_can_be_written_beside_the_load_of_a_colour() {
    let beside = |address, signal| {
        let mut alu = Alu::NOP;
        alu.op_add = AddOp::Or;
        alu.write = to(address);
        alu.raddr_b = RaddrB::Register {
            raddr: raddr::NOP,
            signal,
        };
        broken(&program(|b| b.instruction(Instruction::Alu(alu))))
    };
    for (address, signal) in [
        (waddr::TLB_COLOUR_MS, Signal::LoadColour),
        (waddr::TLB_COLOUR_ALL, Signal::LoadColour),
        (waddr::TLB_STENCIL_SETUP, Signal::LoadColour),
    ] {
        assert_eq!(beside(address, signal), [Rule::FragmentOnly]);
    }
    for (address, signal) in [
        (waddr::TLB_COLOUR_MS, Signal::LoadCoverage),
        (waddr::TLB_Z, Signal::LoadColour),
    ] {
        let both = [Rule::OnePeripheral, Rule::FragmentOnly];
        assert_eq!(beside(address, signal), both);
    }
}
