//! Panics of the page's program as sentences, instead of a trap without a word.

use wasm_bindgen::prelude::wasm_bindgen;

/// Has a panic end the call with an error that says it; the module cannot be used after that.
#[wasm_bindgen(start)]
pub fn say_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let sentence =
            format!("the page's program failed ({panic}); please report it, and reload the page");
        wasm_bindgen::throw_str(&sentence);
    }));
}
