//! Real boards and recordings on the whole page; `tests/links` has the links by themselves.

use std::io::Write;
use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};

use super::Open;

/// The stand-in for `navigator.serial`, with a virtual Pi in a worker at the far end of its line.
const STAND_IN: &str = include_str!("../links/serial_stand_in.js");
const BEHIND_IT: &str = "(async () => {
  const { SimulatedLink } = await import(new URL('link.js', location.href));
  const image = await (await fetch('kernel.img')).arrayBuffer();
  const machine = new SimulatedLink(image);
  window.sent = 0;
  const serial = new SerialStandIn({ send(bytes) { sent += bytes.length; machine.send(bytes); } });
  machine.onBytes = (bytes) => { if (window.qpuscope.app.link?.kind === 'serial') serial.port.deliver(bytes); };
  Object.defineProperty(navigator, 'serial', { value: serial, configurable: true });
})()";

#[test]
fn a_recording_is_shown_to_its_end() {
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/host/tests/recorded.bin");
    let recording = recording.display().to_string();
    let open = open!(&[&recording], &[]);
    open.wait("s.status === 'The recording has ended.'");
    let state = open.eval("window.qpuscope.state()");
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
    open.click("#start");
    open.wait("s.status.includes('a recording takes no commands')");
    open.assert_no_problems();
}

#[test]
fn a_line_that_drops_is_reported_on_the_page_and_comes_back() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = format!("tcp:{}", listener.local_addr().expect("an address"));
    let open = open!(&[&port], &[]);
    let (mut line, _) = listener.accept().expect("the tool connects");
    let name = format!("window.qpuscope.state().link?.name === {port:?}");
    open.wait(&name);
    line.write_all(b"first\n").expect("an open line");
    open.wait("document.getElementById('banner').textContent === 'first\\n'");
    // A message that no page sends has the server end the connection.
    open.eval("window.qpuscope.app.link.send(new Uint8Array(1e5))");
    open.wait("s.status.startsWith('Connected with tcp:')");
    drop(line);
    open.wait("s.status.includes('was lost')");
    let (mut line, _) = listener.accept().expect("the tool connects again");
    open.wait("s.status.includes('is back')");
    line.write_all(b"second\n").expect("an open line");
    open.wait("document.getElementById('banner').textContent.endsWith('second\\n')");
}

/// Saves a table, and returns its first line.
fn caption(open: &Open) -> String {
    open.eval("window.qpuscope.app.view.do('csv')");
    let text = open.eval("window.saved.text()");
    let first = text.as_str().and_then(|text| text.lines().next());
    first.unwrap_or_default().to_owned()
}

#[test]
fn a_saved_picture_names_the_line_that_it_is_of() {
    let open = open!(&[], &[]);
    open.wait("s.ready && s.records > 0");
    open.eval(
        "{ const make = URL.createObjectURL; URL.createObjectURL = (blob) => { window.saved = blob; return make(blob); }; }",
    );
    let simulated = caption(&open);
    assert!(
        simulated.starts_with("# virtual Pi (simulated); generator"),
        "{simulated}"
    );
    open.eval(STAND_IN);
    // What comes behind it is held back.
    open.eval("window.quiet = new SerialStandIn({ send() {} })");
    open.eval("Object.defineProperty(navigator, 'serial', { value: quiet, configurable: true })");
    open.click("#use-serial");
    open.wait("s.link?.kind === 'serial'");
    let before = caption(&open);
    assert!(
        before.starts_with("# virtual Pi (simulated) (the line before); generator"),
        "{before}"
    );
    open.eval(BEHIND_IT);
    let records = open.state()["records"].clone();
    open.click("#use-serial");
    open.wait(&format!(
        "s.link?.kind === 'serial' && s.records > {records}"
    ));
    let real = caption(&open);
    assert!(real.contains("serial port"), "{real}");
    assert!(!real.contains("simulated"), "{real}");
    open.assert_no_problems();
}

#[test]
fn a_board_that_is_chosen_while_the_virtual_pi_boots_gets_nothing() {
    let open = open!(&[], &[]);
    open.wait("s.ready && s.records > 0");
    open.eval(STAND_IN);
    open.eval(BEHIND_IT);
    // A boot whose image comes late changes nothing any more.
    open.eval(
        "{ const get = window.fetch;
           window.fetch = (...what) => new Promise((resolve) => { window.release = () => resolve(get(...what)); }); }",
    );
    open.click("#use-simulated");
    open.wait("window.release");
    open.click("#use-serial");
    open.wait("s.link?.kind === 'serial'");
    open.eval("release()");
    open.eval("window.qpuscope.app.ready");
    assert_eq!(
        open.eval("[window.qpuscope.state().link.kind, window.qpuscope.state().ready, sent]"),
        json!(["serial", true, 0])
    );
    // Neither does one that was about to start its stream, nor a setting that was on its way.
    open.eval("window.release = null");
    open.click("#use-simulated");
    open.wait("window.release");
    open.eval(
        "{ const { settings } = window.qpuscope.app;
           settings.refresh = () => new Promise((resolve) => { window.midway = resolve; }); }",
    );
    open.eval("release()");
    open.wait("window.midway");
    open.click("#use-serial");
    open.wait("s.link?.kind === 'serial'");
    open.eval("midway()");
    open.eval("window.qpuscope.app.ready");
    open.eval("window.release = null");
    open.click("#use-simulated");
    open.wait("window.release");
    open.eval("window.midway = null");
    open.eval("release()");
    open.wait("window.midway");
    open.eval("midway()");
    open.wait("s.ready && s.link?.kind === 'simulated'");
    let refusal = open.eval(
        "(async () => {
           const { openSerial } = await import(new URL('serial.js', location.href));
           const link = await openSerial();
           const { app } = window.qpuscope;
           const setting = app.settings.set('avg=8');
           app.use(link);
           return setting;
         })()",
    );
    assert_eq!(refusal, json!("The line was closed."));
    let before = open.state()["records"].clone();
    open.wait(&format!("s.records > {before} + 3"));
    assert_eq!(open.eval("sent"), json!(0));
    // A file is for the virtual Pi, which is said where it is seen.
    open.eval("window.qpuscope.app.sources.file(new File(['x'], 'tone.wav'))");
    open.wait("s.status.startsWith('Sources are those of the virtual Pi')");
    assert_eq!(open.eval("sent"), json!(0));
    open.assert_no_problems();
}

#[test]
fn opening_a_serial_port_sends_a_board_nothing() {
    let open = open!(&[], &[]);
    open.wait("s.records > 0");
    open.eval(STAND_IN);
    open.eval(BEHIND_IT);
    open.click("#use-serial");
    open.wait("s.link?.kind === 'serial'");
    // The board streams its generator until it hears a byte.
    let before = open.eval("window.qpuscope.state().records");
    open.wait(&format!("s.records > {before} + 3"));
    assert_eq!(open.eval("sent"), json!(0));
    let calls = open.eval("navigator.serial.calls");
    assert_eq!(
        calls,
        json!([
            "requestPort",
            "open {\"baudRate\":115200,\"bufferSize\":65536}"
        ])
    );
    // Its settings are those of every start.
    open.eval("window.qpuscope.app.settings.refresh()");
    let settings = open.eval("window.qpuscope.state().settings");
    let value = |key: &str| settings[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        ["n", "window", "avg", "out"].map(value),
        ["1024", "hann", "16", "u16"]
    );
    open.eval("navigator.serial.port.unplug()");
    open.wait("s.status.includes('was unplugged')");
    let link = open.eval("window.qpuscope.state().link.kind");
    assert_eq!(link, Value::Null);
}
