//! Arrows between modules: an import, from the module that says `use` to the one that the path
//! names.
//!
//! A path through a re-export ends at the module that re-exports. No arrow ties a module and those
//! inside it: a module and its parts are one room.

use super::tree::{Id, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// The names that tie two modules, by where they are imported and where they come from.
pub type Arrows = BTreeMap<(Id, Id), BTreeSet<String>>;

/// All arrows of a package.
pub fn arrows(tree: &Tree) -> Arrows {
    let mut arrows = Arrows::new();
    for (from, module) in tree.modules.iter().enumerate() {
        for path in &module.imports {
            let Some(to) = resolve(tree, from, path) else {
                continue;
            };
            if to != from && !tree.is_in(to, from) && !tree.is_in(from, to) {
                let name = path.last().cloned().unwrap_or_default();
                arrows.entry((from, to)).or_default().insert(name);
            }
        }
    }
    arrows
}

/// The innermost module that a path names, as written in `from`; `None` when it leads out of the
/// package.
fn resolve(tree: &Tree, from: Id, path: &[String]) -> Option<Id> {
    let child = |module: Id, name: &str| tree.modules[module].children.get(name).copied();
    let parent = |module: Id| tree.modules[module].parent;
    let (head, rest) = path.split_first()?;
    let mut module = match head.as_str() {
        "crate" => tree.root_of(from),
        "self" => from,
        "super" => parent(from)?,
        name => child(from, name).or_else(|| tree.library(name))?,
    };
    for name in rest {
        let next = if name == "super" {
            parent(module)
        } else {
            child(module, name)
        };
        match next {
            Some(next) => module = next,
            None => break,
        }
    }
    Some(module)
}

/// The strongly connected parts with more than one module, each sorted.
pub fn circles(modules: usize, arrows: &Arrows) -> Vec<Vec<Id>> {
    let mut after = vec![BTreeSet::new(); modules];
    for (from, to) in arrows.keys() {
        after[*from].insert(*to);
    }
    let reached: Vec<_> = (0..modules).map(|start| reached(start, &after)).collect();
    let mut left: BTreeSet<Id> = (0..modules).collect();
    let mut circles = vec![];
    while let Some(module) = left.pop_first() {
        let tied = |to: &&Id| reached[**to].contains(&module);
        let circle: BTreeSet<Id> = reached[module].iter().filter(tied).copied().collect();
        left.retain(|it| !circle.contains(it));
        if circle.len() > 1 {
            circles.push(circle.into_iter().collect());
        }
    }
    circles
}

/// The modules that arrows lead to from `start`; itself when one leads back.
fn reached(start: Id, after: &[BTreeSet<Id>]) -> BTreeSet<Id> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(module) = waiting.pop() {
        waiting.extend(after[module].iter().filter(|to| reached.insert(**to)));
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circles::tree::Module;

    /// A root with the modules `a`, `b`, `c` and `a::inner`, which have these imports.
    fn tree(imports: [&[&str]; 4]) -> Tree {
        let paths = ["", "a", "b", "c", "a::inner"];
        let parents = [None, Some(0), Some(0), Some(0), Some(1)];
        let mut tree = Tree::default();
        for (path, parent) in paths.into_iter().zip(parents) {
            let module = Module {
                path: path.to_owned(),
                parent,
                ..Module::default()
            };
            tree.modules.push(module);
        }
        for (id, (parent, path)) in parents.into_iter().zip(paths).enumerate() {
            let name = path.rsplit("::").next().unwrap_or_default().to_owned();
            parent.map(|parent| tree.modules[parent].children.insert(name, id));
        }
        for (module, paths) in tree.modules[1..].iter_mut().zip(imports) {
            let split = |path: &&str| path.split("::").map(str::to_owned).collect();
            module.imports = paths.iter().map(split).collect();
        }
        tree
    }

    fn found(imports: [&[&str]; 4]) -> Vec<Vec<Id>> {
        let tree = tree(imports);
        circles(tree.modules.len(), &arrows(&tree))
    }

    #[test]
    fn modules_that_import_each_other_are_a_circle() {
        let imports: [&[&str]; 4] = [&["crate::b::B"], &["super::c::C"], &["crate::a::*"], &[]];
        assert_eq!(found(imports), [[1, 2, 3]]);
        let one_way: [&[&str]; 4] = [&["crate::b::B"], &["super::c::C"], &["core::fmt"], &[]];
        assert!(found(one_way).is_empty());
    }

    #[test]
    fn a_module_and_its_parts_are_no_circle_but_a_part_and_others_are() {
        let parts: [&[&str]; 4] = [&["self::inner::X"], &[], &[], &["super::Y"]];
        assert!(found(parts).is_empty());
        let others: [&[&str]; 4] = [&[], &["crate::a::inner::X"], &[], &["super::super::b"]];
        assert_eq!(found(others), [[2, 4]]);
    }
}
