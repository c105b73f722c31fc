"""Runs QPU programs on the simulated V3D from Python, through ctypes.

    python3 examples/v3d_sim.py DIR/lib/libqpuscope.so
"""

import ctypes
import sys


class Region(ctypes.Structure):
    _fields_ = [
        ("bus_address", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_size_t),
    ]


class Program(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint32), ("uniforms", ctypes.c_uint32)]


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("board", ctypes.c_uint32),
        ("clock_hz", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("limit_cycles", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
    ]


class Result(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("status", ctypes.c_int32),
        ("timed", ctypes.c_uint32),
        ("clock_hz", ctypes.c_uint32),
        ("cycles", ctypes.c_uint64),
        ("instructions", ctypes.c_uint64 * 12),
        ("stall_cycles", ctypes.c_uint64 * 12),
        ("counters", ctypes.c_uint64 * 30),
        ("tmu_requests", ctypes.c_uint64),
        ("vdr_commands", ctypes.c_uint64),
        ("vdr_bytes", ctypes.c_uint64),
        ("vdw_commands", ctypes.c_uint64),
        ("vdw_bytes", ctypes.c_uint64),
        ("host_interrupts", ctypes.c_uint64),
        ("warnings", ctypes.c_uint32),
        ("fault_qpu", ctypes.c_uint32),
        ("fault_pc", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


READ_ONLY = 1
STRICT = 2


class V3dError(Exception):
    """The programs did not end well, or an argument is wrong."""


def run(library, regions, programs, **options):
    """Runs programs, a list of (code, uniforms) addresses, on regions, a list of (bus address,
    ctypes array or bytes). Arrays are used in place; bytes cannot be stored to."""
    keep = []
    entries = (Region * len(regions))()
    for entry, (address, memory) in zip(entries, regions):
        entry.bus_address = address
        if isinstance(memory, bytes):
            entry.flags = READ_ONLY
            pointer = ctypes.c_char_p(memory)
            keep.append(pointer)
            entry.data, entry.size = ctypes.cast(pointer, ctypes.c_void_p), len(memory)
        else:
            entry.data, entry.size = ctypes.addressof(memory), ctypes.sizeof(memory)
    queue = (Program * len(programs))(*(Program(*program) for program in programs))
    chosen = Options(struct_size=ctypes.sizeof(Options), **options)
    result = Result(struct_size=ctypes.sizeof(Result))
    message = ctypes.create_string_buffer(4096)
    call = library.v3d_sim_run
    call.restype = ctypes.c_int32
    call.argtypes = [
        ctypes.POINTER(Region), ctypes.c_size_t,
        ctypes.POINTER(Program), ctypes.c_size_t,
        ctypes.POINTER(Options), ctypes.POINTER(Result),
        ctypes.c_char_p, ctypes.c_size_t,
    ]
    status = call(entries, len(entries), queue, len(queue), chosen, result, message, len(message))
    text = message.value.decode()
    if status != 0:
        raise V3dError(f"status {status}: {text}")
    return result, text


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: v3d_sim.py LIBRARY, which is DIR/lib/libqpuscope.so after `cargo xtask clib DIR`")
    try:
        library = ctypes.CDLL(sys.argv[1])
    except OSError as error:
        sys.exit(f"{error}; install it with `cargo xtask clib DIR`")
    # mov r0, elem_num; the rest stores r0 as one row to the address in the uniform (vc4asm's words).
    words = [
        0x10020827159A7D80, 0xE0021C6700001A00, 0x10020C27159E7000, 0xE0021C6780904000,
        0xE0021C67C0000000, 0x1002086715827D80, 0x10021CA7159E7240, 0x100209E7159F2E00,
        0x300009E7009E7000, 0x100009E7009E7000, 0x100009E7009E7000,
    ]
    code = b"".join(word.to_bytes(8, "little") for word in words)
    uniforms = (0x40003000).to_bytes(4, "little")
    out = (ctypes.c_uint32 * 16)()
    regions = [(0x40001000, code), (0x40002000, uniforms), (0x40003000, out)]
    result, _ = run(library, regions, [(0x40001000, 0x40002000)], flags=STRICT)
    print(list(out))
    print(sum(result.instructions), "instructions,", result.vdw_bytes, "bytes stored")
    try:
        run(library, regions[:2], [(0x40001000, 0x40002000)])
    except V3dError as error:
        print(str(error).splitlines()[0])


if __name__ == "__main__":
    main()
