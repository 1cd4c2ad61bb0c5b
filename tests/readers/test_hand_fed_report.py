"""What papers and last events tell of a shoe that people fill: who cut it, how its warning card came."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.core.words import Trigger
from firmware_bridge.readers.report import session_of
from firmware_bridge.readers.report import written as page_of
from firmware_bridge.view import describe
from tests.readers.test_report import written
from tests.table.evening import SUPERVISOR
from tests.table.hand_fed_evening import INSPECTOR, HandFedEvening


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
    assert "cut by a player, warning card" in page
    assert "with 80 behind it" in page
    cut = "cut by number 501, for no player wanted to, the warning card in the middle for one player, NO WARNING"
    assert cut in page
