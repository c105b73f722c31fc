//! The ways by which the assembler came to lines: through which macros, files and repetitions.
//!
//! A tree, because a macro that calls another twice makes two ways of each below it: written out,
//! the ways of a thousand lines that lie a hundred deep would be a hundred thousand steps.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::super::diagnostic::Expansion;
use super::super::source::{Place, Source};

/// The kind of thing that is expanded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::asm) enum Expanded {
    /// Lines of a macro or a file.
    Lines,
    /// An iteration of a repetition: all iterations have one way.
    Iteration,
    /// A function, which emits nothing and needs no way of its own.
    Function,
}

/// A step, and the way that it goes on from.
#[derive(Clone, PartialEq, Debug)]
struct Way {
    before: u32,
    what: Box<str>,
    file: Arc<str>,
    line: u32,
}

/// Ways by number: 0 is the file that is assembled.
#[derive(Clone, PartialEq, Debug, Default)]
pub(in crate::asm) struct Tree(Vec<Way>);

/// The ways so far.
#[derive(Debug, Default)]
pub(in crate::asm) struct Ways {
    pub tree: Tree,
    known: HashMap<(u32, *const Source, usize, Expanded), u32>,
}

impl Ways {
    /// The number of the way that goes on from `before` with what is asked for at `place`.
    pub fn step(&mut self, before: u32, what: &str, place: &Place, kind: Expanded) -> u32 {
        if kind == Expanded::Function {
            return before;
        }
        let key = (before, Rc::as_ptr(&place.source), place.line, kind);
        if let Some(way) = self.known.get(&key) {
            return *way;
        }
        let what = match kind {
            Expanded::Iteration => what.split(" = ").next().unwrap_or(what),
            _ => what,
        };
        let all = &mut self.tree.0;
        all.push(Way {
            before,
            what: what.into(),
            file: place.source.name.clone(),
            line: place.source.number(place.line),
        });
        let way = all.len() as u32;
        self.known.insert(key, way);
        way
    }
}

impl Tree {
    /// The steps of a way, innermost first.
    pub fn steps(&self, way: u32) -> Vec<Expansion> {
        let step = |way: u32| self.0.get((way as usize).checked_sub(1)?);
        let steps = std::iter::successors(step(way), |last| step(last.before));
        let expansion = |way: &Way| Expansion {
            what: way.what.to_string(),
            file: way.file.to_string(),
            line: way.line,
        };
        steps.map(expansion).collect()
    }
}
