//! Tests of what the assembler says of sources that are wrong, and that it always ends.
#![cfg(feature = "text")]

use qpu::asm::{Include, Limits, Loaded, Options, assemble};

fn load(include: &Include) -> Result<Loaded, String> {
    match include.name {
        "self.qinc" => Ok(Loaded {
            name: include.name.to_string(),
            text: ".include \"self.qinc\"\n".to_string(),
        }),
        "broken.qinc" => Ok(Loaded {
            name: include.name.to_string(),
            text: "nop\nmov r0,\n".to_string(),
        }),
        name => Err(format!("{name} is not in .; say with -I where it is")),
    }
}

fn options() -> Options<'static> {
    Options {
        file: "t.qasm",
        include: &load,
        check: false,
        ..Options::default()
    }
}

fn said(source: &str) -> String {
    match assemble(source, &options()) {
        Ok(assembly) => panic!("{source} is assembled to {} words", assembly.words.len()),
        Err(errors) => errors.to_string(),
    }
}

/// Each kind of error as it is printed.
#[test]
fn every_error_says_where_it_is_and_what_would_be_accepted() {
    #[rustfmt::skip]
    let cases: &[(&str, &str)] = &[
        ("  moc r0, r1",
            "t.qasm:1:3: error: `moc` is no instruction, signal or macro [unknown-instruction]\n    moc r0, r1\n    ^^^\n  did you mean mov?"),
        ("MOV r0, r1",
            "t.qasm:1:1: error: `MOV` is no instruction, signal or macro [unknown-instruction]\n  MOV r0, r1\n  ^^^\n  did you mean mov?"),
        ("jmp loop",
            "t.qasm:1:1: error: `jmp` is no instruction, signal or macro [unknown-instruction]\n  jmp loop\n  ^^^\n  a branch is `brr -, :label`, and three more instructions execute before it takes effect"),
        ("mov r0, 1 // one",
            "t.qasm:1:12: error: `/` found where a value is needed [syntax]\n  mov r0, 1 // one\n             ^\n  a comment begins with `#`"),
        ("mov vw_setup, vpm_setup(64, 1, h32(0))",
            "t.qasm:1:15: error: vpm_setup: num is 64, and must be 0 to 16, the vectors to read; of a setup for writes it says nothing, and 0 will do [built-in]\n  mov vw_setup, vpm_setup(64, 1, h32(0))\n                ^^^^^^^^^^^^^^^^^^^^^^^^"),
        ("/* two */",
            "t.qasm:1:1: error: `/` found where an instruction, a macro or a directive is needed [syntax]\n  /* two */\n  ^\n  a comment begins with `#`"),
        (".word 100000",
            "t.qasm:1:7: error: 100000 does not fit the 16 bits of .short [data]\n  .word 100000\n        ^^^^^^\n  .int holds 32 bits; .word is .short, as in vc4asm"),
        (".byte 256",
            "t.qasm:1:7: error: 256 does not fit the 8 bits of .byte [data]\n  .byte 256\n        ^^^\n  .short holds 16 bits"),
        (".int 0x100000000",
            "t.qasm:1:6: error: 4294967296 does not fit the 32 bits of .int [data]\n  .int 0x100000000\n       ^^^^^^^^^^^\n  .long holds 64 bits"),
        ("ldi r0, srel(3)",
            "t.qasm:1:9: error: a constant is needed here, not register srel3 [source]\n  ldi r0, srel(3)\n          ^^^^^^^\n  a semaphore is counted by `srel -, 3`, or `mov -, srel(3)`"),
        ("ldi r0, ra1",
            "t.qasm:1:9: error: a constant is needed here, not register ra1 [source]\n  ldi r0, ra1\n          ^^^\n  mov copies a register"),
        ("nop\rmov r0, 1\r  moc r0, r1\r",
            "t.qasm:3:3: error: `moc` is no instruction, signal or macro [unknown-instruction]\n    moc r0, r1\n    ^^^\n  did you mean mov?"),
        (".inculde \"x\"",
            "t.qasm:1:1: error: `.inculde` is no directive [unknown-directive]\n  .inculde \"x\"\n  ^^^^^^^^\n  did you mean .include?"),
        ("mov r0, elem_nun",
            "t.qasm:1:9: error: `elem_nun` is not defined [unknown-name]\n  mov r0, elem_nun\n          ^^^^^^^^\n  did you mean elem_num?"),
        (".macro f\nnop\n.endm\nmov r0, f",
            "t.qasm:4:9: error: `f` is a macro, which is no value [unknown-name]\n  mov r0, f\n          ^\n  call it on a line of its own; a macro that is to choose among others takes a number, and asks it with `.if`"),
        ("mov sfu_rsqrt, r0",
            "t.qasm:1:5: error: `sfu_rsqrt` is not defined [unknown-name]\n  mov sfu_rsqrt, r0\n      ^^^^^^^^^\n  did you mean sfu_recipsqrt?"),
        (":t\nbrr -, ra2 + :t",
            "t.qasm:2:8: error: a branch adds a register and a label itself: name both as targets, `brr -, ra2, :LABEL` [expression]\n  brr -, ra2 + :t\n         ^^^^^^^^"),
        ("or -, vw_wait, 0; mov r1, 1",
            "t.qasm:1:1: error: st_wait needs the field that holds a small immediate or a rotation [small-immediate-and-file-b]\n  or -, vw_wait, 0; mov r1, 1\n  ^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  take an accumulator or a register of file A instead of the constant"),
        ("mov.setg r0, r1",
            "t.qasm:1:4: error: `.setg` is no suffix [unknown-suffix]\n  mov.setg r0, r1\n     ^^^^^\n  known are .setf, .ifz .ifnz .ifn .ifnn .ifc .ifcc, .pack... and .unpack..., and .allz ... .anync on branches"),
        ("add r0, ra1, ra2",
            "t.qasm:1:1: error: ra1 and ra2 are both read through file A's port [read-ports]\n  add r0, ra1, ra2\n  ^^^^^^^^^^^^^^^^\n  keep one of the values in file B or an accumulator"),
        ("mov ra0, 1; mov ra1, r0",
            "t.qasm:1:1: error: both results need file A's write port [write-ports]\n  mov ra0, 1; mov ra1, r0\n  ^^^^^^^^^^^^^^^^^^^^^^^\n  put one of the operations into an instruction of its own"),
        ("add r0, r1, 77",
            "t.qasm:1:1: error: 77 (0x4d) is no small immediate [small-immediate]\n  add r0, r1, 77\n  ^^^^^^^^^^^^^^\n  load the constant into a register before, with ldi; immediates are -16..15 and 2^-8..2^7"),
        ("brr -, r:nowhere\n:nowhere2",
            "t.qasm:1:8: error: label nowhere is not defined [label]\n  brr -, r:nowhere\n         ^^^^^^^^^\n  did you mean nowhere2?"),
        (".macro m, a\nmov r0, a\n.endm\nm",
            "t.qasm:4:1: error: macro m takes 1 arguments, and 0 are given [arguments]\n  m\n  ^\n  it is defined as `.macro m, a`"),
        (".macro inner, x\n  add r0, r0, x\n.endm\n.macro outer, x\n  inner x+70\n.endm\nouter 5",
            "t.qasm:2:3: error: 75 (0x4b) is no small immediate [small-immediate]\n    add r0, r0, x\n    ^^^^^^^^^^^^^\n  load the constant into a register before, with ldi; immediates are -16..15 and 2^-8..2^7\n  in macro inner, from t.qasm:5\n  in macro outer, from t.qasm:7"),
        (".set f(x) x / 0\nmov r0, f(3)",
            "t.qasm:1:11: error: 3 / 0 has no value [expression]\n  .set f(x) x / 0\n            ^^^^^\n  in function f, from t.qasm:2"),
        (".include \"broken.qinc\"",
            "broken.qinc:2:8: error: the end of the line found where a value is needed [syntax]\n  mov r0,\n         ^\n  in file broken.qinc, from t.qasm:1"),
        (".include \"missing.qinc\"",
            "t.qasm:1:10: error: missing.qinc is not in .; say with -I where it is [include]\n  .include \"missing.qinc\"\n           ^^^^^^^^^^^^^^"),
        (".macro m\nnop",
            "t.qasm:1:1: error: .macro is not closed by .endm [blocks]\n  .macro m\n  ^^^^^^^^\n  every block is closed in the file that opens it"),
        ("nop\n.endif",
            "t.qasm:2:1: error: .endif closes nothing [blocks]\n  .endif\n  ^^^^^^\n  every block is closed in the file that opens it"),
        (".assert 1 > 2",
            "t.qasm:1:9: error: the condition does not hold [assert]\n  .assert 1 > 2\n          ^^^^^"),
        (".const a, 1\n.set a, 2",
            "t.qasm:2:6: error: a is constant and cannot be defined again [constant]\n  .set a, 2\n       ^\n  define it with .set the first time, or take it back with .unset"),
        ("ldi r0, [0,1]",
            "t.qasm:1:9: error: 2 elements, and there are 16 lanes [elements]\n  ldi r0, [0,1]\n          ^^^^^\n  give one value for each lane, lane 0 first"),
        ("mov r0, vpm_setup(1, 1, h32(64))",
            "t.qasm:1:25: error: h32: y is 64, and must be 0 to 63 [built-in]\n  mov r0, vpm_setup(1, 1, h32(64))\n                          ^^^^^^^"),
        ("mov r0, r1; mov r1, r2; mov r2, r3",
            "t.qasm:1:1: error: an instruction has two ALUs [alu-slots]\n  mov r0, r1; mov r1, r2; mov r2, r3\n  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n  put one of the operations into an instruction of its own"),
        ("mov 5, r0",
            "t.qasm:1:5: error: the destination is a register or `-`, and not the integer 5 [destination]\n  mov 5, r0\n      ^"),
        ("mov r5, r0",
            "t.qasm:1:5: error: r5 cannot be written [destination]\n  mov r5, r0\n      ^^\n  write r5quad (each quad its own element 0) or r5rep (element 0 to all)"),
        ("mov ra31+1, r0",
            "t.qasm:1:5: error: ra31 +1 is outside ra0..ra31 [expression]\n  mov ra31+1, r0\n      ^^^^^^"),
        ("brr.ifz -, 8",
            "t.qasm:1:1: error: .ifz is a condition of each lane; a branch has one of all lanes [suffix]\n  brr.ifz -, 8\n  ^^^^^^^^^^^^\n  use .allz .allnz .anyz .anynz, or the same with n and c"),
        ("nop ; ldi r0, 1 ; ldtmu0",
            "t.qasm:1:19: error: a load immediate takes the whole instruction [alu-slots]\n  nop ; ldi r0, 1 ; ldtmu0\n                    ^^^^^^\n  use mov with a constant that fits a small immediate, or another instruction"),
        (".int 1\nnop",
            "t.qasm:2:4: error: an instruction lies at a multiple of 8 bytes, and this would be at 4 [alignment]\n  nop\n     ^\n  write `.align 8` behind the data before it"),
        ("mov r0, 0x123456789",
            "t.qasm:1:9: error: 4886718345 (0x123456789) does not fit 32 bits [source]\n  mov r0, 0x123456789\n          ^^^^^^^^^^^"),
        (":a nop\n:a nop",
            "t.qasm:2:1: error: label a is defined already [label]\n  :a nop\n  ^^\n  labels that are numbers, as `:1`, can be defined again; `r:1f` and `r:1b` mean the next and the last"),
        (".back 3\nnop\n.endb",
            "t.qasm:1:7: error: there is no going back by 3 [back]\n  .back 3\n        ^\n  .back takes 0 to 64, and as many instructions must stand before it"),
        ("mov r0, `",
            "t.qasm:1:9: error: '`' begins nothing that is known here [syntax]\n  mov r0, `\n          ^"),
        ("mov rb0.16a, r0",
            "t.qasm:1:5: error: rb0 cannot be packed so [pack]\n  mov rb0.16a, r0\n      ^^^^^^^\n  8-bit, 16-bit and 32s modes pack into ra0..ra31; 8a..8d and 8abcd pack the mul ALU's float result anywhere"),
        ("mov r0, rb0.8a",
            "t.qasm:1:9: error: rb0 cannot be unpacked [unpack]\n  mov r0, rb0.8a\n          ^^^^^^\n  only ra0..ra31 and r4 can"),
        (".global entry\nnop",
            "t.qasm:1:9: error: label entry is not defined [label]\n  .global entry\n          ^^^^^\n  define it with `:NAME` before an instruction; `r:1f` looks forward and `r:1b` back for `:1`"),
        ("ldi r3.8d, 1.0",
            "t.qasm:1:1: error: a load immediate packs its value as an integer, and the mode asks for a float [pack]\n  ldi r3.8d, 1.0\n  ^^^^^^^^^^^^^^\n  use mov, with a constant that fits a small immediate or with a register"),
        ("mov r0.8a, sacq(1)",
            "t.qasm:1:1: error: a load immediate packs its value as an integer, and the mode asks for a float [pack]\n  mov r0.8a, sacq(1)\n  ^^^^^^^^^^^^^^^^^^\n  use mov, with a constant that fits a small immediate or with a register"),
        ("mov r3.8d, 0.3",
            "t.qasm:1:1: error: 1050253722 (0x3e99999a, as float 0.3) is no small immediate [small-immediate]\n  mov r3.8d, 0.3\n  ^^^^^^^^^^^^^^\n  load the constant into a register before, with ldi; immediates are -16..15 and 2^-8..2^7"),
        // Else the value would depend on the operation that makes 256, and so on what stands beside
        // it.
        ("mov ra1.16a, 256.0; mov r0, r1",
            "t.qasm:1:1: error: 1132462080 (0x43800000, as float 256) is no small immediate [small-immediate]\n  mov ra1.16a, 256.0; mov r0, r1\n  ^^^^^^^^^^^^^^^^^^\n  load the constant into a register before, with ldi; immediates are -16..15 and 2^-8..2^7"),
        ("add ra1.16af, r0, r1",
            "t.qasm:1:1: error: the mode packs a float, and the result is an integer [pack]\n  add ra1.16af, r0, r1\n  ^^^^^^^^^^^^^^^^^^^^\n  f modes are for fadd fsub fmin fmax fminabs fmaxabs itof fmul, i modes for the others"),
        ("fadd r0, ra1.16ai, r1",
            "t.qasm:1:10: error: the mode unpacks an integer, and fadd takes a float [unpack]\n  fadd r0, ra1.16ai, r1\n           ^^^^^^^^\n  ra is unpacked as floats for operations on floats, and as integers for the others"),
        ("add ra1.32s, r0, 16",
            "t.qasm:1:1: error: 16 (0x10) is no small immediate [small-immediate]\n  add ra1.32s, r0, 16\n  ^^^^^^^^^^^^^^^^^^^\n  load the constant into a register before, with ldi; immediates are -16..15 and 2^-8..2^7"),
        ("anop; mnop; mov r0, r1",
            "t.qasm:1:13: error: an ALU that this needs is kept idle [alu-slots]\n  anop; mnop; mov r0, r1\n              ^^^^^^^^^^\n  leave out the anop or mnop, or name the other"),
    ];
    let mut wrong = String::new();
    for (source, expected) in cases {
        if said(source) != *expected {
            wrong += &format!(
                "{source}\n---\n{}\n--- instead of\n{expected}\n\n",
                said(source)
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn several_errors_are_found_in_one_run_and_not_endlessly_many() {
    let errors = assemble(
        "moc r0, r1\nnop\nadd r0, ra1, ra2\n:a\nbrr -, r:b\n",
        &options(),
    )
    .unwrap_err();
    assert_eq!(
        errors.0.iter().map(|error| error.line).collect::<Vec<_>>(),
        [1, 3, 5]
    );
    let errors = assemble(&"moc r0\n".repeat(1000), &options()).unwrap_err();
    assert_eq!(errors.0.len(), Limits::DEFAULT.diagnostics);
}

#[test]
fn hazards_are_warnings_at_their_lines_and_errors_when_strict() {
    let source = "mov ra0, unif\nfadd r0, ra0, r1\nnop; thrend\nnop\nnop\n";
    let options = Options {
        check: true,
        ..options()
    };
    let assembly = assemble(source, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let warning = &assembly.warnings[0];
    assert_eq!(
        (warning.line, warning.rule),
        (2, "regfile-read-after-write")
    );
    let errors = assemble(
        source,
        &Options {
            strict: true,
            ..options
        },
    )
    .unwrap_err();
    assert!(
        errors.to_string().contains("t.qasm:2:1: error: "),
        "{errors}"
    );
}

#[test]
fn hazards_in_a_macro_name_the_call_that_they_are_in() {
    // The first call is right: something stands between.
    let source = ".macro use\n mov r0, ra1\n.endm\nmov ra1, unif\nnop\nuse\n.rep i, 3\nmov ra1, unif\nuse\n.endr\nthrend\nnop\nnop\n";
    let options = Options {
        check: true,
        ..options()
    };
    let assembly = assemble(source, &options).unwrap_or_else(|errors| panic!("{errors}"));
    let told: Vec<String> = assembly.warnings.iter().map(ToString::to_string).collect();
    let [told] = &told[..] else {
        panic!("{told:?}");
    };
    let way = "\n  in macro use, from t.qasm:9\n  in .rep i, from t.qasm:7";
    assert!(
        told.starts_with("t.qasm:2:2: ") && told.ends_with(way),
        "{told}"
    );
}

#[test]
fn an_error_in_a_repetition_is_told_once_and_in_each_call_of_a_macro() {
    let count = |source: &str| assemble(source, &options()).unwrap_err().0.len();
    assert_eq!(count(".rep i, 3\nmov r0, unknown\n.endr\n"), 1);
    let twice = ".macro m\nmov r0, unknown\n.endm\nm\n.rep i, 3\nm\n.endr\n";
    assert_eq!(count(twice), 2);
}

#[test]
fn words_of_other_machines_are_answered_with_the_way_here() {
    #[rustfmt::skip]
    let cases: &[(&str, &str)] = &[
        ("li r0, -, 319", "loaded by `ldi r0, 64`"),
        ("pe", "a program ends with `nop; thrend`"),
        ("0x009e7000, 0x100009e7,", "give words to dis and check as they are"),
        ("mov vw_addr, a:interface + 4", "assemble with --syntax broadcom"),
        ("bra -, a:there", "assemble with --syntax broadcom"),
    ];
    for (source, advice) in cases {
        let said = said(source);
        assert!(said.contains(advice), "{source}: {said}");
    }
    // A name that is defined is no address.
    let assembly = assemble(".set a, 3\nmov r0, a\n", &options());
    assert!(assembly.is_ok());
}

/// Sources that ask for without end: each ends, and says which limit it met.
#[test]
fn every_limit_is_an_error_that_names_it() {
    let limits = Limits {
        line_bytes: 1000,
        source_bytes: 100_000,
        source_lines: 1000,
        steps: 20_000,
        output_bytes: 8000,
        repetitions: 5000,
        ..Limits::DEFAULT
    };
    let options = Options {
        limits,
        ..options()
    };
    let deep = format!("mov r0, {}1{}", "(".repeat(300), ")".repeat(300));
    let minus = format!("mov r0, {}1", "-".repeat(300));
    let power = format!("mov r0, {}1", "1**".repeat(300));
    #[rustfmt::skip]
    let cases: &[(&str, &str)] = &[
        (".include \"self.qinc\"", "files include each other more than 32 deep"),
        (".macro m\nm\n.endm\nm", "macros, functions and files nest more than 128 deep"),
        (".set f(x) f(x)\nmov r0, f(1)", "macros, functions and files nest more than 128 deep"),
        (".func f(x)\nf(x)\n.endf\nmov r0, f(1)", "macros, functions and files nest more than 128 deep"),
        (".macro m, n\n.if n\nm n-1\nm n-1\n.endif\n.endm\nm 60", "more than 20000 steps"),
        (".set f(x) f(x-1)+f(x-1)\n.func g(n)\n.if n\ng(n-1)+g(n-1)\n.else\n1\n.endif\n.endf\nmov r0, g(60)", "more than 20000 steps"),
        (".rep i, 5001\nnop\n.endr", "5001 repetitions, and 5000 are allowed"),
        (".rep i, 5000\n.rep j, 5000\n.set x, 1\n.endr\n.endr", "more than 20000 steps"),
        (".rep i, 1001\nnop\n.endr", "the program has more than 8000 bytes"),
        (":a\n.clone :a, 2000", "2000 instructions cannot be copied"),
        (&deep, "expressions nest at most 64 deep"),
        (&minus, "expressions nest at most 64 deep"),
        (&power, ""),
        (&"nop\n".repeat(1001), "more than 1000 lines"),
        (&" ".repeat(100_001), "more than 100000 bytes"),
        (&format!("nop {}", "#".repeat(1000)), "the line has 1004 bytes, and a line may have 1000"),
        (&format!("mov r0, {}1", "1+".repeat(400)), ""),
    ];
    for (source, expected) in cases {
        let shown: String = source.chars().take(60).collect();
        match assemble(source, &options) {
            Ok(_) => assert_eq!(*expected, "", "{shown}"),
            Err(errors) => assert!(
                !expected.is_empty() && errors.to_string().contains(expected),
                "{shown}: {errors}"
            ),
        }
    }
    // Negative and far counts.
    for source in [
        ".rep i, -1\nnop\n.endr",
        ".rep i, 1 << 62\nnop\n.endr",
        ".align 3",
        ".back 65\n.endb",
        ".byte 256",
        "mov r0, 1/0",
        "mov r0, 1 % 0",
        ".rep i, 1.5\n.endr",
    ] {
        assert!(assemble(source, &options).is_err(), "{source}");
    }
}

#[test]
fn a_line_of_64_megabytes_is_refused_at_once() {
    let line = "mov r0, ".to_string() + &"1+".repeat(32 << 20) + "1";
    let errors = assemble(&line, &options()).unwrap_err();
    assert!(errors.to_string().contains("more than"), "{errors}");
    let short = "mov r0, ".to_string() + &"1+".repeat(16 << 20) + "1";
    let errors = assemble(&short, &options()).unwrap_err();
    assert!(
        errors.to_string().contains("a line may have 65536"),
        "{}",
        errors.0[0].message
    );
}

#[test]
fn bytes_of_any_kind_are_an_error_and_no_panic() {
    for source in [
        "\u{0}\u{1}\u{2}",
        "é: nop é",
        "mov r0, \u{1F600}",
        "\"",
        ":::",
        ".",
        "..",
        "r:",
        "mov",
        "mov ,",
        "mov r0",
        "[",
        "mov r0, [",
        ";;;;",
        ".set",
        ".set x",
        ".set x,",
        ".macro",
        ".rep",
        ".func f",
        ".if",
        "\r\n\r\n",
        "mov\tr0,\tr1\r\n",
        "'",
        "mov r0, -.8a",
        "mov r0, (r1).8a.8b",
        ".byte",
        ".clone",
        ".global",
        ".unset",
        ".foreach",
    ] {
        let _ = assemble(source, &options());
    }
}
