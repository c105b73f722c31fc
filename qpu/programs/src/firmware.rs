//! The firmware's requests for plans, and so the programs that its image holds.
//!
//! The build script makes a plan for each of [`requests`] and notes its programs: those are
//! [`FIRMWARE`](crate::FIRMWARE). So a split that `cargo xtask tune` finds brings its programs into
//! the image by itself, and others leave. Requests that differ in something on which no plan's
//! programs depend are not repeated: the kernel's tests take its settings one by one.

use qpu_fft::kernels::spectral::power::{Detector, Powers, Removed};
use qpu_fft::planner::tuning;
use qpu_fft::request::{Request, Transform};
use qpu_fft::samples::{Channels, Format};

/// Shortest transform, in points as a power of two.
pub const MIN_LOG2: u32 = 4;
/// Longest transform: that of the instrument's blocks. Plans go further.
pub const MAX_LOG2: u32 = 16;
/// Shortest block that powers are made of: half as many points are transformed where they are real.
pub const MIN_LOG2_POWERS: u32 = MIN_LOG2 + 1;

/// So many blocks are no longer converted by a pass of their own.
const MANY: u32 = 17;

/// One transform, in place, of 2^`log2_points` complex points.
#[must_use]
pub const fn transform(log2_points: u32) -> Request {
    Request::new(log2_points, 1)
}

/// Blocks of samples whose powers become one spectrum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// True: samples are real; otherwise they are I and Q in turn.
    pub is_real: bool,
    /// The format of a number.
    pub format: Format,
    /// The numbers that are taken.
    pub channels: Channels,
    /// Samples of a block, as a power of two.
    pub log2_points: u32,
    /// Samples from a block to the next.
    pub hop: u32,
    /// Number of blocks.
    pub count: u32,
    /// True: a block is multiplied by a window.
    pub windowed: bool,
    /// The first bin that is wanted and the one behind the last, of all in order of frequency from
    /// 0 on; all where there is none.
    pub bins: Option<[u32; 2]>,
    /// The treatment of the powers of the blocks.
    pub detector: Detector,
    /// The amount that a constant adds, where it is to be removed.
    pub removed: Removed,
}

impl Blocks {
    /// The greatest number of samples that blocks may have, if they shared none: those of the
    /// longest block, twice as many where two are a word, and four times as many of a fast ADC,
    /// whose samples are in memory anyway. The more blocks are done together, the less often the
    /// ARM reads their powers.
    #[must_use]
    pub const fn most_samples(is_real: bool, format: Format) -> u64 {
        match (is_real, format) {
            (true, Format::U8High) => 4 << MAX_LOG2,
            (true, Format::I16) => 2 << MAX_LOG2,
            _ => 1 << MAX_LOG2,
        }
    }

    /// True if the firmware lets the QPUs do these ([`Self::most_samples`]). Two detectors have no
    /// plan where a constant is removed from every bin.
    #[must_use]
    pub const fn has_plan(&self) -> bool {
        let Self {
            log2_points, count, ..
        } = *self;
        let is_alone = self.detector.second().is_none();
        MIN_LOG2_POWERS <= log2_points
            && log2_points <= MAX_LOG2
            && count >= 1
            && (count as u64) << log2_points <= Self::most_samples(self.is_real, self.format)
            && (is_alone || matches!(self.removed, Removed::Near(_)))
    }

    /// The powers that are made of them.
    #[must_use]
    pub fn powers(&self) -> Powers {
        let mut powers = Powers::new(self.is_real, self.log2_points, self.count);
        let [least, _] = powers.all_bins();
        powers.bins = self.bins.map(|bins| bins.map(|bin| least + bin as i32));
        powers.detector = self.detector;
        powers.removed = self.removed;
        powers
    }

    /// The request of their plan. Where blocks would begin inside words, which no plan has, it
    /// takes them one behind the other, and its `hop` is `None`.
    #[must_use]
    pub fn request(&self) -> Request {
        let mut request = Request::of(Transform::Powers(self.powers()), 1);
        request.samples = self.format;
        request.channels = self.channels;
        request.windowed = self.windowed;
        request.hop = Some(self.hop);
        if !request.hop_bytes().is_multiple_of(4) {
            request.hop = None;
        }
        request
    }
}

/// Every kind of plan that the firmware makes.
pub fn requests() -> impl Iterator<Item = Request> {
    let all = MIN_LOG2_POWERS..=MAX_LOG2;
    let of_length = |log2_points: u32| {
        let formats = Format::UPLOADED.into_iter();
        let kinds = formats.flat_map(|format| [(format, false), (format, true)]);
        kinds.flat_map(move |(format, windowed)| {
            // Splits are of single transforms, of batches, and of samples also of many.
            let counts = [1, 2, 4, 16, MANY].into_iter();
            counts.flat_map(move |count| {
                let kinds = [
                    (Detector::Mean, Removed::NOTHING),
                    (Detector::Mean, Removed::Everywhere),
                    (Detector::MeanMax, Removed::NOTHING),
                ];
                let kinds = kinds
                    .into_iter()
                    .flat_map(|kind| [(false, kind), (true, kind)]);
                kinds.map(move |(is_real, (detector, removed))| Blocks {
                    is_real,
                    format,
                    channels: Channels::All,
                    log2_points,
                    hop: 1 << (log2_points - 1),
                    count,
                    windowed,
                    bins: None,
                    detector,
                    removed,
                })
            })
        })
    };
    let blocks = all.flat_map(of_length).filter(Blocks::has_plan);
    let fastest = (MIN_LOG2..=MAX_LOG2)
        .map(transform)
        .chain(blocks.map(|blocks| blocks.request()));
    fastest.flat_map(|request| {
        [Some(request), conservative(&request)]
            .into_iter()
            .flatten()
    })
}

/// A copy of the request that takes the conservative plan ([`Request::conservative`]), if there is
/// one.
#[must_use]
pub fn conservative(request: &Request) -> Option<Request> {
    tuning::conservative(request.transform.log2_row(), request.rows())?;
    Some(Request {
        conservative: true,
        ..*request
    })
}
