use super::*;

fn values(recording: &Recording) -> Vec<f64> {
    let values = recording.channels[0].samples.values(0, u64::MAX);
    values.expect("values")
}

fn read_text(text: &str, how: &Reading) -> Result<Recording> {
    read("t.csv", text.as_bytes(), how)
}

#[test]
fn time_stamps_give_the_rate_and_a_missing_hour_is_filled() {
    let text = "date,temp\n2010/03/14 01:00,10\n2010/03/14 02:00,11\n2010/03/14 04:00,14\n2010/03/14 05:00,15\n";
    let recording = read_text(text, &Reading::default()).expect("a series");
    assert_eq!(recording.rate, Rate { num: 1, den: 3600 });
    assert_eq!(recording.unit, Unit::One("degree".into()));
    assert_eq!(values(&recording), [10.0, 11.0, 12.5, 14.0, 15.0]);
    assert_eq!(
        recording.notes,
        [
            "1 missing row between 2010/03/14 02:00 and 2010/03/14 04:00 interpolated from the neighbours"
        ]
    );
}

#[test]
fn columns_are_chosen_by_name_or_number() {
    let how = |column: &str| Reading {
        column: Some(column.into()),
        rate: Some(Rate::hz(10)),
        ..Reading::default()
    };
    let text = "a (V);b\n1;2\n3;4\n";
    for (column, first, unit) in [
        ("a", 1.0, "V"),
        ("b", 2.0, "unit of b"),
        ("2", 2.0, "unit of b"),
    ] {
        let recording = read_text(text, &how(column)).expect("a column");
        assert_eq!(values(&recording)[0], first);
        assert_eq!(recording.unit, Unit::One(unit.into()));
    }
    let failure = read_text(text, &how("c")).expect_err("no such column");
    assert!(failure.message.contains("`a (V)`, `b`"), "{failure}");
    let failure = read_text(text, &Reading::default()).expect_err("two columns");
    assert!(failure.message.contains("--column"), "{failure}");
}

#[test]
fn columns_of_one_name_are_distinguished_by_number() {
    let how = |column: Option<&str>| Reading {
        column: column.map(str::to_owned),
        rate: Some(Rate::hz(10)),
        ..Reading::default()
    };
    let text = "t,a,b (V),a,b (A)\nx,1,2,3,4\ny,5,6,7,8\n";
    for (column, named) in [
        (
            "a",
            "has 2 columns `a`, the first of them numbers 2 and 4; choose one by its number",
        ),
        ("b", "has 2 columns `b`, the first of them numbers 3 and 5"),
    ] {
        let failure = read_text(text, &how(Some(column))).expect_err("two columns");
        assert!(failure.message.contains(named), "{failure}");
    }
    for (column, first) in [("4", 3.0), ("b (A)", 4.0)] {
        let recording = read_text(text, &how(Some(column))).expect("one column");
        assert_eq!(values(&recording)[0], first);
    }
    let failure = read_text(text, &how(None)).expect_err("several columns");
    assert!(
        failure
            .message
            .contains("of one name by number, as --column 2"),
        "{failure}"
    );
}

#[test]
fn messages_are_short_and_do_nothing_however_long_a_field_is() {
    let how = Reading {
        rate: Some(Rate::hz(1)),
        ..Reading::default()
    };
    let long = "\x1b[2J".repeat(20_000);
    for text in [
        format!("{long}\n1\n{long}\n"),
        format!("a,{long}\n1,2\n"),
        format!("a\n{long}\n"),
        format!("{long}\n{long}\n"),
        (0..2000).map(|n| format!("c{n},")).collect::<String>() + "\n" + &",".repeat(2000),
    ] {
        let failure = read_text(&text, &how).expect_err("no numbers").message;
        assert!(failure.len() < 1000, "{} bytes", failure.len());
        assert!(!failure.contains('\x1b'), "{failure:?}");
    }
}

#[test]
fn numbers_alone_are_a_series_too() {
    let how = Reading {
        rate: Rate::new(1, 60),
        ..Reading::default()
    };
    let recording = read_text("1\n2\n3\n", &how).expect("numbers");
    assert_eq!(values(&recording), [1.0, 2.0, 3.0]);
}

#[test]
fn a_byte_order_mark_costs_no_number() {
    let how = Reading {
        rate: Some(Rate::hz(1)),
        ..Reading::default()
    };
    let recording = read_text("\u{feff}1\n2\n3\n", &how).expect("numbers");
    assert_eq!(values(&recording), [1.0, 2.0, 3.0]);
    let recording = read_text("\u{feff}\"a\"\n2\n3\n", &how).expect("numbers");
    assert_eq!(recording.unit, Unit::One("unit of a".into()));
}

#[test]
fn decimal_commas_are_refused_and_never_taken_for_columns() {
    let how = Reading {
        rate: Some(Rate::hz(1)),
        ..Reading::default()
    };
    for text in [
        "date;t\n2010-01-01 00:00;10,5\n2010-01-01 01:00;11,5\n",
        "2010-01-01 00:00;10,5\n2010-01-01 01:00;11,5\n",
        "10,5;11,5\n12,5;13,5\n",
        "a\tb\n1,5\t2,5\n",
        "date;t\n2010-01-01 00:00;10\n2010-01-01 01:00;11,5\n",
    ] {
        let failure = read_text(text, &how).expect_err(text);
        assert!(failure.message.contains("point"), "{text:?}: {failure}");
    }
}

#[test]
fn malformed_tables_name_the_line_and_what_to_do() {
    for (text, named) in [
        (
            "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,oops\n",
            "line 3",
        ),
        (
            "date,t\n2010/01/01 00:00,1\n2010/01/01 00:00,2\n",
            "does not go forward",
        ),
        (
            "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,2\n2010/01/01 02:00,2\n2010/01/01 02:30,3\n",
            "multiple of 3600",
        ),
        (
            "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,2\n2010/01/01 02:00,2\n2010/02/01 02:00,3\n",
            "missing rows",
        ),
        ("t\n1\n2\n", "--rate"),
        ("t\n", "no rows"),
        (
            "date,t\n2010/01/01 00:00,1\n2010/01/01 00:00:00.5,2\n",
            "line 3: `2010/01/01 00:00:00.5` is not written as",
        ),
        ("a,b\n1,2\n3\n", "same number of columns"),
        ("a\nb\n", "column of numbers"),
        (
            "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,inf\n",
            "not a number",
        ),
    ] {
        let failure = read_text(text, &Reading::default()).expect_err(text);
        assert!(failure.message.contains(named), "{text:?}: {failure}");
    }
}

#[test]
fn stamps_count_days_as_the_calendar_does() {
    assert_eq!(seconds("1970-01-01T00:00:00Z"), Some(0));
    assert_eq!(seconds("2010/03/14 03:00"), Some(1_268_535_600));
    assert_eq!(seconds("2000-02-29"), Some(951_782_400));
    assert_eq!(seconds("39.4"), None);
    assert_eq!(seconds("2010/13/01"), None);
}
