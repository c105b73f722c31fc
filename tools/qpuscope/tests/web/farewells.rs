//! Tabs that `qpuscope web` ends: with what waits for them, and why.

use std::io::Write;

use crate::Board;
use crate::served::Served;

#[test]
fn a_tab_that_reads_too_slowly_is_closed_and_holds_nobody_up() {
    let board = Board::new();
    let served = Served::start(&[&board.port]);
    let mut line = board.accept();
    let (mut slow, _) = served.open();
    let (mut quick, _) = served.open();
    // 16 MiB are more than the queue and the buffers of the kernel hold.
    let piece = vec![0x55; 64 << 10];
    for _ in 0..256 {
        line.write_all(&piece).expect("the line is read");
        assert_eq!(quick.bytes(piece.len()), piece);
    }
    let (code, sentence) = slow.farewell();
    assert!(
        code == 4001 && sentence.contains("too slowly"),
        "{code} {sentence}"
    );
}

#[test]
fn a_tab_is_sent_what_waits_for_it_before_everything_ends() {
    let board = Board::new();
    let mut served = Served::start(&[&board.port]);
    let mut line = board.accept();
    let (mut late, _) = served.open();
    let (mut quick, _) = served.open();
    // The buffers of the kernel hold less.
    let bytes: Vec<u8> = (0..1 << 20).map(|at| (at % 251) as u8).collect();
    line.write_all(&bytes).expect("the line is read");
    assert_eq!(quick.bytes(bytes.len()), bytes);
    served.ask_to_end();
    assert_eq!(late.bytes(bytes.len()), bytes);
    for tab in [&mut late, &mut quick] {
        assert_eq!(tab.farewell().0, 1001);
    }
    assert_eq!(served.ended(), Some(0));
}
