//! The state of a spectrum and waterfall display: records in, picture state out.
//!
//! [`View`] takes the records of a board with their descriptors, and what a user does: zoom, hold,
//! pause, markers. It gives what a picture is made of: traces as points, lines of the waterfall as
//! pixels, marks of axes, peaks, readings of markers, and a table. It draws nothing and knows
//! neither a window system nor the time, so that a page, a terminal or a test can be its user. All
//! times are those of the samples: their index divided by their rate.
//!
//! The parts below it are of use without it: [`receive`] puts records together, [`peaks`] finds
//! tones between bins, [`palette`] has the colours of levels, and [`quantity`] and [`time`] the
//! numbers that people read.

#![forbid(unsafe_code)]

pub mod axis;
mod csv;
mod ends;
pub mod levels;
pub mod markers;
pub mod marks;
pub mod palette;
pub mod peaks;
mod pool;
pub mod quantity;
pub mod receive;
mod ring;
mod section;
mod status;
pub mod time;
mod traces;
mod view;
mod waterfall;

pub use axis::{Axis, Span};
pub use ends::Scale;
pub use levels::Ends;
pub use markers::Reading;
pub use pool::Merge;
pub use status::{Gap, Reason, Status};
pub use traces::Trace;
pub use view::{Arrived, Found, View};
