//! The states of lines, one rule each.

use super::*;

#[test]
fn a_dirty_line_may_not_be_read_from_outside() {
    let (mut lines, memory) = (Lines::new(true), Memory::new(1 << 20));
    lines.touch(0x1_0040, true, true, &memory).unwrap();
    let fault = lines.outside_read(0x1_0000, 128, Agent::V3d).unwrap_err();
    assert_eq!(fault, (FaultKind::DirtyLineRead(Agent::V3d), 0x1_0040));
    lines.maintain(0x1_0044, true, false);
    assert_eq!(lines.undrained, Some(0x1_0044));
    lines.outside_read(0x1_0000, 128, Agent::V3d).unwrap();
    lines.drain();
    assert_eq!(lines.undrained, None);
}

#[test]
fn a_held_line_goes_stale_and_recovers() {
    let (mut lines, memory) = (Lines::new(true), Memory::new(1 << 20));
    lines.touch(0x2000, false, true, &memory).unwrap();
    lines.outside_write(0x2010, 4, Agent::Mailbox).unwrap();
    let start = lines.start_for(0x2000);
    assert_eq!(
        lines.state(start, 0x2000) & (PRESENT | STALE),
        PRESENT | STALE
    );
    assert_eq!(
        lines.touch(0x2000, false, true, &memory),
        Err(FaultKind::StaleLineRead(Agent::Mailbox))
    );
    lines.maintain(0x2000, false, true);
    lines.touch(0x2000, false, true, &memory).unwrap();
    lines.outside_write(0x3000, 4, Agent::V3d).unwrap();
    lines.touch(0x3000, false, true, &memory).unwrap();
}

#[test]
fn whole_cache_operations_reach_every_touched_line() {
    let (mut lines, memory) = (Lines::new(true), Memory::new(1 << 20));
    lines.touch(0x2000, true, true, &memory).unwrap();
    lines.touch(0x9fe0, true, true, &memory).unwrap();
    assert!(lines.outside_write(0x9fe0, 4, Agent::V3d).is_err());
    lines.maintain_all(true, false);
    lines.outside_write(0x9fe0, 4, Agent::V3d).unwrap();
    assert!(lines.touch(0x9fe0, false, true, &memory).is_err());
    lines.maintain_all(false, true);
    lines.touch(0x9fe0, false, true, &memory).unwrap();
    assert!(lines.invalidated);
}

#[test]
fn thrown_away_stores_may_not_be_read_back() {
    let (mut lines, memory) = (Lines::new(true), Memory::new(1 << 20));
    lines.touch(0x2000, true, true, &memory).unwrap();
    lines.maintain(0x2000, false, true);
    let read = lines.touch(0x2000, false, true, &memory);
    assert_eq!(read, Err(FaultKind::DiscardedLineRead(Agent::Arm)));
    lines.outside_write(0x2000, 32, Agent::V3d).unwrap();
    lines.touch(0x2000, false, true, &memory).unwrap();
}

#[test]
fn a_walk_may_not_meet_an_entry_that_only_the_cache_holds() {
    let (mut lines, mut memory) = (Lines::new(true), Memory::new(1 << 20));
    lines.walk_read(0x4000, &memory).unwrap();
    lines.touch(0x4004, true, true, &memory).unwrap();
    *memory.word_mut(0x4004) = 7;
    lines.walk_read(0x4000, &memory).unwrap();
    let changed = lines.walk_read(0x4004, &memory);
    assert_eq!(changed, Err(FaultKind::DirtyLineRead(Agent::TableWalk)));
    lines.maintain(0x4004, true, false);
    lines.walk_read(0x4004, &memory).unwrap();
}
