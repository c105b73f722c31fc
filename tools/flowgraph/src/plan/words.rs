//! The words for a plan's passes and marks, which plans and flow graphs share.

use qpu_fft::kernels::layout::OnePass;
use qpu_fft::{Role, Split};

/// The name of a pass whose points pass through the VPM, between the two steps of one launch.
pub const SHARED: &str = "shared";

/// The name of any other pass.
#[must_use]
pub const fn name(role: Role) -> &'static str {
    match role {
        Role::Single => "single",
        Role::First => "first",
        Role::Middle => "middle",
        Role::Last => "last",
    }
}

/// Radices with a cross between.
#[must_use]
pub fn product(radices: &[u32]) -> String {
    let radices: Vec<_> = radices.iter().map(u32::to_string).collect();
    radices.join(" x ")
}

/// The steps of a shared pass, as a sentence.
#[must_use]
pub fn steps(one: &dyn OnePass) -> String {
    format!(
        "the shared pass is {} in one launch: points pass through the VPM between its steps",
        product(&one.radices())
    )
}

/// A sentence for each mark in a split: what `s` and `q` behind a radix say.
#[must_use]
pub fn marks(split: &Split) -> Vec<String> {
    let mut sentences = vec![];
    for (pass, radix) in split.radices().enumerate() {
        let sentence = match (split.role(pass), split.log2_sharers(pass)) {
            (_, 0) => continue,
            (Role::Single, _) => format!(
                "{radix}s: the program of short transforms, several on a QPU or one on several"
            ),
            (_, 1) => format!("{radix}s: two QPUs share a tile and exchange halves of it"),
            _ => format!("{radix}q: four QPUs share a tile and exchange parts of it"),
        };
        sentences.push(sentence);
    }
    sentences
}

#[cfg(test)]
mod tests {
    use qpu_fft::planner::tuning::{self, Chip};

    use super::*;

    #[test]
    fn every_mark_of_every_plan_is_explained() {
        for chip in [Chip::Bcm2835, Chip::Bcm2836] {
            for log2n in 4..=22 {
                for batch in [1, 10] {
                    let split = tuning::split(chip, log2n, batch).expect("a plan");
                    let marks = marks(&split);
                    for word in split.to_string().split(" x ") {
                        let is_marked = word.ends_with(['s', 'q']);
                        let is_explained = marks
                            .iter()
                            .any(|mark| mark.starts_with(&format!("{word}: ")));
                        assert_eq!(is_marked, is_explained, "2^{log2n}: {word}");
                    }
                }
            }
        }
    }
}
