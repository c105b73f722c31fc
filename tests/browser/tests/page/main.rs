//! The page in headless Chromium, judged by its state and not by its pixels.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

/// Opens the page, or skips the test that asks for it: `open!(&[ARGUMENTS OF THE SERVER], &[FLAGS
/// OF CHROMIUM])`.
macro_rules! open {
    ($arguments:expr, $flags:expr) => {
        match crate::Machine::new() {
            Ok(machine) => crate::Open::new(&machine, $arguments, $flags),
            Err(why) => tests::skip!("{why}"),
        }
    };
}

mod boards;
mod flow;
mod instrument;
mod sources;
mod view;

use browser::{Browser, Page, Served};

/// Time for anything that a page does by itself.
const SOON: Duration = Duration::from_secs(40);

/// Roles that a reader acts on or hears of, and which therefore have names.
const NAMED_ROLES: [&str; 11] = [
    "application",
    "button",
    "combobox",
    "image",
    "link",
    "region",
    "slider",
    "spinbutton",
    "tab",
    "table",
    "textbox",
];

/// The things of this machine that the tests take.
struct Machine {
    /// The page's folder.
    folder: PathBuf,
    host: PathBuf,
    chromium: PathBuf,
}

impl Machine {
    /// They, or the sentence about the one that it lacks.
    fn new() -> Result<Self, String> {
        let folder = tests::folder("QPUSCOPE_PAGE").filter(|folder| folder.is_dir());
        let folder = folder
            .ok_or("QPUSCOPE_PAGE names no page; `cargo xtask test` builds it where Chromium is")?;
        let host = tests::given("QPUSCOPE_HOST").ok_or("QPUSCOPE_HOST names no qpuscope")?;
        let chromium = tests::folder("QPUSCOPE_CHROMIUM").ok_or(browser::NO_CHROMIUM)?;
        Ok(Self {
            folder,
            host,
            chromium,
        })
    }

    fn start(&self, flags: &[&str]) -> Browser {
        Browser::start(&self.chromium, flags).expect("Chromium starts")
    }

    fn serve(&self, folder: &Path, arguments: &[&str]) -> Served {
        Served::start(&self.host, folder, arguments).expect("the server starts")
    }
}

/// A page as a user has it: Chromium, the server, and the tab.
struct Open {
    page: Page,
    _browser: Browser,
    _served: Served,
}

impl Open {
    fn new(machine: &Machine, arguments: &[&str], flags: &[&str]) -> Self {
        let served = machine.serve(&machine.folder, arguments);
        let browser = machine.start(flags);
        Self {
            page: browser.open(&served.url).expect("the page opens"),
            _browser: browser,
            _served: served,
        }
    }

    /// Waits until an expression of the page's state `s` is true; returns its value.
    fn wait(&self, expression: &str) -> Value {
        let script = format!("(s => {expression})(window.qpuscope.state())");
        self.page
            .wait(&script, SOON)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn eval(&self, expression: &str) -> Value {
        self.page
            .eval(expression)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The state that the page shows to tests.
    fn state(&self) -> Value {
        self.eval("window.qpuscope.state()")
    }

    fn click(&self, selector: &str) {
        self.page.click(selector).expect(selector);
    }

    fn key(&self, key: &str) {
        self.page.key(key).expect(key);
    }

    /// Asserts that nothing was thrown, is missing, or was refused by the content security policy.
    fn assert_no_problems(&self) {
        assert_eq!(self.page.problems(), Vec::<String>::new());
    }

    /// Asserts that all controls have names; returns role and name of what a reader meets.
    fn named(&self) -> Vec<(String, String)> {
        let nodes = self.page.accessible().expect("a tree");
        let is_nameless = |(role, name): &&(String, String)| {
            NAMED_ROLES.contains(&&**role) && name.trim().is_empty()
        };
        let nameless: Vec<_> = nodes.iter().filter(is_nameless).collect();
        assert!(nameless.is_empty(), "{nameless:?}");
        nodes
    }

    /// Takes pictures at the size of a desktop and, in the dark scheme, of a phone, which the page
    /// has to fit.
    fn picture(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/web");
        let take = |size| {
            let path = folder.join(format!("{name}-{size}.png"));
            self.page.screenshot(&path).expect("a picture");
        };
        take("desktop");
        self.page.resize(360, 740, true).expect("a phone");
        self.wait("document.documentElement.scrollWidth <= 360");
        let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
        self.page
            .call("Emulation.setEmulatedMedia", dark)
            .expect("a dark scheme");
        take("phone");
    }
}

#[test]
fn the_virtual_pi_boots_and_sends_spectra() {
    let open = open!(&[], &[]);
    open.wait("s.records > 3 && s.settings.n === '1024'");
    let banner = open.eval("document.getElementById('banner').textContent");
    assert!(banner.to_string().contains("qpuscope"), "{banner}");
    open.assert_no_problems();
}
