"""What the ALUs and the SFU compute in one lane, by integers only.

Floats are exact multiples of 2^-149, cut toward zero. Sources: Broadcom's VideoCore IV 3D Architecture
Reference Guide with vc4asm's addendum; VC4C's tables recorded on hardware; the SFU's coefficients are those
of Broadcom's driver release of 2014 (BSD).
"""

WORD = 0xFFFFFFFF
SIGN = 0x80000000
INFINITY = 0x7F800000


def signed(x):
    return x - (1 << 32) if x & SIGN else x


def exponent(x):
    return x >> 23 & 255


def infinity(sign):
    return INFINITY | (SIGN if sign else 0)


def value(x):
    """A finite float in units of 2^-149, denormals flushed."""
    if exponent(x) == 0:
        return 0
    magnitude = (x & 0x7FFFFF | 1 << 23) << (exponent(x) - 1)
    return -magnitude if x & SIGN else magnitude


def truncated(units):
    """The float of so many units of 2^-149."""
    sign, magnitude = (SIGN if units < 0 else 0), abs(units)
    shift = magnitude.bit_length() - 24
    if shift < 0:
        return 0
    if shift + 1 >= 255:
        return infinity(sign)
    return sign | shift + 1 << 23 | magnitude >> shift & 0x7FFFFF


def fadd(a, b):
    for operand in (b, a):
        if exponent(operand) == 255:
            return infinity(operand & SIGN)
    return truncated(value(a) + value(b))


def fmul(a, b):
    if exponent(a) == 0 or exponent(b) == 0:
        return 0
    sign = (a ^ b) & SIGN
    if 255 in (exponent(a), exponent(b)):
        return infinity(sign)
    magnitude = truncated(abs(value(a) * value(b)) >> 149)
    return sign | magnitude if magnitude else 0


def order(x):
    """Floats compare as sign and magnitude."""
    return -(x & ~SIGN) if x & SIGN else x


def ftoi(a):
    if exponent(a) >= 158:
        return 0
    magnitude = abs(value(a)) >> 149
    return -magnitude & WORD if a & SIGN else magnitude


def by_bytes(operation):
    def lanes(a, b):
        pairs = [(a >> shift & 255, b >> shift & 255) for shift in (0, 8, 16, 24)]
        return sum(operation(x, y) << 8 * place for place, (x, y) in enumerate(pairs))

    return lanes


V8ADDS = by_bytes(lambda x, y: min(255, x + y))
V8SUBS = by_bytes(lambda x, y: max(0, x - y))

ADD_OPERATIONS = {
    1: fadd,
    2: lambda a, b: fadd(a, b ^ SIGN),
    3: lambda a, b: b if order(a) > order(b) else a,
    4: lambda a, b: a if order(a) > order(b) else b,
    5: lambda a, b: min(a & ~SIGN, b & ~SIGN),
    6: lambda a, b: max(a & ~SIGN, b & ~SIGN),
    7: lambda a, b: ftoi(a),
    8: lambda a, b: truncated(signed(a) << 149),
    12: lambda a, b: a + b & WORD,
    13: lambda a, b: a - b & WORD,
    14: lambda a, b: a >> (b & 31),
    15: lambda a, b: signed(a) >> (b & 31) & WORD,
    16: lambda a, b: (a << 32 | a) >> (b & 31) & WORD,
    17: lambda a, b: a << (b & 31) & WORD,
    18: lambda a, b: min(signed(a), signed(b)) & WORD,
    19: lambda a, b: max(signed(a), signed(b)) & WORD,
    20: lambda a, b: a & b,
    21: lambda a, b: a | b,
    22: lambda a, b: a ^ b,
    23: lambda a, b: a ^ WORD,
    24: lambda a, b: 32 - a.bit_length(),
    30: V8ADDS,
    31: V8SUBS,
}
TAKES_FLOATS = {1, 2, 3, 4, 5, 6, 7}
GIVES_FLOATS = {1, 2, 3, 4, 5, 6, 8}
UNARY = {7, 8, 23, 24}

MUL_OPERATIONS = {
    1: fmul,
    2: lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) & WORD,
    3: by_bytes(lambda x, y: (x * y + 127) // 255),
    4: by_bytes(min),
    5: by_bytes(max),
    6: V8ADDS,
    7: V8SUBS,
}


def add_carry(op, a, b, result):
    count = b & 31
    if op in (1, 2, 8):
        return 0 < result < SIGN
    if op in (3, 4):
        return order(a) > order(b)
    if op in (5, 6):
        return a & ~SIGN > b & ~SIGN
    if op == 12:
        return a + b > WORD
    if op == 13:
        return a < b
    if op in (14, 15):
        return count > 0 and bool(a >> (count - 1) & 1)
    if op == 17:
        return count > 0 and bool(a >> (32 - count) & 1)
    if op in (18, 19):
        return signed(a) > signed(b)
    return False


def mul_carry(op, a, b):
    return op == 2 and (a & 0xFFFFFF) * (b & 0xFFFFFF) > WORD


def small_immediate(code):
    if code < 16:
        return code
    if code < 32:
        return code - 32 & WORD
    if code < 40:
        return 0x3F800000 + (code - 32 << 23)
    if code < 48:
        return 0x3B800000 + (code - 40 << 23)
    return code - 64 & WORD


def unpack(mode, to_float, x):
    if mode == 0:
        return x
    if mode == 3:
        return (x >> 24) * 0x01010101
    if mode < 3:
        half = x >> 16 * (mode - 1) & 0xFFFF
        if not to_float:
            return (half ^ 0x8000) - 0x8000 & WORD
        small = half >> 10 & 31
        wide = {0: 0, 31: 255}.get(small, small + 112)
        return half >> 15 << 31 | wide << 23 | (half & 0x3FF) << 13
    byte = x >> 8 * (mode - 4) & 255
    return truncated((byte << 149) // 255) if to_float else byte


def to_half(x):
    sign = x >> 16 & 0x8000
    if exponent(x) in (0, 255):
        return sign | 0x7C00 if exponent(x) else 0
    rest = x & 0x1FFF
    rounded = (x & ~SIGN) >> 13
    rounded += rest > 0x1000 or rest == 0x1000 and rounded & 1
    if rounded < 113 << 10:
        return 0
    return sign | min(rounded - (112 << 10), 0x7C00)


def replace(old, bits, place, new):
    mask = (1 << bits) - 1 << bits * place
    return old & ~mask | new << bits * place & mask


def clamp(x, low, high):
    return max(low, min(high, x))


def pack(mode, old, result, is_float, overflow):
    """A result on its way into file A. `overflow` of an add or sub: None, or whether it is an add, the limit
    that the carry tells, and whether both operands are that limit."""
    saturates = mode >= 8
    if overflow and mode:
        is_add, limit, both = overflow
        if mode == 8:
            return limit
        half, byte = (0x8000, 0) if limit & SIGN else (0x7FFF, 0xFF)
        if saturates and is_add:
            half, byte = (half if both else 0), 0
    elif is_float:
        half, byte = to_half(result), clamp(signed(result), 0, 255) if saturates else result
    else:
        half = clamp(signed(result), -0x8000, 0x7FFF) if saturates else result
        byte = clamp(signed(result), 0, 255) if saturates else result
    part = mode & 7
    if part == 0:
        return result
    if part < 3:
        return replace(old, 16, part - 1, half & 0xFFFF)
    if part == 3:
        return (byte & 255) * 0x01010101
    return replace(old, 8, part - 4, byte & 255)


def colour(mode, old, x):
    """The mul result with pm = 1: 0..=1 as 0..=255, to nearest."""
    if mode == 0:
        return x
    if x & SIGN:
        byte = 0
    else:
        byte = 255 if x >= 0x3F800000 else (value(x) * 255 + (1 << 148)) >> 149
    return byte * 0x01010101 if mode == 3 else replace(old, 8, mode - 4, byte)


def words(text):
    return [int(word, 16) for word in text.split()]


TABLES = {
    "recip": (
        words("7ffc 70ee 638c 5792 4ccb 430b 3a2e 3215 2aaa 23d6 1d8a 17b4 1249 0d3e 0889 0421"),
        words("f0b d60 bf8 ac5 9bf 8dc 818 76a 6d3 64c 5d6 56b 50b 4b5 468 421"),
        words("1d 18 15 12 0f 0d 0c 0a 09 08 07 06 06 05 05 04"),
    ),
    "rsqrt": (
        words("7ffb 7158 64f6 5a4f 5104 48d2 4184 3af4 3501 2aa8 21e7 1a5f 13cc 0e00 08d5 0433"),
        words("e9e c5f aa5 949 831 74d 68f 5ef a56 8bf 787 692 5cb 52a 4a2 433"),
        words("29 1f 18 13 10 0d 0b 09 1d 16 11 0e 0b 09 08 07"),
    ),
    "log2": (
        words("7fff 74cd 6a3f 6043 56cb 4dc9 4531 3cfc 3520 2d96 2658 1f60 18a9 122e 0beb 05dd"),
        words("b31 a8d 9fb 978 902 898 835 7dc 78a 73e 6f8 6b7 67b 643 60e 5dd"),
        words("0b 0a 09 08 07 06 06 05 05 05 04 04 04 03 03 03"),
    ),
    "exp2": (
        words("0000 05ab 0b96 11c4 1838 1ef5 25ff 2d58 3505 3d09 4567 4e25 5745 60cd 6ac1 7524"),
        words("5ab 5eb 62e 674 6bd 70a 759 7ad 804 85e 8be 920 988 9f4 a64 adc"),
        words("04 04 04 04 05 05 05 05 06 06 06 06 07 07 07 08"),
    ),
}


def interpolate(name, m):
    c0, c1, c2 = (table[m >> 11] for table in TABLES[name])
    y = m >> 5 & 63
    slope = c1 * (m & 0x7FF) >> 11
    curve = c2 * min(63, y * (64 - y) + 8 >> 4) >> 5
    result = c0 + slope + 1 - curve if name == "exp2" else c0 - slope - curve
    return (result & 0x7FFF) << 8


def recip(x):
    e = exponent(x)
    if e == 0 or e >= 253:
        return x & SIGN | (0 if e else INFINITY)
    # Recorded on hardware; the tables give a little less.
    if x & ~SIGN == 0x3F800000:
        return x
    return x & SIGN | 253 - e << 23 | interpolate("recip", (x & 0x7FFFFF) >> 8)


def rsqrt(x):
    e = exponent(x)
    if e in (0, 255):
        return 0 if e else INFINITY
    upper = 0 if e & 1 else 0x4000
    return 126 + (128 - e) // 2 << 23 | interpolate("rsqrt", upper + ((x & 0x7FFFFF) >> 9))


def exp2(x):
    e, negative = exponent(x), bool(x & SIGN)
    if e == 255:
        return 0 if negative else INFINITY
    mantissa = x & 0x7FFFFF | 1 << 23
    too_large, digits = False, 0
    if e == 0:
        negative = False
    elif e >= 128:
        mantissa >>= 7 - (e & 7)
        too_large = e >= 136 or mantissa >= 1 << 22
        digits = mantissa & 0x3FFFFF
    elif e >= 112:
        digits = mantissa >> 135 - e
    if negative:
        digits ^= 0x3FFFFF
    whole, fraction = digits >> 15, interpolate("exp2", digits & 0x7FFF)
    if negative:
        return 0 if too_large or whole < 2 else whole - 1 << 23 | fraction
    return INFINITY if too_large else whole + 127 << 23 | fraction


def log2(x):
    e = exponent(x)
    if e in (0, 255):
        return INFINITY | (0 if e else SIGN)
    fraction = ~interpolate("log2", (x & 0x7FFFFF) >> 8) & 0x7FFFFF
    digits = ((e + 1 & 0x7F) << 16) + (fraction >> 7) & ~1
    sign = 0
    if e < 127:
        sign, digits = SIGN, digits ^ 0x7FFFFF
    if digits == 0:
        return 0
    left = 23 - digits.bit_length()
    return sign | 133 - left << 23 | digits << left + 1 & 0x7FFFFF


SFU = {52: recip, 53: rsqrt, 54: exp2, 55: log2}
