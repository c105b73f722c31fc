"""Reads a recording of u16 spectra with NumPy, as a user without qpuscope would."""
import json, struct, sys, zlib

import numpy

HEADER, HEAD = struct.Struct("<BBBBHHIQH"), struct.Struct("<HIIII")


def unstuff(segment):
    """Undoes COBS."""
    parts, at, end = [], 0, len(segment)
    while at < end:
        code = segment[at]
        parts.append(segment[at + 1 : at + code])
        at += code
        if code < 255 and at < end:
            parts.append(b"\0")
    return b"".join(parts)


def levels(path):
    """A row of levels in dB for each record."""
    scale, rows, row = (0.01, -400.0), [], None
    for segment in open(path, "rb").read().split(b"\0"):
        raw = unstuff(segment)
        if len(raw) < 26 or raw[0] != 0xB1 or zlib.crc32(raw[:-4]) != int.from_bytes(raw[-4:], "little"):
            continue
        kind, payload = HEADER.unpack_from(raw)[2], raw[HEADER.size : -4]
        if kind == 0x87:
            begin, _, first, total, _ = HEAD.unpack_from(payload)
            values = numpy.frombuffer(payload, "<u2", offset=begin)
            if first == 0:
                row = numpy.full(total, 65535, "<u2")
            row[first : first + len(values)] = values
            if first + len(values) == total:
                rows.append(row)
    steps = numpy.array(rows)
    return steps * scale[0] + scale[1]


_, source, what, out = sys.argv
array = levels(source)
if what == "csv":
    numpy.savetxt(out, array, fmt="%.2f", delimiter=",")
elif what == "npy":
    numpy.save(out, array.astype("<f4"))
elif what == "json":
    with open(out, "w") as file:
        for row in array:
            file.write(json.dumps({"levels": row.round(4).tolist()}) + "\n")
