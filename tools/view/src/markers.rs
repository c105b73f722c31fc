//! Markers: places on the frequency axis that a user has chosen.
//!
//! A marker stands at a frequency and not in a bin, so that it stays when settings change. Where it
//! stands on a peak, its reading is that of the tone: frequency between bins, and the level
//! corrected by the shape of the window. Elsewhere it reads the bin.

/// The most markers; one more takes the place of the oldest.
const MOST: usize = 12;

/// A place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Marker {
    /// Its number, from 1 on.
    pub(crate) number: u32,
    pub(crate) hz: f64,
}

/// The value at a marker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// Number of the marker.
    pub number: u32,
    /// The frequency of the peak, or of the middle of the bin.
    pub hz: f64,
    /// The level of the peak or the bin in dB; NaN where it was lost.
    pub level_db: f64,
    /// True on a peak: both are interpolated between bins.
    pub is_peak: bool,
    /// The marker that others are compared with.
    pub is_reference: bool,
    /// The marker that is moved.
    pub is_selected: bool,
    /// Frequency and level minus those of the reference marker, where there is another one.
    pub difference: Option<(f64, f64)>,
}

/// The peak that a marker goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Towards {
    /// The peak with the next lower frequency.
    Lower,
    /// The peak with the next higher frequency.
    Higher,
    /// The strongest peak.
    Strongest,
}

/// All markers.
#[derive(Clone, Debug, Default)]
pub struct Markers {
    list: Vec<Marker>,
    reference: Option<u32>,
    selected: Option<u32>,
    last_number: u32,
}

impl Markers {
    pub(crate) fn list(&self) -> &[Marker] {
        &self.list
    }

    pub(crate) fn is_reference(&self, number: u32) -> bool {
        self.reference == Some(number)
    }

    pub(crate) fn is_selected(&self, number: u32) -> bool {
        self.selected == Some(number)
    }

    pub(crate) fn selected(&self) -> Option<Marker> {
        let mut markers = self.list.iter();
        markers.find(|it| self.is_selected(it.number)).copied()
    }

    /// Adds a marker, and selects it; the first one is the reference.
    pub(crate) fn add(&mut self, hz: f64) -> u32 {
        if self.list.len() >= MOST {
            self.remove(self.list[0].number);
        }
        if self.list.is_empty() {
            self.last_number = 0;
        }
        self.last_number += 1;
        let number = self.last_number;
        self.list.push(Marker { number, hz });
        self.selected = Some(number);
        if self.reference.is_none() {
            self.reference = Some(number);
        }
        number
    }

    /// Moves a marker.
    pub(crate) fn place(&mut self, number: u32, hz: f64) {
        if let Some(marker) = self.list.iter_mut().find(|it| it.number == number) {
            marker.hz = hz;
        }
    }

    /// Selects a marker, if there is one of this number.
    pub fn select(&mut self, number: u32) {
        if self.list.iter().any(|it| it.number == number) {
            self.selected = Some(number);
        }
    }

    /// Compares others with this marker.
    pub fn refer(&mut self, number: u32) {
        if self.list.iter().any(|it| it.number == number) {
            self.reference = Some(number);
        }
    }

    /// Takes a marker away. The first that is left is the reference then, if that was it.
    pub fn remove(&mut self, number: u32) {
        self.list.retain(|it| it.number != number);
        let first = self.list.first().map(|it| it.number);
        if self.is_reference(number) {
            self.reference = first;
        }
        if self.is_selected(number) {
            self.selected = self.list.last().map(|it| it.number);
        }
    }

    /// Takes all markers away.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}
