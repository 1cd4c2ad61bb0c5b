"""``sabot devices``: each configured device, where its port is, who has it, what it says of itself, what passed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from math import inf
from pathlib import Path

from drivers.protocol.messages import Capability, capability_words
from drivers.protocol.notices import LinkOpened
from drivers.registry import DRIVERS
from drivers.transport.serial_port import holder_of
from firmware_bridge.core.fold import fold
from firmware_bridge.journal import read_records, require_journal
from firmware_bridge.service import port_facts
from firmware_bridge.service.config import Config, Device
from firmware_bridge.service.linking import OpenPort
from firmware_bridge.service.links_file import FRESH_NS, LinkSeen, read_links
from firmware_bridge.service.port_facts import Holder
from firmware_bridge.service.status import controller_of
from firmware_bridge.service.trial import trial_of
from firmware_bridge.view import approval_lines
from firmware_bridge.view.device_texts import IDENTITY
from firmware_bridge.view.table_view import STALE_NS, connected_words

IDENTIFY_LIMIT = 6.0
"""Seconds that a device may take to say who it is: one more than after which its driver says that nothing answers."""

UNASKED = "no controller runs; --identify opens the port and asks (some devices start anew when they are opened)"


def device_lines(config: Config, utc_ns: int, identify: OpenPort | None = None) -> Iterator[str]:
    """Yield the lines of all devices; with ``identify`` open each port that nobody has locked, and ask."""
    seen = read_links(Path(config.table.status))
    age_ns = seen.age_ns(utc_ns) if seen is not None else 0
    links = seen.links if seen is not None and age_ns <= FRESH_NS else {}
    controller = controller_of(Path(config.table.status))
    for device in config.devices:
        held_by = port_facts.holders(device.port)
        yield f"{device.name}: {device.driver} on {device.port}"
        yield f"    port: {port_words(device, held_by)}"
        if device.name in links:
            can = DRIVERS[device.driver].required
            yield from (f"    {line}" for line in seen_lines(links[device.name], age_ns / 10**9, can))
        elif (holder := holder_of(device.port)) is not None:
            yield f"    {held_words(holder, controller, None if seen is None else age_ns)}"
        elif not port_facts.trouble(device.port):
            yield f"    {identified(device, identify) if identify is not None else UNASKED}"


def approvals(config: Config) -> Iterator[str]:
    """Yield which devices wait for two people, and what these type; it reads the journal and changes nothing."""
    journal = Path(config.table.journal)
    require_journal(journal)
    state = fold((record.number, record.utc_ns, record.body) for record in read_records(journal))
    return approval_lines(state, config.book)


def port_words(device: Device, held_by: list[Holder] | None) -> str:
    """Say where a port leads and who has it."""
    if trouble := port_facts.trouble(device.port):
        return trouble.removeprefix(f"{device.port}: ")
    real = os.path.realpath(port_facts.node_of(device.port))
    leads = "" if real == device.port else f"leads to {real}, "
    if held_by is None:
        return f"{leads}who has it is {port_facts.NOT_KNOWN}"
    if not held_by:
        return f"{leads}nobody has it, as far as this user may see"
    return leads + ", ".join(f"{one} has it" for one in held_by)


def held_words(holder: int, controller: int | None, age_ns: int | None) -> str:
    """Say what a port's lock means; ``age_ns``: how long ago a controller of this table reported, None: never."""
    if holder != controller:
        return f"process {holder} has locked the port and is not this table's controller; stop it, or ask there"
    written = "has written nothing" if age_ns is None else f"wrote last {age_ns / 10**9:.0f} s ago"
    return f"the controller that has the port does not report ({written}); see whether it stands still"


def seen_lines(seen: LinkSeen, age: float, can: Capability) -> Iterator[str]:
    """Say what a running controller has seen, so many seconds ago, of a link to a device that ``can`` at least this."""
    who = _who(seen.identity or ("" if seen.open else "nobody yet"), seen.firmware, seen.simulated)
    passed = seen.statistics
    silent_s = inf if passed.heard_age is None else passed.heard_age + age
    yield f"{who}: " + _standing(seen, can, silent_s * 10**9 <= STALE_NS)
    stage = "" if seen.open else f"{passed.stage.value}; "
    never = "it never speaks" if seen.open else "never heard"
    heard = never if passed.heard_age is None else f"heard {silent_s:.1f} s ago"
    yield (
        f"{stage}{heard}; {passed.frames} frames, {passed.errors} errors, "
        f"the port opened {passed.opens} times and failed {passed.failures} times"
    )


def _standing(seen: LinkSeen, can: Capability, is_fresh: bool) -> str:
    """Whether it is connected, as far as that can be known; of one that is and has a reason beside it, that reason."""
    if not seen.open:
        return f"not connected: {seen.reason}"
    return f"connected, but {seen.reason}" if seen.reason else connected_words(can, is_fresh)


def identified(device: Device, open_port: OpenPort) -> str:
    """Ask a device who it is."""
    with trial_of(device, open_port) as trial:
        trial.opens(IDENTIFY_LIMIT)
        return hello_words(trial.opened) if trial.opened else f"it does not say who it is: {trial.trouble}"


def hello_words(opened: LinkOpened) -> str:
    """Say in words what a device says of itself."""
    hello = opened.hello
    who = _who(f"{hello.model} {hello.serial}".strip(), hello.firmware, hello.simulated)
    return f"{who}; {capability_words(hello.capabilities)}"


def _who(name: str, firmware: str, simulated: bool) -> str:
    return (
        (name or IDENTITY["nameless"])
        + (f", firmware {firmware}" if firmware else "")
        + (", simulated" if simulated else "")
    )
