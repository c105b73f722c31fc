//! "How an FFT is made": what only a browser shows of it. Numbers, words and plans are tested
//! natively, in `tools/flowgraph` and `tools/web`.

use serde_json::{Value, json};

use super::Open;

/// The state of the panel.
fn flow(open: &Open) -> Value {
    open.eval("window.qpuscope.flow()")
}

/// Chooses a value of a control as a user does.
fn choose(open: &Open, id: &str, value: &str) {
    let script = format!(
        "{{ const control = document.getElementById('{id}'); control.value = '{value}';
            for (const kind of ['input', 'change']) control.dispatchEvent(new Event(kind, {{bubbles: true}})); }}"
    );
    open.eval(&script);
}

/// Middle and size of the first element that a selector finds, brought into view.
fn place(open: &Open, selector: &str) -> [f64; 4] {
    let script = format!(
        "(() => {{ const e = document.querySelector('{selector}'); e.scrollIntoView({{block: 'center'}});
           const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2, r.width, r.height]; }})()"
    );
    let place = open.eval(&script);
    [0, 1, 2, 3].map(|at| place[at].as_f64().expect("a number"))
}

fn mouse(open: &Open, kind: &str, x: f64, y: f64) {
    let (button, buttons) = match kind {
        "mouseMoved" => ("none", 1),
        "mousePressed" => ("left", 1),
        _ => ("left", 0),
    };
    let event = json!({"type": kind, "x": x, "y": y, "button": button, "buttons": buttons, "clickCount": 1});
    open.page
        .call("Input.dispatchMouseEvent", event)
        .expect("a mouse");
}

#[test]
fn a_drawn_input_travels_through_the_graph() {
    let open = open!(&[], &[]);
    open.wait("window.qpuscope.flow");
    open.click("#tab-flow");

    // Keys move a sample.
    open.eval("document.querySelector('.flow-input [role=slider]').focus()");
    for key in ["ArrowDown", "ArrowDown", "ArrowRight", "End"] {
        open.key(key);
    }
    let drawn = flow(&open);
    assert_eq!(
        (&drawn["samples"][0], &drawn["samples"][2]),
        (&json!(0.8), &json!(1))
    );
    assert_eq!(drawn["signal"], "drawn");

    // A stroke from edge to edge along the axis leaves nothing.
    let [x, y, width, _] = place(&open, ".flow-input");
    let reach = 0.48 * width;
    mouse(&open, "mousePressed", x - reach, y);
    mouse(&open, "mouseMoved", x + reach, y);
    mouse(&open, "mouseReleased", x + reach, y);
    let silent = flow(&open);
    let magnitudes = silent["magnitudes"].as_array().expect("a list");
    assert!(magnitudes.iter().all(|value| *value == 0.0), "{silent}");

    for (id, value) in [
        ("flow-points", "16"),
        ("flow-radix", "2"),
        ("flow-signal", "tone"),
        ("flow-number", "3"),
    ] {
        choose(&open, id, value);
    }
    let tone = flow(&open);
    let bin = tone["magnitudes"][3].as_f64().expect("a number");
    assert!((bin - 8.0).abs() < 1e-12, "{tone}");
    let shown = open.eval("document.querySelectorAll('.flow-graph .number').length");
    let labels = tone["labels"].as_array().map(Vec::len);
    assert_eq!(shown.as_u64(), labels.map(|count| count as u64));

    // A number that is none changes nothing.
    choose(&open, "flow-number", "1.5");
    let refused = flow(&open);
    let note = refused["note"].as_str().expect("a note");
    assert!(note.starts_with("Give a whole number"), "{note}");
    assert_eq!(refused["samples"], tone["samples"]);

    // Where a number came from, by mouse and by keys.
    let [x, y, ..] = place(&open, ".flow-graph [data-at=\"2 11\"] .reach");
    mouse(&open, "mouseMoved", x, y);
    open.wait("window.qpuscope.flow().nodeWords.startsWith('(a \u{2212} b) · W16')");
    open.eval("document.querySelector('.flow-graph').focus()");
    for key in ["ArrowRight", "End", "PageUp"] {
        open.key(key);
    }
    let earlier = flow(&open);
    assert_eq!(
        (&earlier["stage"], &earlier["chosen"]),
        (&json!(3), &Value::Null)
    );
    open.assert_no_problems();
}

#[test]
fn the_plan_has_its_picture_and_the_panel_fits_a_phone() {
    let open = open!(&[], &[]);
    open.wait("window.qpuscope.flow");
    open.click("#tab-flow");
    choose(&open, "flow-plan-length", "16");
    open.wait("window.qpuscope.flow().plan.pictureWidth > 100");
    let plan = flow(&open)["plan"].clone();
    assert_eq!(
        (&plan["points"], &plan["split"]),
        (&json!(65536), &json!("32 x 32 x 64"))
    );
    open.eval("document.querySelector('.flow-numbers').open = true");
    open.wait("document.querySelectorAll('.flow-numbers tbody tr').length === 8");

    let nodes = open.named();
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

    open.eval("scrollTo(0, 0)");
    open.picture("flow");
    open.assert_no_problems();
}
