//! The linear powers of steps, each computed once.
//!
//! The records of a stream have the same few thousand levels again and again, and a power of ten
//! takes longer than all else that is done to a value.

use wire::Descriptor;

/// The number of steps.
const STEPS: usize = 1 << 16;

/// The powers of the steps that have come, on the scale of one descriptor.
#[derive(Default)]
pub(super) struct StepPowers {
    /// Bits of the scale and of the offset.
    scale: [u32; 2],
    /// By step; NaN where it has not come. Empty until a step has come.
    powers: Vec<f64>,
}

impl StepPowers {
    /// The powers of steps on the scale of a descriptor.
    pub(super) fn on_scale_of(&mut self, descriptor: &Descriptor) -> impl FnMut(u16) -> f64 {
        let scale = [descriptor.scale.to_bits(), descriptor.offset.to_bits()];
        if self.scale != scale {
            self.powers.clear();
            self.scale = scale;
        }
        let (scale, offset) = (f64::from(descriptor.scale), f64::from(descriptor.offset));
        let powers = &mut self.powers;
        move |step| {
            if powers.is_empty() {
                powers.resize(STEPS, f64::NAN);
            }
            let power = &mut powers[usize::from(step)];
            if power.is_nan() {
                let level = f64::from(step) * scale + offset;
                *power = 10_f64.powf(level / 10.0);
            }
            *power
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::tests::descriptor;
    use wire::Encoding;

    #[test]
    fn powers_are_those_of_levels_on_each_scale() {
        let mut powers = StepPowers::default();
        let hundredths = descriptor(16, Encoding::U16);
        let mut halves = descriptor(16, Encoding::U8);
        (halves.scale, halves.offset) = (0.5, -127.0);
        for scale in [&hundredths, &halves, &hundredths] {
            let mut power = powers.on_scale_of(scale);
            for step in [0, 1, 254, 39_000, 65_534, 39_000] {
                let level = f64::from(step) * f64::from(scale.scale) + f64::from(scale.offset);
                assert_eq!(power(step), 10_f64.powf(level / 10.0));
            }
        }
        halves.scale = f32::NAN;
        assert!(powers.on_scale_of(&halves)(7).is_nan());
    }
}
