//! Numbers of the cycle model that a user changes, to see what depends on them.
//!
//! What they are by themselves is for published figures to say (docs/fidelity.md): whatever is
//! printed with others names them.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use v3d_sim::{Constants, Described};

use crate::failure::{Failure, Result};
use crate::say;
use crate::text::quote;

/// True for the host's share of a call, which the simulator does not count: those are in
/// microseconds.
pub fn is_of_host(constant: &Described) -> bool {
    constant.unit == "us"
}

/// A change as it is given: NAME=VALUE.
///
/// # Errors
/// A sentence, when it is none.
pub fn change(text: &str) -> std::result::Result<(String, f64), String> {
    let parts = text.split_once('=');
    let (name, value) = parts.ok_or("give NAME=VALUE, as sdram_line=8")?;
    let number = value.parse();
    number
        .map(|value| (name.to_owned(), value))
        .map_err(|_| format!("{} is no number", quote(value)))
}

/// Changes one number.
///
/// # Errors
/// Usage, when there is no such number or when it cannot have that value.
pub fn apply(constants: &mut Constants, name: &str, value: f64) -> Result<()> {
    let known = constants.describe();
    if let Some(constant) = known.iter().find(|constant| constant.name == name) {
        if is_of_host(constant) {
            return Err(Failure::usage(format!(
                "{name} is the host's share of a call, of which no run knows; leave it out"
            )));
        }
        return constants.change(name, value).map_err(Failure::usage);
    }
    let likeness = |constant: &&Described| strsim::jaro_winkler(name, constant.name);
    let nearest = known
        .iter()
        .max_by(|one, two| likeness(one).total_cmp(&likeness(two)))
        .map_or("", |constant| constant.name);
    Err(Failure::usage(format!(
        "there is no constant `{}`; the nearest is {nearest}; `qpu explain` lists all",
        quote(name)
    )))
}

/// The recommended ones with these changes.
///
/// # Errors
/// As [`apply`].
pub fn with(changes: &[(String, f64)]) -> Result<Constants> {
    let mut constants = Constants::recommended();
    let mut each = changes.iter();
    each.try_for_each(|(name, value)| apply(&mut constants, name, *value))?;
    Ok(constants)
}

/// Those that are not the recommended ones; `None` when all are.
pub fn changed(constants: &Constants) -> Option<Value> {
    let changed = constants.changed();
    let changed: Map<String, Value> = changed
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    (!changed.is_empty()).then(|| changed.into())
}

/// Says on standard error that times are not those of the model.
pub fn note(constants: &Constants) {
    let mut text = String::new();
    for (name, value) in constants.changed() {
        let _ = write!(text, " {name}={value}");
    }
    if !text.is_empty() {
        say::note(&format!(
            "note: times are of a model with other constants than published figures give:{text}\n"
        ));
    }
}
