//! Passes whose tiles two or four QPUs share through the VPM.

#[cfg(feature = "generate")]
pub(super) mod code;
pub mod layout;
