//! The assembler's language: each line of the tables is one rule of vc4asm's documentation.
#![cfg(feature = "text")]

mod broadcom;
mod directives;
mod doors;
mod expressions;
mod operations;
mod output;

use qpu::asm::{Include, Loaded, Options, assemble};

fn load(include: &Include) -> Result<Loaded, String> {
    let text = match include.name {
        "own.qinc" => ".set own, 7\n.lset hidden, 8\nmov r0, hidden\n",
        // What community sources carry: a copy that defines our built-in names again.
        "copy/vc4.qinc" => {
            ".func vpm_setup(num, stride, dma)\n (num & 0xf) << 20 | (stride & 0x3f) << 12 | dma\n.endf\n\
             .set isRegister(x) x >= :[0,0] && x < :[0,16]\n.set isAccu(x) isRegister(x) && (x & :[-8,0x34]) == :[32,0]\n"
        }
        name => return Err(format!("{name} is not here")),
    };
    Ok(Loaded {
        name: include.name.to_string(),
        text: text.to_string(),
    })
}

fn options() -> Options<'static> {
    Options {
        include: &load,
        check: false,
        ..Options::default()
    }
}

#[track_caller]
fn words(source: &str) -> Vec<u64> {
    assemble(source, &options())
        .unwrap_or_else(|errors| panic!("{source}\n{errors}"))
        .words
}

/// Both sources are the same program.
#[track_caller]
fn same(one: &str, two: &str) {
    let (own, other) = (words(one), words(two));
    let list = |words: &[u64]| qpu::disasm::listing(words);
    assert_eq!(own, other, "{one}\n{}\n{two}\n{}", list(&own), list(&other));
}
