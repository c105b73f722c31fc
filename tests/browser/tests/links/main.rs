//! The page's links to real boards in headless Chromium: `qpuscope web`, and Web Serial.
//!
//! The page here has nothing but the links, so these tests need no wasm.

mod hostile;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use browser::{Browser, Page, Served};
use serde_json::{Value, json};

/// Time for anything that a page does by itself.
const SOON: Duration = Duration::from_secs(40);

/// A browser, a folder with the page, and the program that serves it.
struct Bench {
    browser: Browser,
    folder: tempfile::TempDir,
    host: PathBuf,
}

impl Bench {
    /// The things that this machine has, or the one that it lacks.
    fn new() -> Result<Self, String> {
        let host = tests::given("QPUSCOPE_HOST").ok_or("QPUSCOPE_HOST names no qpuscope")?;
        let chromium = tests::folder("QPUSCOPE_CHROMIUM").ok_or(browser::NO_CHROMIUM)?;
        let folder = tempfile::tempdir().expect("a folder");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let sources = here.join("../../tools/web/page");
        for name in ["socket.js", "serial.js"] {
            fs::copy(sources.join(name), folder.path().join(name)).expect("a file of the page");
        }
        fs::copy(
            here.join("tests/links/page.js"),
            folder.path().join("page.js"),
        )
        .expect("a file");
        let index = "<!doctype html><title>links</title><link rel=\"icon\" href=\"data:,\">\
                     <script type=\"module\" src=\"page.js\"></script>";
        fs::write(folder.path().join("index.html"), index).expect("a file");
        Ok(Self {
            browser: Browser::start(&chromium, &[]).expect("Chromium starts"),
            folder,
            host,
        })
    }

    fn serve(&self, arguments: &[&str]) -> Served {
        Served::start(&self.host, self.folder.path(), arguments).expect("the server starts")
    }

    fn open(&self, url: &str) -> Page {
        let page = self.browser.open(url).expect("the page opens");
        self.wait(&page, "window.note");
        page
    }

    fn wait(&self, page: &Page, expression: &str) -> Value {
        page.wait(expression, SOON)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn eval(&self, page: &Page, expression: &str) -> Value {
        page.eval(expression)
            .unwrap_or_else(|error| panic!("{error}"))
    }
}

/// The far end of a line over TCP.
fn board() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = format!("tcp:{}", listener.local_addr().expect("an address"));
    (listener, port)
}

fn accept(listener: &TcpListener) -> TcpStream {
    let (stream, _) = listener.accept().expect("the tool connects");
    stream.set_read_timeout(Some(SOON)).expect("a limit");
    stream
}

#[test]
fn a_connection_that_drops_is_reported_and_comes_back() {
    let bench = match Bench::new() {
        Ok(bench) => bench,
        Err(why) => tests::skip!("{why}"),
    };
    let (listener, port) = board();
    let served = bench.serve(&[&port]);
    let at = served.url.split('#').next().unwrap_or_default().to_owned();
    let mut line = accept(&listener);
    let page = bench.open(&served.url);
    bench.wait(&page, "socket.source === 'port' && socket.writer");
    assert_eq!(
        bench.eval(&page, "location.href"),
        json!(at),
        "the token is out of sight"
    );
    line.write_all(b"\x01\x02\xff").expect("an open line");
    bench.wait(&page, "log.bytes.join() === '1,2,255'");
    bench.eval(&page, "socket.send(new Uint8Array([0, 7, 0]))");
    let mut heard = [0; 3];
    line.read_exact(&mut heard).expect("bytes of the page");
    // Opening had sent nothing before.
    assert_eq!(heard, [0, 7, 0]);
    // The server ends a connection with a message that no page sends.
    bench.eval(&page, "socket.send(new Uint8Array(1e5))");
    bench.wait(&page, "log.says.length === 2");
    let says = bench.eval(&page, "log.says");
    let dropped = "down: The connection to `qpuscope web` dropped. Connecting again.";
    assert_eq!(
        says,
        json!([dropped, format!("up: Connected with {port} again.")])
    );
    line.write_all(b"\x05").expect("an open line");
    bench.wait(&page, "log.bytes.length === 4");
    // The line behind the server is lost and comes back.
    drop(line);
    bench.wait(&page, "log.says[2]?.startsWith('down: the line tcp:')");
    let mut line = accept(&listener);
    bench.wait(&page, "log.says[3]?.startsWith('up: the line tcp:')");
    // A reloaded tab has the line as before.
    bench.eval(&page, "location.reload()");
    bench.wait(&page, "socket.source === 'port' && log.bytes.length === 0");
    line.write_all(b"\x09").expect("an open line");
    bench.wait(&page, "log.bytes.join() === '9'");
    // Another server at the same place has another token.
    let number = at
        .trim_end_matches('/')
        .rsplit(':')
        .next()
        .unwrap_or_default()
        .to_owned();
    drop(served);
    bench.wait(&page, "log.says[0]?.startsWith('down: ')");
    let (_listener, port) = board();
    let _served = bench.serve(&[&port, "--listen", &number]);
    bench.wait(
        &page,
        "log.says[1]?.startsWith('closed: The token is not that of this')",
    );
    let kept = bench.eval(&page, "sessionStorage.length");
    assert_eq!(kept, json!(0), "a token that opens nothing is kept");
}

#[test]
fn two_tabs_show_one_board_and_one_of_them_writes() {
    let bench = match Bench::new() {
        Ok(bench) => bench,
        Err(why) => tests::skip!("{why}"),
    };
    let (listener, port) = board();
    let served = bench.serve(&[&port]);
    let mut line = accept(&listener);
    let [first, second] = [(); 2].map(|()| bench.open(&served.url));
    bench.wait(&second, "socket.writer");
    bench.wait(&first, "socket.writer");
    line.write_all(b"\x01\x02").expect("an open line");
    for page in [&first, &second] {
        bench.wait(page, "log.bytes.join() === '1,2'");
    }
    bench.eval(&first, "socket.send(new Uint8Array([0, 3, 0]))");
    let mut heard = [0; 3];
    line.read_exact(&mut heard).expect("bytes of the page");
    assert_eq!(heard, [0, 3, 0]);
    bench.eval(&second, "socket.send(new Uint8Array([0, 4, 0]))");
    bench.wait(
        &second,
        "log.says[0]?.startsWith('refused: another tab writes to this board')",
    );
    first.close().expect("the tab closes");
    // Until the server has noticed, the second is refused as before.
    bench.wait(
        &second,
        "(log.says.length = 0, socket.send(new Uint8Array([0, 5, 0])), \
          new Promise((tell) => setTimeout(() => tell(log.says.length === 0), 200)))",
    );
    line.read_exact(&mut heard).expect("bytes of the page");
    assert_eq!(heard, [0, 5, 0]);
}

#[test]
fn a_port_is_opened_on_request_and_its_end_is_reported() {
    let bench = match Bench::new() {
        Ok(bench) => bench,
        Err(why) => tests::skip!("{why}"),
    };
    let served = bench.serve(&[]);
    let page = bench.open(&served.url);
    assert_eq!(
        bench.eval(&page, "socket"),
        Value::Null,
        "no token, no line"
    );
    bench.eval(&page, include_str!("serial_stand_in.js"));
    bench.eval(
        &page,
        "window.sent = []; window.serial = new SerialStandIn({ send: (bytes, rate) => sent.push([rate, ...bytes]) }); 0",
    );
    let failure = "openSerial(115200, serial).then(() => 'open', (error) => [error instanceof NoPort, error.message])";
    bench.eval(
        &page,
        "serial.refusal = new DOMException('No port selected by the user.', 'NotFoundError')",
    );
    assert_eq!(bench.eval(&page, failure), json!([true, ""]));
    bench.eval(
        &page,
        "serial.refusal = new DOMException('denied by policy', 'SecurityError')",
    );
    let refused = bench.eval(&page, failure)[1].to_string();
    assert!(
        refused.contains("allow them in the page's settings"),
        "{refused}"
    );
    bench.eval(&page, "serial.refusal = null; serial.calls.length = 0");
    bench.eval(&page, "openSerial(115200, serial).then((link) => { window.link = link; window.log = note(link); })");
    assert_eq!(
        bench.eval(&page, "link.name"),
        "USB serial port 0403:6001 at 115200 baud"
    );
    assert_eq!(
        bench.eval(&page, "sent"),
        json!([]),
        "opening sends nothing"
    );
    bench.eval(
        &page,
        "link.send(new Uint8Array([0, 1, 0])); serial.port.deliver(new Uint8Array([4, 5]))",
    );
    bench.wait(&page, "log.bytes.join() === '4,5' && sent.length === 1");
    // The rate changes behind what was sent before.
    bench.eval(
        &page,
        "link.send(new Uint8Array([2])); link.setBaud(921600); link.send(new Uint8Array([3]))",
    );
    bench.wait(&page, "sent.length === 3");
    assert_eq!(
        bench.eval(&page, "sent"),
        json!([[115_200, 0, 1, 0], [115_200, 2], [921_600, 3]])
    );
    bench.eval(&page, "serial.port.deliver(new Uint8Array([6]))");
    bench.wait(&page, "log.bytes.join() === '4,5,6'");
    // A break ends a stream of the browser and not the line.
    bench.eval(
        &page,
        "serial.port.disturb(); serial.port.deliver(new Uint8Array([7]))",
    );
    bench.wait(&page, "log.bytes.join() === '4,5,6,7'");
    bench.eval(&page, "serial.port.unplug()");
    bench.wait(&page, "log.says.length");
    let says = "closed: USB serial port 0403:6001 at 921600 baud was unplugged: plug the board in, and connect again.";
    assert_eq!(bench.eval(&page, "log.says"), json!([says]));
    let calls = json!([
        "requestPort",
        "open {\"baudRate\":115200,\"bufferSize\":65536}",
        "close",
        "open {\"baudRate\":921600,\"bufferSize\":65536}",
        "close"
    ]);
    bench.wait(&page, "serial.calls.length === 5");
    assert_eq!(bench.eval(&page, "serial.calls"), calls);
    let none = bench
        .eval(
            &page,
            "openSerial(115200, {}).catch((error) => error.message)",
        )
        .to_string();
    assert!(none.contains("start `qpuscope web PORT`"), "{none}");
    assert_eq!(page.problems(), Vec::<String>::new());
}
