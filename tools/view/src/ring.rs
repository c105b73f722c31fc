//! The rows of the waterfall, of which the oldest go when memory is full.

use std::collections::VecDeque;

/// Bytes of a row beside its levels.
const ROW_BYTES: usize = 64;

/// A row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The section it belongs to.
    pub(crate) section: u32,
    /// The time of its first sample in its section, in seconds.
    pub(crate) from_s: f64,
    pub(crate) content: Content,
}

/// The content of a row.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A record: steps of each bin, and then those of a second detector.
    Levels(Box<[u16]>),
    /// Samples or records were lost.
    Gap,
    /// Another section begins.
    Break,
}

impl Row {
    fn bytes(&self) -> usize {
        let values = match &self.content {
            Content::Levels(steps) => steps.len(),
            Content::Gap | Content::Break => 0,
        };
        ROW_BYTES + values * size_of::<u16>()
    }
}

/// Rows numbered from 0 on.
#[derive(Debug)]
pub(crate) struct Ring {
    rows: VecDeque<Row>,
    /// Number of the oldest row that is kept.
    first: u64,
    bytes: usize,
    most_bytes: usize,
}

impl Ring {
    /// An empty ring of at most so many bytes; one row is always kept.
    pub(crate) const fn new(most_bytes: usize) -> Self {
        Self {
            rows: VecDeque::new(),
            first: 0,
            bytes: 0,
            most_bytes,
        }
    }

    /// Takes a row in.
    pub(crate) fn push(&mut self, row: Row) {
        self.bytes += row.bytes();
        self.rows.push_back(row);
        while self.bytes > self.most_bytes
            && self.rows.len() > 1
            && let Some(oldest) = self.rows.pop_front()
        {
            self.bytes -= oldest.bytes();
            self.first += 1;
        }
    }

    /// The row of a number, unless it has gone.
    pub(crate) fn get(&self, number: u64) -> Option<&Row> {
        let index = number.checked_sub(self.first)?;
        self.rows.get(usize::try_from(index).ok()?)
    }

    /// Number of the oldest row that is kept.
    pub(crate) const fn first(&self) -> u64 {
        self.first
    }

    /// Number of the next row.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.rows.len() as u64
    }

    /// The oldest row that is kept.
    pub(crate) fn oldest(&self) -> Option<&Row> {
        self.rows.front()
    }

    /// Bytes that rows take.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }
}
