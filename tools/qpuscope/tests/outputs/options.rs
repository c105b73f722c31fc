//! Quantities as options take them.

use super::{folder, read, recording};
use tests::tools::{qpuscope, run};

#[test]
fn options_take_the_same_suffixes() {
    let folder = folder("suffixes");
    std::fs::write(folder.join("a.cu8"), [127; 16_384]).expect("a file");
    let fft = "fft a.cu8 --port sim:absent.img";
    for options in [
        "--rate 250k --centre 145.0375M --n 4Ki",
        "--rate 0.25M --centre -7.1k --n 4_096 --averages 2 --overlap 1k",
        "--rate 2.5e5 --centre=-1e3 --baud 115.2k --transfer-baud 3M --lines 1k",
    ] {
        let words: Vec<_> = fft.split(' ').chain(options.split(' ')).collect();
        let (_, status, said) = run(qpuscope().current_dir(&folder).args(words));
        // All is well up to the image.
        assert!(
            status == 2 && said.contains("cannot read the image"),
            "{options}: {said}"
        );
        assert!(said.contains("8192 complex samples at 250000 Hz"), "{said}");
    }
    for (options, wanted) in [
        (
            "--rate 2m",
            "`2m` is not a sample rate; write samples a second as 48000, 44.1k or 2M",
        ),
        (
            "--rate 1 --centre 7m",
            "`7m` is no frequency; write hertz as 145037500, 145.0375M",
        ),
        ("--rate 1 --n 5G", "`5G` is too large; give less"),
        (
            "--rate 1 --baud fast",
            "`fast` is no number; write a whole one like 4096",
        ),
    ] {
        let words: Vec<_> = fft.split(' ').chain(options.split(' ')).collect();
        let (_, status, said) = run(qpuscope().current_dir(&folder).args(words));
        assert!(status == 2 && said.contains(wanted), "{options}: {said}");
    }
    recording(&folder.join("line.bin"), 3, 0..0);
    read(&folder, "--count 0x3 --seconds 1.5min --format none");
    let mut command = qpuscope();
    command
        .current_dir(&folder)
        .args(["read", "line.bin", "--seconds", "5m"]);
    let (_, status, said) = run(&mut command);
    assert!(
        status == 2 && said.contains("500ms, 15min or 12h"),
        "{said}"
    );
}
