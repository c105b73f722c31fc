//! ATAGs: the list the boot firmware leaves in memory; all that is wanted of it is the command
//! line.
//!
//! Each entry is {size in words, tag, data ...}; the list starts with ATAG_CORE and ends with
//! ATAG_NONE. It was written by others, so nothing in it is trusted further than the words given.
//!
//! Source: Linux Documentation/arch/arm/booting.rst, "Setup the kernel tagged list".

const ATAG_NONE: u32 = 0;
const ATAG_CORE: u32 = 0x5441_0001;
const ATAG_CMDLINE: u32 = 0x5441_0009;

/// Copies the command line in `words` to `out`; its length, or `None` when the words are no list of
/// ATAGs or have no command line. What does not fit is cut off.
#[must_use]
pub fn command_line(words: &[u32], out: &mut [u8]) -> Option<usize> {
    if words.get(1) != Some(&ATAG_CORE) {
        return None;
    }
    let mut rest = words;
    loop {
        let [size, tag, ..] = *rest else { return None };
        if tag == ATAG_NONE {
            return None;
        }
        if size < 2 {
            return None;
        }
        let entry = rest.get(..size as usize)?;
        if tag == ATAG_CMDLINE {
            let text = entry[2..].iter().flat_map(|word| word.to_le_bytes());
            let mut length = 0;
            for (to, from) in out.iter_mut().zip(text.take_while(|byte| *byte != 0)) {
                *to = from;
                length += 1;
            }
            return Some(length);
        }
        rest = &rest[size as usize..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: &[u32]) -> Option<String> {
        let mut out = [0; 64];
        let length = command_line(words, &mut out)?;
        Some(String::from_utf8(out[..length].to_vec()).expect("ASCII in, ASCII out"))
    }

    #[test]
    fn the_command_line_is_found_behind_other_tags() {
        let words = [
            5,
            ATAG_CORE,
            0,
            0,
            0, // core
            4,
            0x5441_0002,
            0x1000_0000,
            0, // mem
            5,
            ATAG_CMDLINE,
            u32::from_le_bytes(*b"star"),
            u32::from_le_bytes(*b"t=0\0"),
            7,
            0,
            0,
        ];
        assert_eq!(text(&words).as_deref(), Some("start=0"));
    }

    #[test]
    fn what_is_no_list_has_no_command_line() {
        for words in [
            &[][..],
            &[0],
            &[0xd00d_feed, 0x100],               // a device tree
            &[2, ATAG_CORE, 0, 0],               // no command line
            &[2, ATAG_CORE, 0, ATAG_CMDLINE],    // a size of 0
            &[2, ATAG_CORE, 9, ATAG_CMDLINE, 1], // longer than memory
            &[2, ATAG_CORE, 1, 0x5441_0002, 2],  // size 1
            &[2, ATAG_CORE, u32::MAX, ATAG_CMDLINE, 1],
            &[2, ATAG_CORE, 2],
        ] {
            assert_eq!(text(words), None, "{words:x?}");
        }
    }

    #[test]
    fn a_long_line_is_cut() {
        let words = [
            2,
            ATAG_CORE,
            4,
            ATAG_CMDLINE,
            0x6161_6161,
            0x6161_6161,
            0,
            0,
        ];
        let mut out = [0; 3];
        assert_eq!(command_line(&words, &mut out), Some(3));
        assert_eq!(&out, b"aaa");
    }
}
