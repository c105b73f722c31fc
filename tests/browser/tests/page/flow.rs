//! "How an FFT is made": what only a browser shows of it. Numbers, words and plans are tested
//! natively, in `tools/flowgraph` and `tools/web`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Open, SOON, open};
use browser::{Browser, Page};

fn state(browser: &mut Browser, page: &Page) -> Value {
    page.eval(browser, "window.qpuscope.flow()")
        .expect("a state")
}

/// Chooses a value of a control as a user does.
fn choose(browser: &mut Browser, page: &Page, id: &str, value: &str) {
    let script = format!(
        "{{ const control = document.getElementById('{id}'); control.value = '{value}';
            for (const kind of ['input', 'change']) control.dispatchEvent(new Event(kind, {{bubbles: true}})); }}"
    );
    page.eval(browser, &script).expect("a control");
}

/// Middle and size of the first element that a selector finds, brought into view.
fn place(browser: &mut Browser, page: &Page, selector: &str) -> [f64; 4] {
    let script = format!(
        "(() => {{ const e = document.querySelector('{selector}'); e.scrollIntoView({{block: 'center'}});
           const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, r.width, r.height]; }})()"
    );
    let place = page.eval(browser, &script).expect("an element");
    [0, 1, 2, 3].map(|at| place[at].as_f64().expect("a number"))
}

fn mouse(browser: &mut Browser, page: &Page, kind: &str, x: f64, y: f64) {
    let (button, buttons) = match kind {
        "mouseMoved" => ("none", 1),
        "mousePressed" => ("left", 1),
        _ => ("left", 0),
    };
    let event = json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1});
    page.call(browser, "Input.dispatchMouseEvent", event)
        .expect("a mouse");
}

#[test]
fn a_drawn_input_travels_through_the_graph() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    page.wait(b, "window.qpuscope.flow", SOON)
        .expect("the panel");
    page.click(b, "#tab-flow").expect("a tab");

    // Keys move a sample.
    page.eval(
        b,
        "document.querySelector('.flow-input [role=slider]').focus()",
    )
    .expect("a point");
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "End"] {
        page.key(b, key).expect("a key");
    }
    let drawn = state(b, &page);
    assert_eq!(
        (&drawn["samples"][0], &drawn["samples"][2]),
        (&json!(0.8), &json!(1))
    );
    assert_eq!(drawn["signal"], "drawn");

    // A stroke from edge to edge along the axis leaves nothing.
    let [x, y, width, _] = place(b, &page, ".flow-input");
    let reach = 0.48 * width;
    mouse(b, &page, "mousePressed", x - reach, y);
    mouse(b, &page, "mouseMoved", x + reach, y);
    mouse(b, &page, "mouseReleased", x + reach, y);
    let silent = state(b, &page);
    let magnitudes = silent["magnitudes"].as_array().expect("a list");
    assert!(magnitudes.iter().all(|value| *value == 0.0), "{silent}");

    for (id, value) in [
        ("flow-points", "16"),
        ("flow-radix", "2"),
        ("flow-signal", "tone"),
        ("flow-number", "3"),
    ] {
        choose(b, &page, id, value);
    }
    let tone = state(b, &page);
    let bin = tone["magnitudes"][3].as_f64().expect("a number");
    assert!((bin - 8.0).abs() < 1e-12, "{tone}");
    let shown = page.eval(b, "document.querySelectorAll('.flow-graph .number').length");
    assert_eq!(
        shown.expect("a number"),
        tone["labels"].as_array().expect("a list").len()
    );

    // A number that is none changes nothing.
    choose(b, &page, "flow-number", "1.5");
    let refused = state(b, &page);
    let note = refused["note"].as_str().expect("a note");
    assert!(note.starts_with("Give a whole number"), "{note}");
    assert_eq!(refused["samples"], tone["samples"]);

    // Where a number came from, by mouse and by keys.
    let [x, y, ..] = place(b, &page, ".flow-graph [data-at=\"2 11\"] .reach");
    mouse(b, &page, "mouseMoved", x, y);
    page.wait(
        b,
        "window.qpuscope.flow().nodeWords.startsWith('(a \u{2212} b) · W16')",
        SOON,
    )
    .expect("words of the node");
    page.eval(b, "document.querySelector('.flow-graph').focus()")
        .expect("the graph");
    for key in ["ArrowRight", "End", "PageUp"] {
        page.key(b, key).expect("a key");
    }
    let earlier = state(b, &page);
    assert_eq!(
        (&earlier["stage"], &earlier["chosen"]),
        (&json!(3), &Value::Null)
    );
    assert_eq!(page.problems(b), Vec::<String>::new());
}

#[test]
fn the_plan_has_its_picture_and_the_panel_fits_a_phone() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    page.wait(b, "window.qpuscope.flow", SOON)
        .expect("the panel");
    page.click(b, "#tab-flow").expect("a tab");
    choose(b, &page, "flow-plan-length", "16");
    page.wait(b, "window.qpuscope.flow().plan.pictureWidth > 100", SOON)
        .expect("a picture");
    let plan = state(b, &page)["plan"].clone();
    assert_eq!(
        (&plan["points"], &plan["split"]),
        (&json!(65536), &json!("32 x 32 x 64"))
    );
    page.eval(b, "document.querySelector('.flow-numbers').open = true")
        .expect("a table");
    page.wait(
        b,
        "document.querySelectorAll('.flow-numbers tbody tr').length === 8",
        SOON,
    )
    .expect("all numbers");

    let nodes = page.accessible(b).expect("a tree");
    let controls = [
        "button",
        "combobox",
        "spinbutton",
        "slider",
        "image",
        "table",
        "region",
        "application",
        "link",
    ];
    let nameless: Vec<_> = nodes
        .iter()
        .filter(|(role, name)| controls.contains(&&**role) && name.trim().is_empty())
        .collect();
    assert!(nameless.is_empty(), "{nameless:?}");
    for (role, name) in [
        ("slider", "x[0]"),
        ("button", "Next stage"),
        ("cell", "middle"),
    ] {
        // A heading of a row is a cell too.
        let is_met = |node: &(String, String)| {
            (node.0 == role || role == "cell" && node.0 == "rowheader") && node.1 == name
        };
        assert!(nodes.iter().any(is_met), "{role} {name}");
    }

    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/web");
    page.eval(b, "scrollTo(0, 0)").expect("the top");
    page.screenshot(b, &folder.join("flow-desktop.png"))
        .expect("a picture");
    page.resize(b, 360, 740, true).expect("a phone");
    page.wait(b, "document.documentElement.scrollWidth <= 360", SOON)
        .expect("it fits");
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    page.call(b, "Emulation.setEmulatedMedia", dark)
        .expect("a dark scheme");
    page.screenshot(b, &folder.join("flow-phone.png"))
        .expect("a picture");
    assert_eq!(page.problems(b), Vec::<String>::new());
}
