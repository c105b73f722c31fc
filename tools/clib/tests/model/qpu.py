"""One QPU with its VPM, DMA and lookups: what a program leaves, without time.

Written from the sources (see arithmetic.py) in another language and another shape than the simulator: the two
share no code and no decoding, so that a mistake in one shows. Where sources leave something open, both
take what the simulator's rules say (`qpu explain RULE`).
"""

from arithmetic import (
    ADD_OPERATIONS, GIVES_FLOATS, MUL_OPERATIONS, SFU, SIGN, TAKES_FLOATS, UNARY, WORD, add_carry, colour,
    mul_carry, pack, replace, signed, small_immediate, unpack, value as value_of,
)

LANES = range(16)
ALIAS = 0x3FFFFFFF


def field(word, high, low):
    return word >> low & (1 << high - low + 1) - 1


class Block:
    """A VPM setup word: where the next vector lies."""

    def __init__(self, word):
        self.horizontal, self.laned, self.log2 = word >> 11 & 1, word >> 10 & 1, 2 - (word >> 8 & 3)
        self.modulus = 64 << self.log2
        self.address, self.stride = word & 0xFF & self.modulus - 1, word >> 12 & 63 or 64
        self.left = word >> 20 & 15 or 16

    def place(self, lane):
        """The word and the part of it that hold an element."""
        part, at = self.address & (1 << self.log2) - 1, self.address >> self.log2
        step = lane
        if not self.laned and self.log2:
            step, part = part * (16 >> self.log2) + (lane >> self.log2), lane & (1 << self.log2) - 1
        word = at * 16 + step if self.horizontal else ((at & ~15) + step) * 16 + (at & 15)
        return word, part

    def bits(self):
        return 32 >> self.log2

    def advance(self):
        self.address = (self.address + self.stride) % self.modulus
        self.left -= 1


class Qpu:
    def __init__(self, number, memory, uniforms):
        self.number, self.memory, self.uniforms = number, memory, uniforms
        self.files = {name: [[0] * 16 for _ in range(32)] for name in "ab"}
        self.accumulators = [[0] * 16 for _ in range(6)]
        self.flags = {name: [False] * 16 for name in "znc"}
        self.last_read, self.last_product = {"a": [0] * 4, "b": [0] * 4}, [0] * 4
        self.ms_flags, self.rev_flag = [0] * 16, 0
        self.vpm, self.reads, self.writes = [0] * 2048, [], None
        self.load_setup, self.pitch, self.store_setup, self.stride = 0, 0, 0, 0
        self.lookups, self.swaps = [[], []], True
        # Of the next texture lookup: words of configuration, and t, r and b.
        self.texture, self.coordinates = [[], []], [{}, {}]
        self.functions, self.branches = [], []
        self.index, self.host_interrupts = 0, 0
        # What registers held that the last instruction has written, and those of the one that executes.
        self.old, self.written = {}, {}

    # Memory is a dictionary of words.

    def word(self, address):
        return self.memory[(address & ALIAS) >> 2]

    def byte(self, address):
        return self.word(address) >> 8 * (address & 3) & 255

    def set_byte(self, address, value):
        at = (address & ALIAS) >> 2
        self.memory[at] = replace(self.memory[at], 8, address & 3, value)

    # Flow.

    def run(self, code, base, pc, end):
        while pc != end:
            while self.functions and self.functions[0][0] <= self.index:
                self.accumulators[4] = self.functions.pop(0)[1]
            self.written = {}
            self.execute(code[(pc - base) // 8], pc)
            self.old = self.written
            self.index += 1
            pc += 8
            self.branches = [(left - 1, target) for left, target in self.branches]
            pc = next((target for left, target in self.branches if left == 0), pc)
            self.branches = [branch for branch in self.branches if branch[0]]

    def execute(self, word, pc):
        signal = field(word, 63, 60)
        if signal == 15:
            self.branch(word, pc)
        elif signal == 14:
            self.load_immediate(word)
        else:
            self.alu(word, signal)

    def branch(self, word, pc):
        condition, register = field(word, 55, 52), field(word, 49, 45)
        flags = self.flags["znc"[condition >> 2]] if condition < 12 else []
        taken = condition == 15 or [all(flags), not any(flags), any(flags), not all(flags)][condition & 3]
        target = (word & WORD) + (pc + 32 if field(word, 51, 51) else 0)
        if field(word, 50, 50):
            target += self.register("a", register)[15]
        if not taken:
            return
        link = [pc + 32 & WORD] * 16
        for file, address in self.outputs(word):
            self.write(file, address, link, [True] * 16, None)
        self.branches.append((4, target & WORD))
        # Bit 45 is also the one that sets flags.
        if register & 1:
            self.set_flags(link, [False] * 16, [True] * 16)

    def load_immediate(self, word):
        kind, low, high = field(word, 59, 57), word & 0xFFFF, word >> 16 & 0xFFFF
        if kind in (1, 3):
            weight = -2 if kind == 1 else 2
            value = [(low >> lane & 1) + weight * (high >> lane & 1) & WORD for lane in LANES]
        else:
            value = [word & WORD] * 16
        conditions, enabled = self.conditions(word)
        if field(word, 45, 45):
            by_mul = conditions[0] == 0 and conditions[1] != 0
            self.set_flags(value, [False] * 16, enabled[by_mul])
        mode = 0 if field(word, 56, 56) else field(word, 55, 52)
        for (file, address), condition, lanes in zip(self.outputs(word), conditions, enabled):
            packs = file == "a" and address < 32 and mode
            merge = (lambda lane, old: pack(mode, old, value[lane], False, None)) if packs else None
            if condition:
                self.write(file, address, value, lanes, merge)

    # Operands.

    def register(self, file, number):
        return self.old.get((file, number), self.files[file][number])

    def read(self, file, address, taken):
        """What comes through a port; `taken` keeps what an instruction takes once for both."""
        last = self.last_read[file]
        if address == 39:
            return [last[lane & 3] for lane in LANES]
        if address < 32:
            value = list(self.register(file, address))
        elif address == 32:
            if "uniform" not in taken:
                taken["uniform"] = [self.next_uniform()] * 16
            value = taken["uniform"]
        elif address == 48:
            if "vpm" not in taken:
                taken["vpm"] = self.read_vpm()
            value = taken["vpm"]
        elif address == 41:
            value = [lane >> (file == "b") & 1 for lane in LANES]
        elif address == 42:
            value = list(self.ms_flags) if file == "a" else [self.rev_flag] * 16
        elif address == 49:
            value = [0] * 16
        else:
            value = list(LANES) if file == "a" else [self.number] * 16
        self.last_read[file] = value[12:]
        return value

    def next_uniform(self):
        word = self.word(self.uniforms)
        self.uniforms = self.uniforms + 4 & WORD
        return word

    def alu(self, word, signal):
        op_mul, op_add = field(word, 31, 29), field(word, 28, 24)
        muxes = [field(word, high, high - 2) for high in (11, 8, 5, 2)]
        taken = {}
        inputs = [list(value) for value in self.accumulators]
        inputs.append(self.read("a", field(word, 23, 18), taken))
        code = field(word, 17, 12)
        rotation = 0
        if signal == 13:
            inputs.append([small_immediate(code)] * 16)
            self.last_read["b"] = inputs[7][12:]
            rotation = 0 if code < 48 else self.accumulators[5][0] & 15 if code == 48 else code - 48
        else:
            inputs.append(self.read("b", code, taken))
        self.unpack_input(word, op_add, op_mul, muxes, inputs)

        sums, carries = [0] * 16, [False] * 16
        a, b = inputs[muxes[0]], inputs[muxes[1]]
        if op_add:
            sums = [ADD_OPERATIONS[op_add](x, y) for x, y in zip(a, b)]
            carries = [add_carry(op_add, x, y, z) for x, y, z in zip(a, b, sums)]
        product_carries = [False] * 16
        if op_mul:
            moved = [self.rotated(mux, inputs[mux], rotation) for mux in muxes[2:]]
            products = [MUL_OPERATIONS[op_mul](x, y) for x, y in zip(*moved)]
            product_carries = [mul_carry(op_mul, x, y) for x, y in zip(*moved)]
            self.last_product = products[12:]
        else:
            products = [self.last_product[lane & 3] for lane in LANES]

        conditions, enabled = self.conditions(word)
        if field(word, 45, 45) and op_add:
            self.set_flags(sums, carries, enabled[0])
        elif field(word, 45, 45) and op_mul:
            self.set_flags(products, product_carries, enabled[1])
        self.write_back(word, (op_add, op_mul), (a, b), (sums, products), conditions, enabled)
        if signal in (10, 11):
            self.accumulators[4] = self.lookups[self.unit(signal - 10)].pop(0)

    @staticmethod
    def unpack_input(word, op_add, op_mul, muxes, inputs):
        mode = field(word, 59, 57)
        if field(word, 56, 56):
            inputs[4] = [unpack(mode, True, x) for x in inputs[4]]
            return
        adds = muxes[0] == 6 or op_add not in UNARY and muxes[1] == 6
        to_float = adds and op_add in TAKES_FLOATS or 6 in muxes[2:] and op_mul == 1
        inputs[6] = [unpack(mode, to_float, x) for x in inputs[6]]

    @staticmethod
    def rotated(mux, value, by):
        if mux < 4:
            return [value[lane - by & 15] for lane in LANES]
        return [value[lane & 12 | lane - by & 3] for lane in LANES]

    # Results.

    def conditions(self, word):
        conditions = field(word, 51, 49), field(word, 48, 46)
        z, n, c = (self.flags[name] for name in "znc")
        choices = lambda lane: (False, True, z[lane], not z[lane], n[lane], not n[lane], c[lane], not c[lane])
        return conditions, [[choices(lane)[condition] for lane in LANES] for condition in conditions]

    @staticmethod
    def outputs(word):
        files = "ba" if field(word, 44, 44) else "ab"
        return (files[0], field(word, 43, 38)), (files[1], field(word, 37, 32))

    def set_flags(self, values, carries, enabled):
        for lane in LANES:
            if enabled[lane]:
                self.flags["z"][lane] = values[lane] == 0
                self.flags["n"][lane] = bool(values[lane] & SIGN)
                self.flags["c"][lane] = carries[lane]

    def write_back(self, word, operations, operands, results, conditions, enabled):
        mode, colours = field(word, 55, 52), field(word, 56, 56)
        for slot, (file, address) in enumerate(self.outputs(word)):
            # An idle add ALU writes nothing; an idle mul ALU what it has left.
            if conditions[slot] == 0 or slot == 0 and operations[0] == 0:
                continue
            value, merge = results[slot], None
            is_float = operations[0] in GIVES_FLOATS if slot == 0 else operations[1] == 1
            if colours and slot == 1 and mode:
                merge = lambda lane, old, value=value: colour(mode, old, value[lane])
            elif not colours and mode and file == "a" and address < 32:
                overflows = self.overflows(operations[0], *operands) if slot == 0 else [None] * 16
                merge = lambda lane, old, value=value, is_float=is_float: pack(
                    mode, old, value[lane], is_float, overflows[lane])
            self.write(file, address, value, enabled[slot], merge)

    @staticmethod
    def overflows(op, a, b):
        """For each lane what pack makes of an add or sub that overflows."""
        def of(x, y):
            result = signed(x) + signed(y) if op == 12 else signed(x) - signed(y)
            if op not in (12, 13) or -SIGN <= result < SIGN:
                return None
            limit = SIGN if add_carry(op, x, y, 0) else SIGN - 1
            return op == 12, limit, x == limit and y == limit
        return [of(x, y) for x, y in zip(a, b)]

    def write(self, file, address, value, enabled, merge):
        """Writes a result; `merge` packs it into what its destination holds."""
        if address < 36 or address == 37:
            self.write_vector(file, address, value, enabled, merge)
        elif address == 36:
            self.swaps = value[0] == 0
        elif address == 38:
            self.host_interrupts += any(value[lane] and enabled[lane] for lane in LANES)
        elif address == 40:
            self.uniforms = value[0] & ~3 if file == "a" else self.uniforms + 4 * value[0] & WORD
        elif address == 42 and file == "a":
            self.ms_flags = [value[n] & 15 if enabled[n] else self.ms_flags[n] for n in LANES]
        elif address == 42:
            self.rev_flag = value[0] & 1 if enabled[0] else self.rev_flag
        elif address == 48:
            self.write_vpm(value)
        elif address == 49:
            self.set_up(file, value[0])
        elif address == 50 and file == "a":
            self.load(value[0])
        elif address == 50:
            self.store(value[0])
        elif address in SFU:
            self.functions.append((self.index + 3, [SFU[address](x) for x in value]))
        elif address >= 56:
            self.look_up(self.unit(address >= 60), address & 3, value)
        else:
            assert address in (39, 51), address

    def write_vector(self, file, address, value, enabled, merge):
        source = list(LANES)
        if address < 32:
            register = self.files[file][address]
            self.written[file, address] = list(register)
        else:
            register = self.accumulators[address - 32]
        if address == 37:
            source = [lane & 12 if file == "a" else 0 for lane in LANES]
        for lane, origin in enumerate(source):
            if enabled[origin]:
                register[lane] = merge(origin, register[lane]) if merge else value[origin]

    def unit(self, addressed):
        return int(addressed) ^ (self.number >> 1 & self.swaps)

    def look_up(self, unit, part, value):
        texture = self.texture[unit]
        if part or texture:
            texture.append(self.next_uniform())
        if part:
            self.coordinates[unit][part] = value
            return
        if texture:
            coordinates = self.coordinates[unit]
            t, border = coordinates.get(1, [0] * 16), coordinates.get(2, [0] * 16)
            result = [self.texel(texture, *lane) for lane in zip(value, t, border)]
        else:
            result = [self.word(x) for x in value]
        self.lookups[unit].append(result)
        self.texture[unit], self.coordinates[unit] = [], {}

    def texel(self, texture, s, t, border):
        """Of a raster RGBA32R image whose width is a power of two, without filter."""
        base, shape = texture[0] & ~0xFFF, texture[1]
        places = []
        for coordinate, size, wrap in ((s, shape >> 8 & 0x7FF, shape & 3), (t, shape >> 20 & 0x7FF, shape >> 2 & 3)):
            # Units of value() times the size, rounded down.
            at = value_of(coordinate) * size >> 149
            mirrored = at % (2 * size)
            inside = at if 0 <= at < size else None
            places.append([at % size, max(0, min(at, size - 1)), min(mirrored, 2 * size - 1 - mirrored), inside][wrap])
        x, y = places
        return border if None in places else self.word(base + 4 * (y * (shape >> 8 & 0x7FF) + x))

    # VPM and DMA.

    def read_vpm(self):
        block, bits = self.reads[0], self.reads[0].bits()
        places = [block.place(lane) for lane in LANES]
        block.advance()
        self.reads = [block for block in self.reads if block.left]
        return [self.vpm[word] >> bits * part & (1 << bits) - 1 for word, part in places]

    def write_vpm(self, value):
        for lane in LANES:
            word, part = self.writes.place(lane)
            self.vpm[word] = replace(self.vpm[word], self.writes.bits(), part, value[lane])
        self.writes.advance()

    def set_up(self, file, word):
        kind = word >> 30
        if kind == 0 and file == "a":
            if sum(block.left for block in self.reads) < 2:
                self.reads.append(Block(word))
        elif kind == 0:
            self.writes = Block(word)
        elif file == "a" and word >> 28 == 9:
            self.pitch = word & 0x1FFF
        elif file == "a":
            self.load_setup = word
        elif kind == 2:
            self.store_setup = word
        else:
            self.stride = word & 0xFFFF

    @staticmethod
    def mode(modew):
        """log2 of the items in a word, and the first of them."""
        return (0, 0) if modew == 0 else (1, modew & 1) if modew < 4 else (2, modew & 3)

    def load(self, address):
        setup = self.load_setup
        log2, part = self.mode(setup >> 28 & 7)
        pitch = 8 << (setup >> 24 & 15) if setup >> 24 & 15 else self.pitch
        length, rows, step = (setup >> shift & 15 or 16 for shift in (20, 16, 12))
        width = 4 >> log2
        for row in range(rows):
            start = ((setup >> 4 & 127) << log2 | part) + row * step
            y, first = start >> log2, start & (1 << log2) - 1
            for element in range(length):
                at = address + row * pitch + element * width
                item = sum(self.byte(at + n) << 8 * n for n in range(width))
                down, over = first + element >> log2, first + element & (1 << log2) - 1
                word = (y + down) * 16 + (setup & 15) if setup >> 11 & 1 else y * 16 + (setup & 15) + down
                word %= 2048
                self.vpm[word] = replace(self.vpm[word], 8 * width, over, item)

    def store(self, address):
        setup = self.store_setup
        log2, part = self.mode(setup & 7)
        y, x, width = setup >> 7 & 127, setup >> 3 & 15, 4 >> log2
        for row in range(setup >> 23 & 127 or 128):
            for element in range(setup >> 16 & 127 or 128):
                down, over = part + element >> log2, part + element & (1 << log2) - 1
                if setup >> 14 & 1:
                    word = (y + row) * 16 + x + down
                else:
                    word = (y + (x + row) // 16 * 16 + down) * 16 + (x + row) % 16
                item = self.vpm[word % 2048] >> 8 * width * over
                for n in range(width):
                    self.set_byte(address, item >> 8 * n & 255)
                    address += 1
            address += self.stride
