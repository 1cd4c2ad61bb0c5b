"""Invariant 3, of the steps themselves: what must be so when a step is taken, from the clauses, not from the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from drivers.cards import ALL_FACES, DECK_SIZE, UNREAD, Face
from drivers.protocol.messages import Capability, CardDrawn, DealerKey, DealerKeyPressed, Kind, Purpose
from firmware_bridge.service.inspection import (
    Course,
    IncidentKind,
    Logged,
    Place,
    Procedure,
    Session,
    State,
    Trigger,
    changes,
    events,
)
from sim_hardware.commands.simulate.invariants.remedies import (
    TOUCH_THE_ORDER,
    WANT_EVERY_CARD,
    an_open_card_is_in_doubt,
)
from sim_hardware.commands.simulate.watch import Invariant, Watch, is_open
from sim_hardware.commands.simulate.world import World
from sim_hardware.commands.stepped import SECOND

ANSWERS = frozenset({DealerKey.YES, DealerKey.ROUND_OVER})

ONE_DECK = Counter(ALL_FACES)
OUT = (Place.TABLE, Place.DISCARD)
IN_PLAY = frozenset({Session.READY, Session.IN_ROUND, Session.ASKING_ROUND, Session.RETURNING})
"""States of a session in which cards come out to be played, and go back."""

May = Callable[[State, int], bool]
"""Whether a step may be taken: the state that it leads to (devices stand as before it), and what was typed."""


def _all_shut(state: State, _value: int) -> bool:
    return not any(one.lid_open or one.tray_occupied or one.jammed for one in state.devices.values())


def _all_there(state: State, _value: int) -> bool:
    return all(one.open and one.caught_up for one in state.devices.values())


def _trays_empty(state: State, _value: int) -> bool:
    machine = state.devices.get("shuffler")
    return machine is not None and not machine.tray_occupied


def _no_claim(state: State, _value: int) -> bool:
    return state.claim.value == "none"


def _no_incident(state: State, _value: int) -> bool:
    return not state.incidents


def _machine_works(state: State, _value: int) -> bool:
    machine = state.devices.get("shuffler")
    lids = any(one.lid_open for one in state.devices.values())
    return machine is not None and machine.is_there and not machine.jammed and not lids


def _may_be_counted(state: State, value: int) -> bool:
    """Where people fill the shoe, what comes out of it is the count: no machine makes it."""
    return state.fed_by_hand or _machine_works(state, value)


def _answers(state: State, _value: int) -> bool:
    """The machine is there to release its lid, and to tell of it and of its path."""
    machine = state.devices.get("shuffler")
    return machine is not None and machine.open


def _mended(state: State, value: int) -> bool:
    return _answers(state, value) and not any(one.jammed or one.lid_open for one in state.devices.values())


def _given_up(state: State, _value: int) -> bool:
    return any(one.state.value == "out_of_service" for one in state.incidents.values())


def _looked_into(state: State, value: int) -> bool:
    machine = state.devices.get("shuffler")
    if machine is not None and not machine.open and _given_up(state, value):
        return True
    return not any(one.lid_open or one.tray_occupied for one in state.devices.values())


def _no_card_back(state: State, _value: int) -> bool:
    return bool(state.rounds) and state.first_back_at is None


def _not_supervisor(state: State, _value: int) -> bool:
    return state.dealer != state.supervisor


def _pack_holds_cards(state: State, _value: int) -> bool:
    return bool(state.packs) and state.packs[-1] >= 1


def _is_a_card(state: State, value: int) -> bool:
    return 1 <= value // 1000 <= state.all_decks and 1 <= value // 100 % 10 <= 4 and 1 <= value % 100 <= 13


def _tray_holds_a_card(state: State, _value: int) -> bool:
    shoe = state.devices.get("shoe")
    return shoe is not None and shoe.tray_occupied


def _one_replacement(state: State, _value: int) -> bool:
    at_it = ("reading_replacement", "asking_back", "awaiting_seal", "reading_again")
    return sum(one.state.value in at_it for one in state.incidents.values()) <= 1


def _is_counted(state: State, value: int) -> bool:
    return 0 < value <= state.decks * DECK_SIZE


def _by_eye(state: State, _value: int) -> bool:
    shoe = state.devices.get("shoe")
    reads = Capability.READS_FACES
    return shoe is not None and (shoe.kind is Kind.DEALER_KEYS or reads not in shoe.capabilities)


def _by_reader(state: State, value: int) -> bool:
    return not _by_eye(state, value)


def _cards_are_left(state: State, _value: int) -> bool:
    return state.account.at(Place.OUTSIDE) > 0 and state.account.at(Place.OVER) == 0


def _path_is_clear(state: State, _value: int) -> bool:
    return not any(one.jammed for one in state.devices.values())


def _is_not_the_set(state: State, _value: int) -> bool:
    return state.account.inside != state.decks * DECK_SIZE or state.account.at(Place.OVER) > 0


def _may_be_ready(state: State, value: int) -> bool:
    """The set is inside; that of a batch shuffler is not, and nothing is dealt before it was shuffled (SB-5)."""
    return state.takes_whole_sets or not _is_not_the_set(state, value)


def _decks_are_left(state: State, _value: int) -> bool:
    return state.cards_at(Place.UNLOADED) > 0


def _nothing_at_mouth(state: State, _value: int) -> bool:
    return state.account.at(Place.SHOE) <= 0


def _no_pack_in_shoe(state: State, value: int) -> bool:
    return state.takes_single_cards or _nothing_at_mouth(state, value)


def _dealer_sits(state: State, _value: int) -> bool:
    return state.dealer != 0


WHEN: tuple[tuple[str, str, May, str, str], ...] = (
    # the step, where it leads ("" anywhere), what must be so, its clause, and what is wrong otherwise
    (Trigger.OPEN_TABLE, "showing", _all_shut, "PT-A5", "a lid stands open, or a card lies in a tray or is stuck"),
    (Trigger.OPEN_TABLE, "showing", _all_there, "SB-1", "a device is not there"),
    (Trigger.OPEN_TABLE, "showing", lambda state, _: state.screen_shown, "SB-2", "no screen shows the table"),
    (Trigger.CONFIRM_DECK, "", _by_eye, "PT-A6", "the shoe, which reads faces, did not read it"),
    (Trigger.CONFIRM_DECK, "", _is_counted, "PT-A6", "nobody counted it"),
    (Trigger.SIGN_IN, "", _not_supervisor, "SB-3", "dealer and supervisor are one person"),
    (Trigger.END_PACK, "", _trays_empty, "PT-A5", "cards lie in the intake tray"),
    (Trigger.END_PACK, "", _pack_holds_cards, "PT-A5", "the pack has no card"),
    (Trigger.DECLARE_LOADED, "", _trays_empty, "PT-A5", "cards lie in the intake tray"),
    (Trigger.DECLARE_LOADED, "counting_load", _machine_works, "SB-7", "the machine cannot count"),
    (Trigger.COUNT_MACHINE, "", _may_be_counted, "SB-7", "the machine cannot count"),
    (Trigger.CLAIM, "", _no_card_back, "PT-A12", "the round's cards went in before it"),
    (Trigger.CLOSE_CLAIM, "", lambda _state, value: value in (1, 2, 3), "SB-8", "no outcome is named"),
    (Trigger.DECIDE_ROUND, "", lambda _state, value: value in (1, 2), "SB-2", "nothing is said of the round"),
    (Trigger.CONFIRM_INCIDENT, "", lambda _state, value: value in (0, 1, 2), "SB-2", "no action is named"),
    (Trigger.CONFIRM_REPLACEMENT, "", lambda _state, value: value > 0, "PT-A1", "no envelope is named"),
    (Trigger.NAME_CARD, "", _is_a_card, "PT-A1", "no card of the set is named"),
    (Trigger.YES, "reading_replacement", _tray_holds_a_card, "PT-A1", "no replacement lies in the shoe"),
    (Trigger.YES, "reading_replacement", _one_replacement, "PT-A1", "another replacement is under way"),
    (Trigger.YES, "reading_again", _tray_holds_a_card, "SB-1", "no card lies in the shoe's tray"),
    (Trigger.YES, "reading_again", _one_replacement, "SB-1", "another card is at the reader"),
    (Trigger.YES, "reading_again", _by_reader, "SB-1", "the shoe cannot read it"),
    (Trigger.YES, "asking_back", _one_replacement, "PT-A1", "another replacement is under way"),
    (Trigger.YES, "asking_back", _by_eye, "PT-A1", "the shoe, which reads faces, did not read the replacement"),
    (Trigger.YES, "reading_deck", _tray_holds_a_card, "PT-A6", "no deck lies in the shoe"),
    (Trigger.YES, "reading_deck", _by_reader, "PT-A6", "the shoe cannot read it"),
    (Trigger.YES, "reading_replacement", _by_reader, "PT-A1", "the shoe cannot read it"),
    (Trigger.YES, "", _dealer_sits, "SB-3", "no dealer is signed in"),
    (Trigger.ROUND_OVER, "", _dealer_sits, "SB-3", "no dealer is signed in"),
    (Trigger.CLAIM, "", _dealer_sits, "SB-3", "no dealer is signed in"),
    (Trigger.DECLARE_CLOSED, "declared_closed", _no_claim, "SB-8", "a claim is open"),
    (Trigger.DECLARE_CLOSED, "not_opened", lambda state, _: state.account.inside == 0, "SB-4", "cards are inside"),
    (Trigger.BEGIN_UNLOADING, "", _no_claim, "SB-8", "a claim is open"),
    (Trigger.EMPTY_BY_HAND, "", _given_up, "SB-4", "the machine is not out of service"),
    (Trigger.CONFIRM_EMPTY, "", _looked_into, "SB-4", "the lid stands open, or cards lie in a tray"),
    (Trigger.CONFIRM_EMPTY, "", _no_pack_in_shoe, "SB-4", "cards are in the shoe"),
    (Trigger.COUNTED, "looking", _no_pack_in_shoe, "SB-4", "cards are in the shoe"),
    (Trigger.CONFIRM_EMPTY, "sorting", lambda state, _: state.opened, "PT-A5", "the session never opened"),
    (Trigger.CONFIRM_EMPTY, "emptied", lambda state, _: not state.opened, "PT-A6", "the decks are not verified"),
    (Trigger.SIGN_RESULT, "", _no_incident, "SB-2", "an incident is open"),
    (Trigger.SIGN_DIFFERENCE, "closed_with_difference", _no_incident, "SB-2", "an incident is open"),
    (Trigger.START_PACK, "loading_pack", _cards_are_left, "PT-A5", "no card is outside, or one is in that is over"),
    (Trigger.LID_CLOSED, "asking_damage", _path_is_clear, "PT-A2", "a card still sticks"),
    (Trigger.CUT, "ready", _may_be_ready, "PT-E2", "the set is not inside"),
    (Trigger.NOT_ASKED, "ready", _may_be_ready, "PT-E2", "the set is not inside"),
    (Trigger.DECLARE_LOADED, "wrong_load", _is_not_the_set, "PT-E2", "the load is exactly the set"),
    (Trigger.SHOE_TRAY_EMPTIED, "awaiting_deck", _decks_are_left, "PT-A6", "every deck was read"),
    (Trigger.FEED_EMPTY, "counting_empty", _nothing_at_mouth, "SB-4", "a card stands in the shoe"),
    (Trigger.DECK_REPLACED, "", lambda state, _: not state.under_way, "PT-E4", "a session is under way"),
    (Trigger.SET_REPLACED, "", lambda state, _: not state.under_way, "SB-2", "a session is under way"),
    (Trigger.AUTHORISE_DECK, "", lambda _state, value: value > 0, "PT-E4", "no reference is named"),
    (Trigger.MARK_IMPERFECT, "", lambda state, value: 1 <= value <= state.all_decks, "PT-E4", "no deck is named"),
    (Trigger.REPAIRED, "", _mended, "PT-A2", "it is not mended"),
    (Trigger.RELEASE_LID, "", _answers, "SB-4", "the machine is not there to release it"),
    (Trigger.SHUFFLE_SET, "", _no_claim, "SB-8", "a claim is open"),
    (Trigger.SHUFFLE_SET, "", lambda state, _: not _trays_empty(state, _), "SB-5", "nothing lies in the tray"),
)


DRAWN_FOR: dict[str, Purpose] = {
    # what a card is drawn for where a session takes it: to be dealt, to leave the machine, to be read with its deck
    Session.READY: Purpose.DEAL,
    Session.IN_ROUND: Purpose.DEAL,
    Session.ASKING_ROUND: Purpose.DEAL,
    Session.RETURNING: Purpose.DEAL,
    Session.EMPTYING_SHOE: Purpose.UNLOAD,
    Session.DECLARED_CLOSED: Purpose.DEAL,
    Session.UNLOADING: Purpose.UNLOAD,
    Session.ASKING_UNLOAD_PRESENCE: Purpose.UNLOAD,
    Session.COUNTING_EMPTY: Purpose.UNLOAD,
    Session.READING_DECK: Purpose.VERIFY,
}


class StepsInTheirPlace(Invariant):
    """3, of the steps: each is taken only where the clauses have it, and by a key that answers what was asked."""

    number = 3

    def __init__(self, world: World, watch: Watch) -> None:
        super().__init__(world, watch)
        self._prompt = 0
        self._deck: Counter[Face] = Counter()
        self._irregular = False
        self._is_empty = self._was_given_up = False
        """Whether the machine was counted empty since a card went in; whether it was given up in this session."""
        self._comes_out = False
        """Whether a set was on its way out of shoe or machine before this record (SB-5)."""
        self._found = 0
        """Cards that the last full count found."""
        self._in_shoe = 0
        """Cards that the books had in the shoe before this record."""
        self._came_out: set[Face] = set()
        """Faces that lie open, as far as they were seen, since the cards were last all in."""

    def recorded(self, number: int, logged: Logged) -> None:
        """Look at each step of the record."""
        event = logged.event
        value = event.value if isinstance(event, events.Acted) else 0
        waited = isinstance(event, events.DeviceCaughtUp)  # what it told meanwhile may be a jam: it refuses by itself
        by_key = isinstance(event, events.Told) and isinstance(event.body, DealerKeyPressed)
        for change in logged.decision.changes:
            self._read(change)
            self._follow(change)
            if isinstance(change, changes.Moved):
                self._look_at_step(number, change, value)
                self._look_at_session(number, change, logged)
            elif isinstance(change, changes.OrderGiven) and not (waited or _machine_works(self.state, 0)):
                raise self.broken(
                    f"record {number}: a {change.operation.name.lower()} is ordered of a machine that cannot"
                )
            elif isinstance(change, changes.FullCount) and change.found != change.expected:
                self._look_at_good_count(number)
            elif isinstance(change, changes.CardNamed) and isinstance(event, events.Acted):
                self._look_at_named(number, event.step, change.face)
        if self.state.session == Session.ALL_REGULAR and (self._irregular or self.state.account.at(Place.OVER)):
            raise self.broken(f"record {number}: all is told as regular, and a deck is none or a card is over [PT-A6]")
        if by_key:
            self._look_at_key(number, event.body, logged)  # type: ignore[union-attr, arg-type]
        self._prompt = self.state.prompt
        self._comes_out = bool(self.state.sets_at(Course.COMING_OUT))
        self._in_shoe = self.state.account.at(Place.SHOE)
        if self.state.account.out == 0:
            self._came_out.clear()

    def _look_at_step(self, number: int, moved: changes.Moved, value: int) -> None:
        for trigger, target, may, clause, wrong in WHEN:
            if moved.trigger == trigger and target in ("", moved.target) and not may(self.state, value):
                raise self.broken(f"record {number}: {moved.trigger} to {moved.target}, and {wrong} [{clause}]")

    def _look_at_session(self, number: int, moved: changes.Moved, logged: Logged) -> None:
        if moved.procedure != Procedure.SESSION:
            return
        is_drawn = moved.trigger == Trigger.CARD_DRAWN
        # one that was under way as a set was called out was dealt, and begins a round
        is_put_away = moved.source == moved.target == Session.READY and self._comes_out
        if is_drawn and not self._came_for(Purpose.UNLOAD if is_put_away else DRAWN_FOR[moved.source], logged):
            raise self.broken(f"record {number}: a card drawn for another purpose is taken in {moved.source}")
        if is_drawn:
            self._look_at_drawn(number, moved)
        if moved.trigger == Trigger.CONFIRM_EMPTY and moved.source == Session.LOOKING and self._machine_answers():
            raise self.broken(f"record {number}: the machine answers, and nobody looked into it [SB-4]")
        if moved.trigger == Trigger.ROUND_OVER and moved.target == Session.READY and self.state.takes_single_cards:
            raise self.broken(f"record {number}: a round is over, and nobody waits for its cards [PT-A10]")
        is_by_hand = moved.trigger == Trigger.RELEASE_LID and moved.source == Session.UNLOADING
        if is_by_hand and not (self._found > 0 and self.state.account.inside <= 0):
            raise self.broken(f"record {number}: hands go under the lid, and the machine feeds its cards [SB-4]")
        if moved.trigger == Trigger.CONFIRM_SHOE_EMPTY and self._in_shoe <= 0:
            raise self.broken(f"record {number}: the shoe is said to be empty, and by the books it was [SB-4]")
        is_back = moved.trigger == Trigger.CARD_IN and moved.source == Session.READY
        if is_back and not any(is_open(self.state, kind) for kind in WANT_EVERY_CARD):
            raise self.broken(f"record {number}: a card goes back in ready, and no incident asks for it [BR-004]")
        is_proven = self._is_empty or self._was_given_up or self.state.fed_by_hand  # a shoe: by what came out of it
        if moved.trigger == Trigger.CONFIRM_EMPTY and not is_proven:
            raise self.broken(f"record {number}: confirmed empty, and not counted so since a card went in [SB-4]")
        if moved.source == moved.target:
            return
        if moved.source == Session.COUNTING_LOAD and moved.target == Session.AWAITING_PACK:
            self._look_at_awaited(number)
        if moved.source == Session.RETURNING and moved.target in (Session.READY, Session.DECLARED_CLOSED):
            self._look_at_return(number, moved)
        if moved.source == Session.COUNTING_MACHINE and not self._agrees_or_is_said(logged):
            raise self.broken(f"record {number}: a count differs, and nobody is told [SB-7]")
        found = [one.found for one in logged.decision.changes if isinstance(one, changes.FullCount)]
        account = self.state.account
        if moved.target == Session.READY and moved.source == Session.COUNTING_LOAD:
            whole = self.state.decks * DECK_SIZE
            if found != [whole - account.at(Place.SHOE)] or account.inside != whole:
                raise self.broken(f"record {number}: the session opens on {found} cards of {whole} [PT-E2]")
        if moved.target == Session.VERIFIED and self._irregular:
            raise self.broken(f"record {number}: verified, though a deck was read that is none [PT-A6]")
        if moved.target == Session.LOOKING and moved.trigger != Trigger.EMPTY_BY_HAND and found != [0]:
            raise self.broken(f"record {number}: the machine is taken for empty on a count of {found} [SB-4]")

    def _look_at_drawn(self, number: int, moved: changes.Moved) -> None:
        """A card that is dealt begins a round, a long round is asked about, and the last card out is the last."""
        account, book = self.state.account, self.world.config.book
        machine = self.state.machine
        fed_all = machine is not None and machine.feed_empty and account.at(Place.SHOE) <= 0
        is_left = account.inside > 0 and not fed_all
        if moved.source == Session.UNLOADING and moved.target == Session.COUNTING_EMPTY and is_left:
            raise self.broken(f"record {number}: the machine is counted empty with {account.inside} cards inside")
        limit = self.state.round_limit or book.house.round_card_limit
        if moved.source == Session.IN_ROUND and moved.target == Session.ASKING_ROUND and account.out <= limit:
            raise self.broken(f"record {number}: a round of {account.out} cards is asked about [SB-1]")

    def _look_at_awaited(self, number: int) -> None:
        """PT-E2: a count of another load than the set leaves a pack to come only where a card of it is awaited."""
        at = self.state.account.at
        if at(Place.OVER) or not (at(Place.OUTSIDE) or at(Place.SET_ASIDE)):
            raise self.broken(f"record {number}: the load is wrong, no card of it is awaited, and more may be loaded")

    def _look_at_named(self, number: int, step: Trigger, face: Face) -> None:
        """PT-A1: what the dealer shows in play is a card that came out."""
        is_known = self._came_out and UNREAD not in self._came_out
        if step is Trigger.NAME_CARD and self.state.session in IN_PLAY and is_known and face not in self._came_out:
            raise self.broken(f"record {number}: a card is named that did not come out [PT-A1]")

    def _came_for(self, purpose: Purpose, logged: Logged) -> bool:
        """Whether a card was drawn for this; a device that can hold nothing knows no release, and says none."""
        told = logged.event
        if not (isinstance(told, events.Told) and isinstance(told.body, CardDrawn)):
            return False
        can_hold = Capability.CAN_HOLD in self.state.devices[told.device].capabilities
        return told.body.purpose == (purpose if can_hold else 0)

    def _machine_answers(self) -> bool:
        machine = self.state.devices["shuffler"]
        return machine.open and machine.caught_up

    def _follow(self, change: changes.Change) -> None:
        """Follow what came out, whether the machine was counted empty, or given up, and no card went in since."""
        if isinstance(change, changes.FullCount):
            self._is_empty, self._found = change.found == 0, change.found
        elif isinstance(change, changes.SessionBegan):
            self._was_given_up = False
        elif isinstance(change, changes.Moved):
            self._was_given_up |= change.trigger == Trigger.TAKE_OUT_OF_SERVICE
        elif isinstance(change, changes.Booked):
            self._is_empty = self._is_empty and change.target is not Place.MACHINE
            if change.target in OUT and change.source not in OUT:
                self._came_out.add(change.face)

    def _read(self, change: changes.Change) -> None:
        """Follow what each sorted deck was read to be."""
        if isinstance(change, changes.Booked) and change.cause == "verification":
            self._deck[change.face] += 1
        elif isinstance(change, changes.DeckJudged):
            is_none = not change.by_person and self._deck != ONE_DECK
            if is_none and not (change.missing or change.over or change.unread):
                raise self.broken(f"{change.cards} cards were read that are no deck, and are told as one [PT-A6]")
            by_eye = change.by_person and change.cards != DECK_SIZE
            self._irregular = self._irregular or is_none or by_eye
            self._deck.clear()
        elif isinstance(change, changes.DeckDoubted):
            self._deck.clear()
        elif isinstance(change, changes.VerificationRestarted | changes.SessionBegan):
            self._irregular = False
            self._deck.clear()

    def _agrees_or_is_said(self, logged: Logged) -> bool:
        counts = [one for one in logged.decision.changes if isinstance(one, changes.FullCount)]
        mismatch = is_open(self.state, IncidentKind.COUNT_MISMATCH)
        return mismatch or all(one.found == one.expected for one in counts)

    def _look_at_return(self, number: int, moved: changes.Moved) -> None:
        """PT-A10, PT-A11: all cards are back, or the machine takes none, or the house's time for it is over."""
        state, out = self.state, self.state.account.out
        ended = state.rounds[-1].ended if state.rounds else None
        window = self.world.config.book.house.return_window_s * SECOND
        overdue = ended is not None and state.at - ended.at >= window and moved.trigger == Trigger.DECLARE_CLOSED
        machine = state.devices["shuffler"]
        unsound = any(one.kind in TOUCH_THE_ORDER and one.state.value != "cleared" for one in state.incidents.values())
        unsound = unsound or an_open_card_is_in_doubt(state)
        if out and not overdue and machine.intake_ready and not machine.jammed and not unsound:
            raise self.broken(f"record {number}: {out} cards are out, and the machine takes them [PT-A11]")
        if out and moved.trigger == Trigger.YES and not self.world.config.book.rounds.may_leave_in_discard:
            raise self.broken(f"record {number}: {out} cards stay out, and the book has them all go back [MO-2g]")
        if not _no_claim(state, 0):
            raise self.broken(f"record {number}: the round's cards are left, and a claim is open [SB-8]")

    def _look_at_good_count(self, number: int) -> None:
        good = self.state.played.good_count
        if good is not None and good.moment.record == number:
            raise self.broken(f"record {number}: a count that differs is the last good one [SB-7]")

    def _look_at_key(self, number: int, key: DealerKeyPressed, logged: Logged) -> None:
        moved = any(isinstance(change, changes.Moved) for change in logged.decision.changes)
        if key.key in ANSWERS and moved and key.prompt != self._prompt:
            raise self.broken(f"record {number}: {key.key.name.lower()} was pressed before what it answers was asked")
