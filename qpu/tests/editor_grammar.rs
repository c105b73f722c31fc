//! The editor's grammar knows every word of the language.
#![cfg(feature = "text")]

use std::collections::HashSet;
use std::path::Path;

use qpu::isa::{BranchCond, Cond, Pack, Unpack};
use qpu::names;
use serde_json::Value;

fn read(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../editors/vscode")
        .join(name);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The words in all patterns below a value.
fn words(value: &Value) -> HashSet<String> {
    let mut all = HashSet::new();
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                match (key.as_str(), field) {
                    ("match" | "begin" | "end", Value::String(pattern)) => {
                        let words = pattern.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                        all.extend(words.map(str::to_string));
                    }
                    _ => all.extend(words(field)),
                }
            }
        }
        Value::Array(fields) => all.extend(fields.iter().flat_map(words)),
        _ => (),
    }
    all
}

#[test]
fn grammar_has_every_directive_operation_register_and_function() {
    let grammar = read("syntaxes/qasm.tmLanguage.json");
    let section = |name: &str| words(&grammar["repository"][name]);
    let (directives, registers) = (section("directive"), section("register"));
    let mut operations = section("operation");
    operations.extend(section("signal"));
    let functions = section("builtin");
    let others = names::OTHER_DIRECTIVES.iter().map(|(name, _)| name);
    for name in names::DIRECTIVES.iter().chain(others) {
        assert!(directives.contains(*name), "directive {name}");
    }
    for name in names::mnemonics() {
        assert!(operations.contains(name), "operation {name}");
    }
    let io = names::READS
        .iter()
        .map(|entry| entry.0)
        .chain(names::WRITES.iter().map(|entry| entry.0));
    for name in io.filter(|name| !matches!(*name, "-" | "nop")) {
        assert!(registers.contains(name), "register {name}");
    }
    for name in qpu::asm::built_in() {
        assert!(functions.contains(name), "function {name}");
    }
    for include in grammar["patterns"].as_array().expect("patterns") {
        let name = include["include"]
            .as_str()
            .and_then(|name| name.strip_prefix('#'))
            .expect("a name");
        assert!(
            grammar["repository"].get(name).is_some(),
            "{name} is included and not there"
        );
    }
    // Suffixes are alternatives of parts; each part must be there.
    let suffix = grammar["repository"]["suffix"]["match"]
        .as_str()
        .expect("a pattern")
        .to_string();
    for (name, _) in names::CONDITIONS {
        assert!(suffix.contains(name), "condition {name}");
    }
    let branches = BranchCond::ALL
        .iter()
        .filter_map(|cond| cond.name().get(3..));
    for name in branches.chain(
        Cond::ALL
            .iter()
            .filter_map(|cond| cond.name().strip_prefix("if")),
    ) {
        assert!(suffix.contains(name), "condition {name}");
    }
    let modes = Pack::ALL
        .iter()
        .map(|mode| mode.name())
        .chain(Unpack::ALL.iter().map(|mode| mode.name()));
    for name in modes.map(|name| name.trim_end_matches('s')) {
        let known = suffix.contains(name) || ["16a", "16b", "8a", "8b", "8c", "8d"].contains(&name);
        assert!(known, "mode {name}");
    }
}

#[test]
fn extension_names_files_that_are_there() {
    let package = read("package.json");
    read("language-configuration.json");
    let language = &package["contributes"]["languages"][0];
    assert_eq!(language["configuration"], "./language-configuration.json");
    let grammar = &package["contributes"]["grammars"][0];
    assert_eq!(grammar["path"], "./syntaxes/qasm.tmLanguage.json");
    assert_eq!(
        grammar["scopeName"],
        read("syntaxes/qasm.tmLanguage.json")["scopeName"]
    );
    assert_eq!(language["id"], grammar["language"]);
}
