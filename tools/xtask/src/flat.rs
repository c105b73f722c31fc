//! The flat image: what the boot firmware copies to memory, cut out of an ELF file.
//!
//! The image is the file contents of every loadable segment, by physical address from the lowest
//! on, gaps filled with zeros. `.bss` and the sections for debuggers and defmt are not in it.

use anyhow::{Context, Result, bail, ensure};
use object::elf::{FileHeader32, PT_LOAD};
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader};
use object::{Endianness, Object};

/// Longest image that makes sense; a stray section far away would otherwise fill the disk.
const LONGEST: u32 = 16 << 20;

/// A flat image and where it belongs.
#[derive(Debug)]
pub struct Flat {
    /// Physical address of the first byte.
    pub base: u32,
    /// Address of the first instruction executed.
    pub entry: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// Cuts the flat image out of a little-endian 32-bit ELF file.
pub fn from_elf(elf: &[u8]) -> Result<Flat> {
    let file: ElfFile32<Endianness> = ElfFile32::parse(elf).context("not a 32-bit ELF file")?;
    let endian = file.endian();
    let header: &FileHeader32<Endianness> = file.elf_header();
    let mut segments = Vec::new();
    for segment in header.program_headers(endian, elf)? {
        let bytes = segment
            .data(endian, elf)
            .ok()
            .context("a segment lies outside the file")?;
        if segment.p_type(endian) == PT_LOAD && !bytes.is_empty() {
            segments.push((segment.p_paddr(endian), bytes));
        }
    }
    segments.sort_by_key(|(address, _)| *address);
    let Some(&(base, _)) = segments.first() else {
        bail!("the ELF file has nothing to load");
    };
    let mut image = Vec::new();
    for (address, bytes) in segments {
        let at = address - base;
        ensure!(
            at < LONGEST,
            "a segment at {address:#010x} is far from the start {base:#010x}"
        );
        ensure!(
            image.len() <= at as usize,
            "segments overlap at {address:#010x}"
        );
        image.resize(at as usize, 0);
        image.extend_from_slice(bytes);
    }
    let entry = u32::try_from(file.entry()).context("the entry is beyond 32 bits")?;
    Ok(Flat {
        base,
        entry,
        bytes: image,
    })
}
