//! `kernel.img`: the flat image of this firmware, or what lies there instead.

use std::io;

use crate::config::Settings;
use crate::finding::Finding;
use crate::folder::Folder;

/// Text that is in every image of the firmware, and nowhere else: what it says on other boards, and
/// its banner.
const MARKS: [&[u8]; 2] = [
    b"this image is for a Raspberry Pi 1 or Zero",
    b"FFT on the QPUs of VideoCore IV",
];

/// The version whose image is expected.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// No image of ours is shorter.
const LEAST_BYTES: usize = 100_000;

/// Names that other boards start, and Pi 1 and Zero do not.
const OF_OTHERS: [&str; 4] = [
    "kernel7.img",
    "kernel7l.img",
    "kernel8.img",
    "kernel_2712.img",
];

/// Looks at the image that will be started.
pub fn look(folder: &Folder, settings: &Settings) -> io::Result<Vec<Finding>> {
    let name = settings.kernel.as_str();
    let Some(bytes) = folder.bytes(name)? else {
        // Of one that `kernel=` names the rule for that line has spoken.
        let missing = name == "kernel.img";
        return Ok(missing.then(|| absent(folder)).into_iter().collect());
    };
    let finding = match what_else(&bytes) {
        Some(what) => Finding::wrong(name, format!("{what}; copy kernel.img of qpuscope over it")),
        None if !contains(&bytes, VERSION.as_bytes()) => Finding::note(
            name,
            format!(
                "is qpuscope, and not of version {VERSION} as this tool is; copy kernel.img of that version over it"
            ),
        ),
        None => Finding::right(name, format!("qpuscope {VERSION}, {} bytes", bytes.len())),
    };
    Ok(vec![finding])
}

fn absent(folder: &Folder) -> Finding {
    let other = OF_OTHERS.into_iter().find(|name| folder.has(name));
    let sentence = match other {
        Some(other) => format!(
            "is missing, and {other} is for other boards; copy kernel.img of qpuscope to the card"
        ),
        None => "is missing; copy kernel.img of qpuscope to the card".to_owned(),
    };
    Finding::wrong("kernel.img", sentence)
}

/// The kind of a file that is not an image of ours.
fn what_else(bytes: &[u8]) -> Option<String> {
    let word = |at: usize| {
        bytes
            .get(at..at + 4)
            .map(|word| [word[0], word[1], word[2], word[3]])
    };
    if bytes.starts_with(b"\x7fELF") {
        return Some("is an ELF file, which the boot firmware does not start".to_owned());
    }
    if word(0x24) == Some(0x016F_2818u32.to_le_bytes())
        || word(0x38) == Some(*b"ARM\x64")
        || bytes.starts_with(&[0x1F, 0x8B])
    {
        return Some("is a Linux kernel".to_owned());
    }
    if bytes.starts_with(b"PK\x03\x04") {
        return Some("is a zip file; unpack it".to_owned());
    }
    if !MARKS.iter().all(|mark| contains(bytes, mark)) {
        let cut = contains(bytes, MARKS[0]) || bytes.len() < LEAST_BYTES;
        let what = if cut {
            "is cut or damaged"
        } else {
            "is the image of something else"
        };
        return Some(format!("{what} ({} bytes)", bytes.len()));
    }
    None
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
