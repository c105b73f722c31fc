//! The page in headless Chromium, judged by its state and not by its pixels.

use std::path::PathBuf;
use std::time::Duration;

mod boards;
mod flow;
mod instrument;
mod sources;
mod view;

use browser::{Browser, Page, Served};

/// Time for anything that a page does by itself.
const SOON: Duration = Duration::from_secs(40);

/// A page as a user has it: Chromium, the server, and the tab.
struct Open {
    browser: Browser,
    page: Page,
    _served: Served,
}

/// The page's folder and the tool that serves it, or why this machine cannot test them.
fn folder_and_host() -> Result<(PathBuf, PathBuf), String> {
    let folder = tests::folder("QPUSCOPE_PAGE").filter(|folder| folder.is_dir());
    let folder = folder
        .ok_or("QPUSCOPE_PAGE names no page; `cargo xtask test` builds it where Chromium is")?;
    let host: PathBuf = tests::given("QPUSCOPE_HOST").ok_or("QPUSCOPE_HOST names no qpuscope")?;
    if !Browser::is_installed() {
        return Err("Chromium is not installed".into());
    }
    Ok((folder, host))
}

/// Opens the page, or says why this machine cannot.
fn open(arguments: &[&str], flags: &[&str]) -> Result<Open, String> {
    let (folder, host) = folder_and_host()?;
    let served = Served::start(&host, &folder, arguments).expect("the server starts");
    let mut browser = Browser::start(flags).expect("Chromium starts");
    let page = browser.open(&served.url).expect("the page opens");
    Ok(Open {
        browser,
        page,
        _served: served,
    })
}

#[test]
fn the_virtual_pi_boots_and_sends_spectra() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    page.wait(&mut browser, "window.qpuscope.state().records > 3", SOON)
        .expect("spectra come");
    page.wait(
        &mut browser,
        "window.qpuscope.state().settings.n === '1024'",
        SOON,
    )
    .expect("settings come");
    let banner = page.eval(
        &mut browser,
        "document.getElementById('banner').textContent",
    );
    let banner = banner.expect("there is a banner").to_string();
    assert!(banner.contains("qpuscope"), "{banner}");
    assert_eq!(page.problems(&mut browser), Vec::<String>::new());
}
