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
            "1 missing row between 2010/03/14 02:00 and 2010/03/14 04:00 interpolated from the neighbours",
            "its time stamps have no time zone and were taken as UTC"
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
fn decimal_commas_and_separators_of_thousands_are_read_and_said() {
    let how = Reading {
        rate: Some(Rate::hz(1)),
        ..Reading::default()
    };
    for (text, expected, said) in [
        (
            "date;t\n2010-01-01 00:00;10,5\n2010-01-01 01:00;11,5\n",
            [10.5, 11.5],
            "decimal commas, as `10,5`",
        ),
        (
            "2010-01-01 00:00;10\n2010-01-01 01:00;11,5\n",
            [10.0, 11.5],
            "decimal commas",
        ),
        (
            "a;t\nx;1.234,5\ny;1.235\n",
            [1234.5, 1235.0],
            "decimal commas",
        ),
        (
            "a,t\nx,\"1,234.5\"\ny,7\n",
            [1234.5, 7.0],
            "separators between thousands",
        ),
        (
            "a;t\nx;1 234\ny;950\n",
            [1234.0, 950.0],
            "separators between thousands, as `1 234`",
        ),
        (
            "a\tt\nx\t1'234.5\ny\t1\u{202f}234.5\n",
            [1234.5, 1234.5],
            "separators",
        ),
    ] {
        let recording = read_text(text, &how).expect(text);
        assert_eq!(values(&recording), expected, "{text}");
        let notes = recording.notes.join("\n");
        assert!(notes.contains(said), "{text}: {notes}");
    }
    for text in ["a;t\nx;1,234\ny;950\n", "a;t\nx;10,125\ny;11,250\n"] {
        let failure = read_text(text, &how).expect_err(text);
        assert!(
            failure.message.contains("line 2, column `t`: `1"),
            "{failure}"
        );
        assert!(failure.message.contains("as 1234.5"), "{failure}");
    }
    // A comma in a table of commas stands between columns, and a space may stand between any.
    let failure = read_text("10,5\n11,5\n", &how).expect_err("two columns");
    assert!(failure.message.contains("several columns"), "{failure}");
    let failure = read_text("1 234\n2 345\n", &how).expect_err("spaces");
    let wanted = "line 1: in `1 234` a space stands between";
    assert!(failure.message.contains(wanted), "{failure}");
}

#[test]
fn a_damaged_or_foreign_line_costs_that_line_and_is_named() {
    let hours = |lines: &[&str]| {
        let rows = (0..12).map(|hour| match lines.get(hour) {
            Some(line) if !line.is_empty() => format!("{line}\n"),
            _ => format!("2010-01-01 {hour:02}:00,{hour}.5\n"),
        });
        format!("date,temp\n{}", rows.collect::<String>())
    };
    let whole: Vec<f64> = (0..12).map(|hour| f64::from(hour) + 0.5).collect();
    for (bad, said) in [
        ("2010-01-01 03:00,oops", "line 5 (`oops`)"),
        ("2010-01-01 03:0", "line 5 (`2010-01-01 03:0`)"),
        ("\0\0\0\0", "line 5 (`\\x00"),
        ("\"2010-01-01 03:00,3.5", "line 5 (`?2010"),
        ("date,temp", "line 5 (`date`)"),
        ("2010-01-01 03:00,3.5,2010-01-01 04:00,4.5", "line 5 ("),
        ("2099-01-01 03:00,3.5", "out of order: line 5 (`2099"),
        ("2010-01-01 02:00,3.5", "twice or out of order: line 5"),
    ] {
        let recording = read_text(&hours(&["", "", "", bad]), &Reading::default()).expect(bad);
        assert_eq!(recording.rate, Rate { num: 1, den: 3600 });
        // With time stamps the lost row is a gap, which its neighbours fill.
        assert_eq!(values(&recording), whole, "{bad}");
        let notes = recording.notes.join("\n");
        assert!(notes.contains(said), "{bad}: {notes}");
        assert!(notes.contains("1 missing row between"), "{bad}: {notes}");
    }
    let summed = hours(&[]) + "Average,6.0\n";
    let recording = read_text(&summed, &Reading::default()).expect("a sum at the end");
    assert_eq!(values(&recording), whole);
    assert!(
        recording.notes[0].contains("line 14 (`Average`)"),
        "{:?}",
        recording.notes
    );
}

#[test]
fn without_times_a_lost_line_is_said_to_move_the_others() {
    let how = Reading {
        rate: Some(Rate::hz(10)),
        ..Reading::default()
    };
    let recording = read_text("v\n1\n2\n# a comment\noops\n4\n5\n", &how).expect("a series");
    assert_eq!(values(&recording), [1.0, 2.0, 4.0, 5.0]);
    assert_eq!(
        recording.notes,
        [
            "1 line left out that are no rows: line 5 (`oops`); where one was a sample, all after it stand too early by one"
        ]
    );
    // A row without a value keeps its place.
    for empty in ["x,", "x", "x,nan", "x,NULL", "x,-inf", "x,--"] {
        let text = format!("a,v\nx,1\n{empty}\nx,3\n");
        let recording = read_text(&text, &how).expect(empty);
        assert_eq!(values(&recording), [1.0, 2.0, 3.0], "{empty}");
        assert_eq!(
            recording.notes,
            ["1 row without a value interpolated from the neighbours: line 3"]
        );
    }
    let recording = read_text("a,v\nx,1\nx,2\nx,\nx,nan\n", &how).expect("ends");
    assert_eq!(values(&recording), [1.0, 2.0]);
    assert!(recording.notes[0].contains("2 rows without a value at the ends"));
}

#[test]
fn lines_in_front_and_units_below_the_headings_are_no_rows() {
    for (text, unit, notes) in [
        (
            "Logger,TX 100\nSerial,12345\nInterval,60\ndate,level\n2010-01-01 00:00,1\n2010-01-01 01:00,2\n2010-01-01 02:00,3\n2010-01-01 03:00,4\n2010-01-01 04:00,5\n",
            "unit of level",
            2,
        ),
        (
            "date,level\n,mbar\n2010-01-01 00:00,1\n2010-01-01 01:00,2\n",
            "mbar",
            1,
        ),
        (
            "date,level\n(UTC),(mV)\n2010-01-01 00:00,1\n2010-01-01 01:00,2\n",
            "mV",
            1,
        ),
        (
            "\"TOA5\",\"CR1000\",\"12\"\n\"TIMESTAMP\",\"level\"\n\"TS\",\"Deg C\"\n\"\",\"Avg\"\n\"2010-01-01 00:00:00\",1\n\"2010-01-01 01:00:00\",2\n",
            "Deg C",
            2,
        ),
        (
            "Logger X\r\n\r\ndate;level [V];\r\n2010-01-01 00:00;1;\r\n2010-01-01 01:00;2;\r\n",
            "V",
            2,
        ),
    ] {
        let recording = read_text(text, &Reading::default()).expect(text);
        assert_eq!(values(&recording)[..2], [1.0, 2.0], "{text}");
        assert_eq!(recording.unit, Unit::One(unit.into()), "{text}");
        assert_eq!(
            recording.notes.len(),
            notes,
            "{text}: {:?}",
            recording.notes
        );
    }
}

#[test]
fn a_column_of_times_gives_the_rate_and_dates_the_start() {
    for (text, rate, start) in [
        ("time_s,v\n0.0,1\n0.5,2\n1.0,3\n", (2, 1), None),
        ("Time (ms),v\n0,1\n1,2\n2,3\n", (1000, 1), None),
        ("t;v\n0,0;1\n0,5;2\n1,0;3\n", (2, 1), None),
        (
            "x-axis,1\nsecond,Volt\n-1.0e-03,1\n0.0,2\n1.0e-03,3\n",
            (1000, 1),
            None,
        ),
        ("day,v\n0,1\n1,2\n2,3\n", (1, 86_400), None),
        (
            "timestamp,v\n1769900000,1\n1769900060,2\n1769900120,3\n",
            (1, 60),
            Some("2026-01-31T22:53:20Z"),
        ),
        (
            "timestamp,v\n1769900000000,1\n1769900000250,2\n1769900000500,3\n",
            (4, 1),
            Some("2026-01-31T22:53:20Z"),
        ),
        (
            "date,v\n2026-03-28 23:00:00,1\n2026-03-28 23:01:00,2\n",
            (1, 60),
            Some("2026-03-28T23:00:00Z"),
        ),
        (
            "date,v\n2026-03-28T23:00:00+01:00,1\n2026-03-28T23:01:00+01:00,2\n",
            (1, 60),
            Some("2026-03-28T22:00:00Z"),
        ),
        (
            "date,v\n28.03.2026 23:00:00.0,1\n28.03.2026 23:00:00.5,2\n",
            (2, 1),
            Some("2026-03-28T23:00:00Z"),
        ),
        (
            "date,v\n2026-01-01,1\n2026-01-08,2\n2026-01-15,3\n",
            (1, 604_800),
            Some("2026-01-01T00:00:00Z"),
        ),
        (
            "n,date,v\nx,2026-01-01,1\nx,2026-01-02,2\n",
            (1, 86_400),
            Some("2026-01-01T00:00:00Z"),
        ),
        (
            "date,time,v\n2026-01-01,00:00:00,1\n2026-01-01,00:00:10,2\n",
            (1, 10),
            Some("2026-01-01T00:00:00Z"),
        ),
    ] {
        let recording = read_text(text, &Reading::default()).expect(text);
        assert_eq!((recording.rate.num, recording.rate.den), rate, "{text}");
        assert_eq!(recording.start_text().as_deref(), start, "{text}");
        assert_eq!(values(&recording)[..2], [1.0, 2.0], "{text}");
        let is_assumed = start.is_some() && text.starts_with(['d', 'n']) && !text.contains('+');
        let said = recording
            .notes
            .iter()
            .any(|note| note.contains("taken as UTC"));
        assert_eq!(said, is_assumed, "{text}: {:?}", recording.notes);
    }
}

#[test]
fn times_that_are_not_understood_are_said_and_steps_that_differ_too() {
    let given = Reading {
        rate: Some(Rate::hz(1)),
        ..Reading::default()
    };
    let american = "date,v\n03/28/2026 23:00,1\n03/28/2026 23:01,2\n";
    let failure = read_text(american, &Reading::default()).expect_err("no rate");
    assert!(
        failure
            .message
            .contains("line 2: `03/28/2026 23:00` is not written as"),
        "{failure}"
    );
    let recording = read_text(american, &given).expect("a rate");
    assert_eq!(recording.start, None);
    assert!(
        recording.notes[0].contains("so the recording has no start"),
        "{:?}",
        recording.notes
    );
    let jittered = "time_s,v\n0.003,1\n1.001,2\n1.999,3\n3.004,4\n";
    let recording = read_text(jittered, &Reading::default()).expect("nearly equal steps");
    assert!(
        recording.notes[0].contains("% of a step beside equal steps"),
        "{:?}",
        recording.notes
    );
    let uneven = "time_s,v\n0,1\n1,2\n2,3\n3.5,4\n4.5,5\n";
    let failure = read_text(uneven, &Reading::default()).expect_err("uneven");
    assert!(
        failure
            .message
            .contains("line 5: time stamp `3.5` stands 1.50 of the usual steps"),
        "{failure}"
    );
    let recording = read_text(uneven, &given).expect("a rate");
    assert_eq!(values(&recording).len(), 5);
    assert!(
        recording.notes[0].contains("one by one"),
        "{:?}",
        recording.notes
    );
    let assumed = "time,v\n0,1\n2,2\n4,3\n";
    let recording = read_text(assumed, &Reading::default()).expect("seconds");
    assert_eq!(recording.rate, Rate { num: 1, den: 2 });
    assert!(
        recording.notes[0].contains("taken as seconds"),
        "{:?}",
        recording.notes
    );
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
            "line 5: time stamp `2010/01/01 02:30` stands 0.50 of the usual steps",
        ),
        (
            "date,t\n2010/01/01 00:00,1\n2010/01/01 01:00,2\n2010/01/01 02:00,2\n2010/02/01 02:00,3\n",
            "missing rows",
        ),
        ("t\n1\n2\n", "--rate"),
        ("t\n", "no rows"),
        ("a,b\n1,2\n3\n", "several columns of numbers"),
        ("a\nb\n", "column of numbers"),
        (
            "date,t\n2010/01/01 00:00,inf\n2010/01/01 01:00,nan\n",
            "numbers",
        ),
    ] {
        let failure = read_text(text, &Reading::default()).expect_err(text);
        assert!(failure.message.contains(named), "{text:?}: {failure}");
    }
}
