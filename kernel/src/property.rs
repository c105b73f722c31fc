//! Property messages: what the mailbox carries, one tag a message.
//!
//! Word 0 is the size in bytes, word 1 the code, then one tag {id, bytes of its value buffer,
//! length word, values}, then 0. The code in word 1 says "success" even when nobody knew the tag
//! (QEMU, and firmware for some tags), so only the tag's own length word counts: bit 31 set and at
//! least the bytes that the tag defines.
//!
//! Source: github.com/raspberrypi/firmware wiki, "Mailbox property interface".

/// Words of a value buffer; the longest value asked for is the command line (1 KiB of text).
pub const VALUE_WORDS: usize = 256;

/// Words that the longest message takes.
pub const MESSAGE_WORDS: usize = VALUE_WORDS + 6;

const ANSWERED: u32 = 1 << 31;

/// A property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Tag {
    /// → firmware revision (a Unix time).
    FirmwareRevision = 0x0000_0001,
    /// → board revision.
    BoardRevision = 0x0001_0002,
    /// → base, bytes of the RAM the ARM owns.
    ArmMemory = 0x0001_0005,
    /// clock → clock, Hz.
    ClockRate = 0x0003_0002,
    /// clock → clock, Hz as it was measured.
    MeasuredClockRate = 0x0003_0047,
    /// 0 → 0, thousandths of a degree Celsius.
    Temperature = 0x0003_0006,
    /// clock → clock, Hz.
    MaxClockRate = 0x0003_0004,
    /// clock, Hz, 1 (do not change voltage) → clock, Hz.
    SetClockRate = 0x0003_8002,
    /// → PM_RSTS as the boot firmware found it (raspberrypi/firmware 877; since October 2017).
    ResetStatus = 0x0004_0011,
    /// 1 or 0 → 0 when done.
    EnableQpu = 0x0003_0012,
    /// domain, 1 or 0 → domain, state.
    SetDomainState = 0x0003_8030,
    /// → DMA channels that the ARM may use, one bit each.
    DmaChannels = 0x0006_0001,
    /// → text.
    CommandLine = 0x0005_0001,
}

/// A clock's id in the clock properties.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum ClockId {
    /// PL011.
    Uart = 2,
    /// The ARM.
    Arm = 3,
    /// VideoCore, system L2, memory bus.
    Core = 4,
    /// V3D.
    V3d = 5,
}

/// Power domain of V3D in [`Tag::SetDomainState`] (Linux' index 10, plus one).
pub const DOMAIN_V3D: u32 = 11;

/// Reports if a firmware revision is one of a Raspberry Pi's firmware, which is a Unix time.
///
/// QEMU's is 0x548e1. Its PM resets at once when the watchdog is armed, so code that would arm it
/// asks this first.
#[must_use]
pub fn is_dated(firmware_revision: u32) -> bool {
    /// 2012-01-01, before the first Raspberry Pi was sold.
    const FIRST: u32 = 1_325_376_000;
    firmware_revision >= FIRST
}

/// Writes the message that asks for `tag` with `request`, leaving room for `value_words` of answer.
///
/// # Panics
/// When the message does not fit `message`.
pub fn encode(message: &mut [u32], tag: Tag, request: &[u32], value_words: usize) {
    let room = value_words.max(request.len());
    let words = room + 6;
    message[..words].fill(0);
    message[0] = (words * 4) as u32;
    message[2] = tag as u32;
    message[3] = (room * 4) as u32;
    message[5..5 + request.len()].copy_from_slice(request);
}

/// The first `words` words that the tag in `message` was answered with; `None` when it was not
/// handled, or not with as many words.
#[must_use]
pub fn answer(message: &[u32], tag: Tag, words: usize) -> Option<&[u32]> {
    let bytes = answered_bytes(message, tag)? as usize;
    message.get(5..5 + words).filter(|_| bytes >= words * 4)
}

/// All bytes that the tag in `message` was answered with, clamped to its buffer; `None` when it was
/// not handled.
pub fn answer_bytes(message: &[u32], tag: Tag) -> Option<impl Iterator<Item = u8>> {
    let bytes = answered_bytes(message, tag)?.min(message[3]) as usize;
    let all = message[5..].iter().flat_map(|word| word.to_le_bytes());
    Some(all.take(bytes))
}

fn answered_bytes(message: &[u32], tag: Tag) -> Option<u32> {
    if message.len() < 6 || message[2] != tag as u32 {
        return None;
    }
    let length = message[4];
    // QEMU answers tags it does not know with bit 31 and length 0.
    if length & ANSWERED == 0 || length == ANSWERED {
        return None;
    }
    Some(length & !ANSWERED)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(tag: Tag, length_word: u32, values: &[u32]) -> [u32; 16] {
        let mut message = [0; 16];
        encode(&mut message, tag, &[], 4);
        message[1] = 0x8000_0000;
        message[4] = length_word;
        message[5..5 + values.len()].copy_from_slice(values);
        message
    }

    #[test]
    fn a_request_has_size_tag_room_and_end() {
        let mut message = [!0; 16];
        encode(&mut message, Tag::ClockRate, &[ClockId::Uart as u32], 2);
        assert_eq!(
            message[..9],
            [32, 0, 0x0003_0002, 8, 0, 2, 0, 0, !0],
            "8 words of 4 bytes, the last of them the end tag"
        );
    }

    #[test]
    fn an_answer_gives_its_values() {
        let message = answered(Tag::ClockRate, 0x8000_0008, &[2, 48_000_000]);
        assert_eq!(
            answer(&message, Tag::ClockRate, 2),
            Some(&[2, 48_000_000][..])
        );
    }

    #[test]
    fn a_tag_that_nobody_knew_is_not_an_answer_whatever_the_header_says() {
        for length_word in [0, 0x8000_0000, 4] {
            let message = answered(Tag::EnableQpu, length_word, &[1]);
            assert_eq!(
                answer(&message, Tag::EnableQpu, 1),
                None,
                "{length_word:#x}"
            );
        }
    }

    #[test]
    fn a_short_answer_is_refused() {
        let message = answered(Tag::ArmMemory, 0x8000_0004, &[0]);
        assert_eq!(answer(&message, Tag::ArmMemory, 2), None);
    }

    #[test]
    fn a_length_beyond_the_message_does_not_read_behind_it() {
        let message = answered(Tag::ArmMemory, 0xffff_fff0, &[0]);
        assert_eq!(answer(&message, Tag::ArmMemory, 100), None);
        let text: Vec<u8> = answer_bytes(&message, Tag::ArmMemory).unwrap().collect();
        assert_eq!(text.len(), 16);
    }
}
