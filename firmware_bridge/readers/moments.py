"""Moments of UTC as reports write them."""

from __future__ import annotations

from datetime import UTC, datetime

from firmware_bridge.view import clock


def moment(utc_ns: int) -> str:
    """Write a moment to the second, as any program reads it: ``2026-01-01T00:00:05Z``."""
    return _utc(utc_ns).strftime("%Y-%m-%dT%H:%M:%SZ")


def day(utc_ns: int) -> str:
    """Write the day of a moment: ``2026-01-01``."""
    return _utc(utc_ns).strftime("%Y-%m-%d")


def moment_on(today_ns: int, utc_ns: int) -> str:
    """Write a moment on a page about the day of ``today_ns``: the day is said only where it is another."""
    return clock(utc_ns) if day(today_ns) == day(utc_ns) else f"{day(utc_ns)} {clock(utc_ns)}"


def _utc(utc_ns: int) -> datetime:
    return datetime.fromtimestamp(utc_ns // 10**9, UTC)
