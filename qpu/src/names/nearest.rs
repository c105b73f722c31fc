//! The names that may have been meant by one that does not exist.

/// Names that `name` shortens or draws out, as `sfu_rsqrt` does `sfu_recipsqrt`: the letters of one
/// are in the other, in their order and from the same first one, and are at least half of it.
fn shortened<'a>(name: &str, among: &[&'a str]) -> Vec<&'a str> {
    let within = |short: &str, long: &str| {
        let mut letters = long.chars();
        let begins = short.chars().next() == long.chars().next();
        begins && short.chars().all(|c| letters.any(|other| other == c))
    };
    let is_near = |other: &&str| {
        let (short, long) = if other.len() < name.len() {
            (*other, name)
        } else {
            (name, *other)
        };
        short.len() > 4 && 2 * short.len() >= long.len() && within(short, long)
    };
    among.iter().copied().filter(is_near).collect()
}

/// Bytes of a name for which others like it are looked for.
const LONGEST_NAME: usize = 64;

/// Up to three names nearest to `name`: the one that differs by case alone, or those at most one
/// edit away, two or three in longer names, or those that it shortens or draws out.
pub fn nearest<'a>(name: &str, among: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    // The distance of two long names takes the product of their lengths.
    if name.len() > LONGEST_NAME {
        return vec![];
    }
    let among: Vec<&str> = among.collect();
    if let Some(same) = among
        .iter()
        .find(|other| **other != name && other.eq_ignore_ascii_case(name))
    {
        return vec![same];
    }
    let all = among;
    let among = all.iter().copied();
    let most = match name.chars().count() {
        0..=3 => 1,
        4..=5 => 2,
        _ => 3,
    };
    let mut near: Vec<(usize, &str)> = among
        .filter(|other| other.len().abs_diff(name.len()) <= most && *other != name)
        .map(|other| (strsim::osa_distance(name, other), other))
        .filter(|(distance, _)| *distance <= most)
        .collect();
    if near.is_empty() && name.len() > 4 {
        near = shortened(name, &all)
            .into_iter()
            .map(|other| (most, other))
            .collect();
    }
    near.sort_unstable();
    near.dedup();
    let best = near.first().map_or(0, |(distance, _)| *distance);
    let nearest = near.into_iter().filter(|(distance, _)| *distance == best);
    nearest.take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{DIRECTIVES, READS, WRITES, mnemonics};
    use super::*;

    #[test]
    fn a_slip_finds_the_name() {
        assert_eq!(nearest("moc", mnemonics()), ["mov"]);
        assert_eq!(
            nearest("elem_nun", READS.iter().map(|name| name.0)),
            ["elem_num"]
        );
        assert_eq!(nearest("inculde", DIRECTIVES.iter().copied()), ["include"]);
        assert_eq!(nearest("MOV", mnemonics()), ["mov"]);
        assert_eq!(
            nearest("sfu_rsqrt", WRITES.iter().map(|name| name.0)),
            ["sfu_recipsqrt"]
        );
        assert!(nearest("frobnicate", mnemonics()).is_empty());
        assert!(nearest("jmp", mnemonics()).is_empty());
    }
}
