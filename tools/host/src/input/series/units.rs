//! Units: in the brackets of a heading, at the end of its words, or in a line of their own.

/// Words that stand for units, and those that loggers write among them (Campbell's TOA5: `TS`,
/// `RN`, and how a value was made of samples).
const UNITS: [&str; 91] = [
    "s", "sec", "secs", "second", "seconds", "ms", "msec", "us", "µs", "μs", "usec", "ns", "min",
    "mins", "minutes", "h", "hours", "d", "days", "hz", "khz", "mhz", "ghz", "v", "volt", "volts",
    "mv", "uv", "µv", "kv", "a", "amp", "ampere", "ma", "ua", "w", "mw", "kw", "wh", "kwh", "va",
    "j", "n", "kn", "nm", "pa", "hpa", "kpa", "mpa", "bar", "mbar", "psi", "c", "°c", "degc",
    "deg c", "k", "f", "°f", "degf", "deg f", "°", "deg", "degree", "degrees", "rad", "m", "mm",
    "cm", "km", "um", "m/s", "km/h", "m/s2", "m/s^2", "m/s²", "g", "mg", "kg", "%", "%rh", "ppm",
    "ppb", "rpm", "db", "ohm", "ts", "rn", "avg", "smp", "utc",
];

/// Returns whether a field of a line under the headings is a unit, or nothing.
pub fn is_unit(field: &str) -> bool {
    let field = field.trim();
    let is_bracketed = field.starts_with(['(', '[']) && field.ends_with([')', ']']);
    field.is_empty() || is_bracketed || UNITS.contains(&field.to_lowercase().as_str())
}

/// `speed (m/s)` and `speed [m/s]` without what stands in brackets.
pub fn without_unit(heading: &str) -> &str {
    heading
        .split_once(['(', '['])
        .map_or(heading, |(name, _)| name)
        .trim()
}

/// The unit that a heading has in brackets.
pub fn bracketed(heading: &str) -> Option<&str> {
    let (_, rest) = heading.split_once(['(', '['])?;
    let (unit, _) = rest.split_once([')', ']'])?;
    Some(unit.trim()).filter(|unit| !unit.is_empty())
}

/// The unit of a column; a temperature without one is in degrees.
pub fn unit_of(heading: &str, below: &str) -> String {
    match bracketed(heading) {
        Some(unit) => unit.to_owned(),
        None if !below.is_empty() => below.to_owned(),
        None if heading.to_ascii_lowercase().starts_with("temp") => "degree".to_owned(),
        None => format!("unit of {heading}"),
    }
}

/// A unit of time: so many seconds times a power of ten.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeUnit {
    pub seconds: u32,
    pub power: i32,
}

fn time_unit(word: &str) -> Option<TimeUnit> {
    let (seconds, power) = match word.to_lowercase().as_str() {
        "s" | "sec" | "secs" | "second" | "seconds" => (1, 0),
        "ms" | "msec" | "milliseconds" => (1, -3),
        "us" | "µs" | "μs" | "usec" | "microseconds" => (1, -6),
        "ns" | "nanoseconds" => (1, -9),
        "min" | "mins" | "minute" | "minutes" => (60, 0),
        "h" | "hour" | "hours" => (3600, 0),
        "d" | "day" | "days" => (86_400, 0),
        _ => return None,
    };
    Some(TimeUnit { seconds, power })
}

/// The unit of a column of times by its heading; nothing where the heading is that of another
/// column, and no unit where it says none.
pub fn of_times(heading: &str, below: &str) -> Option<Option<TimeUnit>> {
    const TIMES: [&str; 8] = [
        "time",
        "timestamp",
        "t",
        "elapsed",
        "epoch",
        "unix",
        "unixtime",
        "x",
    ];
    let name = without_unit(heading).to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric() && c != 'µ' && c != 'μ');
    let first = words.next().unwrap_or_default();
    let stated = bracketed(heading).or(Some(below)).and_then(time_unit);
    match (TIMES.contains(&first), time_unit(first)) {
        // The axis of an oscilloscope is of time when it says so.
        (true, _) if first == "x" => stated.map(Some),
        (true, _) => Some(stated.or_else(|| words.next_back().and_then(time_unit))),
        (false, Some(unit)) if words.next().is_none() => Some(Some(unit)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_times_are_known_with_their_units() {
        let unit = |seconds, power| Some(Some(TimeUnit { seconds, power }));
        for (heading, below, expected) in [
            ("time_s", "", unit(1, 0)),
            ("Time (ms)", "", unit(1, -3)),
            ("t [µs]", "", unit(1, -6)),
            ("Time", "min", unit(60, 0)),
            ("time", "", Some(None)),
            ("Elapsed time (h)", "", unit(3600, 0)),
            ("seconds", "", unit(1, 0)),
            ("x-axis", "second", unit(1, 0)),
            ("x-axis", "", None),
            ("temp", "s", None),
            ("response time (ms)", "", None),
            ("s11", "", None),
            ("", "", None),
        ] {
            assert_eq!(of_times(heading, below), expected, "{heading} {below}");
        }
    }

    #[test]
    fn a_unit_stands_in_brackets_or_below() {
        assert_eq!(unit_of("speed (m/s)", ""), "m/s");
        assert_eq!(unit_of("speed", "km/h"), "km/h");
        assert_eq!(unit_of("temp", ""), "degree");
        assert_eq!(unit_of("x ()", ""), "unit of x ()");
        for field in ["(V)", " [°C] ", "deg C", "", "TS", "%"] {
            assert!(is_unit(field), "{field}");
        }
        for field in ["temp", "Serial", "12"] {
            assert!(!is_unit(field), "{field}");
        }
    }
}
