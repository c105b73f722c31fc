//! The flat image: what the boot firmware copies to memory, cut out of an ELF file.
//!
//! The image is the contents of every section that is loaded, by physical address from the lowest
//! on, gaps filled with zeros, and zeros up to a multiple of [`ALIGNMENT`]. `.bss` and the sections
//! for debuggers and defmt are not in it, nor are the ELF headers, which a linker may put into the
//! first segment.

use anyhow::{Context, Result, bail, ensure};
use object::elf::{FileHeader32, PT_LOAD, SHF_ALLOC, SHT_NOBITS};
use object::read::elf::{ElfFile32, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object};

/// Longest image that makes sense; a stray section far away would otherwise fill the disk.
const LONGEST: u32 = 16 << 20;

/// The alignment of the length. One version of the boot firmware did not start images of odd
/// lengths (raspberrypi/firmware 1175); 64 bytes is a line of the system L2 and more than anybody
/// asks for.
pub const ALIGNMENT: usize = 64;

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
    let loaded = |offset: u32| {
        let mut segments = header.program_headers(endian, elf).ok()?.iter();
        let segment = segments.find(|segment| {
            let start = segment.p_offset(endian);
            let inside = offset >= start && offset - start < segment.p_filesz(endian);
            segment.p_type(endian) == PT_LOAD && inside
        })?;
        Some(segment.p_paddr(endian) + (offset - segment.p_offset(endian)))
    };
    let mut pieces = Vec::new();
    for section in header.sections(endian, elf)?.iter() {
        let kept = section.sh_flags(endian).0 & SHF_ALLOC.0 != 0;
        let bytes = section.data(endian, elf)?;
        if !kept || section.sh_type(endian) == SHT_NOBITS || bytes.is_empty() {
            continue;
        }
        // What no segment loads is there for tools only.
        pieces.extend(loaded(section.sh_offset(endian)).map(|address| (address, bytes)));
    }
    pieces.sort_by_key(|(address, _)| *address);
    let Some(&(base, _)) = pieces.first() else {
        bail!("the ELF file has nothing to load");
    };
    let mut image = Vec::new();
    for (address, bytes) in pieces {
        let at = address - base;
        ensure!(
            at < LONGEST,
            "a section at {address:#010x} is far from the start {base:#010x}"
        );
        ensure!(
            image.len() <= at as usize,
            "sections overlap at {address:#010x}"
        );
        image.resize(at as usize, 0);
        image.extend_from_slice(bytes);
    }
    image.resize(image.len().next_multiple_of(ALIGNMENT), 0);
    let entry = u32::try_from(file.entry()).context("the entry is beyond 32 bits")?;
    Ok(Flat {
        base,
        entry,
        bytes: image,
    })
}
