//! A spectrum out of a record, read by the descriptor that the record names.

use wire::{Descriptor, Domain, Header, RecordHead, Value};

use super::step_powers::StepPowers;
use crate::input::Unit;
use crate::spectrum::{Counters, Spectrum, StreamTotals};
use signal::Rate;

/// The source of samples that some host sends.
pub(super) const UPLOAD: &str = "an upload";

/// A record read by its descriptor.
pub(super) fn spectrum(
    header: &Header,
    head: &RecordHead,
    values: impl Iterator<Item = Value>,
    descriptor: &Descriptor,
    step_powers: &mut StepPowers,
) -> Spectrum {
    let mut power_of_step = step_powers.on_scale_of(descriptor);
    let mut power: Vec<f64> = values
        .map(|value| match value {
            Value::Missing => f64::NAN,
            Value::Power(power) => f64::from(power),
            Value::Steps(steps) => power_of_step(steps),
        })
        .collect();
    // Those of a second detector are behind those of the first.
    let second = power.split_off(power.len().min(descriptor.bins as usize));
    Spectrum {
        source: match descriptor.source {
            wire::Source::Generator => "the built-in generator".to_owned(),
            wire::Source::Upload => UPLOAD.to_owned(),
            wire::Source::I2s => "the I2S input".to_owned(),
            wire::Source::Smi => "the parallel ADC".to_owned(),
        },
        power,
        greatest: descriptor.detector.second().map(|_| second),
        first_bin: i64::from(descriptor.first_bin),
        n: descriptor.n,
        complex: descriptor.domain == Domain::Complex,
        rate: Rate::new(descriptor.rate.num, descriptor.rate.den)
            .unwrap_or(Rate { num: 1, den: 1 }),
        centre_hz: descriptor.centre_hz,
        window: descriptor.window,
        enbw_bins: descriptor.enbw_bins,
        overlap: descriptor.overlap,
        averages: head.blocks,
        detector: descriptor.detector,
        exponential: descriptor.exponential,
        dc: descriptor.dc,
        held: None,
        engine: head.engine,
        fallback: head.fallback,
        replaced: head.replaced,
        doubt: head.doubt,
        duty_ppm: head.duty_ppm,
        board: descriptor.board.to_string(),
        firmware: descriptor.firmware.to_string(),
        unit: match descriptor.unit {
            wire::Unit::Dbfs => Unit::FullScale,
            wire::Unit::DbReUnit => Unit::One("unit of the input".to_owned()),
        },
        device_us: header.time_us,
        stream: header.stream,
        record: head.record,
        first_sample: head.first_sample,
        // Those that run over the stream become the record's when the one before is known.
        counters: Counters {
            clamped: head.counters.clamped.into(),
            qpu_us: head.counters.qpu_us.into(),
            cpu_us: head.counters.cpu_us.into(),
            ..Counters::default()
        },
        totals: StreamTotals {
            overruns: head.counters.overruns,
            left_out: head.counters.left_out,
            clipped: head.counters.clipped,
            dropped_records: head.counters.dropped,
        },
    }
}
