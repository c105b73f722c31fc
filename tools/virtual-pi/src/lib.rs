//! A Raspberry Pi 1 in software: boots `kernel.img` with V3D attached.
//!
//! The board has an ARM1176 core, memory, the property mailbox, PL011, system timer, interrupt
//! controller, GPIO, DMA, clock manager, PCM and SMI with parts on their pins, the PM watchdog and
//! [`v3d_sim`]. It runs the very image that goes on the card, in virtual time: the same inputs give
//! the same bytes at the same times, on any machine.
//! What real silicon punishes and no emulator sees (see [`Checks`]) stops the run with a [`Fault`].
#![deny(unsafe_code)]

mod blocks;
mod board;
mod checks;
mod clock;
mod config;
mod cpu;
mod defect;
mod devices;
mod fault;
mod map;
mod memory;
mod pages;
mod parts;
mod rules;

use board::Board;
use cpu::Cpu;

pub use blocks::Blocks;
pub use clock::{ARM_HZ, INSTRUCTION_CLOCKS};
pub use config::{Checks, Config, SmiLevels, V3dReset};
pub use defect::{BadHold, Defect, DmaHold, HoldsAfter, UnknownDefect};
pub use devices::pcm::PcmWords;
pub use devices::smi::SmiReads;
pub use fault::{Agent, Error, Fault, FaultKind, Stop};
pub use map::MemoryMap;
pub use parts::{
    Bursts, Feed, I2sPart, I2sPins, I2sRole, MicrophoneSide, ParallelPart, ParallelWiring, Signal,
    SignalError, Tone, Wav, Wiring,
};

/// Address at which the boot firmware puts and starts the flat image.
const KERNEL_AT: u32 = 0x8000;
/// Address of the ATAGs.
const ATAGS_AT: u32 = 0x100;
/// Part of memory that is not zero with `memory_noise`: 64 MiB, image and job memory of a guest.
const NOISE_BYTES: u32 = 64 << 20;
/// Longest command line that it passes on.
const CMDLINE_LIMIT: usize = 1024;

/// One byte that the board sent, as the host's receiver saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SerialByte {
    /// End of its stop bit, in nanoseconds since power-on.
    pub at_ns: u64,
    /// The value received.
    pub value: u8,
    /// A framing error: the rates of the two sides differ.
    pub error: bool,
}

/// The board, switched on.
pub struct VirtualPi {
    /// Taken only for the moment of a reset.
    cpu: Option<Box<Cpu>>,
    config: Config,
    image: Vec<u8>,
    /// In reset for good, with `no_reboot`.
    halted: bool,
}

impl VirtualPi {
    /// Builds the board and does what the boot firmware does: the flat `image` at 0x8000, ATAGs
    /// with the command line at 0x100, the core at its first instruction.
    ///
    /// # Errors
    /// A configuration or an image that no board can be built from.
    pub fn new(config: Config, image: &[u8]) -> Result<Self, Error> {
        if !matches!(config.ram_mib, 256 | 512) {
            return Err(Error::RamSize(config.ram_mib));
        }
        if !(32..=192).contains(&config.gpu_mib) {
            return Err(Error::GpuSize(config.gpu_mib));
        }
        if config.host_baud == 0 || config.uart_hz == 0 {
            return Err(Error::Rate);
        }
        if !(1..=64).contains(&config.smi_fifo_words) {
            return Err(Error::SmiFifo(config.smi_fifo_words));
        }
        if config.plld_ppb.unsigned_abs() > 1_000_000 {
            return Err(Error::Plld(config.plld_ppb));
        }
        if !(1..=15).contains(&config.dma_outstanding_writes) {
            return Err(Error::DmaWrites(config.dma_outstanding_writes));
        }
        if config.cmdline.len() > CMDLINE_LIMIT {
            return Err(Error::CommandLine(config.cmdline.len()));
        }
        if image.is_empty() {
            return Err(Error::ImageEmpty);
        }
        if image.starts_with(b"\x7fELF") {
            return Err(Error::ImageIsElf);
        }
        let mut board = Board::new(&config);
        if image.len() > (board.firmware.arm_bytes() - KERNEL_AT) as usize {
            return Err(Error::ImageSize(image.len()));
        }
        if config.memory_noise {
            fill_with_noise(&mut board);
        }
        load(&mut board, &config, image);
        let cpu = Some(Box::new(Cpu::new(&config, board, 0)));
        Ok(Self {
            cpu,
            config,
            image: image.to_vec(),
            halted: false,
        })
    }

    fn cpu(&self) -> &Cpu {
        self.cpu.as_deref().expect("only absent inside reset")
    }

    fn cpu_mut(&mut self) -> &mut Cpu {
        self.cpu.as_deref_mut().expect("only absent inside reset")
    }

    /// Virtual time since power-on, in nanoseconds. It goes on through resets.
    pub fn now_ns(&self) -> u64 {
        clock::ns_from_clocks(self.cpu().clock)
    }

    /// Runs until virtual time reaches `deadline_ns` or something stops the board: a part whose
    /// [`Feed`] is empty does.
    pub fn run_until_ns(&mut self, deadline_ns: u64) -> Stop {
        if self.halted {
            return Stop::Reset;
        }
        let cpu = self.cpu_mut();
        let deadline = clock::clocks_from_ns(deadline_ns);
        let fed_until = cpu.board.fed_until(cpu.clock);
        cpu.run(deadline.min(fed_until));
        if let Some(fault) = cpu.stopped() {
            return Stop::Fault(fault.clone());
        }
        if cpu.board.reset_requested() {
            self.reset();
            return Stop::Reset;
        }
        if fed_until < deadline {
            cpu.board.fed_until(cpu.clock);
            return Stop::Starved;
        }
        Stop::Deadline
    }

    /// The boot firmware again: the image and the ATAGs are loaded anew.
    fn reset(&mut self) {
        if self.config.no_reboot {
            self.halted = true;
            return;
        }
        if let Some(cpu) = self.cpu.take() {
            let clock = cpu.clock;
            let mut board = cpu.board.after_reset(clock);
            load(&mut board, &self.config, &self.image);
            self.cpu = Some(Box::new(Cpu::new(&self.config, board, clock)));
        }
    }

    /// Sends bytes from the host to the board; they arrive one by one at the host's line rate.
    pub fn serial_send(&mut self, bytes: &[u8]) {
        let cpu = self.cpu_mut();
        cpu.board.uart.host.send(bytes, cpu.clock);
    }

    /// Holds the line to the board low for 24 bits of the host's rate, after what is being sent.
    pub fn serial_send_break(&mut self) {
        let cpu = self.cpu_mut();
        cpu.board.uart.host.send_break(cpu.clock);
    }

    /// Bytes given to [`VirtualPi::serial_send`] that have not arrived yet.
    pub fn serial_pending(&self) -> usize {
        self.cpu().board.uart.host.pending()
    }

    /// Takes back what was given to [`VirtualPi::serial_send`] and is not on the wire yet: its host
    /// has gone.
    pub fn serial_discard(&mut self) {
        self.cpu_mut().board.uart.host.discard();
    }

    /// Takes what the host has received since the last call.
    pub fn serial_received(&mut self) -> Vec<SerialByte> {
        self.cpu_mut().board.uart.host.take_received()
    }

    /// Changes the rate of the host's side, both ways, from now on.
    pub fn set_host_baud(&mut self, baud: u32) {
        self.cpu_mut().board.uart.host.set_baud(baud);
    }

    /// Breaks one thing in V3D from now on, or repairs it with `None`. It stays broken through
    /// resets and power cycles, and nothing but wrong results says so.
    pub fn set_v3d_defect(&mut self, defect: Option<v3d_sim::Defect>) {
        let cpu = self.cpu_mut();
        cpu.board.set_v3d_defect(cpu.clock, defect);
    }

    /// Holds DMA up at times from now on, or no longer with `None`. It goes on through resets.
    pub fn set_dma_hold(&mut self, hold: Option<DmaHold>) {
        let cpu = self.cpu_mut();
        cpu.board.set_dma_hold(cpu.clock, hold);
    }

    /// The board has this defect from now on, beside one of the other kind.
    pub fn set_defect(&mut self, defect: Defect) {
        match defect {
            Defect::V3d(defect) => self.set_v3d_defect(Some(defect)),
            Defect::DmaHold(hold) => self.set_dma_hold(Some(hold)),
        }
    }

    /// V3D stands still from now on, until it is reset: programs that run, or are started, do not
    /// end.
    pub fn hang_v3d(&mut self) {
        let cpu = self.cpu_mut();
        cpu.board.v3d_at(cpu.clock).hang();
    }

    /// Wires another part to the pins of the PCM block from now on, or none. It has just been
    /// switched on, and stays there through resets.
    pub fn set_i2s(&mut self, part: Option<I2sPart>) {
        let cpu = self.cpu_mut();
        cpu.board
            .wire(cpu.clock, |parts, now| parts.set_part(part, now));
    }

    /// Changes the wires of the part on the pins of the PCM block from now on, if there is one.
    pub fn set_i2s_wiring(&mut self, wiring: Wiring) {
        let cpu = self.cpu_mut();
        cpu.board
            .wire(cpu.clock, |parts, now| parts.set_wiring(wiring, now));
    }

    /// Wires another parallel ADC to the pins of the SMI block from now on, or none. It has just
    /// been switched on, and stays there through resets. It needs pins that the header's I2S part
    /// uses: give one of them.
    pub fn set_parallel(&mut self, part: Option<ParallelPart>) {
        let cpu = self.cpu_mut();
        cpu.board
            .wire(cpu.clock, |parts, _| parts.set_parallel(part));
    }

    /// Changes the wires of the parallel ADC from now on, if there is one.
    pub fn set_parallel_wiring(&mut self, wiring: ParallelWiring) {
        let cpu = self.cpu_mut();
        cpu.board
            .wire(cpu.clock, |parts, _| parts.set_parallel_wiring(wiring));
    }

    /// Samples of the parallel ADC since power-on that are missing because SMI's FIFO was full,
    /// which no register tells: see [`SmiReads::missed`].
    pub fn smi_missed(&mut self) -> u64 {
        self.smi_reads().missed()
    }

    /// Reads of SMI since power-on. Between two moments of one transfer the converter delivers
    /// `due` samples at its clock, and a program gets `taken` of them; what is in the FIFO has been
    /// `done` and not been taken, or was thrown away with CLEAR.
    pub fn smi_reads(&mut self) -> SmiReads {
        self.paced().smi.counts()
    }

    /// Frames of the PCM block since power-on of which a word or more was lost because its FIFO was
    /// full. RXERR tells that there was one.
    pub fn pcm_missed(&mut self) -> u64 {
        self.pcm_words().frames_lost
    }

    /// Words of the PCM block since power-on.
    pub fn pcm_words(&mut self) -> PcmWords {
        self.paced().pcm.counts()
    }

    /// PCM and SMI as they are now.
    fn paced(&mut self) -> &devices::dma::Paced {
        let cpu = self.cpu_mut();
        &cpu.board.sampling_at(cpu.clock).paced
    }

    /// The next read by a DMA channel fails, as a bus error would make it.
    pub fn fail_dma(&mut self) {
        self.cpu_mut().board.sampling.dma.fails = true;
    }

    /// Takes the notes for people since the last call: V3D's faults and warnings, rules of other
    /// blocks that were broken, requests that the firmware does not answer. Each rule is named once
    /// after a reset.
    pub fn messages(&mut self) -> Vec<String> {
        let cpu = self.cpu_mut();
        cpu.board.take_notes(cpu.clock)
    }

    /// Changes of the ACT LED since the last boot: nanoseconds since power-on, and true if it was
    /// lit from then on. The last 4,096 changes.
    pub fn led_changes(&self) -> Vec<(u64, bool)> {
        let changes = self.cpu().board.gpio.led.iter();
        changes
            .map(|&(clock, lit)| (clock::ns_from_clocks(clock), lit))
            .collect()
    }

    /// Function code of a GPIO pin, 0 to 53, as GPFSEL has it: 0 is an input, 1 an output.
    pub fn pin_function(&self, pin: u32) -> u32 {
        self.cpu().board.gpio.function(pin)
    }

    /// Accesses to V3D's registers since the last boot, and requests to the firmware to switch its
    /// power.
    pub fn v3d_uses(&self) -> (u64, u64) {
        let board = &self.cpu().board;
        (board.v3d.accesses, board.firmware.v3d_requests)
    }

    /// Bytes of the board's memory from a physical address, as a debugger would read them; `None`
    /// where there is no memory. It survives a reset.
    pub fn read_memory(&self, address: u32, bytes: usize) -> Option<Vec<u8>> {
        let memory = &self.cpu().board.memory;
        let end = u64::from(address) + bytes as u64;
        (end <= u64::from(memory.size())).then(|| {
            let mut out = vec![0; bytes];
            memory.read(address, &mut out);
            out
        })
    }

    /// Bytes of the pages of memory that were ever written, by anyone; the others take none on the
    /// host.
    pub fn memory_in_use(&self) -> usize {
        4096 * self.cpu().board.memory.pages_made()
    }

    /// ARM clocks since power-on, waits included. An instruction is [`INSTRUCTION_CLOCKS`] of them,
    /// and accesses to peripherals and divisions in double precision are more.
    pub fn clocks(&self) -> u64 {
        self.cpu().clock
    }
}

/// Fills SDRAM with its contents at power-on, the same in every run (xorshift; any odd seed would
/// do).
fn fill_with_noise(board: &mut Board) {
    let mut noise = 0x9e37_79b9_u32;
    for word in 0..NOISE_BYTES / 4 {
        noise ^= noise << 13;
        noise ^= noise >> 17;
        noise ^= noise << 5;
        *board.memory.word_mut(4 * word) = noise;
    }
}

/// Loads what the boot firmware leaves in memory (docs/hardware/platform.md, D.2 and register
/// maps).
fn load(board: &mut Board, config: &Config, image: &[u8]) {
    let mut atags = vec![
        2,
        0x5441_0001,
        4,
        0x5441_0002,
        board.firmware.arm_bytes(),
        0,
    ];
    let mut text = config.cmdline.clone().into_bytes();
    text.resize((text.len() + 1).next_multiple_of(4), 0);
    atags.extend([2 + text.len() as u32 / 4, 0x5441_0009]);
    atags.extend(
        text.chunks_exact(4)
            .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])),
    );
    atags.extend([0, 0]);
    let bytes: Vec<u8> = atags.iter().flat_map(|word| word.to_le_bytes()).collect();
    board.memory.write(ATAGS_AT, &bytes);
    board.memory.write(KERNEL_AT, image);
}
