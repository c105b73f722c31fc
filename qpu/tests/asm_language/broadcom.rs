//! `--syntax broadcom`: what Broadcom's own sources have, and what its assembler makes of it.

use super::operations::{END, warnings};
use super::{options, words};
use qpu::asm::{Options, Syntax, assemble};

fn broadcom() -> Options<'static> {
    Options {
        syntax: Syntax::Broadcom,
        ..options()
    }
}

#[test]
fn broadcoms_own_shaders_have_addresses_and_notes() {
    let options = Options {
        defines: &[("other".into(), "0x100".into())],
        ..broadcom()
    };
    let assembled = |source: &str| {
        let assembly = assemble(source, &options).unwrap_or_else(|errors| panic!("{errors}"));
        assembly.words
    };
    for (own, plain) in [
        ("mov ra1, a:other + 4", "mov ra1, 0x104"),
        ("nop\n:b mov ra1, a:b", "nop\nmov ra1, 8"),
        (
            "nop ; mov r5rep, r0 << 2 @mul_used(0)",
            "nop ; mov r5rep, r0 << 2",
        ),
        ("mov r0, 0 @geomd_open @geomd_i(a(1), 2)", "mov r0, 0"),
        // Figures of the published words.
        (
            "mov vr_setup, vdr_setup_0(2, 16, dma_h32(15, 0), 16, 64)",
            "ldi vr_setup, 0x830200f0",
        ),
        (
            "mov vr_setup, vdr_setup_0(3, 2, dma_h32(16, 0), 5, 8)",
            "ldi vr_setup, 0x80235100",
        ),
        (
            "mov vr_setup, vdr_setup_0(1, 16, dma_v32(16, 3), 1, 8)",
            "mov vr_setup, vdr_setup_0(0, 16, 1, vdr_v32(1, 16, 3))",
        ),
        (
            "mov r1, vdr_setup_0(1, 16, dma_h32(0, 0), 0, 8)",
            "ldi r1, 0x80010000",
        ),
        // 16 is 0, so both may be written.
        (
            "mov r1, vdr_setup_0(0, 0, dma_h32(0, 0), 0, 8)",
            "mov r1, vdr_setup_0(16, 16, dma_h32(0, 0), 16, 8)",
        ),
    ] {
        assert_eq!(assembled(own), words(plain), "{own}");
    }
    for (bad, said) in [
        ("mov ra1, a:none", "label none is not defined"),
        ("nop @note(", "`)`"),
        (
            "mov vr_setup, vdr_setup_0(1, 16, dma_h32(0, 0), 1, 7)",
            "power of two",
        ),
        ("mov vr_setup, vdr_setup_0(1, 16, 1, 1, 8)", "dma_h32"),
        (
            "mov r1, vdr_setup_0(17, 16, dma_h32(0, 0), 1, 8)",
            "nrows is 17",
        ),
        (
            "mov r1, vdr_setup_0(1, -1, dma_h32(0, 0), 1, 8)",
            "rowlen is -1",
        ),
        (
            "mov r1, vdr_setup_0(1, 16, dma_h32(0, 0), 17, 8)",
            "vpitch is 17",
        ),
    ] {
        let errors = assemble(bad, &broadcom()).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
    }
}

#[test]
fn annotations_name_the_lanes_that_count() {
    let warned = |line: &str| warnings(&format!("nop\n{line}{END}"), Syntax::Broadcom);
    let inside = "nop ; mov ra1, ra0 << 2";
    assert_eq!(warned(inside), ["rotate-in-quad"]);
    // Lanes 2 and 3 of each quad come from the quad itself, and should not.
    for (note, expected) in [
        ("@mul_used(0, 1, 4, 13)", &[][..]),
        ("@mul_used(0, 2)", &["rotate-in-quad"]),
        ("@mul_used()", &[]),
        ("@mul_unused(2, 3, 6, 7, 10, 11, 14, 15)", &[]),
        ("@mul_unused(2, 3, 6, 7, 10, 11, 14)", &["rotate-in-quad"]),
        ("@\"mul_used\", 0x3333", &[]),
        ("@\"mul_used\", 0x8000", &["rotate-in-quad"]),
        ("@geomd_open", &["rotate-in-quad"]),
    ] {
        assert_eq!(warned(&format!("{inside} {note}")), expected, "{note}");
    }
    for (line, expected) in [
        // By 14, where lanes 0 and 1 are off, and by 4.
        (
            "nop ; mov ra1 << 2, ra0 @mul_unused(0, 1, 4, 5, 8, 9, 12, 13)",
            &[][..],
        ),
        ("nop ; mov ra1 << 2, ra0 @mul_used(0)", &["rotate-in-quad"]),
        (
            "nop ; mov ra1, ra0 >> 4 @mul_used(3)",
            &["rotate-in-quad", "rotation-source"],
        ),
    ] {
        let mut rules = warned(line);
        rules.sort_unstable();
        assert_eq!(rules, expected, "{line}");
    }
}

#[test]
fn annotations_that_nobody_knows_are_told_of() {
    let warned = |line: &str| warnings(&format!("{line}{END}"), Syntax::Broadcom);
    for known in [
        "@preserve_cond",
        "@geomd_verts_m(4) @geomd_tris_add @geomd_region_set_a(2)",
        "@trace_4c",
        "@\"preserve_cond\", 1",
    ] {
        assert_eq!(warned(&format!("mov r0, 0 {known}")), [""; 0], "{known}");
    }
    for unknown in [
        "@mul_usd(1)",
        "@geomd_opened",
        "@\"mul_unusual\", 1",
        "@note",
    ] {
        assert_eq!(
            warned(&format!("mov r0, 0 {unknown}")),
            ["annotation"],
            "{unknown}"
        );
    }
    for (bad, said) in [
        ("nop ; mov r0, r1 @mul_used(16)", "there is no lane 16"),
        ("nop ; mov r0, r1 @mul_unused(-1)", "there is no lane -1"),
        ("nop ; mov r0, r1 @mul_used", "`(`"),
    ] {
        let errors = assemble(bad, &broadcom()).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
    }
}

#[test]
fn conditions_of_what_goes_nowhere_are_kept_where_asked_for() {
    let first = |source: &str| assemble(source, &broadcom()).unwrap().words[0];
    let line = "min.ifn ra17, ra17, r2 ; v8max.ifn -, r0, r1";
    assert_eq!(
        first(&format!("{line} @preserve_cond @geomd_tris_add")),
        0x1009_0467_b246_7c81
    );
    assert_eq!(first(line), 0x1008_0467_b246_7c81);
    let two = "mov.ifz -, r0 ; fmul r1, r0, r0";
    assert_ne!(first(&format!("{two} @preserve_cond")), first(two));
}

#[test]
fn broadcoms_sources_silence_warnings() {
    let told = |source: &str| warnings(&format!("nop\n{source}{END}"), Syntax::Broadcom);
    let inside = "nop ; mov r1, ra0 << 6";
    let rules = told(inside);
    assert!(
        rules.contains(&"rotate-in-quad") && rules.contains(&"rotation-source"),
        "{rules:?}"
    );
    assert_eq!(told(&format!(".pushnwarn\n{inside}\n.popnwarn")), [""; 0]);
    let nested = format!(".pushnwarn\n.pushnwarn\n.popnwarn\n{inside}\n.popnwarn");
    assert_eq!(told(&nested), [""; 0]);
    assert_eq!(told(&format!(".pushnwarn\n.popnwarn\n{inside}")), rules);
    // Hazards are reported all the same: its assembler knows none.
    let hazard = ".pushnwarn\nmov ra1, r0\nmov r0, ra1\n.popnwarn";
    assert_eq!(told(hazard), ["regfile-read-after-write"]);
    for (bad, said) in [
        (".popnwarn", "without a `.pushnwarn`"),
        (".pushnwarn\nnop", "no `.popnwarn`"),
        (".pushnwarn 1\n.popnwarn", "the end of the line"),
    ] {
        let errors = assemble(bad, &broadcom()).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
        let errors = assemble(bad, &options()).unwrap_err().to_string();
        assert!(errors.contains("is no directive"), "{bad}: {errors}");
    }
}
