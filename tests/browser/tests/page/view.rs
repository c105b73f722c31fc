//! The view: what only a browser shows of it. Its numbers are tested natively, in `tools/view`.

use serde_json::Value;

#[test]
fn keys_and_buttons_pause_hold_mark_zoom_and_save() {
    let open = open!(&[], &[]);
    open.wait("s.rows > 20 && s.peaks.length > 0");

    open.key("p");
    open.wait("s.paused");
    let before = open.state();
    open.wait(&format!("s.records > {}", before["records"]));
    let after = open.state();
    assert_eq!(
        (&after["rows"], &after["peaks"]),
        (&before["rows"], &before["peaks"])
    );
    open.click("[data-do=pause]");
    open.wait(&format!("!s.paused && s.rows > {}", before["rows"]));

    open.click("[data-trace=hold-max]");
    open.wait("s.hold.max && s.hold.records > 5");
    open.key("r");
    open.wait(&format!("s.hold.records < {}", after["hold"]["records"]));

    open.key("k");
    open.wait("s.markers.length === 1 && s.markers[0].peak");
    let marked = open.state();
    let hz = |value: &Value| value["hz"].as_f64().expect("hertz");
    let apart = (hz(&marked["markers"][0]) - hz(&marked["peaks"][0])).abs();
    assert!(
        apart < marked["stream"]["binHz"].as_f64().expect("a bin"),
        "{apart}"
    );
    open.key("+");
    open.wait("s.span.toHz - s.span.fromHz < 0.9 * (s.whole.toHz - s.whole.fromHz)");
    open.click("#spectrum");
    open.wait("s.markers.length === 2 && s.markers[1].difference !== null");
    open.key("0");
    open.wait("s.span.fromHz === s.whole.fromHz");

    for (key, name, least) in [("s", "spectrum.png", 2000), ("c", "spectrum.csv", 1000)] {
        open.key(key);
        open.wait(&format!(
            "s.exported?.name === '{name}' && s.exported.bytes > {least}"
        ));
    }
    open.key("?");
    open.wait("document.getElementById('keys').open");
    open.click("[data-do=close]");

    // Keys act on what is seen only.
    let width = || open.eval("document.getElementById('spectrum').width");
    let shown = width();
    open.click("#tab-flow");
    open.eval("document.activeElement.blur()");
    open.key("p");
    open.key("k");
    let before = open.state();
    open.wait(&format!("s.records > {} + 2", before["records"]));
    // A canvas that is not shown keeps its size.
    assert_eq!(width(), shown);
    open.click("#tab-instrument");
    let state = open.state();
    assert_eq!(
        (&state["paused"], state["markers"].as_array().map(Vec::len)),
        (&Value::Bool(false), Some(2))
    );
    open.assert_no_problems();
}

#[test]
fn every_control_has_a_role_and_a_name_and_the_page_fits_a_phone() {
    let open = open!(&[], &[]);
    open.wait("s.peaks.length > 0 && s.settings?.n");
    let nodes = open.named();
    let cells = nodes
        .iter()
        .filter(|(role, name)| role == "cell" && name.contains("dBFS"));
    assert!(cells.count() > 0, "levels are in a table");

    open.picture("view");
    open.assert_no_problems();
}
