//! `PROTOCOL.md` and the code say the same: its tables, its examples, its dumps.

use std::collections::BTreeMap;

use wire::{
    Averaging, Chunk, Clocks, Counters, Credit, Dc, Decoder, Descriptor, Detector, Domain, Doubt,
    Encoder, Encoding, Engine, Envelope, Fault, HEADER_BYTES, Info, Item, JobBlock, JobClear,
    JobProgram, JobWords, Kind, MAX_FRAME, MAX_PAYLOAD, Measured, Message, NakCode, Name,
    PayloadError, PlanKind, PlanName, Probed, Proof, Rate, RecordHead, ResetCause, RunJob,
    SampleFormat, Slot, Source, State, Status, Unit, UploadBegin, Uploaded, VERSION_MAJOR,
    VERSION_MINOR, Verdict, Window, crc32,
};

const DOCUMENT: &str = include_str!("../PROTOCOL.md");
const LAYOUT: &str = "| at | size | type | meaning | example |";

const CLOCKS: Clocks = Clocks {
    arm_hz: 700_000_000,
    core_hz: 250_000_000,
    v3d_hz: 250_000_000,
    uart_hz: 48_000_000,
};

fn bytes(hex: &str) -> Vec<u8> {
    hex.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).unwrap_or_else(|_| panic!("{byte} in {hex}")))
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    let bytes: Vec<_> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(" ")
}

/// Payload of a table whose header is [`LAYOUT`]; its offsets, sizes and values have to agree with
/// its bytes.
fn example(lines: &mut dyn Iterator<Item = &str>) -> Vec<u8> {
    let mut payload = vec![];
    let mut fixed = true;
    for line in lines.take_while(|line| line.starts_with('|')) {
        let cells: Vec<_> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        if cells[0].starts_with("--") {
            continue;
        }
        let [at, size, kind, meaning, example] = cells[..] else {
            panic!("five cells: {line}");
        };
        assert!(!meaning.is_empty(), "{line}");
        assert_eq!(at.is_empty(), !fixed, "{line}");
        if fixed {
            assert_eq!(at.parse(), Ok(payload.len()), "{line}");
        }
        let (field, value) = match example.strip_prefix('`') {
            Some(rest) => rest.split_once('`').expect("a closing mark"),
            None => ("", ""),
        };
        let field = bytes(field);
        match size.parse::<usize>() {
            Ok(size) => assert_eq!(size, field.len(), "{line}"),
            Err(_) => fixed = false,
        }
        check_field(kind, size, &field, value.trim(), line);
        payload.extend(field);
    }
    payload
}

/// Bytes of a field are of its type, and the value beside them is theirs.
fn check_field(kind: &str, size: &str, field: &[u8], value: &str, line: &str) {
    let mut wide = [0; 8];
    if field.len() <= 8 {
        wide[..field.len()].copy_from_slice(field);
    }
    let unsigned = u64::from_le_bytes(wide);
    let (width, is_value) = match kind {
        "u8" | "u16" | "u32" | "u64" => (
            kind[1..].parse::<usize>().expect("a number") / 8,
            value.is_empty() || value.parse() == Ok(unsigned),
        ),
        "i32" => (4, value.parse() == Ok(unsigned as u32 as i32)),
        "f32" => (4, value.parse() == Ok(f32::from_bits(unsigned as u32))),
        "f64" => (8, value.parse() == Ok(f64::from_bits(unsigned))),
        "text" => {
            let text = value.trim_matches('"').replace("\\n", "\n");
            let length = (text.len() as u16).to_le_bytes();
            assert_eq!(field, [&length, text.as_bytes()].concat(), "{line}");
            assert_eq!(size, "2 + k", "{line}");
            return;
        }
        "bytes" => return assert_eq!(size, "rest", "{line}"),
        _ => {
            let (kind, count) = kind.split_once(" x ").expect("a type");
            let bits: usize = kind[1..].parse().expect("a number");
            (bits / 8 * count.parse::<usize>().expect("a count"), true)
        }
    };
    assert_eq!(field.len(), width, "{line}");
    assert!(is_value, "{line}");
}

/// Examples of all messages, by name, with the kind that their heading names.
fn examples() -> BTreeMap<&'static str, (Kind, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut lines = DOCUMENT.lines();
    let mut heading = None;
    while let Some(line) = lines.next() {
        if let Some((name, kind)) = line.strip_prefix("### ").and_then(|it| it.split_once(' ')) {
            let kind = u8::from_str_radix(kind, 16).expect("a kind behind the name");
            heading = Some(name);
            found.insert(name, (Kind(kind), vec![]));
        } else if line.starts_with('#') {
            heading = None;
        } else if line == LAYOUT
            && let Some(name) = heading
        {
            found.get_mut(name).expect("its heading").1 = example(&mut lines);
        }
    }
    found
}

/// Blocks of hexadecimal bytes, in order.
fn dumps() -> Vec<Vec<u8>> {
    let blocks = DOCUMENT.split("```text\n").skip(1);
    blocks
        .map(|block| bytes(block.split("```").next().expect("an end")))
        .collect()
}

fn descriptor() -> Descriptor {
    Descriptor {
        id: 2,
        rate: Rate { num: 1, den: 3600 },
        n: 4096,
        domain: Domain::Real,
        window: Window::from_name("kaiser:8.6").expect("a window"),
        enbw_bins: 1.625,
        coherent_gain: 0.4375,
        overlap: 2048,
        averaging: Averaging::All,
        average_count: 0,
        first_bin: 0,
        bins: 2049,
        centre_hz: 0.0,
        unit: Unit::DbReUnit,
        encoding: Encoding::U16,
        scale: 0.01,
        offset: -400.0,
        source: Source::Upload,
        engine: Engine::Qpu,
        board_revision: 14,
        clocks: CLOCKS,
        firmware: Name::new("0.1.0"),
        board: Name::new("Raspberry Pi 1 B"),
        detector: Detector::Max,
        dc: Dc::Remove,
        rate_within_hz: 0.25,
        exponential: 0,
    }
}

fn record() -> RecordHead {
    RecordHead {
        record: 5,
        total: 3,
        descriptor: 2,
        encoding: Encoding::U16,
        engine: Engine::Qpu,
        fallback: false,
        replaced: true,
        doubt: Some(Doubt {
            from: 4096,
            until: 8192,
        }),
        duty_ppm: Some(250_000),
        blocks: 8,
        first_sample: 4096,
        counters: Counters {
            overruns: 5_000_000_000,
            left_out: 4096,
            clipped: 2,
            dropped: 3,
            clamped: 4,
            qpu_us: 500,
            cpu_us: 600,
        },
    }
}

const VALUES: [u8; 6] = [0x40, 0x9C, 0, 0, 0xFE, 0xFF];

fn requests<'a>(launches: &'a mut [u8; 12]) -> Vec<(&'static str, Message<'a>)> {
    let program = JobProgram {
        code: 0xC100_0000,
        uniforms: 0xC100_0200,
    };
    RunJob::put_launch(JobClear::All, RunJob::ALL_QPUS, &[program], launches).expect("it fits");
    let plan = PlanName {
        log2n: 12,
        kind: PlanKind::RealI16,
        conservative: true,
    };
    vec![
        ("HELLO", Message::Hello("qpuscope 1")),
        ("PING", Message::Ping(258)),
        ("GET", Message::Get("n,window")),
        ("SET", Message::Set("n=4096 avg=all")),
        ("START", Message::Start),
        ("STOP", Message::Stop),
        ("REBOOT", Message::Reboot),
        ("BAUD", Message::Baud(921_600)),
        (
            "UPLOAD_BEGIN",
            Message::UploadBegin(UploadBegin {
                format: SampleFormat::I16,
                domain: Domain::Real,
                rate: Rate { num: 1, den: 3600 },
                samples: 8760,
                keeps: true,
            }),
        ),
        (
            "UPLOAD_DATA",
            Message::UploadData {
                offset: 4096,
                data: &[1, 0, 0xFF, 0x7F],
            },
        ),
        (
            "UPLOAD_END",
            Message::UploadEnd {
                samples: 8760,
                crc: crc32(b"123456789"),
            },
        ),
        ("JOB_MEMORY", Message::JobMemory(8192)),
        (
            "JOB_WRITE",
            Message::JobWrite(JobWords::new(16, &[1, 0, 0, 0])),
        ),
        (
            "JOB_READ",
            Message::JobRead {
                first: 16,
                words: 2,
            },
        ),
        (
            "RUN_JOB",
            Message::RunJob(RunJob::new(5, 1000, launches).expect("a job")),
        ),
        ("PROVE", Message::Prove(plan)),
        ("MEASURE", Message::Measure(3)),
        (
            "FETCH",
            Message::Fetch {
                record: 5,
                offset: 512,
                values: 128,
            },
        ),
        ("HELD", Message::Held(5)),
        ("PROBE", Message::Probe),
    ]
}

fn answers() -> Vec<(&'static str, Message<'static>)> {
    vec![
        (
            "PROBED",
            Message::Probed(Probed {
                troubles: 1,
                frames: 4096,
                rate_hz: 47_998.0,
                within_hz: 0.5,
                expected_hz: 50_000.0,
                left: Slot {
                    lowest: -0.5,
                    highest: 0.25,
                    mean: -0.3125,
                    rms: 0.125,
                },
                right: Slot::default(),
                text: "right is silent\n",
            }),
        ),
        (
            "UPLOADED",
            Message::Uploaded(Uploaded {
                records: 2,
                bytes: 9,
                crc: crc32(b"123456789"),
            }),
        ),
        (
            "INFO",
            Message::Info(Info {
                engine: Engine::Qpu,
                state: State::Idle,
                reset_cause: ResetCause::PowerOn,
                board_revision: 14,
                memory_bytes: 448 << 20,
                clocks: CLOCKS,
                baud: 115_200,
                firmware: Name::new("0.1.0"),
                board: Name::new("Raspberry Pi 1 B"),
                capabilities: "protocol=1.0\nn=16..65536\n",
            }),
        ),
        ("PONG", Message::Pong(258)),
        ("SETTINGS", Message::Settings("n=4096\nwindow=hann\n")),
        ("ACK", Message::Ack("")),
        ("NAK", Message::Nak(NakCode::BAD_VALUE, "n")),
        ("DESCRIPTOR", Message::Descriptor(descriptor())),
        (
            "SPECTRUM",
            Message::Spectrum(Chunk {
                head: record(),
                offset: 0,
                data: &VALUES,
            }),
        ),
        (
            "CREDIT",
            Message::Credit(Credit {
                granted: 12_288,
                received: 4096,
            }),
        ),
        ("LOG", Message::Log(&[0x55, 0xAA])),
        (
            "FAULT",
            Message::Fault(Fault {
                code: 4,
                pc: 0x8100,
                address: 0x2000_0000,
                text: "data abort",
            }),
        ),
        ("QPU_RESULT", Message::QpuResult(79)),
        (
            "STATUS",
            Message::Status(Status {
                state: State::Streaming,
                engine: Engine::Cpu,
                counters: Counters {
                    overruns: 1,
                    clipped: 2,
                    dropped: 3,
                    ..Counters::default()
                },
                line_errors: 4,
            }),
        ),
        (
            "JOB_BLOCK",
            Message::JobBlock(JobBlock {
                address: 0xC100_0000,
                bytes: 8192,
                launch_order: std::array::from_fn(|qpu| qpu as u8),
            }),
        ),
        (
            "JOB_WORDS",
            Message::JobWords(JobWords::new(16, &[1, 0, 0, 0, 2, 0, 0, 0])),
        ),
        (
            "PROOF",
            Message::Proof(Proof {
                plan: PlanName {
                    log2n: 12,
                    kind: PlanKind::RealI16,
                    conservative: true,
                },
                verdict: Verdict::Wrong,
                error_ppb: 1_000_000,
                qpu_us: 79,
            }),
        ),
        (
            "MEASURED",
            Message::Measured(Measured::new(
                3,
                39,
                1500,
                "recovery",
                &[2, 0, 0, 0, 1, 0, 0, 0],
            )),
        ),
    ]
}

#[test]
fn every_message_has_an_example_that_is_encoded_and_decoded() {
    let mut documented = examples();
    let mut launches = [0; 12];
    let (requests, answers) = (requests(&mut launches), answers());
    for (name, message) in requests.iter().chain(&answers) {
        let (kind, payload) = documented
            .remove(name)
            .unwrap_or_else(|| panic!("PROTOCOL.md has no section ### {name}"));
        assert_eq!(message.kind(), kind, "{name}");
        let mut out = [0; MAX_PAYLOAD];
        let length = message.encode(&mut out).expect("it fits");
        assert_eq!(hex(&out[..length]), hex(&payload), "{name}");
        assert_eq!(Message::decode(kind, &payload), Ok(*message), "{name}");
    }
    assert!(documented.is_empty(), "no message for {documented:?}");
}

#[test]
fn every_kind_that_is_known_is_in_the_document() {
    let documented = examples();
    for kind in (0..=u8::MAX).map(Kind) {
        let is_known = Message::decode(kind, &[]) != Err(PayloadError::UnknownKind);
        let section = documented.iter().find(|(_, (it, _))| *it == kind);
        assert_eq!(is_known, section.is_some(), "kind {:02X}", kind.0);
        if let Some((name, _)) = section
            && kind.is_request()
        {
            let row = format!("| {:02X} | `{name}`", kind.0);
            assert!(DOCUMENT.contains(&row), "the table of requests has {row}");
        }
    }
}

/// A frame without the zero bytes around it.
fn without_zeros(line: &[u8]) -> &[u8] {
    &line[1..line.len() - 1]
}

/// The cells of a table's row whose first cell is `name`, without empty ones.
fn row(name: &str) -> Vec<&'static str> {
    let start = format!("| {name} |");
    let line = DOCUMENT.lines().find(|line| line.starts_with(&start));
    let cells = line.unwrap_or_else(|| panic!("a row {name}"))[start.len()..].split('|');
    cells
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
        .collect()
}

#[test]
fn every_code_of_a_byte_is_in_the_document() {
    for (name, count) in [
        ("domain", Domain::ALL.len()),
        ("window", Window::ALL.len()),
        ("averaging", Averaging::ALL.len()),
        ("detector", Detector::ALL.len()),
        ("dc", Dc::ALL.len()),
        ("unit", Unit::ALL.len()),
        ("encoding", Encoding::ALL.len()),
        ("source", Source::ALL.len()),
        ("engine", Engine::ALL.len()),
        ("sample format", SampleFormat::UPLOADED.len()),
        ("state", State::ALL.len()),
        ("reset cause", ResetCause::ALL.len()),
        ("kind of plan", PlanKind::ALL.len()),
        ("verdict", Verdict::ALL.len()),
    ] {
        assert_eq!(row(name).len(), count, "{name}");
    }
    for (code, name) in [
        (NakCode::UNKNOWN_REQUEST, "UNKNOWN_REQUEST"),
        (NakCode::BAD_PAYLOAD, "BAD_PAYLOAD"),
        (NakCode::UNKNOWN_SETTING, "UNKNOWN_SETTING"),
        (NakCode::BAD_VALUE, "BAD_VALUE"),
        (NakCode::WRONG_STATE, "WRONG_STATE"),
        (NakCode::GAP, "GAP"),
        (NakCode::NO_CREDIT, "NO_CREDIT"),
        (NakCode::CHECKSUM, "CHECKSUM"),
        (NakCode::BAUD, "BAUD"),
        (NakCode::NOT_AVAILABLE, "NOT_AVAILABLE"),
        (NakCode::QPU_FAILED, "QPU_FAILED"),
        (NakCode::NO_MEMORY, "NO_MEMORY"),
    ] {
        let row = format!("\n| {} | `{name}` | ", code.0);
        assert!(DOCUMENT.contains(&row), "{row}");
    }
}

/// The frame that an encoder makes of a message as its first.
fn frame(envelope: Envelope, message: &Message) -> Vec<u8> {
    let (mut scratch, mut out) = ([0; MAX_PAYLOAD], [0; MAX_FRAME]);
    let length = Encoder::new().message(envelope, message, &mut scratch, &mut out);
    out[..length.expect("it fits")].to_vec()
}

/// The message of the only frame of `line`.
fn only_frame(line: &[u8], check: impl FnOnce(Message)) {
    let mut decoder = Decoder::new();
    let mut check = Some(check);
    for byte in line {
        match decoder.push(*byte) {
            Some(Item::Frame(header, payload)) => {
                let message = Message::decode(header.kind, payload).expect("a message");
                check.take().expect("one frame")(message);
            }
            other => assert_eq!(other, None),
        }
    }
    assert!(check.is_none(), "no frame in {}", hex(line));
}

#[test]
fn dumps_of_frames_are_encoded_and_decoded() {
    let dumps = dumps();
    let envelope = Envelope {
        request: 7,
        ..Envelope::default()
    };
    let later = Envelope {
        time_us: 1_000_000,
        ..envelope
    };
    let log = [0x55; 250];
    let frames = [
        (envelope, Message::Ping(258)),
        (later, Message::Nak(NakCode::BAD_VALUE, "n")),
        (Envelope::default(), Message::Log(&log)),
    ];
    for ((envelope, message), dump) in frames.into_iter().zip(&dumps) {
        assert_eq!(hex(&frame(envelope, &message)), hex(dump), "{message:?}");
        only_frame(dump, |decoded| assert_eq!(decoded, message));
    }
    // The last dump is a payload.
    let [without_flags] = &dumps[frames.len()..] else {
        panic!("there are {} dumps", dumps.len());
    };
    let chunk = Message::Spectrum(Chunk {
        head: RecordHead {
            replaced: false,
            doubt: None,
            duty_ppm: None,
            counters: Counters {
                overruns: 1,
                left_out: 0,
                ..record().counters
            },
            ..record()
        },
        offset: 0,
        data: &VALUES,
    });
    let mut out = [0; MAX_PAYLOAD];
    let length = chunk.encode(&mut out).expect("it fits");
    assert_eq!(hex(&out[..length]), hex(without_flags));
    assert_eq!(Message::decode(Kind::SPECTRUM, without_flags), Ok(chunk));
}

#[test]
fn the_header_and_the_checksum_are_as_documented() {
    let (_, behind) = DOCUMENT.split_once("# Frame\n").expect("a heading");
    let mut lines = behind.lines().skip_while(|line| *line != LAYOUT).skip(1);
    let mut raw = example(&mut lines);
    assert_eq!(raw.len(), HEADER_BYTES);
    assert_eq!(raw[..2], [0xB0 + VERSION_MAJOR, VERSION_MINOR]);
    let version = format!("# The serial protocol, version {VERSION_MAJOR}.{VERSION_MINOR}\n");
    assert!(DOCUMENT.starts_with(&version), "{version}");
    raw.extend(258u64.to_le_bytes());
    raw.extend(crc32(&raw).to_le_bytes());
    let mut line = vec![0; 64];
    let length = cobs::encode(&raw, &mut line);
    assert_eq!(hex(&line[..length]), hex(without_zeros(&dumps()[0])));
    assert!(DOCUMENT.contains(&format!("{:#010X}", crc32(b"123456789")).replace("0X", "0x")));
}

/// The table of runs of 253 and 254 bytes; and the group that other encoders write behind them.
#[test]
fn runs_of_254_bytes_end_as_documented() {
    let run = [0x41; 254];
    let full = [&[0xFF], &run[..]].concat();
    for (frame, line) in [
        (run[..253].to_vec(), [&[0xFE], &run[..253]].concat()),
        (run.to_vec(), full.clone()),
        (
            [&run[..], &[0x55]].concat(),
            [&full[..], &[2, 0x55]].concat(),
        ),
        ([&run[..], &[0]].concat(), [&full[..], &[1, 1]].concat()),
    ] {
        let mut out = vec![0; 300];
        let length = cobs::encode(&frame, &mut out);
        assert_eq!(hex(&out[..length]), hex(&line));
    }
    let mut line = dumps()[2].clone();
    line.insert(line.len() - 1, 1);
    only_frame(&line, |message| {
        assert_eq!(message, Message::Log(&[0x55; 250]))
    });
}
