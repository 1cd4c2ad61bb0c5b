"""``sabot simulate``: shifts on a virtual clock, drawn from a seed, with ten invariants checked after every event."""
