//! The instrument in a browser tab, as WebAssembly.
//!
//! One module serves both ends of the line. In a worker, [`Machine`] is a virtual Pi that boots
//! `kernel.img`. On the page's main thread, [`Scope`] is the host's end: it decodes what a link
//! brings, be it from a [`Machine`], a board on Web Serial, or a WebSocket of `qpuscope web`, and
//! it makes the requests that go back. [`Flow`] and [`QpuPlan`] show how an FFT is made. Everything
//! here also compiles natively, where its tests run.
#![forbid(unsafe_code)]

mod client;
mod display;
mod flow;
mod machine;
mod panic;
mod qpu_plan;
mod samples;
mod scope;

pub use flow::{Flow, Placed, preset};
pub use machine::{Machine, digest};
pub use qpu_plan::QpuPlan;
pub use scope::{Event, Scope};

/// The most bytes of a file that [`Machine::play_file`] takes.
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn most_file_bytes() -> u32 {
    samples::MOST_BYTES as u32
}
