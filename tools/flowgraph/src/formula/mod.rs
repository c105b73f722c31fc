//! The sum at a node, in words: `(a − b) · W16^3`.
//!
//! The letters are the legs of the stage's butterfly, from the top. W16 is exp(-2 pi i / 16), so
//! that W16^4 is -i; of roots that are 1, -1, i or -i the number is written. In time, twiddles
//! stand with the legs that they multiply; in frequency, behind the sum.

use std::fmt::Write as _;

use crate::network::{Network, Order};
use crate::number;
use crate::values::{Column, Source, Values, columns_of, sources};

/// Letters of legs; i is the imaginary unit.
const LETTERS: &[u8; 16] = b"abcdefghjklmnopq";

/// The name of a leg.
#[must_use]
pub fn leg_name(leg: u32) -> String {
    match LETTERS.get(leg as usize) {
        Some(letter) => char::from(*letter).to_string(),
        None => format!("x{leg}"),
    }
}

/// The sum at a node, of the legs of its stage's butterfly; the name of a sample at the input.
#[must_use]
pub fn words(network: &Network, column: usize, row: u32) -> String {
    let in_time = network.order() == Order::InTime;
    match Column::of(column) {
        Column::Input => format!("x[{}]", network.sample(row)),
        Column::Butterflies(stage) => {
            let twiddled = (in_time && stage > 0).then(|| stage - 1);
            sum(network, column, row, twiddled)
        }
        Column::Twiddles(stage) => {
            let twiddle = root(network.exponent(stage, row), network.points());
            let inner = if in_time {
                leg_name(network.leg(stage + 1, row))
            } else {
                sum(network, column - 1, row, None)
            };
            match twiddle.text() {
                text if text.is_empty() => inner,
                text if in_time => format!("{text}·{inner}"),
                text => format!("({inner}) · {text}"),
            }
        }
    }
}

/// The twiddle on the edge into a node, as words have it; nothing for 1 and for nodes that have
/// none.
#[must_use]
pub fn twiddle(network: &Network, column: usize, row: u32) -> String {
    match Column::of(column) {
        Column::Twiddles(stage) => root(network.exponent(stage, row), network.points()).text(),
        _ => String::new(),
    }
}

/// The legs that the words of a node name: the column that they stand in, and their rows from the
/// top.
#[must_use]
pub fn legs(network: &Network, column: usize, row: u32) -> Option<(usize, Vec<u32>)> {
    let (stage, before) = match (Column::of(column), network.order()) {
        (Column::Input, _) => return None,
        (Column::Twiddles(_), Order::InTime) => return Some((column - 1, vec![row])),
        (Column::Butterflies(stage), Order::InTime) => (stage, column.saturating_sub(2)),
        (Column::Butterflies(stage), _) => (stage, column - 1),
        (Column::Twiddles(stage), _) => (stage, column - 2),
    };
    let rows = sources(network, 1 + 2 * stage, row);
    Some((before, rows.iter().map(|source| source.row).collect()))
}

/// A node in full: its words, its number, and those that it is made of.
#[must_use]
pub fn explanation(
    network: &Network,
    values: &Values,
    column: usize,
    row: u32,
    digits: usize,
) -> Option<String> {
    let value = number::complex(values.at(column, row)?, digits);
    let words = words(network, column, row);
    let mut text = String::new();
    if column + 1 == crate::values::columns(network) {
        let _ = write!(text, "X[{}] = ", network.bin(row));
    }
    let _ = write!(text, "{words} = {value}");
    if let Some((before, rows)) = legs(network, column, row) {
        let single = Column::of(column);
        for (index, from) in (0..).zip(rows) {
            let name = match (single, network.order()) {
                (Column::Twiddles(stage), Order::InTime) => leg_name(network.leg(stage + 1, row)),
                _ => leg_name(index),
            };
            let value = number::complex(values.at(before, from)?, digits);
            let _ = write!(text, "; {name} = {value} (row {from})");
        }
    }
    for source in roots(network, column, row) {
        let value = number::complex(source.factor(), digits);
        let _ = write!(text, "; {} = {value}", power(&source));
    }
    Some(text)
}

/// A stage in words: its butterflies and twiddles, with how many there are.
#[must_use]
pub fn stage(network: &Network, stage: usize) -> Option<String> {
    let radix = *network.radices().get(stage)?;
    let points = network.points();
    let rows = columns_of(network, stage).filter_map(|column| match Column::of(column) {
        Column::Twiddles(behind) => Some(behind),
        _ => None,
    });
    let products: usize = rows
        .map(|behind| {
            let exponents = (0..points).map(|row| network.exponent(behind, row));
            exponents.filter(|exponent| *exponent > 0).count()
        })
        .sum();
    let place = match network.order() {
        Order::InTime => "in front of them",
        Order::Classic | Order::NextStage => "behind them",
    };
    let twiddles = match products {
        0 => "no twiddles".to_owned(),
        1 => format!("1 twiddle {place}"),
        many => format!("{many} twiddles {place}"),
    };
    let (count, stride) = (points / radix, network.stride(stage));
    Some(format!(
        "Stage {} of {}: {count} {} of radix {radix}, legs {stride} {} apart; {twiddles}.",
        stage + 1,
        network.radices().len(),
        if count == 1 {
            "butterfly"
        } else {
            "butterflies"
        },
        if stride == 1 { "row" } else { "rows" },
    ))
}

/// The order of samples and of bins, each in a sentence.
#[must_use]
pub fn ends(network: &Network) -> [String; 2] {
    let radices = network.radices();
    let reversed = if radices.iter().all(|radix| *radix == 2) {
        "in bit-reversed order"
    } else {
        "in digit-reversed order"
    };
    let order = |is_reversed: bool| if is_reversed { reversed } else { "in order" };
    let rows = || 0..network.points();
    let samples = order(rows().any(|row| network.sample(row) != row));
    let bins = order(rows().any(|row| network.bin(row) != row));
    [
        format!("Input: {} samples, {samples}.", network.points()),
        format!("The bins come out {bins}."),
    ]
}

/// A sum of legs, each with its root and, if `twiddled` says behind which stage, with its twiddle.
fn sum(network: &Network, column: usize, row: u32, twiddled: Option<usize>) -> String {
    let mut text = String::new();
    for (leg, source) in (0..).zip(sources(network, column, row)) {
        let of_butterfly = of_butterfly(source);
        let twiddle = twiddled.map_or(Root::ONE, |behind| {
            root(network.exponent(behind, source.row), network.points())
        });
        let is_negative = of_butterfly.is_negative != twiddle.is_negative;
        text.push_str(match (leg, is_negative) {
            (0, false) => "",
            (0, true) => "\u{2212}",
            (_, false) => " + ",
            (_, true) => " \u{2212} ",
        });
        for factor in [of_butterfly.unsigned, twiddle.unsigned] {
            if !factor.is_empty() {
                let _ = write!(text, "{factor}·");
            }
        }
        text.push_str(&leg_name(leg));
    }
    text
}

/// The roots that the words of a node name with a W, each once.
fn roots(network: &Network, column: usize, row: u32) -> Vec<Source> {
    let twiddle = |behind, row| Source {
        row,
        exponent: network.exponent(behind, row),
        order: network.points(),
    };
    let own = |column| -> Vec<Source> {
        let sources = sources(network, column, row).into_iter();
        sources.map(|source| upper_half(source).0).collect()
    };
    let all = match (Column::of(column), network.order()) {
        (Column::Input, _) => vec![],
        (Column::Twiddles(stage), Order::InTime) => vec![twiddle(stage, row)],
        (Column::Butterflies(stage), Order::InTime) if stage > 0 => {
            let both = |source: Source| [source, twiddle(stage - 1, source.row)];
            own(column).into_iter().flat_map(both).collect()
        }
        (Column::Butterflies(_), _) => own(column),
        (Column::Twiddles(stage), _) => {
            let mut all = own(column - 1);
            all.push(twiddle(stage, row));
            all
        }
    };
    let mut named: Vec<Source> = vec![];
    for source in all {
        let is_named = root(source.exponent, source.order)
            .unsigned
            .starts_with('W');
        let is_known = |known: &Source| power(known) == power(&source);
        if is_named && !named.iter().any(is_known) {
            named.push(source);
        }
    }
    named
}

/// A root of unity as a factor.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Root {
    is_negative: bool,
    /// Nothing for 1.
    unsigned: String,
}

impl Root {
    const ONE: Self = Self {
        is_negative: false,
        unsigned: String::new(),
    };

    /// With its sign; nothing for 1.
    fn text(&self) -> String {
        match (self.is_negative, self.unsigned.as_str()) {
            (true, "") => "\u{2212}1".to_owned(),
            (true, factor) => format!("\u{2212}{factor}"),
            (false, factor) => factor.to_owned(),
        }
    }
}

/// A butterfly's own root, as plus or minus one of the first half of a turn.
fn of_butterfly(source: Source) -> Root {
    let (upper, is_minus) = upper_half(source);
    let root = root(upper.exponent, upper.order);
    Root {
        is_negative: root.is_negative != is_minus,
        ..root
    }
}

/// The root in the first half of a turn that is this one or minus this one, and true if minus.
const fn upper_half(source: Source) -> (Source, bool) {
    let half = source.order / 2;
    let is_minus = source.order.is_multiple_of(2) && source.exponent >= half;
    let exponent = if is_minus {
        source.exponent - half
    } else {
        source.exponent
    };
    (Source { exponent, ..source }, is_minus)
}

/// The factor exp(-2 pi i `exponent` / `order`): 1, -i, -1 and i by name.
fn root(exponent: u32, order: u32) -> Root {
    let quarters = 4 * u64::from(exponent);
    let order = u64::from(order);
    let (is_negative, unsigned) = match (quarters / order, quarters % order) {
        (0, 0) => (false, String::new()),
        (1, 0) => (true, "i".to_owned()),
        (2, 0) => (true, String::new()),
        (3, 0) => (false, "i".to_owned()),
        _ => (false, format!("W{order}^{exponent}")),
    };
    Root {
        is_negative,
        unsigned,
    }
}

/// The name of a root as a power.
fn power(source: &Source) -> String {
    format!("W{}^{}", source.order, source.exponent)
}

#[cfg(test)]
mod tests;
