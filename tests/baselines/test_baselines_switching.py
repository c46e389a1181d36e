"""The switch token: what is read as a flag, how worlds are played behind it, and the columns that come of it."""

from __future__ import annotations

import pickle
from typing import Any

import bench_world
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym import credit
from agentgym.action import Say
from agentgym.baselines.switching import INSTRUCTIONS, Said, Switching, split, with_switches
from agentgym.batch import TurnBatch
from agentgym.rollout import build, collect

bench_world.register()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<keep> go on", Said(False, "", "go on")),
        ("  <keep>go on", Said(False, "", "go on")),
        ("<switch> find the key </switch>\n go on", Said(True, "find the key", "go on")),
        ("<switch></switch>go on", Said(True, "", "go on")),
        ("<switch>a</switch>b</switch>c", Said(True, "a", "b</switch>c")),
        ("<switch>find the key", Said(None, "", "<switch>find the key")),
        ("go on <keep>", Said(None, "", "go on <keep>")),
        ("find the key</switch> go on", Said(None, "", "find the key</switch> go on")),
        (" go on ", Said(None, "", " go on ")),
        ("", Said(None, "", "")),
    ],
)
def test_what_a_text_says(text: str, said: Said) -> None:
    assert split(text) == said


PIECES = ("<keep>", "<switch>", "</switch>", "<", " ", "go", "\n", "\ud800")


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_any_text_is_read(text: str) -> None:
    said = split(text)
    assert text.endswith(said.action)
    assert said.switch is not None or said.action == text


def record(*rollouts: list[str]) -> TurnBatch:
    rows = [
        {"group": 0, "trajectory": number, "turn": turn, "action": text}
        for number, texts in enumerate(rollouts)
        for turn, text in enumerate(texts)
    ]
    return TurnBatch.from_rows(rows[::-1])  # last turns first: the order of rows says nothing


def test_a_subgoal_lasts_until_the_next_switch_of_the_rollout() -> None:
    texts = ["<switch>key</switch> a", "<keep> b", "c", "<switch>door</switch> d"]
    made = with_switches(record(texts, ["e", "<keep> f"]))
    assert made.switch.tolist()[::-1] == [True, False, False, True, False, False]
    assert made.subgoal.tolist()[::-1] == ["key", "key", "key", "door", "", ""]


def test_what_a_world_wrote_is_replaced() -> None:
    batch = record(["<keep> a"]).with_columns(switch=[True], subgoal=["the world's"])
    made = with_switches(batch)
    assert made.switch.tolist() == [False] and made.subgoal.tolist() == [""]


def test_a_world_is_played_behind_the_flags() -> None:
    """The bench world counts with + and -; the policy begins a subgoal in every second turn."""

    def policy(views: Any) -> list[str]:
        return [f"<switch>past {view.turn}</switch> +" if view.turn % 2 == 0 else "<keep> +" for view in views]

    world = build(bench_world.ENV, {"codec": Switching()})
    batch = with_switches(collect(world, policy, tasks=["to-4"], group_size=2))
    assert batch.valid.all() and batch.success.all()
    assert batch.action.tolist()[:2] == ["<switch>past 0</switch> +", "<keep> +"]
    assert batch.switch.tolist() == [True, False, True, False] * 2
    assert batch.subgoal.tolist()[:4] == ["past 0", "past 0", "past 2", "past 2"]
    zeros = dict.fromkeys(("value_low", "value_high", "value_term"), [0.0] * len(batch))
    made = credit.hae(batch.with_columns(zeros))
    assert made.diagnostics["segment"].tolist() == [0, 0, 1, 1] * 2


def test_a_flag_alone_is_no_action() -> None:
    world = build(bench_world.ENV, {"codec": Switching()})
    batch = collect(world, lambda views: ["<keep>" for _ in views], tasks=["to-2"], group_size=1)
    assert not batch.valid.any()


def test_the_codec_travels_and_names_are_checked() -> None:
    codec = pickle.loads(pickle.dumps(Switching("tags")))
    assert codec.inner.name == "tags"
    assert Switching()("<keep> +", {}) == Say("+")
    with pytest.raises(ValueError, match=r"codec 'plane'.*plain"):
        Switching("plane")
    assert "<keep>" in INSTRUCTIONS and "<switch>" in INSTRUCTIONS
