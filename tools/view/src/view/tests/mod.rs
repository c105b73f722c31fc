//! Synthetic records through the view: a board that sends them.

mod commands;
mod records;

use ::tests::mutate::Random;
use wire::{
    Averaging, Clocks, Counters, Dc, Detector, Domain, Encoding, Engine, Name, Source, Unit, Value,
    Window,
};

use super::*;

/// The noise of every bin beside a tone of power 1.
const NOISE: f64 = 1e-9;

/// A board that sends records: the descriptor, and the head of the next record.
pub(super) struct Board {
    pub(super) descriptor: Descriptor,
    pub(super) head: RecordHead,
    pub(super) tones: Vec<(f64, f64)>,
    random: Random,
}

impl Board {
    /// Real samples at 48 kHz, records of 16 blocks of 4096 that overlap by half.
    pub(super) fn new() -> Self {
        let n = 4096;
        let descriptor = Descriptor {
            id: 1,
            rate: Rate::hz(48_000),
            n,
            domain: Domain::Real,
            window: Window::Hann,
            enbw_bins: 1.5,
            coherent_gain: 0.5,
            overlap: n / 2,
            averaging: Averaging::Linear,
            average_count: 16,
            first_bin: 0,
            bins: n / 2 + 1,
            centre_hz: 0.0,
            unit: Unit::Dbfs,
            encoding: Encoding::F32,
            scale: 1.0,
            offset: 0.0,
            source: Source::Generator,
            engine: Engine::Qpu,
            board_revision: 0x10,
            clocks: Clocks::default(),
            firmware: Name::new("0.1.0"),
            board: Name::new("Raspberry Pi 1"),
            detector: Detector::Mean,
            dc: Dc::Keep,
            rate_within_hz: 0.0,
            exponential: 0,
        };
        let head = RecordHead {
            record: 0,
            total: n / 2 + 1,
            descriptor: 1,
            encoding: Encoding::F32,
            engine: Engine::Qpu,
            fallback: false,
            replaced: false,
            doubt: None,
            duty_ppm: None,
            blocks: 16,
            first_sample: 0,
            counters: Counters::default(),
        };
        Self {
            descriptor,
            head,
            tones: vec![(6_000.0, 0.25)],
            random: Random::new(::tests::seed()),
        }
    }

    /// Another length; complex samples have all bins.
    fn with_length(n: u32, domain: Domain) -> Self {
        let mut board = Self::new();
        let is_complex = domain == Domain::Complex;
        board.descriptor.n = n;
        board.descriptor.domain = domain;
        board.descriptor.overlap = n / 2;
        board.descriptor.bins = if is_complex { n } else { n / 2 + 1 };
        board.descriptor.first_bin = if is_complex { -(n as i32) / 2 } else { 0 };
        board
    }

    /// Linear powers of the next record: the tones as the window shows them, and noise.
    fn powers(&mut self) -> Vec<f32> {
        let Descriptor { window, n, .. } = self.descriptor;
        let bin_hz = self.descriptor.rate.to_hz() / f64::from(n);
        (0..self.descriptor.bins)
            .map(|index| {
                let bin = f64::from(self.descriptor.first_bin) + f64::from(index);
                let tones = self.tones.iter().map(|&(hz, power)| {
                    let response = window.response(bin - hz / bin_hz);
                    power * response * response
                });
                let grain = 0.5 + self.random.below(1000) as f64 / 1000.0;
                (tones.sum::<f64>() + NOISE * grain) as f32
            })
            .collect()
    }

    /// Sends a record of these powers.
    pub(super) fn send_powers(&mut self, view: &mut View, powers: &[f32]) {
        self.head.total = powers.len() as u32;
        let arrived = Arrived {
            stream: 0,
            head: self.head,
            missing: 0,
            values: &mut powers.iter().map(|&power| Value::Power(power)),
        };
        view.push(arrived, &self.descriptor);
        self.skip(1);
    }

    /// Sends records.
    pub(super) fn send(&mut self, view: &mut View, records: u32) {
        for _ in 0..records {
            let mut powers = self.powers();
            if self.descriptor.detector == Detector::MeanMax {
                powers.extend_from_within(..);
                let second = powers.len() / 2;
                powers[second..].iter_mut().for_each(|power| *power *= 8.0);
            }
            self.send_powers(view, &powers);
        }
    }

    /// Records that never come.
    fn skip(&mut self, records: u32) {
        let hop = self.descriptor.n - self.descriptor.overlap;
        self.head.record += records;
        self.head.first_sample += u64::from(records) * u64::from(hop * self.head.blocks);
    }
}

/// A view after so many records.
fn after(records: u32) -> (View, Board) {
    let (mut view, mut board) = (View::default(), Board::new());
    board.send(&mut view, records);
    (view, board)
}

/// Seconds from one record of [`Board::new`] to the next.
const DISTANCE_S: f64 = 16.0 * 2048.0 / 48_000.0;
