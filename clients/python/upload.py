#!/usr/bin/env python3
"""Sends the samples of a raw file to a qpuscope; prints a JSON object for each spectrum.

Written from kernel/wire/PROTOCOL.md alone, with the standard library only."""
import argparse, json, math, os, random, re, select, socket, struct, sys, termios, time, zlib
from fractions import Fraction

HEADER, DESCRIPTOR, HEAD = map(struct.Struct, ["<BBBBHHIQH", "<IQQI7BddIIiIdff", "<HIIIIBBBBIQ6I"])
ENCODINGS, FORMATS = {0: "<f", 1: "<H", 2: "B"}, {"u8": (0, 1), "i16": (1, 2), "f32": (2, 4), "i32": (3, 4), "u8-high": (4, 2)}
HELLO, SET, STOP, BEGIN, DATA, END, BAD_PAYLOAD, GAP, NO_CREDIT = 1, 4, 6, 9, 10, 11, 2, 6, 7
NAK, DESCRIBED, SPECTRUM, CREDIT, STATUS = 0x85, 0x86, 0x87, 0x88, 0x8C
ANSWER, STALLED, SILENCE, REPEATS, DATA_BYTES = 0.5, 2, 5, 60, 1024


def opened(name):
    """A file descriptor for both directions."""
    if name.startswith("tcp:"):
        return socket.create_connection(name[4:].rsplit(":", 1)).detach()
    line, control = os.open(name, os.O_RDWR | os.O_NOCTTY), termios.CS8 | termios.CREAD | termios.CLOCAL
    characters = [b"\1"] * len(termios.tcgetattr(line)[6])
    termios.tcsetattr(line, termios.TCSANOW, [0, 0, control, 0, termios.B115200, termios.B115200, characters])
    return line


def stuff(raw):
    """COBS. A group ends before a zero or behind 254 bytes; the end of the frame counts as a zero."""
    groups = re.findall(rb"[^\0]{254}(?:\0\Z)?|[^\0]{0,253}\0", raw + b"\0")
    return b"".join(bytes([len(group.rstrip(b"\0")) + 1]) + group.rstrip(b"\0") for group in groups)


def unstuff(segment):
    """Undoes COBS. What is no COBS comes out as something whose checksum is wrong."""
    out = b""
    while segment:
        code, zero = segment[0], b"\0" if segment[0] < min(255, len(segment)) else b""
        out, segment = out + segment[1:code] + zero, segment[code:]
    return out


class Board:
    def __init__(self, line):
        self.line, self.rest, self.stream = line, b"", random.randrange(1, 1 << 16)
        self.sequence = self.request = self.granted = self.received = self.repeats = self.lost = self.spectra = 0
        self.gap, self.credited, self.expected, self.descriptors, self.record = False, False, None, {}, None
        self.heard = self.moved = time.monotonic()

    def send(self, kind, payload, request=0):
        header = HEADER.pack(0xB1, 0, kind, 0, self.stream, request, self.sequence, 0, len(payload))
        self.sequence = (self.sequence + 1) % (1 << 32)
        data = b"\0" + stuff(header + payload + zlib.crc32(header + payload).to_bytes(4, "little")) + b"\0"
        while data:
            data = data[os.write(self.line, data) :]

    def receive(self, wait):
        """Takes in what comes; returns the numbers of requests that are answered."""
        answers, data = set(), b""
        if select.select([self.line], [], [], wait)[0]:
            data = os.read(self.line, 65536) or sys.exit("the line was closed")
            self.heard = time.monotonic()
        *segments, self.rest = (self.rest + data).split(b"\0")
        for raw in map(unstuff, segments):
            if len(raw) < 26 or raw[0] != 0xB1 or zlib.crc32(raw[:-4]) != int.from_bytes(raw[-4:], "little"):
                continue
            (_, _, kind, _, stream, request, sequence, _, _), payload = HEADER.unpack_from(raw), raw[22:-4]
            self.lost, self.expected = self.lost + (sequence - (self.expected or sequence)) % (1 << 32), sequence + 1
            self.moved = self.moved if kind in (CREDIT, STATUS, DESCRIBED) else self.heard
            code = int.from_bytes(payload[:2], "little")
            if kind == NAK and code in (GAP, NO_CREDIT):
                self.gap, self.credited = True, False
            elif kind == NAK and (request or code != BAD_PAYLOAD):
                sys.exit(payload[4:].decode())
            elif kind == CREDIT and stream == self.stream:
                self.credited, (self.granted, received) = True, struct.unpack_from("<QQ", payload)
                if received > self.received:
                    self.received, self.repeats, self.moved = received, 0, self.heard
            elif kind == DESCRIBED:
                self.descriptors[int.from_bytes(payload[:4], "little")] = DESCRIPTOR.unpack_from(payload)
            elif kind == SPECTRUM and stream == self.stream:
                self.chunk(payload)
            elif request:
                answers.add(request)
        return answers

    def chunk(self, payload):
        begin, number, first, total, name, encoding, engine, flags, _, blocks, sample, *_ = HEAD.unpack_from(payload)
        values = [raw for (raw,) in struct.iter_unpack(ENCODINGS[encoding], payload[begin:])]
        if not self.record or self.record[0] != (payload[:6], payload[10:begin]):
            self.record = (payload[:6], payload[10:begin]), [None] * total
        self.record[1][first : first + len(values)] = values
        if first + len(values) < total:
            return
        it, values = self.descriptors.get(name), self.record[1]
        if it is None or None in values or number != self.spectra:
            sys.exit(f"record {number} is not whole, or one before it, or its descriptor; try again")
        doubt = struct.unpack_from("<QQ", payload, HEAD.size) if flags & 4 else None
        levels = [raw * it[18] + it[19] if encoding else 10 * math.log10(raw) if raw else None for raw in values]
        self.spectra, both = number + 1, dict(zip(["levels", "levels_max"], [levels[: it[16]], levels[it[16] :] or None]))
        print(json.dumps({"record": number, "first_sample": sample, "blocks": blocks, "n": it[3], "first_bin": it[15],
                          "bin_hz": it[1] / it[2] / it[3], "engine": "qpu" if engine == 1 else "cpu", "doubt": doubt,
                          "unit": "dB" if it[7] == 1 else "dBFS"} | both), flush=True)

    def ask(self, kind, payload, tries=4):
        """Sends a request until its answer comes."""
        self.request = self.request % 65535 + 1
        for _ in range(tries):
            self.send(kind, payload, self.request)
            end = time.monotonic() + ANSWER
            while (left := end - time.monotonic()) > 0:
                if self.request in self.receive(left):
                    return
        sys.exit(f"no answer to request {kind:02X}; check the line and the board's power")

    def upload(self, data, width, *begin):
        count, at, ended = len(data) // width, 0, False
        data = data[: count * width]
        self.ask(BEGIN, struct.pack("<BBQQQB", *begin, count, 0))
        self.request = self.request % 65535 + 1
        while True:
            if not self.gap and at < min(self.granted, count):
                piece = data[at * width : min(at + DATA_BYTES // width, self.granted) * width]
                self.send(DATA, struct.pack("<Q", at) + piece)
                at += len(piece) // width
            elif not self.gap and at == count and not ended:
                self.send(END, struct.pack("<QI", count, zlib.crc32(data)), self.request)
                ended = True
            if self.request in self.receive(0 if not self.gap and at < min(self.granted, count) else 0.05):
                return
            now = time.monotonic()
            if (self.gap and self.credited) or now - self.moved > STALLED:
                at, ended, self.gap, self.moved = min(at, self.received), False, False, now
                self.repeats += 1
            if self.repeats > REPEATS or now - self.heard > SILENCE:
                sys.exit(f"the board took {self.received} of {count} samples and no more; check the line")


options = argparse.ArgumentParser(description=__doc__)
options.add_argument("port", help="a serial device, or tcp:HOST:PORT")
options.add_argument("file", help="raw samples, little-endian")
options.add_argument("--format", choices=FORMATS, default="i16")
options.add_argument("--complex", action="store_true", help="samples are pairs, in-phase first")
options.add_argument("--rate", type=lambda it: Fraction(it).as_integer_ratio(), default="1", help="hertz: 48000, 1/3600")
options.add_argument("--set", type=str.encode, default="n=1024 avg=all out=u16", help="settings of the board")
options = options.parse_args()
(code, width), board = FORMATS[options.format], Board(opened(options.port))
settings = struct.pack("<H", len(options.set)) + options.set
for kind, payload, tries in [(HELLO, b"\x09\0upload.py", 16), (STOP, b"", 60), (SET, settings, 4)]:
    board.ask(kind, payload, tries)
board.upload(open(options.file, "rb").read(), width * (1 + options.complex), code, options.complex, *options.rate)
print(f"{board.spectra} spectra; {board.lost} frames were lost", file=sys.stderr)
sys.exit(not board.spectra)
