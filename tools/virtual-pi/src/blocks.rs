//! The blocks that bring samples into memory, without a processor: for tests of whatever a program
//! may write to them.

use crate::board::Board;
use crate::config::Config;
use crate::fault::FaultKind;

/// DMA, clock manager, PCM, SMI and pins, with memory.
pub struct Blocks {
    board: Board,
    now: u64,
}

impl Blocks {
    /// The blocks of a board at power-on.
    pub fn new(config: &Config) -> Self {
        Self {
            board: Board::new(config),
            now: 0,
        }
    }

    /// Switches the blocks off and on, with other parts; memory keeps its contents, and the rest of
    /// the configuration stays.
    pub fn restart(&mut self, config: &Config) {
        self.board.restart_sampling(config, self.now);
    }

    /// Writes a word: of memory, or a register. A barrier follows.
    ///
    /// # Errors
    /// What a run would stop with.
    pub fn write(&mut self, address: u32, value: u32) -> Result<(), FaultKind> {
        if address < self.board.memory.size() {
            *self.board.memory.word_mut(address) = value;
            return Ok(());
        }
        let written = self.board.write_register(address, value, self.now);
        self.board.barrier();
        written
    }

    /// Reads a register. A barrier follows.
    ///
    /// # Errors
    /// What a run would stop with.
    pub fn read(&mut self, address: u32) -> Result<u32, FaultKind> {
        let value = self.board.read_register(address, self.now);
        self.board.barrier();
        value
    }

    /// Lets ARM clocks pass.
    ///
    /// # Errors
    /// A mistake that DMA ran into.
    pub fn pass(&mut self, clocks: u64) -> Result<(), FaultKind> {
        self.now += clocks;
        self.board.advance(self.now);
        match self.board.take_fault() {
            Some(mistake) => Err(mistake.kind),
            None => Ok(()),
        }
    }
}
