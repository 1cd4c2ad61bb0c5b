"""Readers of the journal: they may die without the table noticing."""

from firmware_bridge.readers.follow import Follower, Status, read_status
from firmware_bridge.readers.report import report_session
from firmware_bridge.readers.summary import summary
from firmware_bridge.readers.terminal import render, watch

__all__ = ["Follower", "Status", "read_status", "render", "report_session", "summary", "watch"]
