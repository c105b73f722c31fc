use super::*;

fn values(name: &str, bytes: &[u8]) -> Vec<f64> {
    let mut out = vec![];
    Format::from_name(name).expect(name).values(bytes, &mut out);
    out
}

#[test]
fn every_format_reads_zero_and_a_half() {
    for (name, bytes, expected) in [
        ("u8", &[0, 255][..], [-1.0, 1.0]),
        ("cs8", &[0, 64], [0.0, 0.5]),
        ("u16", &[0, 0x80, 0, 0xc0], [0.0, 0.5]),
        ("cs16", &[0, 0, 0, 0x40], [0.0, 0.5]),
        ("i16_be", &[0, 0, 0x40, 0], [0.0, 0.5]),
        ("i32", &[0, 0, 0, 0, 0, 0, 0, 0x40], [0.0, 0.5]),
        ("u8-high", &[7, 0, 9, 255], [-1.0, 1.0]),
        ("u8-high_be", &[0, 7, 255, 9], [-1.0, 1.0]),
        ("cs32_be", &[0, 0, 0, 0, 0x40, 0, 0, 0], [0.0, 0.5]),
    ] {
        assert_eq!(values(name, bytes), expected, "{name}");
    }
    let float = |x: f32| x.to_le_bytes();
    assert_eq!(
        values("cf32", [float(0.0), float(0.5)].as_flattened()),
        [0.0, 0.5]
    );
    let float = |x: f64| x.to_be_bytes();
    assert_eq!(
        values("f64_be", [float(0.0), float(0.5)].as_flattened()),
        [0.0, 0.5]
    );
}

#[test]
fn every_number_type_has_the_scale_of_the_document() {
    let document = include_str!("../../../../docs/formats.md");
    for (number, rule, written) in [
        (Number::U8, "(x - 127.5) / 127.5", &[200][..]),
        (Number::U8High, "(x - 127.5) / 127.5", &[0x17, 200]),
        (Number::WavU8, "(x - 128) / 128", &[200]),
        (Number::I8, "x / 2^7", &[0xb8]),
        (Number::U16, "(x - 2^15) / 2^15", &[0x34, 0xb2]),
        (Number::I16, "x / 2^15", &[0x34, 0xb2]),
        (Number::I24, "x / 2^23", &[0x12, 0x34, 0xb2]),
        (Number::U32, "(x - 2^31) / 2^31", &[0, 0x12, 0x34, 0xb2]),
        (Number::I32, "x / 2^31", &[0, 0x12, 0x34, 0xb2]),
        (Number::F32, "| x |", &(-0.375_f32).to_le_bytes()),
        (Number::F64, "| x |", &(-0.375_f64).to_le_bytes()),
    ] {
        assert!(document.contains(rule), "{rule} is not in the document");
        let upper = match number {
            Number::U8High => &written[1..],
            _ => written,
        };
        let unsigned = upper
            .iter()
            .rev()
            .fold(0_u64, |x, byte| x << 8 | u64::from(*byte));
        let bits = 8 * upper.len() as i32;
        let signed = unsigned as f64
            - if upper[upper.len() - 1] < 128 {
                0.0
            } else {
                2_f64.powi(bits)
            };
        let (x, value) = match rule {
            "| x |" => (-0.375, -0.375),
            "(x - 127.5) / 127.5" => (200.0, (200.0 - 127.5) / 127.5),
            "(x - 128) / 128" => (200.0, (200.0 - 128.0) / 128.0),
            rule if rule.starts_with('(') => {
                let middle = 2_f64.powi(bits - 1);
                (unsigned as f64, (unsigned as f64 - middle) / middle)
            }
            _ => (signed, signed / 2_f64.powi(bits - 1)),
        };
        for is_big_endian in [false, true] {
            for is_complex in [false, true] {
                let format = Format {
                    number,
                    is_big_endian,
                    is_complex,
                };
                let mut bytes = written.to_vec();
                if is_big_endian {
                    bytes.reverse();
                }
                let bytes = bytes.repeat(format.parts());
                let (mut values, mut numbers, mut sent) = (vec![], vec![], vec![]);
                format.values(&bytes, &mut values);
                format.numbers(&bytes, &mut numbers);
                format.travel(&bytes, &mut sent);
                assert_eq!(values, vec![value; format.parts()], "{number:?}");
                assert_eq!(numbers, vec![x; format.parts()], "{number:?}");
                let wire = Format::from_name(number.on_wire().name()).expect("a format");
                let mut received = vec![];
                wire.values(&sent, &mut received);
                assert_eq!(received, values, "{number:?}");
            }
        }
    }
}

#[test]
fn what_travels_has_the_values_that_were_read() {
    let bytes: Vec<u8> = (0..48).map(|x| (x * 37 % 119) as u8).collect();
    for name in [
        "cu8",
        "cs8",
        "cu16",
        "cs16",
        "cs16_be",
        "i32",
        "i32_be",
        "f32",
        "f32_be",
        "f64",
        "u8-high",
        "cu8-high_be",
    ] {
        let format = Format::from_name(name).expect(name);
        let mut sent = vec![];
        format.travel(&bytes, &mut sent);
        let on_wire = format.number.on_wire().name();
        let read: Vec<f64> = values(name, &bytes);
        let rounded = read.iter().map(|&x| f64::from(x as f32));
        let sent = values(on_wire, &sent)
            .into_iter()
            .map(|x| f64::from(x as f32));
        assert!(sent.eq(rounded), "{name}");
    }
}

#[test]
fn names_are_read_as_they_are_written() {
    for name in Format::names().split(", ") {
        let format = format(name).expect(name);
        assert_eq!(format.name(), name);
        let big = format!("{name}_be");
        let expected = if format.number.bytes() > 1 {
            &big
        } else {
            name
        };
        assert_eq!(Format::from_name(&big).expect("a name").name(), expected);
    }
    assert_eq!(Format::from_name("ci16_le"), Format::from_name("cs16"));
    assert!(format("wav").expect_err("no format").contains("cf32, cf64"));
}
