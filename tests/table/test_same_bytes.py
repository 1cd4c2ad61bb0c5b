"""On a stepped clock one seed and other PINs of equal length leave the same journal, the same log, the same screen."""

from __future__ import annotations

import io

from firmware_bridge.core.words import Role, Session, Trigger
from firmware_bridge.readers.terminal import render
from firmware_bridge.service.logs import configure_logs
from firmware_bridge.view import table_view
from tests.table.evening import PEOPLE, SUPERVISOR, Evening

OTHERS = {number: (f"{582913 + 7 * number:06d}", role) for number, (_, role) in PEOPLE.items()}


def evening_with(people: dict[int, tuple[str, Role]]) -> tuple[list[bytes], str, list[str]]:
    """Play an evening with these PINs; return its journal's digests, its log at its most talkative, and each screen."""
    log, screens = io.StringIO(), []
    evening = Evening(seed=9)
    evening.people = people
    configure_logs(log, lambda: evening.table.ns, "debug", cache=False)
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
    return [record.digest for record in evening.table.store.records()], log.getvalue(), screens


def test_other_pins_of_equal_length_change_no_byte_of_journal_log_and_screen() -> None:
    first, second = evening_with(PEOPLE), evening_with(OTHERS)
    assert first == second
    assert len(first[2]) > 100
    text = "\n".join(first[2]) + first[1]
    assert not [pin for pin, _ in PEOPLE.values() if pin in text]
