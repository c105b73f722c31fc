use super::*;

const SHIPPED: &str = include_str!("../../../../data/seattle_temperature_2010_hourly.csv");

/// A file without frames, which no format lets through.
pub(crate) fn without_frames() -> Samples {
    Samples {
        frame: Box::new(|_| None),
        ..Samples::temperatures(SHIPPED).unwrap()
    }
}

fn all(samples: &mut Samples) -> Vec<[f32; 2]> {
    std::iter::from_fn(|| samples.next_frame()).collect()
}

fn sentence(name: &str, bytes: &[u8], rate_hz: f64) -> String {
    match Samples::open(name, bytes.to_vec(), rate_hz) {
        Ok(_) => panic!("{name} is played"),
        Err(sentence) => sentence,
    }
}

fn wav(channels: u16, bits: u16, format: hound::SampleFormat, values: &[f32]) -> Vec<u8> {
    let spec = hound::WavSpec {
        channels,
        sample_rate: 44_100,
        bits_per_sample: bits,
        sample_format: format,
    };
    let mut file = std::io::Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut file, spec).unwrap();
    for value in values {
        match format {
            hound::SampleFormat::Float => writer.write_sample(*value).unwrap(),
            hound::SampleFormat::Int => {
                let scale = f64::from(1u32 << (bits - 1));
                writer
                    .write_sample((f64::from(*value) * scale) as i32)
                    .unwrap();
            }
        }
    }
    writer.finalize().unwrap();
    file.into_inner()
}

#[test]
fn every_kind_of_wav_gives_its_samples_twice() {
    use hound::SampleFormat::{Float, Int};
    for (channels, bits, format) in [
        (1, 8, Int),
        (1, 16, Int),
        (2, 16, Int),
        (2, 24, Int),
        (1, 32, Int),
        (2, 32, Float),
    ] {
        let file = wav(channels, bits, format, &[0.5, -0.25, -1.0, 0.75]);
        let mut samples = Samples::open("a.wav", file, 0.0).unwrap();
        let wanted: Vec<[f32; 2]> = match channels {
            1 => vec![[0.5; 2], [-0.25; 2], [-1.0; 2], [0.75; 2]],
            _ => vec![[0.5, -0.25], [-1.0, 0.75]],
        };
        assert_eq!(all(&mut samples), wanted, "{}", samples.format);
        samples.rewind();
        assert_eq!(all(&mut samples), wanted, "{} again", samples.format);
        assert_eq!(samples.rate, Rate::hz(44_100));
    }
}

#[test]
fn a_wav_that_was_cut_off_gives_its_whole_frames_each_time() {
    let mut file = wav(2, 16, hound::SampleFormat::Int, &[0.5, -0.25, -1.0, 0.75]);
    file.pop();
    let mut samples = Samples::open("a.wav", file, 0.0).unwrap();
    for round in 0..3 {
        assert_eq!(all(&mut samples), [[0.5, -0.25]], "{round}");
        samples.rewind();
    }
}

#[test]
fn raw_samples_are_read_by_their_ending() {
    let of = |name: &str, bytes: &[u8]| {
        let mut samples = Samples::open(name, bytes.to_vec(), 2.4e6).unwrap();
        assert_eq!(samples.rate, Rate::hz(2_400_000));
        (all(&mut samples), samples.is_complex)
    };
    assert_eq!(of("a.CU8", &[0, 255, 7]), (vec![[-1.0, 1.0]], true));
    assert_eq!(of("a.cs8", &[0x40, 0x80]), (vec![[0.5, -1.0]], true));
    assert_eq!(of("b.cs16", &[0, 0x40, 0, 0xc0]), (vec![[0.5, -0.5]], true));
    assert_eq!(
        of("c.i16", &[0, 0x40, 0, 0xc0]),
        (vec![[0.5; 2], [-0.5; 2]], false)
    );
    let float: Vec<u8> = [0.25f32, -2.0]
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    assert_eq!(of("d.cf32", &float), (vec![[0.25, -2.0]], true));
}

#[test]
fn what_cannot_be_played_is_said_with_what_to_do() {
    for (name, bytes, rate, words) in [
        ("a.wav", &b"RIFFxxxxWAVE"[..], 0.0, "no samples"),
        ("a.wav", b"hello", 0.0, "RIFF and WAVE"),
        ("a.wav", b"", 0.0, "is empty"),
        ("a.cu8", &[1, 2], 0.0, "type the rate"),
        ("a.cu8", &[1, 2], f64::NAN, "type the rate"),
        ("a.cf32", &[1, 2], 1e6, "not one whole sample"),
        ("a.txt", &[1, 2], 1e6, "cu8, cs8, cs16, cf32"),
        ("photo", &[1, 2], 1e6, "cu8, cs8, cs16, cf32"),
    ] {
        let error = sentence(name, bytes, rate);
        assert!(error.contains(words) && error.starts_with(name), "{error}");
    }
    let six = wav(6, 16, hound::SampleFormat::Int, &[0.0; 6]);
    assert!(sentence("six.wav", &six, 0.0).contains("6 channels"));
    let none = wav(1, 16, hound::SampleFormat::Int, &[]);
    assert!(sentence("none.wav", &none, 0.0).contains("no samples"));
}

#[test]
fn the_shipped_series_has_every_hour_of_the_year() {
    let mut samples = Samples::temperatures(SHIPPED).unwrap();
    let values: Vec<f32> = all(&mut samples)
        .iter()
        .map(|frame| frame[0] * 128.0)
        .collect();
    assert_eq!((values.len(), values[0]), (8760, 39.4));
    // 14 March, 3 o'clock: hour (31 + 28 + 13) * 24 + 3.
    let missing = 1731;
    let middle = 0.5 * (values[missing - 1] + values[missing + 1]);
    assert!((values[missing] - middle).abs() < 1e-4);
    let cut = SHIPPED.rsplit_once("\n2010").unwrap().0;
    assert!(Samples::temperatures(cut).is_err());
    assert!(Samples::temperatures("date,temp\n2010/01/01 00:00,x").is_err());
}
