"""Hands that play a short session by what state the table is in, so that they go on after any restart.

No deed rests on the one before it: each is what somebody would do who comes to the table at this moment. So the same
evening is played to its end wherever the controller was gone, and what was not taken is simply done again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from drivers.protocol.messages import DealerKey, JamPlace
from firmware_bridge.core.alarms import presented
from firmware_bridge.core.words import Incident, IncidentKind, Place, Session, Trigger
from sim_hardware.cards import Card
from tests.kills.world import SETTLED_S, KilledEvening, look_after_restart
from tests.table.evening import DEALER, SUPERVISOR
from tests.table.test_damaged_card import spare, typed

ROUND = 5
"""Cards of the one round."""

ENVELOPE = 77

LOCKED, WRONG_PIN = 202, "000111"

PAUSE = 0.05
"""Seconds between two deeds."""

MOST_DEEDS = 3_000
"""After so many deeds the evening will not end any more."""


class Player:
    """Everybody at the table. ``play`` returns once the set is verified."""

    def __init__(self, evening: KilledEvening) -> None:
        self.evening = evening
        self.restarts = 0
        self.damaged: Card | None = None
        self.deeds: Mapping[Session, Callable[[], object]] = self._deeds_of_the_session()
        self.remedies: Mapping[tuple[IncidentKind, Incident], Callable[[], object]] = self._deeds_at_incidents()

    def play(self) -> None:
        """Play until the session's result is signed."""
        evening = self.evening
        for _ in range(MOST_DEEDS):
            if not evening.is_well:
                self._wait_for_the_controller()
                continue
            if evening.session is Session.VERIFIED:
                return
            self.act()
        raise AssertionError(f"the evening does not end: {evening.session}, {evening.state.incidents}")

    def _wait_for_the_controller(self) -> None:
        """Nobody does anything until all is well again; then the table is looked at."""
        evening, before = self.evening, self.evening.world.before
        assert evening.table.run(60, lambda: evening.is_well), "a controller starts by itself"
        evening.table.wait(SETTLED_S)
        if before is not None:
            look_after_restart(evening, before)
            self.restarts += 1

    def act(self) -> None:
        """Do the one thing that is to be done now, or wait a moment."""
        evening = self.evening
        self._gather()
        number = presented(evening.state)
        if number:
            incident = evening.state.incidents[number]
            wanted = self.remedies.get((incident.kind, incident.state))
            if wanted is None and incident.state is Incident.CLEARED:
                wanted = partial(evening.act, SUPERVISOR, Trigger.CONFIRM_INCIDENT)
            if wanted is None and incident.state in (Incident.RAISED, Incident.COUNT_DIFFERS):
                wanted = partial(evening.act, SUPERVISOR, Trigger.COUNT_MACHINE)
        else:
            wanted = self.deeds.get(evening.session)
        if wanted is not None:
            wanted()
        evening.table.wait(PAUSE)

    # ---- what lies open

    def _gather(self) -> None:
        """What came out of the shoe's tray goes aside: the replacement to the table, a deck that was read to its pile.

        A lid that stands open with nothing left to do is pressed shut.
        """
        hands, state = self.evening.hands, self.evening.state
        if hands.mechanism.shoe_output and state.session is not Session.READING_DECK:
            to = hands.set_aside if state.session in (Session.AWAITING_DECK, Session.ALL_REGULAR) else hands.on_table
            hands.move(hands.take_shoe_output(), to)

    # ---- the course of the session

    def _deeds_of_the_session(self) -> Mapping[Session, Callable[[], object]]:
        step = self.evening.act
        yes = partial(self.evening.key, DealerKey.YES)
        return {
            Session.CLOSED: self._open,
            Session.SHOWING: self._show,
            Session.CHECKING_BACKS: yes,
            Session.MIXING: yes,
            Session.AWAITING_PACK: self._start_or_declare,
            Session.LOADING_PACK: self._load,
            Session.ASKING_PRESENCE: partial(step, SUPERVISOR, Trigger.CONFIRM_PRESENCE),
            Session.READY: self._deal_or_close,
            Session.IN_ROUND: self._deal_on,
            Session.RETURNING: self._give_back,
            Session.DECLARED_CLOSED: partial(step, SUPERVISOR, Trigger.BEGIN_UNLOADING),
            Session.UNLOADING: self.evening.hands.pull_card,
            Session.ASKING_UNLOAD_PRESENCE: partial(step, SUPERVISOR, Trigger.CONFIRM_PRESENCE),
            Session.LOOKING: partial(step, SUPERVISOR, Trigger.RELEASE_LID),
            Session.LID_RELEASED: self.evening.hands.open_lid,
            Session.LID_OPEN: self.evening.hands.close_lid,
            Session.LOOKED: partial(step, SUPERVISOR, Trigger.CONFIRM_EMPTY),
            Session.SORTING: yes,
            Session.AWAITING_DECK: self._lay_deck,
            Session.ALL_REGULAR: partial(step, SUPERVISOR, Trigger.SIGN_RESULT),
        }

    def _open(self) -> None:
        """Somebody tries PINs that are not his, until his number is locked; then the table is opened."""
        if LOCKED in self.evening.state.locked_out:
            self.evening.act(SUPERVISOR, Trigger.OPEN_TABLE)
        else:
            self.evening.identify(LOCKED, WRONG_PIN)

    def _show(self) -> None:
        if self.evening.state.dealer:
            self.evening.key(DealerKey.YES)
        else:
            self.evening.act(DEALER, Trigger.SIGN_IN)

    def _start_or_declare(self) -> None:
        step = Trigger.START_PACK if self.evening.hands.box else Trigger.DECLARE_LOADED
        self.evening.act(SUPERVISOR, step)

    def _load(self) -> None:
        hands, account = self.evening.hands, self.evening.state.account
        half = self.evening.cards // 2
        if hands.mechanism.intake_tray:
            return
        if account.at(Place.MACHINE) < half:
            hands.put_in_intake_tray(hands.box[: half - account.at(Place.MACHINE)])
        elif hands.box and len(self.evening.state.packs) > 0:
            hands.put_in_intake_tray(hands.box)
        else:
            self.evening.act(SUPERVISOR, Trigger.END_PACK)

    def _deal_or_close(self) -> None:
        if self.evening.state.rounds:
            self.evening.act(SUPERVISOR, Trigger.DECLARE_CLOSED)
        else:
            self.evening.hands.pull_card()

    def _deal_on(self) -> None:
        """The round's third card is found damaged, the fourth jams, the fifth is the last."""
        hands = self.evening.hands
        if len(hands.on_table) == 3 and self.damaged is None:
            self.damaged = hands.on_table[-1]
            hands.jam(JamPlace.EXIT)
        if self.damaged in hands.on_table and len(hands.on_table) == 4:
            self.evening.key(DealerKey.DAMAGED_CARD)
        elif len(hands.on_table) < ROUND:
            hands.pull_card()
        else:
            self.evening.key(DealerKey.ROUND_OVER)

    def _give_back(self) -> None:
        hands = self.evening.hands
        if hands.on_table and not hands.mechanism.intake_tray:
            hands.put_in_intake_tray(hands.on_table)

    def _lay_deck(self) -> None:
        hands = self.evening.hands
        if not hands.mechanism.shoe_tray:
            back = hands.on_table[0].back
            hands.put_in_shoe_tray([card for card in hands.on_table if card.back == back])
        self.evening.key(DealerKey.YES)

    # ---- incidents

    def _deeds_at_incidents(self) -> Mapping[tuple[IncidentKind, Incident], Callable[[], object]]:
        step, hands = self.evening.act, self.evening.hands
        yes = partial(self.evening.key, DealerKey.YES)
        jam, damaged = IncidentKind.JAM, IncidentKind.DAMAGED_CARD
        return {
            (jam, Incident.RAISED): partial(step, SUPERVISOR, Trigger.RELEASE_LID),
            (jam, Incident.LID_RELEASED): hands.open_lid,
            (jam, Incident.LID_OPEN): self._clear,
            (jam, Incident.STILL_BLOCKED): partial(step, SUPERVISOR, Trigger.RELEASE_LID),
            (jam, Incident.ASKING_DAMAGE): partial(step, SUPERVISOR, Trigger.ANSWER_NO),
            (damaged, Incident.RAISED): self._name,
            (damaged, Incident.AWAITING_REPLACEMENT): self._replace,
            (damaged, Incident.ASKING_BACK): yes,
            (damaged, Incident.AWAITING_SEAL): partial(step, SUPERVISOR, Trigger.CONFIRM_REPLACEMENT, ENVELOPE),
        }

    def _clear(self) -> None:
        hands = self.evening.hands
        if hands.mechanism.jam is not None:
            hands.put_inside([hands.take_stuck_card()])
        hands.close_lid()

    def _name(self) -> None:
        assert self.damaged is not None
        self.evening.act(SUPERVISOR, Trigger.NAME_CARD, typed(self.damaged))

    def _replace(self) -> None:
        hands = self.evening.hands
        assert self.damaged is not None
        if self.damaged in hands.on_table:
            hands.move([self.damaged], hands.set_aside)
            fresh = spare(self.damaged)
            hands.on_table.append(fresh)
            hands.put_in_shoe_tray([fresh])
        self.evening.key(DealerKey.YES)
