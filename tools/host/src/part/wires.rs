//! Parts by their words: `mic-right`, `adc-master:48000`, `wiring=stuck-low`.

use virtual_pi::{
    I2sPart, I2sPins, I2sRole, MicrophoneSide, ParallelPart, ParallelWiring, Signal, Wiring,
};

use common::text::quote;

/// The I2S part of this kind with these wires, which plays nothing yet.
pub fn i2s(kind: &str, pins: I2sPins, wiring: &str) -> Result<I2sPart, String> {
    Ok(I2sPart {
        pins,
        wiring: i2s_wiring(wiring)?,
        ..I2sPart::new(role(kind)?, Signal::Silence)
    })
}

fn role(text: &str) -> Result<I2sRole, String> {
    Ok(match text {
        "mic" | "mic-left" => I2sRole::Microphone(MicrophoneSide::Left),
        "mic-right" => I2sRole::Microphone(MicrophoneSide::Right),
        "adc" => I2sRole::Slave,
        _ => match text.strip_prefix("adc-master:") {
            Some(rate) => I2sRole::Master(rate_of(rate)?, 1),
            None => {
                return Err(format!(
                    "there is no part `{}`; give mic, mic-right, adc, adc-master:RATE for one that gives its own clock, or \
                     parallel for an ADC on SMI",
                    quote(text)
                ));
            }
        },
    })
}

fn i2s_wiring(text: &str) -> Result<Wiring, String> {
    let (name, value) = text.split_once(':').unwrap_or((text, ""));
    Ok(match (name, value) {
        ("right", "") => Wiring::Right,
        ("no-clock", "") => Wiring::NoClock,
        ("swapped", "") => Wiring::Swapped,
        ("absent", "") => Wiring::Absent,
        ("stuck-low", "") => Wiring::Stuck(false),
        ("stuck-high", "") => Wiring::Stuck(true),
        ("clock-off", ppm) => match ppm.parse() {
            Ok(ppm) if (-500_000..=500_000).contains(&ppm) => Wiring::ClockOff(ppm),
            _ => return Err("give clock-off:PPM, from -500000 to 500000; 20000 are 2 %".into()),
        },
        ("master", value) => Wiring::MasterAgainstMaster(rate_of(value)?, 1),
        _ => {
            return Err(format!(
                "wires cannot be `{}`; give right, no-clock, clock-off:PPM, master:RATE, swapped, stuck-low, stuck-high or absent",
                quote(text)
            ));
        }
    })
}

fn rate_of(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(rate) if (1_000..=384_000).contains(&rate) => Ok(rate),
        _ => Err(format!(
            "`{}` is no frame rate; give 1000 to 384000 Hz",
            quote(text)
        )),
    }
}

/// The parallel ADC with these wires, which plays nothing yet.
pub fn parallel(wiring: &str) -> Result<ParallelPart, String> {
    Ok(ParallelPart {
        wiring: parallel_wiring(wiring)?,
        ..ParallelPart::new(Signal::Silence)
    })
}

fn parallel_wiring(text: &str) -> Result<ParallelWiring, String> {
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
