//! A plan as a header of C99.

use std::fmt::Write as _;

use super::Named;
use super::exported::{ALIGN, clears};

/// Words on a line.
const ON_A_LINE: usize = 8;
/// Space before them.
const INDENT: &str = "    ";

/// The types of the header, once for all plans that a file includes.
const TYPES: &str = "\
#ifndef QPUSCOPE_PLAN
#define QPUSCOPE_PLAN
typedef struct qpuscope_part {      /* words to write before the first run */
    uint32_t offset;                /* of the first one, in bytes */
    uint32_t count;
    const uint32_t *words;
} qpuscope_part;
typedef struct qpuscope_launch {
    uint32_t l2cactl, slcactl;      /* values that clear the caches; 0: no write */
    uint32_t sqrsv0, sqrsv1;        /* values that keep programs off QPUs that stay idle */
    uint32_t count;                 /* programs */
    const uint32_t (*programs)[2];  /* offsets of code and uniforms, in the order of the queue */
} qpuscope_launch;
typedef struct qpuscope_plan {
    uint32_t kind, points, direction, batch, segments, scale; /* as in qpuscope_fft_options; kind 4: a plane */
    uint32_t bytes, align;          /* of the memory */
    uint32_t alias;                 /* bits 31 and 30 of its bus address */
    uint32_t input, input_bytes;    /* 32-bit floats */
    uint32_t output, output_bytes;
    uint32_t part_count, address_count, launch_count;
    const qpuscope_part *parts;
    const uint32_t *addresses;      /* offsets of the words to which the memory's bus address is added */
    const qpuscope_launch *launches;
} qpuscope_plan;
#endif
";

/// Words of C99 that a name must not be.
const KEYWORDS: &str = "auto break case char const continue default do double else enum extern float for goto if inline \
    int long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while";

/// True if a name means something else: a word of C, a type, or a name of the header's own.
pub(super) fn is_taken(name: &str) -> bool {
    let is_keyword = KEYWORDS.split_whitespace().any(|word| word == name);
    is_keyword || name.ends_with("_t") || name.starts_with("qpuscope_")
}

/// A list of numbers, as lines.
fn numbers(numbers: &[u32], indent: &str) -> String {
    let mut text = String::new();
    for line in numbers.chunks(ON_A_LINE) {
        let line: Vec<String> = line.iter().map(|word| format!("{word:#x}")).collect();
        let _ = writeln!(text, "{indent}{},", line.join(", "));
    }
    text
}

/// The instructions for a driver.
fn how_to_run(named: &Named) -> Vec<String> {
    let alias = named.alias >> 28;
    let lines = [
        format!("{}, on the QPUs of VideoCore IV.", named.title),
        format!("Made by qpuscope {}: {}", env!("CARGO_PKG_VERSION"), named.command),
        String::new(),
        format!(
            "{} bytes of memory, aligned to {ALIGN}, at a bus address with alias 0x{alias:X}. Before the first run: write the",
            named.plan.bytes
        ),
        "parts; add the bus address of the memory to the words that `addresses` names. Then L2CACTL = 1 (on),".into(),
        "VPMBASE = 16 (all rows of the VPM), SRQUL = 0xfff, and interrupts of user programs as you like.".into(),
        String::new(),
        "For each run write the input, and then for each launch: L2CACTL and SLCACTL, unless they are 0; SQRSV0".into(),
        "and SQRSV1; SRQCS = 0x10181, which resets its counts; for each program SRQUA = the memory's address +".into(),
        "uniforms, and SRQPC = its address + code, which queues it; wait until bits 23 to 16 of SRQCS are the".into(),
        "number of programs. A launch needs the results of the one before. The ARM must not hold lines of this".into(),
        "memory in its caches. From the second run on the first launch need not clear instruction caches:".into(),
        format!("SLCACTL {:#x} is enough.", clears(qpu::job::CacheClear::Data)[1]),
        String::new(),
        "offset         bytes  contents".into(),
    ];
    let map = named.plan.map.iter();
    let map = map.map(|area| format!("{:#010x} {:>9}  {}", area.offset, area.bytes, area.name));
    lines.into_iter().chain(map).collect()
}

/// The header.
pub fn text(named: &Named) -> String {
    let (plan, name) = (&named.plan, &named.name);
    let mut text = String::new();
    for (index, line) in how_to_run(named).iter().enumerate() {
        let _ = writeln!(
            text,
            "{}",
            format!("{} {line}", if index == 0 { "/*" } else { " *" }).trim_end()
        );
    }
    let guard = name.to_uppercase();
    let _ = write!(
        text,
        " */\n#ifndef {guard}_H\n#define {guard}_H\n\n#include <stdint.h>\n\n{TYPES}\n"
    );
    for (index, part) in plan.parts.iter().enumerate() {
        let words = numbers(&part.words, INDENT);
        let _ = write!(
            text,
            "static const uint32_t {name}_words_{index}[] = {{\n{words}}};\n\n"
        );
    }
    let _ = writeln!(text, "static const qpuscope_part {name}_parts[] = {{");
    for (index, part) in plan.parts.iter().enumerate() {
        let (offset, count) = (part.offset, part.words.len());
        let _ = writeln!(
            text,
            "    {{ {offset:#x}, {count}, {name}_words_{index} }},"
        );
    }
    let addresses = numbers(&plan.addresses, INDENT);
    let _ = write!(
        text,
        "}};\n\nstatic const uint32_t {name}_addresses[] = {{\n{addresses}}};\n\n"
    );
    for (index, launch) in plan.launches.iter().enumerate() {
        let _ = writeln!(
            text,
            "static const uint32_t {name}_programs_{index}[][2] = {{"
        );
        for [code, uniforms] in &launch.programs {
            let _ = writeln!(text, "    {{ {code:#x}, {uniforms:#x} }},");
        }
        let _ = writeln!(text, "}};\n");
    }
    let _ = writeln!(text, "static const qpuscope_launch {name}_launches[] = {{");
    for (index, launch) in plan.launches.iter().enumerate() {
        let [l2cactl, slcactl] = clears(launch.clear);
        let [sqrsv0, sqrsv1] = launch.qpus.reservations();
        let count = launch.programs.len();
        let _ = writeln!(
            text,
            "    {{ {l2cactl:#x}, {slcactl:#010x}, {sqrsv0:#x}, {sqrsv1:#x}, {count}, {name}_programs_{index} }},"
        );
    }
    let options = named.options.map(|option| option.to_string()).join(", ");
    let _ = write!(
        text,
        "}};\n\nstatic const qpuscope_plan {name} = {{\n    {options},\n    {:#x}, {ALIGN:#x}, {:#x}u,\n    {:#x}, {:#x},\n    \
         {:#x}, {:#x},\n    {}, {}, {},\n    {name}_parts, {name}_addresses, {name}_launches\n}};\n\n#endif\n",
        plan.bytes,
        named.alias,
        plan.input.offset,
        plan.input.bytes,
        plan.output.offset,
        plan.output.bytes,
        plan.parts.len(),
        plan.addresses.len(),
        plan.launches.len(),
    );
    text
}
