//! Records as they arrive, and their values as powers.

use wire::{Descriptor, RecordHead, Value};

/// A record that has arrived.
pub struct Arrived<'a> {
    /// Its stream, as the headers of its chunks say.
    pub stream: u16,
    /// Its head.
    pub head: RecordHead,
    /// Values whose chunks were lost.
    pub missing: u32,
    /// Its values.
    pub values: &'a mut dyn Iterator<Item = Value>,
}

impl<'a> Arrived<'a> {
    /// A record of a stream.
    pub const fn new(
        stream: u16,
        head: RecordHead,
        missing: u32,
        values: &'a mut dyn Iterator<Item = Value>,
    ) -> Self {
        Self {
            stream,
            head,
            missing,
            values,
        }
    }
}

/// Linear power of a value; NaN if it was lost or is no number.
pub(super) fn power_of(value: Value, descriptor: &Descriptor) -> f64 {
    let power = match value {
        Value::Missing => f64::NAN,
        Value::Power(power) => f64::from(power),
        Value::Steps(steps) => {
            let (scale, offset) = (f64::from(descriptor.scale), f64::from(descriptor.offset));
            10_f64.powf((f64::from(steps) * scale + offset) / 10.0)
        }
    };
    if power >= 0.0 && power.is_finite() {
        power
    } else {
        f64::NAN
    }
}
