#!/usr/bin/env python3
"""Decodes the stream of a qpuscope: a JSON object for each spectrum, then what was lost.

Written from kernel/wire/PROTOCOL.md alone, with the standard library only."""
import argparse, json, math, os, socket, struct, sys, termios, tty, zlib

HEADER = struct.Struct("<BBBBHHIQH")
DESCRIPTOR = struct.Struct("<IQQI7BddIIiIdff")
HEAD = struct.Struct("<HIIIIBBBBIQ6I")
COUNTERS = ["clipped", "dropped", "clamped", "qpu_us", "cpu_us", "overruns", "left_out"]
LONGEST_SEGMENT, MOST_VALUES, MOST_WAITING = 4139, 1 << 22, 64
TEXT = frozenset(b"\t\r\n") | frozenset(range(32, 127))
ENCODINGS = {0: "<f", 1: "<H", 2: "B"}


def opened(name):
    """A file descriptor to read from."""
    if name.startswith("tcp:"):
        return socket.create_connection(name[4:].rsplit(":", 1)).detach()
    source = 0 if name == "-" else os.open(name, os.O_RDONLY | os.O_NOCTTY)
    if name != "-" and os.isatty(source):
        tty.setraw(source)
        settings = termios.tcgetattr(source)
        settings[4] = settings[5] = termios.B115200
        termios.tcsetattr(source, termios.TCSANOW, settings)
    return source


def unstuff(segment):
    """Undoes COBS; nothing when a group ends behind the segment."""
    out = b""
    while segment:
        code = segment[0]
        if code > len(segment):
            return b""
        out += segment[1:code] + (b"\0" if code < 255 and code < len(segment) else b"")
        segment = segment[code:]
    return out


def frame(segment):
    """Header and payload of a segment that is a frame, else None."""
    raw = unstuff(segment) if len(segment) <= LONGEST_SEGMENT else b""
    if len(raw) < HEADER.size + 4 or raw[0] != 0xB1 or zlib.crc32(raw[:-4]) != int.from_bytes(raw[-4:], "little"):
        return None
    header, payload = HEADER.unpack_from(raw), raw[HEADER.size : -4]
    return (header, payload) if header[-1] == len(payload) else None


class Stream:
    def __init__(self):
        self.lost = dict.fromkeys(["frames", "segments", "values", "records", "unexplained"], 0)
        self.sequence, self.time_us = None, 0
        self.descriptors, self.waiting, self.number, self.record = {}, [], None, None

    def segment(self, segment):
        """The spectra that a segment completes."""
        if not (found := frame(segment)):
            self.lost["segments"] += len(segment) > LONGEST_SEGMENT or not TEXT.issuperset(segment)
            return []
        (_, _, kind, _, stream, _, sequence, time_us, _), payload = found
        if kind < 0x80:
            return []
        gap = 0 if self.sequence is None else (sequence - self.sequence - 1) % 2**32
        if gap >= 2**31 or time_us < self.time_us:
            self.finish()
        self.lost["frames"] += sequence if gap >= 2**31 else gap
        self.sequence, self.time_us = sequence, time_us
        if kind == 0x86:
            self.descriptors[int.from_bytes(payload[:4], "little")] = DESCRIPTOR.unpack_from(payload)
            waiting, self.waiting = self.waiting, []
            return [spectrum for record in waiting for spectrum in self.explain(record)]
        return self.chunk(payload, stream) if kind == 0x87 else []

    def give_up(self):
        """No more comes of the record under way."""
        self.lost["values"] += self.record["values"].count(None) if self.record else 0
        self.record = None

    def finish(self):
        """No more comes of anything before a restart, or the end."""
        self.give_up()
        self.lost["unexplained"] += len(self.waiting)
        self.descriptors, self.waiting, self.number = {}, [], None

    def chunk(self, payload, stream):
        head = HEAD.unpack_from(payload)
        (begin, number, first, total), encoding, flags = head[:4], head[5], head[7]
        if encoding not in ENCODINGS or total > MOST_VALUES:
            return []
        values = [raw for (raw,) in struct.iter_unpack(ENCODINGS[encoding], payload[begin:])]
        key = (stream, payload[:6], payload[10:begin])
        if not self.record or self.record["key"] != key or first < self.record["next"]:
            self.give_up()
            self.lost["records"] += 0 if self.number is None else max(number - self.number - 1, 0)
            self.number = number
            doubt = struct.unpack_from("<QQ", payload, HEAD.size) if flags & 4 else None
            duty = struct.unpack_from("<I", payload, HEAD.size + 4 * (flags & 4))[0] / 1e6 if flags & 8 else None
            self.record = dict(key=key, head=head, time=self.time_us, doubt=doubt, duty=duty, values=[None] * total)
            after = HEAD.size + 4 * (flags & 4) + (flags & 8) // 2
            self.record["losses"] = struct.unpack_from("<QQ", payload, after) if flags & 16 else (head[11], 0)
        record = self.record
        record["next"] = first + len(values)
        record["values"][first : record["next"]] = values
        if record["next"] < total:
            return []
        self.give_up()
        return self.explain(record)

    def explain(self, record):
        """The record in dB, if its descriptor is there."""
        _, number, _, total, name, encoding, engine, flags, _, blocks, sample, _, *counters = record["head"]
        it = self.descriptors.get(name)
        if it is None or total not in (it[16], 2 * it[16]) or it[8] != encoding:
            self.waiting.append(record)
            self.lost["unexplained"] += len(self.waiting) > MOST_WAITING
            self.waiting = self.waiting[-MOST_WAITING:]
            return []
        (centre, scale, offset), values = it[17:20], record["values"]
        levels = [None if raw is None or raw == encoding == 0 else raw * scale + offset if encoding
                  else 10 * math.log10(raw) for raw in values]
        # Two detectors: the means of all bins, then the greatest of each.
        both = {"levels": levels[: it[16]]} | ({"levels_max": levels[it[16] :]} if total > it[16] else {})
        return [{"record": number, "device_time_us": record["time"], "first_sample": sample, "blocks": blocks,
                 "n": it[3], "first_bin": it[15], "bin_hz": it[1] / it[2] / it[3], "centre_hz": centre,
                 "engine": "qpu" if engine == 1 else "cpu", "engine_fallback": bool(flags & 1),
                 "plan_replaced": bool(flags & 2), "doubt": record["doubt"], "duty": record["duty"],
                 "missing": values.count(None), "counters": dict(zip(COUNTERS, [*counters, *record["losses"]])),
                 "unit": "dB" if it[7] == 1 else "dBFS"} | both]


def spectra(source, stream):
    """All that come from a file descriptor, until its end."""
    rest = b""
    while data := os.read(source, 65536):
        *segments, rest = (rest + data).split(b"\0")
        rest = rest[: LONGEST_SEGMENT + 1]
        for segment in segments:
            yield from stream.segment(segment)
    yield from stream.segment(rest)


options = argparse.ArgumentParser(description=__doc__)
options.add_argument("source", help="a recording, - (standard input), a serial device, or tcp:HOST:PORT")
options.add_argument("--count", type=int, help="end after so many spectra")
options, stream = options.parse_args(), Stream()
for _, spectrum in zip(range(options.count or sys.maxsize), spectra(opened(options.source), stream)):
    print(json.dumps(spectrum), flush=True)
stream.finish()
print("lost:", ", ".join(f"{count} {what}" for what, count in stream.lost.items()), file=sys.stderr)
