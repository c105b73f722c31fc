//! Raspberry Pi's own boot files: are they there, whole, and of the kind that has the QPUs.
//!
//! `start.elf` says of itself which variant it is and when it was built, as text:
//! `VC_BUILD_ID_VARIANT` and two `VC_BUILD_ID_TIME`, one the time and one the day. `fixup.dat` says
//! nothing of itself; with one of another build the ARM is left 128 MB (raspberrypi/firmware 1072,
//! 1163, 1307), with one of another variant too. Its variants differ in size, and known sets of
//! files are known by their sums.

use std::io;

use sha2::{Digest, Sha256};

use crate::boot_files_from;
use crate::finding::Finding;
use crate::folder::Folder;

/// Three files of one build that is known to run.
struct Known {
    /// Date of the build.
    built: &'static str,
    /// Recorded runs of it.
    seen: &'static str,
    /// SHA-256 of bootcode.bin, start.elf and fixup.dat.
    sums: [&'static str; 3],
}

/// The sets whose sums are known. Source: the files in `firmware/` of justiny7/rpi_gs at d60dd4a,
/// whose QPU programs ran with them on a Zero W.
const KNOWN: [Known; 1] = [Known {
    built: "8 December 2025",
    seen: "with which QPU programs of another project ran on a Zero W",
    sums: [
        "ba631d3e541cc0ecb90ed9b9ed3b7db81824eed4c09dc7ca302306bfcc56501a",
        "a9572e39835b262e11f748ab02c51666849011ec4df07d1515395b021c3624d1",
        "f74ddea81845dd4327bbab05057beaea14831c9f2d2a53cbdae0affab1dfae2e",
    ],
}];

const NAMES: [&str; 3] = ["bootcode.bin", "start.elf", "fixup.dat"];

/// The least lengths of the three: shorter ones are something else, or cut.
const LEAST_BYTES: [usize; 3] = [15_000, 2_000_000, 1_000];

/// Lengths of a `fixup.dat` of variant `start`, with room to both sides: those of `cd` have some 3
/// KB, those of `x` and `db` some 10 KB.
const FIXUP_BYTES: std::ops::Range<usize> = 4_500..8_800;

/// Looks at the three boot files.
pub fn look(folder: &Folder) -> io::Result<Vec<Finding>> {
    let mut found = Vec::new();
    let mut sums = [const { None }; 3];
    for (index, name) in NAMES.into_iter().enumerate() {
        let Some(bytes) = folder.bytes(name)? else {
            found.push(missing(name, folder));
            continue;
        };
        let sum = sum(&bytes);
        let place = KNOWN.iter().position(|known| known.sums[index] == sum);
        sums[index] = Some((place, bytes.len()));
        found.push(match (place, not_a_boot_file(&bytes, LEAST_BYTES[index])) {
            (Some(place), _) => Finding::right(name, format!("of {}", KNOWN[place].built)),
            (None, Some(what)) => Finding::wrong(
                name,
                format!(
                    "{what}; download the file itself (on GitHub: Download raw file) from {}",
                    boot_files_from()
                ),
            ),
            (None, None) if index == 1 => start(&bytes),
            (None, None) => Finding::right(name, format!("{} bytes", bytes.len())),
        });
    }
    if let [Some((bootcode, _)), Some((start, _)), Some((fixup, bytes))] = sums
        && !found.iter().any(Finding::is_wrong)
    {
        found.push(of_one_build([bootcode, start, fixup], bytes));
    }
    Ok(found)
}

fn missing(name: &str, folder: &Folder) -> Finding {
    let cut_down = name.replace('.', "_cd.");
    let advice = if folder.has(&cut_down) {
        format!(" ({cut_down} does not do instead: it has no 3D block)")
    } else {
        String::new()
    };
    Finding::wrong(
        name,
        format!(
            "is missing{advice}; take bootcode.bin, start.elf and fixup.dat from {}",
            boot_files_from()
        ),
    )
}

/// The kind of a file that is not a boot file, where that can be recognized.
fn not_a_boot_file(bytes: &[u8], least: usize) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(256)]).to_lowercase();
    let head = head.trim_start();
    if head.starts_with("<!doctype") || head.starts_with("<html") {
        return Some("is a web page".to_owned());
    }
    if head.starts_with("version https://git-lfs") {
        return Some("is a pointer of Git LFS".to_owned());
    }
    (bytes.len() < least).then(|| {
        format!(
            "has {} bytes only, so it is cut or something else",
            bytes.len()
        )
    })
}

/// `start.elf`, by what it says of itself.
fn start(bytes: &[u8]) -> Finding {
    let name = NAMES[1];
    if !bytes.starts_with(b"\x7fELF") {
        return Finding::wrong(
            name,
            format!("is no ELF file; take it from {}", boot_files_from()),
        );
    }
    let variant = said(bytes, "VC_BUILD_ID_VARIANT: ").into_iter().next();
    // One is the time of day, the other the day.
    let day = said(bytes, "VC_BUILD_ID_TIME: ")
        .into_iter()
        .find(|time| !time.contains(':'));
    let built = day.map_or_else(String::new, |day| format!(" built {day}"));
    let Some(variant) = variant else {
        return Finding::note(
            name,
            format!(
                "does not say which variant it is{built}; if the banner says `V3D not found`, take it from {}",
                boot_files_from()
            ),
        );
    };
    let what = match variant.as_str() {
        "start" => return Finding::right(name, format!("variant start{built}")),
        "start_cd" => "the cut-down variant, which has no 3D block and so no QPUs",
        "start_x" => "the variant for cameras",
        "start_db" => "the variant for debugging",
        _ => "of another board",
    };
    Finding::wrong(
        name,
        format!(
            "is variant {variant}{built}, {what}; take start.elf and fixup.dat themselves from {}",
            boot_files_from()
        ),
    )
}

/// The values behind a name in a binary: each up to the byte that ends its string.
fn said(bytes: &[u8], name: &str) -> Vec<String> {
    let name = name.as_bytes();
    let places = bytes
        .windows(name.len())
        .enumerate()
        .filter(|(_, window)| *window == name);
    places
        .map(|(place, _)| {
            let value = &bytes[place + name.len()..];
            let end = value
                .iter()
                .take(64)
                .position(|byte| !matches!(byte, b' '..=b'~'));
            String::from_utf8_lossy(&value[..end.unwrap_or(0)])
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        })
        .filter(|value| !value.is_empty())
        .collect()
}

/// Reports if the three are of one build, as far as that can be seen.
fn of_one_build(sets: [Option<usize>; 3], fixup_bytes: usize) -> Finding {
    let advice = format!("take all three from {}", boot_files_from());
    if !FIXUP_BYTES.contains(&fixup_bytes) {
        return Finding::wrong(
            NAMES[2],
            format!(
                "has {fixup_bytes} bytes, as that of another variant has (_cd, _x or _db); {advice}"
            ),
        );
    }
    match sets {
        [Some(first), Some(start), Some(fixup)] if first == start && start == fixup => {
            let Known { built, seen, .. } = &KNOWN[start];
            Finding::right("boot files", format!("all of {built}, {seen}"))
        }
        [_, start, fixup] if start != fixup => Finding::wrong(
            NAMES[2],
            format!("is of another build than start.elf, so that the ARM is left 128 MB; {advice}"),
        ),
        _ => Finding::note(
            "boot files",
            "whether they are of one build cannot be seen; if the banner says `128 MiB for the ARM`, they are not",
        ),
    }
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_where_text_ends() {
        let bytes = b"\0VC_BUILD_ID_TIME: 19:42:39\0\0VC_BUILD_ID_TIME: Dec  8 2025\0x";
        assert_eq!(
            said(bytes, "VC_BUILD_ID_TIME: "),
            ["19:42:39", "Dec 8 2025"]
        );
        assert!(said(b"VC_BUILD_ID_TIME: ", "VC_BUILD_ID_TIME: ").is_empty());
    }

    #[test]
    fn the_three_are_held_against_known_sets() {
        let one = of_one_build([Some(0); 3], 7_367);
        assert_eq!(one.severity, crate::Severity::Right);
        let other = of_one_build([Some(0), Some(0), None], 7_300);
        assert!(
            other.sentence.contains("another build than start.elf"),
            "{other}"
        );
        let size = of_one_build([None; 3], 3_200);
        assert!(size.sentence.contains("another variant"), "{size}");
        assert_eq!(
            of_one_build([None; 3], 7_300).severity,
            crate::Severity::Note
        );
    }
}
