"""Drivers of the table's devices: bytes on a line in, typed notices out; they decide nothing."""
