//! Real boards and recordings on the whole page; `tests/links` has the links by themselves.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};

use super::{Open, SOON, open};

/// The stand-in for `navigator.serial`, with a virtual Pi in a worker at the far end of its line.
const STAND_IN: &str = include_str!("../links/serial_stand_in.js");
const BEHIND_IT: &str = "(async () => {
  const { SimulatedLink } = await import(new URL('link.js', location.href));
  const image = await (await fetch('kernel.img')).arrayBuffer();
  const machine = new SimulatedLink(image);
  window.sent = 0;
  const serial = new SerialStandIn({ send(bytes) { sent += bytes.length; machine.send(bytes); } });
  machine.onBytes = (bytes) => serial.port.deliver(bytes);
  Object.defineProperty(navigator, 'serial', { value: serial });
})()";

#[test]
fn a_recording_is_shown_to_its_end() {
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/qpuscope/tests/recorded.bin");
    let recording = recording.display().to_string();
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[&recording], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    page.wait(
        b,
        "window.qpuscope.state().status === 'The recording has ended.'",
        SOON,
    )
    .expect("its end");
    let state = page.eval(b, "window.qpuscope.state()").expect("a state");
    assert_eq!(
        (&state["records"], &state["link"]["kind"]),
        (&json!(2), &json!("socket"))
    );
    assert!(
        state["link"]["name"].to_string().contains("recorded.bin"),
        "{state}"
    );
    let hz = state["peaks"][0]["hz"].as_f64();
    assert!(hz.is_some_and(|hz| (hz - 6000.0).abs() < 5.0), "{state}");
    // A command to a recording is refused at once, in a sentence.
    page.click(b, "#start").expect("a button");
    page.wait(
        b,
        "window.qpuscope.state().status.includes('a recording takes no commands')",
        SOON,
    )
    .expect("a refusal");
    assert_eq!(page.problems(b), Vec::<String>::new());
}

#[test]
fn a_line_that_drops_is_reported_on_the_page_and_comes_back() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = format!("tcp:{}", listener.local_addr().expect("an address"));
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[&port], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    let (mut line, _) = listener.accept().expect("the tool connects");
    let name = format!("window.qpuscope.state().link?.name === {port:?}");
    page.wait(b, &name, SOON).expect("the line's name");
    line.write_all(b"first\n").expect("an open line");
    page.wait(
        b,
        "document.getElementById('banner').textContent === 'first\\n'",
        SOON,
    )
    .expect("text");
    // A message that no page sends has the server end the connection.
    page.eval(b, "window.qpuscope.app.link.send(new Uint8Array(1e5))")
        .expect("sent");
    page.wait(
        b,
        "window.qpuscope.state().status.startsWith('Connected with tcp:')",
        SOON,
    )
    .expect("again");
    drop(line);
    page.wait(
        b,
        "window.qpuscope.state().status.includes('was lost')",
        SOON,
    )
    .expect("a loss");
    let (mut line, _) = listener.accept().expect("the tool connects again");
    page.wait(
        b,
        "window.qpuscope.state().status.includes('is back')",
        SOON,
    )
    .expect("the line");
    line.write_all(b"second\n").expect("an open line");
    page.wait(
        b,
        "document.getElementById('banner').textContent.endsWith('second\\n')",
        SOON,
    )
    .expect("text");
}

#[test]
fn opening_a_serial_port_sends_a_board_nothing() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    page.wait(b, "window.qpuscope.state().records > 0", SOON)
        .expect("the page is up");
    page.eval(b, STAND_IN).expect("a stand-in");
    page.eval(b, BEHIND_IT).expect("a virtual Pi");
    page.click(b, "#use-serial").expect("a button");
    page.wait(b, "window.qpuscope.state().link?.kind === 'serial'", SOON)
        .expect("an open port");
    // The board streams its generator until it hears a byte.
    let before = page
        .eval(b, "window.qpuscope.state().records")
        .expect("a number");
    page.wait(
        b,
        &format!("window.qpuscope.state().records > {before} + 3"),
        SOON,
    )
    .expect("spectra");
    assert_eq!(page.eval(b, "sent").expect("a number"), json!(0));
    let calls = page.eval(b, "navigator.serial.calls").expect("calls");
    assert_eq!(
        calls,
        json!([
            "requestPort",
            "open {\"baudRate\":115200,\"bufferSize\":65536}"
        ])
    );
    // Its settings are those of every start.
    page.eval(b, "window.qpuscope.app.settings.refresh()")
        .expect("an answer");
    let settings = page
        .eval(b, "window.qpuscope.state().settings")
        .expect("settings");
    let value = |key: &str| settings[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        ["n", "window", "avg", "out"].map(value),
        ["1024", "hann", "16", "u16"]
    );
    page.eval(b, "navigator.serial.port.unplug()")
        .expect("unplugged");
    page.wait(
        b,
        "window.qpuscope.state().status.includes('was unplugged')",
        SOON,
    )
    .expect("a sentence");
    let link = page
        .eval(b, "window.qpuscope.state().link.kind")
        .expect("a state");
    assert_eq!(link, Value::Null);
}
