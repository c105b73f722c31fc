//! Failures of engines.

use super::literals::Stray;

/// Why an engine could not do what was asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineError {
    /// The length is not one that this engine supports.
    Length,
    /// Not enough memory that the engine can reach.
    NoMemory,
    /// The engine did not finish within this many microseconds; it has been restarted.
    Timeout {
        /// The limit.
        limit_us: u32,
    },
    /// The hardware reported an error; it has been restarted.
    Device,
    /// As much is under way as can be, or what is under way uses memory that is wanted.
    Busy,
    /// What was started is lost, because something else failed.
    Lost,
    /// This engine cannot do that at all.
    NotAvailable,
    /// The memory that a host wants to use is not in its block, or it has none.
    OutsideBlock,
    /// A program of a host names an address that is not in its block.
    Stray(Stray),
}
