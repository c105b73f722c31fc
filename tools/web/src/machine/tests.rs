use super::*;

/// A guest that sleeps: `mov r0, #0`, `mcr p15, 0, r0, c7, c0, 4`, and a branch to the first.
const ASLEEP: [u32; 3] = [0xe3a0_0000, 0xee07_0f90, 0xeaff_fffc];

fn machine() -> Machine {
    let image: Vec<u8> = ASLEEP.iter().flat_map(|word| word.to_le_bytes()).collect();
    Machine::new(&image, "").unwrap()
}

#[test]
fn time_waits_for_live_samples_and_the_queue_has_an_end() {
    let mut machine = machine();
    machine.run(1000).unwrap();
    let facts = machine.play_live(48_000).unwrap();
    assert!(
        facts.contains("input=i2s clock=adc rate=48000 channel=left"),
        "{facts}"
    );
    machine.run(1000).unwrap();
    assert!(machine.is_starved() && machine.seconds() < 0.002);
    machine.feed(&[0.5; 4800]).unwrap();
    assert!((machine.behind() - 0.1).abs() < 1e-3);
    let before = machine.seconds();
    machine.run(1_000_000).unwrap();
    assert!((machine.seconds() - before - 0.1).abs() < 1e-3);
    for _ in 0..59 {
        machine.feed(&vec![0.0; 48_000]).unwrap();
    }
    let error = machine.feed(&vec![0.0; 48_001]).unwrap_err();
    assert!(error.contains("60 s behind"), "{error}");
    machine.run(1000).unwrap();
    assert!(!machine.is_starved(), "no part, no wait");
    assert!(machine.play_live(4_000).is_err());
}

#[test]
fn the_sentence_about_a_full_queue_says_the_time_in_it() {
    let mut machine = machine();
    machine.play_live(192_000).unwrap();
    machine.feed(&vec![0.0; 21 * 192_000]).unwrap();
    let error = machine.feed(&vec![0.0; 192_000]).unwrap_err();
    assert!(error.contains("22 s behind"), "{error}");
}

#[test]
fn a_file_ends_once_and_a_repeated_one_never() {
    let mut machine = machine();
    let bytes: Vec<u8> = vec![0; 2 * 12_000];
    let facts = machine
        .play_file("a.i16", bytes.clone(), 12000.0, "left", false)
        .unwrap();
    assert!(facts.contains("rate=12000 "), "{facts}");
    machine.run(900_000).unwrap();
    assert_eq!(machine.take_ended(), None);
    machine.run(200_000).unwrap();
    assert_eq!(machine.take_ended().as_deref(), Some("The file has ended."));
    assert!((machine.seconds() - 1.1).abs() < 1e-3);
    machine
        .play_file("a.i16", bytes, 12000.0, "left", true)
        .unwrap();
    machine.run(2_500_000).unwrap();
    assert_eq!((machine.take_ended(), machine.is_starved()), (None, false));
    assert!((machine.seconds() - 3.6).abs() < 1e-3);
}

#[test]
fn a_repeated_file_without_frames_ends() {
    let mut machine = machine();
    let samples = crate::samples::tests::without_frames();
    machine.play(Playing::file(samples, Channel::Left, true));
    machine.run(1000).unwrap();
    assert_eq!(machine.take_ended().as_deref(), Some("The file has ended."));
}

#[test]
fn facts_say_what_the_axis_is() {
    let mut machine = machine();
    let iq = machine
        .play_file("a.cu8", vec![127; 100], 2.4e6, "left", true)
        .unwrap();
    assert!(
        iq.contains("channel=iq") && iq.contains("\"over\":50"),
        "{iq}"
    );
    assert!(iq.contains("1/50 of its speed"), "{iq}");
    let table = include_str!("../../../../data/seattle_temperature_2010_hourly.csv");
    let slow = machine.play_temperatures(table).unwrap();
    assert!(
        slow.contains("\"under\":28800000") && slow.contains("128"),
        "{slow}"
    );
    assert!(
        machine
            .play_bursts()
            .contains("input=smi clock=board rate=20M")
    );
    assert!(
        machine
            .play_file("a.wav", vec![1], 0.0, "left", true)
            .is_err()
    );
}

#[test]
fn a_digest_does_not_depend_on_slices() {
    let code = [
        0xe3a0_1202_u32, // mov r1, #0x2000_0000
        0xe281_1602,     // add r1, r1, #0x20_0000: GPIO
        0xe3a0_0901,     // mov r0, #0x4000
        0xe581_0004,     // str r0, [r1, #4]: GPIO 14 is ALT0
        0xe281_1a01,     // add r1, r1, #0x1000: UART
        0xe3a0_001a,     // mov r0, #26
        0xe581_0024,     // str r0, [r1, #0x24]: IBRD, 115 kbaud
        0xe3a0_0070,     // mov r0, #0x70
        0xe581_002c,     // str r0, [r1, #0x2c]: LCRH, FIFOs and 8 bits
        0xe3a0_0c01,     // mov r0, #0x100
        0xe380_0001,     // orr r0, r0, #1
        0xe581_0030,     // str r0, [r1, #0x30]: CR, UARTEN and TXE
        0xe581_0000,     // str r0, [r1]: DR, over and over
        0xe280_0001,     // add r0, r0, #1
        0xeaff_fffc,     // b to the store
    ];
    let image: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
    let whole = digest(&image, 20, 20_000);
    let count = whole.as_deref().unwrap().split(' ').next().unwrap();
    // 20 ms of frames of 10 bits.
    assert!(count.parse::<u32>().unwrap() > 200, "{whole:?}");
    assert_eq!(whole, digest(&image, 20, 1_700));
}
