"""Stands in for py-videocore's mailbox: `execute_qpu` is a job for `qpu run`."""

import json
import os
import struct
import subprocess
import tempfile

from rpi_vcsm.VCSM import PAGE, blocks

QPUSCOPE = os.environ["QPUSCOPE_QPU"]
JOB_KEYS = json.loads(os.environ.get("QPUSCOPE_JOB_KEYS", "{}"))
# A file that gets the V3D clocks of each job.
CLOCKS = os.environ.get("QPUSCOPE_CLOCKS")
LIMIT_SECONDS = 120


class MailBoxException(Exception):
    """A program did not end well. py-videocore itself would call every failure a timeout."""


class MailBox:
    def enable_qpu(self, enable):
        pass

    def close(self):
        pass

    def execute_qpu(self, count, control, noflush, timeout):
        """0 when all programs ended, as the firmware answers; else an exception says what happened."""
        with tempfile.TemporaryDirectory() as folder:
            path = lambda name: os.path.join(folder, name)
            live = [block for block in blocks if block[2] is not None]
            memory, dump = [], []
            for number, (address, size, block) in enumerate(live):
                # Most of a block is still zero; what is written need not be a file.
                used = len(block[:].rstrip(b"\0"))
                with open(path(f"in{number}"), "wb") as file:
                    file.write(block[: (used + PAGE - 1) // PAGE * PAGE or PAGE])
                memory.append({"at": hex(address), "zero": size})
                memory.append({"at": hex(address), "file": f"in{number}"})
                dump.append({"at": hex(address), "bytes": size, "file": f"out{number}"})
                if address <= control < address + size:
                    words = struct.unpack_from(f"<{2 * count}I", block, control - address)
            programs = [
                {"code": hex(code), "uniforms": hex(uniforms)}
                for uniforms, code in zip(words[::2], words[1::2])
            ]
            job = {"memory": memory, "programs": programs, "dump": dump, **JOB_KEYS}
            with open(path("job.json"), "w") as file:
                json.dump(job, file)
            run = subprocess.run(
                [QPUSCOPE, "run", path("job.json")],
                capture_output=True,
                text=True,
                timeout=LIMIT_SECONDS,
            )
            if run.returncode != 0:
                raise MailBoxException(run.stderr.strip())
            if CLOCKS:
                with open(CLOCKS, "a") as file:
                    file.write(f"{json.loads(run.stdout)['cycles']}\n")
            for number, (_, size, block) in enumerate(live):
                with open(path(f"out{number}"), "rb") as file:
                    block[:] = file.read()
        return 0
