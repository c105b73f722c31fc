//! `qpuscope list`: the serial ports of this computer.

use serde_json::json;

use common::failure::{Failure, Result};
use common::say;
use host::link;

/// Options of `list`.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the ports; none is no device.
///
/// # Errors
/// When there is no serial port.
pub fn run(options: &Options) -> Result<()> {
    let ports = link::candidates();
    if options.json {
        return say::json(&format!("{:#}\n", json!({ "ports": ports })));
    }
    if ports.is_empty() {
        return Err(Failure::no_device(
            "no serial port found; plug in the adapter (and look at `dmesg` if it does not appear), or use a virtual Pi \
             with --port sim:target/kernel.img",
        ));
    }
    for port in ports {
        let usb = port.usb.map_or_else(
            || "not USB".to_owned(),
            |usb| format!("{} {}", usb.id, usb.product.unwrap_or_default()),
        );
        say::data(&format!(
            "{}  {}  {}\n",
            port.path,
            usb.trim_end(),
            port.by_id.unwrap_or_default()
        ))?;
    }
    Ok(())
}
