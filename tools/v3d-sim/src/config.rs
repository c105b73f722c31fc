//! The settings of a [`crate::V3d`].

use crate::board::Board;
use crate::conflicts::Conflicts;
use crate::defect::Defect;
use crate::rule::Rule;
use crate::time::constants::Constants;

/// The V3D clock of the default board, a Pi 1 with its own firmware's setting.
pub const DEFAULT_CLOCK_HZ: u32 = Board::Pi1.clock_hz();

/// Settings of a simulated V3D. The default is the block of a Pi 1 with warnings that only warn.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// The board around V3D.
    pub board: Board,
    /// V3D clock in hertz. A round is 4 of these clocks.
    pub clock_hz: u32,
    /// Without the cycle model: an instruction takes a round, TMU lookups answer at once.
    pub functional: bool,
    /// The numbers of the cycle model.
    pub constants: Constants,
    /// `Some(seed)`: a functional run in which the order of QPUs changes with every round, and a
    /// QPU is now and then held for some rounds, as a cache miss would do. Two seeds of three also
    /// let QPUs begin late, one of these makes some of them slow. Equal seeds give equal runs.
    /// `None`: as time has it, and in a functional run from QPU 11 down to 0.
    pub order_seed: Option<u64>,
    /// A warning stops its QPU like a fault.
    pub strict: bool,
    /// Rules whose breaking is no warning.
    pub allowed: Vec<Rule>,
    /// After this many rounds in which nothing inside V3D could go on, a deadlock is reported.
    /// The ARM may still end it by queueing a program, so the state is kept.
    pub deadlock_rounds: u64,
    /// The source that is followed where sources conflict.
    pub conflicts: Conflicts,
    /// Also warn when two QPUs use one DMA engine at a time without the mutex. Programs that ran on
    /// chips do so; more careful ones do not.
    pub flag_unprotected_dma: bool,
    /// The broken part, if any.
    pub defect: Option<Defect>,
    /// The most V3D clocks that a whole job may take ([`crate::JobRun`]); a V3D by itself goes on.
    pub limit_cycles: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            board: Board::default(),
            clock_hz: DEFAULT_CLOCK_HZ,
            functional: false,
            constants: Constants::recommended(),
            order_seed: None,
            strict: false,
            allowed: Vec::new(),
            deadlock_rounds: 250_000,
            conflicts: Conflicts::default(),
            flag_unprotected_dma: false,
            defect: None,
            limit_cycles: 1_000_000_000,
        }
    }
}

impl Config {
    /// The default on a board, at its clock.
    #[must_use]
    pub fn for_board(board: Board) -> Self {
        Self {
            board,
            clock_hz: board.clock_hz(),
            ..Self::default()
        }
    }

    /// True if the cycle model is at work: not in a functional run, and not when a seed disturbs
    /// the order in which QPUs advance.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        !self.functional && self.order_seed.is_none()
    }
}
