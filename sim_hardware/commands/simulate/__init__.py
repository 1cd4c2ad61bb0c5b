"""``sabot simulate``: shifts on a virtual clock, drawn from a seed, with invariants checked after every event."""
