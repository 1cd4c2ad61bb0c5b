"""On a stepped clock one seed and other PINs of equal length leave the same journal and the same screens."""

from __future__ import annotations

from firmware_bridge.core.words import Role, Session, Trigger
from firmware_bridge.readers.terminal import render
from firmware_bridge.view import table_view
from tests.table.evening import PEOPLE, SUPERVISOR, Evening

OTHERS = {number: (f"{582913 + 7 * number:06d}", role) for number, (_, role) in PEOPLE.items()}


def evening_with(people: dict[int, tuple[str, Role]]) -> tuple[list[bytes], list[str]]:
    """Play an evening with these PINs; return its journal's digests and each screen."""
    screens: list[str] = []
    evening = Evening(seed=9)
    evening.people = people
    true_run = evening.table.run

    def watched_run(*args: object, **more: object) -> bool:
        came = true_run(*args, **more)  # type: ignore[arg-type]
        status = evening.table.assembly.controller.status()
        screens.append(render(table_view(evening.state, evening.table.config.book, status, ()), 120, 45))
        return came

    evening.table.run = watched_run  # type: ignore[method-assign]
    evening.open_and_load()
    evening.play_round()
    evening.close()
    assert evening.act(SUPERVISOR, Trigger.SIGN_RESULT) is None
    assert evening.session is Session.VERIFIED
    return [record.digest for record in evening.table.store.records()], screens


def test_other_pins_of_equal_length_change_no_byte_of_journal_and_screen() -> None:
    first, second = evening_with(PEOPLE), evening_with(OTHERS)
    assert first == second
    assert len(first[1]) > 100
    text = "\n".join(first[1])
    assert not [pin for pin, _ in PEOPLE.values() if pin in text]
