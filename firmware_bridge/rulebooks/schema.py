"""What a rule book says, as typed values. The same for every jurisdiction: what differs is the value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from msgspec import Struct

from firmware_bridge.rulebooks.sources import Permission, Source
from firmware_bridge.toml_file import Within

Overseer = Literal["table_inspector", "supervisor", "room_manager"]
"""Who may be the one present, or the one who signs: roles as in ``core.words.Role``, above the dealer."""

DealerOrInspector = Literal["dealer", "table_inspector"]
Machine = Literal["continuous_shuffler", "batch_shuffler", "hand_fed_shoe", "metal_box"]
Burn = Literal["none", "one", "one_per_deck"]
RoundAfter = Literal["go_on", "void_round_and_shuffle"]
Dealt = Literal["players_closed", "bank_second_late", "hole_card"]
ClosedCard = Literal["none", "first", "second"]
ClaimsUntil = Literal["first_card_returned", "round_over"]
Told = Literal["inspectorate", "nobody"]
Exposed = Literal["void", "played"]
Unmarked = Literal["all_in_play", "deal_not_followed"]

# the choices on which code turns, by name; mypy tells a comparison with what the value can never be
VOID_AND_SHUFFLE: Final = "void_round_and_shuffle"
HOLE_CARD: Final = "hole_card"
NO_CARD: Final = "none"
BEFORE_BANK_LOOKS: Final = "before_bank_looks"
FIRST_CARD_RETURNED: Final = "first_card_returned"
ROUND_OVER: Final = "round_over"
NOBODY: Final = "nobody"
ALL_IN_PLAY: Final = "all_in_play"

A_BOOK_OF_ITS_OWN: Final = "a book of its own"
"""What is said wherever a whole file is named that does not come with the product."""

UpToEight = Annotated[int, Within(1, 8)]
Cards = Annotated[int, Within(0, 416)]


class Equipment(Struct, frozen=True):
    """What the table is furnished with. ``places_per_player`` 0: as many as he likes."""

    places: Annotated[int, Within(1, 20)]
    places_per_player: Annotated[int, Within(0, 20)]
    decks_allowed: Annotated[tuple[UpToEight, ...], Within(1, 8, "the fewest first, none twice")]
    mixed_backs: bool
    machines_allowed: Annotated[tuple[Machine, ...], Within(1, 4, "none twice")]


class Decks(Struct, frozen=True):
    """Which decks may be played with."""

    imperfect_needs_authorisation: bool


class Opening(Struct, frozen=True):
    """What the dealer does with the cards before they are loaded."""

    show_cards: bool
    check_backs: bool
    mix_by_hand: bool


class Loading(Struct, frozen=True):
    """How the cards come into the machine."""

    min_packs: UpToEight
    loadings_per_session: UpToEight
    present: Overseer


class Cut(Struct, frozen=True):
    """Whether the cards are cut, and by whom: ``by`` has the right, ``if_nobody_wants`` the duty."""

    with_shuffler: bool
    by: Literal["player_in_rotation", "any_player", "player_named_by_dealer", "dealer"]
    if_nobody_wants: DealerOrInspector

    @property
    def dealer_may(self) -> bool:
        """Whether the dealer cuts where nobody wants to, so that one answer of his is the whole of it."""
        return self.if_nobody_wants == "dealer"


class WarningCard(Struct, frozen=True):
    """The second special card, which tells the last round: how many cards lie behind it in a shoe filled by hand."""

    used: bool
    cards_behind_least: Cards
    cards_behind_most: Cards
    middle_for_one_player: bool
    taken_out: bool


class LastRound(Struct, frozen=True):
    """Whether the last round of the shoe is announced, and what a warning card does that comes between two rounds."""

    announced_with_continuous: bool
    announced_with_shoe: bool
    warning_card_between_rounds: Literal["round_is_played", "shuffle_first"]


class Burning(Struct, frozen=True):
    """Which cards go to the discard unplayed: before the first round, before later ones, before the bank's second."""

    with_shuffler: Burn
    with_shoe: Burn
    before_each_later_round: bool
    before_bank_second_card: bool

    def cards_with_shuffler(self, decks: int) -> int:
        """Return how many cards of a set of so many decks are burned before its first round from a shuffler."""
        return _cards(self.with_shuffler, decks)

    def cards_with_shoe(self, decks: int) -> int:
        """Return how many are burned before the first round from each shoe that is filled by hand."""
        return _cards(self.with_shoe, decks)


def _cards(burn: Burn, decks: int) -> int:
    return {"none": 0, "one": 1, "one_per_deck": decks}[burn]


class Rounds(Struct, frozen=True):
    """Where the cards of a round go."""

    used_cards_to_discard_at_once: bool
    discards_return_after_each: bool
    may_leave_in_discard: bool


class Shuffle(Struct, frozen=True):
    """When cards that are not used up yet may, or must, be shuffled again."""

    at_dealers_wish: bool
    when_play_stops: bool
    each_round_with_metal_box: bool


class Deal(Struct, frozen=True):
    """The order of the deal. ``hole_card``: the bank's second card comes with the players' second, face down."""

    procedure: Dealt
    bank_looks: bool
    player_card_closed: ClosedCard
    players_turn_cards: bool
    double_card_closed: bool
    totals_called: bool
    busted_hands_collected_at_once: bool
    only_dealer_holds_cards_when_all_stand: bool


class WrongDeal(Struct, frozen=True):
    """What becomes of cards that came out wrongly; whether all cards are shuffled after a round that is void for it."""

    remedy: Literal["put_right_else_void", "void_round", "supervisor_decides"]
    exposed_card: Exposed
    first_card_exposed: Exposed
    bank_second_card_turned: Exposed
    unwanted_card_unseen: Literal["next_who_asks_then_bank", "void", "round_void", "supervisor_decides"]
    unwanted_card_seen: Literal["void", "round_void", "supervisor_decides"]
    bank_card_too_many: Literal["void", "valid_while_closed", "round_void", "supervisor_decides"]
    void_round_shuffled: bool


class AfterError(Struct, frozen=True):
    """What becomes of the round under way: it goes on, or it is void and every card is shuffled anew."""

    jam: RoundAfter
    host_break: RoundAfter
    system_error: RoundAfter
    human_error: RoundAfter
    bets_of_void_round: Literal["returned", "stand"]


class DamagedCard(Struct, frozen=True):
    """Who replaces a damaged card, and when."""

    replaced: Literal["at_once", "at_next_shuffle"]
    replaced_by: Overseer


class Jam(Struct, frozen=True):
    """Who opens the lid of a jammed machine, and whether a technician may be called to it."""

    lid_opened_by: Overseer
    technician_may_be_called: bool


class Claims(Struct, frozen=True):
    """Until when a claim about a round is admissible."""

    until: ClaimsUntil


class Notices(Struct, frozen=True):
    """What the room manager reports, and to whom."""

    damaged_card: Told


class Closing(Struct, frozen=True):
    """How the cards come out of the machine, and what is done with them."""

    taken_out_only_at_close: bool
    unloading_present: Overseer
    sort_decks: bool


class Insurance(Struct, frozen=True):
    """When insurance is offered, at the latest, and how much of the bet it may be, in hundredths."""

    offered: Literal["after_second_cards", "before_first_drawn_card", "before_bank_looks"]
    most_percent: Annotated[int, Within(50, 100)]


class Hands(Struct, frozen=True):
    """What players may do with their hands, and the bank with its soft 17. ``split_hands_most`` 0: no limit."""

    split_hands_most: Annotated[int, Within(0, 8, "1 is no split")]
    double_on: Literal[
        "any_first_two", "any_first_two_and_after_split", "nine_ten_eleven", "nine_ten_eleven_and_after_split", "eleven"
    ]
    original_bet_only_against_blackjack: bool
    special_prize: bool
    surrender: bool
    bank_soft_17: Literal["stands", "draws_on_ace_and_six", "draws"]


class Bettors(Struct, frozen=True):
    """Several who bet on one place: how many (0: no limit), and who decides."""

    most_on_one_place: Annotated[int, Within(0, 20)]
    decides: Literal["seated_player", "seated_or_nearest", "highest_bet"]


class Jackpot(Struct, frozen=True):
    """The progressive jackpot, where a book knows one. ``start_in_bets``: its starting value, in jackpot bets."""

    offered: bool
    collection: Literal["automatic", "by_hand"]
    collected_before_deal: bool
    winning_cards_stay_open: bool
    start_in_bets: Annotated[int, Within(1, 10_000_000)]


class ExtraBets(Struct, frozen=True):
    """The extra bets, where a book knows them, and the markers that streaks need on the table."""

    any_pair: bool
    sevens: bool
    over_under_13: bool
    perfect_pairs: bool
    streaks: bool
    streak_markers: Annotated[int, Within(0, 20)]


class House(Struct, frozen=True):
    """Where every law is silent: the house's values. ``_s``: seconds of table time, ``_ms``: of link time."""

    min_pack: Annotated[int, Within(1, 208)]
    presence_interval_s: Annotated[int, Within(10, 600)]
    round_card_limit: Annotated[int, Within(20, 208)]
    rounds_between_counts: Annotated[int, Within(1, 1000)]
    unmarked_places: Unmarked
    sequence_warns_at: Annotated[int, Within(4, 12)]
    sequence_holds_at: Annotated[int, Within(5, 13)]
    return_window_s: Annotated[int, Within(10, 600)]
    entry_timeout_s: Annotated[int, Within(5, 120)]
    unheard_limit_s: Annotated[int, Within(30, 600)]
    split_lag_s: Annotated[int, Within(1, 10)]
    inventory_time_s: Annotated[int, Within(10, 600)]
    flush_limit_ms: Annotated[int, Within(100, 2500)]
    wrong_entries: Annotated[int, Within(3, 10)]
    lock_out_s: Annotated[int, Within(60, 3600)]
    call_supervisor_after_s: Annotated[int, Within(10, 600)]
    escalate_after_s: Annotated[int, Within(30, 3600)]
    warning_card_tolerance: Annotated[int, Within(0, 26)]
    after_emptying: Literal["close_session", "reload_with_room_manager"]
    damaged_deck_replaced: Literal["before_next_session"]
    power_cut: Literal["gap_and_full_count"]
    difference_signed_by: Overseer


class RuleBook(Struct, frozen=True):
    """One rule book. ``digest``, the SHA-256 of its file in hex, proves which one bound a session.

    A house's own file is digested with the book that it extends. ``is_own``: a whole file that does not come with the
    product, behind whose clauses stands no law that we know. ``jackpot`` and ``extra_bets`` are None where the book
    knows no such thing.
    """

    id: str
    title: str
    digest: str
    is_own: bool
    equipment: Equipment
    decks: Decks
    opening: Opening
    loading: Loading
    cut: Cut
    warning_card: WarningCard
    last_round: LastRound
    burn: Burning
    rounds: Rounds
    shuffle: Shuffle
    deal: Deal
    wrong_deal: WrongDeal
    after_error: AfterError
    damaged_card: DamagedCard
    jam: Jam
    claims: Claims
    notices: Notices
    closing: Closing
    insurance: Insurance
    hands: Hands
    bettors: Bettors
    house: House
    jackpot: Jackpot | None
    extra_bets: ExtraBets | None
    sources: Mapping[str, Source]
    permissions: tuple[Permission, ...]

    @property
    def recorded_as(self) -> str:
        """What a session's record calls it: its id, and of a book of its own that it is one."""
        return f"{self.id}, {A_BOOK_OF_ITS_OWN}" if self.is_own else self.id

    def clause_of(self, key: str) -> str:
        """Return what stands behind a value (``loading.min_packs``): ``PT-A5``, or ``house.min_pack``."""
        return self.sources[key].id

    def value_of(self, key: str) -> Any:
        """Return a value by its key (``loading.min_packs``)."""
        section, field = key.split(".")
        return getattr(getattr(self, section), field)


SECTIONS: Mapping[str, type[Any]] = {
    "equipment": Equipment,
    "decks": Decks,
    "opening": Opening,
    "loading": Loading,
    "cut": Cut,
    "warning_card": WarningCard,
    "last_round": LastRound,
    "burn": Burning,
    "rounds": Rounds,
    "shuffle": Shuffle,
    "deal": Deal,
    "wrong_deal": WrongDeal,
    "after_error": AfterError,
    "damaged_card": DamagedCard,
    "jam": Jam,
    "claims": Claims,
    "notices": Notices,
    "closing": Closing,
    "insurance": Insurance,
    "hands": Hands,
    "bettors": Bettors,
    "jackpot": Jackpot,
    "extra_bets": ExtraBets,
    "house": House,
}
"""The tables of a rule book's file, by name."""

MAY_BE_ABSENT = frozenset({"jackpot", "extra_bets"})
"""Tables that a book leaves out whole where its game has no such thing."""
