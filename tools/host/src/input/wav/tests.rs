use std::io::Cursor;

use super::super::{Unit, read_bytes};
use super::*;

fn read(name: &str, bytes: &[u8], how: &Reading) -> Result<Recording> {
    super::read(name, bytes.to_vec().into(), how)
}

fn values(channel: &Channel) -> Vec<f32> {
    let values = channel.samples.values(0, u64::MAX).expect("values");
    values.into_iter().map(|x| x as f32).collect()
}

/// A WAV file in memory; integer samples, or float where `bits` is 32 and `float` is set.
fn wav(channels: u16, bits: u16, float: bool, samples: &[i32]) -> Vec<u8> {
    let mut out = Cursor::new(vec![]);
    let spec = hound::WavSpec {
        channels,
        sample_rate: 8000,
        bits_per_sample: bits,
        sample_format: if float {
            hound::SampleFormat::Float
        } else {
            hound::SampleFormat::Int
        },
    };
    let mut writer = hound::WavWriter::new(&mut out, spec).expect("header");
    for &sample in samples {
        if float {
            writer.write_sample(sample as f32 / 128.0).expect("sample");
        } else {
            writer.write_sample(sample << (bits - 8)).expect("sample");
        }
    }
    writer.finalize().expect("length");
    out.into_inner()
}

#[test]
fn every_width_reads_as_the_same_values() {
    let samples = [-128, -1, 0, 1, 64, 127];
    let expected: Vec<f32> = samples.iter().map(|&x| x as f32 / 128.0).collect();
    for (bits, float) in [
        (8, false),
        (16, false),
        (24, false),
        (32, false),
        (32, true),
    ] {
        let file = wav(1, bits, float, &samples);
        let recording = read("a.wav", &file, &Reading::default()).expect("a WAV file");
        assert_eq!(values(&recording.channels[0]), expected, "{bits} bits");
        assert_eq!(recording.rate, Rate { num: 8000, den: 1 });
        assert_eq!(recording.unit, Unit::FullScale);
    }
}

/// An extensible header (one channel) that says how many bits of each container count.
fn extensible(container: u16, valid: u16, data: &[u8]) -> Vec<u8> {
    let bytes = container / 8;
    let mut fmt = vec![];
    for field in [0xfffe, 1, 8000, 0, 8000 * bytes, 0, bytes, container] {
        fmt.extend(field.to_le_bytes());
    }
    for field in [22, valid, 0, 0] {
        fmt.extend(field.to_le_bytes());
    }
    fmt.extend(*b"\x01\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71");
    let mut file = b"RIFF".to_vec();
    file.extend((20 + fmt.len() as u32 + data.len() as u32).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend((fmt.len() as u32).to_le_bytes());
    file.extend(fmt);
    file.extend(b"data");
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(data);
    file
}

#[test]
fn bits_that_count_are_the_upper_ones_of_their_container() {
    let samples = [-1.0_f32, -0.25, 0.0, 0.5];
    for (container, valid) in [(16, 12), (24, 20), (32, 20), (32, 24), (32, 32)] {
        let data: Vec<u8> = samples
            .iter()
            .flat_map(|x| {
                let word = (f64::from(*x) * 2_f64.powi(31)) as i32;
                word.to_le_bytes()[4 - container as usize / 8..].to_vec()
            })
            .collect();
        let file = extensible(container, valid, &data);
        let recording = read("a.wav", &file, &Reading::default()).expect("a WAV file");
        let read = values(&recording.channels[0]);
        assert_eq!(read, samples, "{valid} bits of {container}");
    }
}

#[test]
fn stereo_as_two_channels_or_as_one_complex() {
    let file = wav(2, 16, false, &[1, 2, 3, 4]);
    let with = |stereo| {
        let how = Reading {
            stereo: Some(stereo),
            ..Reading::default()
        };
        let channels = read("a.wav", &file, &how).expect("a WAV file").channels;
        channels
            .into_iter()
            .map(|c| {
                (
                    c.is_complex(),
                    values(&c).iter().map(|x| x * 128.0).collect(),
                )
            })
            .collect::<Vec<(bool, Vec<f32>)>>()
    };
    assert_eq!(
        with(Stereo::Both),
        [(false, vec![1.0, 3.0]), (false, vec![2.0, 4.0])]
    );
    assert_eq!(with(Stereo::Right), [(false, vec![2.0, 4.0])]);
    assert_eq!(with(Stereo::Iq), [(true, vec![1.0, 2.0, 3.0, 4.0])]);
}

#[test]
fn chunks_of_odd_length_before_the_samples_are_passed_over() {
    let whole = wav(2, 16, false, &[1, 2, 3, 4, 5, 6]);
    let expected = read("a.wav", &whole, &Reading::default()).expect("a WAV file");
    let (head, rest) = whole.split_at(12);
    let (format, data) = rest.split_at(24);
    assert!(format.starts_with(b"fmt ") && data.starts_with(b"data"));
    let odd = |name: &[u8], text: &[u8]| {
        let length = (text.len() as u32).to_le_bytes();
        [name, &length, text, &[0; 1][..text.len() % 2]].concat()
    };
    let (list, junk) = (odd(b"LIST", b"odd"), odd(b"JUNK", b"data\x04\0\0\0a"));
    for chunks in [
        [head, format, &list, data].concat(),
        [head, &junk, format, data].concat(),
        [head, &list, format, &junk, &list, data].concat(),
        [head, format, &odd(b"LIST", b"even"), data].concat(),
        [head, &odd(b"fmt ", &[&format[8..], &[0]].concat()), data].concat(),
    ] {
        let recording = read("a.wav", &chunks, &Reading::default()).expect("a WAV file");
        let both =
            [&recording, &expected].map(|r| r.channels.iter().map(values).collect::<Vec<_>>());
        assert_eq!(both[0], both[1]);
    }
    // Cut short, too.
    let cut = [head, format, &list, &data[..data.len() - 3]].concat();
    let recording = read("a.wav", &cut, &Reading::default()).expect("a WAV file");
    assert_eq!(recording.channels[0].points(), 2);
}

/// A file of these chunks, whose samples are the four i16 of `data`.
fn chunked(chunks: &[(&[u8; 4], &[u8], bool)]) -> Vec<u8> {
    let mut body = b"WAVE".to_vec();
    for (id, content, is_padded) in chunks {
        body.extend(*id);
        body.extend((content.len() as u32).to_le_bytes());
        body.extend(*content);
        body.extend(&[0; 1][..usize::from(content.len() % 2 == 1 && *is_padded)]);
    }
    [b"RIFF", &(body.len() as u32).to_le_bytes()[..], &body].concat()
}

/// The content of a chunk `fmt `: one channel of i16 at 8 kHz.
const MONO: &[u8] = &[1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0];
const FOUR: &[u8] = &[0, 0x40, 0, 0xc0, 0, 0x20, 0, 0xe0];

#[test]
fn chunks_without_a_pad_byte_and_in_another_order_are_read_and_said() {
    for (chunks, said) in [
        (
            &[
                (b"fmt ", MONO, true),
                (b"note", b"short", false),
                (b"data", FOUR, true),
            ][..],
            Some("`note` has the odd length 5 and no pad byte"),
        ),
        (
            &[
                (b"junk", b"a", false),
                (b"LIST", b"abc", false),
                (b"fmt ", MONO, true),
                (b"data", FOUR, true),
            ],
            Some("`junk` has the odd length 1"),
        ),
        (
            &[
                (b"fmt ", MONO, true),
                (b"note", b"short", true),
                (b"data", FOUR, true),
            ],
            None,
        ),
        (
            &[
                (b"data", FOUR, true),
                (b"LIST", b"abc", true),
                (b"fmt ", MONO, true),
            ],
            None,
        ),
    ] {
        let recording = read("a.wav", &chunked(chunks), &Reading::default()).expect("a WAV file");
        assert_eq!(values(&recording.channels[0]), [0.5, -0.5, 0.25, -0.25]);
        match said {
            Some(said) => assert!(recording.notes[0].contains(said), "{:?}", recording.notes),
            None => assert_eq!(recording.notes.len(), 0, "{:?}", recording.notes),
        }
    }
}

#[test]
fn a_length_of_0_with_samples_behind_it_is_no_length() {
    // The length of the file is right.
    let mut file = chunked(&[(b"fmt ", MONO, true), (b"data", FOUR, true)]);
    file[40..44].fill(0);
    let recording = read("a.wav", &file, &Reading::default()).expect("a WAV file");
    assert_eq!(values(&recording.channels[0]), [0.5, -0.5, 0.25, -0.25]);
    assert!(recording.notes[0].contains("says 0 bytes of samples and 8 follow"));
    // Other chunks are no samples.
    let empty = chunked(&[
        (b"fmt ", MONO, true),
        (b"data", b"", true),
        (b"LIST", b"abcd", true),
    ]);
    let failure = read("a.wav", &empty, &Reading::default()).expect_err("no samples");
    assert!(
        failure
            .message
            .contains("`data` has length 0 and other chunks follow"),
        "{failure}"
    );
}

#[test]
fn a_file_without_samples_says_which_chunk_is_wrong() {
    let long = [
        &chunked(&[(b"fmt ", MONO, true)])[..],
        b"LIST\xff\xff\0\0abc",
    ]
    .concat();
    let lost = chunked(&[
        (b"fmt ", MONO, true),
        (b"note", b"short", true),
        (b"\0\x01\xff\x02", b"abcd", true),
    ]);
    for (file, said) in [
        (
            chunked(&[(b"fmt ", MONO, true), (b"LIST", b"abcd", true)]),
            "no chunk `data`, only `fmt `, `LIST`",
        ),
        (long, "chunk `LIST` says 65535 bytes and 3 follow"),
        (
            lost,
            "chunk `note` has the odd length 5, and behind its pad byte no chunk begins",
        ),
        (chunked(&[(b"data", FOUR, true)]), "no chunk `fmt `"),
        (
            chunked(&[(b"fmt ", &MONO[..10], true), (b"data", FOUR, true)]),
            "`fmt ` of 10 bytes",
        ),
        (
            chunked(&[(b"fmt ", MONO, true), (b"data", b"", true)]),
            "`data` says 0 bytes and 0 follow",
        ),
        (
            chunked(&[
                (b"fmt ", MONO, true),
                (b"data", b"a", true),
                (b"LIST", b"abcd", true),
            ]),
            "1 bytes, fewer than one sample",
        ),
    ] {
        let failure = read("a.wav", &file, &Reading::default()).expect_err(said);
        assert!(failure.message.contains(said), "{failure}");
    }
}

#[test]
fn a_time_of_a_chunk_is_taken_or_said() {
    let bext = |date: &[u8; 18]| [&[0; 320][..], date, &[0; 264]].concat();
    let auxi = [&[0xff; 16][..], &[0; 20], &[0; 128]].concat();
    for (id, content, start, said) in [
        (
            b"bext",
            bext(b"2020-01-3112:34:56"),
            Some("2020-01-31T12:34:56Z"),
            "taken as UTC",
        ),
        (
            b"bext",
            bext(b"31.01.202012:34:56"),
            None,
            "`bext` is not understood and was left out: 31.01.2020 12:34:56",
        ),
        (b"auxi", auxi, None, "`auxi` is not understood"),
    ] {
        let file = chunked(&[
            (b"fmt ", MONO, true),
            (id, &content, true),
            (b"data", FOUR, true),
        ]);
        let recording = read("a.wav", &file, &Reading::default()).expect("a WAV file");
        assert_eq!(recording.start_text().as_deref(), start);
        assert!(recording.notes[0].contains(said), "{:?}", recording.notes);
    }
}

#[test]
fn a_recording_that_was_cut_short_is_read_as_far_as_it_goes() {
    let whole = wav(2, 16, false, &[1, 2, 3, 4, 5, 6]);
    let samples = |bytes: &[u8]| {
        let recording = read("a.wav", bytes, &Reading::default()).expect("a WAV file");
        let points: Vec<u64> = recording.channels.iter().map(Channel::points).collect();
        (points, recording.notes.len())
    };
    assert_eq!(samples(&whole), (vec![3, 3], 0));
    // In the middle of the third pair, and of its second sample.
    for length in [whole.len() - 3, whole.len() - 1] {
        assert_eq!(samples(&whole[..length]), (vec![2, 2], 1));
    }
    // As a recorder leaves it that could not go back to its header.
    for length in [[0; 4], [0xFF; 4], [0xFF, 0xFF, 0xFF, 0x7F]] {
        let mut streamed = whole.clone();
        streamed[4..8].copy_from_slice(&length);
        streamed[40..44].copy_from_slice(&length);
        assert_eq!(samples(&streamed), (vec![3, 3], 1), "{length:?}");
    }
    for length in [4, 11, 20, 40, 44] {
        let failure = read("a.wav", &whole[..length], &Reading::default()).expect_err("no samples");
        assert!(
            failure.message.contains("ends before its samples"),
            "{failure}"
        );
    }
}

/// A file in which a chunk `ds64` has the lengths of the whole and of the samples.
fn long(kind: &[u8; 4], file: u64, samples: u64) -> Vec<u8> {
    let short = wav(2, 16, false, &[1, 2, 3, 4, 5, 6]);
    let mut ds64 = [b"ds64".to_vec(), 28_u32.to_le_bytes().to_vec()].concat();
    for length in [file, samples, 3] {
        ds64.extend(length.to_le_bytes());
    }
    ds64.extend([0; 4]);
    let mut long = [&kind[..], &[0xff; 4], b"WAVE", &ds64, &short[12..]].concat();
    long[12 + 36 + 28..][..4].fill(0xff);
    long
}

#[test]
fn two_channels_of_a_receiver_get_a_hint() {
    let file = wav(2, 16, false, &[1, 2, 3, 4, 5, 6]);
    let hints = |name: &str, stereo| {
        let how = Reading {
            stereo,
            ..Reading::default()
        };
        let recording = read(name, &file, &how).expect("a WAV file");
        recording.hints.len()
    };
    let receiver = "HDSDR_20171123_005716Z_1130kHz_RF.wav";
    assert_eq!(hints(receiver, None), 1);
    assert_eq!(hints(receiver, Some(Stereo::Both)), 0);
    assert_eq!(hints("HDSDR_20171123_005716Z_1130kHz_AF.wav", None), 0);
    assert_eq!(hints("a.wav", None), 0);
}

#[test]
fn lengths_of_64_bits_are_those_of_a_chunk_in_front() {
    for (kind, file, samples, frames, notes) in [
        (b"RF64", 100, 12, 3, 0),
        (b"BW64", 100, 12, 3, 0),
        (b"RF64", 100, 8, 2, 0),
        // As a recorder leaves them that was killed, or ran out of disk.
        (b"RF64", 0, 0, 3, 1),
        (b"RF64", 1 << 40, 1 << 40, 3, 1),
    ] {
        let recording = read("a.wav", &long(kind, file, samples), &Reading::default());
        let recording = recording.expect("a WAV file");
        assert_eq!(recording.format, "RF64 WAV i16");
        assert_eq!(recording.channels[0].points(), frames, "{file} {samples}");
        assert_eq!(recording.notes.len(), notes, "{:?}", recording.notes);
        assert_eq!(values(&recording.channels[1])[0] * 128.0, 2.0);
    }
}

#[test]
fn no_header_makes_the_reader_panic() {
    let whole = wav(2, 24, false, &[1, 2, 3, 4]);
    for at in 0..whole.len() {
        for value in [0, 1, 2, 0x7F, 0xFF] {
            let mut bytes = whole.clone();
            bytes[at] = value;
            let _ = read("a.wav", &bytes, &Reading::default());
        }
    }
}

#[test]
fn broken_files_are_refused_with_what_to_do() {
    let whole = wav(1, 16, false, &[1, 2, 3]);
    for length in 4..whole.len() {
        if let Err(failure) = read("a.wav", &whole[..length], &Reading::default()) {
            assert!(failure.message.contains("a.wav"), "{failure}");
        }
    }
    let mut law = whole.clone();
    law[20] = 7;
    let failure = read("a.wav", &law, &Reading::default()).expect_err("mu-law");
    assert!(failure.message.contains("save it as"), "{failure}");
    let failure = not_a_wav("a.wav", b"ID3\x04");
    assert!(failure.message.contains("49 44 33 04"), "{failure}");
    let three = wav(3, 16, false, &[1, 2, 3]);
    let failure = read("a.wav", &three, &Reading::default()).expect_err("three channels");
    assert!(failure.message.contains("3 channels"), "{failure}");
    let nan = wav(1, 32, true, &[0]);
    let mut nan = nan;
    let end = nan.len();
    nan[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    let failure = read_bytes("a.wav", nan, &Reading::default()).expect_err("not a number");
    assert!(
        failure.message.contains("100 % of its numbers"),
        "{failure}"
    );
}
