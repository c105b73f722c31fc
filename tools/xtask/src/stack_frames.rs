//! The stack frames of an image: the compiler's own figures, held to a limit.
//!
//! A frame must be shorter than the page below each stack that is not mapped (`linker/armv6.ld`),
//! or a function could step over it into memory of others. [`FLAG`] lets LLVM write a section with
//! the address of each function and the bytes that it takes off the stack, registers that it saves
//! included. The section is not loaded. Functions in assembly have no entry: `boot/armv6.s`, and
//! two divisions of `compiler_builtins`.

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};

/// The flag of the compiler. It is unstable, as building `core` is.
pub const FLAG: &str = "-Zemit-stack-sizes";

const SECTION: &str = ".stack_sizes";

/// The longest frame that is accepted. The page that is not mapped has twice as many bytes.
const LONGEST: u64 = 32 << 10;

/// Names of functions in assembly begin like this: helpers that the ABI of ARM names.
const IN_ASSEMBLY: &str = "__aeabi_";

/// A function and the bytes that it takes off the stack.
#[derive(Debug, PartialEq, Eq)]
struct Frame {
    address: u64,
    bytes: u64,
}

/// Refuses an ELF file that has a function with a frame of more than [`LONGEST`] bytes, or one
/// whose frame is not known.
pub fn check(elf: &[u8]) -> Result<()> {
    let file = object::File::parse(elf)?;
    let section = file
        .section_by_name(SECTION)
        .with_context(|| format!("no section {SECTION}; compile with {FLAG}"))?;
    let frames = frames(section.data()?)?;
    let functions = file.symbols().filter(|symbol| {
        let section = symbol.section_index();
        let section = section.and_then(|index| file.section_by_index(index).ok());
        symbol.kind() == SymbolKind::Text
            && symbol.size() > 0
            && section.is_some_and(|it| it.kind() == SectionKind::Text)
    });
    let functions: Vec<(u64, String)> = functions
        .map(|symbol| (symbol.address(), name(symbol.name().unwrap_or("?"))))
        .collect();
    judge(&frames, &functions)
}

/// The name as it stands in the source.
fn name(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

fn judge(frames: &[Frame], functions: &[(u64, String)]) -> Result<()> {
    for (address, name) in functions {
        let is_known = frames.iter().any(|frame| frame.address == *address);
        ensure!(
            is_known || name.starts_with(IN_ASSEMBLY),
            "the compiler does not say how much stack `{name}` takes; compile all of it with {FLAG}"
        );
    }
    let Some(longest) = frames.iter().max_by_key(|frame| frame.bytes) else {
        bail!("the compiler says of no function how much stack it takes; compile with {FLAG}");
    };
    if longest.bytes > LONGEST {
        let mut names = functions.iter();
        let found = names.find(|(address, _)| *address == longest.address);
        let name = found.map_or("?", |(_, name)| name);
        bail!(
            "`{name}` takes {} bytes of the stack at once, and {LONGEST} are the most; let what is \
             long lie in a static (`Workspace`) or make it in place",
            longest.bytes
        );
    }
    Ok(())
}

/// The entries of the section: an address of 4 bytes, then the number of bytes as ULEB128.
fn frames(mut section: &[u8]) -> Result<Vec<Frame>> {
    let mut frames = Vec::new();
    while let Some((address, rest)) = section.split_first_chunk() {
        let address = u32::from_le_bytes(*address).into();
        let (bytes, length) = unsigned(rest).context("an entry of the stack sizes is cut off")?;
        frames.push(Frame { address, bytes });
        section = &rest[length..];
    }
    ensure!(
        section.is_empty(),
        "the last entry of the stack sizes is cut off"
    );
    Ok(frames)
}

/// A number in ULEB128, and the bytes that it takes.
fn unsigned(bytes: &[u8]) -> Option<(u64, usize)> {
    let length = bytes.iter().position(|byte| byte & 0x80 == 0)? + 1;
    // Nine groups of seven bits fit.
    let groups = bytes.get(..length).filter(|_| length <= 9)?;
    let value = groups.iter().rev();
    let value = value.fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
    Some((value, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn functions() -> Vec<(u64, String)> {
        let names = [
            (0x8000, "_RNvCsglLK5Ij64Iq_6kernel4boot"),
            (0x9000, "__aeabi_uidivmod"),
        ];
        names.map(|(at, symbol)| (at, name(symbol))).into()
    }

    #[test]
    fn entries_are_an_address_and_a_number_in_groups_of_seven_bits() {
        // 172,032 + 328 bytes, as `sub sp` takes them off in two steps, and a function without any.
        let section = [0, 0x80, 0, 0, 0xc8, 0xc2, 0x0a, 0x10, 0x90, 0x01, 0, 0];
        let found = frames(&section).unwrap();
        let wanted = [(0x8000, 172_360), (0x1_9010, 0)];
        assert_eq!(
            found,
            wanted.map(|(address, bytes)| Frame { address, bytes })
        );
        for end in [1, 3, 4, 6, 10, 11] {
            assert!(frames(&section[..end]).is_err(), "{end} bytes");
        }
        assert!(frames(&[[0xff; 4].as_slice(), &[0x80; 12], &[0]].concat()).is_err());
    }

    #[test]
    fn a_frame_above_the_limit_is_refused_with_its_function_and_its_bytes() {
        let frame = |bytes| {
            let address = 0x8000;
            [Frame { address, bytes }]
        };
        judge(&frame(LONGEST), &functions()).unwrap();
        let refusal = judge(&frame(LONGEST + 8), &functions()).unwrap_err();
        let refusal = refusal.to_string();
        assert!(
            refusal.contains("`kernel::boot` takes 32776 bytes of the stack"),
            "{refusal}"
        );
    }

    #[test]
    fn a_function_whose_frame_nobody_knows_is_refused() {
        let elsewhere = [Frame {
            address: 0x7000,
            bytes: 0,
        }];
        let refusal = judge(&elsewhere, &functions()).unwrap_err().to_string();
        assert!(refusal.contains("`kernel::boot`"), "{refusal}");
        assert!(judge(&[], &[]).is_err());
    }
}
