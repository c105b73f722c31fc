//! Golden pairs: words and their text.

use super::*;
use crate::isa::KNOWN_WORDS;

#[test]
fn published_words_have_the_published_text() {
    for (text, _, word) in KNOWN_WORDS {
        let line = line(*word, 0);
        let line = line.split(" # ").next().unwrap_or_default();
        assert_eq!(&line, text, "{word:#018x}");
    }
}

#[test]
fn what_the_published_words_do_not_show() {
    #[rustfmt::skip]
    let pairs = [
        (0xe200_0827_0001_0003_u64,   "ldis r0, [-1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"),
        (0xe600_0827_0001_0003,       "ldiu r0, [3,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"),
    ];
    for (word, text) in pairs {
        assert_eq!(line(word | 1 << 49, 0), text);
    }
}

#[test]
fn words_that_are_no_instruction() {
    assert_eq!(
        line(0x1000_09e7_099e_7000, 0),
        ".long 0x099e7000, 0x100009e7 # reserved op_add 9"
    );
    assert_eq!(
        line(0xf0d0_09e7_0000_0000, 0),
        ".long 0x00000000, 0xf0d009e7 # reserved cond_br 13"
    );
}
