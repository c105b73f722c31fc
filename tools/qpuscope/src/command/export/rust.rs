//! A plan as a module of Rust, without std.

use std::fmt::Write as _;

use super::Named;
use super::c::{how_to_run, numbers};
use super::exported::{ALIGN, clears};

/// The types of the module.
const TYPES: &str = "\
/// Programs that are queued together.
pub struct Launch {
    /// Values of L2CACTL and SLCACTL that clear the caches; 0: no write.
    pub clears: [u32; 2],
    /// Values of SQRSV0 and SQRSV1 that keep programs off QPUs that stay idle.
    pub reservations: [u32; 2],
    /// Offsets of code and uniforms, in the order of the queue.
    pub programs: &'static [[u32; 2]],
}

/// A plan. Offsets are in bytes.
pub struct Plan {
    /// Bytes of the memory.
    pub bytes: u32,
    /// Bytes to which it is aligned.
    pub align: u32,
    /// Bits 31 and 30 of its bus address.
    pub alias: u32,
    /// Offset and bytes of the input, 32-bit floats.
    pub input: [u32; 2],
    /// Offset and bytes of the output.
    pub output: [u32; 2],
    /// Words to write before the first run, and the offset of the first one.
    pub parts: &'static [(u32, &'static [u32])],
    /// Offsets of the words to which the bus address of the memory is added.
    pub addresses: &'static [u32],
    /// The launches.
    pub launches: &'static [Launch],
}
";

/// The module.
pub fn text(named: &Named) -> String {
    let plan = &named.plan;
    let mut text = String::new();
    for line in how_to_run(named) {
        // The map keeps its columns.
        let map = if line.starts_with("0x") || line.starts_with("offset") {
            "   "
        } else {
            ""
        };
        let _ = writeln!(text, "{}", format!("//! {map}{line}").trim_end());
    }
    let _ = write!(text, "\n{TYPES}\n/// {}.\n", named.title);
    let _ = writeln!(
        text,
        "pub static {}: Plan = Plan {{",
        named.name.to_uppercase()
    );
    let _ = write!(
        text,
        "    bytes: {:#x},\n    align: {ALIGN:#x},\n    alias: {:#x},\n    input: [{:#x}, {:#x}],\n    output: [{:#x}, {:#x}],\n",
        plan.bytes,
        named.alias,
        plan.input.offset,
        plan.input.bytes,
        plan.output.offset,
        plan.output.bytes
    );
    text.push_str("    parts: &[\n");
    for part in &plan.parts {
        let words = numbers(&part.words, "            ");
        let _ = write!(
            text,
            "        ({:#x}, &[\n{words}        ]),\n",
            part.offset
        );
    }
    let addresses = numbers(&plan.addresses, "        ");
    let _ = write!(
        text,
        "    ],\n    addresses: &[\n{addresses}    ],\n    launches: &[\n"
    );
    for launch in &plan.launches {
        let [l2cactl, slcactl] = clears(launch.clear);
        let [sqrsv0, sqrsv1] = launch.qpus.reservations();
        let _ = write!(
            text,
            "        Launch {{\n            clears: [{l2cactl:#x}, {slcactl:#x}],\n            reservations: [{sqrsv0:#x}, \
             {sqrsv1:#x}],\n            programs: &[\n"
        );
        for [code, uniforms] in &launch.programs {
            let _ = writeln!(text, "                [{code:#x}, {uniforms:#x}],");
        }
        text.push_str("            ],\n        },\n");
    }
    text.push_str("    ],\n};\n");
    text
}
