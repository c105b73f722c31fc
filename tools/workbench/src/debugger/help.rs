//! The commands of the debugger: names, what they take, what they do.

/// All of them, in the order of `help`: names and arguments, the effect, and more where that is
/// worth knowing.
const TEXT: &str = include_str!("help.txt");

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Help {
    /// Its name and its short forms.
    pub names: Vec<&'static str>,
    /// Its arguments.
    pub usage: &'static str,
    /// Its effect, in a line.
    pub summary: &'static str,
    /// The rest that is worth knowing.
    pub more: &'static str,
}

fn commands() -> impl Iterator<Item = Help> {
    TEXT.trim_end().split("\n\n").map(|text| {
        let mut lines = text.splitn(3, '\n');
        let mut line = || lines.next().unwrap_or_default();
        let (names, usage) = line().split_once(':').unwrap_or_default();
        Help {
            names: names.split(", ").collect(),
            usage: usage.trim(),
            summary: line(),
            more: line(),
        }
    })
}

/// The command that a word names; or several, when it could be the beginning of each.
///
/// # Errors
/// With the nearest names.
pub fn find(word: &str) -> Result<Help, String> {
    if let Some(help) = commands().find(|help| help.names.contains(&word)) {
        return Ok(help);
    }
    let begins: Vec<Help> = commands()
        .filter(|help| help.names.iter().any(|name| name.starts_with(word)))
        .collect();
    match &begins[..] {
        [help] => Ok(help.clone()),
        [] => Err(format!("there is no command `{word}`; `help` lists them")),
        _ => {
            let names: Vec<&str> = begins.iter().map(|help| help.names[0]).collect();
            Err(format!("`{word}` could be {}", names.join(", ")))
        }
    }
}

/// The list of commands, or all about one.
///
/// # Errors
/// When there is no such command.
pub fn text(command: Option<&str>) -> Result<String, String> {
    let Some(word) = command else {
        let mut out = String::new();
        for help in commands() {
            out.push_str(&format!(
                "{:<17} {}\n",
                help.names[..help.names.len().min(2)].join(", "),
                help.summary
            ));
        }
        out.push_str(
            "\n`help COMMAND` says more. A name may be shortened; an empty line repeats a step.\n",
        );
        return Ok(out);
    };
    let help = find(word)?;
    let mut out = format!("{} {}\n{}\n", help.names[0], help.usage, help.summary);
    if !help.more.is_empty() {
        out.push_str(help.more);
        out.push('\n');
    }
    if help.names.len() > 1 {
        out.push_str(&format!("also: {}\n", help.names[1..].join(", ")));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_help_and_no_name_is_taken_twice() {
        let mut names = vec![];
        for help in commands() {
            for name in help.names {
                assert!(!names.contains(&name), "{name}");
                names.push(name);
                assert!(text(Some(name)).expect(name).contains(help.summary));
            }
        }
        assert!(text(None).expect("a list").contains("watch"));
    }

    #[test]
    fn names_may_be_shortened_as_long_as_they_are_clear() {
        assert_eq!(find("cont").map(|help| help.names[0]), Ok("continue"));
        assert_eq!(find("rest").map(|help| help.names[0]), Ok("restart"));
        assert!(
            find("re")
                .err()
                .is_some_and(|error| error.contains("registers, restart"))
        );
        assert!(
            find("jump")
                .err()
                .is_some_and(|error| error.contains("no command `jump`"))
        );
    }
}
