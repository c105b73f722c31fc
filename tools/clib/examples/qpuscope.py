"""libqpuscope from Python, through ctypes, with NumPy's arrays.

    python3 examples/qpuscope.py DIR/lib/libqpuscope.so              transforms, beside NumPy's
    python3 examples/qpuscope.py DIR/lib/libqpuscope.so PORT         and the spectrum of a board

DIR is where `cargo xtask clib DIR` has installed the library. Copy the file: it is the whole interface.
"""

import ctypes
import sys

import numpy as np

COMPLEX, REAL, POWERS, REAL_POWERS = range(4)
UNSCALED, BY_POINTS, BY_ROOT = range(3)
FUNCTIONAL = 1
NOTHING, ENDED = 4, 5


def structure(name, fields):
    """A structure that begins with its size, and sets it."""
    def init(self, **values):
        ctypes.Structure.__init__(self, struct_size=ctypes.sizeof(self), **values)
    fields = [("struct_size", ctypes.c_uint32)] + fields
    return type(name, (ctypes.Structure,), {"_fields_": fields, "__init__": init})


def u32(names):
    return [(name, ctypes.c_uint32) for name in names.split()]


def u64(names):
    return [(name, ctypes.c_uint64) for name in names.split()]


def f64(names):
    return [(name, ctypes.c_double) for name in names.split()]


FftOptions = structure("FftOptions", u32("kind points direction batch segments scale board clock_hz flags"))
FftSizes = structure("FftSizes", u32("reserved") + u64(
    "input_count input_step output_count output_step memory_bytes"))
FftResult = structure("FftResult", u32("timed clock_hz programs") + u64("cycles"))
Info = structure("Info", u32("board_revision memory_bytes baud arm_hz core_hz v3d_hz uart_hz") + [
    ("engine", ctypes.c_char * 16), ("board", ctypes.c_char * 64),
    ("firmware", ctypes.c_char * 32), ("capabilities", ctypes.c_char * 1024)])
Upload = structure("Upload", u32("format is_complex reserved") + u64("rate_numerator rate_denominator") + [
    ("samples", ctypes.c_void_p), ("count", ctypes.c_uint64)])
Spectrum = structure("Spectrum", u32("points") + [("first_bin", ctypes.c_int32)] + u32(
    "bin_count is_complex averages record by_qpus") + f64("rate_hz centre_hz enbw_bins device_s") + [
    ("power", ctypes.POINTER(ctypes.c_double))])


class Error(Exception):
    """What the library says, with its status."""


class Library:
    """The library at a path; it makes plans and opens boards."""

    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.qpuscope_message.restype = ctypes.c_char_p
        pointers = (
            "qpuscope_fft_prepare qpuscope_fft_sizes_of qpuscope_fft_release qpuscope_board_info "
            "qpuscope_board_start qpuscope_board_close")
        for name in pointers.split():
            getattr(self.c, name).argtypes = [ctypes.c_void_p] * (1 if name.endswith(("release", "start", "close")) else 2)
        self.c.qpuscope_fft_execute.argtypes = [
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        self.c.qpuscope_board_open.argtypes = [ctypes.c_char_p, ctypes.c_uint32, ctypes.c_void_p]
        self.c.qpuscope_board_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        self.c.qpuscope_board_upload.argtypes = [ctypes.c_void_p] * 3
        self.c.qpuscope_board_read.argtypes = [ctypes.c_void_p, ctypes.c_double, ctypes.c_void_p]

    def call(self, name, *arguments):
        status = getattr(self.c, name)(*arguments)
        if status < 0:
            raise Error(f"{name}: {self.c.qpuscope_message().decode()} (status {status})")
        return status

    def fft(self, points, **options):
        """A plan for `points` points; options as in qpuscope_fft_options."""
        return Fft(self, FftOptions(points=points, **options))

    def board(self, port, baud=0):
        """The board at a port."""
        return Board(self, port, baud)


class Fft:
    """A plan. Calling it transforms an array of the whole batch; `cycles` is what the last call took."""

    def __init__(self, library, options):
        self.library, self.options = library, options
        self.plan, self.cycles = ctypes.c_void_p(), None
        library.call("qpuscope_fft_prepare", ctypes.byref(options), ctypes.byref(self.plan))
        self.sizes = FftSizes()
        library.call("qpuscope_fft_sizes_of", self.plan, ctypes.byref(self.sizes))

    def __call__(self, array):
        kind, inverse = self.options.kind, self.options.direction == 1
        takes_complex = kind in (COMPLEX, POWERS) or (kind == REAL and inverse)
        given = np.ascontiguousarray(array, np.complex64 if takes_complex else np.float32).view(np.float32)
        result, out = FftResult(), np.empty(self.sizes.output_count, np.float32)
        self.library.call("qpuscope_fft_execute", self.plan, given.ctypes.data, given.size, out.ctypes.data,
                          out.size, ctypes.byref(result))
        self.cycles = result.cycles
        rows = out.reshape(-1, self.sizes.output_step)
        if kind == COMPLEX:
            return rows.view(np.complex64)
        if kind == REAL and not inverse:
            return rows.view(np.complex64)[:, :self.options.points // 2 + 1]
        if kind == REAL_POWERS:
            return rows[:, :self.options.points // 2 + 1]
        return rows

    def __del__(self):
        self.library.c.qpuscope_fft_release(self.plan)


class Board:
    """A board, a virtual Pi or a recording of a line."""

    def __init__(self, library, port, baud):
        self.library, self.board = library, ctypes.c_void_p()
        library.call("qpuscope_board_open", port.encode(), baud, ctypes.byref(self.board))

    def info(self):
        info = Info()
        self.library.call("qpuscope_board_info", self.board, ctypes.byref(info))
        return info

    def set(self, words):
        self.library.call("qpuscope_board_set", self.board, words.encode())

    def upload(self, samples, rate):
        """Sends samples (uint8, int16, float32 or complex64) at `rate` samples a second; the number of spectra."""
        samples = np.ascontiguousarray(samples)
        formats = {"uint8": 0, "int16": 1, "float32": 2, "complex64": 2}
        upload = Upload(
            format=formats[samples.dtype.name], is_complex=int(samples.dtype.kind == "c"),
            rate_numerator=int(rate), samples=samples.ctypes.data, count=samples.size)
        count = ctypes.c_uint32()
        self.library.call("qpuscope_board_upload", self.board, ctypes.byref(upload), ctypes.byref(count))
        return count.value

    def read(self, seconds=5.0):
        """Frequencies in hertz and linear powers of the next spectrum; None when none comes."""
        spectrum = Spectrum()
        status = self.library.call("qpuscope_board_read", self.board, seconds, ctypes.byref(spectrum))
        if status in (NOTHING, ENDED):
            return None
        bins = spectrum.first_bin + np.arange(spectrum.bin_count)
        power = np.ctypeslib.as_array(spectrum.power, (spectrum.bin_count,)).copy()
        return spectrum.centre_hz + bins * spectrum.rate_hz / spectrum.points, power

    def __del__(self):
        self.library.c.qpuscope_board_close(self.board)


def error(got, expected):
    return np.sqrt(np.mean(np.abs(got - expected) ** 2) / np.mean(np.abs(expected) ** 2))


def transforms(library):
    """Prints the relative rms error of each kind of transform against NumPy's, in double precision."""
    random = np.random.default_rng(1)
    points = random.standard_normal((4, 1024)) + 1j * random.standard_normal((4, 1024))
    points = points.astype(np.complex64)
    forward = library.fft(1024, batch=4)
    bins = forward(points)
    print(f"complex, 4 x 1024: {error(bins, np.fft.fft(points)):.0e}, {forward.cycles} clocks")
    inverse = library.fft(1024, batch=4, direction=1, scale=BY_POINTS)
    print(f"and back: {error(inverse(bins), points):.0e}, {inverse.cycles} clocks")
    real = library.fft(1024, kind=REAL)
    samples = points[0].real.copy()
    print(f"real, 1024: {error(real(samples)[0], np.fft.rfft(samples)):.0e}, {real.cycles} clocks")
    powers = library.fft(1024, kind=POWERS, segments=4)
    mean = np.mean(np.abs(np.fft.fftshift(np.fft.fft(points), 1)) ** 2, 0)
    print(f"powers of 4 segments: {error(powers(points)[0], mean):.0e}, {powers.cycles} clocks")


def spectrum(library, port):
    """Prints the strongest bin of a tone that a board has transformed."""
    board = library.board(port)
    info = board.info()
    board.set("n=1024 window=hann overlap=512 avg=all out=f32")
    board.upload((0.5 * np.sin(2 * np.pi * 1000 * np.arange(8192) / 48000)).astype(np.float32), 48000)
    frequencies, power = board.read()
    peak = np.argmax(power)
    print(f"{info.board.decode()}: {frequencies[peak]:.1f} Hz at {10 * np.log10(power[peak]):.2f} dBFS")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: qpuscope.py LIBRARY [PORT], LIBRARY being DIR/lib/libqpuscope.so after `cargo xtask clib DIR`")
    try:
        library = Library(sys.argv[1])
        transforms(library)
        if len(sys.argv) == 3:
            spectrum(library, sys.argv[2])
    except (OSError, Error) as failure:
        sys.exit(f"qpuscope.py: {failure}")


if __name__ == "__main__":
    main()
