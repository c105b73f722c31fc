//! A recording of a line, played at its own pace: every page has a player of its own.
//!
//! Frames carry the board's time, and bytes are handed out when the frame that they end in is due.
//! A pause of the recording lasts at most [`LONGEST_PAUSE`], and a board that has started again
//! starts anew at once.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, Instant};

use wire::{Decoder, Item};

/// The longest that a page waits for the next frame, at the recording's own speed.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The most bytes that are handed out at once, but for what lies before a frame.
const PIECE: usize = 32 << 10;
/// The most bytes without a frame among them that are kept together.
const NOISE: usize = 256 << 10;

/// A recording on its way.
pub struct Player<R = File> {
    source: R,
    decoder: Box<Decoder>,
    /// Bytes that were read and are not decoded yet, from `at` on.
    read: Vec<u8>,
    at: usize,
    /// Bytes that are decoded and not handed out, and when they are due.
    piece: Vec<u8>,
    due: Option<Instant>,
    clock: Clock,
    is_at_end: bool,
}

/// The next thing that a recording does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Played {
    /// Bytes that are due.
    Bytes(Vec<u8>),
    /// Nothing for so long.
    Wait(Duration),
    /// Nothing any more.
    End,
}

impl Player {
    /// Opens a recording.
    ///
    /// # Errors
    /// As [`File::open`].
    pub fn open(path: &Path, speed: f64) -> std::io::Result<Self> {
        Ok(Self::of(File::open(path)?, speed))
    }
}

impl<R: Read> Player<R> {
    /// Plays what can be read from `source`.
    fn of(source: R, speed: f64) -> Self {
        Self {
            source,
            decoder: Box::default(),
            read: vec![],
            at: 0,
            piece: vec![],
            due: None,
            clock: Clock::new(speed),
            is_at_end: false,
        }
    }

    /// Plays at another speed from now on; 0 is without a wait.
    pub fn set_speed(&mut self, speed: f64, now: Instant) {
        self.due = self.clock.change_speed(speed, self.due, now);
    }

    /// The next bytes, if they are due.
    ///
    /// # Errors
    /// When the recording cannot be read further.
    pub fn next(&mut self, now: Instant) -> std::io::Result<Played> {
        let mut out = vec![];
        loop {
            if let Some(due) = self.due {
                let left = due.saturating_duration_since(now);
                if !left.is_zero() {
                    return Ok(match out.is_empty() {
                        true => Played::Wait(left),
                        false => Played::Bytes(out),
                    });
                }
                self.due = None;
            }
            out.append(&mut self.piece);
            if out.len() >= PIECE {
                return Ok(Played::Bytes(out));
            }
            if !self.advance(now)? && self.piece.is_empty() {
                return Ok(match out.is_empty() {
                    true => Played::End,
                    false => Played::Bytes(out),
                });
            }
        }
    }

    /// Takes in bytes up to the end of a frame; returns false when there are no more.
    fn advance(&mut self, now: Instant) -> std::io::Result<bool> {
        loop {
            while let Some(byte) = self.read.get(self.at).copied() {
                self.at += 1;
                self.piece.push(byte);
                if let Some(Item::Frame(header, _)) = self.decoder.push(byte) {
                    self.due = self.clock.due(header.time_us, now);
                    return Ok(true);
                }
                if self.piece.len() >= NOISE {
                    return Ok(true);
                }
            }
            if self.is_at_end || !self.fill()? {
                return Ok(false);
            }
        }
    }

    fn fill(&mut self) -> std::io::Result<bool> {
        self.read.resize(64 << 10, 0);
        self.at = 0;
        loop {
            match self.source.read(&mut self.read) {
                Ok(count) => {
                    self.read.truncate(count);
                    self.is_at_end = count == 0;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.read.clear();
                    return Err(error);
                }
            }
        }
    }
}

/// The time of a recording beside that of this computer.
struct Clock {
    speed: f64,
    /// A time of the board, and when it was or is played.
    anchor: Option<(u64, Instant)>,
    /// The board's time of the last frame.
    last_us: u64,
}

impl Clock {
    const fn new(speed: f64) -> Self {
        Self {
            speed,
            anchor: None,
            last_us: 0,
        }
    }

    /// The duration of so many of the board's microseconds here.
    fn span(&self, span_us: u64) -> Duration {
        if self.speed <= 0.0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64(span_us as f64 * 1e-6 / self.speed).unwrap_or(Duration::MAX)
    }

    /// The time at which a frame is due; none is at once.
    fn due(&mut self, time_us: u64, now: Instant) -> Option<Instant> {
        let last_us = std::mem::replace(&mut self.last_us, time_us);
        let Some((start_us, start)) = self.anchor.filter(|_| time_us >= last_us) else {
            self.anchor = Some((time_us, now));
            return None;
        };
        let longest_us = LONGEST_PAUSE.as_micros() as u64;
        if time_us - last_us > longest_us {
            // The pause is cut short; what follows keeps its distances.
            let due = start
                .checked_add(self.span(last_us.saturating_sub(start_us)))?
                .max(now)
                .checked_add(self.span(longest_us))?;
            self.anchor = Some((time_us, due));
            return Some(due);
        }
        start.checked_add(self.span(time_us - start_us))
    }

    /// Changes the speed. What is due then is due in proportion to the wait that was left.
    fn change_speed(&mut self, speed: f64, due: Option<Instant>, now: Instant) -> Option<Instant> {
        let old = std::mem::replace(&mut self.speed, speed);
        if speed <= 0.0 {
            self.anchor = Some((self.last_us, now));
            return None;
        }
        let left = due.map_or(Duration::ZERO, |due| due.saturating_duration_since(now));
        // Without a wait before, nothing is left of one.
        let left = left.as_secs_f64() * old / speed;
        let due = now.checked_add(Duration::try_from_secs_f64(left).ok()?)?;
        self.anchor = Some((self.last_us, due));
        Some(due)
    }
}

#[cfg(test)]
mod tests {
    use wire::{Encoder, Envelope, MAX_FRAME, MAX_PAYLOAD, Message};

    use super::*;

    /// A recording of frames at these times, in milliseconds.
    fn recording(times: &[u64]) -> Vec<u8> {
        let mut encoder = Encoder::new();
        let mut out = b"ready\r\n".to_vec();
        for time in times {
            let (mut scratch, mut frame) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
            let envelope = Envelope {
                time_us: time * 1000,
                ..Envelope::default()
            };
            let length = encoder
                .message(envelope, &Message::Pong(1), &mut scratch, &mut frame)
                .expect("a frame holds it");
            out.extend_from_slice(&frame[..length]);
        }
        out
    }

    /// Plays to the end without waiting; the milliseconds at which frames came, and all bytes.
    fn play(bytes: &[u8], speed: f64) -> (Vec<u128>, Vec<u8>) {
        let start = Instant::now();
        let (mut now, mut times, mut all) = (start, vec![], vec![]);
        let mut player = Player::of(bytes, speed);
        loop {
            match player.next(now).expect("bytes in memory") {
                Played::Bytes(bytes) => {
                    times.push((now - start).as_millis());
                    all.extend(bytes);
                }
                Played::Wait(wait) => now += wait,
                Played::End => return (times, all),
            }
        }
    }

    #[test]
    fn frames_come_at_their_times_and_no_byte_is_changed() {
        let bytes = recording(&[1000, 1100, 1350]);
        assert_eq!(play(&bytes, 1.0), (vec![0, 100, 350], bytes.clone()));
        assert_eq!(play(&bytes, 10.0), (vec![0, 10, 35], bytes.clone()));
        assert_eq!(play(&bytes, 0.0), (vec![0], bytes));
    }

    #[test]
    fn long_pauses_are_cut_and_a_board_that_starts_again_is_not_waited_for() {
        let bytes = recording(&[0, 100, 3_600_000, 3_600_200, 10, 30]);
        let (times, all) = play(&bytes, 1.0);
        assert_eq!(times, [0, 100, 5100, 5300, 5320]);
        assert_eq!(all, bytes);
        // Ten times as fast, the pause is a tenth as long.
        assert_eq!(play(&bytes, 10.0).0, [0, 10, 510, 530, 532]);
    }

    #[test]
    fn another_speed_holds_from_then_on() {
        let bytes = recording(&[0, 1000, 2000]);
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut player = Player::of(&bytes[..], 1.0);
        let next = |player: &mut Player<_>, ms| player.next(at(ms)).expect("bytes in memory");
        assert!(matches!(next(&mut player, 0), Played::Bytes(_)));
        let wait = |ms| Played::Wait(Duration::from_millis(ms));
        assert_eq!(next(&mut player, 500), wait(500));
        player.set_speed(5.0, at(500));
        assert_eq!(next(&mut player, 500), wait(100));
        assert!(matches!(next(&mut player, 600), Played::Bytes(_)));
        assert_eq!(next(&mut player, 600), wait(200));
        player.set_speed(0.0, at(600));
        assert!(matches!(next(&mut player, 600), Played::Bytes(_)));
        assert_eq!(next(&mut player, 600), Played::End);
    }

    #[test]
    fn bytes_that_are_no_frame_are_played_too() {
        let mut bytes = vec![0xAA; NOISE + 9];
        bytes.extend(recording(&[5]));
        bytes.extend([0, 1, 2, 3]);
        assert_eq!(play(&bytes, 1.0).1, bytes);
    }

    #[test]
    fn damaged_recordings_are_played_to_their_end() {
        let bytes = recording(&[0, 20, 40, 7000, 7020, 10, 30, 50]);
        let mut random = ::tests::mutate::Random::new(::tests::seed());
        for damage in [100, 10_000, 100_000] {
            for speed in [0.0, 0.001, 1.0, 1e6] {
                let damaged = random.damage(&bytes, damage);
                assert_eq!(play(&damaged, speed).1, damaged);
            }
        }
    }
}
