//! `cargo xtask circles [--root DIR]`: modules that import each other in a circle.
//!
//! Modules of a circle can only be understood together. Each circle is printed with its modules and
//! with the names that tie each pair of them. `--root` looks at another copy of the project.

mod arrows;
mod tree;

pub use tree::is_test;

use crate::workspace;
use anyhow::{Result, bail};
use arrows::Arrows;
use std::path::{Path, PathBuf};
use tree::{Id, Tree};

/// The circles of a package.
pub struct Package {
    pub name: String,
    tree: Tree,
    arrows: Arrows,
    pub circles: Vec<Vec<Id>>,
}

/// `cargo xtask circles`.
///
/// # Errors
/// When a source cannot be read.
pub fn run(rest: &[String]) -> Result<()> {
    let root = root(rest, "circles")?;
    let mut total = 0;
    for package in packages(&root)? {
        package.print();
        total += package.circles.len();
    }
    println!("{total} circles in all");
    Ok(())
}

/// The folder after `--root`, or the workspace.
///
/// # Errors
/// For any other argument.
pub fn root(rest: &[String], command: &str) -> Result<PathBuf> {
    match rest {
        [] => Ok(workspace::root().to_owned()),
        [option, folder] if option == "--root" => Ok(folder.into()),
        _ => bail!("`cargo xtask {command}` takes --root DIR or nothing"),
    }
}

/// Parses the packages of the workspace at `root`.
///
/// # Errors
/// When a source cannot be read.
pub fn packages(root: &Path) -> Result<Vec<Package>> {
    let members = workspace::members(root)?;
    members
        .iter()
        .filter(|folder| root.join(folder).join("src").is_dir())
        .map(|folder| Package::read(&root.join(folder)))
        .collect()
}

impl Package {
    fn read(folder: &Path) -> Result<Self> {
        let name = workspace::package_name(folder)?;
        let tree = Tree::read(folder, &name)?;
        let arrows = arrows::arrows(&tree);
        let circles = arrows::circles(tree.modules.len(), &arrows);
        Ok(Self {
            name,
            tree,
            arrows,
            circles,
        })
    }

    fn print(&self) {
        let tied: usize = self.circles.iter().map(Vec::len).sum();
        println!(
            "{}: {} modules, {} circles with {tied} modules",
            self.name,
            self.tree.modules.len(),
            self.circles.len()
        );
        let name = |id: Id| match self.tree.modules[id].path.as_str() {
            "" => "crate",
            path => path,
        };
        for circle in &self.circles {
            let names: Vec<_> = circle.iter().map(|id| name(*id)).collect();
            println!("  circle of {}: {}", circle.len(), names.join(", "));
            for ((from, to), names) in &self.arrows {
                if circle.contains(from) && circle.contains(to) {
                    let names: Vec<_> = names.iter().map(String::as_str).collect();
                    println!("    {} -> {}: {}", name(*from), name(*to), names.join(", "));
                }
            }
        }
    }
}
