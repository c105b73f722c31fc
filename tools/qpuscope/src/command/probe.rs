//! `qpuscope probe`: what is on the pins of a board's live input, in sentences.

use serde_json::{Value, json};

use super::port_options::{LineOptions, PortOperand};
use common::failure::{Failure, Result};
use common::say;
use host::stream::Probed;

/// Options of `probe`.
#[derive(clap::Args, Debug)]
pub struct Options {
    #[command(flatten)]
    port: PortOperand,
    #[command(flatten)]
    line: LineOptions,
    /// Change settings first, as key=value words: "input=i2s clock=adc rate=auto"
    #[arg(long, value_name = "WORDS")]
    set: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Asks the board and prints its sentences; a stream of the board ends.
///
/// # Errors
/// When nobody answers; failed, when something is wrong on the pins.
pub fn run(options: &Options) -> Result<()> {
    let name = options.port.name();
    let mut client = options.line.choice(name.as_deref())?.connect()?;
    client.hello()?;
    client.stop()?;
    if let Some(words) = &options.set {
        client.set(words)?;
    }
    let probed = client.probe()?;
    if options.json {
        say::json(&format!("{:#}\n", object(&probed)))?;
    } else {
        say::data(&probed.text)?;
    }
    match probed.troubles {
        0 => Ok(()),
        1 => Err(Failure::failed("one thing is wrong on the pins, see above")),
        troubles => Err(Failure::failed(format!(
            "{troubles} things are wrong on the pins, see above"
        ))),
    }
}

/// The findings; what was not measured is null.
fn object(probed: &Probed) -> Value {
    let known = |hz: f64| (hz != 0.0).then_some(hz);
    let slot = |slot: wire::Slot| {
        (probed.frames != 0).then(|| {
            json!({
                "lowest": slot.lowest,
                "highest": slot.highest,
                "mean": slot.mean,
                "rms": slot.rms,
            })
        })
    };
    json!({
        "troubles": probed.troubles,
        "sentences": probed.text.lines().collect::<Vec<_>>(),
        "frames": probed.frames,
        "rate_hz": known(probed.rate_hz),
        "rate_within_hz": known(probed.rate_hz).map(|_| probed.within_hz),
        "expected_hz": known(probed.expected_hz),
        "left": slot(probed.left),
        "right": slot(probed.right),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_measured_is_null() {
        let nothing = Probed {
            troubles: 1,
            frames: 0,
            rate_hz: 0.0,
            within_hz: 0.0,
            expected_hz: 50_000.0,
            left: wire::Slot::default(),
            right: wire::Slot::default(),
            text: "no clock on GPIO 18\nsecond\n".into(),
        };
        let found = object(&nothing);
        assert_eq!(found["sentences"], json!(["no clock on GPIO 18", "second"]));
        for key in ["rate_hz", "rate_within_hz", "left", "right"] {
            assert_eq!(found[key], Value::Null, "{key}");
        }
        assert_eq!(found["expected_hz"], 50_000.0);
    }
}
