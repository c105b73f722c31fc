//! Containers and packed files that are not read: known by their first bytes, whatever their name.
//!
//! Taken for raw samples they would give noise without a word. Their first bytes are so many that
//! samples begin with them by chance in one of 10^9 files, so `--samples` is refused on them as
//! well. Only MPEG audio begins with fewer, and is warned of.
//!
//! Sources: RFC 9639 (FLAC), RFC 3533 (Ogg), RFC 1952 (gzip), RFC 8878 (Zstandard), the XZ and ZIP
//! specifications, Sony's description of Wave64, AIFF 1.3, Apple's of CAF, MATLAB's "MAT-File
//! Format", the HDF5 specification.

use super::Format;
use common::failure::{Failure, Result};

/// The remedy for a kind of container.
#[derive(Clone, Copy)]
enum Remedy {
    /// Audio, or video with audio.
    Ffmpeg,
    /// One packed file, and the command that unpacks its standard input.
    Unpack(&'static str),
    /// An archive of files, and the command that unpacks it.
    Archive(&'static str),
    /// Arrays of MATLAB or HDF5, and the Python that reads one.
    Python(&'static str),
}

/// A container: its name, its remedy, and the place and bytes that it is known by.
struct Container(&'static str, Remedy, &'static [(usize, &'static [u8])]);

const SCIPY: &str = "import numpy, scipy.io; numpy.save(\"OUT.npy\", scipy.io.loadmat(\"IN\")[\"VARIABLE\"].ravel())";
const H5PY: &str =
    "import numpy, h5py; numpy.save(\"OUT.npy\", h5py.File(\"IN\")[\"DATASET\"][:].ravel())";

/// Every container, by bytes that are enough to be sure.
const KNOWN: &[Container] = &[
    Container("FLAC audio", Remedy::Ffmpeg, &[(0, b"fLaC")]),
    Container("an Ogg file", Remedy::Ffmpeg, &[(0, b"OggS\0")]),
    Container(
        "a Wave64 (W64) file",
        Remedy::Ffmpeg,
        &[(0, b"riff\x2e\x91\xcf\x11")],
    ),
    Container(
        "a RIFX (big-endian WAV) file",
        Remedy::Ffmpeg,
        &[(0, b"RIFX"), (8, b"WAVE")],
    ),
    Container(
        "an AIFF file",
        Remedy::Ffmpeg,
        &[(0, b"FORM"), (8, b"AIFF")],
    ),
    Container(
        "an AIFF-C file",
        Remedy::Ffmpeg,
        &[(0, b"FORM"), (8, b"AIFC")],
    ),
    Container("an AU file", Remedy::Ffmpeg, &[(0, b".snd\0\0")]),
    Container("a CAF file", Remedy::Ffmpeg, &[(0, b"caff\0\x01")]),
    Container("an MP3 file", Remedy::Ffmpeg, &[(0, b"ID3\x02")]),
    Container("an MP3 file", Remedy::Ffmpeg, &[(0, b"ID3\x03")]),
    Container("an MP3 file", Remedy::Ffmpeg, &[(0, b"ID3\x04")]),
    Container(
        "an MP4 or QuickTime file",
        Remedy::Ffmpeg,
        &[(0, b"\0\0\0"), (4, b"ftyp")],
    ),
    Container(
        "a Matroska or WebM file",
        Remedy::Ffmpeg,
        &[(0, b"\x1a\x45\xdf\xa3")],
    ),
    Container(
        "a WavPack file",
        Remedy::Ffmpeg,
        &[(0, b"wvpk"), (9, b"\x04")],
    ),
    Container(
        "packed with gzip",
        Remedy::Unpack("gunzip -c"),
        &[(0, b"\x1f\x8b\x08")],
    ),
    Container(
        "packed with xz",
        Remedy::Unpack("xz -dc"),
        &[(0, b"\xfd7zXZ\0")],
    ),
    Container(
        "packed with zstd",
        Remedy::Unpack("zstd -dc"),
        &[(0, b"\x28\xb5\x2f\xfd")],
    ),
    Container(
        "packed with bzip2",
        Remedy::Unpack("bunzip2 -c"),
        &[(0, b"BZh"), (4, b"1AY&SY")],
    ),
    Container(
        "packed with lz4",
        Remedy::Unpack("lz4 -dc"),
        &[(0, b"\x04\x22\x4d\x18")],
    ),
    Container(
        "a ZIP archive",
        Remedy::Archive("unzip"),
        &[(0, b"PK\x03\x04")],
    ),
    Container(
        "a 7z archive",
        Remedy::Archive("7z x"),
        &[(0, b"7z\xbc\xaf\x27\x1c")],
    ),
    Container(
        "a MAT file of version 7.3",
        Remedy::Python(H5PY),
        &[(0, b"MATLAB 7.3 MAT")],
    ),
    Container(
        "a MAT file",
        Remedy::Python(SCIPY),
        &[(0, b"MATLAB 5.0 MAT")],
    ),
    Container(
        "an HDF5 file",
        Remedy::Python(H5PY),
        &[(0, b"\x89HDF\r\n\x1a\n")],
    ),
];

impl Container {
    fn of(head: &[u8]) -> Option<&'static Self> {
        KNOWN.iter().find(|Self(_, _, marks)| {
            let has = |(at, mark): &(usize, &[u8])| {
                head.get(*at..).is_some_and(|rest| rest.starts_with(mark))
            };
            marks.iter().all(has)
        })
    }
}

/// Refuses a file that begins as a container does, with the way to convert it.
pub fn refuse(name: &str, head: &[u8], samples: Option<Format>) -> Result<()> {
    let Some(Container(kind, remedy, _)) = Container::of(head) else {
        return Ok(());
    };
    let file = shell_word(name);
    let remedy = match remedy {
        Remedy::Ffmpeg => format!(
            "convert it with `ffmpeg -i {file} {}` (16 bits; `-c:a pcm_f32le` in front of the last name keeps more)",
            shell_word(&renamed(name, "wav"))
        ),
        Remedy::Unpack(command) => {
            format!(
                "unpack it with `{command} < {file} > {}`",
                shell_word(&unpacked(name))
            )
        }
        Remedy::Archive(_) if has_ending(name, "npz") => format!(
            "save one array with `python3 -c 'import numpy; numpy.save(\"OUT.npy\", numpy.load(\"{}\")[\"NAME\"])'`",
            name.replace(['\'', '"', '\\'], "?")
        ),
        Remedy::Archive(_) if has_ending(name, "xlsx") || has_ending(name, "ods") => {
            "save its sheet as CSV".to_owned()
        }
        Remedy::Archive(command) => {
            format!("unpack it with `{command} {file}`, and give a file from it")
        }
        Remedy::Python(code) => format!(
            "save one of its arrays with `python3 -c '{}'`",
            code.replace("IN", &name.replace(['\'', '"', '\\'], "?"))
        ),
    };
    let insist = samples.map_or_else(String::new, |format| {
        format!(
            "; if it holds raw samples all the same, leave the first one out: `tail -c +{} {file} > rest.raw`",
            format.bytes() + 1
        )
    });
    Err(Failure::usage(format!(
        "{name} is {kind}, which is not read; {remedy}{insist}"
    )))
}

/// A warning of raw samples that begin as a frame of MPEG audio does, which a few bytes say.
pub fn warning(head: &[u8]) -> Option<String> {
    let is_frame = matches!(head, [0xff, 0xf2 | 0xf3 | 0xfa | 0xfb, rates, ..]
        if rates >> 4 != 0 && rates >> 4 != 15 && rates >> 2 & 3 != 3);
    is_frame.then(|| {
        "it begins as an MP3 file does; if it is one, convert it with `ffmpeg -i FILE out.wav`"
            .to_owned()
    })
}

fn has_ending(name: &str, ending: &str) -> bool {
    let (_, of) = name.rsplit_once('.').unwrap_or_default();
    of.eq_ignore_ascii_case(ending)
}

/// The name with another ending, or another name where it has that one.
fn renamed(name: &str, ending: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = if stem == "-" { "out" } else { stem };
    match has_ending(name, ending) {
        true => format!("{stem}-converted.{ending}"),
        false => format!("{stem}.{ending}"),
    }
}

/// The name of what a packed file holds.
fn unpacked(name: &str) -> String {
    const PACKED: [&str; 5] = ["gz", "xz", "zst", "bz2", "lz4"];
    match name.rsplit_once('.') {
        Some((stem, _)) if PACKED.iter().any(|ending| has_ending(name, ending)) => stem.to_owned(),
        Some((stem, ending)) => format!("{stem}-unpacked.{ending}"),
        None => "unpacked".to_owned(),
    }
}

/// The name as a word for a shell.
fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._/+=@%-".contains(c);
    let dashed = if name.starts_with('-') && name.len() > 1 {
        "./"
    } else {
        ""
    };
    match name.chars().all(is_plain) {
        true => format!("{dashed}{name}"),
        false => format!("'{dashed}{}'", name.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Reading, read_bytes};
    use super::*;

    /// The refusal of a file, with `--samples i16` and without.
    fn refusal(name: &str, head: &[u8]) -> String {
        let bytes = [head, &[0; 64]].concat();
        let mut how = Reading {
            rate: signal::Rate::new(1, 1),
            ..Reading::default()
        };
        let first = read_bytes(name, bytes.clone(), &how)
            .expect_err(name)
            .message;
        how.samples = Format::from_name("i16");
        let second = read_bytes(name, bytes, &how).expect_err(name).message;
        assert!(second.starts_with(&first), "{second}");
        assert!(second.contains("tail -c +3 "), "{second}");
        first
    }

    #[test]
    fn containers_are_known_by_their_first_bytes_and_the_remedy_is_said() {
        for (name, head, wanted) in [
            (
                "a.flac",
                &b"fLaC\0\0\0\x22"[..],
                "FLAC audio, which is not read; convert it with `ffmpeg -i a.flac a.wav`",
            ),
            ("a.raw", b"fLaC", "`ffmpeg -i a.raw a.wav`"),
            ("a.wav", b"fLaC", "`ffmpeg -i a.wav a-converted.wav`"),
            (
                "my tone.ogg",
                b"OggS\0\x02",
                "`ffmpeg -i 'my tone.ogg' 'my tone.wav'`",
            ),
            ("a.w64", b"riff\x2e\x91\xcf\x11\xa5\xd6\x28\xdb", "W64"),
            ("a.wav", b"RIFX\0\0\0\0WAVE", "RIFX"),
            ("a.aif", b"FORM\0\0\x10\0AIFF", "an AIFF file"),
            ("a.cs16", b"FORM\0\0\x10\0AIFC", "AIFF-C"),
            ("a.au", b".snd\0\0\0\x18", "an AU file"),
            ("a.caf", b"caff\0\x01\0\0", "a CAF file"),
            ("a.mp3", b"ID3\x04\0\0", "an MP3 file"),
            ("a.m4a", b"\0\0\0\x20ftypM4A ", "MP4"),
            (
                "a.mat",
                b"MATLAB 5.0 MAT-file, Platform: GLNXA64",
                "scipy.io.loadmat(\"a.mat\")",
            ),
            (
                "a.mat",
                b"MATLAB 7.3 MAT-file, Platform: GLNXA64",
                "h5py.File(\"a.mat\")",
            ),
            ("a.h5", b"\x89HDF\r\n\x1a\n", "h5py"),
            (
                "a.cf32.gz",
                b"\x1f\x8b\x08\0",
                "`gunzip -c < a.cf32.gz > a.cf32`",
            ),
            (
                "a.sigmf",
                b"\x1f\x8b\x08\0",
                "a.sigmf is packed with gzip, which is not read; unpack it with `gunzip -c < a.sigmf > a-unpacked.sigmf`",
            ),
            ("a.csv", b"\x1f\x8b\x08\0", "gunzip"),
            ("a.xz", b"\xfd7zXZ\0", "`xz -dc < a.xz > a`"),
            ("a.zst", b"\x28\xb5\x2f\xfd", "zstd -dc"),
            ("a.bz2", b"BZh91AY&SY", "bunzip2 -c"),
            ("a.zip", b"PK\x03\x04", "`unzip a.zip`"),
            ("a.npz", b"PK\x03\x04", "numpy.load(\"a.npz\")"),
            ("a.xlsx", b"PK\x03\x04", "save its sheet as CSV"),
        ] {
            let said = refusal(name, head);
            assert!(said.contains(wanted), "{said}");
        }
    }

    #[test]
    fn text_and_samples_that_begin_almost_alike_are_read() {
        let how = Reading {
            rate: signal::Rate::new(1, 1),
            ..Reading::default()
        };
        for text in ["ID3\n1\n2\n3\n", "FORM\n1\n2\n", "PK\n1\n2\n"] {
            read_bytes("a.csv", text.into(), &how).expect(text);
        }
        for head in [
            &b"fLaX"[..],
            b"ID3 ",
            b"\x1f\x8b\x09\0",
            b"RIFX....WAVX",
            b"MATLAB 4",
        ] {
            let how = Reading {
                samples: Format::from_name("i16"),
                ..how.clone()
            };
            read_bytes("a.bin", head.to_vec(), &how).expect("samples");
        }
    }

    #[test]
    fn raw_samples_that_begin_as_mp3_are_read_with_a_warning() {
        let how = Reading {
            rate: signal::Rate::new(1, 1),
            samples: Format::from_name("i16"),
            ..Reading::default()
        };
        let hints = |head: &[u8]| {
            read_bytes("a.bin", head.to_vec(), &how)
                .expect("samples")
                .hints
        };
        assert!(hints(&[0xff, 0xfb, 0x90, 0x64])[0].contains("ffmpeg"));
        for head in [
            [0xff, 0xff, 0xff, 0xff],
            [0xff, 0xfb, 0xf0, 0],
            [0xfe, 0xff, 2, 0],
        ] {
            assert_eq!(hints(&head).len(), 0, "{head:?}");
        }
    }
}
