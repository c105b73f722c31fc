//! Assembles a program and prints its words beside its text; then one with a hazard, which is
//! refused.
//!
//! `cargo run -p qpu --example listing`

use qpu::asm::{Options, assemble};

/// Adds the lane's number to a uniform and ends.
const GOOD: &str = "mov r0, unif\nadd r0, r0, elem_num; thrend\nnop\nnop\n";
/// A register of file A is read in the instruction after its write.
const HAZARD: &str = "mov ra0, unif\nmov r0, ra0; thrend\nnop\nnop\n";

fn main() {
    for source in [GOOD, HAZARD] {
        match assemble(source, &Options::default()) {
            Ok(assembled) => print!("{}", qpu::disasm::listing(&assembled.words)),
            Err(errors) => println!("{errors}"),
        }
    }
}
