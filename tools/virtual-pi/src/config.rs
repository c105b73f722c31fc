//! The board to build: memory, command line, and which checks stop the run.
//!
//! It is a Raspberry Pi 1 Model B: ARM1176 at 700 MHz, V3D at 250 MHz, which reaches memory through
//! the system L2 (alias 0x4), ACT LED on GPIO 16 (active low).

use crate::defect::DmaHold;
use crate::map::MemoryMap;
use crate::parts::{I2sPart, ParallelPart};

/// Mistakes, punished by silicon and unseen by emulators, that end the run with a [`crate::Fault`].
/// All are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// V3D or the mailbox reading a line that is dirty in the ARM's data cache, and the ARM reading
    /// a line that they wrote while the cache holds an old copy.
    pub cache: bool,
    /// Operations that the VFP11 hands to support code: subnormals without FZ, NaNs without DN.
    pub vfp_bounce: bool,
    /// Unaligned accesses that rotate (SCTLR.U = 0) or reach Device or Strongly-ordered memory.
    pub unaligned: bool,
    /// LDREX and its kin on memory that is not Normal cacheable.
    pub exclusive: bool,
    /// Starting V3D or the mailbox while data is still on its way to memory: a store past the cache
    /// or a cache clean with no DSB after it.
    pub barrier: bool,
    /// A read from one peripheral and then an access to another with no DMB or DSB between: the
    /// BCM2835 may return what they read the other way round (BCM2835 ARM Peripherals, section
    /// 1.3).
    pub peripheral_order: bool,
    /// Accesses to peripherals that are not 32 bits wide, and to addresses where there is nothing.
    pub mmio: bool,
    /// Bus addresses without the alias that this board needs.
    pub bus_address: bool,
}

impl Checks {
    /// Every check on.
    pub const ALL: Self = Self::every(true);
    /// Every check off: what an emulator does.
    pub const NONE: Self = Self::every(false);

    const fn every(on: bool) -> Self {
        Self {
            cache: on,
            vfp_bounce: on,
            unaligned: on,
            exclusive: on,
            barrier: on,
            peripheral_order: on,
            mmio: on,
            bus_address: on,
        }
    }
}

impl Default for Checks {
    fn default() -> Self {
        Self::ALL
    }
}

/// Result of a reset of V3D by its bridges and PM_GRAFX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum V3dReset {
    /// V3D is as after power-on.
    #[default]
    Works,
    /// The slave bridge does not acknowledge that it should stop.
    NeverStops,
    /// The slave bridge does not start again, until the power has been switched off and on.
    NeverStarts,
    /// The reset line is not connected: programs go on.
    NoEffect,
}

/// The reading of SMIFD, SMI's debug register, whose FLVL and FCNT no public program relies on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SmiLevels {
    /// FLVL is the most words since the start of the transfer (Linux `bcm2835_smi.h`: "the
    /// high-tide mark of FIFO count during the most recent txfer").
    #[default]
    SinceStart,
    /// FLVL is the most words since SMIFD was read last: how the mark begins anew is "ambiguous"
    /// (fenlogic/IDE_trial, `sw/smi.h`).
    SinceRead,
    /// Both fields always read 0.
    Zero,
}

/// Setup of the board. `Default` is a Pi 1 with 512 MiB, V3D present and every check on.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Text of `cmdline.txt`, given to the kernel in the ATAGs and by mailbox tag 0x0005_0001.
    pub cmdline: String,
    /// True if V3D is there. Without it the block reads 0 and tag 0x0003_0012 goes unanswered,
    /// which is what QEMU's raspi0 shows.
    pub v3d: bool,
    /// Mistakes that end the run.
    pub checks: Checks,
    /// Rate of the host's side of the serial line, in baud.
    pub host_baud: u32,
    /// Places of peripherals and memory.
    pub map: MemoryMap,
    /// Memory of the board in MiB: 256 or 512.
    pub ram_mib: u32,
    /// The GPU's part of it, at the top, in MiB (`gpu_mem`): 32 to 192. 64 is
    /// the boot firmware's default.
    pub gpu_mib: u32,
    /// Reference clock of the PL011 at boot, in Hz (`init_uart_clock`; old firmware: 3 MHz).
    pub uart_hz: u32,
    /// The rate that the firmware states for that clock, if not the true one; the firmware then
    /// does not set it either (raspberrypi/firmware 951, 967, 1619).
    pub uart_stated_hz: Option<u32>,
    /// The firmware knows tag 0x0003_0047, measured clock rates. Old firmware does not.
    pub measures_clocks: bool,
    /// Bytes that the PL011 sends from power-on to where its transmitter stands still for good.
    pub uart_sticks_after: Option<u64>,
    /// The revision code of the board, where it is not that of a Model B.
    pub revision: Option<u32>,
    /// Greatest distance of a compare of the system timer that is missed, in microseconds ahead
    /// when it is written. One is missed always; Linux keeps 15 away.
    pub timer_misses_us: u32,
    /// Times at which imprecise aborts become pending, in microseconds after power-on.
    pub aborts_at_us: Vec<u64>,
    /// An imprecise abort becomes pending when V3D is powered.
    pub v3d_power_aborts: bool,
    /// Time that the firmware takes to answer a message of the mailbox, in microseconds. Boards
    /// have taken more than a second (raspberrypi/firmware 1970).
    pub mailbox_us: u32,
    /// The firmware does as it is told by tag 0x0003_0012 (enable QPU). It refuses where the device
    /// tree has V3D for a driver (raspberrypi/firmware 669).
    pub enables_qpu: bool,
    /// The firmware does as it is told by tag 0x0003_8030 (power domain) of V3D.
    pub powers_v3d: bool,
    /// An access to V3D without power never ends, instead of reading 0xdead_beef
    /// (docs/hardware/qpu.md, section 6).
    pub unpowered_v3d_hangs: bool,
    /// Result of a reset of V3D without the firmware.
    pub v3d_reset: V3dReset,
    /// V3D loses its power when the firmware is told so. Otherwise the firmware only says that it
    /// does.
    pub v3d_powers_off: bool,
    /// The firmware has left the PL011 on GPIO 32 and 33, where a Zero W has its Bluetooth.
    pub uart_at_bluetooth: bool,
    /// No pin has a pull after boot, as with `gpio=0-53=np` in `config.txt`: inputs that nothing
    /// drives float.
    pub no_pulls: bool,
    /// Every generator of the clock manager runs at boot, as a program that ran before may leave
    /// it: slowly, so that it takes a while to stop, and with MASH.
    pub clocks_run_at_boot: bool,
    /// The first 64 MiB of memory hold anything at power-on, as SDRAM does, instead of zeros.
    pub memory_noise: bool,
    /// V3D without its cycle model: results are the same, a job takes a round for each instruction,
    /// and its time is no figure for the chip.
    pub v3d_functional: bool,
    /// Order seed handed to the V3D simulator; one other than 0 also switches the cycle model off.
    pub v3d_seed: u64,
    /// Turn V3D's warnings into faults.
    pub v3d_strict: bool,
    /// The numbers of V3D's cycle model.
    pub v3d_constants: v3d_sim::Constants,
    /// The defect of V3D from power-on, if any; see [`crate::VirtualPi::set_v3d_defect`].
    pub v3d_defect: Option<v3d_sim::Defect>,
    /// Words of SMI's FIFO, 1 to 64. Nobody has published how many there are. The threshold at
    /// which iosoft's programs let DMA panic is 8 words, Linux' is 32, and the field of a level has
    /// six bits: so 16 to 64, of which 16 is the strict end.
    pub smi_fifo_words: u32,
    /// The reading of SMI's debug register.
    pub smi_levels: SmiLevels,
    /// Rate of PLLD beyond 500 MHz, in parts per 10^9 of it, at most 10^6 up or down: all clocks
    /// that come from it are as much faster against the crystal and the system timer. PLLD is a
    /// multiple of the crystal's 19.2 MHz with a fraction of 20 bits (Linux `clk-bcm2835.c`,
    /// A2W_PLL_FRAC_BITS), so it misses its nominal rate by up to some 10.
    pub plld_ppb: i32,
    /// Writes that a DMA channel has on their way to memory at a time, 1 to 15; while it may not
    /// send what it has read it begins no other burst. The manual's counter of outstanding writes
    /// has four bits (BCM2835 ARM Peripherals, DEBUG). iosoft's `rpi_smi_adc_test.c` brings a word
    /// of 4 bytes to memory each 80 ns (25 MS/s of 16 bits, a write for each word), so that of
    /// writes that take 200 ns three have to be on their way: 3 to 15, of which 3 is the strict
    /// end.
    pub dma_outstanding_writes: u32,
    /// Accesses of DMA wait at SDRAM for those that came before them, as V3D's and the ARM's do,
    /// and writes besides as V3D's stores do (`sdram_backlog` of [`v3d_sim::Constants`]). Otherwise
    /// they wait for others at the system L2 only, a line of V3D at most. Whether the controller
    /// serves DMA first (the manual gives its channels priorities, CS.PRIORITY and
    /// CS.PANIC_PRIORITY), and how much it has in hand, is published nowhere, so this is the slow
    /// end, and no default.
    pub dma_waits_for_sdram: bool,
    /// Time that each write of DMA takes in addition, in nanoseconds: for whatever else may hold
    /// one up, such as display, refresh, or bridges. No figure is published.
    pub dma_write_delay_ns: u32,
    /// Times at which DMA is held up, if any; see [`crate::VirtualPi::set_dma_hold`].
    pub dma_hold: Option<DmaHold>,
    /// The part on the pins of the PCM block; see [`crate::VirtualPi::set_i2s`].
    pub i2s: Option<I2sPart>,
    /// The ADC on the pins of the SMI block; see [`crate::VirtualPi::set_parallel`].
    pub parallel: Option<ParallelPart>,
    /// After a reset, stay in reset instead of booting the image again.
    pub no_reboot: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            cmdline: String::new(),
            v3d: true,
            checks: Checks::ALL,
            host_baud: 115_200,
            map: MemoryMap::BCM2835,
            ram_mib: 512,
            gpu_mib: 64,
            uart_hz: crate::clock::UART_HZ as u32,
            uart_stated_hz: None,
            measures_clocks: true,
            uart_sticks_after: None,
            revision: None,
            timer_misses_us: 1,
            aborts_at_us: Vec::new(),
            v3d_power_aborts: false,
            mailbox_us: crate::clock::MAILBOX_US,
            enables_qpu: true,
            powers_v3d: true,
            unpowered_v3d_hangs: false,
            v3d_reset: V3dReset::Works,
            v3d_powers_off: true,
            uart_at_bluetooth: false,
            no_pulls: false,
            clocks_run_at_boot: false,
            memory_noise: false,
            v3d_functional: false,
            v3d_seed: 0,
            v3d_strict: false,
            v3d_constants: v3d_sim::Constants::recommended(),
            v3d_defect: None,
            smi_fifo_words: 16,
            smi_levels: SmiLevels::SinceStart,
            plld_ppb: 0,
            dma_outstanding_writes: 3,
            dma_waits_for_sdram: false,
            dma_write_delay_ns: 0,
            dma_hold: None,
            i2s: None,
            parallel: None,
            no_reboot: false,
        }
    }
}
