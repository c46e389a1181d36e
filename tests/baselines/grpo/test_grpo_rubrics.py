"""Rubrics: scores from what the world said, relevance learned from which turns they are about."""

from __future__ import annotations

from typing import Any

import every_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo.prepare import prepare  # noqa: E402
from agentgym.baselines.grpo.rollout import Played, finished, start  # noqa: E402
from agentgym.baselines.grpo.rubrics import Rubrics, scores_of  # noqa: E402
from agentgym.errors import MissingColumn  # noqa: E402


@pytest.fixture(scope="module")
def parts() -> Any:
    return prepare(every_world.config(warm_episodes=0))


def said(parts: Any, *rollouts: tuple[str, ...]) -> Played:
    config = every_world.config(warm_episodes=0)
    episodes = []
    for member, texts in enumerate(rollouts):
        episode = start(parts.world, parts.tokens, config, parts.world.panel.task("to-0"), 0, member)
        for text in texts:
            ids = [*parts.tokens.encode(text), parts.tokens.end]
            episode.take(text, ids, [-1.0] * len(ids))
        episodes.append(episode)
    return finished(episodes, {"env": parts.world.spec_dict()})


def test_a_rollout_has_the_scores_of_the_last_word_on_each(parts: Any) -> None:
    """Goal 2: plan (nothing said), on (near ½), dance (nothing: invalid), on (near 1, arrives 1); back (arrives 0)."""
    played = said(parts, ("go on", "go on", "dance", "go on"), ("go on", "go back"))
    names, scores, about = scores_of(played)
    assert names == ["arrives", "is near"]
    assert scores.tolist() == [[1, 1]] * 4 + [[0, 0]] * 2
    assert about.tolist() == [[0, 0], [0, 1], [0, 0], [1, 1], [0, 0], [1, 0]]
    batch = Rubrics(parts.tokens, 0)(played)
    assert [row.tolist() for row in batch.rubric_scores] == [[1.0, 1.0]] * 4 + [[0.0, 0.0]] * 2
    assert [row.shape for row in batch.rubric_relevance] == [(2, len(ids)) for ids in batch.token_ids]
    assert all(row.all() for row in batch.token_mask)


def test_relevance_is_learned_from_update_to_update(parts: Any) -> None:
    """Going on changes a score more often than going back; the maker says so of the tokens once it has learned."""
    played = said(parts, ("go on", "go on", "go on"), ("go on", "go back"))
    maker = Rubrics(parts.tokens, 0)
    first, *_, last = (maker(played) for _ in range(4))
    on, back = (int(parts.tokens.encode(text)[0]) for text in (" on", " back"))

    def near(batch: Any, row: int, token: int) -> float:
        return float(batch.rubric_relevance[row][1][batch.token_ids[row].tolist().index(token)])

    assert near(last, 1, on) - near(last, 4, back) > near(first, 1, on) - near(first, 4, back) + 0.05
    assert near(last, 1, on) != near(last, 1, parts.tokens.encode("go")[0])  # tokens of one turn differ
    again = Rubrics(parts.tokens, 0)
    again.load_state_dict(maker.state_dict())
    one, two = maker(played), again(played)
    assert all(np.array_equal(a, b) for a, b in zip(one.rubric_relevance, two.rubric_relevance, strict=True))


def test_a_batch_that_no_world_was_asked_about_has_no_rubrics_and_a_world_without_any_is_named(parts: Any) -> None:
    played = said(parts, ("go on",))
    quiet = said(parts, ("go on", "dance"))
    for script in (*quiet.transcripts.values(), *played.transcripts.values()):
        script.rubrics = [{} for _ in script.spans]
    with pytest.raises(MissingColumn, match="'rubric_scores' comes from the rubrics of the world's turns"):
        Rubrics(parts.tokens, 0)(played)
    invalid = quiet.batch.with_columns(valid=[False] * len(quiet.batch))
    batch = Rubrics(parts.tokens, 0)(Played(invalid, quiet.transcripts, 0, 0))
    assert [len(row) for row in batch.rubric_scores] == [0, 0]
