//! Lines of C that the preprocessor leaves out, as far as that can be told without running it.
//!
//! People keep other versions of an array's words between `#if 0` and `#endif`. Conditions other than 0 and 1
//! are not evaluated: all their parts count.

/// What is known of the condition of an `#if` whose `#endif` has not come yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The lines count, or it is not known that they do not.
    Counts { others_may: bool },
    /// They are left out, and the next part is not.
    LeftOut,
    /// They are left out, and so are all further parts: one has counted.
    Over,
}

/// Which lines of a text count.
#[derive(Default)]
pub struct LeftOut {
    parts: Vec<Part>,
}

impl LeftOut {
    /// Whether the next line is left out; lines come in order.
    pub fn leaves_out(&mut self, line: &str) -> bool {
        if let Some(directive) = line.trim_start().strip_prefix('#') {
            self.follow(directive.trim());
        }
        let counts = |part: &Part| matches!(part, Part::Counts { .. });
        !self.parts.iter().all(counts)
    }

    fn follow(&mut self, directive: &str) {
        let word = directive.split_whitespace().next().unwrap_or_default();
        match word {
            "if" | "ifdef" | "ifndef" => {
                let condition = directive.trim_start_matches("if").trim();
                self.parts.push(match condition {
                    "0" | "(0)" => Part::LeftOut,
                    "1" | "(1)" => Part::Counts { others_may: false },
                    _ => Part::Counts { others_may: true },
                });
            }
            "else" | "elif" => {
                if let Some(part) = self.parts.last_mut() {
                    *part = match *part {
                        Part::LeftOut => Part::Counts {
                            others_may: word == "elif",
                        },
                        Part::Counts { others_may: true } => Part::Counts { others_may: true },
                        Part::Counts { others_may: false } | Part::Over => Part::Over,
                    };
                }
            }
            "endif" => {
                self.parts.pop();
            }
            _ => (),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LeftOut;

    /// The lines that count, without directives.
    fn counting(text: &str) -> Vec<&str> {
        let mut left_out = LeftOut::default();
        text.split(' ')
            .map(|line| (left_out.leaves_out(&line.replace('_', " ")), line))
            .filter(|(out, line)| !out && !line.starts_with('#'))
            .map(|(_, line)| line)
            .collect()
    }

    #[test]
    fn parts_under_0_and_behind_1_are_left_out() {
        for (text, expected) in [
            ("a #if_0 b #endif c", "a c"),
            ("#if_0 a #else b #endif c", "b c"),
            ("#if_1 a #else b #endif c", "a c"),
            ("#_if_(0) a #if_1 b #else c #endif d #endif e", "e"),
            ("#ifdef_X a #else b #endif c", "a b c"),
            ("#if_X a #elif_Y b #else c #endif", "a b c"),
            ("#if_0 a #elif_Y b #else c #endif d", "b c d"),
            ("#if_1 a #elif_Y b #else c #endif d", "a d"),
            ("#if_1 a #if_0 b #else c #endif #else d #endif", "a c"),
            ("#endif a #else b", "a b"),
            ("#if_00 a #endif", "a"),
        ] {
            let expected: Vec<&str> = expected.split(' ').collect();
            assert_eq!(counting(text), expected, "{text}");
        }
    }
}
