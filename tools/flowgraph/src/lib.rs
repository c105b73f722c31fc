//! The making of an FFT: its data flow as a graph, the numbers that travel on the edges, and the
//! plan of the QPUs beside it.
//!
//! | module | what |
//! |---|---|
//! | [`network`] | what flows where: stages, legs, twiddles |
//! | [`flow`] | networks of textbooks and of the QPU plan, with titles and headings |
//! | [`values`] | the numbers at every node, for an input |
//! | [`formula`] | what a node computes, in words |
//! | [`number`] | numbers as text |
//! | [`input`] | signals to begin with |
//! | [`rows`], [`scene`], [`svg`] | a picture: its rows, where they stand, the file |
//! | [`layout`] | where nodes, edges and numbers stand on a screen |
//! | [`plan`] | passes, memory, traffic and clocks of the QPU plan |
//!
//! The command line tool writes pictures and plans with it, and the page in a browser shows them:
//! it reads no files and needs no threads.
#![forbid(unsafe_code)]

pub mod flow;
pub mod formula;
pub mod input;
pub mod layout;
pub mod network;
pub mod number;
pub mod plan;
pub mod rows;
pub mod scene;
pub mod svg;
pub mod values;
