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
        // hermanhermitage's conditions; the words are of his disassembly of GPU_FFT.
        ("mov.zs r0, r2; mov.zc r0, r1 >> 1", ".long 0xd004c820959f1489"),
        ("add.zc ra6, rb6, r0", ".long 0x100601a70c9c6e00"),
        ("mov.ns r0, r1; fadd.cc r2, r3, r1", "mov.ifn r0, r1; fadd.ifcc r2, r3, r1"),
        ("mov.nn r0, r1", "mov.ifnn r0, r1"),
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
    // What the ALUs compute is for v3d-sim; here only that a form is found for the documented
    // values.
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

/// The warnings of a source, with hazards looked for. Lines stand alone here, without what writes
/// what they read.
pub fn warnings(source: &str, syntax: Syntax) -> Vec<&'static str> {
    let options = Options {
        syntax,
        check: true,
        ..options()
    };
    let assembly = assemble(source, &options).unwrap_or_else(|errors| panic!("{source}\n{errors}"));
    let rules = assembly.warnings.iter().map(|warning| warning.rule);
    rules.filter(|rule| *rule != "undefined-read").collect()
}

pub const END: &str = "\nnop; thrend\nnop\nnop\n";

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

/// The words behind a destination's own condition are vc4asm's. Of one behind the operation it
/// makes 0xe00e4821_00000005.
#[test]
fn a_condition_of_two_destinations_is_of_both_and_told_of() {
    for (line, word) in [
        ("mov r0.ifz, r1.ifz, 5", 0xe004_8821_0000_0005),
        ("mov r0.ifz, r1, 5", 0xe004_4821_0000_0005),
        ("ldi r0, r1.ifz, 5", 0xe002_8821_0000_0005),
    ] {
        assert_eq!(words(line), [word], "{line}");
        assert_eq!(warnings(&format!("{line}{END}"), Syntax::Vc4asm), [""; 0]);
    }
    for line in ["mov.ifcc r0, r1, 5", "ldi.ifcc r0, r1, 5"] {
        assert_eq!(words(line), [0xe00f_c821_0000_0005], "{line}");
        let line = format!("and.setf -, elem_num, 1\n{line}{END}");
        assert_eq!(warnings(&line, Syntax::Vc4asm), ["disputed-condition"]);
    }
    let line = format!("and.setf -, elem_num, 1\nmov.ifz r0, -, 5{END}");
    assert_eq!(warnings(&line, Syntax::Vc4asm), [""; 0]);
}

/// Both have stood in programs of students; the words are other setups than they meant.
#[test]
fn places_of_other_setup_words_are_told_of() {
    for (setup, told) in [
        ("vw_setup, vdw_setup_0(4, 16, dma_h32(8, 0))", false),
        ("vw_setup, vdw_setup_0(4, 16, vdr_h32(1, 8, 0))", true),
        ("vw_setup, vdw_setup_0(1, 16, h32(3))", true),
        ("vr_setup, vdr_setup_0(0, 16, 1, vdr_h32(1, 8, 0))", false),
        ("vr_setup, vdr_setup_0(0, 16, 1, dma_h32(0, 0))", true),
        ("vr_setup, vpm_setup(1, 1, h32(3))", false),
        ("vr_setup, vpm_setup(1, 1, dma_v32(0, 0))", true),
        ("vr_setup, vpm_setup(1, 1, max(h32(3), 1))", false),
    ] {
        let rules = warnings(&format!("mov {setup}{END}"), Syntax::Vc4asm);
        assert_eq!(rules.contains(&"setup-part"), told, "{setup}: {rules:?}");
    }
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

/// Broadcom's shaders for `OpenVG`: addresses of labels and of what its linker knows, notes, and
/// loads whose setup takes what stores take. What Broadcom's assembler warns of follows the lanes
/// that an annotation names. The word is Broadcom's for a line of its shader that fills paths.
#[test]
fn a_sum_that_is_encoded_as_a_difference_is_told_of_where_flags_are_set() {
    let warned = |line: &str| warnings(&format!("{line}{END}"), Syntax::Vc4asm);
    assert_eq!(warned("add.setf r0, r0, 16"), ["carry"]);
    assert_eq!(warned("sub r0.setf, r0, 16"), ["carry"]);
    assert_eq!(warned("add r0, r0, 16"), [""; 0]);
    assert_eq!(warned("add.setf r0, r0, -16"), [""; 0]);
    assert_eq!(warned("add.setf r0, r0, r1"), [""; 0]);
}

/// The low four bits name the semaphore (vc4asm's addendum); the others are a value, if it goes
/// anywhere.
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

/// Softmax and products of matrices of students wait by `nop; nop; nop`, which is one instruction.
#[test]
fn nops_that_share_a_line_are_counted_where_they_are_too_few() {
    let options = Options {
        check: true,
        ..options()
    };
    let help = |wait: &str| {
        let source = format!("mov r0, 1.0\nmov sfu_recip, r0\n{wait}\nmov r1, r4{END}");
        let warnings = assemble(&source, &options).unwrap().warnings;
        warnings.into_iter().map(|warning| warning.help).next()
    };
    let shared = help("nop; nop; nop; # wait").expect("a warning");
    assert!(
        shared.ends_with("; 3 nops on one line are one instruction"),
        "{shared}"
    );
    let alone = help("nop").expect("a warning");
    assert!(!alone.contains("on one line"), "{alone}");
    assert_eq!(help("nop; nop\nnop; nop"), None);
}

/// vc4asm reads r5 under these names too, and programs that ran on boards do (crab-pi's products of
/// matrices).
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
