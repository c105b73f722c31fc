//! The virtual Pi on the page: its generator, and what goes wrong around it.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{Open, SOON, folder_and_host, open};
use browser::{Browser, Served};

/// Points of the firmware's default block, and its rate: 50 Hz a bin.
const BIN_HZ: f64 = 50.0;

#[test]
fn the_generators_tone_has_its_frequency_and_level() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let b = &mut browser;
    page.wait(b, "window.qpuscope.state().peaks.length > 0", SOON)
        .expect("peaks");
    // `kernel/wire/PROTOCOL.md`: the generator's default tones, of which this one is the strongest.
    let peak = page
        .eval(b, "window.qpuscope.state().peaks[0]")
        .expect("a peak");
    let value = |name: &str| peak[name].as_f64().expect("a number");
    assert!((value("hz") - 6400.0).abs() < BIN_HZ / 10.0, "{peak}");
    assert!((value("levelDb") + 6.0206).abs() < 0.1, "{peak}");
    // A refused setting is a sentence beside the settings, and the stream goes on.
    let refusal = page
        .eval(b, "window.qpuscope.app.settings.set('n=1000')")
        .expect("an answer");
    assert!(
        refusal.as_str().is_some_and(|text| text.contains("65536")),
        "{refusal}"
    );
    let records = page
        .eval(b, "window.qpuscope.state().records")
        .expect("a number");
    let more = format!("window.qpuscope.state().records > {records} + 2");
    page.wait(b, &more, SOON).expect("spectra go on");
    // Nothing was refused by the content security policy, and nothing is missing.
    assert_eq!(page.problems(b), Vec::<String>::new());
}

#[test]
fn the_line_is_the_same_byte_for_byte_as_natively() {
    let Open {
        mut browser,
        page,
        _served,
    } = match open(&[], &[]) {
        Ok(open) => open,
        Err(why) => tests::skip!("{why}"),
    };
    let image = tests::need!(tests::kernel(), "{}", tests::NO_KERNEL);
    // Two virtual seconds, values and times. Slices are of no account: they differ here.
    let native = web::digest(&image, 2000, 20_000).expect("the board runs");
    let script = "(async () => {
        const { digest } = await import('/pkg/web.js');
        const image = await (await fetch('/kernel.img')).arrayBuffer();
        return digest(new Uint8Array(image), 2000, 500);
    })()";
    page.wait(&mut browser, "window.qpuscope.app.scope", SOON)
        .expect("the module");
    let here = page.eval(&mut browser, script).expect("the board runs");
    assert_eq!(here, native);
    let bytes: u32 = native
        .split(' ')
        .next()
        .and_then(|count| count.parse().ok())
        .unwrap_or(0);
    assert!(bytes > 10_000, "{native}");
}

#[test]
fn what_stops_the_virtual_pi_is_a_sentence() {
    let (folder, host) = match folder_and_host() {
        Ok(both) => both,
        Err(why) => tests::skip!("{why}"),
    };
    let mut browser = Browser::start(&[]).expect("Chromium starts");
    let b = &mut browser;
    let status = "document.getElementById('status').textContent";
    let mut fails = |change: &dyn Fn(&Path), words: &str| {
        let copy = copied(&folder);
        change(copy.path());
        let served = Served::start(&host, copy.path(), &[]).expect("the server starts");
        let page = b.open(&served.url).expect("the page opens");
        let says = format!("{status}.includes({words:?})");
        page.wait(b, &says, SOON).expect(words);
        page.close(b).expect("a tab");
    };
    let write = |name: &'static str, text: &'static str| {
        move |folder: &Path| fs::write(folder.join(name), text).expect("a file")
    };
    let without_image = |folder: &Path| fs::remove_file(folder.join("kernel.img")).expect("a file");
    fails(&without_image, "copy the whole folder");
    fails(&write("kernel.img", "\u{7f}ELF"), "The virtual Pi stopped");
    fails(
        &write("machine-worker.js", "throw new Error('no')"),
        "worker died",
    );
    fails(&write("pkg/web_bg.wasm", "no wasm"), "does not start");

    let served = Served::start(&host, &folder, &[]).expect("the server starts");
    let page = b.open("about:blank").expect("a tab");
    let without = json!({"source": "delete globalThis.WebAssembly"});
    page.call(b, "Page.addScriptToEvaluateOnNewDocument", without)
        .expect("a script");
    page.go(b, &served.url).expect("the page opens");
    page.wait(b, &format!("{status}.includes('has no WebAssembly')"), SOON)
        .expect("a sentence");
    let file = format!("file://{}/index.html", folder.display());
    page.go(b, &file).expect("the file opens");
    page.wait(b, &format!("{status}.includes('Serve its folder')"), SOON)
        .expect("a sentence");
}

/// A copy of the page, to be spoilt.
fn copied(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    fs::create_dir(copy.path().join("pkg")).expect("a folder");
    for below in [Path::new(""), Path::new("pkg")] {
        for entry in fs::read_dir(folder.join(below)).expect("a page") {
            let entry = entry.expect("an entry");
            if entry.path().is_file() {
                let to = copy.path().join(below).join(entry.file_name());
                fs::copy(entry.path(), to).expect("a copy");
            }
        }
    }
    copy
}
