"""Which ids carry which channel, and what that makes of mask and advantage."""

from __future__ import annotations

import every_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo import data  # noqa: E402
from agentgym.baselines.grpo.spans import channels  # noqa: E402
from agentgym.baselines.grpo.tokens import WordTokens  # noqa: E402
from agentgym.batch import TurnBatch  # noqa: E402
from agentgym.credit import Channel, Credit  # noqa: E402

TOKENS = WordTokens.of([every_world.SWITCHING, "go back"])


def told(text: str) -> list[tuple[str, str]]:
    """Return (channel, its text) of a reply, neighbours of one channel joined."""
    ids = [*TOKENS.encode(text), TOKENS.end]
    out: list[tuple[str, str]] = []
    for name, number in zip(channels(TOKENS, ids), ids, strict=True):
        if out and out[-1][0] == name:
            out[-1] = (name, out[-1][1] + TOKENS.decode([number]))
        else:
            out.append((name, TOKENS.decode([number])))
    return out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("go on", [("action", "go on")]),
        (every_world.SWITCHING, [("switch", "<switch>"), ("subgoal", "far</switch>"), ("action", " go on")]),
        ("<keep> go back", [("switch", "<keep>"), ("action", " go back")]),
        (" <keep>", [("switch", " <keep>"), ("action", "")]),
        ("<switch></switch>go on", [("switch", "<switch>"), ("subgoal", "</switch>"), ("action", "go on")]),
        ("<switch>far", [("action", "<switch>far")]),  # never closed: no flag, as the codec reads it
        ("go on<keep>", [("action", "go on<keep>")]),  # too late: the action has begun
        ("", [("action", "")]),
    ],
)
def test_the_flag_and_what_it_announces_are_channels_and_the_rest_is_action(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert told(text) == expected


def test_values_and_masks_follow_the_channels() -> None:
    """Turn 0 announces a subgoal; at turn 1 no segment begins for the estimator, so its subgoal ids count 0.

    <switch> has 3 ids, far</switch> 1 + 4, " go on" 2, and the end of the reply 1.
    """
    ids = [*TOKENS.encode(every_world.SWITCHING), TOKENS.end]
    batch = TurnBatch.from_columns(
        {"group": ["g"] * 2, "trajectory": ["a"] * 2, "turn": [0, 1], "token_ids": [ids, ids], "tokens": [11, 11]}
    )
    both = np.array([True, True])
    made = Credit(
        "hae", {}, np.array([1.0, 2.0]), {},
        channels={
            "action": Channel(np.array([1.0, 2.0]), both),
            "subgoal": Channel(np.array([10.0, 20.0]), np.array([True, False])),
            "switch": Channel(np.array([100.0, 200.0]), both),
        },
    )  # fmt: skip
    values, counts = data.of_turns(batch, made, TOKENS)
    assert values[0].tolist() == [100.0] * 3 + [10.0] * 5 + [1.0] * 3
    assert counts[0].tolist() == [1.0] * 11
    assert values[1].tolist() == [200.0] * 3 + [0.0] * 5 + [2.0] * 3
    assert counts[1].tolist() == [1.0] * 3 + [0.0] * 5 + [1.0] * 3


def test_what_the_estimator_leaves_out_counts_nothing() -> None:
    """Turn 0 is left to supervised learning; of turn 1 the second token is masked."""
    batch = TurnBatch.from_columns(
        {
            "group": ["g"] * 2, "trajectory": ["a"] * 2, "turn": [0, 1], "token_ids": [[7, 8], [7, 8]],
            "token_mask": [[True, True], [True, False]],
        }
    )  # fmt: skip
    made = Credit("mine", {}, np.array([3.0, 4.0]), {}, diagnostics={"sft_mask": np.array([True, False])})
    values, counts = data.of_turns(batch, made)
    assert [row.tolist() for row in values] == [[0.0, 0.0], [4.0, 0.0]]
    assert [row.tolist() for row in counts] == [[0.0, 0.0], [1.0, 0.0]]
