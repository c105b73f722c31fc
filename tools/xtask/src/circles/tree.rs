//! The modules of a package and their imports, parsed from its sources.
//!
//! `mod` items are followed to their files and into their braces. Modules and imports under
//! `#[cfg(test)]` are left out: tests may import anything.

use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, ItemMod, ItemUse, Lit, Meta, UseTree};

/// A module, by its index in [`Tree::modules`].
pub type Id = usize;

/// A module and its imports.
#[derive(Default)]
pub struct Module {
    /// The path from the root of the crate, `fft::plan`; empty for the root.
    pub path: String,
    pub parent: Option<Id>,
    pub children: BTreeMap<String, Id>,
    /// The path of each name in its `use` items, `*` included.
    pub imports: Vec<Vec<String>>,
}

/// The modules of a package: those of its library and those of its program.
#[derive(Default)]
pub struct Tree {
    pub modules: Vec<Module>,
    /// The name by which the program imports from the library, and the library's root.
    library: Option<(String, Id)>,
}

impl Tree {
    /// Parses the sources of the package in `folder`.
    ///
    /// # Errors
    /// When a file cannot be read or is not Rust.
    pub fn read(folder: &Path, name: &str) -> Result<Self> {
        let mut tree = Self::default();
        let source = folder.join("src");
        if source.join("lib.rs").is_file() {
            let root = tree.root(&source.join("lib.rs"), "")?;
            tree.library = Some((name.replace('-', "_"), root));
        }
        if source.join("main.rs").is_file() {
            let label = if tree.library.is_some() { "main" } else { "" };
            tree.root(&source.join("main.rs"), label)?;
        }
        Ok(tree)
    }

    /// The root of `module`'s crate.
    pub fn root_of(&self, mut module: Id) -> Id {
        while let Some(parent) = self.modules[module].parent {
            module = parent;
        }
        module
    }

    /// The library's root, when this is its name.
    pub fn library(&self, name: &str) -> Option<Id> {
        let (library, root) = self.library.as_ref()?;
        (name == library).then_some(*root)
    }

    /// True when `module` lies in `folder`, at any depth.
    pub fn is_in(&self, module: Id, folder: Id) -> bool {
        let parent = self.modules[module].parent;
        parent.is_some_and(|parent| parent == folder || self.is_in(parent, folder))
    }

    fn root(&mut self, file: &Path, path: &str) -> Result<Id> {
        let parsed = parse(file)?;
        let folder = file.parent().unwrap_or(Path::new("."));
        self.add(path.to_owned(), None, &parsed.items, folder, folder)
    }

    /// Adds a module with these items. Files of modules inside it lie in `inside`; paths in
    /// `#[path]` begin at `beside`.
    fn add(
        &mut self,
        path: String,
        parent: Option<Id>,
        items: &[Item],
        inside: &Path,
        beside: &Path,
    ) -> Result<Id> {
        let id = self.modules.len();
        let mut found = Found::default();
        items.iter().for_each(|item| found.visit_item(item));
        self.modules.push(Module {
            path,
            parent,
            children: BTreeMap::new(),
            imports: found.imports,
        });
        for item in items {
            if let Item::Mod(item) = item
                && !is_test(&item.attrs)
            {
                self.child(id, item, inside, beside)?;
            }
        }
        Ok(id)
    }

    fn child(&mut self, parent: Id, item: &ItemMod, inside: &Path, beside: &Path) -> Result<()> {
        let name = item.ident.to_string();
        let path = match self.modules[parent].path.as_str() {
            "" => name.clone(),
            above => format!("{above}::{name}"),
        };
        let folder = inside.join(&name);
        let id = match &item.content {
            Some((_, items)) => self.add(path, Some(parent), items, &folder, &folder)?,
            None => {
                let (file, folder) = file(item, inside, beside)?;
                let beside = file.parent().unwrap_or(inside);
                self.add(path, Some(parent), &parse(&file)?.items, &folder, beside)?
            }
        };
        // Of two files for one name, chosen by `cfg`, imports find the first.
        self.modules[parent].children.entry(name).or_insert(id);
        Ok(())
    }
}

/// The file of a `mod name;` and the folder of the modules inside it.
fn file(item: &ItemMod, inside: &Path, beside: &Path) -> Result<(PathBuf, PathBuf)> {
    let folder = inside.join(item.ident.to_string());
    if let Some(named) = item.attrs.iter().find_map(path_attribute) {
        let file = beside.join(named);
        let folder = file.parent().unwrap_or(beside).to_owned();
        return Ok((file, folder));
    }
    for file in [folder.with_extension("rs"), folder.join("mod.rs")] {
        if file.is_file() {
            return Ok((file, folder));
        }
    }
    bail!("there is no file for module {}", folder.display())
}

fn parse(file: &Path) -> Result<syn::File> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    syn::parse_file(&text).with_context(|| format!("cannot parse {}", file.display()))
}

/// True for items that are compiled for tests only.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let condition = list.tokens.to_string().replace(' ', "");
            condition == "test" || condition.starts_with("all(test,")
        }
        meta => meta.path().is_ident("test"),
    })
}

fn path_attribute(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    match &pair.value {
        Expr::Lit(value) if pair.path.is_ident("path") => match &value.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// The `use` items of a module, those in its functions included.
#[derive(Default)]
struct Found {
    imports: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Found {
    // A module of its own.
    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            flatten(&item.tree, &mut vec![], &mut self.imports);
        }
    }
}

fn flatten(tree: &UseTree, above: &mut Vec<String>, imports: &mut Vec<Vec<String>>) {
    let mut push = |name: String| imports.push([&above[..], &[name]].concat());
    match tree {
        UseTree::Name(it) => push(it.ident.to_string()),
        UseTree::Rename(it) => push(it.ident.to_string()),
        UseTree::Glob(_) => push("*".to_owned()),
        UseTree::Path(it) => {
            above.push(it.ident.to_string());
            flatten(&it.tree, above, imports);
            above.pop();
        }
        UseTree::Group(it) => it
            .items
            .iter()
            .for_each(|tree| flatten(tree, above, imports)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_item_has_a_path_for_each_name() {
        let item: ItemUse = syn::parse_str("use a::{self, b::*, c as d};").expect("an item");
        let mut found = Found::default();
        found.visit_item_use(&item);
        let paths: Vec<_> = found.imports.iter().map(|path| path.join("::")).collect();
        assert_eq!(paths, ["a::self", "a::b::*", "a::c"]);
    }

    #[test]
    fn what_only_tests_compile_is_left_out() {
        let source = "#[cfg(test)] use a::b; #[cfg(all(test, feature = \"x\"))] use c::d; use e::f;
            #[cfg(test)] mod tests; fn inside() { use g::h; }";
        let items = syn::parse_file(source).expect("Rust").items;
        let mut tree = Tree::default();
        let nowhere = Path::new("nowhere");
        tree.add(String::new(), None, &items, nowhere, nowhere)
            .expect("no file is needed");
        assert_eq!(tree.modules.len(), 1);
        assert_eq!(tree.modules[0].imports, [["e", "f"], ["g", "h"]]);
    }
}
