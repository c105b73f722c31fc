//! A parallel ADC by its words: `wiring=no-clock`.

use virtual_pi::{ParallelPart, ParallelWiring, Signal};

use crate::text::quote;

/// The ADC with these wires, which plays nothing yet.
pub fn part(wiring: &str) -> Result<ParallelPart, String> {
    Ok(ParallelPart {
        wiring: self::wiring(wiring)?,
        ..ParallelPart::new(Signal::Silence)
    })
}

fn wiring(text: &str) -> Result<ParallelWiring, String> {
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    Ok(match (name, value) {
        ("right", "") => ParallelWiring::Right,
        ("no-clock", "") => ParallelWiring::NoClock,
        ("stuck-low", "") => ParallelWiring::Stuck(false),
        ("stuck-high", "") => ParallelWiring::Stuck(true),
        ("absent", "") => ParallelWiring::Absent,
        ("wire-off", wire) => match wire.parse() {
            Ok(wire) if wire < 8 => ParallelWiring::WireOff(wire),
            _ => return Err("give wire-off:N, from 0 to 7; 7 is the highest bit".into()),
        },
        _ => {
            return Err(format!(
                "wires of a parallel ADC cannot be `{}`; give right, no-clock, stuck-low, stuck-high, wire-off:N or absent",
                quote(text)
            ));
        }
    })
}
