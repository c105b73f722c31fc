//! Tests of the client: over a board that is made up, and over bad lines to a virtual Pi.

pub mod fake;
