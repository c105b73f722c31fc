//! The commands of the debugger: names, what they take, what they do.

/// A command.
pub struct Help {
    /// Its name and its short forms.
    pub names: &'static [&'static str],
    /// Its arguments.
    pub usage: &'static str,
    /// Its effect, in a line.
    pub summary: &'static str,
    /// The rest that is worth knowing.
    pub more: &'static str,
}

/// All of them, in the order of `help`.
pub const COMMANDS: &[Help] = &[
    Help {
        names: &["help", "h", "?"],
        usage: "[COMMAND]",
        summary: "this list, or all about a command",
        more: "",
    },
    Help {
        names: &["continue", "c"],
        usage: "",
        summary: "go on until a breakpoint, a watch, Ctrl-C or the end",
        more: "A QPU that stands still after a breakpoint signal goes on, too.",
    },
    Help {
        names: &["step", "s"],
        usage: "[COUNT]",
        summary: "the chosen QPU executes COUNT instructions (1); the others go along",
        more: "It takes as many rounds as the QPU has to wait.",
    },
    Help {
        names: &["round", "n"],
        usage: "[COUNT]",
        summary: "COUNT rounds (1) of 4 clocks pass for all QPUs",
        more: "In a round every QPU executes one instruction or waits.",
    },
    Help {
        names: &["until", "u"],
        usage: "ADDRESS",
        summary: "go on until the chosen QPU stands before ADDRESS",
        more: "Breakpoints and watches stop before.",
    },
    Help {
        names: &["break", "b"],
        usage: "[ADDRESS [QPU]] | warning",
        summary: "stop a QPU, or any, before the instruction at ADDRESS; without one: the list",
        more: "ADDRESS is 0x40001000, a label of `list` (L2, start), :LINE of `list`, . for where the QPU\nstands, or any of them +COUNT instructions. `break warning` stops at the first warning of each kind.",
    },
    Help {
        names: &["watch", "w"],
        usage: "mem ADDRESS [BYTES] | vpm ROW [ROWS] | reg NAME | sem NUMBER",
        summary: "stop when memory is stored to, or the VPM, a register or a semaphore changes",
        more: "mem: 4 bytes unless said otherwise; a store stops whatever it stores. reg: of the chosen QPU.\nWithout anything: the list.",
    },
    Help {
        names: &["delete", "d"],
        usage: "NUMBER | all",
        summary: "forget a breakpoint or a watch",
        more: "",
    },
    Help {
        names: &["qpu", "q"],
        usage: "[NUMBER]",
        summary: "choose the QPU that commands speak of; without one: all QPUs",
        more: "",
    },
    Help {
        names: &["registers", "r", "regs", "print", "p"],
        usage: "[NAME...] [hex|int|unsigned|float]",
        summary: "registers of the chosen QPU: ra3, rb0, r4, flags, a, b, r or all",
        more: "Without a name: r0 to r5 and the flags. Lanes are in order, 0 first.",
    },
    Help {
        names: &["vpm", "v"],
        usage: "[ROW [ROWS]] [FORMAT]",
        summary: "rows of the VPM, 0 to 127",
        more: "QPUs reach 0 to 63. Writes of QPUs that are on their way are not seen yet.",
    },
    Help {
        names: &["memory", "m", "x"],
        usage: "ADDRESS [WORDS] [FORMAT]",
        summary: "words of memory, 16 unless said otherwise",
        more: "",
    },
    Help {
        names: &["units", "i"],
        usage: "",
        summary: "semaphores, mutex, DMA, lookups, uniforms and the queue",
        more: "",
    },
    Help {
        names: &["list", "l"],
        usage: "[ADDRESS] [COUNT]",
        summary: "the code around ADDRESS or the chosen QPU; * marks breakpoints",
        more: "",
    },
    Help {
        names: &["warnings"],
        usage: "",
        summary: "what the simulator has warned of",
        more: "",
    },
    Help {
        names: &["format", "f"],
        usage: "hex|int|unsigned|float",
        summary: "how words are written unless said otherwise",
        more: "",
    },
    Help {
        names: &["restart"],
        usage: "",
        summary: "begin the job again, from its file; breakpoints stay",
        more: "",
    },
    Help {
        names: &["quit", "exit"],
        usage: "",
        summary: "leave",
        more: "",
    },
];

/// The command that a word names; or several, when it could be the beginning of each.
///
/// # Errors
/// With the nearest names.
pub fn find(word: &str) -> Result<&'static Help, String> {
    if let Some(help) = COMMANDS.iter().find(|help| help.names.contains(&word)) {
        return Ok(help);
    }
    let begins: Vec<&Help> = COMMANDS
        .iter()
        .filter(|help| help.names.iter().any(|name| name.starts_with(word)))
        .collect();
    match begins[..] {
        [help] => Ok(help),
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
        for help in COMMANDS {
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
        for help in COMMANDS {
            for name in help.names {
                assert!(!names.contains(name), "{name}");
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
