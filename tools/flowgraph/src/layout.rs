//! Where nodes, edges and numbers stand on a screen.
//!
//! Other than a picture on paper ([`crate::scene`]) it keeps every node and edge apart, so that a
//! page can light up those that belong to a number, and leaves a level piece behind each node for
//! the number above it. Units are those of an SVG without scaling: points of a screen.

use crate::network::Network;
use crate::values::{Column, columns};

/// Height of a row: a number in letters of 12 and its edge.
pub const ROW: f32 = 26.0;
/// Radius of a hub: two that are half a row apart do not touch.
pub const HUB: f32 = 6.0;
/// Width of a letter of a fixed pitch at 12 points.
pub const LETTER: f32 = 7.3;
/// Space around.
const MARGIN: f32 = 14.0;
/// Space for headings.
const TOP: f32 = 44.0;
/// Width of the edges of a stage: a share of the rows that they span, within these bounds.
const STRIP_SHARE: f32 = 0.22;
const STRIP: (f32, f32) = (56.0, 240.0);
/// Size of indices and exponents, as a share of a letter.
const SMALL: f32 = 0.7;
/// Space beside a number.
const GAP: f32 = 8.0;

/// The way of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// From node to node.
    Direct,
    /// From a node to the hub of its butterfly.
    IntoHub,
    /// From that hub to a node.
    OutOfHub,
    /// Level, with a twiddle.
    Twiddle,
}

/// An edge that ends in a column.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Edge {
    /// Its way.
    pub way: Way,
    /// The column of the nodes that it leads to.
    pub column: usize,
    /// Its row in the column before; out of a hub the first row of the butterfly.
    pub from: u32,
    /// Its row in the column; into a hub the first row of the butterfly.
    pub to: u32,
    /// Both ends.
    pub ends: [[f32; 2]; 2],
}

/// A network on a screen.
#[derive(Clone, PartialEq, Debug)]
pub struct Layout {
    /// Width of the whole.
    pub width: f32,
    /// Height of the whole.
    pub height: f32,
    /// Left end of each column: where its nodes stand.
    pub nodes: Vec<f32>,
    /// Right end of each column: where edges to the next one begin.
    pub ends: Vec<f32>,
    /// All edges, column by column.
    pub edges: Vec<Edge>,
}

impl Layout {
    /// The network with room for numbers of so many digits behind the point, of samples up to 1.
    #[must_use]
    pub fn of(network: &Network, digits: usize, is_complex: bool) -> Self {
        let points = network.points();
        let label = LETTER * format!("x[{}]", points.saturating_sub(1)).len() as f32;
        // `W` with the length below and an exponent above it, in smaller letters.
        let twiddle = LETTER * (1.0 + 2.0 * SMALL * figures(points)) + 2.0 * GAP;
        let mut greatest = 1;
        let mut number = number(greatest, digits, is_complex);
        let mut layout = Self {
            width: 0.0,
            height: height(points.saturating_sub(1)) + MARGIN + ROW,
            nodes: vec![MARGIN + label + GAP],
            ends: vec![MARGIN + label + GAP + number],
            edges: vec![],
        };
        for column in 1..columns(network) {
            let left = layout.ends[column - 1];
            let right = match Column::of(column) {
                Column::Butterflies(stage) => {
                    // Sums of complex products, whatever the samples were.
                    greatest *= network.radices()[stage];
                    number = self::number(greatest, digits, true);
                    left + strip(network, stage)
                }
                _ => left + twiddle,
            };
            layout.nodes.push(right);
            layout.ends.push(right + number);
            match Column::of(column) {
                Column::Butterflies(stage) => layout.butterflies(network, stage, [left, right]),
                _ => layout.twiddles(column, points, [left, right]),
            }
        }
        let last = layout.ends.last().copied().unwrap_or(0.0);
        layout.width = last + GAP + label + MARGIN;
        layout
    }

    fn twiddles(&mut self, column: usize, points: u32, [left, right]: [f32; 2]) {
        self.edges.extend((0..points).map(|row| Edge {
            way: Way::Twiddle,
            column,
            from: row,
            to: row,
            ends: [[left, height(row)], [right, height(row)]],
        }));
    }

    fn butterflies(&mut self, network: &Network, stage: usize, [left, right]: [f32; 2]) {
        let (radix, stride) = (network.radices()[stage], network.stride(stage));
        let column = 1 + 2 * stage;
        let firsts = (0..network.points()).filter(|row| network.leg(stage, *row) == 0);
        for first in firsts {
            let legs = || (0..radix).map(move |leg| first + leg * stride);
            let edge = |way, from, to, ends| Edge {
                way,
                column,
                from,
                to,
                ends,
            };
            if radix == 2 {
                let pairs = legs().flat_map(|from| legs().map(move |to| (from, to)));
                self.edges.extend(pairs.map(|(from, to)| {
                    let ends = [[left, height(from)], [right, height(to)]];
                    edge(Way::Direct, from, to, ends)
                }));
                continue;
            }
            // Hubs of a block stand evenly over its height.
            let top = first - first % stride;
            let share = ((first - top) as f32 + 0.5) / stride as f32;
            let bottom = height(top + radix * stride - 1);
            let hub = [
                0.5 * (left + right),
                height(top) + share * (bottom - height(top)),
            ];
            self.edges.extend(
                legs().map(|row| edge(Way::IntoHub, row, first, [[left, height(row)], hub])),
            );
            self.edges.extend(
                legs().map(|row| edge(Way::OutOfHub, first, row, [hub, [right, height(row)]])),
            );
        }
    }
}

/// The height of a row's edges.
#[must_use]
pub fn height(row: u32) -> f32 {
    TOP + ROW * (row as f32 + 0.5)
}

fn strip(network: &Network, stage: usize) -> f32 {
    let legs = network.radices()[stage].saturating_sub(1);
    let span = ROW * (legs * network.stride(stage)) as f32;
    (STRIP_SHARE * span).clamp(STRIP.0, STRIP.1)
}

/// The width of a number up to `greatest` in each part, with space around.
fn number(greatest: u32, digits: usize, is_complex: bool) -> f32 {
    let point = if digits > 0 { 1.0 + digits as f32 } else { 0.0 };
    let part = 1.0 + figures(greatest) + point;
    let letters = if is_complex { 2.0 * part + 1.0 } else { part };
    LETTER * letters + 2.0 * GAP
}

fn figures(number: u32) -> f32 {
    number.to_string().len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::textbook;
    use crate::input::{Preset, samples};
    use crate::network::stages;
    use crate::values::{Values, sources};

    fn networks() -> Vec<Network> {
        let kinds = [2, 4, 8]
            .into_iter()
            .flat_map(|radix| [(radix, false), (radix, true)]);
        let all = kinds.flat_map(|(radix, in_time)| {
            (2..=6).map(move |log2| {
                let stages = stages(1 << log2, radix).expect("a power of two");
                textbook(&stages, in_time).expect("a transform").network
            })
        });
        all.collect()
    }

    #[test]
    fn edges_are_those_of_the_sums() {
        for network in networks() {
            let layout = Layout::of(&network, 2, true);
            for column in 1..columns(&network) {
                let edges = || {
                    layout
                        .edges
                        .iter()
                        .filter(move |edge| edge.column == column)
                };
                for row in 0..network.points() {
                    let into = |edge: &&Edge| edge.to == row && edge.way != Way::IntoHub;
                    let mut from: Vec<u32> = vec![];
                    for edge in edges().filter(into) {
                        assert_eq!(edge.ends[1], [layout.nodes[column], height(row)]);
                        if edge.way != Way::OutOfHub {
                            from.push(edge.from);
                            continue;
                        }
                        let hub =
                            edges().filter(|into| into.way == Way::IntoHub && into.to == edge.from);
                        from.extend(hub.map(|into| {
                            assert_eq!(into.ends[1], edge.ends[0]);
                            into.from
                        }));
                    }
                    from.sort_unstable();
                    let sources = sources(&network, column, row);
                    let rows: Vec<u32> = sources.iter().map(|source| source.row).collect();
                    assert_eq!(from, rows, "{network:?}: column {column}, row {row}");
                }
            }
        }
    }

    #[test]
    fn numbers_have_room() {
        for network in networks() {
            for digits in [0, 2, 4] {
                let input = samples(Preset::Noise { seed: 1 }, network.points(), true);
                let values = Values::of(&network, &input).expect("numbers");
                let layout = Layout::of(&network, digits, true);
                for (column, numbers) in values.columns().iter().enumerate() {
                    let room = layout.ends[column] - layout.nodes[column];
                    for number in numbers {
                        let text = crate::number::complex(*number, digits);
                        let width = LETTER * text.chars().count() as f32;
                        assert!(width <= room, "{network:?}: {text}");
                    }
                }
            }
        }
    }

    #[test]
    fn hubs_and_columns_stay_apart() {
        for network in networks() {
            let layout = Layout::of(&network, 2, true);
            for column in 1..layout.nodes.len() {
                assert!(layout.nodes[column] >= layout.ends[column - 1] + LETTER);
            }
            for edge in &layout.edges {
                for [x, y] in edge.ends {
                    assert!(x > 0.0 && x < layout.width && y > TOP && y < layout.height);
                }
            }
            let hubs = layout.edges.iter().filter(|edge| edge.way == Way::IntoHub);
            let mut places: Vec<_> = hubs
                .map(|edge| (edge.column, edge.to, edge.ends[1][1]))
                .collect();
            places.dedup();
            places.sort_by(|one, two| one.0.cmp(&two.0).then(one.2.total_cmp(&two.2)));
            for pair in places.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
                assert!(pair[1].2 - pair[0].2 >= 2.0 * HUB, "{network:?}: {pair:?}");
            }
        }
    }
}
