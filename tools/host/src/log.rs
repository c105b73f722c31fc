//! The firmware's defmt logs as lines of text, where its ELF file is at hand.
//!
//! defmt sends numbers instead of texts; the texts are in the ELF file of the same build. A file of
//! another build would show wrong texts, so one that does not fit is reported once.

use std::path::{Path, PathBuf};

use defmt_decoder::{DecodeError, StreamDecoder, Table};

use common::failure::{Failure, Result};
use common::files::input;
use common::say;

/// Decodes log pieces, or only counts them where no ELF file is known, as by default.
#[derive(Default)]
pub struct Logs {
    known: Option<(&'static Table, Box<dyn StreamDecoder + Send + Sync>)>,
    skipped: u64,
    broken: bool,
}

/// The ELF file that belongs to a port: given, beside the image of a virtual Pi, or where xtask
/// puts it. Only a given one must be there.
#[must_use]
pub fn elf_for(given: Option<&Path>, port: Option<&str>) -> Option<PathBuf> {
    if let Some(given) = given {
        return Some(given.to_owned());
    }
    let beside = port
        .and_then(|port| port.strip_prefix("sim:"))
        .map(|image| Path::new(image).with_extension("elf"));
    let usual = PathBuf::from("target/kernel.elf");
    beside
        .into_iter()
        .chain([usual])
        .find(|path| path.is_file())
}

impl Logs {
    /// With the texts of an ELF file.
    ///
    /// # Errors
    /// Usage, when the file cannot be read or holds no defmt texts.
    pub fn with_elf(path: &Path) -> Result<Self> {
        let elf = input::read(path, "an ELF file", input::IMAGE)?;
        let wrong = |why: &str| {
            Failure::usage(format!(
                "{} has no defmt texts ({why}); give the kernel.elf of the firmware on the board with --elf",
                say::path(path)
            ))
        };
        let table = Table::parse(&elf)
            .map_err(|error| wrong(&error.to_string()))?
            .ok_or_else(|| wrong("its .defmt section is missing"))?;
        // A stream decoder borrows its table; both live as long as the process.
        let table: &'static Table = Box::leak(Box::new(table));
        Ok(Self {
            known: Some((table, table.new_stream_decoder())),
            ..Self::default()
        })
    }

    /// Takes a piece of the stream; returns the lines it completes.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let Some((table, decoder)) = &mut self.known else {
            self.skipped += 1;
            return vec![];
        };
        decoder.received(bytes);
        let mut lines = vec![];
        loop {
            match decoder.decode() {
                Ok(frame) => lines.push(frame.display(false).to_string()),
                Err(DecodeError::UnexpectedEof) => return lines,
                Err(DecodeError::Malformed) => {
                    if !self.broken {
                        lines.push(
                            "a log message does not fit the ELF file; give the one of this firmware with --elf"
                                .to_owned(),
                        );
                    }
                    self.broken = true;
                    // An encoding without frame ends cannot go on behind damage; begin anew.
                    if !table.encoding().can_recover() {
                        *decoder = table.new_stream_decoder();
                        return lines;
                    }
                }
            }
        }
    }

    /// Shows the lines that a piece of the stream completes.
    pub fn show(&mut self, bytes: &[u8]) {
        for line in self.push(bytes) {
            common::say::remark!("log: {line}");
        }
    }

    /// A sentence about pieces that could not be shown, if any.
    #[must_use]
    pub fn remark(&self) -> Option<String> {
        (self.skipped > 0).then(|| {
            format!(
                "log messages not shown: {}; their texts are in the kernel.elf of this firmware: give it with --elf",
                self.skipped
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_elf_pieces_are_counted_and_said() {
        let mut logs = Logs::default();
        assert!(logs.remark().is_none());
        assert!(logs.push(&[1, 2, 3]).is_empty());
        assert!(logs.remark().expect("a remark").contains("--elf"));
    }

    #[test]
    fn a_file_that_is_no_elf_is_refused() {
        let path = std::env::temp_dir().join(format!("qpuscope-{}.elf", std::process::id()));
        std::fs::write(&path, b"no ELF").expect("temporary file");
        let failure = Logs::with_elf(&path).err().expect("no ELF");
        std::fs::remove_file(&path).expect("temporary file");
        assert!(failure.message.contains("--elf"), "{failure}");
    }
}
