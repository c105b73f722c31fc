"""Random programs that do everything that is defined: see Program.

A program has three parts: a start that gives every register, accumulator and VPM word a value, a random body,
and an end that stores all of them. What sources leave undefined is left out: a rotation of what was just
written, r4 while an SFU result is on its way to it, two results for one unit, lanes that a condition keeps out
of a FIFO, VPM words while a transfer moves.
"""

from arithmetic import ADD_OPERATIONS, WORD

CODE, UNIFORMS, INITIAL, DATA, TABLE, OUT = (0x4001_0000 + 0x2_0000 * n for n in range(6))
UNIFORM_WORDS, INITIAL_WORDS, DATA_WORDS, TABLE_WORDS, OUT_WORDS = 4096, 3200, 16384, 8192, 4096
FIRST_UNIFORM = UNIFORMS + 2 * UNIFORM_WORDS
# Where in DATA a transfer may begin.
LAST_START = 0x8000

NOP = 39
# Rows of the result behind the 128 of the VPM.
SHOWN = [f"r{n}" for n in range(6)] + ["z", "n", "c"] + [f"ra{n}" for n in range(32)] + ["ms_flags", "rev_flag"]
SHOWN_B = [f"rb{n}" for n in range(32)]

SPECIAL = [
    0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF,
    0x7F800000, 0xFF800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x80800000, 0x3F800000, 0xBF800000, 0x3F7FFFFF,
    0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x477FEFFF, 0x477FF000, 0x38800000, 0x387FFFFF, 0x387FF000, 0xB8800000,
]


def alu(sig=1, unpack=0, pm=0, pack=0, cond_add=0, cond_mul=0, sf=0, ws=0, waddr_add=NOP, waddr_mul=NOP,
        op_mul=0, op_add=0, raddr_a=NOP, raddr_b=NOP, muxes=(0, 0, 0, 0)):
    word = sig << 60 | unpack << 57 | pm << 56 | pack << 52 | cond_add << 49 | cond_mul << 46 | sf << 45 | ws << 44
    word |= waddr_add << 38 | waddr_mul << 32 | op_mul << 29 | op_add << 24 | raddr_a << 18 | raddr_b << 12
    return word | muxes[0] << 9 | muxes[1] << 6 | muxes[2] << 3 | muxes[3]


def ldi(waddr_add, immediate, ws=0, cond_add=1, kind=0, waddr_mul=NOP, cond_mul=0, sf=0, pack=0):
    return alu(14, kind, 0, pack, cond_add, cond_mul, sf, ws, waddr_add, waddr_mul) & ~WORD | immediate & WORD


def mov(waddr, mux=0, ws=0, **fields):
    return alu(cond_add=1, waddr_add=waddr, op_add=21, muxes=(mux, mux, 0, 0), ws=ws, **fields)


class Program:
    """Words of code, and where the body lies in them; what memory holds at first.

    At its end it counts semaphore 15 up for each of its companions.
    """

    def __init__(self, random, length, companions, base=CODE):
        self.random, self.code, self.base = random, [], base
        self.written, self.no_uniform, self.no_r4, self.is_moving, self.images = 63, 0, 0, False, 0
        self.initial = [self.value() for _ in range(INITIAL_WORDS)]
        self.uniforms = [self.value() for _ in range(UNIFORM_WORDS)]
        self.data = [random.getrandbits(32) for _ in range(DATA_WORDS)]
        self.table = [random.getrandbits(32) for _ in range(TABLE_WORDS)]
        self.start()
        self.body(length)
        self.body_end = len(self.code)
        self.end(companions)

    def value(self):
        random, kind = self.random, self.random.randrange(6)
        if kind == 0:
            return random.choice(SPECIAL)
        if kind == 1:
            return random.getrandbits(random.randint(1, 32))
        if kind == 2:
            return random.randint(-300, 300) & WORD
        if kind == 3:
            return random.getrandbits(32)
        return random.getrandbits(1) << 31 | random.randint(120, 135) << 23 | random.getrandbits(23)

    def emit(self, word):
        self.code.append(word)
        addresses = word >> 38 & 63, word >> 32 & 63
        self.written = sum({1 << address - 32 for address in addresses if address in (32, 33, 34, 35, 37)})
        self.no_uniform, self.no_r4 = max(0, self.no_uniform - 1), max(0, self.no_r4 - 1)

    # The parts.

    def load_rows(self, source, count):
        for row in range(0, count, 16):
            self.emit(ldi(49, 0x8300_1000 | min(16, count - row) % 16 << 16 | row << 4))
            self.emit(ldi(50, source + 64 * row))
            self.emit(mov(NOP, 6, raddr_a=50))

    def start(self):
        registers = INITIAL + 128 * 64
        self.load_rows(registers, 64)
        for number in range(64):
            if number % 16 == 0:
                self.emit(ldi(49, 0x1A00 | number))
            self.emit(mov(number % 32, 6, raddr_a=48, ws=number // 32))
        self.load_rows(registers + 64 * 64, 5)
        self.emit(ldi(49, 0x0050_1A00))
        for address in (32, 33, 34, 35, 37):
            self.emit(mov(address, 6, raddr_a=48))
        self.emit(ldi(56, TABLE))
        self.emit(alu(10))
        self.load_rows(INITIAL, 128)
        # Flags, both ports and the mul ALU have done something, and both flag registers hold something.
        self.emit(ldi(42, 0))
        self.emit(ldi(42, 0, ws=1))
        self.emit(ldi(NOP, 0, sf=1))
        self.emit(alu(13, cond_add=1, cond_mul=1, op_add=21, op_mul=4, raddr_a=38, raddr_b=3, muxes=(6, 6, 7, 7)))
        if self.random.getrandbits(1):
            self.emit(ldi(36, self.random.getrandbits(1)))
            self.emit(alu())
            self.emit(alu())
        self.body_start = len(self.code)

    def own_units(self):
        return [self.function, self.look_up, self.jump_uniforms, self.lock, self.branch, self.branch_by_register,
                self.branch_twice]

    def units(self):
        shared = [self.read_vpm, self.write_vpm, self.load, self.store, self.count, self.interrupt, self.look_up_texels]
        return self.own_units() + shared

    def body(self, length):
        units = self.units()
        while len(self.code) < self.body_start + length:
            self.random.choice(units if self.random.random() < 0.4 else [self.plain])()
        # Whatever was started arrives.
        for _ in range(3):
            self.emit(alu())

    def end(self, companions):
        self.store_rows(128, OUT)
        accumulators = [[mov(48, number)] for number in range(6)]
        flags = [[ldi(32, 0), ldi(32, 1, cond_add=condition), mov(48)] for condition in (2, 4, 6)]
        file_a = [[mov(48, 6, raddr_a=number)] for number in range(32)]
        flag_registers = [[mov(48, 6, raddr_a=42)], [mov(48, 7, raddr_b=42)]]
        self.show(accumulators + flags + file_a + flag_registers, OUT + 64 * 128)
        self.show([[mov(48, 7, raddr_b=number)] for number in range(32)], OUT + 64 * (128 + len(SHOWN)))
        for _ in range(companions):
            self.emit(ldi(NOP, 15, kind=4))
        for signal in (1, 3, 1, 1):
            self.emit(alu(signal))

    def store_rows(self, count, address):
        for word in (0x8010_4000 | count % 128 << 23, 0xC000_0000):
            self.emit(ldi(49, word, ws=1))
        self.emit(ldi(50, address, ws=1))
        self.emit(mov(NOP, 7, raddr_b=50))

    def show(self, rows, address):
        self.emit(ldi(49, 0x1A00, ws=1))
        for word in sum(rows, []):
            self.emit(word)
        self.store_rows(len(rows), address)

    # One instruction.

    def destination(self):
        return self.random.choice([self.random.randrange(32), self.random.randrange(32, 36), 37, NOP])

    def source(self):
        random, kind = self.random, self.random.randrange(10)
        if kind == 0 and not self.no_uniform:
            return 32
        if kind == 1:
            return random.choice([41, 42, 33, 36, 43, 47, 52, 63] + ([] if self.is_moving else [49, 50]))
        return {2: 38, 3: NOP}.get(kind, random.randrange(32))

    def plain(self):
        """An instruction of registers and ALUs, now and then a load immediate."""
        if self.random.random() < 0.12:
            return self.emit(self.immediate(self.random.choice([0, 0, 1, 3]), self.value()))
        return self.operate()

    def immediate(self, kind, value):
        random = self.random
        return ldi(self.destination(), value, random.getrandbits(1), random.randrange(8), kind, self.destination(),
                   random.randrange(8), random.random() < 0.3, random.choice([0, 0, random.randrange(16)]))

    def operate(self, sig=None, **forced):
        """An ALU instruction with what is forced, and everything else random."""
        word = None
        while word is None:
            word = self.operation(sig, forced)
        self.emit(word)

    def operation(self, sig, forced):
        random = self.random
        often = lambda usual, count: random.choice([usual, usual, usual, random.randrange(count)])
        f = {
            "sig": sig or (1 if "raddr_b" in forced else random.choice([1, 1, 13])),
            "unpack": often(0, 8), "pm": int(random.random() < 0.3), "pack": often(0, 16),
            "sf": int(random.random() < 0.3),
            "cond_add": often(1, 8), "cond_mul": often(1, 8), "ws": random.getrandbits(1),
            "op_add": random.choice([0, *ADD_OPERATIONS]), "op_mul": random.randrange(8),
            "waddr_add": random.choice([self.destination(), self.destination(), 42]), "waddr_mul": self.destination(),
            "raddr_a": self.source(), "raddr_b": self.source(), "muxes": [random.randrange(8) for _ in range(4)],
        }
        if f["sig"] == 13:
            f["raddr_b"] = random.randrange(64)
        f.update(forced)
        if self.no_r4:
            f["muxes"] = [0 if mux == 4 else mux for mux in f["muxes"]]
        # What goes to a unit goes there in all lanes and as it is; an idle ALU would write nothing, or what is left.
        if "waddr_add" in forced:
            f["cond_add"] = 1
        if "waddr_mul" in forced:
            f["cond_mul"], f["pm"], f["pack"] = 1, 0, 0
        if f["op_mul"] == 0 and f["waddr_mul"] != NOP:
            f["pm"], f["pack"] = 0, 0
        idle = "waddr_add" in forced and f["op_add"] == 0 or "waddr_mul" in forced and f["op_mul"] == 0
        reserved = f["pm"] == 1 and f["pack"] not in (0, 3, 4, 5, 6, 7)
        return None if idle or reserved or self.rotates_too_soon(f) else alu(**f)

    def rotates_too_soon(self, f):
        if f["sig"] != 13 or f["raddr_b"] < 48:
            return False
        moved = sum({1 << mux for mux in f["muxes"][2:] if mux < 4}) | (32 if f["raddr_b"] == 48 else 0)
        return f["op_mul"] == 0 or bool(moved & self.written)

    def some(self, most):
        for _ in range(self.random.randint(0, most)):
            self.plain()

    def to_unit(self, address):
        self.operate(**{self.random.choice(["waddr_add", "waddr_mul"]): address})

    # Several instructions that belong together.

    def function(self):
        self.to_unit(self.random.randrange(52, 56))
        self.no_r4 = 2
        self.plain()
        self.plain()

    def block(self):
        random = self.random
        stride = random.choice([0, 1, random.randrange(64)])
        return stride << 12 | random.getrandbits(2) << 10 | random.randrange(3) << 8 | random.getrandbits(8)

    def read_vpm(self):
        left = 0
        while left or self.random.getrandbits(1):
            # A setup counts when at most one vector is unread, and else does nothing.
            if left == 0 or self.random.randrange(8) == 0:
                count = self.random.choice([1, 2, 3, self.random.randrange(16)])
                self.emit(ldi(49, count << 20 | self.block()))
                left += (count or 16) if left < 2 else 0
            self.operate(**self.random.choice([{"raddr_a": 48}, {"raddr_b": 48}, {"raddr_a": 48, "raddr_b": 48}]))
            left -= 1
            self.some(1)

    def write_vpm(self):
        self.emit(ldi(49, self.random.randrange(16) << 20 | self.block(), ws=1))
        for _ in range(self.random.randint(1, 5)):
            self.to_unit(48)
            self.some(1)

    def transfer(self, words, alignment, ws, wait):
        self.random.shuffle(words)
        for word in words:
            self.emit(ldi(49, word, ws=ws))
        self.emit(ldi(50, DATA + (self.random.randrange(LAST_START) & -alignment), ws=ws))
        self.is_moving = True
        self.some(2)
        self.operate(**{wait: 50})
        self.is_moving = False

    def modew(self):
        mode = self.random.choice([0, 0, 2, 3, 4, 5, 6, 7])
        return mode, 4 if mode == 0 else 2 if mode < 4 else 1

    def load(self):
        random, (mode, alignment) = self.random, self.modew()
        pitch = random.choice([0, random.randrange(9)])
        basic = 8 << 28 | mode << 28 | pitch << 24 | random.getrandbits(24)
        self.transfer([basic, 9 << 28 | random.randrange(0x800) & -alignment], alignment, 0, "raddr_a")

    def store(self):
        random, (mode, alignment) = self.random, self.modew()
        units = depth = stride = 0
        # Not more than DATA has behind the last address of a transfer.
        while (units or 128) * (4 * (depth or 128) + stride) > 4 * DATA_WORDS - LAST_START:
            units = random.choice([1, 2, 5, 16, random.randrange(128)])
            depth = random.choice([1, 3, 16, random.randrange(128)])
            stride = random.choice([0, random.randrange(256) & -alignment])
        basic = 2 << 30 | units << 23 | depth << 16 | random.getrandbits(12) << 3 | mode
        self.transfer([basic, 3 << 30 | stride], alignment, 1, "raddr_b")

    def look_up(self):
        random, waiting = self.random, []
        for _ in range(random.randint(1, 4)):
            tmu = random.getrandbits(1)
            waiting.append(tmu)
            self.emit(ldi(32, random.getrandbits(32)))
            # r0 = TABLE + ((r0 ^ elem_num << n) & 0x3fff)
            shift = random.randrange(8)
            self.emit(alu(13, cond_add=1, waddr_add=33, op_add=17, raddr_a=38, raddr_b=shift, muxes=(6, 7, 0, 0)))
            for constant, operation in ((None, 22), (0x3FFF, 20), (TABLE, 12)):
                if constant:
                    self.emit(ldi(33, constant))
                self.emit(alu(cond_add=1, waddr_add=32, op_add=operation, muxes=(0, 1, 0, 0)))
            self.emit(random.choice([mov(56 + 4 * tmu), alu(cond_mul=1, waddr_mul=56 + 4 * tmu, op_mul=4)]))
        random.shuffle(waiting)
        for tmu in waiting:
            self.operate(10 + tmu)
            self.some(1)

    def coordinate(self, number, log2):
        """To r0 or r1: the middle of a texel, perhaps of one outside the image of 2^log2 texels."""
        random = self.random
        shift = random.randrange(4)
        self.emit(alu(13, cond_add=1, waddr_add=32 + number, op_add=14, raddr_a=38, raddr_b=shift, muxes=(6, 7, 0, 0)))
        self.emit(alu(cond_add=1, waddr_add=32 + number, op_add=8, muxes=(number, number, 0, 0)))
        # + 0.5, +- 2^n, * 2^-log2
        for operation, code in ((1, 47), (random.choice([1, 2]), random.randrange(32, 39))):
            muxes = (number, 7, 0, 0)
            self.emit(alu(13, cond_add=1, waddr_add=32 + number, op_add=operation, raddr_b=code, muxes=muxes))
        code = 48 - log2 if log2 else 32
        self.emit(alu(13, cond_mul=1, waddr_mul=32 + number, op_mul=1, raddr_b=code, muxes=(0, 0, number, 7)))

    def look_up_texels(self):
        """In a raster image without filter: t, perhaps r, which is the border, then s. Each takes a uniform."""
        random = self.random
        width, height, tmu = random.randrange(7), random.randrange(7), random.getrandbits(1)
        if self.images == 140:
            return
        p1 = 1 << 31 | 1 << height + 20 | 1 << width + 8 | 1 << 7 | random.randint(1, 3) << 4 | random.randrange(16)
        # Relative jumps go back from here, absolute ones to what lies behind.
        at = 64 + 3 * self.images
        self.images += 1
        self.uniforms[at:at + 3] = TABLE, p1, 0
        self.emit(ldi(40, UNIFORMS + 4 * at))
        self.coordinate(0, width)
        self.coordinate(1, height)
        self.emit(ldi(34, random.getrandbits(32)))
        self.emit(mov(57 + 4 * tmu, 1))
        if random.getrandbits(1):
            self.emit(mov(58 + 4 * tmu, 2))
        self.emit(mov(56 + 4 * tmu, 0))
        self.operate(10 + tmu)

    def jump_uniforms(self):
        random = self.random
        target = UNIFORMS + 4 * random.randrange(512, 1024)
        back = random.randrange(1, 17)
        self.emit(random.choice([
            ldi(40, target),
            ldi(NOP, target, ws=1, cond_add=0, waddr_mul=40, cond_mul=1),
            ldi(40, random.randint(-8, 8), ws=1),
            # A uniform read beside a relative jump back counts: mov ra0, unif; mov unif_addr_rel, -n
            alu(13, cond_add=1, cond_mul=1, waddr_add=0, waddr_mul=40, op_add=21, op_mul=4, raddr_a=32,
                raddr_b=32 - back, muxes=(6, 6, 7, 7)),
        ]))
        self.no_uniform = 2
        self.plain()
        self.plain()

    def count(self):
        # The last semaphore is the companions'.
        semaphore = self.random.randrange(15)
        for decrement in (0, 16):
            self.emit(self.immediate(4, self.random.getrandbits(27) << 5 | decrement | semaphore))
            self.some(2)

    def lock(self):
        self.operate(**{self.random.choice(["raddr_a", "raddr_b"]): 51})
        self.some(2)
        self.to_unit(51)

    def interrupt(self):
        self.to_unit(38)

    def branch_word(self, slots, register=None, absolute=False, offset=0):
        """To so many instructions behind the delay slots; a register adds what is missing."""
        random = self.random
        condition = random.choice([15, 15, *range(12)])
        number = register if register is not None else random.choice([0, random.randrange(32)])
        word = 15 << 60 | condition << 52 | (not absolute) << 51 | (register is not None) << 50 | number << 45
        word |= random.getrandbits(1) << 44 | self.destination() << 38 | self.destination() << 32
        return word | (8 * slots - offset) & WORD

    def branch(self):
        skipped = self.random.randint(0, 4)
        self.emit(self.branch_word(skipped))
        self.skip(3 + skipped)

    def branch_by_register(self):
        random = self.random
        register, skipped, absolute = random.randrange(32), random.randint(0, 4), bool(random.getrandbits(1))
        offset = 8 * random.randrange(-64, 64)
        target = self.base + 8 * (len(self.code) + 8) if absolute else 0
        self.emit(ldi(register, target + offset))
        # Element 15 counts; the others are spoilt in lanes that flags choose.
        self.emit(ldi(NOP, random.getrandbits(15), kind=3, sf=1))
        self.emit(ldi(register, random.getrandbits(32), cond_add=3))
        self.emit(alu())
        self.emit(self.branch_word(skipped, register, absolute, offset))
        self.skip(3 + skipped)

    def branch_twice(self):
        """A branch in the third delay slot of another."""
        first, second = self.random.randint(3, 6), self.random.randint(3, 5)
        self.emit(self.branch_word(first))
        self.plain()
        self.plain()
        self.emit(self.branch_word(first + second - 3))
        self.skip(first + second)

    def skip(self, count):
        for _ in range(count):
            self.plain()
        # On another way other accumulators have just been written.
        self.written = 63


class Companion(Program):
    """A program that runs beside another one and touches nothing that the other can see.

    Nobody looks at what it computes. It waits for the end of the other, so that it keeps its QPU.
    """

    def start(self):
        self.body_start = 0

    def units(self):
        return self.own_units()

    def end(self, _):
        self.emit(ldi(NOP, 16 | 15, kind=4))
        for signal in (3, 1, 1):
            self.emit(alu(signal))
