//! Where a flow graph stands on paper: lines, dots, hubs and texts, in layers.
//!
//! Rows run from left to right. A stage is a strip for the butterfly and behind it a strip of level
//! edges for the twiddles, so that no label ever meets a slanted edge; a label is lower than a row.
//! Butterflies of two points are drawn crosswise, larger ones as a hub with their radix.

mod shapes;
#[cfg(test)]
mod tests;

pub use shapes::{Anchor, Layer, SMALL, Scene, Text};

use crate::network::Network;

/// Height of a row.
pub const ROW: f32 = 16.0;
/// Height of what stands for rows that are left out.
const GAP: f32 = 18.0;
/// Size of the letters at rows.
pub const SIZE: f32 = 8.5;
/// Radius of a hub: two that are a row apart do not touch.
const HUB: f32 = 0.42 * ROW;
/// Size of headings.
const HEADING: f32 = 10.0;
const MARGIN: f32 = 20.0;
/// Width of a butterfly's strip: of the rows it spans, within these bounds.
const STRIP_SHARE: f32 = 0.25;
const STRIP: (f32, f32) = (70.0, 2000.0);
/// Space for headings and title.
const TOP: f32 = 74.0;
const LINE: f32 = 13.0;

/// The heading of a stage, in two lines.
pub type Heading = [String; 2];

struct Paper<'a> {
    network: &'a Network,
    rows: &'a [u32],
    heights: Vec<f32>,
}

impl Paper<'_> {
    fn height(&self, row: u32) -> Option<f32> {
        let index = self.rows.binary_search(&row).ok()?;
        Some(self.heights[index])
    }

    /// The rows of a butterfly that are drawn, and whether these are all.
    fn legs(&self, stage: usize, first: u32) -> (Vec<u32>, bool) {
        let stride = self.network.stride(stage);
        let radix = self.network.radices()[stage];
        let end = first + (radix - 1) * stride;
        let from = self.rows.partition_point(|row| *row < first);
        let to = self.rows.partition_point(|row| *row <= end);
        let near = &self.rows[from..to];
        // Whichever is shorter: the legs, or the rows among which they are.
        let legs: Vec<u32> = if (radix as usize) < near.len() {
            (0..radix)
                .map(|leg| first + leg * stride)
                .filter(|row| near.binary_search(row).is_ok())
                .collect()
        } else {
            near.iter()
                .copied()
                .filter(|row| (row - first).is_multiple_of(stride))
                .collect()
        };
        let all = legs.len() == radix as usize;
        (legs, all)
    }
}

/// Draws the rows of a network; `headings` are of the stages, `notes` stand under the title.
#[must_use]
pub fn draw(
    network: &Network,
    rows: &[u32],
    title: &str,
    notes: &[String],
    headings: &[Heading],
) -> Scene {
    let top = TOP + LINE * notes.len() as f32;
    let mut heights = vec![];
    let mut y = top + 0.5 * ROW;
    for (index, row) in rows.iter().enumerate() {
        if index > 0 {
            y += if rows[index - 1] + 1 == *row {
                ROW
            } else {
                ROW + GAP
            };
        }
        heights.push(y);
    }
    let bottom = y;
    let paper = Paper {
        network,
        rows,
        heights,
    };
    let last = network.points() - 1;
    let input_width = label(&format!("x[{last}]"), (0.0, 0.0), Anchor::Start).width();
    let twiddle = twiddle_label(last, (0.0, 0.0)).width() + 12.0;
    let mut layers = vec![inputs(&paper, MARGIN + input_width)];
    let mut x = MARGIN + input_width + 6.0;
    for (stage, heading) in headings.iter().enumerate() {
        let need = heading
            .iter()
            .map(|line| heading_text(line, (0.0, 0.0)).width());
        let need = need.fold(0.0, f32::max) + 10.0;
        let strip = (STRIP_SHARE * span(&paper, stage)).clamp(STRIP.0, STRIP.1);
        let strip = strip.max(need - twiddle);
        layers.push(stage_layer(
            &paper,
            stage,
            (x, x + strip),
            twiddle,
            heading,
            top,
        ));
        x += strip + twiddle;
    }
    layers.push(outputs(&paper, x + 6.0));
    let mut head = Layer {
        name: "title".to_owned(),
        ..Layer::default()
    };
    head.texts.push(Text {
        size: 14.0,
        ..heading_text(title, (MARGIN, 26.0))
    });
    for (index, note) in notes.iter().enumerate() {
        head.texts
            .push(heading_text(note, (MARGIN, 44.0 + LINE * index as f32)));
    }
    let right = head.texts.iter().map(|text| text.at.0 + text.width());
    let right = right.fold(x + 6.0 + input_width, f32::max);
    layers.insert(0, head);
    Scene {
        width: (right + MARGIN).ceil(),
        height: (bottom + ROW + MARGIN).ceil(),
        title: title.to_owned(),
        layers,
    }
}

/// The greatest distance between the legs of a stage's drawn butterflies.
fn span(paper: &Paper<'_>, stage: usize) -> f32 {
    let mut most = 0f32;
    for &row in paper.rows {
        let (legs, _) = paper.legs(stage, paper.network.first_row(stage, row));
        let ends = legs.first().zip(legs.last());
        let ends = ends.and_then(|(a, b)| paper.height(*a).zip(paper.height(*b)));
        most = most.max(ends.map_or(0.0, |(a, b)| b - a));
    }
    most
}

fn label(text: &str, at: (f32, f32), anchor: Anchor) -> Text {
    Text {
        at,
        text: text.to_owned(),
        raised: String::new(),
        size: SIZE,
        anchor,
    }
}

fn heading_text(text: &str, at: (f32, f32)) -> Text {
    Text {
        size: HEADING,
        ..label(text, at, Anchor::Start)
    }
}

fn twiddle_label(exponent: u32, at: (f32, f32)) -> Text {
    Text {
        raised: exponent.to_string(),
        ..label("W", at, Anchor::Middle)
    }
}

/// The samples, in the order in which the rows hold them, and what stands for rows that are left
/// out.
fn inputs(paper: &Paper<'_>, right: f32) -> Layer {
    let mut layer = Layer {
        name: "input".to_owned(),
        ..Layer::default()
    };
    for (index, (&row, &y)) in paper.rows.iter().zip(&paper.heights).enumerate() {
        let text = format!("x[{}]", paper.network.sample(row));
        layer
            .texts
            .push(label(&text, (right, y + 3.0), Anchor::End));
        layer.lines.push([(right + 1.0, y), (right + 6.0, y)]);
        let before = index
            .checked_sub(1)
            .map(|index| (paper.rows[index], paper.heights[index]));
        if let Some((before, above)) = before.filter(|(before, _)| before + 1 != row) {
            let text = format!("{} more", row - before - 1);
            let middle = 0.5 * (above + y) + 3.0;
            layer.texts.push(Text {
                size: SMALL,
                ..label(&text, (right, middle), Anchor::End)
            });
        }
    }
    layer
}

/// The bins, in the order in which the rows hold them.
fn outputs(paper: &Paper<'_>, left: f32) -> Layer {
    let mut layer = Layer {
        name: "output".to_owned(),
        ..Layer::default()
    };
    for (&row, &y) in paper.rows.iter().zip(&paper.heights) {
        let text = format!("X[{}]", paper.network.bin(row));
        layer.lines.push([(left - 6.0, y), (left - 1.0, y)]);
        layer
            .texts
            .push(label(&text, (left, y + 3.0), Anchor::Start));
    }
    layer
}

fn stage_layer(
    paper: &Paper<'_>,
    stage: usize,
    (left, right): (f32, f32),
    twiddle: f32,
    heading: &Heading,
    top: f32,
) -> Layer {
    let network = paper.network;
    let mut layer = Layer {
        name: format!("stage-{}", stage + 1),
        ..Layer::default()
    };
    for (line, text) in heading.iter().enumerate() {
        let y = top - 22.0 + LINE * line as f32;
        layer.texts.push(heading_text(text, (left, y)));
    }
    let mut drawn: Vec<Butterfly> = vec![];
    for (&row, &y) in paper.rows.iter().zip(&paper.heights) {
        let first = network.first_row(stage, row);
        let (legs, all) = paper.legs(stage, first);
        let enough = all || (legs.len() >= 3 && network.radices()[stage] > 4);
        if !enough {
            // Its partner is not drawn.
            layer.dashed.push([(left, y), (right, y)]);
        } else if legs[0] == row {
            let block = row / (network.stride(stage) * network.radices()[stage]);
            drawn.push(Butterfly { block, legs, all });
        }
        layer.lines.push([(right, y), (right + twiddle, y)]);
        let exponent = network.exponent(stage, row);
        if exponent != 0 {
            let at = (right + 0.5 * twiddle, y - 2.0);
            layer.texts.push(twiddle_label(exponent, at));
        }
    }
    for block in drawn.chunk_by(|one, two| one.block == two.block) {
        butterflies(
            &mut layer,
            paper,
            network.radices()[stage],
            (left, right),
            block,
        );
    }
    layer
}

/// One that is drawn.
struct Butterfly {
    /// Butterflies of a block have their legs in turn.
    block: u32,
    /// The rows of the legs that are drawn.
    legs: Vec<u32>,
    /// Returns whether these are all legs.
    all: bool,
}

/// The butterflies of one block; hubs stand evenly over its height, for their legs' sake.
fn butterflies(
    layer: &mut Layer,
    paper: &Paper<'_>,
    radix: u32,
    (left, right): (f32, f32),
    block: &[Butterfly],
) {
    let legs = |butterfly: &Butterfly| -> Vec<f32> {
        let heights = butterfly.legs.iter().filter_map(|row| paper.height(*row));
        heights.collect()
    };
    let heights: Vec<Vec<f32>> = block.iter().map(legs).collect();
    let top = heights.iter().flatten().copied().fold(f32::MAX, f32::min);
    let bottom = heights.iter().flatten().copied().fold(f32::MIN, f32::max);
    for (index, (butterfly, heights)) in block.iter().zip(&heights).enumerate() {
        for y in heights {
            layer.dots.extend([(left, *y), (right, *y)]);
        }
        if radix == 2 {
            for from in heights {
                let edges = heights.iter().map(|to| [(left, *from), (right, *to)]);
                layer.lines.extend(edges);
            }
            continue;
        }
        let share = (index as f32 + 0.5) / block.len() as f32;
        let centre = (0.5 * (left + right), top + share * (bottom - top));
        for y in heights {
            layer.lines.push([(left, *y), centre]);
            layer.lines.push([centre, (right, *y)]);
        }
        if !butterfly.all {
            // The legs between the drawn ones.
            layer.dashed.push([(left, centre.1), (right, centre.1)]);
        }
        layer.hubs.push((centre, HUB));
        layer.texts.push(Text {
            size: SMALL,
            ..label(
                &radix.to_string(),
                (centre.0, centre.1 + 2.3),
                Anchor::Middle,
            )
        });
    }
}
