//! Orders that hold and orders that do not, without a simulator around them.

use super::*;

const ROW: Words = row(3);

/// All of a row of the VPM.
pub const fn row(y: usize) -> Words {
    Words {
        first: y * 16,
        step: 1,
        count: 16,
        bytes: 15,
    }
}

fn at(qpu: u8, pc: u32) -> At {
    let word = Some(0x1000_09e7_009e_7000);
    At { qpu, pc, word }
}

fn wrote(races: &mut Races, qpu: u8) {
    assert_eq!(races.write_vpm(at(qpu, 0x40), Actor::Writes, ROW), None);
}

#[test]
fn a_semaphore_orders_what_was_drained() {
    let mut races = Races::default();
    wrote(&mut races, 3);
    races.increment(3, 0);
    races.decrement(4, 0);
    races.setup(4);
    let race = races.read_vpm(at(4, 0x80), ROW).unwrap();
    assert_eq!(race.rule, Rule::VpmWriteUndrained);
    assert_eq!(
        (race.other.qpu(), race.other.pc(), race.place),
        (3, 0x40, 48)
    );
    assert_eq!(
        races.place(race.other).to_string(),
        "QPU 3 at 0x00000040 `nop`"
    );
    races.complete(3, Actor::Writes);
    races.increment(3, 0);
    races.decrement(4, 0);
    races.setup(4);
    assert_eq!(races.read_vpm(at(4, 0x80), ROW), None);
}

#[test]
fn without_a_hand_over_nothing_is_ordered() {
    let mut races = Races::default();
    wrote(&mut races, 3);
    races.complete(3, Actor::Writes);
    races.setup(4);
    assert_eq!(races.read_vpm(at(4, 0), ROW).unwrap().rule, Rule::VpmRace);
    // Nor the reader before the next write.
    races.increment(3, 0);
    races.decrement(4, 0);
    let race = races.write_vpm(at(3, 0x48), Actor::Writes, ROW).unwrap();
    assert_eq!(
        (race.rule, race.other.qpu(), race.other_wrote),
        (Rule::VpmRace, 4, false)
    );
}

#[test]
fn a_setup_before_the_acquire_may_fetch_old_rows() {
    let mut races = Races::default();
    wrote(&mut races, 3);
    races.complete(3, Actor::Writes);
    races.increment(3, 0);
    races.setup(4);
    races.decrement(4, 0);
    assert_eq!(
        races.read_vpm(at(4, 0), ROW).unwrap().rule,
        Rule::VpmSetupBeforeAcquire
    );
}

#[test]
fn the_mutex_orders_its_holders() {
    let mut races = Races::default();
    for qpu in [1, 2, 1, 3] {
        races.acquire_mutex(qpu);
        races.setup(qpu);
        assert_eq!(races.read_vpm(at(qpu, 0), ROW), None);
        wrote(&mut races, qpu);
        races.complete(qpu, Actor::Writes);
        races.release_mutex(qpu);
    }
    assert_eq!(
        races.write_vpm(at(4, 0), Actor::Writes, ROW).unwrap().rule,
        Rule::VpmRace
    );
}

#[test]
fn two_increments_of_one_count_are_two_tokens() {
    let mut races = Races::default();
    wrote(&mut races, 1);
    races.complete(1, Actor::Writes);
    races.increment(2, 0);
    races.increment(1, 0);
    races.decrement(3, 0);
    assert!(
        races.write_vpm(at(3, 0), Actor::Writes, ROW).is_some(),
        "that was QPU 2's"
    );
    let mut races = Races::default();
    wrote(&mut races, 1);
    races.complete(1, Actor::Writes);
    races.increment(2, 0);
    races.increment(1, 0);
    races.decrement(3, 0);
    races.decrement(3, 0);
    assert_eq!(races.write_vpm(at(3, 0), Actor::Writes, ROW), None);
}

/// Fifteen increments need nobody; the sixteenth has waited for a decrement.
#[test]
fn a_full_semaphore_orders_backwards() {
    let mut races = Races::default();
    races.setup(2);
    assert_eq!(races.read_vpm(at(2, 0), ROW), None);
    for _ in 0..15 {
        races.increment(1, 0);
    }
    races.decrement(2, 0);
    let mut early = Races::default();
    std::mem::swap(&mut early, &mut races);
    early.increment(1, 0);
    assert_eq!(early.write_vpm(at(1, 0), Actor::Writes, ROW), None);
    races.read_vpm(at(2, 0), ROW);
    races.increment(1, 0);
    races.decrement(2, 0);
    assert!(
        races.write_vpm(at(1, 0), Actor::Writes, ROW).is_some(),
        "it never was full"
    );
}

#[test]
fn dma_is_over_when_its_qpu_has_waited() {
    let mut races = Races::default();
    wrote(&mut races, 5);
    races.complete(5, Actor::Writes);
    assert_eq!(races.store_vpm(at(5, 0x50), ROW), None);
    let race = races.write_vpm(at(5, 0x58), Actor::Writes, ROW).unwrap();
    assert_eq!((race.rule, race.other_wrote), (Rule::DmaNotAwaited, false));
    races.complete(5, Actor::Stores);
    wrote(&mut races, 5);
    races.complete(5, Actor::Writes);
    assert_eq!(races.write_vpm(at(5, 0x60), Actor::Loads, ROW), None);
    races.increment(5, 1);
    races.decrement(6, 1);
    races.setup(6);
    assert_eq!(
        races.read_vpm(at(6, 0), ROW).unwrap().rule,
        Rule::DmaNotAwaited
    );
    races.complete(5, Actor::Loads);
    races.increment(5, 1);
    races.decrement(6, 1);
    races.setup(6);
    assert_eq!(races.read_vpm(at(6, 0), ROW), None);
}

#[test]
fn a_transfer_is_over_once_some_wait_for_its_engine_is_known_of() {
    let mut races = second_of_two(Actor::Stores, Actor::Stores);
    assert!(races.is_over(6, Actor::Stores));
    assert!(!races.is_over(5, Actor::Stores));
    // QPU 6 has waited, and says so.
    races.increment(6, 1);
    races.decrement(5, 1);
    assert!(races.is_over(5, Actor::Stores));
    assert_eq!(races.store_vpm(at(5, 0x70), row(8)), None);
    races.start_transfer(5, Actor::Stores);
    assert!(!races.is_over(5, Actor::Stores));
}

/// QPU 5 gives the mutex back while its transfer is on its way, as some programs do in a loop; QPU
/// 6, which takes the mutex next, waits for its own only.
fn second_of_two(first: Actor, second: Actor) -> Races {
    let mut races = Races::default();
    let start = |races: &mut Races, qpu, actor, words| {
        races.start_transfer(qpu, actor);
        let race = match actor {
            Actor::Stores => races.store_vpm(at(qpu, 0x50), words),
            _ => races.write_vpm(at(qpu, 0x50), actor, words),
        };
        assert_eq!(race, None);
    };
    races.acquire_mutex(5);
    start(&mut races, 5, first, ROW);
    races.release_mutex(5);
    races.acquire_mutex(6);
    start(&mut races, 6, second, row(4));
    races.complete(6, second);
    races
}

#[test]
fn a_wait_covers_what_the_engine_took_before() {
    for engine in [Actor::Loads, Actor::Stores] {
        let mut races = second_of_two(engine, engine);
        wrote(&mut races, 6);
        races.complete(6, Actor::Writes);
        races.release_mutex(6);
        races.acquire_mutex(7);
        assert_eq!(races.write_vpm(at(7, 0), Actor::Writes, ROW), None);
    }
}

#[test]
fn a_wait_for_one_engine_says_nothing_of_the_other() {
    for (first, second) in [(Actor::Loads, Actor::Stores), (Actor::Stores, Actor::Loads)] {
        let mut races = second_of_two(first, second);
        let race = races.write_vpm(at(6, 0), Actor::Writes, ROW).unwrap();
        assert_eq!((race.rule, race.other.qpu()), (Rule::DmaNotAwaited, 5));
    }
}

#[test]
fn a_wait_does_not_cover_what_was_started_later() {
    let mut races = Races::default();
    races.start_transfer(6, Actor::Stores);
    assert_eq!(races.store_vpm(at(6, 0x48), row(4)), None);
    races.acquire_mutex(5);
    races.start_transfer(5, Actor::Stores);
    assert_eq!(races.store_vpm(at(5, 0x50), ROW), None);
    races.release_mutex(5);
    races.acquire_mutex(6);
    races.complete(6, Actor::Stores);
    let race = races.write_vpm(at(6, 0), Actor::Writes, ROW).unwrap();
    assert_eq!((race.rule, race.other.qpu()), (Rule::DmaNotAwaited, 5));
}

#[test]
fn stores_to_the_same_bytes_need_an_order_and_reads_a_wait() {
    let mut races = Races::default();
    assert_eq!(races.store_memory(at(1, 0x50), 0x4000_0020, 64), None);
    assert_eq!(
        races.store_memory(at(2, 0x58), 0x4000_0060, 64),
        None,
        "next to it"
    );
    let race = races.store_memory(at(2, 0x58), 0x4000_0030, 4).unwrap();
    assert_eq!(
        (race.rule, race.other.qpu(), race.place),
        (Rule::StoreRace, 1, 0x4000_0030)
    );
    let race = races.read_memory(3, 0x4000_005c, 4).unwrap();
    assert_eq!((race.rule, race.place), (Rule::LoadRace, 0x4000_005c));
    races.increment(1, 0);
    races.decrement(3, 0);
    assert!(
        races.read_memory(3, 0x4000_005c, 4).is_some(),
        "not waited for"
    );
    assert_eq!(
        races.store_memory(at(3, 0), 0x4000_0040, 4),
        None,
        "one engine, in order"
    );
    races.complete(1, Actor::Stores);
    races.increment(1, 0);
    races.decrement(4, 0);
    assert_eq!(races.read_memory(4, 0x4000_005c, 4), None);
    assert_eq!(races.read_memory(4, 0x4000_0010, 4), None);
}

#[test]
fn the_arm_orders_programs_it_queues_after_others_ended() {
    let mut races = Races::default();
    wrote(&mut races, 7);
    races.complete(7, Actor::Writes);
    races.tell_arm(7);
    let (before, after) = (Clock::default(), races.arm());
    races.start(6, &before);
    races.start(5, &after);
    assert_eq!(races.write_vpm(at(5, 0), Actor::Writes, row(4)), None);
    races.setup(5);
    assert_eq!(races.read_vpm(at(5, 0), ROW), None);
    races.setup(6);
    assert!(races.read_vpm(at(6, 0), ROW).is_some());
    races.forget();
    assert_eq!(races.write_vpm(at(6, 0), Actor::Writes, ROW), None);
}

/// Millions of hand-overs do not make old epochs look new.
#[test]
fn time_ends_and_begins_anew() {
    let mut races = Races::default();
    wrote(&mut races, 1);
    races.qpus[2].now = Epoch::LAST_TIME - 1;
    races.write_vpm(at(2, 0), Actor::Writes, row(9));
    races.release_mutex(2);
    wrote(&mut races, 3);
    assert!(races.write_vpm(at(4, 0), Actor::Writes, ROW).is_some());
}
