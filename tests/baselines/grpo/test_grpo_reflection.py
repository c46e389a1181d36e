"""What a language model says of the menu with and without feedback, and how it plays with a sibling as a reference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym import credit  # noqa: E402
from agentgym.baselines.grpo.engine import Request, Sample  # noqa: E402
from agentgym.baselines.grpo.reflection import NOTE_ROOM, menu_logprobs, what_followed, with_reflection  # noqa: E402
from agentgym.baselines.grpo.revision import with_revisions  # noqa: E402
from agentgym.baselines.grpo.rollout import play  # noqa: E402


class Members:
    """An engine whose members say what they are told to, in every turn; its scores are numbers that a test can add."""

    def __init__(self, tokens: Any, texts: dict[int, str], other: str) -> None:
        self.tokens, self.texts, self.other = tokens, texts, other
        self.prompts: dict[Any, str] = {}

    def generate(self, requests: Sequence[Request]) -> list[Sample]:
        out = []
        for request in requests:
            self.prompts.setdefault(request.key, self.tokens.decode(request.ids))
            text = self.texts.get(int(str(request.key).rpartition("/")[2]), self.other)
            ids = [*self.tokens.encode(text), self.tokens.end]
            out.append(Sample(ids, [-0.5] * len(ids), list(request.ids)))
        return out

    def score(self, rows: Sequence[Sequence[int]]) -> list[Any]:
        self.scored = [self.tokens.decode(row) for row in rows]
        return [np.array([number / 100 for number in row]) for row in rows]

    def changed(self) -> None:
        pass


def played(texts: dict[int, str], other: str = "go on", **changes: Any) -> Any:
    parts, config = grpo_world.parts(**changes)
    engine = Members(parts.tokens, texts, other)
    tasks = [parts.world.panel.task("to-2-0")]
    found = play(parts.world, engine, parts.tokens, config, tasks, group_size=len(texts), seed=5)
    return found, engine, parts, config


def test_the_menu_is_scored_with_and_without_feedback() -> None:
    """Scripted scores are ids over 100, so an entry's is the sum of its ids, wherever the note moved them."""
    found, engine, parts, _ = played({0: "go on"}, estimator="ricl")
    batch = with_reflection(found, engine, parts.tokens)
    (one, other), (third, _) = batch.menu  # worlds shuffle their menus
    assert {one, other} == {"go on", "go back"}
    told = "\nIn the end the goal is reached.\ngo on\ngo on"
    assert engine.scored[:2] == [f"walk to 2{one}", f"walk to 2{other}"]
    assert engine.scored[2:4] == [f"walk to 2{told}{one}", f"walk to 2{told}{other}"]
    # In the second turn the first one is read as it was sampled, and what followed is the second alone.
    assert engine.scored[4] == f"walk to 2go onat 1{third}"
    assert engine.scored[6] == f"walk to 2\nIn the end the goal is reached.\ngo ongo onat 1{third}"
    for row, menu in enumerate(batch.menu):
        sums = np.array([sum(parts.tokens.encode(text)) + parts.tokens.end for text in menu]) / 100
        wanted = sums - np.logaddexp.reduce(sums)
        assert batch.menu_logprobs[row] == pytest.approx(wanted)
        assert batch.menu_hindsight_logprobs[row] == pytest.approx(wanted[None, :])
    assert credit.ricl(batch).total == pytest.approx([0.0, 0.0])


def test_feedback_is_told_turn_by_turn() -> None:
    found, *_ = played({0: "go on", 1: "go back"}, estimator="ricl")
    won, lost = "In the end the goal is reached.", "In the end the goal is not reached."
    assert what_followed(found.batch) == [[f"{won}\ngo on\ngo on"], [f"{won}\ngo on"], [f"{lost}\ngo back"]]


def test_a_text_that_is_not_on_the_menu_is_one_more_entry() -> None:
    found, engine, parts, _ = played({0: "jump"}, estimator="ricl")
    batch = with_reflection(found, engine, parts.tokens, lambda record: [["yes", "no"]] * len(record))
    assert batch.menu[0][2:] == ("jump",)
    assert batch.menu_hindsight_logprobs[0].shape == (2, 3)
    assert np.isfinite(credit.ricl(batch).total).all()


def test_long_feedback_is_cut() -> None:
    found, engine, parts, _ = played({0: "go on"}, estimator="ricl")
    with_reflection(found, engine, parts.tokens, lambda record: [["go " * 500]] * len(record))
    longest = max(len(parts.tokens.encode(text)) for text in engine.scored)
    assert longest <= NOTE_ROOM + max(len(script.ids) for script in found.transcripts.values()) + 8


def test_menu_log_probabilities_of_a_model_are_those_of_whole_entries() -> None:
    parts, _ = grpo_world.parts()
    entries = [[*parts.tokens.encode(text), parts.tokens.end] for text in ("go on", "go back")]
    prompt = parts.tokens.encode("walk to 2")
    [found] = menu_logprobs(parts.engine, [prompt], [entries])
    scores = [parts.engine.score([[*prompt, *entry]])[0][len(prompt) :].sum() for entry in entries]
    assert np.exp(found).sum() == pytest.approx(1.0)
    assert found[0] - found[1] == pytest.approx(scores[0] - scores[1], abs=1e-5)


def test_failures_are_played_again_with_what_a_success_said() -> None:
    found, engine, parts, config = played({0: "go on", 1: "go back"})
    batch = with_revisions(found, parts.world, engine, parts.tokens, config)
    assert batch.trajectory.tolist() == ["to-2-0#5/0"] * 2 + ["to-2-0#5/1"]
    assert [row.tolist() for row in batch.revision_ok] == [[], [], [True]]
    assert batch.revision.tolist() == ["", "", "go on"]
    assert batch.meta["revision_turns"] == 2
    # The revision is member 2: a start like the others, with the reference behind the task.
    assert engine.prompts["to-2-0#5/1"] == "walk to 2"
    assert engine.prompts["to-2-0#5/2"] == "walk to 2\nIn the end the goal is reached.\ngo on\ngo on"
    assert credit.ibpo(batch).diagnostics["phi"].tolist() == [0.0, 0.0, 0.5]


def test_a_reference_that_does_not_help() -> None:
    found, engine, parts, config = played({0: "go on", 1: "go back"}, other="go back")
    batch = with_revisions(found, parts.world, engine, parts.tokens, config)
    assert [row.tolist() for row in batch.revision_ok] == [[], [], [False]]


@pytest.mark.parametrize("name", ["hca", "ricl", "ibpo"])
def test_the_trainer_runs_on_them(name: str, tmp_path: Any) -> None:
    trainer = grpo_world.trainer(tmp_path, estimator=name, updates=1)
    trainer.update()
    assert trainer.done == 1
