//! The virtual Pi on the page: its generator, and what goes wrong around it.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{Machine, SOON};

/// A bin of the firmware's default block of 1024 points at the generator's 51.2 kS/s.
const BIN_HZ: f64 = 50.0;

#[test]
fn the_generators_tone_has_its_frequency_and_level() {
    let open = open!(&[], &[]);
    // The stronger of the generator's two tones: half of full scale (kernel/dsp/src/generator.rs).
    let peak = open.wait("s.peaks[0]");
    let value = |name: &str| peak[name].as_f64().expect("a number");
    assert!((value("hz") - 6400.0).abs() < BIN_HZ / 10.0, "{peak}");
    assert!((value("levelDb") + 6.0206).abs() < 0.1, "{peak}");
    // A refused setting is a sentence beside the settings, and the stream goes on.
    let refusal = open.eval("window.qpuscope.app.settings.set('n=1000')");
    assert!(
        refusal.as_str().is_some_and(|text| text.contains("65536")),
        "{refusal}"
    );
    let records = &open.state()["records"];
    open.wait(&format!("s.records > {records} + 2"));
    open.assert_no_problems();
}

#[test]
fn settings_that_are_sent_while_the_page_starts_are_answered() {
    let open = open!(&[], &[]);
    // One each 20 ms, so that some fall into the change of the line's rate.
    let script = "(async () => {
        const pause = () => new Promise((resolve) => setTimeout(resolve, 20));
        while (!window.qpuscope) await pause();
        const { app, state } = window.qpuscope;
        const answers = [];
        while (!state().ready) {
            if (app.board) answers.push(app.settings.set('n=1000'));
            await pause();
        }
        const others = (await Promise.all(answers)).filter((text) => !text.includes('65536'));
        return `${answers.length > 3} ${others}`;
    })()";
    assert_eq!(open.eval(script), "true ");
    open.assert_no_problems();
}

#[test]
fn settings_are_choices_of_the_board_and_typing_is_left_alone() {
    let open = open!(&[], &[]);
    open.wait("s.ready");
    let choices = |key: &str| {
        let script = format!(
            "[...document.getElementById('setting-{key}').options].map((option) => option.value)"
        );
        open.eval(&script)
    };
    assert_eq!(choices("n").as_array().map(Vec::len), Some(13));
    assert_eq!(choices("n")[12], "65536");
    assert_eq!(choices("window")[5], "kaiser:8.6");
    // Text would be no record.
    assert_eq!(choices("out"), json!(["f32", "u16", "u8"]));
    assert_eq!(choices("engine"), json!(["auto", "fft", "cpu"]));
    // A range is typed.
    assert_eq!(
        open.eval("document.getElementById('setting-exp').type"),
        "text"
    );
    let typed = "(async () => {
        const { settings } = window.qpuscope.app;
        const field = (key) => document.getElementById(`setting-${key}`);
        field('centre').focus();
        field('centre').value = '1e';
        field('centre').dispatchEvent(new Event('input'));
        await settings.set('n=2048 centre=5');
        return [field('n').value, field('centre').value, document.activeElement === field('centre')];
    })()";
    assert_eq!(open.eval(typed), json!(["2048", "1e", true]));
    // A value that is refused goes back.
    let refused = "(() => {
        const field = document.getElementById('setting-centre');
        field.dispatchEvent(new Event('change'));
    })()";
    open.eval(refused);
    open.wait(
        "s.note.includes('1e') && document.getElementById('setting-centre').value === '5.000'",
    );
    open.assert_no_problems();
}

#[test]
fn the_line_is_the_same_byte_for_byte_as_natively() {
    let open = open!(&[], &[]);
    let image = tests::need!(tests::kernel(), "{}", tests::NO_KERNEL);
    // Two virtual seconds, values and times. Slices are of no account: they differ here.
    let native = web::digest(&image, 2000, 20_000).expect("the board runs");
    let script = "(async () => {
        const { digest } = await import('/pkg/web.js');
        const image = await (await fetch('/kernel.img')).arrayBuffer();
        return digest(new Uint8Array(image), 2000, 500);
    })()";
    open.wait("window.qpuscope.app.scope");
    let here = open.eval(script);
    assert_eq!(here, native);
    let bytes = native.split(' ').next().map(str::parse::<u32>);
    assert!(matches!(bytes, Some(Ok(10_000..))), "{native}");
}

#[test]
fn a_machine_is_called_too_slow_when_two_seconds_have_shown_it() {
    let open = open!(&[], &[]);
    let script = "(async () => {
        const { Pace } = await import('/pace.js');
        const pace = new Pace();
        let now = 0;
        performance.now = () => now;
        while (!pace.sentence.includes('too slow') && now < 9000) {
            now += 100;
            pace.mark(now / 2000, false, 1);
        }
        return now;
    })()";
    assert_eq!(
        open.eval(script),
        2100,
        "milliseconds, of which the first mark took 100"
    );
}

#[test]
fn what_stops_the_virtual_pi_is_a_sentence() {
    let machine = match Machine::new() {
        Ok(machine) => machine,
        Err(why) => tests::skip!("{why}"),
    };
    let browser = machine.start(&[]);
    let page = browser.open("about:blank").expect("a tab");
    let says = |words: &str| {
        let says = format!("document.getElementById('status').textContent.includes({words:?})");
        page.wait(&says, SOON).expect(words);
    };
    let fails = |change: &dyn Fn(&Path), words: &str| {
        let copy = copied(&machine.folder);
        change(copy.path());
        let served = machine.serve(copy.path(), &[]);
        page.go(&served.url).expect("the page opens");
        says(words);
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
    fails(&write("pkg/web_bg.wasm", "no wasm"), "2023 or later");
    let without_module = |folder: &Path| fs::remove_file(folder.join("pace.js")).expect("a file");
    fails(&without_module, "A module of the page does not load");

    let without = json!({"source": "delete globalThis.WebAssembly"});
    page.call("Page.addScriptToEvaluateOnNewDocument", without)
        .expect("a script");
    fails(&|_| (), "has no WebAssembly");
    let file = format!("file://{}/index.html", machine.folder.display());
    page.go(&file).expect("the file opens");
    says("Serve its folder");
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
