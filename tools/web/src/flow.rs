//! "How an FFT is made", for the page: a flow graph with its numbers.
//!
//! Lists go over as typed arrays, column after column and row after row; complex numbers as real
//! part, imaginary part. The page draws, and computes nothing.

use dsp::Complex;
use flowgraph::input::{self, Preset};
use flowgraph::layout::{Layout, Way};
use flowgraph::network::{Network, stages};
use flowgraph::values::{Values, columns, columns_of, sources};
use flowgraph::{flow, formula, number};
use wasm_bindgen::prelude::wasm_bindgen;

/// Most points of a graph with numbers.
const MOST_POINTS: u32 = 64;

/// A flow graph and the numbers of its nodes.
#[wasm_bindgen]
pub struct Flow {
    network: Network,
    values: Values,
}

#[wasm_bindgen]
impl Flow {
    /// A graph of `points` points, a power of two up to 64, in stages of radix 2, 4 or 8 and of
    /// what is left; without an input. Nothing when there is no such graph.
    pub fn of(points: u32, radix: u32, in_time: bool) -> Option<Flow> {
        if points > MOST_POINTS {
            return None;
        }
        let network = flow::textbook(&stages(points, radix)?, in_time)?.network;
        let values = Values::of(&network, &vec![Complex::ZERO; points as usize])?;
        Some(Self { network, values })
    }

    /// Takes the samples; true if they are as many numbers as the graph has points.
    pub fn set_input(&mut self, parts: &[f64]) -> bool {
        let samples = parts.chunks(2).map(|parts| match *parts {
            [re, im] => Complex::new(re, im),
            _ => Complex::new(f64::NAN, f64::NAN),
        });
        let samples: Vec<_> = samples.collect();
        let values = Values::of(&self.network, &samples);
        values.map(|values| self.values = values).is_some()
    }

    /// Number of columns of nodes.
    #[wasm_bindgen(getter)]
    pub fn columns(&self) -> usize {
        columns(&self.network)
    }

    /// Radices of the stages.
    #[wasm_bindgen(getter)]
    pub fn radices(&self) -> Vec<u32> {
        self.network.radices().to_vec()
    }

    /// The first column that a stage computes, and the one behind its last; nothing for a stage
    /// that there is not.
    pub fn columns_of(&self, stage: usize) -> Vec<usize> {
        if stage >= self.network.radices().len() {
            return vec![];
        }
        let columns = columns_of(&self.network, stage);
        vec![columns.start, columns.end]
    }

    /// The sample that each row begins with.
    #[wasm_bindgen(getter)]
    pub fn samples(&self) -> Vec<u32> {
        let rows = 0..self.network.points();
        rows.map(|row| self.network.sample(row)).collect()
    }

    /// The bin that each row ends with.
    #[wasm_bindgen(getter)]
    pub fn bins(&self) -> Vec<u32> {
        let rows = 0..self.network.points();
        rows.map(|row| self.network.bin(row)).collect()
    }

    /// The numbers of all nodes.
    #[wasm_bindgen(getter)]
    pub fn values(&self) -> Vec<f64> {
        parts(self.values.columns().iter().flatten().copied())
    }

    /// The transform, bins in order.
    #[wasm_bindgen(getter)]
    pub fn spectrum(&self) -> Vec<f64> {
        parts(self.values.bins(&self.network))
    }

    /// Magnitudes of the bins in order.
    #[wasm_bindgen(getter)]
    pub fn magnitudes(&self) -> Vec<f64> {
        let bins = self.values.bins(&self.network).into_iter();
        bins.map(|bin| bin.re.hypot(bin.im)).collect()
    }

    /// Magnitudes as text.
    pub fn magnitude_labels(&self, digits: usize) -> Vec<String> {
        let magnitudes = self.magnitudes().into_iter();
        magnitudes
            .map(|value| number::real(value, digits))
            .collect()
    }

    /// The order of the samples in a sentence.
    #[wasm_bindgen(getter)]
    pub fn input_words(&self) -> String {
        formula::ends(&self.network)[0].clone()
    }

    /// The order of the bins in a sentence.
    #[wasm_bindgen(getter)]
    pub fn output_words(&self) -> String {
        formula::ends(&self.network)[1].clone()
    }

    /// The numbers of all nodes as text.
    pub fn labels(&self, digits: usize) -> Vec<String> {
        let all = self.values.columns().iter().flatten();
        all.map(|value| number::complex(*value, digits)).collect()
    }

    /// The twiddles on the edges into all nodes: `W16^3`, or nothing.
    #[wasm_bindgen(getter)]
    pub fn twiddles(&self) -> Vec<String> {
        let rows = self.network.points();
        let nodes = (0..self.columns()).flat_map(|column| (0..rows).map(move |row| (column, row)));
        nodes
            .map(|(column, row)| formula::twiddle(&self.network, column, row))
            .collect()
    }

    /// The rows in the column before that a node is the sum of.
    pub fn sources(&self, column: usize, row: u32) -> Vec<u32> {
        if !self.has(column, row) {
            return vec![];
        }
        let sources = sources(&self.network, column, row);
        sources.iter().map(|source| source.row).collect()
    }

    /// The sum at a node in words: `(a - b) · W16^3`.
    pub fn words(&self, column: usize, row: u32) -> Option<String> {
        let has = self.has(column, row);
        has.then(|| formula::words(&self.network, column, row))
    }

    /// A node in full, with the numbers that it is made of.
    pub fn explanation(&self, column: usize, row: u32, digits: usize) -> Option<String> {
        self.has(column, row)
            .then(|| formula::explanation(&self.network, &self.values, column, row, digits))?
    }

    /// A stage in a sentence.
    pub fn stage_words(&self, stage: usize) -> Option<String> {
        formula::stage(&self.network, stage)
    }

    /// Places for nodes, edges and numbers of so many digits.
    pub fn place(&self, digits: usize, is_complex: bool) -> Placed {
        let layout = Layout::of(&self.network, digits, is_complex);
        let edge = |edge: &flowgraph::layout::Edge| {
            let way = match edge.way {
                Way::Direct => 0,
                Way::IntoHub => 1,
                Way::OutOfHub => 2,
                Way::Twiddle => 3,
            };
            [way, edge.column as u32, edge.from, edge.to]
        };
        let ends = |edge: &flowgraph::layout::Edge| edge.ends;
        Placed {
            width: layout.width,
            height: layout.height,
            edges: layout.edges.iter().flat_map(edge).collect(),
            ends: layout.edges.iter().flat_map(ends).flatten().collect(),
            nodes: layout.nodes,
            leads: layout.ends,
            rows: (0..self.network.points())
                .map(flowgraph::layout::height)
                .collect(),
        }
    }
}

impl Flow {
    fn has(&self, column: usize, row: u32) -> bool {
        self.values.at(column, row).is_some()
    }
}

/// Where a graph stands.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct Placed {
    /// Width of the whole.
    pub width: f32,
    /// Height of the whole.
    pub height: f32,
    /// Left end of each column, where its nodes stand.
    pub nodes: Vec<f32>,
    /// Right end of each column, where edges to the next one begin.
    pub leads: Vec<f32>,
    /// Height of each row.
    pub rows: Vec<f32>,
    /// Four numbers for each edge: way (0 direct, 1 into a hub, 2 out of a hub, 3 twiddle), column,
    /// row before, row. A hub goes by the first row of its butterfly.
    pub edges: Vec<u32>,
    /// Four numbers for each edge: x and y of both ends.
    pub ends: Vec<f32>,
}

/// Samples of `impulse`, `step`, `tone` (of bin `number`) or `noise` (of seed `number`); nothing
/// for other names and lengths that no graph has.
#[wasm_bindgen]
pub fn preset(name: &str, number: u32, points: u32, is_complex: bool) -> Option<Vec<f64>> {
    let preset = match name {
        "impulse" => Preset::Impulse,
        "step" => Preset::Step,
        "tone" => Preset::Tone { bin: number },
        "noise" => Preset::Noise { seed: number },
        _ => return None,
    };
    (1..=MOST_POINTS)
        .contains(&points)
        .then(|| parts(input::samples(preset, points, is_complex)))
}

fn parts(values: impl IntoIterator<Item = Complex<f64>>) -> Vec<f64> {
    let values = values.into_iter();
    values.flat_map(|value| [value.re, value.im]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_has_what_the_page_asks_for() {
        let mut flow = Flow::of(16, 4, true).expect("a graph");
        let input = preset("tone", 3, 16, true).expect("samples");
        assert!(flow.set_input(&input));
        let spectrum = flow.spectrum();
        for (bin, parts) in spectrum.chunks(2).enumerate() {
            let expected = if bin == 3 { 16.0 } else { 0.0 };
            assert!((parts[0] - expected).abs() < 1e-12 && parts[1].abs() < 1e-12);
        }
        let nodes = flow.columns() * 16;
        assert_eq!(flow.values().len(), 2 * nodes);
        assert_eq!(flow.magnitude_labels(1)[3], "16.0");
        assert_eq!(flow.output_words(), "The bins come out in order.");
        assert_eq!(flow.labels(2).len(), nodes);
        assert_eq!(flow.twiddles().len(), nodes);
        assert_eq!(flow.radices(), [4, 4]);
        assert_eq!(flow.columns_of(1), [2, 4]);
        assert!(flow.columns_of(2).is_empty() && flow.stage_words(usize::MAX).is_none());
        assert_eq!(flow.sources(1, 0), [0, 1, 2, 3]);
        assert_eq!(flow.words(4, 0), None);
        assert!(
            flow.explanation(3, 3, 2)
                .expect("words")
                .starts_with("X[3] = ")
        );
        let placed = flow.place(2, true);
        assert_eq!(placed.edges.len(), placed.ends.len());
        assert_eq!(placed.rows.len(), 16);
        // What the page may pass by mistake.
        assert!(!flow.set_input(&[0.0; 31]) && !flow.set_input(&[f64::NAN; 32]));
        assert_eq!(flow.spectrum(), spectrum);
        assert!(Flow::of(128, 2, false).is_none() && Flow::of(12, 2, false).is_none());
        assert!(preset("tone", 1, 1 << 30, true).is_none());
    }
}
