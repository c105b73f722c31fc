//! The meaning of names, and where it holds: scopes of files, macros, functions and local blocks.
//!
//! Scopes nest as the program is expanded, not as it is written: a macro sees what its caller sees.

use std::collections::HashMap;
use std::rc::Rc;

use super::source::Place;
use super::token::Token;
use super::value::Value;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    Value(Value),
    Function(Rc<Function>),
}

/// A function or a macro of the source.
#[derive(Debug)]
pub(super) struct Function {
    pub name: Rc<str>,
    pub parameters: Vec<Rc<str>>,
    pub body: Body,
    pub place: Place,
}

/// The source that a function computes its value from, or that a macro stands for.
#[derive(Debug)]
pub(super) enum Body {
    /// The rest of a `.set` line.
    Expression(Vec<Token>),
    /// The lines of a block, from the one after its head up to its end.
    Lines(usize, usize),
}

#[derive(Clone, Debug)]
struct Entry {
    meaning: Meaning,
    is_const: bool,
}

/// The names of one block.
#[derive(Debug, Default)]
struct Scope {
    names: HashMap<Rc<str>, Entry>,
    /// Only holds the variable of a repetition: `.lset` in it sets names of the block around.
    transparent: bool,
}

/// All scopes, the outermost first.
#[derive(Debug)]
pub(super) struct Scopes {
    all: Vec<Scope>,
}

impl Default for Scopes {
    fn default() -> Self {
        Self {
            all: vec![Scope::default()],
        }
    }
}

impl Scopes {
    pub fn enter(&mut self) {
        self.all.push(Scope::default());
    }

    /// A scope with parameters and their values.
    pub fn enter_call(&mut self, parameters: &[Rc<str>], arguments: Vec<Value>) {
        self.enter();
        for (name, value) in parameters.iter().zip(arguments) {
            // A new scope holds no constants.
            let _ = self.set(name, Meaning::Value(value), true, false);
        }
    }

    /// A scope with one name.
    pub fn enter_with(&mut self, name: &Rc<str>, value: Value) {
        let mut scope = Scope {
            transparent: true,
            ..Scope::default()
        };
        let entry = Entry {
            meaning: Meaning::Value(value),
            is_const: false,
        };
        scope.names.insert(name.clone(), entry);
        self.all.push(scope);
    }

    pub fn leave(&mut self) {
        if self.all.len() > 1 {
            self.all.pop();
        }
    }

    pub fn get(&self, name: &str) -> Option<&Meaning> {
        let entry = self
            .all
            .iter()
            .rev()
            .find_map(|scope| scope.names.get(name));
        entry.map(|entry| &entry.meaning)
    }

    /// Defines a name, in the innermost block or for all; fails when it is constant there.
    pub fn set(
        &mut self,
        name: &Rc<str>,
        meaning: Meaning,
        local: bool,
        is_const: bool,
    ) -> Result<(), ()> {
        let scope = if local {
            self.all.iter_mut().rev().find(|scope| !scope.transparent)
        } else {
            self.all.first_mut()
        };
        let Some(scope) = scope else { return Err(()) };
        if scope.names.get(name).is_some_and(|entry| entry.is_const) {
            return Err(());
        }
        scope
            .names
            .insert(name.clone(), Entry { meaning, is_const });
        Ok(())
    }

    /// Takes a definition back: the innermost, or the innermost block's only. Whether there was
    /// one.
    pub fn unset(&mut self, name: &str, local: bool) -> bool {
        let mut scopes = self.all.iter_mut().rev().filter(|scope| !scope.transparent);
        if local {
            return scopes
                .next()
                .is_some_and(|scope| scope.names.remove(name).is_some());
        }
        scopes.any(|scope| scope.names.remove(name).is_some())
    }

    pub fn names(&self) -> Vec<Rc<str>> {
        self.all
            .iter()
            .flat_map(|scope| scope.names.keys().cloned())
            .collect()
    }
}
