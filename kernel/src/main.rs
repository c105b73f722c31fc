//! The boot order of `kernel.img`, as a list.
//!
//! Before this: stacks, vectors, VFP and `.bss` (`boot/armv6.s`). A board without an answering
//! mailbox, or without V3D, still becomes an instrument: it says what is missing and computes on
//! the ARM. On the host the binary is empty; the parts it is made of are tested in the library.
#![cfg_attr(target_os = "none", no_std, no_main)]
#![deny(unsafe_code)]

#[cfg(target_os = "none")]
kernel::entry!(boot);

#[cfg(not(target_os = "none"))]
fn main() {}

use kernel::arch::cpu;
use kernel::asb::Asb;
use kernel::board::Revision;
use kernel::clock_manager::ClockManager;
use kernel::device::{Device, Drivers};
use kernel::dma::Channel;
use kernel::dma_buf::Arena;
use kernel::engine::EngineError;
use kernel::engine::qpu::{Plans, QpuEngine};
use kernel::gpio::Gpio;
use kernel::instrument::capture::{RING_BYTES, TAIL_BYTES};
use kernel::instrument::{BootTimes, EngineChoice, Instrument, Settings, Workspace};
use kernel::live_port::{CONTROL_BYTES, LivePort, Shared};
use kernel::mailbox::Mailbox;
use kernel::mmio::peripherals::Peripherals;
use kernel::pcm::Pcm;
use kernel::pm::{Grafx, Pm};
use kernel::property::MESSAGE_WORDS;
use kernel::smi::Smi;
use kernel::startup;
use kernel::timer::{Alarm, Clock};
use kernel::uart::Uart;
use kernel::v3d::power::Supply;
use kernel::v3d::{IDENT0_V3D, V3d};
use kernel::{interrupt, log};
use static_cell::{ConstStaticCell, StaticCell};

/// The time that V3D may take to come up: three answers of the mailbox at their slowest, and some.
const BRING_UP_US: u32 = 12_000_000;

/// Memory for the programs, uniforms, twiddles and samples of jobs on the QPUs.
const V3D_BYTES: usize = 32 << 20;
/// Its first address, for an image of any size: jobs of a host are written for addresses there, and
/// the effect of places in memory on a job's time stays the same from image to image.
const V3D_START: usize = 16 << 20;

/// The instrument. It is made here and not on the stack.
static INSTRUMENT: StaticCell<Instrument<QpuEngine<V3d>>> = StaticCell::new();
/// The instrument's buffers. All zero, so that they cost nothing in the image.
static WORKSPACE: ConstStaticCell<Workspace> = ConstStaticCell::new(Workspace::new());
/// The plans of the QPUs, likewise.
static PLANS: ConstStaticCell<Plans> = ConstStaticCell::new(Plans::new());

#[cfg_attr(
    not(target_os = "none"),
    expect(dead_code, reason = "only the target boots")
)]
fn boot(atags: u32) -> ! {
    cpu::enable_mmu_and_caches();
    let peripherals = Peripherals::take();
    let clock = Clock::new(peripherals.clock);
    let entry_us = clock.now_us() as u32;
    log::start(clock);
    let mut pm = Pm::new(peripherals.pm);

    let mut arena = Arena::after_image();
    let mut messages = || [(); 2].map(|()| arena.take(4 * MESSAGE_WORDS).expect("a MiB has room"));
    let mut mailbox = Mailbox::new(peripherals.mailbox, clock, messages());
    let questions = mailbox.another(messages());
    let start = pm.reset_cause(startup::found_reset_status(&mut mailbox));
    startup::begin_run(&start);
    let uart_hz = startup::uart_clock(&mut mailbox);
    let mut gpio = Gpio::new(peripherals.gpio, clock);
    gpio.route_uart0();
    let uart = Uart::start(peripherals.uart, clock, uart_hz);
    let mut uart = uart.expect("a clock is believed only if it has a divisor for 115200 baud");
    let greeting_us = clock.now_us() as u32;
    startup::greet(&mut uart, &start);
    interrupt::start(peripherals.interrupts, Alarm::new(peripherals.alarm));
    startup::log_pending_abort("at the start");

    let mut facts = startup::ask_firmware(&mut mailbox, atags, uart_hz, &start);
    let (mut settings, complaint) = Settings::from_cmdline(&facts.command_line);
    startup::be_careful(&facts.board, &mut settings);
    facts.board.v3d_unwanted = settings.engine == EngineChoice::Cpu;
    let revision = Revision(facts.board.revision);
    let ram_bytes = facts.board.memory_bytes as usize;
    cpu::map_ram(ram_bytes);
    arena.grow(ram_bytes);
    let channels = startup::dma_channels(&mut mailbox);
    let pins_of_input = gpio.another();
    let light = gpio.into_act_led(revision.act_led());

    arena.skip_to(V3D_START);
    let memory = arena.take(V3D_BYTES).expect("every board has 128 MiB");
    let mut take = |bytes| arena.take(bytes).expect("every board has 128 MiB");
    let shared = Shared {
        clocks: ClockManager::new(peripherals.clocks, clock),
        gpio: pins_of_input,
        dma: Channel::of(peripherals.dma, clock, channels),
        clock,
        memory: take(RING_BYTES + TAIL_BYTES),
        control: take(CONTROL_BYTES),
    };
    let (pcm, smi) = (
        Pcm::new(peripherals.pcm, clock),
        Smi::new(peripherals.smi, clock),
    );
    let input = LivePort::new(shared, pcm, smi, revision);
    let mut v3d = None;
    if !facts.board.v3d_hung && !facts.board.v3d_unwanted {
        if facts.watchdog_counts {
            // A block that is half on may hang the bus, and with it the first read of IDENT0.
            startup::note_bring_up();
            pm.arm(BRING_UP_US);
        }
        let bridges = Asb::new(peripherals.asb, clock);
        let supply = Supply::new(mailbox, bridges, Grafx::new(peripherals.grafx), clock);
        match V3d::power_up(peripherals.v3d, supply, memory, revision.v3d_hz()) {
            Ok(found) => {
                facts.board.v3d_ident0 = IDENT0_V3D;
                facts.board.clocks.v3d_hz = found.hz();
                v3d = Some(found);
            }
            Err(absent) => facts.board.v3d_ident0 = absent.ident0,
        }
    }

    startup::log_pending_abort("while the board was brought up");
    cpu::unmask_aborts();

    facts.board.boot = BootTimes {
        entry_us,
        greeting_us,
        v3d_us: clock.now_us() as u32,
    };
    let qpu = v3d.map(|mut v3d| {
        startup::learn_launch_order(&mut v3d);
        QpuEngine::new(v3d, EngineError::from, PLANS.take())
    });

    let watchdog = facts.watchdog_counts;
    let drivers = Drivers {
        uart,
        clock,
        pm,
        light,
        mailbox: questions,
        input,
    };
    let mut device = Device::new(drivers, facts.board, watchdog);
    let instrument =
        INSTRUMENT.init_with(|| Instrument::new(WORKSPACE.take(), qpu, settings, complaint));
    instrument.run(&mut device)
}
