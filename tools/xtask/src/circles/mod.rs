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
use std::path::Path;
use tree::{Id, Tree};

/// The circles of a package.
struct Package {
    name: String,
    tree: Tree,
    arrows: Arrows,
    circles: Vec<Vec<Id>>,
}

/// `cargo xtask circles`.
///
/// # Errors
/// When a source cannot be read, and for other arguments.
pub fn run(rest: &[String]) -> Result<()> {
    let root = match rest {
        [] => workspace::root(),
        [option, folder] if option == "--root" => Path::new(folder),
        _ => bail!("`cargo xtask circles` takes --root DIR or nothing"),
    };
    let mut total = 0;
    for package in packages(root)? {
        package.print();
        total += package.circles.len();
    }
    println!("{total} circles in all");
    Ok(())
}

/// Parses the packages of the workspace at `root`.
///
/// # Errors
/// When a source cannot be read.
fn packages(root: &Path) -> Result<Vec<Package>> {
    let members = workspace::members(root)?;
    members
        .iter()
        .filter(|folder| root.join(folder).join("src").is_dir())
        .map(|folder| Package::read(&root.join(folder)))
        .collect()
}

/// A sentence for each package of the workspace at `root` with more circles than `limits` allow.
///
/// # Errors
/// When a source cannot be read.
pub fn check(root: &Path, limits: &[(&str, usize, usize)]) -> Result<Vec<String>> {
    Ok(packages(root)?
        .iter()
        .filter_map(|package| too_many(package, limits))
        .collect())
}

fn too_many(package: &Package, limits: &[(&str, usize, usize)]) -> Option<String> {
    let limit = limits.iter().find(|(name, ..)| *name == package.name);
    let (_, most, largest) = *limit.unwrap_or(&("", 0, 0));
    let count = package.circles.len();
    let size = package.circles.iter().map(Vec::len).max().unwrap_or(0);
    (count > most || size > largest).then(|| {
        format!(
            "{} has {count} import circles, the largest of {size} modules; allowed are {most}, of at most \
             {largest}; `cargo xtask circles` prints the names that tie them",
            package.name
        )
    })
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
