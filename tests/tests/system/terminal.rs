//! A user with a terminal and nothing else, with the image that goes on the card.

use crate::line::{Line, Virtual};
use tests::{NO_KERNEL, need};
use virtual_pi::Config;

/// The text that a terminal shows; fails when it is sent a byte that is no text. Zero bytes, which
/// end a frame that was under way, are not shown.
fn shown(line: &mut Virtual, typed: &str, ms: u64) -> String {
    line.send(typed.as_bytes());
    let bytes = line.receive(ms);
    let is_text = |byte: &u8| matches!(byte, 0 | b'\r' | b'\n' | b' '..=b'~');
    let noise = bytes.iter().position(|byte| !is_text(byte));
    let text = String::from_utf8_lossy(&bytes).replace('\0', "");
    assert_eq!(noise, None, "no text in {text}");
    text
}

fn assert_draws(text: &str) {
    let lines = text
        .lines()
        .skip_while(|line| !line.contains("greatest bins, in dBFS"));
    let lines: Vec<&str> = lines.take(20).collect();
    assert_eq!(lines.len(), 20, "{text}");
    assert!(lines.iter().all(|line| line.len() <= 79), "{text}");
    // The generator's line at 6.4 kHz, a quarter of the way to 25.6 kHz.
    assert_eq!(lines[1].find('#'), Some(7 + 17), "{text}");
    assert!(lines[19].contains("5.100         10.250"), "{text}");
}

#[test]
fn with_out_text_in_cmdline_txt_a_terminal_sees_text_only() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let config = Config {
        cmdline: "out=text avg=64".into(),
        ..Config::default()
    };
    let mut line = Virtual::boot(&image, config);
    let text = shown(&mut line, "", 2_500);
    assert!(
        text.contains("engine: qpu") && text.contains("[6400.000 Hz -6.02 dBFS]"),
        "{text}"
    );
    assert_draws(&shown(&mut line, "plot\r", 1_000));
}

#[test]
fn after_out_text_is_typed_a_terminal_sees_text_only() {
    let image = need!(tests::kernel(), "{NO_KERNEL}");
    let mut line = Virtual::boot(&image, Config::default());
    // Records, and the end of one behind the first key.
    line.receive(700);
    line.send(b"out=text\r");
    line.receive(300);
    assert_draws(&shown(&mut line, "plot\r", 700));
    let text = shown(&mut line, "start\r", 1_500);
    assert!(text.contains("[6400.000 Hz -6.02 dBFS]"), "{text}");
    assert_draws(&shown(&mut line, "plot\rstop\rinfo\r", 1_000));
}
