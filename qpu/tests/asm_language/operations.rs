//! Operations: published words, and two that share an instruction.

use super::{options, same, words};
use qpu::asm::{Options, Syntax, assemble};

#[test]
fn published_words_are_assembled() {
    // vc4asm's test/shader_1k, GPU_FFT's hex, asurati's QPU demo.
    #[rustfmt::skip]
    let pairs: &[(&str, u64)] = &[
        ("nop", 0x100009e7_009e7000),
        ("nop; thrend", 0x300009e7_009e7000),
        ("thrend", 0x300009e7_009e7000),
        ("nop; nop; thrend", 0x300009e7_009e7000),
        ("ldtmu0", 0xa00009e7_009e7000),
        ("mov irq, rb3", 0x100209a7_159c3fc0),
        ("mov r0, unif", 0x10020827_15827d80),
        ("mov rb5, unif", 0x10021167_15827d80),
        ("mov r3, 128", 0xe00208e7_00000080),
        ("mov vw_setup, 0xc00000c0", 0xe0021c67_c00000c0),
        ("shl r2, elem_num, 3", 0xd00208a7_11983dc0),
        ("add t0s, r0, r2", 0x10020e27_0c9e7080),
        ("add r0, r0, r3; ldtmu0", 0xa0020827_0c9e70c0),
        ("nop; mul24 r2, r2, rb5", 0x100049e2_409c5017),
        ("add ra27, r0, r2; v8adds r0, r0, r1", 0x100246e0_cc9e7081),
        ("add rb2, r0, r2; v8adds r0, r0, r1", 0x100250a0_cc9e7081),
        ("fsub.ifnz r0, ra2, r2; fmul.ifnz r3, rb17, r0", 0x1006c823_22091cb8),
        ("and.setf -, elem_num, 1; mov r2, r0", 0xd00269e2_94981dc0),
        ("fadd.ifnz r1, r1, r3; mov r2, r0 << 1", 0xd0064862_819ff2c0),
        ("fadd.ifz r0, r2, r0; mov r3, r0 >> 1", 0xd0044823_819f1400),
        ("mov ra17, r2; mov.ifnz r2, r2 >> 1", 0xd002c462_959f1492),
        ("not ra0, ra0", 0x10020027_17027d80),
        ("add ra1, ra1, rb28; mov vw_addr, ra1", 0x10024072_8c05cdf6),
        ("mov -, srel(1)", 0xe80009e7_00000001),
        ("mov -, sacq(9)", 0xe80009e7_00000019),
        ("brr ra4, 200", 0xf0f80127_000000c8),
        ("bra -, ra8", 0xf0f509e7_00000000),
        ("bra ra8, ra6", 0xf0f4c227_00000000),
        ("brr.allz -, -1264", 0xf00809e7_fffffb10),
        ("mov -, vw_wait", 0x100009e7_159f2fc0),
        ("or.always -, vr_wait, r0", 0x100209e7_15ca7c00),
        ("mov ra20, 0; mov rb20, 0", 0xe0024514_00000000),
        ("ldi ra1, rb2, 5", 0xe0024042_00000005),
        ("read vw_wait", 0x100009e7_009f2000),
        ("mov r0, ra0.16af", 0x12020827_03027d80),
        ("mov r0, r4.16a", 0x13020827_159e7900),
        ("add.unpack8af r0, r4, ra1", 0x190208270c067980),
        ("mov.pack8a ra0, r0", 0x10420027_159e7000),
        // A float becomes 8-bit colour in the mul ALU only, so no load immediate does it.
        ("mov r3.8d, 1.0", 0xd17049e3_809e003f),
        ("nop; mov r3.8d, 1.0", 0xd17049e3_809e003f),
        ("mov r3.8asf, 0.5; nop", 0xd14049e3_809ef03f),
        ("mov ra1.8asf, 1.0", 0xd14059c1_809e003f),
        ("mov ra10.8bsi, 0", 0xe0d202a7_00000000),
        // A 16-bit mode that says float makes a mov an operation on floats.
        ("mov ra1.16af, r0", 0x10120067_039e7000),
        ("mov ra1.16af, ra2.16b", 0x14120067_030a7d80),
        ("mov ra1.16af, 1.0", 0xd0120067_039e0fc0),
        ("mov ra1.16a, 256.0", 0xe0120067_43800000),
        ("mov r0, r1 << 3; nop", 0xd00049e0_809fd009),
        ("sacq ra0, 5", 0xe8020027_00000015),
        ("bra ra1, rb2, 0, ra4", 0xf0f48042_00000000),
    ];
    for (text, word) in pairs {
        assert_eq!(words(text), [*word], "{text}: {:#018x}", words(text)[0]);
    }
}

#[test]
fn operations_share_an_instruction() {
    #[rustfmt::skip]
    let pairs: &[(&str, &str)] = &[
        ("fmul r0, r1, r2; fadd r2, r1, r1", "fadd r2, r1, r1; fmul r0, r1, r2"),
        ("mov r0, r1; fadd r2, r2, r3", "fadd r2, r2, r3; mmov r0, r1"),
        // A nop keeps the ALU idle whose place it has, where an operation leaves it the choice.
        ("nop; mov r0, r1", "mmov r0, r1"),
        ("mov r0, r1; nop", "amov r0, r1"),
        ("nop; sub r0, r1, r2; ldtmu0", "sub r0, r1, r2; nop; ldtmu0"),
        ("sub.setf -, r5, rb17 ; nop ; ldtmu0", ".long 0xa00229e70d9d1bc0"),
        ("fmul r0, r1, r2; nop", "fmul r0, r1, r2"),
        // asm.misc of vc4asm's tests.
        ("add r0, r4, ra1.unpack8b", "add r0, r4, ra1.8bi"),
        ("add r0, r4, ra1.unpack8b", ".long 0x1a0208270c067980"),
        ("add r0, r4.8a, ra1", ".long 0x190208270c067980"),
        ("add r0, r0, 1;\n;mov r2, r3", "add r0, r0, 1; mov r2, r3"),
        ("add r0, r0, 1;\nmov r2, r3", "add r0, r0, 1\nmov r2, r3"),
        ("add r0, r0, 1;\n;sub r2, r3, r3", "add r0, r0, 1\nsub r2, r3, r3"),
        ("add r0, r0, 1;\n:\n;mov r2, r3", "add r0, r0, 1\nmov r2, r3"),
        (".macro m\nadd r0, r0, r1;\n.endm\nm\n;ldtmu0", "add r0, r0, r1; ldtmu0"),
        ("mov r0, 0; mov r1, 1", "xor r0, 1, 1; mmov r1, 1"),
        ("mov rb9, 4; mov ra4, 8", "amov rb9, 4; mv8adds ra4, 4, 4"),
        ("fmul vpm.8888, ra20, 1.0", "nop; fmul vpm.8abcdsf, ra20, 1.0"),
        // vc4asm leaves out a read whose port is taken; so do we, with a warning.
        ("read vw_wait; mov vw_setup, rb2", "mov vw_setup, rb2"),
        ("mov r0, r1, ra5", "mov r0, ra5; mov r1, ra5"),
        ("mov ra0, rb0, 0x1234", "ldi ra0, rb0, 0x1234"),
        ("add r0, r0, 16", "sub r0, r0, -16"),
        ("shl r0, r0, 24", "shl r0, r0, -8"),
        ("mov.setf r0, r1", "mov r0.setf, r1"),
        ("mov.ifz r0, rb7", "mov r0.z, rb7"),
        ("mov.ifcs r0, r1\nmov.ifcc r0, r1", "mov r0.c, r1\nmov r0.cc, r1"),
        ("mov.ifnn r0, r1", "mov.ifnc r0, r1"),
        ("brr.anyc -, 0\nbrr.allzs -, 0", "brr.anycs -, 0\nbrr.allz -, 0"),
        ("mutex_acq", "read mutex"),
        ("mov r0, [0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,-2]", "ldis r0, [0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,-2]"),
        ("mov r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]", "ldiu r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]"),
        (".set x, ra0.8a\nmov r0, x\nmov r0, x+1", "mov r0, ra0.8a\nmov r0, ra1.8a"),
        ("mov host_int, 1\nmov tmu0_s, r0\nmov r5all, r0", "mov irq, 1\nmov t0s, r0\nmov r5rep, r0"),
        ("nop; fmul r0 >> 8, r1, r2", "nop; fmul r0, r1 << 8, r2 << 8"),
        ("mov r0, r1 >> r5", "nop; v8min r0, r1 >> r5, r1 >> r5"),
    ];
    for (one, two) in pairs {
        same(one, two);
    }
}

#[test]
fn every_constant_that_a_mov_makes_beside_another_operation_is_right() {
    use qpu::isa::{Instruction, decode};
    // What the ALUs compute is for v3d-sim; here only that a form is found for the documented values.
    for value in (-16..=16).chain([18, 20, 24, 28, 30, 31, 32, 64, 128, 225, -17, 0x0101_0101]) {
        for source in [
            format!("mov ra0, {value}; fmul r1, r1, r1"),
            format!("mov ra0, {value}; fadd r1, r1, r1"),
        ] {
            if let Ok(assembly) = assemble(&source, &options()) {
                assert!(
                    matches!(decode(assembly.words[0]), Ok(Instruction::Alu(_))),
                    "{source}"
                );
            }
        }
    }
    same(
        "mov r0, 0; fmul r1, r1, r2",
        "xor r0, r0, r0; fmul r1, r1, r2",
    );
    same(
        "mov ra0, 0x01010101; mov r1, r2",
        "mov ra0.8abcd, 1; mov r1, r2",
    );
    same(
        "mov r0, 0x80000000; fmul r1, r1, r1",
        "ror r0, 1, 1; fmul r1, r1, r1",
    );
    same(
        "fadd r0, r0, r1; mov r1, 25",
        "fadd r0, r0, r1; mul24 r1, 5, 5",
    );
}

/// What a source says, with hazards looked for.
fn warnings(source: &str, syntax: Syntax) -> Vec<&'static str> {
    let options = Options {
        syntax,
        check: true,
        ..options()
    };
    let assembly = assemble(source, &options).unwrap_or_else(|errors| panic!("{source}\n{errors}"));
    let rules = assembly.warnings.iter().map(|warning| warning.rule);
    rules.collect()
}

const END: &str = "\nnop; thrend\nnop\nnop\n";

#[test]
fn carry_clear_is_spelled_in_two_ways() {
    let broadcom = |source: &str| {
        let options = Options {
            syntax: Syntax::Broadcom,
            ..options()
        };
        assemble(source, &options).unwrap().words
    };
    for (own, other) in [
        ("mov.ifnc r0, r1", "mov.ifcc r0, r1"),
        ("mov r0.nc, r1", "mov.ifcc r0, r1"),
    ] {
        assert_eq!(broadcom(own), words(other), "{own}");
        assert_eq!(warnings(&format!("{own}{END}"), Syntax::Broadcom), [""; 0]);
        assert_eq!(words(own), words("mov.ifnn r0, r1"), "{own}");
        assert_eq!(
            warnings(&format!("{own}{END}"), Syntax::Vc4asm),
            ["disputed-condition"]
        );
    }
    assert_eq!(
        warnings(&format!("mov.ifnn r0, r1{END}"), Syntax::Vc4asm),
        [""; 0]
    );
}

#[test]
fn an_annotation_waives_what_it_says_is_meant() {
    let line = "nop\nnop; mul24 r2, ra0.8b << 12, r1 << 12";
    assert_eq!(words(line), words(&format!("{line} @ \"mul_used\", 0")));
    // Lane by lane only r1 goes round all sixteen.
    let bare = "nop\nnop; mul24 r2, ra0 << 5, ra0 << 5";
    assert_ne!(warnings(&format!("{bare}{END}"), Syntax::Vc4asm), [""; 0]);
    let meant = format!("{bare} @ \"mul_used\", 0 ; ldtmu0{END}").replace(" ; ldtmu0", "");
    assert_eq!(warnings(&meant, Syntax::Vc4asm), [""; 0]);
    assert_eq!(
        warnings(&format!("nop @ \"other\", 1{END}"), Syntax::Vc4asm),
        ["annotation"]
    );
    for (bad, said) in [
        ("nop @ mul_used, 0", "double quotes"),
        ("nop @ \"mul_used\"", "`,`"),
        ("nop @ \"mul_used\", 0 r0", "the end of the line"),
    ] {
        let errors = assemble(bad, &options()).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
    }
}

/// Broadcom's shaders for `OpenVG`: addresses of labels and of what its linker knows, notes, and loads
/// whose setup takes what stores take.
#[test]
fn broadcoms_own_shaders_have_addresses_and_notes() {
    let options = Options {
        syntax: Syntax::Broadcom,
        defines: &[("other".into(), "0x100".into())],
        ..options()
    };
    let broadcom = |source: &str| {
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
        assert_eq!(broadcom(own), words(plain), "{own}");
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
        let errors = assemble(bad, &options).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
    }
}

/// What Broadcom's assembler warns of follows the lanes that an annotation names.
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
        let options = Options {
            syntax: Syntax::Broadcom,
            ..options()
        };
        let errors = assemble(bad, &options).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
    }
}

/// The word is Broadcom's for a line of its shader that fills paths.
#[test]
fn conditions_of_what_goes_nowhere_are_kept_where_asked_for() {
    let broadcom = |source: &str| {
        let options = Options {
            syntax: Syntax::Broadcom,
            ..options()
        };
        assemble(source, &options).unwrap().words[0]
    };
    let line = "min.ifn ra17, ra17, r2 ; v8max.ifn -, r0, r1";
    assert_eq!(
        broadcom(&format!("{line} @preserve_cond @geomd_tris_add")),
        0x1009_0467_b246_7c81
    );
    assert_eq!(broadcom(line), 0x1008_0467_b246_7c81);
    let first = "mov.ifz -, r0 ; fmul r1, r0, r0";
    assert_ne!(
        broadcom(&format!("{first} @preserve_cond")),
        broadcom(first)
    );
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
    // Hazards are told of all the same: its assembler knows none.
    let hazard = ".pushnwarn\nmov ra1, r0\nmov r0, ra1\n.popnwarn";
    assert_eq!(told(hazard), ["regfile-read-after-write"]);
    for (bad, said) in [
        (".popnwarn", "without a `.pushnwarn`"),
        (".pushnwarn\nnop", "no `.popnwarn`"),
        (".pushnwarn 1\n.popnwarn", "the end of the line"),
    ] {
        let options = Options {
            syntax: Syntax::Broadcom,
            ..options()
        };
        let errors = assemble(bad, &options).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
        let errors = assemble(bad, &self::options()).unwrap_err().to_string();
        assert!(errors.contains("is no directive"), "{bad}: {errors}");
    }
}

#[test]
fn a_sum_that_is_encoded_as_a_difference_is_told_of_where_flags_are_set() {
    let warned = |line: &str| warnings(&format!("{line}{END}"), Syntax::Vc4asm);
    assert_eq!(warned("add.setf r0, r0, 16"), ["carry"]);
    assert_eq!(warned("sub r0.setf, r0, 16"), ["carry"]);
    assert_eq!(warned("add r0, r0, 16"), [""; 0]);
    assert_eq!(warned("add.setf r0, r0, -16"), [""; 0]);
    assert_eq!(warned("add.setf r0, r0, r1"), [""; 0]);
}

/// The low four bits name the semaphore (vc4asm's addendum); the others are a value, if it goes anywhere.
#[test]
fn a_semaphore_that_does_not_exist_is_warned_of() {
    let warned = |line: &str| warnings(&format!("{line}{END}"), Syntax::Vc4asm);
    assert_eq!(warned("srel -, 16"), ["semaphore"]);
    assert_eq!(warned("sacq -, -1"), ["semaphore"]);
    for line in [
        "sacq -, 15",
        "sacq -, 0x1f",
        "srel r0, 0x35",
        "sacq -, r0, 99",
    ] {
        assert!(warned(line).is_empty(), "{line}");
    }
    same("srel -, 16", "srel -, 0");
}

/// vc4asm reads r5 under these names too, and programs that ran on boards do (crab-pi's products of matrices).
#[test]
fn r5_is_read_by_the_names_that_write_it() {
    for (named, plain) in [
        ("fmax r2, r2, r5rep", "fmax r2, r2, r5"),
        ("fmul r3, r5rep, ra16", "fmul r3, r5, ra16"),
        ("mov r0, r5quad", "mov r0, r5"),
        ("mov r1, r5all << 1", "mov r1, r5 << 1"),
        ("add r5rep, r5rep, 1", "add r5rep, r5, 1"),
    ] {
        assert_eq!(words(named), words(plain), "{named}");
    }
    for (bad, said) in [
        ("mov r0, vr_setup", "cannot be read"),
        ("add r0, sacq3, 1", "read by mov"),
        ("mov r0, r5rep.8a", "cannot be unpacked"),
    ] {
        let errors = assemble(bad, &options()).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
    }
}

/// Sources for hermanhermitage's assembler have labels without a colon, as obijywk's SHA-256.
#[test]
fn a_branch_takes_a_label_by_its_bare_name() {
    let program =
        |target: &str| format!("again:\nnop\nbrr.anynz -, {target}\nnop\nnop\nahead: nop");
    for label in ["again", "ahead"] {
        let (bare, plain) = (program(label), program(&format!("r:{label}")));
        assert_eq!(words(&bare), words(&plain), "{label}");
    }
    // What it means otherwise comes first.
    assert_eq!(
        words(".set ahead, 16\nbrr -, ahead\nahead: nop"),
        words("brr -, 16\nnop")
    );
    for (bad, said) in [
        ("again: nop\nbrr -, agian", "did you mean again?"),
        ("again: nop\nmov r0, again", "`again` is not defined"),
    ] {
        let errors = assemble(bad, &options()).unwrap_err().to_string();
        assert!(errors.contains(said), "{bad}: {errors}");
    }
}
