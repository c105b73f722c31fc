//! The shipped series, `data/seattle_temperature_2010_hourly.csv`: a temperature for each hour.
//!
//! One hour is missing, which daylight saving time skips; it is put on the line between its
//! neighbours, as the program qpuscope does.

use signal::Rate;

/// The temperature that is full scale, as people read it.
pub const FULL_SCALE: &str = "128 \u{b0}F";
const FULL_SCALE_F: f32 = 128.0;
/// A sample an hour.
pub const RATE: Rate = Rate { num: 1, den: 3600 };
/// Hours of the year.
const HOURS: usize = 8760;

/// The values, as fractions of full scale.
pub fn temperatures(text: &str) -> Result<Vec<f32>, String> {
    let wrong = |line: usize| {
        format!(
            "line {line} of the temperatures is not as shipped: copy the page's whole folder again."
        )
    };
    let mut values: Vec<f32> = Vec::with_capacity(HOURS);
    for (index, row) in text.lines().enumerate().skip(1) {
        let of = || {
            let (stamp, value) = row.split_once(',')?;
            Some((hour(stamp)?, value.parse::<f32>().ok()?))
        };
        let (hour, value) = of().ok_or_else(|| wrong(index + 1))?;
        if value.abs() >= FULL_SCALE_F {
            return Err(wrong(index + 1));
        }
        let value = value / FULL_SCALE_F;
        match (values.last(), hour.checked_sub(values.len())) {
            (_, Some(0)) => {}
            (Some(&last), Some(1)) => values.push(0.5 * (last + value)),
            _ => return Err(wrong(index + 1)),
        }
        values.push(value);
    }
    if values.len() != HOURS {
        return Err(wrong(values.len()));
    }
    Ok(values)
}

/// The hour of 2010 of a stamp `2010/MM/DD HH:00`.
fn hour(stamp: &str) -> Option<usize> {
    const DAYS: [usize; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let number = |from: usize, to: usize| stamp.get(from..to)?.parse::<usize>().ok();
    let (month, day, hour) = (number(5, 7)?, number(8, 10)?, number(11, 13)?);
    let before: usize = DAYS.get(..month.checked_sub(1)?)?.iter().sum();
    Some((before + day.checked_sub(1)?) * 24 + hour)
}
