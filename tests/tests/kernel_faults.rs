//! Tests of what the firmware says when it fails, and that the board comes back and knows why.
//!
//! There is no command that makes the firmware fault, so a few instructions of the shipped image
//! are replaced: the interrupt handler, found by its name in the ELF file beside the image, does
//! the wrong thing the first time it is called. Everything else is the image as it goes on the
//! card.
#![forbid(unsafe_code)]

use object::{Object, ObjectSymbol};
use tests::{NO_KERNEL, need};
use virtual_pi::{Config, Stop, VirtualPi};
use wire::{Decoder, Item, Message};

/// The address of the flat image in memory.
const BASE: u32 = 0x8000;

/// `mov r0, #0x30000000`: no memory there, and nothing mapped.
const R0_NOWHERE: u32 = 0xe3a0_0203;

struct Image {
    bytes: Vec<u8>,
    elf: Vec<u8>,
}

impl Image {
    fn address(&self, symbol: &str) -> u32 {
        let elf = object::File::parse(&*self.elf).expect("kernel.elf is an ELF file");
        let symbol = elf.symbols().find(|found| found.name() == Ok(symbol));
        symbol.expect("the boot code has this symbol").address() as u32
    }

    /// The address of the function whose mangled name has all of these parts.
    fn function(&self, parts: &[&str]) -> u32 {
        let elf = object::File::parse(&*self.elf).expect("kernel.elf is an ELF file");
        let mut symbols = elf.symbols();
        let found = symbols.find(|found| {
            let name = found.name().unwrap_or_default();
            parts.iter().all(|part| name.contains(part))
        });
        found.expect("the image has this function").address() as u32
    }

    fn word(&self, address: u32) -> u32 {
        let at = (address - BASE) as usize;
        u32::from_le_bytes(*self.bytes[at..].first_chunk().expect("inside the image"))
    }

    /// The first place of a word: the boot code comes first in the image.
    fn place(&self, word: u32) -> u32 {
        let mut places = (BASE..).step_by(4).take(self.bytes.len() / 4);
        places
            .find(|at| self.word(*at) == word)
            .expect("the boot code has this constant")
    }

    fn patch(&mut self, address: u32, words: &[u32]) {
        for (index, word) in words.iter().enumerate() {
            let at = (address - BASE) as usize + 4 * index;
            self.bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// The image under test, and the ELF file that it was cut from.
fn image() -> Option<Image> {
    let elf = tests::given("QPUSCOPE_KERNEL")?.with_extension("elf");
    Some(Image {
        bytes: tests::kernel()?,
        elf: std::fs::read(elf).ok()?,
    })
}

/// FAULT records as code, PC, address and text.
type Faults = Vec<(u16, u32, u32, String)>;

/// Boots `image` until it resets and for half a second more; the FAULT records, and all text.
fn until_after_reset(image: &Image, limit_s: u64) -> (Faults, String) {
    let mut pi = VirtualPi::new(Config::default(), &image.bytes).expect("an image that boots");
    let stop = pi.run_until_ns(limit_s * 1_000_000_000);
    assert_eq!(stop, Stop::Reset);
    pi.run_until_ns(pi.now_ns() + 500_000_000);
    assert_eq!(pi.messages(), [""; 0]);
    received(&mut pi)
}

/// The FAULT records and the text that a board has sent.
fn received(pi: &mut VirtualPi) -> (Faults, String) {
    let (mut faults, mut text) = (Vec::new(), String::new());
    let mut decoder = Decoder::new();
    for byte in pi.serial_received() {
        match decoder.push(byte.value) {
            Some(Item::Text(line)) => text += &String::from_utf8_lossy(line),
            Some(Item::Frame(header, payload)) => {
                if let Ok(Message::Fault(fault)) = Message::decode(header.kind, payload) {
                    let text = fault.text.to_string();
                    faults.push((fault.code, fault.pc, fault.address, text));
                }
            }
            _ => {}
        }
    }
    (faults, text)
}

#[test]
fn an_exception_is_reported_twice_over_and_named_by_the_next_banner() {
    let image = need!(image(), "{NO_KERNEL}");
    let at = image.address("kernel_irq");
    let nowhere = 0x3000_0000;
    for (words, code, pc, address, said) in [
        (&[0xe7f0_00f0][..], 2, at, 0, "undefined instruction"),
        (
            &[0xe3a0_f203],
            3,
            nowhere,
            nowhere,
            "prefetch abort at 0x30000000",
        ),
        (
            &[R0_NOWHERE, 0xe590_0000],
            4,
            at + 4,
            nowhere,
            "read of 0x30000000: TranslationFaultFirstLevel",
        ),
        (
            &[R0_NOWHERE, 0xe580_0000],
            4,
            at + 4,
            nowhere,
            "write to 0x30000000",
        ),
        (&[0xef00_0000], 5, at, 0, "unexpected SVC"),
    ] {
        let mut broken = Image {
            bytes: image.bytes.clone(),
            elf: image.elf.clone(),
        };
        broken.patch(at, words);
        let (faults, text) = until_after_reset(&broken, 2);
        let (found_code, found_pc, found_address, found_text) = faults
            .first()
            .expect("a FAULT record comes before the reset");
        assert_eq!(
            (*found_code, *found_pc, *found_address),
            (code, pc, address),
            "{found_text}"
        );
        assert!(found_text.contains(said), "{found_text}");
        let cause = format!("reset cause: watchdog after fault: {found_text}");
        assert!(text.contains(&cause), "no {cause:?} in\n{text}");
    }
}

#[test]
fn a_hang_ends_by_the_watchdog_and_the_banner_names_the_stage() {
    let mut image = need!(image(), "{NO_KERNEL}");
    // From a quarter of a second on, the interrupt handler does not return. The code goes where
    // the vector that the architecture never uses points.
    let room = image.address("reserved_vector");
    let handler = image.address("kernel_irq");
    let branch = |from: u32, to: u32| (to.wrapping_sub(from + 8) >> 2) & 0x00ff_ffff;
    image.patch(
        room,
        &[
            0xe3a0_0202, // mov r0, #0x20000000
            0xe380_1a03, // orr r1, r0, #0x3000     system timer
            0xe591_1004, // ldr r1, [r1, #4]        CLO
            0xee07_0fba, // data memory barrier     another peripheral may come next
            0xe351_0701, // cmp r1, #0x40000
            0x3a00_0000 | branch(room + 20, handler),
            0xe380_0cb2, // orr r0, r0, #0xb200     interrupt controller
            0xe3e0_1000, // mvn r1, #0
            0xe580_101c, // str r1, [r0, #0x1c]     disable all, so that nothing ends
            0xe580_1020, // str r1, [r0, #0x20]
            0xee07_0f90, // wait for interrupt      a wait that costs no time to simulate
            0xeaff_fffd, // b back to it
        ],
    );
    let irq = image.address("irq");
    let call = (irq..irq + 64)
        .step_by(4)
        .find(|at| image.word(*at) == 0xeb00_0000 | branch(*at, handler));
    let call = call.expect("the IRQ vector calls its handler");
    image.patch(call, &[0xeb00_0000 | branch(call, room)]);
    let (faults, text) = until_after_reset(&image, 20);
    assert_eq!(faults, []);
    assert!(text.contains("reset cause: watchdog"), "{text}");
    assert!(text.contains("last stage streaming"), "{text}");
}

/// The interrupt handler fails at its first call; the time of the reset, with a line that is stuck
/// after so many bytes.
fn reset_ms(image: &Image, uart_sticks_after: Option<u64>) -> u64 {
    let config = Config {
        uart_sticks_after,
        ..Config::default()
    };
    let mut pi = VirtualPi::new(config, &image.bytes).expect("an image that boots");
    let stop = pi.run_until_ns(20_000_000_000);
    assert_eq!(stop, Stop::Reset);
    assert_eq!(pi.messages(), [""; 0]);
    pi.now_ns() / 1_000_000
}

/// A report of 700 bytes, each of which waited 20 ms, would take 14 s.
#[test]
fn a_fault_on_a_line_that_is_stuck_ends_as_soon_as_any() {
    let mut image = need!(image(), "{NO_KERNEL}");
    image.patch(image.address("kernel_irq"), &[0xe7f0_00f0]);
    let usual = reset_ms(&image, None);
    for bytes in [0, 60, 100] {
        let stuck = reset_ms(&image, Some(bytes));
        // The greeting waits for its own time and 20 ms, and the report another 20.
        assert!(
            stuck <= usual + 150,
            "{stuck} ms after {bytes} bytes, {usual} ms"
        );
    }
}

/// The stack of the image begins nearer to its end: too near for what it does at the
/// start, or not.
#[test]
fn a_stack_that_overflows_ends_in_a_fault_with_an_address_below_it_and_never_in_silence() {
    let image = need!(image(), "{NO_KERNEL}");
    let [guard, bottom, top] =
        ["__stack_guard", "__stack_bottom", "__stack_top"].map(|symbol| image.address(symbol));
    let is_caught = |stack_bytes: u32| {
        let mut pressed = Image {
            bytes: image.bytes.clone(),
            elf: image.elf.clone(),
        };
        pressed.patch(image.place(top), &[bottom + stack_bytes]);
        let mut pi = VirtualPi::new(Config::default(), &pressed.bytes).expect("it boots");
        let stop = pi.run_until_ns(700_000_000);
        let (faults, text) = received(&mut pi);
        if stop != Stop::Reset {
            assert!(
                text.contains("next: "),
                "{stack_bytes} bytes: {stop:?} {text}"
            );
            return false;
        }
        let (code, _, address, said) = faults.first().expect("a FAULT record");
        assert_eq!(*code, 4, "{stack_bytes} bytes: {said}");
        assert!(
            (guard..bottom).contains(address),
            "{stack_bytes} bytes: {said}"
        );
        assert!(said.contains("TranslationFaultSecondLevel"), "{said}");
        true
    };
    let caught = [12, 16, 24, 32, 48, 64].map(|kib| is_caught(kib << 10));
    assert!(caught.is_sorted_by_key(|caught| !caught), "{caught:?}");
    assert_eq!((caught[0], caught[5]), (true, false), "{caught:?}");
}

/// Plans of power spectra are made for the QPUs only.
#[test]
fn after_three_starts_that_end_in_a_fault_the_next_leaves_v3d_alone_and_says_why() {
    let mut image = need!(image(), "{NO_KERNEL}");
    let at = image.function(&["PowerPlan", "3new", "kernel"]);
    image.patch(at, &[0xe7f0_00f0]);
    let mut pi = VirtualPi::new(Config::default(), &image.bytes).expect("an image that boots");
    for _ in 0..3 {
        assert_eq!(pi.run_until_ns(pi.now_ns() + 2_000_000_000), Stop::Reset);
        let (faults, text) = received(&mut pi);
        assert_eq!(faults.len(), 1, "{text}");
        assert!(!text.contains("careful"), "{text}");
    }
    // Ten seconds without a fault clear the count.
    assert_ne!(pi.run_until_ns(pi.now_ns() + 12_000_000_000), Stop::Reset);
    pi.serial_send(b"start\rinfo\r");
    assert_ne!(pi.run_until_ns(pi.now_ns() + 1_000_000_000), Stop::Reset);
    let (faults, text) = received(&mut pi);
    assert_eq!(faults, []);
    for said in [
        "careful: the last 3 starts each ended in a fault or a hang within 10 s",
        "has engine=cpu start=0",
        "engine: cpu (V3D is left without power)",
        "last start: fault",
    ] {
        assert!(text.contains(said), "no {said:?} in {text}");
    }
    // Another that ends early is the first again, and not the fourth.
    pi.serial_send(b"reboot\r");
    for cause in ["", "reboot command"] {
        assert_eq!(pi.run_until_ns(pi.now_ns() + 2_000_000_000), Stop::Reset);
        let (_, text) = received(&mut pi);
        assert!(text.contains(cause) && !text.contains("careful"), "{text}");
    }
}
