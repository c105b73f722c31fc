//! The column that says when each row was measured.

use time::OffsetDateTime;

use super::grid::{self, Grid, Uneven};
use super::numbers::{NumberStyle, style, value};
use super::stamps::{Instant, is_like_a_stamp, seconds, stamp};
use super::table::{Content, Row, Table};
use super::units::{TimeUnit, of_times};
use common::text::quote;

/// Seconds since 1970 that are times of a day of these years, and none since a start.
const EPOCH: std::ops::Range<f64> = 1e9..5e9;

/// The column of times, and how it is written.
#[derive(Clone, Copy)]
pub struct TimeColumn {
    pub column: usize,
    kind: TimeKind,
}

#[derive(Clone, Copy)]
enum TimeKind {
    /// Dates with times, whose time of day may stand in the column after.
    Stamps { clock: Option<usize> },
    Numbers {
        style: NumberStyle,
        unit: TimeUnit,
        /// False if nothing says the unit.
        is_stated: bool,
    },
}

impl TimeColumn {
    /// The column of a table, if it has one. A column of numbers is one when its heading says so
    /// and its numbers rise.
    pub fn of(table: &Table) -> Option<Self> {
        let stamped = table
            .contents
            .iter()
            .position(|content| *content == Content::Stamps);
        if let Some(column) = stamped {
            let first = table.rows.first().map(|(_, fields)| fields)?;
            let is_clock = !first.get(column)?.contains(':')
                && first
                    .get(column + 1)
                    .is_some_and(|clock| stamp(&format!("2000-01-01 {}", clock.trim())).is_some());
            let clock = is_clock.then_some(column + 1);
            return Some(Self {
                column,
                kind: TimeKind::Stamps { clock },
            });
        }
        let numeric = table
            .contents
            .iter()
            .filter(|content| **content == Content::Numbers);
        if numeric.count() < 2 {
            return None;
        }
        (0..table.headings.len()).find_map(|column| Self::numeric(table, column))
    }

    fn numeric(table: &Table, column: usize) -> Option<Self> {
        let unit = of_times(&table.headings[column], &table.units[column])?;
        // Columns behind others are values more often, as in `temperature, t`.
        if table.contents[column] != Content::Numbers || column > 0 && unit.is_none() {
            return None;
        }
        let fields = || {
            table
                .rows
                .iter()
                .filter_map(|(_, fields)| fields.get(column))
        };
        let style = style(fields().map(String::as_str)).ok()?;
        let times: Vec<f64> = fields().filter_map(|field| value(field, style)).collect();
        let rising = times.windows(2).filter(|pair| pair[1] > pair[0]).count();
        if times.len() < 2 || 10 * rising < 9 * (times.len() - 1) {
            return None;
        }
        let power = match times[0] {
            time if EPOCH.contains(&(time / 1e3)) => -3,
            time if EPOCH.contains(&(time / 1e6)) => -6,
            time if EPOCH.contains(&(time / 1e9)) => -9,
            _ => 0,
        };
        let assumed = TimeUnit { seconds: 1, power };
        Some(Self {
            column,
            kind: TimeKind::Numbers {
                style,
                unit: unit.unwrap_or(assumed),
                is_stated: unit.is_some(),
            },
        })
    }

    /// The time of a row; nothing where its field is none.
    pub fn at(&self, fields: &[String]) -> Option<Instant> {
        let field = fields.get(self.column)?;
        match self.kind {
            TimeKind::Stamps { clock: None } => stamp(field),
            TimeKind::Stamps { clock: Some(clock) } => {
                stamp(&format!("{} {}", field.trim(), fields.get(clock)?.trim()))
            }
            TimeKind::Numbers { style, unit, .. } => {
                let at = seconds(field, style, unit.power)?;
                let count = at.count.checked_mul(unit.seconds.into())?;
                Some(Instant { count, ..at })
            }
        }
    }

    /// The time of the first row, if these are times of days, and what was assumed.
    pub fn start(&self, first: Instant) -> (Option<OffsetDateTime>, Option<String>) {
        let utc = first.utc();
        match self.kind {
            TimeKind::Stamps { .. } if first.has_zone => (utc, None),
            TimeKind::Stamps { .. } => (
                utc,
                Some("its time stamps have no time zone and were taken as UTC".to_owned()),
            ),
            TimeKind::Numbers { .. } => (
                utc.filter(|utc| EPOCH.contains(&(utc.unix_timestamp() as f64))),
                None,
            ),
        }
    }

    /// A sentence where nothing says the unit of the times.
    pub fn assumption(&self, table: &Table) -> Option<String> {
        let TimeKind::Numbers {
            unit,
            is_stated: false,
            ..
        } = self.kind
        else {
            return None;
        };
        let unit = match unit.power {
            -3 => "milliseconds since 1970",
            -6 => "microseconds since 1970",
            -9 => "nanoseconds since 1970",
            _ => "seconds",
        };
        let heading = quote(&table.headings[self.column]);
        Some(format!(
            "column `{heading}` names no unit and was taken as {unit}"
        ))
    }
}

/// The places of rows, and the rate, from their times.
pub fn places(times: &[Instant]) -> Result<Grid, Uneven> {
    let digits = times.iter().map(|at| at.digits).max().unwrap_or(0);
    let ticks: Vec<i128> = times.iter().map(|at| at.ticks(digits)).collect();
    grid::of(&ticks, digits)
}

/// The numbers of rows whose time lies outside of those beside it: a clock that was read wrong, or
/// a line that stands twice. Longer runs are left, and refused later.
pub fn strays(times: &[Instant]) -> Vec<usize> {
    let digits = times.iter().map(|at| at.digits).max().unwrap_or(0);
    let ticks: Vec<i128> = times.iter().map(|at| at.ticks(digits)).collect();
    let (mut kept, mut strays) = (Vec::<usize>::new(), vec![]);
    for (row, tick) in ticks.iter().enumerate() {
        if let Some(last) = kept.last().copied()
            && *tick <= ticks[last]
        {
            let before = kept.len().checked_sub(2).map(|at| ticks[kept[at]]);
            if ticks.get(row + 1).is_none_or(|next| *next > ticks[last]) {
                strays.push(row);
                continue;
            }
            if before.is_none_or(|before| *tick > before) {
                kept.pop();
                strays.push(last);
            }
        }
        kept.push(row);
    }
    strays
}

/// The first field in front of the values that may be meant as a time and is not understood.
pub fn not_understood(rows: &[Row], column: usize) -> Option<String> {
    let (line, fields) = rows.first()?;
    let field = fields[..column.min(fields.len())]
        .iter()
        .find(|field| is_like_a_stamp(field))?;
    stamp(field).is_none().then(|| {
        format!(
            "line {line}: `{}` is not written as 2010-03-14 03:00:00",
            quote(field)
        )
    })
}
