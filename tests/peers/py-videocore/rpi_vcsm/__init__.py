"""Stands in for rpi_vcsm, which needs a Raspberry Pi: memory that the simulator will see."""

CACHE_NONE, CACHE_HOST, CACHE_VC, CACHE_BOTH = range(4)
