//! The places of connections: a bounded number, and which connection makes way when all are taken.
//!
//! Every site in the browser and every user of the computer can open connections, so connections
//! alone must not keep the user out. When all places are taken, the oldest connection that is no
//! tab makes way for the new one. Tabs have shown the token and keep their places; there are fewer
//! of them than places.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time in which a connection that makes way has to be gone.
const WAY: Duration = Duration::from_secs(1);

/// Places for connections, and for tabs among them.
pub struct Places {
    taken: Mutex<TakenPlaces>,
    /// A place was given back.
    freed: Condvar,
    most: usize,
    most_tabs: usize,
}

/// The connections that have a place, the oldest first.
#[derive(Default)]
struct TakenPlaces {
    held: Vec<HeldPlace>,
    next_id: u64,
}

struct HeldPlace {
    id: u64,
    kind: ConnectionKind,
}

enum ConnectionKind {
    /// Has not shown a token yet.
    Stranger(TcpStream),
    /// Has to make way.
    Leaving,
    Tab,
}

/// A place of one connection. Dropping it gives it back.
pub struct Place {
    places: Arc<Places>,
    id: u64,
}

impl Places {
    /// So many places, of which at most `most_tabs` are for tabs.
    #[must_use]
    pub fn new(most: usize, most_tabs: usize) -> Arc<Self> {
        Arc::new(Self {
            taken: Mutex::default(),
            freed: Condvar::new(),
            most,
            most_tabs,
        })
    }

    fn taken(&self) -> MutexGuard<'_, TakenPlaces> {
        // No step leaves the list half changed.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a new connection. None when the one that has to make way does not go.
    pub fn take(self: &Arc<Self>, stream: &TcpStream) -> Option<Place> {
        let stream = stream.try_clone().ok()?;
        let mut taken = self.taken();
        if taken.held.len() >= self.most {
            taken.send_oldest_away();
            let is_full = |taken: &mut TakenPlaces| taken.held.len() >= self.most;
            let waited = self.freed.wait_timeout_while(taken, WAY, is_full);
            taken = waited.unwrap_or_else(PoisonError::into_inner).0;
            if taken.held.len() >= self.most {
                return None;
            }
        }
        let id = taken.next_id;
        taken.next_id += 1;
        let kind = ConnectionKind::Stranger(stream);
        taken.held.push(HeldPlace { id, kind });
        Some(Place {
            places: Arc::clone(self),
            id,
        })
    }

    /// The number of tabs.
    #[must_use]
    pub fn tabs(&self) -> usize {
        self.taken().tabs()
    }
}

impl TakenPlaces {
    fn tabs(&self) -> usize {
        let is_tab = |held: &&HeldPlace| matches!(held.kind, ConnectionKind::Tab);
        self.held.iter().filter(is_tab).count()
    }

    /// Ends the connection of the oldest stranger.
    fn send_oldest_away(&mut self) {
        for held in &mut self.held {
            if let ConnectionKind::Stranger(stream) = &held.kind {
                let _ = stream.shutdown(Shutdown::Both);
                held.kind = ConnectionKind::Leaving;
                return;
            }
        }
    }
}

impl Place {
    /// Makes this connection a tab, which keeps its place. Returns whether there was room for it.
    #[must_use]
    pub fn seat(&self) -> bool {
        let mut taken = self.places.taken();
        if taken.tabs() >= self.places.most_tabs {
            return false;
        }
        let own = taken.held.iter_mut().find(|held| held.id == self.id);
        match own {
            Some(held) if matches!(held.kind, ConnectionKind::Stranger(_)) => {
                held.kind = ConnectionKind::Tab;
                true
            }
            _ => false,
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.held.retain(|held| held.id != self.id);
        drop(taken);
        self.places.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    /// Both ends of a connection.
    fn connection() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let far = TcpStream::connect(address).expect("a connection");
        (listener.accept().expect("a connection").0, far)
    }

    /// Has a place until its far side, or the server, ends the connection.
    fn serve(places: &Arc<Places>, mut near: TcpStream) -> bool {
        let Some(place) = places.take(&near) else {
            return false;
        };
        std::thread::spawn(move || {
            let _ = near.read(&mut [0]);
            drop(place);
        });
        true
    }

    #[test]
    fn the_oldest_stranger_makes_way_and_tabs_stay() {
        let places = Places::new(3, 2);
        let ((near, mut tab), (older, mut old)) = (connection(), connection());
        let place = places.take(&near).expect("a place");
        assert!(place.seat());
        assert!(serve(&places, older));
        // Far more than there are places come and stay silent.
        let others: Vec<_> = (0..20)
            .map(|_| {
                let (near, far) = connection();
                assert!(serve(&places, near));
                far
            })
            .collect();
        assert_eq!(old.read(&mut [0]).ok(), Some(0), "the oldest was kept");
        assert_eq!(places.tabs(), 1);
        tab.set_nonblocking(true).expect("a mode");
        assert!(tab.read(&mut [0]).is_err(), "the tab was sent away");
        drop(others);
    }

    #[test]
    fn refusals_take_nothing_from_the_count() {
        let places = Places::new(4, 1);
        let ends: Vec<_> = (0..4).map(|_| connection()).collect();
        let place = |at: usize| places.take(&ends[at].0).expect("a place");
        let (first, second) = (place(0), place(1));
        assert!(first.seat());
        for _ in 0..9 {
            assert!(!second.seat());
            assert!(!place(2).seat(), "more tabs than allowed");
        }
        assert_eq!(places.tabs(), 1);
        drop(first);
        assert!(second.seat());
        drop(second);
        assert_eq!(places.tabs(), 0);
    }

    #[test]
    fn a_stranger_that_was_sent_away_becomes_no_tab() {
        let places = Places::new(1, 1);
        let ((near, _far), (next, _other)) = (connection(), connection());
        let place = places.take(&near).expect("a place");
        places.taken().send_oldest_away();
        assert!(!place.seat());
        drop(place);
        assert!(places.take(&next).is_some());
    }
}
