//! Jobs that were started and have not ended, and the reports of those that have.
//!
//! The caller's lists are gone by the time that a launch is queued, so they are copied. The jobs
//! stand in a queue of the ARM's, not of V3D's: the caches are cleared between two jobs, and
//! programs of one that begin beside the last of another would find other neighbours, and their
//! rows of the VPM in use.

use heapless::{Deque, Vec};
use qpu::job::{CacheClear, Job, Program, QpuSet, Report};

use super::Error;

/// Jobs that may be under way: one that runs, a check, and the next.
const JOBS: usize = 3;
/// Launches of a job.
const LAUNCHES: usize = 16;
/// Programs of all its launches.
const PROGRAMS: usize = 12 * LAUNCHES;

/// A launch, whose programs follow those of the launch before.
#[derive(Clone, Copy)]
pub struct Start {
    programs: usize,
    pub clear: CacheClear,
    pub qpus: QpuSet,
}

/// A job under way.
pub struct Started {
    programs: Vec<Program, PROGRAMS>,
    launches: Vec<Start, LAUNCHES>,
    pub limit_us: u32,
    /// Launches that have ended, and their programs.
    launches_done: usize,
    programs_done: usize,
    /// A launch runs.
    pub has_begun: bool,
    /// When its first launch began.
    pub began_us: u64,
}

impl Started {
    const fn new() -> Self {
        Self {
            programs: Vec::new(),
            launches: Vec::new(),
            limit_us: 0,
            launches_done: 0,
            programs_done: 0,
            has_begun: false,
            began_us: 0,
        }
    }

    /// Becomes a copy of a job; `None` for one with more than there is room for.
    fn copy(&mut self, job: &Job, limit_us: u32) -> Option<()> {
        self.programs.clear();
        self.launches.clear();
        self.limit_us = limit_us;
        (self.launches_done, self.programs_done) = (0, 0);
        self.has_begun = false;
        for launch in job.launches {
            let programs = launch.programs;
            self.programs.extend_from_slice(programs).ok()?;
            let start = Start {
                programs: programs.len(),
                clear: launch.clear,
                qpus: launch.qpus,
            };
            self.launches.push(start).ok()?;
        }
        Some(())
    }

    /// The launch that runs or is the next to run, and its programs; `None` behind the last.
    pub fn launch(&self) -> Option<(Start, &[Program])> {
        let start = *self.launches.get(self.launches_done)?;
        let programs = &self.programs[self.programs_done..][..start.programs];
        Some((start, programs))
    }

    /// Notes that the launch begins.
    pub const fn begin_launch(&mut self, now_us: u64) {
        self.has_begun = true;
        if self.launches_done == 0 {
            self.began_us = now_us;
        }
    }

    /// Goes on to the next launch.
    pub fn end_launch(&mut self) {
        self.has_begun = false;
        if let Some(start) = self.launches.get(self.launches_done) {
            self.programs_done += start.programs;
            self.launches_done += 1;
        }
    }

    /// Programs that have ended with their launches.
    pub const fn programs_done(&self) -> u32 {
        self.programs_done as u32
    }
}

/// Jobs that were started, first to last.
pub struct Jobs {
    /// Places that jobs take by turns: they are too long to be moved.
    places: [Started; JOBS],
    /// The place of the first that is under way, and how many are.
    first: usize,
    under_way: usize,
    ended: Deque<Result<Report, Error>, JOBS>,
}

impl Jobs {
    /// None. No bit of it is set, so that a static costs nothing in the image.
    pub const fn new() -> Self {
        Self {
            places: [const { Started::new() }; JOBS],
            first: 0,
            under_way: 0,
            ended: Deque::new(),
        }
    }

    /// Reports if none is under way.
    pub const fn is_idle(&self) -> bool {
        self.under_way == 0
    }

    /// Adds a job behind the others; `false` when it is too long, or when the reports of as many as
    /// may be are still to come or to be taken.
    pub fn add(&mut self, job: &Job, limit_us: u32) -> bool {
        if self.under_way + self.ended.len() == JOBS {
            return false;
        }
        let place = &mut self.places[(self.first + self.under_way) % JOBS];
        let is_copied = place.copy(job, limit_us).is_some();
        self.under_way += usize::from(is_copied);
        is_copied
    }

    /// The job that runs, or is the next to run.
    pub fn first(&mut self) -> Option<&mut Started> {
        (self.under_way > 0).then(|| &mut self.places[self.first])
    }

    /// Ends the first.
    pub fn end(&mut self, result: Result<Report, Error>) {
        if self.under_way > 0 {
            self.under_way -= 1;
            self.first = (self.first + 1) % JOBS;
            let _ = self.ended.push_back(result);
        }
    }

    /// Ends all: the first has failed, and none of the others has begun.
    pub fn fail(&mut self, error: Error) {
        while self.under_way > 0 {
            self.end(Err(error));
        }
    }

    /// The report of the first of those that have ended.
    pub fn take_ended(&mut self) -> Option<Result<Report, Error>> {
        self.ended.pop_front()
    }

    /// Gives up all reports.
    pub fn forget_ended(&mut self) {
        self.ended.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qpu::job::{BusAddr, Launch};

    fn program(number: u32) -> Program {
        Program {
            code: BusAddr(number),
            uniforms: BusAddr(16 * number),
        }
    }

    #[test]
    fn a_copy_has_the_launches_in_order() {
        let programs = [1, 2, 3, 4, 5].map(program);
        let launch = |programs| Launch {
            programs,
            clear: CacheClear::Data,
            qpus: QpuSet::only(3),
        };
        let launches = [launch(&programs[..2]), launch(&programs[2..])];
        let job = Job {
            launches: &launches,
        };
        let mut started = Started::new();
        assert!(started.copy(&job, 7).is_some(), "there is room");
        for (launch, done) in launches.iter().zip([0, 2]) {
            assert_eq!(started.programs_done(), done);
            started.begin_launch(100 + u64::from(done));
            let (start, programs) = started.launch().expect("there are two");
            assert_eq!((start.clear, start.qpus), (launch.clear, launch.qpus));
            assert_eq!(programs, launch.programs);
            started.end_launch();
        }
        assert!(started.launch().is_none() && started.programs_done() == 5);
        assert_eq!((started.began_us, started.has_begun), (100, false));
        let many = [launches[0]; LAUNCHES + 1];
        let too_long = Job { launches: &many };
        assert!(started.copy(&too_long, 7).is_none());
        assert!(!Jobs::new().add(&too_long, 7));
    }

    #[test]
    fn reports_come_in_order_and_those_behind_a_failure_fail() {
        let job = Job { launches: &[] };
        let mut jobs = Jobs::new();
        assert!(jobs.is_idle() && jobs.take_ended().is_none());
        let mut limits_us = 7..;
        let mut add = |jobs: &mut Jobs| jobs.add(&job, limits_us.next().unwrap());
        for _ in 0..JOBS {
            assert!(add(&mut jobs));
        }
        assert!(!add(&mut jobs));
        let report = Report {
            elapsed_us: 9,
            ..Report::default()
        };
        assert_eq!(jobs.first().map(|job| job.limit_us), Some(7));
        jobs.end(Ok(report));
        assert_eq!(jobs.first().map(|job| job.limit_us), Some(8));
        assert!(!add(&mut jobs), "a report is still to be taken");
        assert_eq!(jobs.take_ended(), Some(Ok(report)));
        assert!(add(&mut jobs));
        jobs.fail(Error::Lost);
        assert!(jobs.is_idle());
        for _ in 0..JOBS {
            assert_eq!(jobs.take_ended(), Some(Err(Error::Lost)));
        }
        assert_eq!(jobs.take_ended(), None);
    }
}
