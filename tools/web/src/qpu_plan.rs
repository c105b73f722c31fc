//! The plan of the QPUs beside a flow graph, for the page.

use flowgraph::plan::{PassLine, Planned, cost};
use flowgraph::{flow, rows, scene, svg};
use qpu_fft::Direction;
use qpu_fft::planner::tuning::Chip;
use qpu_fft::request::Request;
use wasm_bindgen::prelude::wasm_bindgen;

/// Clocks of V3D a second on the boards that were timed, a Pi 1 and a Pi 2.
const CLOCK_HZ: f64 = 250e6;

/// The plan of the QPUs for one complex transform, in words. No board has run it.
#[wasm_bindgen(getter_with_clone)]
#[derive(Clone, Debug)]
pub struct QpuPlan {
    /// The request.
    pub title: String,
    /// The split: `32 x 32 x 64`.
    pub split: String,
    /// Eight cells for each pass, under [`QpuPlan::headings`].
    pub cells: Vec<String>,
    /// Sentences below the table: marks, memory, clocks and where they come from.
    pub sentences: Vec<String>,
    /// V3D clocks of the table; not a number where it has none.
    pub clocks: f64,
    /// The data flow of its passes, folded, as an SVG file.
    pub picture: String,
}

#[wasm_bindgen]
impl QpuPlan {
    /// The plan of 2^`log2_points` points on a Pi 1 or, with `is_pi2`, a Pi 2; nothing where there
    /// is none.
    pub fn of(log2_points: u32, is_pi2: bool) -> Option<QpuPlan> {
        if log2_points >= u32::BITS {
            return None;
        }
        let (chip, board) = if is_pi2 {
            (Chip::Bcm2836, "a Pi 2")
        } else {
            (Chip::Bcm2835, "a Pi 1")
        };
        let request = Request {
            chip,
            ..Request::new(log2_points, 1)
        };
        let planned = Planned::new(request).ok()?;
        let clocks = cost::tabled(&planned).map(|tabled| tabled.clocks);
        let mut sentences = planned.explanations();
        sentences.extend(planned.memory());
        if let Some(clocks) = clocks {
            let source =
                "modelled: second run on the simulator, from the table of `cargo xtask tune`";
            sentences.push(cost::sentence(&planned, clocks, source, CLOCK_HZ, board));
        }
        if !is_pi2 {
            let bound = cost::bound(&planned.request);
            sentences.push(cost::bound_sentence(bound, clocks));
        }
        Some(Self {
            title: planned.title(Direction::Forward),
            split: planned.arrangement.split.to_string(),
            cells: planned.passes().flat_map(|pass| cells(&pass)).collect(),
            sentences,
            clocks: clocks.unwrap_or(f64::NAN),
            picture: picture(&planned),
        })
    }

    /// The headings of [`QpuPlan::cells`].
    pub fn headings() -> Vec<String> {
        [
            "pass",
            "radix",
            "points a unit reads",
            "units",
            "programs",
            "code (instructions)",
            "read (bytes)",
            "written (bytes)",
        ]
        .map(str::to_owned)
        .to_vec()
    }
}

fn cells(pass: &PassLine) -> [String; 8] {
    let radix = pass.radix.map_or("-".to_owned(), |radix| radix.to_string());
    [
        pass.name.to_owned(),
        radix,
        pass.points.to_string(),
        pass.units.to_string(),
        pass.programs.to_string(),
        pass.instructions.to_string(),
        pass.read_bytes.to_string(),
        pass.written_bytes.to_string(),
    ]
}

/// The passes as a picture: every row up to 64 points, else a few of each stage.
fn picture(planned: &Planned) -> String {
    let Some(flow) = flow::of_split(&planned.arrangement.split) else {
        return String::new();
    };
    let rows = if flow.network.points() <= rows::FULL_POINTS {
        rows::full(&flow.network)
    } else {
        rows::folded(&flow.network)
    };
    let scene = scene::draw(
        &flow.network,
        &rows,
        &flow.title,
        &flow.notes,
        &flow.headings,
    );
    svg::write(&scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_have_a_table_sentences_and_a_picture() {
        for log2_points in 4..=22 {
            for is_pi2 in [false, true] {
                let plan = QpuPlan::of(log2_points, is_pi2).expect("a plan");
                assert_eq!(plan.cells.len() % QpuPlan::headings().len(), 0);
                assert!(plan.clocks > 0.0);
                assert!(plan.sentences.iter().any(|line| line.contains("modelled")));
                assert!(plan.picture.contains(&plan.split), "2^{log2_points}");
            }
        }
        assert!(QpuPlan::of(3, false).is_none() && QpuPlan::of(23, false).is_none());
        assert!(QpuPlan::of(99, true).is_none());
    }
}
