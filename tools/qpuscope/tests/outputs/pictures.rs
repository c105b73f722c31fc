//! One picture of all records, or one of each.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use tiny_skia::Pixmap;

use super::stream::Stream;
use super::{BURST, CENTRE_HZ, POINTS, RATE_HZ, STEADY, folder, power, read, recording};
use tests::tools::skip;
use tests::tools::{qpuscope, run};

/// Names in a folder that end so.
fn names(folder: &Path, ending: &str) -> Vec<String> {
    let entries = folder.read_dir().expect("a folder").flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(ending))
        .collect();
    names.sort();
    names
}

/// Lightness of a point of a picture, from 0 to 255.
fn lightness(picture: &Pixmap, (x, y): (u32, u32)) -> f64 {
    let point = picture.pixel(x, y).expect("a point of the picture");
    0.2126 * f64::from(point.red())
        + 0.7152 * f64::from(point.green())
        + 0.0722 * f64::from(point.blue())
}

#[test]
fn one_picture_shows_all_records_with_gaps_and_the_strong_on_paper_dark() {
    let folder = folder("waterfall");
    recording(&folder.join("line.bin"), 40, 16..24);
    // The edges of the points within the picture.
    let (left, width, top, height) = (118, 1070, 96, 550);
    let x = |bin: usize| left + width * (2 * bin as u32 + 1) / (2 * POINTS);
    let y = |record: u32| top + height * (2 * record + 1) / 80;
    for (theme, sign) in [("print", -1.0), ("dark", 1.0)] {
        let (printed, _) = read(&folder, &format!("--format png --theme {theme}"));
        assert_eq!(printed, b"./waterfall.png\n");
        assert_eq!(names(&folder, ".png"), ["waterfall.png"]);
        let file = std::fs::read(folder.join("waterfall.png")).expect("a picture");
        let picture = Pixmap::decode_png(&file).expect("a PNG");
        let above_noise = |bin: usize, record: u32| {
            let noise = lightness(&picture, (x(120), y(record)));
            sign * (lightness(&picture, (x(bin), y(record))) - noise)
        };
        for record in (0..16).chain(24..40) {
            let (steady, burst) = (above_noise(STEADY, record), above_noise(BURST, record));
            assert!(steady > 150.0, "{theme} {record}: {steady}");
            let is_burst = (5..8).contains(&record);
            assert_eq!(burst > 90.0, is_burst, "{theme} {record}: {burst}");
            assert!(!is_burst || burst < steady, "{theme}: it is weaker");
        }
        // A gap is hatched: of two colours, wherever it is looked at.
        for record in 16..24 {
            let row: Vec<_> = (x(STEADY)..x(STEADY) + 16)
                .map(|x| picture.pixel(x, y(record)))
                .collect();
            let mut colours = row.clone();
            colours.sort_by_key(|point| point.map(|point| point.red()));
            colours.dedup();
            assert_eq!(colours.len(), 2, "{theme} {record}: {row:?}");
        }
    }
    read(&folder, "--format svg");
    let picture = std::fs::read_to_string(folder.join("waterfall.svg")).expect("a picture");
    for label in [
        "Waterfall of the built-in generator",
        "Time (s)",
        "Frequency (MHz)",
        "145.05",
        "dBFS",
        "hatched: no record",
        "32 records · N = 256 complex",
    ] {
        assert!(
            picture.contains(&format!("aria-label=\"{label}")) || picture.contains(label),
            "{label}"
        );
    }
    assert!(picture.contains("data:image/png;base64,"));
    assert!(
        !picture.contains("a point is the"),
        "nothing shares a point"
    );
}

#[test]
fn pictures_of_each_record_are_drawn_when_they_are_asked_for() {
    let folder = folder("each");
    recording(&folder.join("line.bin"), 3, 0..0);
    let (printed, _) = read(&folder, "--format svg --each");
    let wanted = [
        "spectrum-0001.svg",
        "spectrum-0002.svg",
        "spectrum-0003.svg",
    ];
    assert_eq!(names(&folder, ".svg"), wanted);
    assert_eq!(printed.iter().filter(|byte| **byte == b'\n').count(), 3);
    let mut command = qpuscope();
    let words = ["read", "line.bin", "--each"];
    let (_, status, said) = run(command.current_dir(&folder).args(words));
    assert!(status == 2 && said.contains("give --format png"), "{said}");
}

#[test]
fn a_single_record_is_a_chart() {
    let folder = folder("single");
    recording(&folder.join("line.bin"), 3, 0..0);
    read(&folder, "--format png --count 1");
    assert_eq!(names(&folder, ".png"), ["spectrum.png"]);
}

#[test]
fn records_of_other_settings_have_a_picture_of_their_own() {
    let folder = folder("settings");
    let mut stream = Stream::new(POINTS, RATE_HZ, CENTRE_HZ);
    for (record, points) in [(0, 256), (1, 256), (2, 512), (3, 512)] {
        if record == 2 {
            stream.set(512);
        }
        stream.record(record, 100_000 * u64::from(record), &power(points, false));
    }
    std::fs::write(folder.join("line.bin"), stream.bytes()).expect("a file");
    let (printed, _) = read(&folder, "--format png");
    assert_eq!(printed, b"./waterfall.png\n./waterfall-2.png\n");
}

#[test]
fn long_recordings_become_one_picture_in_constant_memory() {
    let folder = folder("long");
    recording(&folder.join("line.bin"), 6000, 0..0);
    // 6000 records of f64 would be 12 MB; the whole process takes less besides a short one's.
    let peak_kb = |count: u32| {
        let program = tests::tools::path("qpuscope");
        let program = program.display();
        let words = format!("--lines 0 --count {count} --format svg --merge mean");
        let script = format!(
            "'{program}' read line.bin {words} & pid=$!; while kill -0 $pid 2>/dev/null; do \
             grep -s VmHWM /proc/$pid/status || true; sleep 0.01; done; wait $pid"
        );
        let mut shell = Command::new("sh");
        let (output, status, said) = run(shell.args(["-c", &script]).current_dir(&folder));
        assert_eq!(status, 0, "{said}");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let peaks = text.lines().filter(|line| line.starts_with("VmHWM"));
        peaks
            .filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok())
            .max()
    };
    let (Some(short), Some(long)) = (peak_kb(1300), peak_kb(6000)) else {
        return skip(
            "long_recordings_become_one_picture_in_constant_memory",
            "there is no /proc",
        );
    };
    assert!(
        long < short + 4000,
        "{short} kB for 1300 records, {long} for 6000"
    );
    let picture = std::fs::read_to_string(folder.join("waterfall.svg")).expect("a picture");
    assert!(picture.contains("6000 records · "));
    let words = "a point is the mean of up to ";
    let (_, most) = picture.split_once(words).expect("what shares a point");
    let most: u32 = most
        .split(' ')
        .next()
        .and_then(|most| most.parse().ok())
        .expect("a number");
    assert!(
        (11..=24).contains(&most),
        "{most} records in each of 550 rows"
    );
}

#[test]
fn a_reader_that_is_stopped_draws_what_it_has() {
    let folder = folder("stopped");
    let mut stream = Stream::new(POINTS, RATE_HZ, CENTRE_HZ);
    for record in 0..3 {
        stream.record(record, 100_000 * u64::from(record), &power(POINTS, false));
    }
    let mut bytes = stream.bytes();
    // The reader shows this when it has taken all before it.
    bytes.extend(b"all is sent\r\n");
    for format in ["csv", "png"] {
        let mut reader = qpuscope();
        reader
            .current_dir(&folder)
            .args(["read", "-", "--format", format]);
        reader.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut reader = reader.stderr(Stdio::piped()).spawn().expect("it starts");
        let mut pipe = reader.stdin.take().expect("a pipe");
        pipe.write_all(&bytes).expect("it reads");
        let mut said = String::new();
        let mut stderr = BufReader::new(reader.stderr.take().expect("a pipe"));
        while !said.contains("all is sent") {
            assert!(stderr.read_line(&mut said).expect("words") > 0, "{said}");
        }
        let id = reader.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let output = reader.wait_with_output().expect("it ends");
        drop(pipe);
        assert!(output.status.success(), "{format}");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        match format {
            "csv" => assert_eq!(printed.lines().count(), 2 + 3),
            _ => assert_eq!(printed, "./waterfall.png\n"),
        }
    }
    assert_eq!(names(&folder, ""), ["waterfall.png"]);
}
