//! How a picture looks, where its user wants more than what its spectra make of it.

use common::text::quote;

use super::theme::Theme;

/// The widest scale of levels, in dB.
const WIDEST_DB: f64 = 400.0;

/// Levels at both ends of a picture's scale, in dB.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LevelSpan {
    /// The lower end.
    pub from_db: f64,
    /// The upper end.
    pub to_db: f64,
}

/// The look of a picture.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// Background and colours.
    pub theme: Theme,
    /// The title; `None` for the name of the source.
    pub title: Option<String>,
    /// The scale of levels; `None` for one that the spectra fill.
    pub levels: Option<LevelSpan>,
}

impl From<Theme> for Look {
    fn from(theme: Theme) -> Self {
        Self {
            theme,
            ..Self::default()
        }
    }
}

/// Levels as an option gives them: `-80..-20`.
///
/// # Errors
/// A sentence, when they are none.
pub fn level_span(text: &str) -> Result<LevelSpan, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|db: &f64| db.is_finite());
    let span = text.split_once("..").and_then(|(from, to)| {
        let (from_db, to_db) = (number(from)?, number(to)?);
        let is_scale = from_db < to_db && to_db - from_db <= WIDEST_DB;
        is_scale.then_some(LevelSpan { from_db, to_db })
    });
    span.ok_or_else(|| {
        format!(
            "`{}` is no scale of levels; give the lower and the upper end in dB, as -80..-20",
            quote(text)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_two_numbers_in_their_order() {
        let span = level_span("-80..-20.5").expect("a scale");
        assert_eq!((span.from_db, span.to_db), (-80.0, -20.5));
        for wrong in [
            "", "-80", "-20..-80", "-20..-20", "a..b", "-inf..0", "-1e9..0",
        ] {
            let said = level_span(wrong).expect_err(wrong);
            assert!(said.contains("-80..-20"), "{said}");
        }
    }
}
