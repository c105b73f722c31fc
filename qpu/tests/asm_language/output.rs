//! Tests of the formats that programs are written in, and of notes of exact bits.

use super::{options, words};
use qpu::asm::{Options, assemble};

#[test]
fn exact_bits_are_taken_from_their_note() {
    assert_eq!(
        words("nop # !bits 0x10020827_009e7000"),
        [0x10020827_009e7000]
    );
    assert_eq!(words("mov r0, r1 # a comment"), words("mov r0, r1"));
}

#[test]
fn formats_and_listing_show_words_and_sources() {
    let source =
        "::main\n mov r0, unif # first\n brr -, r:main\n nop\n nop\n nop\n.global size, 3\n";
    let assembly = assemble(
        source,
        &Options {
            file: "p.qasm",
            ..options()
        },
    )
    .unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(assembly.to_bin().len(), 40);
    assert!(assembly.to_hex().starts_with("0x15827d80, 0x10020827, // mov r0, unif # first\n0xffffffd8, 0xf0f809e7, // brr -, r:main\n"));
    let c = assembly.to_c("my-program");
    assert!(
        c.contains("#define my_program_main 0x0\n#define my_program_size 0x3\n"),
        "{c}"
    );
    assert!(c.contains("static const uint32_t my_program[10]"), "{c}");
    let rust = assembly.to_rust("my-program");
    assert!(
        rust.contains(
            "pub const MY_PROGRAM: [u64; 5] = [\n    0x10020827_15827d80, // mov r0, unif # first\n"
        ),
        "{rust}"
    );
    let listing = assembly.listing();
    assert!(
        listing.starts_with(":main\n0000  10020827_15827d80   p.qasm:2"),
        "{listing}"
    );
    assert!(
        listing.contains("0010  100009e7_009e7000 | p.qasm:4"),
        "{listing}"
    );
    assert_eq!(assembly.origin(1).map(|origin| origin.line), Some(3));
    assert_eq!(assembly.labels, [(0, "main".to_string())]);
}
