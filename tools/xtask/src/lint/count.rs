//! Lines of code: product lines by package, lengths of files and of functions.

use super::sources::Source;
use crate::circles::is_test;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use syn::visit::{self, Visit};
use syn::{Block, Item, ItemMod, Signature};

/// The folders of the FFT: planner and programs.
const FFT: [&str; 1] = ["qpu/fft/src/"];

/// Counts of a tree.
#[derive(Default)]
pub struct Count {
    /// Product lines by folder of the package.
    pub packages: BTreeMap<String, usize>,
    /// Product lines of the FFT.
    pub fft: usize,
    /// The length that nine of ten files with Rust do not exceed.
    pub p90: usize,
    /// The longest function of the product: its lines and its place.
    pub longest: (usize, String),
    /// The places of each name of a type of the product, by package.
    types: BTreeMap<(String, String), Vec<String>>,
}

impl Count {
    /// Counts these files.
    ///
    /// # Errors
    /// When one is not Rust.
    pub fn of(sources: &[Source]) -> Result<Self> {
        let mut count = Self::default();
        let mut lengths = vec![];
        for source in sources.iter().filter(|source| source.is_rust()) {
            lengths.push(source.text.lines().count());
            if !source.is_product() {
                continue;
            }
            let file = syn::parse_file(&source.text)
                .with_context(|| format!("cannot parse {}", source.path))?;
            let lines = source.text.lines().count() - test_lines(&file.items);
            *count.packages.entry(source.package.clone()).or_default() += lines;
            if FFT.iter().any(|folder| source.path.starts_with(folder)) {
                count.fft += lines;
            }
            let mut functions = Functions::default();
            functions.visit_file(&file);
            for (name, line) in functions.types {
                // A trait's own way to fail and a command's options have the name everywhere.
                if !["Error", "Options"].contains(&&*name) {
                    let place = format!("{}:{line}", source.path);
                    let key = (source.package.clone(), name);
                    count.types.entry(key).or_default().push(place);
                }
            }
            if functions.longest > count.longest.0 {
                count.longest = (
                    functions.longest,
                    format!("{}:{}", source.path, functions.line),
                );
            }
        }
        lengths.sort_unstable();
        count.p90 = lengths.get(lengths.len() * 9 / 10).copied().unwrap_or(0);
        Ok(count)
    }

    /// All product lines.
    pub fn total(&self) -> usize {
        self.packages.values().sum()
    }

    /// The number of names of types that are used twice or more in their package.
    pub fn namesakes(&self) -> usize {
        self.twice().count()
    }

    fn twice(&self) -> impl Iterator<Item = (&(String, String), &Vec<String>)> {
        self.types.iter().filter(|(_, places)| places.len() > 1)
    }

    /// Prints the counts, a line for each package, and the names that are used twice.
    pub fn print(&self) {
        for (package, lines) in &self.packages {
            println!("{lines:7}  {package}");
        }
        println!("{:7}  product lines in all", self.total());
        println!("{:7}  of them in {}", self.fft, FFT.join(" and "));
        println!(
            "{:7}  lines in the longest of nine tenths of all files",
            self.p90
        );
        println!(
            "{:7}  lines in the longest function, {}",
            self.longest.0, self.longest.1
        );
        println!(
            "{:7}  names of types that are used twice in their package:",
            self.namesakes()
        );
        for ((package, name), places) in self.twice() {
            println!("         {name} of {package}: {}", places.join(", "));
        }
    }
}

/// The lines of inline modules under `#[cfg(test)]`.
fn test_lines(items: &[Item]) -> usize {
    let lines = |item: &Item| match item {
        Item::Mod(ItemMod {
            attrs,
            mod_token,
            content: Some((brace, items)),
            ..
        }) => {
            if !is_test(attrs) {
                return test_lines(items);
            }
            let token = mod_token.span.start().line;
            let start = attrs
                .first()
                .map_or(token, |it| it.pound_token.span.start().line);
            brace.span.close().end().line + 1 - start
        }
        _ => 0,
    };
    items.iter().map(lines).sum()
}

/// The longest function outside of tests, from `fn` to its last brace, and the types.
#[derive(Default)]
struct Functions {
    longest: usize,
    line: usize,
    /// Structs, enums and traits, and their lines.
    types: Vec<(String, usize)>,
}

impl Functions {
    fn name(&mut self, ident: &syn::Ident) {
        self.types
            .push((ident.to_string(), ident.span().start().line));
    }

    fn see(&mut self, signature: &Signature, block: &Block) {
        let start = signature.fn_token.span.start().line;
        let lines = block.brace_token.span.close().end().line + 1 - start;
        if lines > self.longest {
            (self.longest, self.line) = (lines, start);
        }
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.name(&item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.name(&item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.name(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.see(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.see(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inline_tests_are_not_counted_and_the_longest_function_is_found() {
        let text = "fn a() {\n}\n/// Long.\nfn b() {\n    let x = 1;\n}\n\n#[cfg(test)]\nmod tests {\n    fn c() {\n\n\n\n    }\n}\n";
        let source = |path: &str| Source {
            path: path.to_owned(),
            text: text.to_owned(),
            package: "qpu".to_owned(),
        };
        let sources = [
            source("qpu/fft/src/a.rs"),
            source("qpu/src/b.rs"),
            source("qpu/src/tests.rs"),
        ];
        let count = Count::of(&sources).expect("Rust");
        assert_eq!((count.total(), count.fft, count.p90), (14, 7, 15));
        assert_eq!(count.longest, (3, "qpu/fft/src/a.rs:4".to_owned()));
    }
}
