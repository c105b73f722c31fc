//! Pictures of many shapes: labels stay apart, edges clear of them, and none is missing.

use super::*;
use crate::network::Order;
use crate::rows;

fn scenes() -> Vec<(Vec<u32>, Scene)> {
    let mut scenes = vec![];
    for radices in [
        vec![2],
        vec![2; 3],
        vec![2; 6],
        vec![2; 12],
        vec![4; 6],
        vec![8, 8],
        vec![16, 16],
        vec![64, 64],
        vec![16, 32, 64],
        vec![32, 64, 32, 64],
        vec![3, 5],
    ] {
        let order = match scenes.len() % 2 {
            0 => Order::Classic,
            _ => Order::InTime,
        };
        let network = Network::new(radices.clone(), order).unwrap();
        let headings: Vec<Heading> = radices
            .iter()
            .map(|radix| {
                [
                    format!("stage of radix {radix}"),
                    "and more words".to_owned(),
                ]
            })
            .collect();
        let mut kinds = vec![rows::folded(&network)];
        if network.points() <= 4096 {
            kinds.push(rows::full(&network));
        }
        for rows in kinds {
            let notes = ["a note".to_owned()];
            scenes.push((
                radices.clone(),
                draw(&network, &rows, "title", &notes, &headings),
            ));
        }
    }
    scenes
}

fn left(text: &Text) -> f32 {
    match text.anchor {
        Anchor::Start => text.at.0,
        Anchor::Middle => text.at.0 - 0.5 * text.width(),
        Anchor::End => text.at.0 - text.width(),
    }
}

/// Left, top, right and bottom.
fn area(text: &Text) -> [f32; 4] {
    let left = left(text);
    let raise = if text.raised.is_empty() { 0.0 } else { 2.5 };
    [
        left,
        text.at.1 - 0.75 * text.size - raise,
        left + text.width(),
        text.at.1 + 1.0,
    ]
}

#[test]
fn labels_do_not_overlap_and_lie_on_the_paper() {
    for (radices, scene) in scenes() {
        let texts = scene.layers.iter().flat_map(|layer| &layer.texts);
        let mut areas: Vec<_> = texts.map(|text| (area(text), text)).collect();
        areas.sort_by(|one, two| one.0[1].total_cmp(&two.0[1]));
        for (index, (one, text)) in areas.iter().enumerate() {
            assert!(one[0] >= 0.0 && one[1] >= 0.0, "{radices:?}: {text:?}");
            assert!(
                one[2] <= scene.width && one[3] <= scene.height,
                "{radices:?}: {text:?}"
            );
            for (two, other) in &areas[index + 1..] {
                if two[1] >= one[3] {
                    break;
                }
                let apart = one[2] <= two[0] || two[2] <= one[0];
                assert!(apart, "{radices:?}: {text:?} on {other:?}");
            }
        }
    }
}

#[test]
fn slanted_edges_stay_clear_of_twiddles() {
    for (radices, scene) in scenes() {
        for layer in &scene.layers {
            let slanted = layer.lines.iter().filter(|[a, b]| a.1 != b.1);
            let right = slanted.map(|[a, b]| a.0.max(b.0)).fold(0.0, f32::max);
            for text in layer.texts.iter().filter(|text| !text.raised.is_empty()) {
                assert!(left(text) > right, "{radices:?}: {text:?}");
            }
        }
    }
}

#[test]
fn hubs_do_not_cover_each_other() {
    for (radices, scene) in scenes() {
        for layer in &scene.layers {
            let mut heights: Vec<f32> = layer.hubs.iter().map(|hub| hub.0.1).collect();
            heights.sort_by(f32::total_cmp);
            for pair in heights.windows(2) {
                assert!(pair[1] - pair[0] >= 2.0 * HUB, "{radices:?}: {pair:?}");
            }
        }
    }
}

#[test]
fn every_edge_of_a_full_graph_is_drawn() {
    let network = Network::new(vec![2; 3], Order::Classic).unwrap();
    let headings = vec![[String::new(), String::new()]; 3];
    let scene = draw(&network, &rows::full(&network), "", &[], &headings);
    for layer in scene
        .layers
        .iter()
        .filter(|layer| layer.name.starts_with("stage"))
    {
        // Four butterflies of four edges, and eight level ones.
        assert_eq!(layer.lines.len(), 24);
        assert!(layer.dashed.is_empty());
    }
}
