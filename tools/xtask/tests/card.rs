//! `cargo xtask card` with words that name no folder.

use std::path::Path;
use std::process::Command;

#[test]
fn help_and_unknown_options_make_no_folder() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("card-help");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (word, status) in [("--help", 0), ("-h", 0), ("help", 0), ("--hepl", 1)] {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .args(["card", word])
            .current_dir(&folder)
            .output()
            .expect("xtask runs");
        assert_eq!(output.status.code(), Some(status), "{word}");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        assert!(
            text.contains("usage: cargo xtask card DIR"),
            "{word}: {text}"
        );
    }
    let made = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(made, 0, "nothing is made");
}
