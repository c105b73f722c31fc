"""Blocks of memory at bus addresses that are never used twice."""

import mmap

PAGE = 4096
FIRST_ADDRESS = 0x40100000

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
        blocks.append([address, size, mmap.mmap(-1, size)])
        return len(blocks), address, address, blocks[-1][2]

    def free(self, handle, usr_buf):
        blocks[handle - 1][2] = None

    def invalidate(self, usr_ptr, size, handle=None):
        pass

    def clean(self, usr_ptr, size, handle=None):
        pass
