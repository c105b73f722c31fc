//! Sources that ask for more than there is: each ends with a sentence that names the bound, in
//! little memory and stack.
#![cfg(feature = "text")]

use qpu::asm::{Assembly, Diagnostics, Limits, Options, assemble};

/// Stack of a thread that assembles: a browser's, and the least that hosts give a program.
const STACK: usize = 1 << 20;

/// Assembles with little stack: a program that needs more is aborted, and its tests with it.
fn assembled(source: &str, limits: Limits) -> Result<Assembly, Diagnostics> {
    let options = || Options {
        limits,
        check: false,
        ..Options::default()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        let running = thread.spawn_scoped(scope, || assemble(source, &options()));
        let ended = running.expect("a thread starts").join();
        ended.expect("assembling never panics")
    })
}

/// Words of what is right.
#[track_caller]
fn words(source: &str) -> usize {
    match assembled(source, Limits::DEFAULT) {
        Ok(assembly) => assembly.words.len(),
        Err(errors) => panic!("{errors}"),
    }
}

/// Assembles what must be refused with a sentence that contains `expected`, and with something to
/// do.
#[track_caller]
fn refused(source: &str, limits: Limits, expected: &str) {
    let Err(Diagnostics(errors)) = assembled(source, limits) else {
        panic!("no error, and {expected:?} expected");
    };
    let first = &errors[0];
    assert!(first.message.contains(expected), "{}", first.message);
    assert!(!first.help.is_empty(), "{}", first.message);
    assert_eq!(errors.len(), 1, "nothing behind a limit is worth reading");
}

#[test]
fn blocks_that_nest_thousands_deep_are_refused() {
    for (open, close) in [
        (".if 1", ".endif"),
        (".if 0", ".endif"),
        (".local", ".endloc"),
        (".rep i, 1", ".endr"),
        (".back 0", ".endb"),
        (".func f(x)", ".endf"),
    ] {
        let source = format!("{open}\n").repeat(4000) + &format!("{close}\n").repeat(4000);
        refused(&source, Limits::DEFAULT, "nest more than 256 deep");
    }
    // What is written beside each other may be long.
    let flat = format!(".if 0\n{}.else\nnop\n.endif\n", ".elseif 0\n".repeat(4000));
    assert_eq!(words(&flat), 1);
    // Far more ends than a search of all that is open could bear.
    refused(
        &(".if 1\n".repeat(300_000) + &".endr\n".repeat(300_000)),
        Limits::DEFAULT,
        "nest more than 256 deep",
    );
}

/// The deepest of everything at once: macros whose blocks call the next, down to functions whose
/// expressions do.
#[test]
fn what_nests_as_deep_as_is_allowed_fits_a_small_stack() {
    let mut source = String::from(".set f0(x) x\n");
    for level in 1..60 {
        let deep = format!("{}f{}(x){}", "(".repeat(2), level - 1, ")".repeat(2));
        source += &format!(".func f{level}(x)\n.if 1\n.if 1\n-1+{deep}\n.endif\n.endif\n.endf\n");
    }
    source += ".macro m0\nmov r0, f59(1)\n.endm\n";
    for level in 1..60 {
        let calls = format!("m{}", level - 1);
        source += &format!(".macro m{level}\n.rep i, 1\n{calls}\n.endr\n.endm\n");
    }
    source += "m20\n";
    assert_eq!(words(&source), 1);
}

#[test]
fn functions_that_nest_in_each_other_s_parentheses_are_refused() {
    let mut source = String::from(".set f0(x) x\n");
    for level in 1..=100 {
        let deep = format!("{}f{}(x){}", "(".repeat(60), level - 1, ")".repeat(60));
        source += &format!(".set f{level}(x) {deep}\n");
    }
    source += "mov r0, f100(1)\n";
    refused(
        &source,
        Limits::DEFAULT,
        "in functions that call each other nest at most 320 deep",
    );
    for sign in ["(", "-", "~", "!", "[", "f0(", "1**(", "exp "] {
        let source = format!(".set f0(x) x\nmov r0, {}", sign.repeat(10_000));
        refused(&source, Limits::DEFAULT, "expressions nest at most 64 deep");
    }
}

/// 24 macros of which each calls the one before twice: 570 bytes that ask for 2^24 instructions,
/// each reached in another way.
#[test]
fn macros_that_call_each_other_twice_are_refused() {
    let mut source = String::from(".macro m0\nnop\n.endm\n");
    for level in 1..24 {
        let before = level - 1;
        source += &format!(".macro m{level}\nm{before}\nm{before}\n.endm\n");
    }
    let most = "expands to more than 2097152 lines";
    refused(&(source.clone() + "m23\n"), Limits::DEFAULT, most);
    // A program of 2^12 instructions so is one.
    assert_eq!(words(&(source + "m12\n")), 4096);
}

#[test]
fn repetitions_that_make_too_much_are_refused() {
    let limits = Limits {
        expanded_lines: 20_000,
        output_bytes: 40_000,
        units: 10_000,
        labels: 10_000,
        ..Limits::DEFAULT
    };
    let bytes = format!(".byte {}", "0,".repeat(1000));
    let labels = ":1 ".repeat(1000);
    for (line, expected) in [
        ("nop", "more than 40000 bytes"),
        (".set x, i", "expands to more than 20000 lines"),
        (&bytes, "more than 10000 instructions and constants"),
        (
            ".align 64\n.byte 1",
            "more than 10000 instructions and constants",
        ),
        (&labels, "more than 10000 labels"),
    ] {
        refused(
            &format!(".rep i, 1 << 20\n{line}\n.endr\n"),
            limits,
            expected,
        );
    }
}

/// The text of a line stands beside each word that it makes.
#[test]
fn a_line_of_many_constants_makes_no_gigabytes_of_text() {
    let source = format!(".double {}", "1,".repeat(30_000));
    let assembly = assembled(&source, Limits::DEFAULT).expect("it assembles");
    assert_eq!(assembly.words.len(), 30_000);
    for text in [
        assembly.to_hex(),
        assembly.to_c("x"),
        assembly.to_rust("x"),
        assembly.listing(),
    ] {
        assert!(
            text.len() < 400 * assembly.words.len(),
            "{} bytes",
            text.len()
        );
    }
}

/// An error in every turn is put into words a bounded number of times, and names without end are
/// not compared.
#[test]
fn errors_without_end_take_bounded_time() {
    let names: String = (0..5000).map(|n| format!(".set name{n}, 1\n")).collect();
    let source = format!("{names}.rep i, 1000000\nmov r0, nume77\n.endr\n");
    let errors = assembled(&source, Limits::DEFAULT).expect_err("the name is not defined");
    assert_eq!(errors.0.len(), 1);
    let long = "a".repeat(60_000);
    let names: String = (0..200).map(|n| format!(".set {long}{n}, 1\n")).collect();
    let errors = assembled(&(names + "mov r0, " + &long), Limits::DEFAULT)
        .expect_err("the name is not defined");
    assert!(errors.to_string().contains("is not defined"));
}
