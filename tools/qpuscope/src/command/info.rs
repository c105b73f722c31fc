//! `qpuscope info`: versions, and what the firmware at a port says of itself.

use serde_json::{Value, json};

use super::port_options::{LineOptions, PortOperand};
use common::failure::Result;
use common::quantity::frequency;
use common::say;
use host::stream::Info;

/// Options of `info`.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    port: PortOperand,
    #[command(flatten)]
    line: LineOptions,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints what is known; without a port, of this program only.
///
/// # Errors
/// When a port is named and nobody answers there.
pub fn run(options: &Options) -> Result<()> {
    let mut object = json!({
        "qpuscope": env!("CARGO_PKG_VERSION"),
        "protocol": format!("{}.{}", wire::VERSION_MAJOR, wire::VERSION_MINOR),
    });
    let mut text = format!(
        "qpuscope {}, protocol {}.{}\n",
        env!("CARGO_PKG_VERSION"),
        wire::VERSION_MAJOR,
        wire::VERSION_MINOR
    );
    if let Some(name) = options.port.name() {
        let mut client = options.line.choice(Some(&name))?.connect()?;
        let info = client.hello()?;
        let settings = client.settings()?;
        object["device"] = device(&info, &settings);
        text.push_str(&describe(&info, &settings));
    } else if !options.json {
        text.push_str("name a port to ask the firmware there\n");
    }
    if options.json {
        return say::json(&format!("{object:#}\n"));
    }
    say::data(&text)
}

fn device(info: &Info, settings: &str) -> Value {
    json!({
        "board": info.board,
        "board_revision": info.board_revision,
        "firmware": info.firmware,
        "engine": info.engine.name(),
        "state": info.state.name(),
        "reset_cause": info.reset_cause.name(),
        "memory_bytes": info.memory_bytes,
        "baud": info.baud,
        "clocks": {
            "arm_hz": info.clocks.arm_hz,
            "core_hz": info.clocks.core_hz,
            "v3d_hz": info.clocks.v3d_hz,
            "uart_hz": info.clocks.uart_hz,
        },
        "capabilities": words(&info.capabilities),
        "settings": words(settings),
    })
}

/// `key=value` words as an object.
fn words(text: &str) -> Value {
    text.split_whitespace()
        .filter_map(|word| word.split_once('='))
        .map(|(key, value)| (key.to_owned(), Value::from(value)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn describe(info: &Info, settings: &str) -> String {
    let clock = |hz: u32| match hz {
        0 => "unknown".to_owned(),
        hz => frequency(f64::from(hz)),
    };
    format!(
        "board:        {} (revision {:#x}), {} MiB\nfirmware:     {}, last start: {}\nengine:       {}, {}\n\
         clocks:       ARM {}, core {}, V3D {}, UART {}\nline:         {} baud\ncan do:       {}\nsettings:     {}\n",
        info.board,
        info.board_revision,
        info.memory_bytes >> 20,
        info.firmware,
        info.reset_cause.name(),
        info.engine.name(),
        info.state.name(),
        clock(info.clocks.arm_hz),
        clock(info.clocks.core_hz),
        clock(info.clocks.v3d_hz),
        clock(info.clocks.uart_hz),
        info.baud,
        info.capabilities.trim(),
        settings.split_whitespace().collect::<Vec<_>>().join(" ")
    )
}
