//! Splits that `cargo xtask tune` found fastest, by chip ([`super::table::Chip`]).

pub mod bcm2835;
pub mod bcm2836;
pub mod conservative;
