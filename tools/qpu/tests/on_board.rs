//! Jobs, pictures and plans on the QPUs of a board: the real image on the virtual Pi, beside the
//! simulated V3D. Skipped where `QPUSCOPE_KERNEL` names no image.

use std::path::{Path, PathBuf};

use serde_json::Value;

use tests::tools::image;
use tests::tools::{qpu, run, sim};
use workbench::plane::{Picture, png};

fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for files");
    folder
}

/// Rows and columns of a picture, whose sides need plans of their own.
#[test]
fn a_picture_is_transformed_by_a_board_as_by_the_simulator() {
    let Some(image) = image("a_picture_is_transformed_by_a_board_as_by_the_simulator") else {
        return;
    };
    let folder = empty_folder("picture");
    let at = |name: &str| folder.join(name).display().to_string();
    let pixels = (0..64 * 32).map(|index| (index * 37 % 256) as f32 / 255.0);
    let picture = Picture {
        width: 64,
        height: 32,
        pixels: pixels.collect(),
    };
    png::write(&picture, &folder.join("in.png")).expect("a picture");
    let fft2 = |bins: &str, more: &[&str]| {
        let mut command = qpu();
        command.args(["fft2", &at("in.png"), &at("out.png"), "--mask", "low:0.3"]);
        run(command.args(["--spectrum", &at(bins), "-q"]).args(more))
    };
    let (_, status, said) = fft2("simulated.npy", &[]);
    assert_eq!(status, 0, "{said}");
    let filtered = std::fs::read(folder.join("out.png")).expect("a picture");
    let (_, status, said) = fft2("board.npy", &["--port", &sim(&image)]);
    assert_eq!(status, 0, "{said}");
    assert!(said.contains("virtual Pi") && said.contains("ms"), "{said}");
    // The most that its UART can: no cable is in the way.
    assert!(said.contains("at 3000000 baud"), "{said}");
    let [simulated, board] =
        ["simulated.npy", "board.npy"].map(|name| std::fs::read(folder.join(name)).expect("bins"));
    assert!(simulated == board, "other bins");
    assert!(filtered == std::fs::read(folder.join("out.png")).expect("a picture"));

    let (_, status, said) = fft2("none.npy", &["--port", &format!("{}?no-v3d", sim(&image))]);
    assert!(status != 0 && said.contains("V3D was not found"), "{said}");
}

/// Sixteen numbers from 100 on, which a QPU adds and stores.
const NUMBERS: &str = "mov ra0, unif\nmov rb0, unif\nldi vw_setup, 0x1a00\nmov r0, elem_num\nadd vpm, ra0, r0\n\
    ldi vw_setup, 0x80904000\nldi vw_setup, 0xc0000000\nmov vw_addr, rb0\nmov -, vw_wait\nnop; thrend\nnop\nnop\n";

#[test]
fn a_job_leaves_on_a_board_what_it_leaves_on_the_simulator() {
    let Some(image) = image("a_job_leaves_on_a_board_what_it_leaves_on_the_simulator") else {
        return;
    };
    let folder = empty_folder("job");
    let at = |name: &str| folder.join(name).display().to_string();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("a file");
    let assemble = |name: &str, text: &str| {
        write("code.qasm", text);
        let (_, status, said) =
            run(qpu().args(["asm", &at("code.qasm"), "--format", "bin", "-o", &at(name)]));
        assert_eq!(status, 0, "{said}");
    };
    assemble("code.bin", NUMBERS);
    assemble("endless.bin", ":again\nbrr -, again\nnop\nnop\nnop\n");
    let job = |start: &str, code: &str| {
        format!(
            r#"{{"memory": [{{"at": "{start}000", "file": "{code}"}}, {{"at": "{start}400", "words": [100, "{start}804"]}},
               {{"at": "{start}800", "zero": 256}}],
               "programs": [{{"code": "{start}000", "uniforms": "{start}400"}}],
               "dump": [{{"at": "{start}803", "bytes": 70, "file": "out.bin"}}], "limit_cycles": 1000000}}"#
        )
    };
    let go = |text: &str, more: &[&str]| {
        write("job.json", text);
        run(qpu().args(["run", &at("job.json"), "-q"]).args(more))
    };
    let there = job("0x41000", "code.bin");
    let board = ["--port", &sim(&image)];
    let (_, status, said) = go(&there, &[]);
    assert_eq!(status, 0, "{said}");
    let simulated = std::fs::read(folder.join("out.bin")).expect("a dump");
    assert_eq!(simulated[1..9], [100, 0, 0, 0, 101, 0, 0, 0]);
    std::fs::remove_file(folder.join("out.bin")).expect("a dump");
    let (output, status, said) = go(&there, &board);
    assert_eq!(status, 0, "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a JSON object");
    assert_eq!(report["end"], "completed");
    assert!(
        report["elapsed_us"].as_u64().is_some_and(|us| us < 100),
        "{report}"
    );
    assert_eq!(
        std::fs::read(folder.join("out.bin")).expect("a dump"),
        simulated
    );

    let (_, status, said) = go(&job("0x40000", "code.bin"), &board);
    assert!(status == 2 && said.contains("0x41000000"), "{said}");
    let (_, status, said) = go(&job("0x41000", "endless.bin"), &board);
    assert!(
        status != 0 && said.contains("did not end within 4000 us"),
        "{said}"
    );
    let (_, status, said) = go(&there, &[board[0], board[1], "--strict"]);
    assert!(
        status == 2 && said.contains("cannot be used with"),
        "{said}"
    );
}

#[test]
fn a_plan_is_timed_on_a_board_beside_the_simulator() {
    let Some(image) = image("a_plan_is_timed_on_a_board_beside_the_simulator") else {
        return;
    };
    let plan =
        |n: &str| run(qpu().args(["plan", n, "--time", "--json", "-q", "--port", &sim(&image)]));
    let (output, status, said) = plan("8192");
    assert_eq!(status, 0, "{said}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a JSON object");
    let us = |key: &str| report[key].as_f64().expect("microseconds");
    // Starts and ends of launches are the ARM's, and what it did before decides which lines the
    // system L2 holds.
    let ratio = us("measured_us") / us("us");
    assert!((0.9..1.1).contains(&ratio), "{report}");
    let (_, status, said) = plan("4194304");
    assert!(
        status != 0 && said.contains("bytes of the board's memory"),
        "{said}"
    );
}
