//! Whole-system tests: the image that goes on the card, booted, spoken to and measured.
//!
//! `line` is the wire (virtual Pi or QEMU), `host` speaks the protocol over it, `reference` says
//! in double precision what a spectrum has to be, `generated` holds records of the generator to it,
//! and `faulty` is a board with broken silicon. The other files are tests, one theme each.
#![forbid(unsafe_code)]

mod faulty;
mod generated;
mod host;
mod line;
mod noisy;
mod reference;

mod arm_time;
mod as_left;
mod boot;
mod defects;
mod demo;
mod detectors;
mod emulators;
mod failures;
mod fast_line;
mod first_boot;
mod formats;
mod full_rate;
mod generator;
mod host_jobs;
mod host_tool;
mod lengths;
mod levels;
mod live;
mod live_stream;
mod losses;
mod noise;
mod parallel;
mod proofs;
mod qpu_selftest;
mod reference_levels;
mod sleep;
mod stack;
mod terminal;
mod v3d_power;
