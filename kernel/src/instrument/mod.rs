//! The instrument: samples in, spectra out, commands answered.

mod board;

pub use board::{BaudError, Board, BoardInfo, Stage};
