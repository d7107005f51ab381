"""Which value a name has, where memory holds more than one."""

from __future__ import annotations

from assay.sandbox.protocol.runner_memory import followers

KEY, OTHER_KEY, OLD, NEW = 0x1000, 0x2000, 0x3000, 0x4000


def test_an_older_copy_of_a_table_behind_it_says_nothing() -> None:
    table, copy = (KEY, NEW, OTHER_KEY, NEW), (KEY, OLD, OTHER_KEY, OLD)
    found = followers((*table, *copy))
    assert found[KEY] == NEW
    assert found[OTHER_KEY] == NEW


def test_what_stands_last_is_followed_by_nothing() -> None:
    assert followers((KEY,)) == {}
    assert followers(()) == {}
