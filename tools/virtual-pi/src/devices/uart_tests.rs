//! Tests of the PL011 and its line.

use super::*;
use crate::SerialByte;
use crate::clock::{ARM_HZ, ns_from_clocks};

fn uart() -> Uart {
    let mut uart = Uart::new(48_000_000, 115_200, None);
    uart.set_pins(true, true);
    for (offset, value) in [
        (0x30, 0),
        (0x24, 26),
        (0x28, 3),
        (0x2c, 0x70),
        (0x30, 0x301),
    ] {
        uart.write(offset, value, 0).unwrap();
    }
    uart
}

#[test]
fn a_byte_takes_ten_bits_on_the_wire() {
    let mut uart = uart();
    uart.write(0x00, b'A'.into(), 1000).unwrap();
    let ends = uart.advance(1000);
    assert!(ends.abs_diff(1000 + ARM_HZ * 10 / 115_200) < 20);
    uart.advance(ends - 1);
    assert_eq!(uart.host.take_received(), []);
    assert_ne!(uart.read(0x18).unwrap() & FR_BUSY, 0);
    uart.advance(ends);
    let sent = SerialByte {
        at_ns: ns_from_clocks(ends),
        value: b'A',
        error: false,
    };
    assert_eq!(uart.host.take_received(), [sent]);
    assert_eq!(uart.read(0x18).unwrap() & FR_BUSY, 0);
}

#[test]
fn the_transmit_fifo_holds_sixteen_and_one_in_the_shifter() {
    let mut uart = uart();
    for value in 0..17 {
        assert_eq!(uart.read(0x18).unwrap() & FR_TXFF, 0, "{value}");
        uart.write(0x00, value, 0).unwrap();
    }
    assert_ne!(uart.read(0x18).unwrap() & FR_TXFF, 0);
    uart.write(0x00, 99, 0).unwrap();
    uart.advance(ARM_HZ);
    let values: Vec<u8> = uart
        .host
        .take_received()
        .iter()
        .map(|byte| byte.value)
        .collect();
    assert_eq!(values, (0..17).collect::<Vec<u8>>());
}

#[test]
fn transmit_interrupts_when_the_level_is_passed_downwards() {
    let mut uart = uart();
    uart.write(0x38, INT_TX, 0).unwrap();
    for value in 0..12 {
        uart.write(0x00, value, 0).unwrap();
    }
    assert!(!uart.interrupt());
    let frame = ARM_HZ * 10 / 115_200;
    uart.advance(frame * 2);
    assert!(!uart.interrupt());
    uart.advance(frame * 4);
    assert!(uart.interrupt());
    uart.write(0x44, INT_TX, 0).unwrap();
    assert!(!uart.interrupt());
}

#[test]
fn received_bytes_raise_the_level_and_the_timeout() {
    let mut uart = uart();
    uart.host.send(b"12345678", 0);
    let frame = ARM_HZ * 10 / 115_200 + 1;
    uart.advance(frame * 7);
    assert_eq!(uart.read(0x3c).unwrap() & INT_RX, 0);
    uart.advance(frame * 8);
    assert_ne!(uart.read(0x3c).unwrap() & INT_RX, 0);
    assert_eq!(uart.read(0x00), Ok(b'1'.into()));
    assert_eq!(uart.read(0x3c).unwrap() & (INT_RX | INT_RT), 0);
    uart.advance(frame * 12);
    assert_ne!(uart.read(0x3c).unwrap() & INT_RT, 0);
    for _ in 0..7 {
        uart.read(0x00).unwrap();
    }
    assert_eq!(uart.read(0x3c).unwrap() & INT_RT, 0);
    assert_ne!(uart.read(0x18).unwrap() & FR_RXFE, 0);
}

#[test]
fn the_seventeenth_byte_overruns() {
    let mut uart = uart();
    uart.host.send(&[7; 18], 0);
    uart.advance(ARM_HZ);
    assert_ne!(uart.read(0x3c).unwrap() & INT_OE, 0);
    for _ in 0..16 {
        assert_eq!(uart.read(0x00), Ok(7));
    }
    assert_ne!(uart.read(0x18).unwrap() & FR_RXFE, 0);
    uart.host.send(&[8], ARM_HZ);
    uart.advance(2 * ARM_HZ);
    assert_eq!(uart.read(0x00), Ok(8 | DR_OE));
}

#[test]
fn a_break_is_distinguished_from_data() {
    let mut uart = uart();
    uart.host.send_break(0);
    uart.host.send(b"x", 0);
    uart.advance(ARM_HZ);
    assert_eq!(uart.read(0x00), Ok(DR_BE | DR_FE));
    assert_eq!(uart.read(0x00), Ok(b'x'.into()));
}

#[test]
fn a_wrong_rate_garbles_both_ways() {
    let mut uart = uart();
    uart.host.set_baud(9600);
    uart.write(0x00, b'U'.into(), 0).unwrap();
    uart.host.send(b"U", 0);
    uart.advance(ARM_HZ);
    assert!(uart.host.take_received()[0].error);
    assert_ne!(uart.read(0x00).unwrap() & DR_FE, 0);
}

#[test]
fn pins_that_are_not_alt0_lose_bytes() {
    let mut uart = uart();
    uart.set_pins(false, false);
    uart.write(0x00, 1, 0).unwrap();
    uart.host.send(&[2], 0);
    uart.advance(ARM_HZ);
    assert_eq!(uart.host.take_received(), []);
    assert_eq!(uart.take_lost(), 1);
    assert_ne!(uart.read(0x18).unwrap() & FR_RXFE, 0);
}
