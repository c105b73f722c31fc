//! The serial protocol between the instrument and its host: the specification.
//!
//! This text is normative; the code is one implementation of it, and the dumps below are run as
//! tests. 8 data bits, no parity, one stop bit; 115,200 baud after every start of the board. All
//! numbers are little-endian, floating-point numbers IEEE 754, text UTF-8 behind a u16 that counts
//! its bytes.
//!
//! # Line
//!
//! Zero bytes cut the line into segments; empty segments mean nothing. A segment is
//!
//! * a **frame**, when it undoes by COBS (Cheshire and Baker, 1999) to a header, a payload and a
//!   checksum that agree; or else
//! * **text**, when all its bytes are printable ASCII, tab, CR or LF. Receivers may show it line by
//!   line before the zero byte comes. No frame can look like text, since its second byte is 0xB1;
//! * or else **damaged**: noise, or a frame that the line has hurt. It is dropped and counted.
//!
//! A sender writes a zero byte before and behind each frame, and a zero byte before text that may
//! follow a broken frame (the banner, a fault).
//!
//! # Frame
//!
//! | at | bytes | field |
//! |---|---|---|
//! | 0 | 1 | 0xB0 + major version; this is 1. Another major version is refused |
//! | 1 | 1 | minor version; this is 2. Kinds, flags and fields behind the known ones are ignored when unknown |
//! | 2 | 1 | kind ([`Kind`]); below 0x80 to the instrument, others from it |
//! | 3 | 1 | flags, 0 |
//! | 4 | 2 | stream, chosen by the host with an upload, otherwise 0 |
//! | 6 | 2 | request that this is or answers; 0: none |
//! | 8 | 4 | sequence: frames of this sender since it started |
//! | 12 | 8 | time of the instrument in microseconds since it started; 0 from a host |
//! | 20 | 2 | payload bytes, at most 4096 |
//! | 22 | n | payload |
//! | 22 + n | 4 | CRC-32/ISO-HDLC of all before |
//!
//! A ping with request 7, the first frame of a host:
//!
//! ```
//! let dump = "00 04 b1 02 02 01 01 02 07 01 01 01 01 01 01 01 01 01 01 01 01 02 08 \
//!             03 02 01 01 01 01 01 01 05 11 46 2a 9f 00";
//! # use wire::*;
//! # let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ");
//! let mut scratch = [0; MAX_PAYLOAD];
//! let mut out = [0; MAX_FRAME];
//! let envelope = Envelope { request: 7, ..Envelope::default() };
//! let length = Encoder::new().message(envelope, &Message::Ping(0x0102), &mut scratch, &mut out)?;
//! assert_eq!(hex(&out[..length]), dump);
//!
//! let mut decoder = Decoder::new();
//! let items = out[..length].iter().filter(|byte| match decoder.push(**byte) {
//!     Some(Item::Frame(header, payload)) => {
//!         assert_eq!((header.request, header.sequence), (7, 0));
//!         Message::decode(header.kind, payload) == Ok(Message::Ping(0x0102))
//!     }
//!     other => other.is_some(),
//! });
//! assert_eq!(items.count(), 1);
//! # Ok::<(), PayloadError>(())
//! ```
//!
//! # Requests
//!
//! A request that carries a number other than 0 is answered with the same number: by the kind named
//! below, or by `ACK` (a remark as text) or `NAK` (u16 [`NakCode`], an English sentence that says
//! what to do). Requests are idempotent: a host that sees no answer sends the request again.
//! Of bytes that are no intact frame a `NAK` ([`NakCode::BAD_PAYLOAD`]) with number 0 tells, at most twice a second: it answers
//! no request, and refuses none.
//! Any byte from the host ends the stream that an instrument starts by itself after its self-test.
//!
//! | kind | payload | answer |
//! |---|---|---|
//! | `HELLO` 01 | text: host program and version | `INFO` ([`Info`]) |
//! | `PING` 02 | u64 | `PONG` 82: the same u64; the header has the time |
//! | `GET` 03 | text: empty or `all`, `capabilities`, or names | `SETTINGS` 83: text, `key=value` lines |
//! | `SET` 04 | text: `key=value` words, all or none are taken | `ACK` |
//! | `START` 05 | - | `ACK`, then descriptor and spectra of the generator |
//! | `STOP` 06 | - | `ACK`; the record under way is sent to its end first |
//! | `REBOOT` 07 | - | `ACK`, then the watchdog restarts the board |
//! | `BAUD` 08 | u32 | `ACK` at the old rate; see below |
//! | `UPLOAD_BEGIN` 09 | u8 format, u8 domain, u64 / u64 rate, u64 samples (0: not known) | `ACK`, then `CREDIT` |
//! | `UPLOAD_DATA` 0A | u64 index of the first sample, samples | none, or `NAK` |
//! | `UPLOAD_END` 0B | u64 samples, u32 CRC-32 of all their bytes | `ACK` behind the last spectrum |
//! | `RUN_QPU` 0C | [`RunQpu`] | `QPU_RESULT` 8B: u32 microseconds, output words |
//! | `JOB_MEMORY` 0D | u32 bytes, a multiple of 4 | `JOB_BLOCK` 8D ([`JobBlock`]) |
//! | `JOB_WRITE` 0E | [`JobWords`] | `ACK` |
//! | `JOB_READ` 0F | u32 first word, u16 words (at most 1008) | `JOB_WORDS` 8E ([`JobWords`]) |
//! | `RUN_JOB` 10 | [`RunJob`] | `QPU_RESULT` 8B: u32 microseconds |
//! | `PROVE` 11 (from 1.2 on) | [`PlanName`] | `PROOF` 8F ([`Proof`]) |
//! | `MEASURE` 12 | u8 number of a microbenchmark | `MEASURED` 90 ([`Measured`]) |
//!
//! **Baud.** 9,600 is the lowest rate that is taken. The `ACK` leaves at the old rate; after its
//! last bit the instrument changes. The host then changes and sends any frame, best a `PING`,
//! within 500 ms; otherwise, or on a break, the instrument goes back to the rate before (after a
//! break: to 115,200).
//!
//! **Upload.** `CREDIT` 88 has u64 granted, u64 received, in samples from the start: samples before
//! `granted` may be sent, samples before `received` have come without a gap. When data is missing,
//! the instrument sends one `NAK` ([`NakCode::GAP`]) and a credit, and drops data until the sample
//! at `received` comes. Credits are repeated twice a second while an upload waits. Samples are
//! transformed as they come, so an upload may be longer than the instrument's memory.
//!
//! **Jobs.** A host that makes QPU jobs of its own asks for a block of the QPUs' memory, writes programs,
//! uniforms and data into it, runs launches of programs and reads what they have left. `JOB_MEMORY` gives back the
//! block that was there before; so does all that computes spectra, after which the host is refused and asks for another. 0 bytes
//! give it back and are answered by a block of none.
//! Every write is in RAM when it is acknowledged; V3D's caches are cleared as launches say.
//!
//! **Microbenchmarks.** The image has programs whose times tell one constant of V3D each. `MEASURE` runs one of them; the numbers
//! go from 0 to one less than the answer says. It needs no permission, because no code is sent. It is refused while spectra are computed.
//! A board that does not know the request answers `NAK` with [`NakCode::UNKNOWN_REQUEST`].
//! The words of the answer are by name: of times in microseconds (all names but two) operations of a repetition, few repetitions, many
//! repetitions, then as many times with few as with many, first those with few; of `reservations` a bit for each QPU on which a program
//! ran while all others were reserved; of `recovery` how a program that does not end was ended (0: not known, 1: by a reset of V3D, 2: by taking
//! its power away), whether the next program ran, and how long the endless one was let run in microseconds.
//!
//! **Clocks and start.** `GET` of `clocks` is answered by the clocks at that moment, and of `boot` by the times of the start:
//!
//! | line | values |
//! |---|---|
//! | `clock-arm`, `clock-core`, `clock-v3d`, `clock-uart` | Hz as the firmware of the board states it, Hz as it measures it; 0: no answer |
//! | `temperature` | thousandths of a degree Celsius; 0: no answer |
//! | `boot` | microseconds from the reset of the system timer to the first instruction behind the stacks, to the first line of text, to the end of V3D's power-up, and to the first spectrum; 0: not yet |
//!
//! # Records
//!
//! A `DESCRIPTOR` 86 ([`Descriptor`]) is sent when it changes and once a second while spectra are
//! sent, so that a listener who comes late can read them within a second. A spectrum travels in
//! `SPECTRUM` 87 chunks, in order:
//!
//! | at | bytes | field |
//! |---|---|---|
//! | 0 | 2 | where data begins in this payload: 58, or 74 with samples in doubt; later versions may add more |
//! | 2 | 4 | record number, from 0; numbers left out are records dropped whole |
//! | 6 | 4 | index of the first value here |
//! | 10 | 4 | values in the record |
//! | 14 | 4 | id of the descriptor |
//! | 18 | 1 | encoding: 0 f32 linear power, 1 u16, 2 u8 |
//! | 19 | 1 | engine that computed it: 0 CPU, 1 QPU |
//! | 20 | 1 | bit 0: the QPUs failed and the CPU computed it instead; from 1.2 on bit 1: the fastest plan was dropped on this board, and another computed it; bit 2: samples are in doubt |
//! | 21 | 1 | 0 |
//! | 22 | 4 | blocks averaged |
//! | 26 | 8 | index of the first sample |
//! | 34 | 24 | [`Counters`]: overruns, clipped, dropped, clamped, QPU us, CPU us |
//! | 58 | 16 | with bit 2 only: index of the first sample in doubt, and of the first behind them ([`Doubt`]) |
//! | 58 or 74 | n | values |
//!
//! **Doubt.** The instrument checks while it streams what the QPUs compute: energy in one block of 64, and every ten seconds
//! each bin of a block. When a check fails it drops the plan, goes on with another one that has passed its test, and
//! marks each record of the stream from then on. Results of the samples between both indices, which earlier records or
//! this one hold, may be wrong: a host throws them away or marks them.
//!
//! u16 and u8 values are levels: `raw * scale + offset` decibels, scale and offset from the
//! descriptor; the highest raw value never occurs, so receivers can use it for what was lost.
//! Levels are power relative to a full-scale sine on a bin: an amplitude of 1 (real) or a
//! magnitude of 1 (complex) reads 0 dB in every window. Real spectra are one-sided: bins 1 to
//! N/2 - 1 have the power of both sides, bins 0 and N/2 have twice their own, so that
//! a constant of 1 reads +3.01 dB, having twice the power of that sine.
//!
//! ```
//! let dump = "3a 00 05 00 00 00 00 00 00 00 03 00 00 00 02 00 00 00 01 01 00 00 08 00 00 00 \
//!             00 10 00 00 00 00 00 00 01 00 00 00 02 00 00 00 03 00 00 00 04 00 00 00 \
//!             f4 01 00 00 58 02 00 00 40 9c 00 00 fe ff";
//! # use wire::*;
//! let payload: Vec<u8> = dump.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
//! let counters = Counters { overruns: 1, clipped: 2, dropped: 3, clamped: 4, qpu_us: 500, cpu_us: 600 };
//! let head = RecordHead {
//!     record: 5, total: 3, descriptor: 2, encoding: Encoding::U16, engine: Engine::Qpu,
//!     fallback: false, replaced: false, doubt: None, blocks: 8, first_sample: 4096, counters,
//! };
//! let chunk = Chunk { head, offset: 0, data: &[0x40, 0x9c, 0, 0, 0xfe, 0xff] };
//! assert_eq!(Message::decode(Kind::SPECTRUM, &payload), Ok(Message::Spectrum(chunk)));
//! let mut out = [0; MAX_PAYLOAD];
//! let length = Message::Spectrum(chunk).encode(&mut out)?;
//! assert_eq!(out[..length], payload);
//! # Ok::<(), PayloadError>(())
//! ```
//!
//! The same value alone, where samples 4096 to 8191 are in doubt and the plan was replaced:
//!
//! ```
//! # use wire::*;
//! let dump = "4a 00 05 00 00 00 00 00 00 00 01 00 00 00 02 00 00 00 01 01 06 00 08 00 00 00 \
//!             00 10 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 \
//!             00 00 00 00 00 00 00 00 00 10 00 00 00 00 00 00 00 20 00 00 00 00 00 00 40 9c";
//! # let payload: Vec<u8> = dump.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect();
//! let head = RecordHead {
//!     record: 5, total: 1, descriptor: 2, encoding: Encoding::U16, engine: Engine::Qpu,
//!     fallback: false, replaced: true, doubt: Some(Doubt { from: 4096, until: 8192 }), blocks: 8,
//!     first_sample: 4096, counters: Counters::default(),
//! };
//! let chunk = Chunk { head, offset: 0, data: &[0x40, 0x9c] };
//! assert_eq!(Message::decode(Kind::SPECTRUM, &payload), Ok(Message::Spectrum(chunk)));
//! let mut out = [0; MAX_PAYLOAD];
//! let length = Message::Spectrum(chunk).encode(&mut out)?;
//! assert_eq!(out[..length], payload);
//! # Ok::<(), PayloadError>(())
//! ```
//!
//! # Payload layouts
//!
//! Fields lie without gaps, in this order; `text` is a u16 length and its bytes.
//!
//! | kind | fields |
//! |---|---|
//! | `DESCRIPTOR` | u32 id; u64 / u64 sample rate in Hz; u32 N; u8 domain, window, averaging, unit, encoding, source, engine; f64 ENBW in bins; f64 coherent gain; u32 overlap in samples; u32 blocks averaged (0: all of an upload); i32 first bin; u32 bins; f64 centre in Hz; f32 scale, offset in dB; u32 board revision; u32 clocks of ARM, core, V3D, UART in Hz (0: not known); text firmware version; text board; from version 1.1 on: u8 detector, dc; u16 β of Kaiser's window in thousandths, at most 30,000, else 0 |
//! | `INFO` | u8 engine, state, reset cause; u32 board revision; u32 memory in bytes; u32 clocks as above; u32 baud; text firmware version; text board; text capabilities, `key=value` lines |
//! | `STATUS` | u8 state, engine; u32 overruns, clipped, dropped, clamped, QPU us, CPU us; u32 damaged segments received |
//! | `RUN_QPU` | u8 programs (1 to 12); u8 output uniform, index uniform (255: none); u16 output words (at most 1008); u32 limit in us (at most 1,000,000); u16 instructions, uniforms; u64 each instruction; u32 each uniform |
//! | `JOB_BLOCK` | u32 bus address, bytes; 12 times u8, QPUs in the order in which free ones get programs |
//! | `MEASURED` | u8 number, of how many; u32 microseconds that all of it took; text name; u8 words (at most 64); u32 each word |
//! | `JOB_WRITE`, `JOB_WORDS` | u32 first word of the block; u32 each word |
//! | `PROVE` | u8 points as a power of two; u8 kind (0: complex transform, 1: powers of real samples in f32, 2: of I/Q in f32, 3: of real i16, 4: of I/Q in u8); u8 plan (0: fastest, 1: conservative) |
//! | `PROOF` | the three bytes of `PROVE`; u8 verdict (0: right, 1: wrong, 2: it failed, 3: there is no such plan); u32 error in parts of 10^9 (all ones: not known); u32 us on the QPUs |
//! | `RUN_JOB` | u32 number, limit in us (at most 1,000,000); u8 launches (1 to 16); of each u8 clear (0: nothing, 1: caches of data, 2: of instructions too), u16 QPUs (a bit each that may be used, the lowest for QPU 0), u8 programs (1 to 12), and of each program u32 bus address of code, of uniforms |
//!
//! The value at index i of a spectrum is bin first + i, at `centre + bin * rate / N` hertz. In
//! `RUN_QPU` the output uniform is replaced by the address of the output, the index uniform by the
//! number of the program.
//!
//! | code | 0 | 1 | 2 | 3 | 4 | 5 |
//! |---|---|---|---|---|---|---|
//! | domain | real | complex | | | | |
//! | window | rectangular | Hann | Hamming | Blackman-Harris | flat-top | Kaiser (from 1.1 on) |
//! | averaging | none | linear | all | | | |
//! | detector | mean | greatest | least | | | |
//! | dc | kept | taken away | | | | |
//! | unit | dBFS | dB re 1 of the samples' unit | | | | |
//! | encoding | f32 | u16 | u8 | | | |
//! | source | generator | upload | | | | |
//! | engine | CPU | QPU | | | | |
//! | sample format | u8, (x - 127.5) / 127.5 | i16, x / 32768 | f32 | | | |
//! | state | idle | streaming | uploading | | | |
//! | reset cause | power on | reboot command | fault | watchdog | | |
//!
//! The detector says what becomes of the blocks that `averaging` counts. A descriptor of version 1.0
//! ends behind the board's name: its detector is the mean, and dc is kept.
//!
//! The descriptor of an hourly series of 4096 points, the same as version 1.0 had it, and with a Kaiser
//! window of β = 8.6, the greatest of all blocks and no dc; a status, and 12 QPUs that run one
//! instruction with a place for 16 words:
//!
//! ```
//! # use wire::*;
//! # let bytes = |dump: &str| -> Vec<u8> {
//! #     dump.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()).collect()
//! # };
//! # let check = |message: Message, dump: &str| {
//! #     let mut out = [0; MAX_PAYLOAD];
//! #     let length = message.encode(&mut out).unwrap();
//! #     assert_eq!(out[..length], bytes(dump));
//! #     assert_eq!(Message::decode(message.kind(), &out[..length]), Ok(message));
//! # };
//! let clocks = Clocks {
//!     arm_hz: 700_000_000, core_hz: 250_000_000, v3d_hz: 250_000_000, uart_hz: 48_000_000,
//! };
//! let descriptor = Descriptor {
//!     id: 2, rate: Rate { num: 1, den: 3600 }, n: 4096, domain: Domain::Real,
//!     window: Window::Hann, enbw_bins: 1.5, coherent_gain: 0.5, overlap: 2048,
//!     averaging: Averaging::All, average_count: 0, first_bin: 0, bins: 2049, centre_hz: 0.0,
//!     unit: Unit::DbReUnit, encoding: Encoding::U16, scale: 0.01, offset: -400.0,
//!     source: Source::Upload, engine: Engine::Qpu, board_revision: 0x0e, clocks,
//!     firmware: Name::new("0.1.0"), board: Name::new("Raspberry Pi 1 B"),
//!     detector: Detector::Mean, dc: Dc::Keep,
//! };
//! let version_1_0 = "
//!     02 00 00 00 01 00 00 00 00 00 00 00 10 0e 00 00 00 00 00 00 00 10 00 00 00 01 02 01
//!     01 01 01 00 00 00 00 00 00 f8 3f 00 00 00 00 00 00 e0 3f 00 08 00 00 00 00 00 00 00
//!     00 00 00 01 08 00 00 00 00 00 00 00 00 00 00 0a d7 23 3c 00 00 c8 c3 0e 00 00 00 00
//!     27 b9 29 80 b2 e6 0e 80 b2 e6 0e 00 6c dc 02 05 00 30 2e 31 2e 30 10 00 52 61 73 70
//!     62 65 72 72 79 20 50 69 20 31 20 42";
//! check(Message::Descriptor(descriptor), &format!("{version_1_0} 00 00 00 00"));
//! let older = bytes(version_1_0);
//! assert_eq!(Message::decode(Kind::DESCRIPTOR, &older)?, Message::Descriptor(descriptor));
//! let others = Descriptor {
//!     window: Window::from_name("kaiser:8.6").unwrap(), enbw_bins: 1.625, coherent_gain: 0.4375,
//!     detector: Detector::Max, dc: Dc::Remove, ..descriptor
//! };
//! check(Message::Descriptor(others), "
//!     02 00 00 00 01 00 00 00 00 00 00 00 10 0e 00 00 00 00 00 00 00 10 00 00 00 05 02 01
//!     01 01 01 00 00 00 00 00 00 fa 3f 00 00 00 00 00 00 dc 3f 00 08 00 00 00 00 00 00 00
//!     00 00 00 01 08 00 00 00 00 00 00 00 00 00 00 0a d7 23 3c 00 00 c8 c3 0e 00 00 00 00
//!     27 b9 29 80 b2 e6 0e 80 b2 e6 0e 00 6c dc 02 05 00 30 2e 31 2e 30 10 00 52 61 73 70
//!     62 65 72 72 79 20 50 69 20 31 20 42 01 01 98 21");
//! let counters = Counters { overruns: 1, clipped: 2, dropped: 3, ..Counters::default() };
//! let status = Status { state: State::Streaming, engine: Engine::Cpu, counters, line_errors: 4 };
//! check(Message::Status(status), "
//!     01 00 01 00 00 00 02 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 04 00
//!     00 00");
//! let code = 0x3000_09e7_009e_7000u64.to_le_bytes();
//! let mut run = RunQpu::new(&code, &[0, 0, 0, 0, 7, 0, 0, 0], 1000);
//! (run.programs, run.output_uniform, run.output_words) = (12, 0, 16);
//! check(Message::RunQpu(run), "
//!     0c 00 ff 10 00 e8 03 00 00 01 00 02 00 00 70 9e 00 e7 09 00 30 00 00 00 00 07 00 00
//!     00");
//! check(Message::JobWrite(JobWords::new(16, &[1, 0, 0, 0])), "10 00 00 00 01 00 00 00");
//! let mut launches = [0; 12];
//! let program = JobProgram { code: 0xc100_0000, uniforms: 0xc100_0200 };
//! RunJob::put_launch(JobClear::All, 0x0fff, &[program], &mut launches)?;
//! check(Message::RunJob(RunJob::new(5, 1000, &launches)?), "
//!     05 00 00 00 e8 03 00 00 01 02 ff 0f 01 00 00 00 c1 00 02 00 c1");
//! let plan = PlanName { log2n: 12, kind: PlanKind::RealI16, conservative: true };
//! check(Message::Prove(plan), "0c 03 01");
//! let proof = Proof { plan, verdict: Verdict::Wrong, error_ppb: 1_000_000, qpu_us: 79 };
//! check(Message::Proof(proof), "0c 03 01 01 40 42 0f 00 4f 00 00 00");
//! check(Message::Measure(3), "03");
//! let words = [2, 0, 0, 0, 1, 0, 0, 0];
//! check(Message::Measured(Measured::new(3, 39, 1500, "recovery", &words)), "
//!     03 27 dc 05 00 00 08 00 72 65 63 6f 76 65 72 79 02 02 00 00 00 01 00 00 00");
//! # Ok::<(), PayloadError>(())
//! ```
//!
//! # Other messages from the instrument
//!
//! `LOG` 89: bytes of its defmt stream. `FAULT` 8A: u16 code, u32 pc, u32 address, text; readable
//! text follows. `STATUS` 8C ([`Status`]): once a second while no spectra are sent, after the host
//! has spoken. A refusal, request 7, at one second:
//!
//! ```
//! let dump = "00 04 b1 01 85 01 01 02 07 01 01 01 01 04 40 42 0f 01 01 01 01 02 05 \
//!             02 04 02 01 06 6e f4 1d 97 34 00";
//! # use wire::*;
//! let mut decoder = Decoder::new();
//! let mut found = false;
//! for byte in dump.split_whitespace().map(|b| u8::from_str_radix(b, 16).unwrap()) {
//!     if let Some(Item::Frame(header, payload)) = decoder.push(byte) {
//!         assert_eq!((header.request, header.time_us), (7, 1_000_000));
//!         assert_eq!(Message::decode(header.kind, payload)?, Message::Nak(NakCode::BAD_VALUE, "n"));
//!         found = true;
//!     }
//! }
//! assert!(found);
//! # Ok::<(), PayloadError>(())
//! ```
//!
//! # Typed by hand
//!
//! The instrument also understands lines of text, for whoever has only a terminal: `help`, `info`,
//! `get`, `start`, `stop`, `plot`, `reboot`, and `key=value` words as in `SET`. It answers in text, and
//! with `out=text` sends its strongest lines as text instead of frames. `plot` draws the last record,
//! while streaming the next where there is none yet, as 20 lines of text.
//!
//! With `out=text` only a host that sent the last frame gets frames that answer no request: a
//! terminal sees no descriptor, no status and no log. After a typed line it gets them, with other
//! settings of `out` too, while records are sent only.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

pub mod fuzz;

mod codes;
mod cursor;
mod decoder;
mod descriptor;
mod error;
mod frame;
mod job;
mod measured;
mod message;
mod name;
mod proof;
mod spectrum;
mod window;

pub use codes::{
    Averaging, Dc, Detector, Domain, Encoding, Engine, NakCode, ResetCause, SampleFormat, Source,
    State, Unit,
};
pub use decoder::{Damage, Decoder, Item, LineCounters, TEXT_PIECE};
pub use descriptor::{Clocks, Descriptor, Info, Rate};
pub use error::PayloadError;
pub use frame::{
    CRC_BYTES, Crc32, Encoder, Envelope, HEADER_BYTES, Header, Kind, MAX_ENCODED, MAX_FRAME,
    MAX_PAYLOAD, VERSION_MAJOR, VERSION_MINOR, crc32,
};
pub use job::{JobBlock, JobClear, JobLaunch, JobProgram, JobPrograms, JobWords, RunJob};
pub use measured::Measured;
pub use message::{Credit, Fault, Message, QpuResult, RunQpu, Status, UploadBegin};
pub use name::Name;
pub use proof::{PlanKind, PlanName, Proof, Verdict};
pub use spectrum::{
    Assembled, Assembler, CHUNK_HEAD_BYTES, Chunk, Counters, Doubt, MAX_CHUNK_DATA, Record,
    RecordHead, Value,
};
pub use window::{Beta, Window};
