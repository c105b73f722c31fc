//! The descriptor of a stream, and the bins that are sent.

use dsp::{Gain, level};
use wire::{Averaging, Descriptor, Domain, Encoding, Engine};

use super::board::BoardInfo;
use super::refusal::Refusal;
use super::settings::Settings;
use super::source::Signal;

/// Returns first index and count of the bins that are sent, of those that there are.
fn crop(first: Option<i32>, bins: u32, lowest: i32, count: u32) -> Option<(u32, u32)> {
    let start = match first {
        None => 0,
        Some(first) => u32::try_from(i64::from(first) - i64::from(lowest)).ok()?,
    };
    let rest = count.checked_sub(start).filter(|rest| *rest > 0)?;
    match bins {
        0 => Some((start, rest)),
        bins if bins <= rest => Some((start, bins)),
        _ => None,
    }
}

/// Returns the index of the first bin that is sent, of those in order of frequency, and how many.
/// Bins that the spectrum does not have are refused.
pub(super) fn cropped(settings: &Settings, domain: Domain) -> Result<(u32, u32), Refusal> {
    let n = settings.n as usize;
    let (lowest, count) = (domain.first_bin(n), domain.bins(n) as u32);
    crop(settings.first, settings.bins, lowest, count).ok_or(Refusal::Bins {
        lowest: i64::from(lowest),
        highest: i64::from(lowest) + i64::from(count) - 1,
    })
}

/// Describes the records that the settings make of a signal. The descriptor has no number yet.
pub(super) fn describe(
    settings: &Settings,
    signal: &Signal,
    gain: Gain,
    engine: Engine,
    info: &BoardInfo,
) -> Descriptor {
    let (domain, n) = (signal.coding.domain, settings.n as usize);
    let (start, bins) = cropped(settings, domain).unwrap_or((0, domain.bins(n) as u32));
    let encoding = settings.encoding();
    let (scale, offset) = match encoding {
        Encoding::F32 => (1.0, 0.0),
        Encoding::U16 => (level::U16_SCALE_DB, level::U16_OFFSET_DB),
        Encoding::U8 => (level::U8_SCALE_DB, level::U8_OFFSET_DB),
    };
    Descriptor {
        id: 0,
        rate: signal.rate,
        n: settings.n,
        domain,
        window: settings.window,
        enbw_bins: gain.enbw_bins,
        coherent_gain: gain.coherent,
        overlap: settings.overlap_samples(),
        averaging: match (settings.average, settings.exponential) {
            (0, _) => Averaging::All,
            (1, 0) => Averaging::None,
            (_, 0) => Averaging::Linear,
            (_, _) => Averaging::Exponential,
        },
        average_count: settings.average,
        first_bin: domain.first_bin(n) + start as i32,
        bins,
        centre_hz: settings.centre_hz,
        unit: settings.unit,
        encoding,
        scale,
        offset,
        source: signal.source,
        engine,
        board_revision: info.revision,
        clocks: info.clocks,
        firmware: info.firmware,
        board: info.name,
        detector: settings.detector,
        dc: settings.dc,
        rate_within_hz: signal.rate_within_hz,
        exponential: settings.exponential,
    }
}

#[cfg(test)]
mod tests {
    use super::crop;

    #[test]
    fn cropping_stays_inside() {
        assert_eq!(crop(None, 0, 0, 513), Some((0, 513)));
        assert_eq!(crop(Some(10), 0, 0, 513), Some((10, 503)));
        assert_eq!(crop(Some(-8), 16, -512, 1024), Some((504, 16)));
        assert_eq!(crop(Some(-1), 0, 0, 513), None);
        assert_eq!(crop(Some(513), 0, 0, 513), None);
        assert_eq!(crop(Some(512), 2, 0, 513), None);
        assert_eq!(crop(Some(i32::MIN), 0, i32::MAX, 1), None);
    }
}
