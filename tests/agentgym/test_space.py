"""UnicodeText: any str of allowed length, whatever the characters."""

import copy
import pickle

import numpy as np
import pytest
from gymnasium.spaces import Text
from hypothesis import given
from hypothesis import strategies as st

from agentgym import UnicodeText


@given(st.text(st.characters(), max_size=12))
def test_membership_is_a_length_check(text: str) -> None:
    assert (text in UnicodeText(8, min_length=2)) is (2 <= len(text) <= 8)


@pytest.mark.parametrize("value", [b"abc", None, 3, ["a"], np.array("abc")])
def test_only_text_is_a_member(value: object) -> None:
    assert value not in UnicodeText(8)
    assert np.str_("abc") in UnicodeText(8)


def test_samples_are_short_members_and_follow_the_seed() -> None:
    space = UnicodeText(8192, min_length=5, seed=1)
    samples = [space.sample() for _ in range(200)]
    assert all(sample in space and len(sample) <= 21 for sample in samples)  # 5 and at most 16 more
    assert {len(sample) for sample in samples} == set(range(5, 22))
    again = UnicodeText(8192, min_length=5, seed=1)
    assert [again.sample() for _ in range(200)] == samples
    assert UnicodeText(0).sample() == ""


def test_masks_are_refused() -> None:
    with pytest.raises(ValueError, match="takes neither mask nor probability"):
        UnicodeText(8).sample(mask=(3, None))
    with pytest.raises(ValueError, match="takes neither mask nor probability"):
        UnicodeText(8).sample(probability=(3, None))


def test_it_is_a_text_space_but_no_other_one_equals_it() -> None:
    space = UnicodeText(8)
    assert isinstance(space, Text)
    assert space == UnicodeText(8)
    assert space != UnicodeText(9)
    assert space != UnicodeText(8, min_length=1)
    assert space != Text(8, min_length=0)
    assert not space.is_np_flattenable
    assert repr(space) == "UnicodeText(8, min_length=0)"


def test_copies() -> None:
    space = UnicodeText(8, seed=3)
    for twin in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        assert twin == space
        assert twin.sample() == copy.deepcopy(space).sample()
    fresh = space.unseeded()
    before = copy.deepcopy(space)
    fresh.seed(99)
    fresh.sample()
    assert fresh == space
    assert space.sample() == before.sample()  # the copy drew from a generator of its own
    assert space.from_jsonable(space.to_jsonable(["ä", "b"])) == ["ä", "b"]
