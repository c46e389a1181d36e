"""UnicodeText in memory shared by processes: every text comes out as it went in."""

import copy
import functools
import multiprocessing
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Dict, Discrete, Tuple
from gymnasium.vector import AsyncVectorEnv
from gymnasium.vector.utils import (
    batch_differing_spaces,
    batch_space,
    concatenate,
    create_empty_array,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)
from hypothesis import given
from hypothesis import strategies as st

from agentgym import UnicodeText
from agentgym.space import SharedTexts

SPACE = UnicodeText(12)
MEMORY = create_shared_memory(SPACE, n=3)
TEXTS = read_from_shared_memory(SPACE, MEMORY, n=3)
EDGES = (
    "", "\x00", "a\x00", "\x00\x00b", "ä", "€uro", "😀" * 12, "\U0010ffff" * 12, "\ud800", "\ud83d\ude00", "x" * 12,
)  # fmt: skip


@given(st.lists(st.text(st.characters(), max_size=12), min_size=3, max_size=3))
def test_every_text_comes_out_as_it_went_in(texts: list[str]) -> None:
    for slot in (2, 0, 1):  # none disturbs another
        write_to_shared_memory(SPACE, slot, texts[slot], MEMORY)
    assert copy.deepcopy(TEXTS) == tuple(texts)


@pytest.mark.parametrize("text", EDGES)
def test_edges(text: str) -> None:
    for before in ("", "y" * 12):  # a shorter text leaves nothing of a longer one
        write_to_shared_memory(SPACE, 1, before, MEMORY)
        write_to_shared_memory(SPACE, 1, text, MEMORY)
        assert TEXTS[1] == text


def test_the_read_side_is_live_and_its_copies_are_not() -> None:
    for slot in range(3):
        write_to_shared_memory(SPACE, slot, f"old {slot}", MEMORY)
    assert isinstance(TEXTS, SharedTexts)
    frozen = copy.deepcopy(TEXTS)
    assert type(frozen) is tuple
    for kept in (frozen, pickle.loads(pickle.dumps(TEXTS)), tuple(TEXTS)):
        assert kept == ("old 0", "old 1", "old 2")
    write_to_shared_memory(SPACE, 1, "new", MEMORY)
    assert frozen == ("old 0", "old 1", "old 2")
    live: Any = TEXTS
    assert live == ("old 0", "new", "old 2") and live != frozen and live == live[:]
    assert live != ["old 0", "new", "old 2"]  # as for tuples
    assert (len(TEXTS), TEXTS[-1], TEXTS[1:], list(TEXTS)[1]) == (3, "old 2", ("new", "old 2"), "new")
    assert repr(TEXTS) == "('old 0', 'new', 'old 2')"
    with pytest.raises(IndexError):
        TEXTS[3]


def test_fresh_memory_holds_empty_texts() -> None:
    assert copy.deepcopy(read_from_shared_memory(UnicodeText(5), create_shared_memory(UnicodeText(5), n=2), n=2)) == (
        "",
        "",
    )
    nothing = UnicodeText(0)
    memory = create_shared_memory(nothing, n=2)
    write_to_shared_memory(nothing, 1, "", memory)
    assert tuple(read_from_shared_memory(nothing, memory, n=2)) == ("", "")


def test_what_does_not_fit_is_refused() -> None:
    write_to_shared_memory(SPACE, 0, "before", MEMORY)
    with pytest.raises(ValueError, match=r"slot 0 is no text of UnicodeText\(12, min_length=0\): 13 characters"):
        write_to_shared_memory(SPACE, 0, "x" * 13, MEMORY)
    with pytest.raises(ValueError, match=r"slot 0 is no text of .*: bytes"):
        write_to_shared_memory(SPACE, 0, b"x", MEMORY)  # type: ignore[arg-type]
    write_to_shared_memory(SPACE, 1, np.str_("é"), MEMORY)
    assert TEXTS[:2] == ("before", "é")


def test_inside_other_spaces() -> None:
    space = Dict({"text": SPACE, "pair": Tuple([SPACE, Discrete(9)])})
    memory = create_shared_memory(space, n=2)
    seen = read_from_shared_memory(space, memory, n=2)
    write_to_shared_memory(space, 1, {"text": "ü", "pair": ("", 7)}, memory)
    kept = copy.deepcopy(seen)
    assert kept["text"] == ("", "ü")
    assert kept["pair"][0] == ("", "") and kept["pair"][1].tolist() == [0, 7]


def write_edges(memory: Any) -> None:
    for slot, text in enumerate(EDGES):
        write_to_shared_memory(SPACE, slot, text, memory)


def test_from_a_spawned_process() -> None:
    context = multiprocessing.get_context("spawn")
    memory = create_shared_memory(SPACE, n=len(EDGES), ctx=context)
    child = context.Process(target=write_edges, args=(memory,))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    assert copy.deepcopy(read_from_shared_memory(SPACE, memory, n=len(EDGES))) == EDGES


def test_batches_are_tuples_of_texts() -> None:
    batched = batch_space(SPACE, 2)
    assert batched == Tuple([SPACE, SPACE])
    assert create_empty_array(SPACE, 2) == ("", "") and ("", "") in batched
    assert concatenate(SPACE, ["ä", "😀"], create_empty_array(SPACE, 2)) == ("ä", "😀")
    assert list(iterate(batched, ("ä", "😀"))) == ["ä", "😀"]
    differing = batch_differing_spaces([UnicodeText(3), UnicodeText(5)])
    assert differing == Tuple([UnicodeText(3), UnicodeText(5)])


class Mirror(gymnasium.Env[str, str]):
    """Answers every action with itself."""

    def __init__(self, length: int = 12) -> None:
        self.observation_space = self.action_space = UnicodeText(length)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[str, dict[str, Any]]:
        return "start é", {}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_gymnasiums_async_vector_env_over_worlds_that_are_no_agentgym_worlds() -> None:
    envs = AsyncVectorEnv([functools.partial(Mirror, 12)] * 2, observation_mode="different")
    try:
        assert envs.reset(seed=0)[0] == ("start é",) * 2
        earlier = None
        for first, second in zip(EDGES, reversed(EDGES), strict=True):
            texts = envs.step((first, second))[0]
            assert type(texts) is tuple and texts == (first, second)
            assert earlier is None or earlier[0] == earlier[1]  # what was returned stays as it was
            earlier = (texts, (first, second))
    finally:
        envs.close()
