//! The view: what only a browser shows of it. Its numbers are tested natively, in `tools/view`.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Open, SOON, open};
use browser::{Browser, Page};

/// The state that the page shows to tests.
fn state(browser: &mut Browser, page: &Page) -> Value {
    page.eval(browser, "window.qpuscope.state()")
        .expect("a state")
}

/// Waits until an expression of the state `s` is true.
fn wait(browser: &mut Browser, page: &Page, expression: &str) {
    let script = format!("(s => {expression})(window.qpuscope.state())");
    page.wait(browser, &script, SOON).expect(expression);
}

#[test]
fn keys_and_buttons_pause_hold_mark_zoom_and_save() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    wait(b, &page, "s.rows > 20 && s.peaks.length > 0");

    page.key(b, "p").expect("a key");
    wait(b, &page, "s.paused");
    let before = state(b, &page);
    wait(b, &page, &format!("s.records > {}", before["records"]));
    let after = state(b, &page);
    assert_eq!(
        (&after["rows"], &after["peaks"]),
        (&before["rows"], &before["peaks"])
    );
    page.click(b, "[data-do=pause]").expect("a button");
    wait(
        b,
        &page,
        &format!("!s.paused && s.rows > {}", before["rows"]),
    );

    page.click(b, "[data-trace=hold-max]").expect("a button");
    wait(b, &page, "s.hold.max && s.hold.records > 5");
    page.key(b, "r").expect("a key");
    wait(
        b,
        &page,
        &format!("s.hold.records < {}", after["hold"]["records"]),
    );

    page.key(b, "k").expect("a key");
    wait(b, &page, "s.markers.length === 1 && s.markers[0].peak");
    let marked = state(b, &page);
    let hz = |value: &Value| value["hz"].as_f64().expect("hertz");
    let apart = (hz(&marked["markers"][0]) - hz(&marked["peaks"][0])).abs();
    assert!(
        apart < marked["stream"]["binHz"].as_f64().expect("a bin"),
        "{apart}"
    );
    page.key(b, "+").expect("a key");
    wait(
        b,
        &page,
        "s.span.toHz - s.span.fromHz < 0.9 * (s.whole.toHz - s.whole.fromHz)",
    );
    page.click(b, "#spectrum").expect("the plot");
    wait(
        b,
        &page,
        "s.markers.length === 2 && s.markers[1].difference !== null",
    );
    page.key(b, "0").expect("a key");
    wait(b, &page, "s.span.fromHz === s.whole.fromHz");

    for (key, name, least) in [("s", "spectrum.png", 2000), ("c", "spectrum.csv", 1000)] {
        page.key(b, key).expect("a key");
        wait(
            b,
            &page,
            &format!("s.exported?.name === '{name}' && s.exported.bytes > {least}"),
        );
    }
    page.key(b, "?").expect("a key");
    page.wait(b, "document.getElementById('keys').open", SOON)
        .expect("the list of keys");
    page.click(b, "[data-do=close]").expect("a button");
    assert_eq!(page.problems(b), Vec::<String>::new());
}

#[test]
fn every_control_has_a_role_and_a_name_and_the_page_fits_a_phone() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    wait(b, &page, "s.peaks.length > 0 && s.settings?.n");
    let nodes = page.accessible(b).expect("a tree");
    let controls = [
        "button",
        "combobox",
        "textbox",
        "spinbutton",
        "tab",
        "image",
        "table",
        "region",
    ];
    let nameless: Vec<_> = nodes
        .iter()
        .filter(|(role, name)| controls.contains(&&**role) && name.trim().is_empty())
        .collect();
    assert!(nameless.is_empty(), "{nameless:?}");
    let cells = nodes
        .iter()
        .filter(|(role, name)| role == "cell" && name.contains("dBFS"));
    assert!(cells.count() > 0, "levels are in a table");

    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/web");
    page.screenshot(b, &folder.join("view-desktop.png"))
        .expect("a picture");
    page.resize(b, 360, 740, true).expect("a phone");
    page.wait(b, "document.documentElement.scrollWidth <= 360", SOON)
        .expect("it fits");
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    page.call(b, "Emulation.setEmulatedMedia", dark)
        .expect("a dark scheme");
    page.screenshot(b, &folder.join("view-phone.png"))
        .expect("a picture");
    assert_eq!(page.problems(b), Vec::<String>::new());
}
