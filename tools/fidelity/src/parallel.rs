//! Work on many items, on as many threads as the machine has.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

/// Results of `work` for each item, in the order of the items. The one that weighs most is begun
/// first, so that threads end at about the same time.
///
/// # Errors
/// The first that happened; work under way is finished, and no more is begun.
pub fn in_parallel<I: Sync, T: Send, E: Send>(
    items: &[I],
    weight: impl Fn(&I) -> u64,
    work: impl Fn(&I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let mut queue: Vec<usize> = (0..items.len()).collect();
    queue.sort_by_key(|item| weight(&items[*item]));
    let queue = Mutex::new(queue);
    let done = Mutex::new(Ok(Vec::new()));
    let worker = || {
        loop {
            let Some(next) = lock(&queue).pop() else {
                break;
            };
            let result = work(&items[next]);
            let mut done = lock(&done);
            match (result, done.as_mut()) {
                (Ok(result), Ok(all)) => all.push((next, result)),
                (Err(error), Ok(_)) => {
                    *done = Err(error);
                    lock(&queue).clear();
                }
                (_, Err(_)) => (),
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads.min(items.len()) {
            scope.spawn(worker);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    done.sort_by_key(|(item, _)| *item);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

/// A lock; a thread that panicked has left nothing half done in it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items = [3u64, 1, 4, 1, 5, 9, 2, 6];
        let squares = in_parallel(&items, |item| *item, |item| Ok::<_, ()>(item * item));
        assert_eq!(squares, Ok(vec![9, 1, 16, 1, 25, 81, 4, 36]));
        let none = in_parallel(&[], |_: &u64| 0, |_| Ok::<(), ()>(()));
        assert_eq!(none, Ok(vec![]));
    }

    #[test]
    fn an_error_ends_it() {
        let failed = in_parallel(&[1u64, 2, 3], |_| 0, |item| Err::<(), _>(*item));
        assert!(matches!(failed, Err(1..=3)), "{failed:?}");
    }
}
