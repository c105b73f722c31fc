//! Names of register addresses, which depend on the port.

use super::{ACCUMULATORS, READS, WRITES};
use crate::isa::{File, Raddr, Waddr, raddr, waddr};

/// Name of what a port reads.
#[must_use]
pub fn read_name(file: File, address: Raddr) -> String {
    let mut out = String::new();
    push_read_name(&mut out, file, address);
    out
}

/// Name of what a port writes.
#[must_use]
pub fn write_name(file: File, address: Waddr) -> String {
    let mut out = String::new();
    push_write_name(&mut out, file, address);
    out
}

/// The name of each address through each file's port: the first that a table has.
type Names = [[&'static str; 2]; 64];

const READ_NAMES: Names = {
    let mut names = [[""; 2]; 64];
    let mut left = READS.len();
    while left > 0 {
        left -= 1;
        let (name, file, address) = READS[left];
        names = with(names, name, file, address.bits());
    }
    // Text has the address of what reads nothing.
    names[raddr::NOP.bits() as usize] = [""; 2];
    names
};

const WRITE_NAMES: Names = {
    let mut names = [[""; 2]; 64];
    let mut left = WRITES.len();
    while left > 0 {
        left -= 1;
        let (name, file, address) = WRITES[left];
        names = with(names, name, file, address.bits());
    }
    let mut number = 0;
    while number < 4 {
        names[waddr::ACC0.bits() as usize + number] = [ACCUMULATORS[number]; 2];
        number += 1;
    }
    names
};

const fn with(mut names: Names, name: &'static str, file: Option<File>, address: u8) -> Names {
    let names_of_address = &mut names[address as usize];
    match file {
        None => *names_of_address = [name; 2],
        Some(file) => names_of_address[file as usize] = name,
    }
    names
}

/// Appends [`read_name`].
pub(crate) fn push_read_name(out: &mut String, file: File, address: Raddr) {
    push_name(out, &READ_NAMES, file, address.bits());
}

/// Appends [`write_name`].
pub(crate) fn push_write_name(out: &mut String, file: File, address: Waddr) {
    push_name(out, &WRITE_NAMES, file, address.bits());
}

/// A name; physical registers, and I/O addresses that have none, go by their number.
fn push_name(out: &mut String, names: &Names, file: File, address: u8) {
    match names[usize::from(address)][file as usize] {
        "" => {
            out.push_str(["ra", "rb"][file as usize]);
            push_small(out, address);
        }
        name => out.push_str(name),
    }
}

/// Appends a number below 100 in decimal.
pub(crate) fn push_small(out: &mut String, number: u8) {
    if number >= 10 {
        out.push(char::from(b'0' + number / 10));
    }
    out.push(char::from(b'0' + number % 10));
}
