//! The contrast of the page's colours, computed from its style sheets.
//!
//! The formula is that of WCAG 2.2, which asks for 4.5 to 1 between text and what it stands on, and
//! 3 to 1 for graphics and for the lines around controls. What is drawn in `--grid` is exempt:
//! lines behind a plot, whose values stand at the axes, and edges of the flow graph that are not
//! reached yet. Both are faint on purpose, and nothing is said by them alone.

use std::collections::BTreeMap;

use view::palette::{Paper, colour, luminance};

/// The sheet that has the colours.
const STYLE: &str = include_str!("../page/style.css");
/// All sheets of the page.
const SHEETS: [&str; 3] = [
    STYLE,
    include_str!("../page/layout.css"),
    include_str!("../page/flow.css"),
];
/// The colour that is compared with none.
const EXEMPT: &str = "grid";

/// Text and what it stands on.
const TEXT: [(&str, &str); 12] = [
    ("text", "back"),
    ("text", "plot"),
    ("text", "panel"),
    ("muted", "back"),
    ("muted", "plot"),
    ("muted", "panel"),
    ("button-text", "button"),
    ("pressed-text", "pressed"),
    ("marker", "plot"),
    ("accent", "back"),
    ("accent", "panel"),
    ("text", "button"),
];

/// Traces and lines, and what they stand on.
const GRAPHICS: [(&str, &str); 12] = [
    ("trace-live", "plot"),
    ("trace-greatest", "plot"),
    ("trace-max", "plot"),
    ("trace-min", "plot"),
    ("trace-mean", "plot"),
    ("marker", "plot"),
    ("axis", "plot"),
    ("axis", "back"),
    ("axis", "panel"),
    ("focus", "back"),
    ("focus", "panel"),
    ("focus", "plot"),
];

/// Custom properties with a colour as `#rrggbb`.
fn colours(text: &str) -> BTreeMap<&str, [u8; 3]> {
    let declarations = text.split([';', '{', '}']);
    let colours = declarations.filter_map(|declaration| {
        let (name, value) = declaration.trim().strip_prefix("--")?.split_once(':')?;
        let hex = value
            .trim()
            .strip_prefix('#')
            .filter(|hex| hex.len() == 6)?;
        let part = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
        Some((name, [part(0)?, part(2)?, part(4)?]))
    });
    colours.collect()
}

/// The colours of the light and of the dark scheme.
fn schemes() -> [(&'static str, BTreeMap<&'static str, [u8; 3]>); 2] {
    let (light, rest) = STYLE
        .split_once("@media (prefers-color-scheme: dark)")
        .expect("a dark scheme");
    let end = rest.find("\n}\n").expect("its end");
    let (light, dark) = (colours(light), colours(&rest[..end]));
    let names = |of: &BTreeMap<&'static str, [u8; 3]>| of.keys().copied().collect::<Vec<_>>();
    assert_eq!(names(&light), names(&dark), "each scheme has all colours");
    [("light", light), ("dark", dark)]
}

fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let [one, other] = [one, other].map(|colour| luminance(colour) + 0.05);
    one.max(other) / one.min(other)
}

#[test]
fn text_has_a_contrast_of_4_5_and_graphics_of_3() {
    assert_eq!(contrast([0; 3], [255; 3]).round(), 21.0, "black on white");
    for (scheme, colours) in schemes() {
        let of = |name: &str| *colours.get(name).unwrap_or_else(|| panic!("no --{name}"));
        for (pairs, least) in [(&TEXT[..], 4.5), (&GRAPHICS[..], 3.0)] {
            for &(name, ground) in pairs {
                let found = contrast(of(name), of(ground));
                assert!(
                    found >= least,
                    "{scheme}: --{name} on --{ground} {found:.2}"
                );
            }
        }
    }
}

#[test]
fn the_waterfall_begins_with_the_color_of_its_surroundings() {
    let papers = [Paper::Light, Paper::Dark];
    for (paper, (scheme, colours)) in papers.into_iter().zip(schemes()) {
        let found = contrast(colour(paper, 0.0), colours["plot"]);
        assert!(found < 1.2, "{scheme}: {found:.2}");
        assert!(
            contrast(colour(paper, 1.0), colours["plot"]) > 10.0,
            "{scheme}"
        );
    }
}

#[test]
fn every_colour_of_a_sheet_is_declared_and_compared() {
    let declared = colours(STYLE);
    let pairs = || TEXT.iter().chain(&GRAPHICS);
    for sheet in SHEETS {
        let used = sheet.split("var(--").skip(1);
        for (name, _) in used.filter_map(|rest| rest.split_once(')')) {
            assert!(declared.contains_key(name), "--{name}");
            let is_compared = pairs().any(|&(one, other)| one == name || other == name);
            assert!(is_compared || name == EXEMPT, "--{name}");
        }
    }
    for sheet in &SHEETS[1..] {
        assert!(colours(sheet).is_empty(), "colours stand in style.css");
    }
}
