"""Blocks of memory at bus addresses that are never used twice."""

import mmap

PAGE = 4096
FIRST_ADDRESS = 0x40100000

# [bus address, bytes, mmap or None when freed]; the handle is the index + 1.
blocks = []


class VCSM:
    def malloc_cache(self, size, mode, name):
        size = (size + PAGE - 1) // PAGE * PAGE
        # A page between blocks is missing, so that an access past the end is a fault.
        address = blocks[-1][0] + blocks[-1][1] + PAGE if blocks else FIRST_ADDRESS
        blocks.append([address, size, mmap.mmap(-1, size)])
        return len(blocks), address, address, blocks[-1][2]

    def free(self, handle, buffer):
        blocks[handle - 1][2] = None

    def invalidate(self, address, size):
        pass

    def clean(self, address, size):
        pass
