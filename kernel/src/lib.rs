//! Stub.
#![cfg_attr(target_os = "none", no_std)]

pub mod engine;
pub mod instrument;
