//! Documents in Markdown: templates, and tables that read as well on a terminal.

use std::fmt;

/// A table: headings, and rows of as many cells.
pub struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub fn new(headings: &[&str]) -> Self {
        Self {
            headings: headings.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    /// Appends a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// True if it has any row.
    #[must_use]
    pub fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }
}

/// Its lines; the last one is not ended.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = 0..self.headings.len();
        let widths: Vec<usize> = columns
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                let all = cells.chain(self.headings.get(column));
                // A rule has three dashes at least.
                let widest = all.map(|cell| cell.chars().count()).max();
                widest.unwrap_or(0).max(3)
            })
            .collect();
        let rules = widths.iter().map(|width| "-".repeat(*width)).collect();
        let lines = [&self.headings, &rules].into_iter().chain(&self.rows);
        for (number, cells) in lines.enumerate() {
            f.write_str(if number > 0 { "\n" } else { "" })?;
            for (cell, width) in cells.iter().zip(&widths) {
                write!(f, "| {cell:width$} ")?;
            }
            f.write_str("|")?;
        }
        Ok(())
    }
}

/// A template with values in the place of their names in braces.
#[must_use]
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    values.iter().fold(template.into(), |text, (name, value)| {
        text.replace(&format!("{{{name}}}"), value)
    })
}

/// A figure for a reader: four significant digits, or all of an integer, in groups of three.
pub fn figure(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = if value.fract() == 0.0 {
        0
    } else {
        (3 - magnitude).clamp(0, 6)
    };
    let text = format!("{:.*}", decimals as usize, value.abs());
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (&text[..], String::new()),
    };
    let mut groups = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            groups.push(',');
        }
        groups.push(digit);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{groups}{fraction}")
}

/// A relative error in per cent.
pub fn percent(error: f64) -> String {
    if error == 0.0 {
        return "0".into();
    }
    format!("{:+.1} %", 100.0 * error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_four_digits_or_all() {
        assert_eq!(figure(0.0), "0");
        assert_eq!(figure(0.326_5), "0.3265");
        assert_eq!(figure(33.0), "33");
        assert_eq!(figure(34.812_3), "34.81");
        assert_eq!(figure(-407_200.4), "-407,200");
        assert_eq!(figure(23_420_552.0), "23,420,552");
    }

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["a", "longer"]);
        table.row(vec!["±12 %".into(), "x".into()]);
        assert_eq!(
            table.to_string(),
            "| a     | longer |\n| ----- | ------ |\n| ±12 % | x      |"
        );
    }
}
