//! docs/qpu-tutorial, done as a reader would: every command is run and prints what the text says.
//!
//! Each page lies in a folder with its programs. The commands of its `console` blocks are run by
//! `sh`, one after the other, in a copy of that folder; what they print on both outputs is compared
//! with the lines that follow, and a status other than 0 with `[status N]`. `QPUSCOPE_BLESS=1`
//! writes what was printed into the pages instead. Jobs lie where a board has memory for them, and
//! one of each part is run on the virtual Pi, beside the simulated V3D.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use serde_json::Value;

use tests::tools::{qpu, run, sim};

/// The folders of the tutorial, in the reader's order, each with the job that a board runs.
const PARTS: [(&str, &str); 6] = [
    ("1-hello", "hello.json"),
    ("2-collatz", "collatz.json"),
    ("3-sum", "sum8.json"),
    ("4-fast", "both.json"),
    ("5-fft", "four.json"),
    ("6-sha256", "twelve.json"),
];
/// The memory that the firmware has for jobs.
const JOBS: std::ops::Range<u64> = 0x4100_0000..0x4300_0000;

/// A page after its commands, which have left their files in a folder.
struct Done {
    part: &'static str,
    job: &'static str,
    folder: PathBuf,
    page: String,
    as_printed: String,
    commands: usize,
}

/// All parts, each done once, whichever test is the first.
static DONE: LazyLock<Vec<Done>> = LazyLock::new(|| PARTS.map(done).into());

fn tutorial() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/qpu-tutorial")
}

/// A fresh copy of a part's files.
fn copy_of(part: &str) -> PathBuf {
    let copy = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("qpu-tutorial")
        .join(part);
    let _ = fs::remove_dir_all(&copy);
    fs::create_dir_all(&copy).expect("a folder for files");
    for entry in fs::read_dir(tutorial().join(part)).expect("a folder for each part") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("files have names");
        fs::copy(&path, copy.join(name)).expect("a part has files only");
    }
    copy
}

fn done((part, job): (&'static str, &'static str)) -> Done {
    let path = tutorial().join(part).join("README.md");
    let page = fs::read_to_string(&path).expect("a page in each folder");
    let folder = copy_of(part);
    let (as_printed, commands) = as_printed(&page, &folder);
    Done {
        part,
        job,
        folder,
        page,
        as_printed,
        commands,
    }
}

/// The output of a command, and its status when that is not 0.
fn printed(command: &str, folder: &Path) -> String {
    let program = tests::tools::path("qpu");
    tests::transcript::printed(command, folder, program.parent().expect("a folder"))
}

/// The page as it would be if it said what its commands print, and the number of commands.
fn as_printed(page: &str, folder: &Path) -> (String, usize) {
    let mut text = String::new();
    let mut commands = 0;
    let mut lines = page.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        let command = line.strip_prefix("$ ").filter(|_| inside);
        // What follows a command is what it printed when the page was written.
        if inside && command.is_none() && line != "```" {
            continue;
        }
        let _ = writeln!(text, "{line}");
        match line {
            "```console" => inside = true,
            "```" => inside = false,
            _ => {}
        }
        let Some(command) = command else { continue };
        commands += 1;
        let mut command = command.to_owned();
        while command.ends_with('\\') {
            let more = lines
                .next()
                .expect("a command that goes on has another line");
            let _ = writeln!(text, "{more}");
            command = format!("{command}\n{more}");
        }
        text.push_str(&printed(&command, folder));
    }
    (text, commands)
}

#[test]
fn every_command_prints_what_the_text_says() {
    for done in DONE.iter() {
        let part = done.part;
        assert!(done.commands >= 3, "{part} has {} commands", done.commands);
        if std::env::var_os("QPUSCOPE_BLESS").is_some() {
            let path = tutorial().join(part).join("README.md");
            fs::write(path, &done.as_printed).expect("the page can be written");
            continue;
        }
        let (page, text) = (&done.page, &done.as_printed);
        let differs = page
            .lines()
            .zip(text.lines())
            .find(|(says, prints)| says != prints);
        assert_eq!(
            (differs, text.lines().count()),
            (None, page.lines().count()),
            "{part}: the page says the first, a command prints the second; QPUSCOPE_BLESS=1 rewrites it"
        );
    }
}

#[test]
fn every_part_is_in_the_table_of_contents_and_every_file_in_its_part() {
    let contents = fs::read_to_string(tutorial().join("README.md")).expect("the first page");
    for (part, _) in PARTS {
        assert!(contents.contains(&format!("({part}/README.md)")), "{part}");
        let page = fs::read_to_string(tutorial().join(part).join("README.md")).expect("a page");
        for name in files(&tutorial().join(part)) {
            assert!(
                name == "README.md" || page.contains(&format!("({name})")),
                "{part}: {name}"
            );
        }
    }
}

/// The names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder for each part");
    let names = entries.map(|entry| entry.expect("a file").file_name().into_string());
    names.map(|name| name.expect("ASCII")).collect()
}

#[test]
fn every_job_lies_where_a_board_has_memory_for_jobs() {
    let mut jobs = 0;
    for (part, of_board) in PARTS {
        let folder = tutorial().join(part);
        let names = files(&folder);
        assert!(names.iter().any(|name| name == of_board), "{part}");
        for name in names.iter().filter(|name| name.ends_with(".json")) {
            let text = fs::read_to_string(folder.join(name)).expect("a job");
            let job: Value = serde_json::from_str(&text).expect("a job");
            let entries = job["memory"].as_array().expect("a list");
            for entry in entries {
                let at = number(&entry["at"]);
                assert!(JOBS.contains(&at), "{part}/{name}: {at:#x}");
            }
            // Addresses among the uniforms, too.
            let words = entries.iter().filter_map(|entry| entry["words"].as_array());
            for word in words.flatten().filter(|word| word.is_string()).map(number) {
                let is_data = word == 0x6162_6380;
                assert!(is_data || JOBS.contains(&word), "{part}/{name}: {word:#x}");
            }
            jobs += 1;
        }
    }
    assert!(jobs >= 18, "{jobs} jobs");
}

/// A number of a job file that is written as hexadecimal text.
fn number(value: &Value) -> u64 {
    let digits = value.as_str().and_then(|text| text.strip_prefix("0x"));
    u64::from_str_radix(digits.expect("hexadecimal"), 16).expect("hexadecimal")
}

/// The memory that a run of a job leaves, from the file that its dump names.
fn dump(command: &mut Command, folder: &Path) -> Vec<u8> {
    let file = folder.join("result.bin");
    let _ = fs::remove_file(&file);
    let (_, status, said) = run(command.current_dir(folder));
    assert_eq!(status, 0, "{}: {said}", folder.display());
    fs::read(&file).expect("a dump")
}

#[test]
fn a_job_of_each_part_leaves_on_a_board_what_it_leaves_on_the_simulator() {
    let test = "a_job_of_each_part_leaves_on_a_board_what_it_leaves_on_the_simulator";
    let Some(image) = tests::tools::image(test) else {
        return;
    };
    for done in DONE.iter() {
        let simulated = dump(qpu().args(["run", done.job]), &done.folder);
        let board = ["run", done.job, "-q", "--port", &sim(&image)];
        let on_board = dump(qpu().args(board), &done.folder);
        assert!(simulated == on_board, "{}", done.job);
    }
    // The job that hangs, with a limit of 4 ms.
    let folder = &DONE
        .iter()
        .find(|done| done.part == "3-sum")
        .expect("part 3")
        .folder;
    let alone = fs::read_to_string(folder.join("alone.json")).expect("a job");
    let limited = alone.replacen('{', "{ \"limit_cycles\": 1000000,", 1);
    fs::write(folder.join("limited.json"), limited).expect("a file");
    let board = ["run", "limited.json", "-q", "--port", &sim(&image)];
    let (_, status, said) = run(qpu().args(board).current_dir(folder));
    assert!(
        status != 0 && said.contains("did not end within 4000 us and V3D was restarted"),
        "{status}: {said}"
    );
}
