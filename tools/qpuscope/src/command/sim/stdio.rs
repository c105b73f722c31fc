//! The line of a virtual Pi on standard input and output.

use std::io::Write;
use std::sync::mpsc::{Receiver, sync_channel};

use rustix::termios::{OutputModes, Termios};

use super::{FarEnd, LineInput};
use common::stop;

/// Bytes that are read at once, of which two pieces wait here.
const PIECE: usize = 256;

/// Standard input, read by a thread because it may block.
pub struct StdioLine {
    input: Receiver<Vec<u8>>,
    /// The rest of a piece that the line had no room for.
    rest: Vec<u8>,
    /// Standard output is a terminal that works on what it gets, as one does that a person sits at.
    /// A raw one, and a pipe, get the bytes of the line.
    is_read_by_eye: bool,
}

/// The output of a board, without what would act on a terminal. Frames show as numbers.
fn for_eyes(bytes: &[u8]) -> Vec<u8> {
    let mut shown = String::new();
    for byte in bytes.iter().filter(|byte| **byte != b'\r') {
        match byte {
            0x20..0x7f | b'\n' | b'\t' => shown.push(char::from(*byte)),
            other => shown += &format!("\\x{other:02x}"),
        }
    }
    shown.into_bytes()
}

impl StdioLine {
    /// Starts to read.
    pub fn open() -> Self {
        let (sender, input) = sync_channel(1);
        std::thread::spawn(move || {
            let mut buffer = [0; PIECE];
            // The standard library would take more than is asked for; what there is no room for
            // stays in the pipe.
            while let Ok(count @ 1..) = read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let mode = rustix::termios::tcgetattr(std::io::stdout());
        let is_cooked = |mode: Termios| mode.output_modes.contains(OutputModes::OPOST);
        Self {
            input,
            rest: vec![],
            is_read_by_eye: mode.is_ok_and(is_cooked),
        }
    }
}

fn read(buffer: &mut [u8]) -> rustix::io::Result<usize> {
    rustix::io::retry_on_intr(|| rustix::io::read(rustix::stdio::stdin(), &mut *buffer))
}

impl FarEnd for StdioLine {
    fn take(&mut self, room: usize) -> std::io::Result<LineInput> {
        let mut bytes = std::mem::take(&mut self.rest);
        while bytes.len() < room {
            match self.input.try_recv() {
                Ok(piece) => bytes.extend(piece),
                // After the end of the input the board goes on talking.
                Err(_) => break,
            }
        }
        self.rest = bytes.split_off(room.min(bytes.len()));
        Ok(LineInput::Bytes(bytes))
    }

    fn give(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        let shown = match self.is_read_by_eye {
            true => for_eyes(bytes),
            false => bytes.to_vec(),
        };
        stop::blocking(|| out.write_all(&shown).and_then(|()| out.flush()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_shown_text_and_obeys_nothing() {
        let shown = for_eyes(b"ready\r\n\x1b[2J\x9b\xe2\x00\t.");
        assert_eq!(shown, b"ready\n\\x1b[2J\\x9b\\xe2\\x00\t.");
    }
}
