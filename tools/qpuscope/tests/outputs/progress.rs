//! Progress of long work.

use std::io::{Read, Write};
use std::process::Stdio;

use super::stream::Stream;
use super::{CENTRE_HZ, POINTS, RATE_HZ, power};
use tests::tools::qpuscope;

/// Runs `qpuscope read -` for records that come slowly; what it writes to standard error.
fn slow_reader(is_terminal: bool) -> String {
    let mut stream = Stream::new(POINTS, RATE_HZ, CENTRE_HZ);
    let mut command = qpuscope();
    command.args(["read", "-", "--count", "50", "--format", "none"]);
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let terminal = is_terminal.then(|| {
        use rustix::pty::OpenptFlags;
        let master = rustix::pty::openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pty");
        rustix::pty::grantpt(&master).expect("a pty");
        rustix::pty::unlockpt(&master).expect("a pty");
        let name = rustix::pty::ptsname(&master, vec![]).expect("its name");
        let name = name.into_string().expect("its name");
        let slave = std::fs::File::options().read(true).write(true).open(name);
        (std::fs::File::from(master), slave.expect("a terminal"))
    });
    let master = match terminal {
        Some((master, slave)) => {
            command.stderr(slave);
            Some(master)
        }
        None => {
            command.stderr(Stdio::piped());
            None
        }
    };
    let mut reader = command.spawn().expect("qpuscope starts");
    // The command holds the other end of the terminal, which is to close with the process.
    drop(command);
    let mut pipe = reader.stdin.take().expect("a pipe");
    for record in 0..50 {
        stream.record(record, 100_000 * u64::from(record), &power(POINTS, false));
        pipe.write_all(&stream.bytes()).expect("it reads");
        std::thread::sleep(std::time::Duration::from_millis(60));
    }
    drop(pipe);
    let mut said = vec![];
    // A terminal whose other end is closed fails to be read.
    let _ = match (master, reader.stderr.take()) {
        (Some(mut master), _) => master.read_to_end(&mut said),
        (None, Some(mut pipe)) => pipe.read_to_end(&mut said),
        (None, None) => Ok(0),
    };
    assert!(reader.wait().expect("it ends").success());
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn long_work_shows_its_progress_on_a_terminal_only() {
    let said = slow_reader(true);
    for words in [" of 50 spectra, ", " spectra/s, ", "s left", "%, "] {
        assert!(said.contains(words), "{words}: {said:?}");
    }
    let said = slow_reader(false);
    assert!(
        !said.contains('%') && said.contains("50 spectra in"),
        "{said:?}"
    );
}
