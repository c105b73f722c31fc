//! The serial line of a board: the virtual Pi in this process, or QEMU as a child.
//!
//! Tests step a line in small pieces of its own time, virtual or real, so that every wait has a
//! limit and a board that stops is noticed at once.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use virtual_pi::{Config, Stop, VirtualPi};

/// A board at the other end of a serial line.
pub trait Line {
    /// Sends bytes to the board.
    fn send(&mut self, bytes: &[u8]);
    /// Lets `step_ms` milliseconds of the line's time pass; returns what came.
    fn receive(&mut self, step_ms: u64) -> Vec<u8>;
}

/// The virtual Pi. A fault of the board ends the test that meets it, and so does a message of the
/// board that the test has not named: it says that a program did what silicon may punish.
pub struct Virtual {
    /// The board.
    pub pi: VirtualPi,
    /// Resets that happened on the way.
    pub resets: usize,
    /// Bytes received with a framing error.
    pub framing_errors: usize,
    /// Messages of the board, as far as the test expects any.
    pub messages: Vec<String>,
    /// Words of those that the test has named.
    expected: Vec<&'static str>,
}

impl Virtual {
    /// Boots the image. A board without V3D, or with old firmware, has a message about the property
    /// tag that it does not know: the test has named it by its configuration.
    pub fn boot(image: &[u8], config: Config) -> Self {
        let unknown = [
            (config.v3d, "property tag 0x00030012"),
            (config.measures_clocks, "property tag 0x00030047"),
        ];
        let unknown = unknown.into_iter().filter(|(known, _)| !known);
        let expected = unknown.map(|(_, words)| words).collect();
        let pi = VirtualPi::new(config, image).expect("the image boots on the virtual Pi");
        Self {
            pi,
            resets: 0,
            framing_errors: 0,
            messages: Vec::new(),
            expected,
        }
    }

    /// Messages with `words` in them are part of the test from now on.
    pub fn expect_message(&mut self, words: &'static str) {
        self.expected.push(words);
    }

    /// Takes the messages of the board.
    ///
    /// # Panics
    /// At one that is not expected.
    fn take_messages(&mut self) {
        for message in self.pi.messages() {
            let is_expected = self.expected.iter().any(|words| message.contains(words));
            assert!(
                is_expected,
                "the virtual Pi has a message that this test does not name: {message}"
            );
            self.messages.push(message);
        }
    }
}

impl Drop for Virtual {
    fn drop(&mut self) {
        // What came since the last look at the line; a test that fails already has its reason.
        if !thread::panicking() {
            self.take_messages();
        }
    }
}

impl Line for Virtual {
    fn send(&mut self, bytes: &[u8]) {
        self.pi.serial_send(bytes);
    }

    fn receive(&mut self, step_ms: u64) -> Vec<u8> {
        let deadline = self.pi.now_ns() + step_ms * 1_000_000;
        let stop = self.pi.run_until_ns(deadline);
        let received = self.pi.serial_received();
        self.framing_errors += received.iter().filter(|byte| byte.error).count();
        let bytes: Vec<u8> = received.iter().map(|byte| byte.value).collect();
        match stop {
            Stop::Deadline | Stop::Starved => {}
            Stop::Reset => self.resets += 1,
            Stop::Fault(fault) => panic!(
                "{fault}\nmessages: {:?}, then {:?}\nlast received: {:?}",
                self.messages,
                self.pi.messages(),
                String::from_utf8_lossy(&bytes)
            ),
        }
        self.take_messages();
        bytes
    }
}

/// QEMU's `raspi0` or another board, its serial line on pipes. Ended with the test.
pub struct Qemu {
    child: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
}

/// The form in which QEMU is given the image.
#[derive(Clone, Copy, Debug)]
pub enum Load<'a> {
    /// The ELF file, by `-kernel`.
    Elf(&'a Path),
    /// The flat image at 0x8000, as the boot firmware does; `-kernel` would put it at 0x10000.
    Flat(&'a Path),
}

impl Qemu {
    /// Starts QEMU; the board boots at once.
    pub fn boot(qemu: &Path, load: Load) -> Self {
        Self::boot_machine(qemu, "raspi0", load)
    }

    /// Starts QEMU with another of its boards.
    pub fn boot_machine(qemu: &Path, machine: &str, load: Load) -> Self {
        let mut command = Command::new(qemu);
        command.args(["-M", machine, "-display", "none", "-monitor", "none"]);
        command.args(["-serial", "stdio", "-no-reboot"]);
        match load {
            Load::Elf(path) => command.arg("-kernel").arg(path),
            Load::Flat(path) => command.arg("-device").arg(format!(
                "loader,file={},addr=0x8000,cpu-num=0,force-raw=on",
                path.display()
            )),
        };
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::null()).spawn().expect("QEMU starts");
        let input = child.stdin.take().expect("stdin is a pipe");
        let mut pipe = child.stdout.take().expect("stdout is a pipe");
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(length @ 1..) = pipe.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self {
            child,
            input,
            output,
        }
    }

    /// Waits for QEMU to end by itself.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().expect("QEMU is our child") {
                return Some(status);
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // Both fail only when it has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Line for Qemu {
    fn send(&mut self, bytes: &[u8]) {
        // A board that has ended shows in what is not received.
        let _ = self.input.write_all(bytes);
        let _ = self.input.flush();
    }

    fn receive(&mut self, step_ms: u64) -> Vec<u8> {
        // The whole step, even when something comes at once: callers count steps as time.
        let deadline = Instant::now() + Duration::from_millis(step_ms);
        let mut bytes = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(more) => bytes.extend(more),
                Err(RecvTimeoutError::Timeout) => return bytes,
                Err(RecvTimeoutError::Disconnected) => {
                    thread::sleep(left);
                    return bytes;
                }
            }
        }
    }
}
