"""Every draw follows from the secret and its purpose, and no two purposes share one."""

from __future__ import annotations

from assay.exam.secret import Secret

FIXED = Secret("ab" * 32)


def test_the_same_secret_and_labels_give_the_same_seed() -> None:
    assert FIXED.seed("content", 3, 1) == Secret("ab" * 32).seed("content", 3, 1)
    assert FIXED.random("script").random() == FIXED.random("script").random()


def test_other_labels_and_other_secrets_give_other_seeds() -> None:
    labels = [
        ("content", 0, 0),
        ("content", 0, 1),
        ("content", 1, 0),
        ("state", 0, 0),
        ("content", 0),
    ]
    seeds = {secret.seed(*label) for label in labels for secret in (FIXED, Secret("ac" * 32))}
    assert len(seeds) == 10


def test_labels_are_kept_apart() -> None:
    assert FIXED.seed("a", "bc") != FIXED.seed("ab", "c")
    assert FIXED.seed("a", 11) != FIXED.seed("a", 1, 1)


def test_seeds_fit_every_generator() -> None:
    seeds = [FIXED.seed("n", n) for n in range(500)]
    assert all(0 <= seed < 2**62 for seed in seeds)
    assert max(seeds) > 2**61 and len(set(seeds)) == 500


def test_a_drawn_secret_is_new_and_thirty_two_bytes() -> None:
    drawn = {Secret.draw().hex for _ in range(50)}
    assert len(drawn) == 50
    assert all(len(bytes.fromhex(text)) == 32 for text in drawn)


def test_a_derived_secret_is_a_secret_of_its_own() -> None:
    derived = FIXED.derived("exam", "softmax", 0)
    assert derived == FIXED.derived("exam", "softmax", 0)
    assert len({derived.hex, FIXED.hex, FIXED.derived("exam", "softmax", 1).hex}) == 3
    assert len(bytes.fromhex(derived.hex)) == 32
