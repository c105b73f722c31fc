"""Blocks of memory at bus addresses that are not used again before all others were."""

import mmap

PAGE = 4096
FIRST_ADDRESS = 0x40100000
# V3D addresses 1 GiB, with the alias in the upper two bits.
END = 0x80000000

# [bus address, bytes, mmap or None when freed]; the handle is the index + 1.
blocks = []


class VCSM:
    """Older releases of py-videocore give arguments by place, newer ones by these names."""

    def __init__(self, force=None):
        pass

    def malloc_cache(self, size, cached, name):
        size = (size + PAGE - 1) // PAGE * PAGE
        # A page between blocks is missing, so that an access past the end is a fault.
        address = blocks[-1][0] + blocks[-1][1] + PAGE if blocks else FIRST_ADDRESS
        if address + size > END:
            address = FIRST_ADDRESS
        used = sorted(block[:2] for block in blocks if block[2] is not None)
        for first, length in used:
            if first < address + size + PAGE and address < first + length + PAGE:
                address = first + length + PAGE
        blocks.append([address, size, mmap.mmap(-1, size)])
        return len(blocks), address, address, blocks[-1][2]

    def free(self, handle, usr_buf):
        blocks[handle - 1][2] = None

    def invalidate(self, usr_ptr, size, handle=None):
        pass

    def clean(self, usr_ptr, size, handle=None):
        pass
