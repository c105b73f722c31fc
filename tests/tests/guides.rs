//! Pages of `docs` that quote the product: each quotation is in the file that the page names.

use std::fs;
use tests::root;

/// Pages with quotations.
const PAGES: [&str; 1] = ["docs/new-kernel.md"];

#[test]
fn guides_quote_code_that_is_in_the_file_above_it() {
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).expect("the page is there");
        let (mut file, mut code) = (None, String::new());
        let mut quotations = 0;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(path) = line.strip_prefix('`').and_then(|it| it.strip_suffix("`:")) {
                code = fs::read_to_string(root().join(path))
                    .unwrap_or_else(|error| panic!("{page} names {path}: {error}"));
                file = Some(path);
            } else if line == "```rust" {
                let quoted: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
                let quoted = quoted.join("\n") + "\n";
                let file = file.unwrap_or_else(|| panic!("{page} quotes no file:\n{quoted}"));
                assert!(
                    code.contains(&quoted),
                    "{page} quotes of {file} what is not there:\n{quoted}"
                );
                quotations += 1;
            }
        }
        assert!(quotations > 0, "{page} quotes nothing");
    }
}
