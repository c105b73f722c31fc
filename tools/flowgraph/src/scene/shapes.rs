//! Shapes of a flow graph on paper.

/// Size of exponents.
pub const SMALL: f32 = 6.5;
/// Width of a letter of Helvetica in units of its size, the mean of those used and a little more.
const LETTER: f32 = 0.6;

/// The point of a text that is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Anchor {
    /// Where it begins.
    Start,
    /// Halfway.
    Middle,
    /// Where it ends.
    End,
}

/// A line of letters; its baseline passes `at`.
#[derive(Clone, PartialEq, Debug)]
pub struct Text {
    /// Where it stands.
    pub at: (f32, f32),
    /// Its letters.
    pub text: String,
    /// Raised behind the text, in smaller letters.
    pub raised: String,
    /// Size of its letters.
    pub size: f32,
    /// The point of the text that stands at `at`.
    pub anchor: Anchor,
}

impl Text {
    /// Its width, on the wide side.
    #[must_use]
    pub fn width(&self) -> f32 {
        let letters = |text: &str, size: f32| text.chars().count() as f32 * size * LETTER;
        letters(&self.text, self.size) + letters(&self.raised, SMALL)
    }
}

/// Groups of shapes, from back to front.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Layer {
    /// Name, for those who read or style the file.
    pub name: String,
    /// Straight edges.
    pub lines: Vec<[(f32, f32); 2]>,
    /// Edges to rows that are not drawn.
    pub dashed: Vec<[(f32, f32); 2]>,
    /// Where edges meet.
    pub dots: Vec<(f32, f32)>,
    /// Centres of butterflies of more than two points, with a radius.
    pub hubs: Vec<((f32, f32), f32)>,
    /// Labels.
    pub texts: Vec<Text>,
}

/// A flow graph on paper.
#[derive(Clone, PartialEq, Debug)]
pub struct Scene {
    /// Width of the paper.
    pub width: f32,
    /// Height of the paper.
    pub height: f32,
    /// Title of the file.
    pub title: String,
    /// Its shapes.
    pub layers: Vec<Layer>,
}
