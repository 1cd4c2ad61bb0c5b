"""The link against every interleaving that hypothesis thinks of: nothing lost, nothing twice, and soon well again.

A state machine over the real core and the real firmware of the simulator. Each rule is something that one end does or
that strikes it, with a line between them on which a frame meets what the rule said it would (``wire.py``). The promises
are asserted in every tick (``world.py``). ``make soak`` looks for new courses; a failure prints the shortest one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from tests.protocol.wire import Fate
from tests.protocol.world import RECOVERY, World

MOST_TICKS = 60
"""Three seconds: a lease, and longer than the silence that ends a link."""

COURSES = 250
"""Played at least; `--hypothesis-profile=explore`, which ``make soak`` sets, plays other ones and more."""

HEARTBEAT = 10
"""Ticks from one to the next."""

FATES = st.lists(st.sampled_from([None, *Fate]), min_size=1, max_size=12)
"""What frames meet, one after another; None: nothing."""

SETTINGS = hypothesis.settings(
    stateful_step_count=50,
    max_examples=max(COURSES, hypothesis.settings.default.max_examples),
    report_multiple_bugs=False,
)

STRIKES = (
    "controller killed",
    "an older journal restored",
    "device reset, memory kept",
    "device reset, memory lost",
    "device hung",
    "unplugged",
    "slow flush",
    "deaf",
    *(fate.value for fate in Fate),
)


class LinkMachine(RuleBasedStateMachine):
    """What can happen to a link, each a rule; ``struck`` and ``slowest`` outlive the courses of one run."""

    struck: Counter[str]
    slowest: list[float]
    world: World
    calming = False

    @initialize(seed=st.integers(0, 2**32), badness=st.sampled_from((0.0, 0.2, 0.5)), lively=st.booleans())
    def begin(self, seed: int, badness: float, lively: bool) -> None:
        self.world = World(seed, self.struck)
        self.lively = self.world.lively = lively
        self.world.up.badness = self.world.down.badness = badness

    @rule(ticks=st.integers(1, HEARTBEAT))
    def a_moment_passes(self, ticks: int) -> None:
        self.world.pass_time(ticks)

    @rule(ticks=st.integers(HEARTBEAT, MOST_TICKS))
    def a_while_passes(self, ticks: int) -> None:
        self.world.pass_time(ticks)

    # ---- what both ends do

    @rule(faces=st.lists(st.integers(1, 52), min_size=1, max_size=10))
    def cards_are_pulled(self, faces: list[int]) -> None:
        for face in faces:
            self.world.device.deal(face)

    @rule(times=st.integers(1, 30))
    def the_lid_moves(self, times: int) -> None:
        for _ in range(times):
            self.world.device.move_lid()

    @rule(keys=st.integers(1, 9))
    def keys_are_pressed(self, keys: int) -> None:
        for _ in range(keys):
            self.world.device.press()

    @rule()
    def the_command_ends(self) -> None:
        self.world.device.finish()

    @rule()
    def the_host_releases(self) -> None:
        self.world.host.release()

    @rule()
    def the_host_holds(self) -> None:
        self.world.host.hold()

    @rule()
    def the_host_orders_a_command(self) -> None:
        self.world.host.order_command()

    @rule()
    def the_host_gives_a_command_up(self) -> None:
        self.world.host.give_up()

    # ---- what strikes

    @rule(fates=FATES)
    def the_next_frames_to_the_host_meet(self, fates: list[Fate | None]) -> None:
        self.world.up.planned.extend(fates)

    @rule(fates=FATES)
    def the_next_frames_to_the_device_meet(self, fates: list[Fate | None]) -> None:
        self.world.down.planned.extend(fates)

    @rule(ticks=st.integers(0, MOST_TICKS))
    def the_controller_is_killed(self, ticks: int) -> None:
        self.world.kill(ticks)

    @rule(ticks=st.integers(0, MOST_TICKS))
    def an_older_journal_is_restored(self, ticks: int) -> None:
        self.world.restore(ticks)

    @rule(memory_lost=st.booleans())
    def the_device_resets(self, memory_lost: bool) -> None:
        self.world.reset(memory_lost)

    @rule(ticks=st.integers(1, MOST_TICKS))
    def the_device_hangs(self, ticks: int) -> None:
        self.world.hang(ticks)

    @rule()
    def the_cable_is_pulled(self) -> None:
        self.world.unplug()

    @rule()
    def the_cable_is_plugged_in(self) -> None:
        self.world.replug()

    @rule(ticks=st.integers(1, 2 * MOST_TICKS))
    def the_disk_is_slow(self, ticks: int) -> None:
        self.world.slow_flush(ticks)

    @rule()
    def the_device_hears_nothing_any_more(self) -> None:
        self.world.deafen()
        self.world.lively = self.lively

    # ---- and then no more

    @rule()
    def the_faults_stop(self) -> None:
        self._calm_down()

    def teardown(self) -> None:
        if self.world.is_sound and not self.calming:  # a failure must not be buried under another
            self._calm_down()

    def _calm_down(self) -> None:
        self.calming = True
        self.world.calm_down()
        self.calming = False
        self.world.lively = self.lively
        self.slowest.append(self.world.slowest)


def play(struck: Counter[str], slowest: list[float], settings: hypothesis.settings | None = None) -> None:
    """Play as many courses as the profile says."""
    machine = type("LinkMachine", (LinkMachine,), {"struck": struck, "slowest": slowest})
    run_state_machine_as_test(machine, settings=settings or SETTINGS)


@pytest.mark.field("BR-049")
@pytest.mark.timeout(3600)
def test_the_link_keeps_its_promises_whatever_happens_and_soon_recovers(
    record_property: Callable[[str, object], None],
) -> None:
    struck, slowest = Counter[str](), list[float]()
    play(struck, slowest)
    counts = ", ".join(f"{what} {struck[what]}" for what in STRIKES)
    record_property("told", f"the link's model: {counts}")
    record_property("told", f"slowest of {len(slowest)} recoveries: {max(slowest):.2f} s of {RECOVERY:.2f} s allowed")
    assert set(struck) == set(STRIKES)
