"""What papers and last events tell of a shoe that people fill: who cut it, how its warning card came."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.core.words import Trigger
from firmware_bridge.readers.report import session_of
from firmware_bridge.readers.report import written as page_of
from firmware_bridge.view import describe
from tests.readers.papers import lines, one, page, signers
from tests.readers.test_report import written
from tests.table.evening import SUPERVISOR
from tests.table.hand_fed_evening import INSPECTOR, HandFedEvening
from tests.table.test_hand_fed_incidents import HAPPENINGS
from tests.table.told import screen


@pytest.mark.clause("PT-S3", "PT-S4", "PT-S8")
def test_the_report_tells_of_each_shoe_who_cut_it_and_with_how_many_cards_behind_it_its_warning_card_came(
    tmp_path: Path,
) -> None:
    evening = HandFedEvening()
    evening.open_and_load(80)
    evening.play_until(70)
    evening.end_shoe()
    evening.until_cut()
    assert evening.act(INSPECTOR, Trigger.CUT) is None
    evening.lay_in(None)
    assert evening.act(SUPERVISOR, Trigger.ONE_PLAYER) is None
    evening.play_until(95)
    told = [describe(record, 0) or "" for record in evening.logged()]
    for words in ("the warning card is out, 80 cards behind it", "no player wanted to cut: number 501 did"):
        assert any(words in line for line in told)
    assert any("the warning card has not come, 100 cards are left" in line for line in told)
    journal = written(evening, tmp_path)
    verified, session = session_of(journal, None, [])
    assert session is not None
    first, second = session.shoes
    assert (first.number, first.cut_by, first.one_player, first.behind, first.came) == (1, 0, False, 80, True)
    assert (second.number, second.cut_by, second.one_player, second.behind, second.came) == (2, 501, True, 100, False)
    page = " ".join(page_of(verified, session, "text").split())
    assert "cut by the one whose right it was, warning card" in page
    assert "with 80 behind it" in page
    cut = "cut by number 501, for no player wanted to, the warning card in the middle for one player, NO WARNING"
    assert cut in page


@pytest.mark.clause("PT-S1", "PT-S3", "PT-S4")
def test_the_paper_of_the_load_tells_how_the_shoe_was_filled_and_that_nothing_counted_it(tmp_path: Path) -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_until(40)
    evening.end_shoe()
    evening.prepare()
    load = one(written(evening, tmp_path), "load")
    assert lines(load, "prepared") == [
        "dealer 101: cards shown",
        "dealer 101: backs checked",
        "dealer 101: mixed by hand",
        "dealer 101: said that the cards were cut",
        "dealer 101: said that all cards lie in the shoe",
    ]
    [packs], [result] = lines(load, "packs"), lines(load, "result")
    assert packs.startswith("the shoe was filled by hand: nothing counts what is laid in")
    assert result == "the shoe was filled with 208 cards by the books; the table opened on it"
    assert [role for role, _, _ in signers(load)] == ["dealer"]  # nobody has to be present as a shoe is filled


@pytest.mark.clause("PT-S5", "PT-S6")
def test_what_was_burned_or_played_is_owed_to_nobody_where_it_stays_in_the_discard() -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.hands.move(evening.draw(evening.to_burn), evening.hands.discard)
    assert screen(evening).duties == ()
    evening.draw(9)
    evening.over()
    assert screen(evening).duties == ()


def told_by(evening: HandFedEvening) -> list[str]:
    """Every word on the screen as it stands."""
    return [word for word in words_in(msgspec.to_builtins(screen(evening))) if not word.isidentifier()]


def words_in(value: object) -> Iterator[str]:
    """All strings in what is built of lists and tables."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from words_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from words_in(item)


@pytest.mark.clause("SB-4", "SB-7")
@pytest.mark.parametrize("happens", HAPPENINGS.values())
def test_no_screen_record_or_paper_of_a_table_without_a_machine_speaks_of_one(
    tmp_path: Path, happens: Callable[[HandFedEvening], None]
) -> None:
    evening = HandFedEvening()
    evening.open_and_load()
    evening.play_round()
    evening.draw(5)
    happens(evening)
    words = told_by(evening)
    evening.act(SUPERVISOR, Trigger.COUNT_MACHINE)
    words += told_by(evening)
    evening.over()
    assert evening.act(SUPERVISOR, Trigger.SHUFFLE_MACHINE) is None
    evening.end_shoe()
    words += told_by(evening)
    evening.confirm_all()
    evening.prepare()
    evening.play_round()
    for refused in (Trigger.BEGIN_UNLOADING, Trigger.CONFIRM_EMPTY, Trigger.SHUFFLE_MACHINE):
        assert evening.act(SUPERVISOR, refused) is not None
    evening.unload()
    words += told_by(evening)
    assert evening.act(SUPERVISOR, Trigger.CONFIRM_EMPTY) is None
    evening.verify()
    words += [describe(record, 0, evening.table.config.book) or "" for record in evening.logged()]
    journal = written(evening, tmp_path)
    verified, session = session_of(journal, None, [])
    assert session is not None
    words += page_of(verified, session, "text").splitlines()
    words += [line for kind in ("load", "unload", "incident") for line in page(journal, kind).splitlines()]
    assert len(words) > 100
    assert [line for line in words if "machine" in line.lower()] == []
