//! The numbers that travel in a flow graph, for an input.
//!
//! Nodes stand in columns. The first column holds the samples, in the order of the rows. Each stage
//! adds a column behind its butterflies and, but for the last stage, one behind its twiddles. A
//! node is a sum of nodes of the column before, each times a root of unity ([`sources`]); that one
//! rule gives the numbers, the edges and the words.

use std::ops::Range;

use dsp::Complex;
use dsp::dft::root_of_unity;

use crate::network::{Network, Order};

/// The content of a column of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// The samples.
    Input,
    /// The outputs of a stage's butterflies.
    Butterflies(usize),
    /// The same, times the twiddles behind that stage.
    Twiddles(usize),
}

impl Column {
    /// The column with this number, from the left; whatever the number, columns alternate.
    #[must_use]
    pub const fn of(number: usize) -> Self {
        match (number.checked_sub(1), number % 2) {
            (None, _) => Self::Input,
            (Some(before), 1) => Self::Butterflies(before / 2),
            (Some(before), _) => Self::Twiddles(before / 2),
        }
    }
}

/// Number of columns.
#[must_use]
pub fn columns(network: &Network) -> usize {
    let stages = network.radices().len();
    if stages == 0 { 1 } else { 2 * stages }
}

/// The columns that a stage computes. Decimation in time multiplies in front of the butterflies,
/// decimation in frequency behind them.
#[must_use]
pub fn columns_of(network: &Network, stage: usize) -> Range<usize> {
    let last = columns(network) - 1;
    let butterflies = 1 + 2 * stage;
    match network.order() {
        Order::InTime => butterflies.saturating_sub(1).max(1)..butterflies + 1,
        Order::Classic | Order::NextStage => butterflies..(butterflies + 1).min(last) + 1,
    }
}

/// A node of the column before, and the root of unity that it is multiplied by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Source {
    /// Its row.
    pub row: u32,
    /// The exponent e of exp(-2 pi i e / order), below `order`.
    pub exponent: u32,
    /// The order of the root.
    pub order: u32,
}

impl Source {
    /// The root.
    #[must_use]
    pub fn factor(&self) -> Complex<f64> {
        root_of_unity(u64::from(self.exponent), u64::from(self.order))
    }
}

/// The nodes of the column before that a node is the sum of; none for samples.
#[must_use]
pub fn sources(network: &Network, column: usize, row: u32) -> Vec<Source> {
    match Column::of(column) {
        Column::Input => vec![],
        Column::Twiddles(stage) => vec![Source {
            row,
            exponent: network.exponent(stage, row),
            order: network.points(),
        }],
        Column::Butterflies(stage) => {
            let radix = network.radices()[stage];
            let (first, stride) = (network.first_row(stage, row), network.stride(stage));
            let leg = network.leg(stage, row);
            (0..radix)
                .map(|other| Source {
                    row: first + other * stride,
                    exponent: (u64::from(leg) * u64::from(other) % u64::from(radix)) as u32,
                    order: radix,
                })
                .collect()
        }
    }
}

/// The numbers at all nodes.
#[derive(Clone, PartialEq, Debug)]
pub struct Values {
    columns: Vec<Vec<Complex<f64>>>,
}

impl Values {
    /// The numbers for an input, whose samples are in order; `None` when it does not have as many
    /// as the network has points, or one that is no number.
    #[must_use]
    pub fn of(network: &Network, input: &[Complex<f64>]) -> Option<Self> {
        let is_number = |sample: &Complex<f64>| sample.re.is_finite() && sample.im.is_finite();
        if input.len() != network.points() as usize || !input.iter().all(is_number) {
            return None;
        }
        let rows = || 0..network.points();
        let samples = rows().map(|row| input[network.sample(row) as usize]);
        let mut all = vec![samples.collect::<Vec<_>>()];
        for column in 1..columns(network) {
            let before = &all[column - 1];
            let sum = |row| {
                let sources = sources(network, column, row);
                let term = |source: Source| before[source.row as usize] * source.factor();
                let terms = sources.into_iter().map(term);
                terms.fold(Complex::ZERO, |sum, term| sum + term)
            };
            all.push(rows().map(sum).collect());
        }
        Some(Self { columns: all })
    }

    /// The columns, each with the numbers of its rows.
    #[must_use]
    pub fn columns(&self) -> &[Vec<Complex<f64>>] {
        &self.columns
    }

    /// The number at a node; `None` where there is none.
    #[must_use]
    pub fn at(&self, column: usize, row: u32) -> Option<Complex<f64>> {
        self.columns.get(column)?.get(row as usize).copied()
    }

    /// The bins in order.
    #[must_use]
    pub fn bins(&self, network: &Network) -> Vec<Complex<f64>> {
        let last = self.columns.last().map_or(&[][..], Vec::as_slice);
        let mut bins = vec![Complex::ZERO; last.len()];
        for (row, value) in (0..).zip(last) {
            if let Some(bin) = bins.get_mut(network.bin(row) as usize) {
                *bin = *value;
            }
        }
        bins
    }
}

#[cfg(test)]
mod tests;
