"""What these tests share with those of whole tables."""

from __future__ import annotations

from tests.table.conftest import ready  # noqa: F401  a fixture
