"""sabot/1, sans-IO: bytes to frames to messages, and the host's side of the link (README.md is the specification)."""
