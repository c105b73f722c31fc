"""Runs random programs on the simulator and on the model, and compares all that they leave.

    python3 compare.py LIBRARY FIRST_SEED COUNT

LIBRARY is libqpuscope. Prints how many programs agree; or what the first that does not has left, and exits
with 1. A mistake is found soonest with a smaller BODY.
"""

import ctypes
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "examples"))
sys.path.insert(0, str(HERE))

import programs  # noqa: E402
import v3d_sim  # noqa: E402
from programs import CODE, DATA, FIRST_UNIFORM, INITIAL, OUT, OUT_WORDS, TABLE, UNIFORMS  # noqa: E402
from qpu import ALIAS, Qpu  # noqa: E402

# With time; without; and without in another order of QPUs, which are held now and then.
MODES = ({}, {"flags": 1}, {"flags": 4, "seed": 1})
BODY = 250
# Code of companions: so much for each.
COMPANION, COMPANION_BYTES = OUT + 0x2_0000, 0x8000


def array(words, kind=ctypes.c_uint32):
    return (kind * len(words))(*words)


def simulate(library, program, companions, mode):
    """The words of DATA and OUT, and host interrupts. Companions are started first, on the highest QPUs."""
    data, out = array(program.data), array([0] * OUT_WORDS)
    regions = [
        (CODE, array(program.code, ctypes.c_uint64)), (UNIFORMS, array(program.uniforms)),
        (INITIAL, array(program.initial)), (TABLE, array(program.table)), (DATA, data), (OUT, out),
    ]
    regions += [(companion.base, array(companion.code, ctypes.c_uint64)) for companion in companions]
    queue = [(companion.base, FIRST_UNIFORM) for companion in companions] + [(CODE, FIRST_UNIFORM)]
    result, _ = v3d_sim.run(library, regions, queue, limit_cycles=10_000_000, **mode)
    return list(data), list(out), result.host_interrupts


def predict(program, number):
    """The same by the model of QPU `number`, names with the words of OUT."""
    memory = {}
    for address, words in ((UNIFORMS, program.uniforms), (INITIAL, program.initial), (TABLE, program.table),
                           (DATA, program.data)):
        memory.update({((address & ALIAS) >> 2) + n: word for n, word in enumerate(words)})
    qpu = Qpu(number, memory, FIRST_UNIFORM)
    qpu.run(program.code, CODE, CODE, CODE + 8 * program.body_end)
    rows = [(f"VPM row {y}", qpu.vpm[16 * y:16 * y + 16]) for y in range(128)]
    values = qpu.accumulators + [qpu.flags[name] for name in "znc"] + qpu.files["a"]
    values += [qpu.ms_flags, [qpu.rev_flag] * 16] + qpu.files["b"]
    rows += zip(programs.SHOWN + programs.SHOWN_B, values)
    data = [memory[((DATA & ALIAS) >> 2) + n] for n in range(len(program.data))]
    return data, rows, qpu.host_interrupts


def differences(seed, library):
    # The seed also says how many companions there are, and what the simulator is asked for.
    chance, beside = random.Random(seed), range(seed % 5)
    program = programs.Program(chance, BODY, len(beside))
    bases = [COMPANION + COMPANION_BYTES * n for n in beside]
    companions = [programs.Companion(chance, 4 * BODY, 0, base) for base in bases]
    data, out, interrupts = simulate(library, program, companions, MODES[seed % len(MODES)])
    expected_data, rows, expected_interrupts = predict(program, 11 - len(beside))
    for number, (name, row) in enumerate(rows):
        for lane, (found, wanted) in enumerate(zip(out[16 * number:], row)):
            if found != wanted:
                yield f"{name}, element {lane}: {found:#010x}, and {wanted:#010x} by the model"
    for number, (found, wanted) in enumerate(zip(data, expected_data)):
        if found != wanted:
            yield f"memory at {DATA + 4 * number:#010x}: {found:#010x}, and {wanted:#010x} by the model"
    if interrupts != expected_interrupts:
        yield f"{interrupts} host interrupts, and {expected_interrupts} by the model"


def main():
    library = ctypes.CDLL(sys.argv[1])
    first, count = int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        found = list(differences(seed, library))
        if found:
            print(f"seed {seed}: {len(found)} words differ", *found[:20], sep="\n")
            sys.exit(1)
    print(f"{count} programs agree")


if __name__ == "__main__":
    main()
