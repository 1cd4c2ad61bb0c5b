"""The words about devices: who one is, how it is, whether two people approved it."""

from __future__ import annotations

IDENTITY: dict[str, str] = {
    "known": "{name}, firmware {firmware} ({digest})",
    "simulated": ", SIMULATED",
    "never": "never connected",
    "nameless": "a device that names no model and no serial number",
}
"""A device by what it says of itself."""

DEVICES: dict[str, str] = {
    "not_open": "not connected: {why}",
    "last_heard": "last heard {time}",
    "age": "{age} ago",
    "fresh": "heard in the last {seconds} s",
    "unheard": "not heard since the controller began",
    "catching_up": "connected, still telling what happened before",
    "connected": "connected",
    "unknown": "port open, whether it is still there is unknown",
    "port_open": "port open",
    "ignores": "connected, but {why}",
    "see_to": "see to the {device}: {why}",
    "simulated": "simulated",
    "cannot_hold": "cannot hold: its cards are stopped by hand only",
    "send_only": "only talks: it keeps nothing, hears nothing and gives no sign of life",
    "listen_only": "says nothing: whether it shows what it should, a person sees",
    "silent": "not heard for long, and it may be gone: press its test key",
    "jammed": "JAMMED",
    "lid_open": "lid open",
    "tray_occupied": "cards in its tray",
    "output_occupied": "a pack in its output",
    "intake_not_ready": "takes no cards now",
}

APPROVALS: dict[str, str] = {
    "waits": "its turn at the keypad comes after incident {number}",
    "how": "Nothing is approved from here. At the table's keypad: {how}",
    "none": "Every device that is connected is the approved one, or the first session is to come, which approves it.",
}
"""What ``sabot devices approve`` says beside the alarms' own words."""
