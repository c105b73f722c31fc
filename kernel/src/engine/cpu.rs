//! The CPU engine: transforms on the ARM.
