//! A digest of the serial line, to compare a virtual Pi in a browser with a native one.

use virtual_pi::{Stop, VirtualPi};
use wasm_bindgen::prelude::wasm_bindgen;

/// FNV-1a of 64 bits: start and factor.
const START: u64 = 0xcbf2_9ce4_8422_2325;
const FACTOR: u64 = 0x0100_0000_01b3;

/// Boots `image` and runs it for so many milliseconds of virtual time, in slices of `slice_us`;
/// returns the number of bytes that the host has received and a digest of their values and times.
///
/// # Errors
/// A sentence, when the board stopped.
#[wasm_bindgen]
pub fn digest(image: &[u8], ms: u32, slice_us: u32) -> Result<String, String> {
    let mut board = VirtualPi::new(super::config(""), image).map_err(|error| error.to_string())?;
    let (mut count, mut sum) = (0u64, START);
    let until = u64::from(ms) * 1_000_000;
    let slice = u64::from(slice_us.max(1)) * 1000;
    let mut next = 0;
    while next < until {
        next = (next + slice).min(until);
        if let Stop::Fault(fault) = board.run_until_ns(next) {
            return Err(fault.to_string());
        }
        for byte in board.serial_received() {
            count += 1;
            let bytes = byte.at_ns.to_le_bytes().into_iter().chain([byte.value]);
            sum = bytes.fold(sum, |sum, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(FACTOR)
            });
        }
    }
    Ok(format!("{count} bytes, {sum:016x}"))
}
