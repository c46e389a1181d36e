"""Restarted rollouts: they begin with the ids of what they go on from, and draw anew from there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import grpo_world
import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the trainer needs torch: pip install 'agentgym-suite[train]'")

from agentgym.baselines.grpo import branching  # noqa: E402
from agentgym.baselines.grpo.config import Config, TrainError  # noqa: E402
from agentgym.baselines.grpo.engine import Request, Sample  # noqa: E402
from agentgym.baselines.grpo.prepare import Parts, prepare  # noqa: E402
from agentgym.baselines.grpo.rollout import Played, play  # noqa: E402


class Says:
    """An engine that says what a function of the request says."""

    def __init__(self, parts: Parts, text: Callable[[Request], str]) -> None:
        self.tokens, self.text, self.asked = parts.tokens, text, 0

    def generate(self, requests: Sequence[Request]) -> list[Sample]:
        self.asked += len(requests)
        said = [[*self.tokens.encode(self.text(request)), self.tokens.end] for request in requests]
        return [Sample(ids, [-0.5] * len(ids), list(request.ids)) for ids, request in zip(said, requests, strict=True)]


def at_random(request: Request) -> str:
    return "go on" if request.rng.random() < 0.6 else "go back"


def made(estimator: str, text: Callable[[Request], str], **changes: Any) -> tuple[Parts, Config]:
    config = grpo_world.config(estimator=estimator, **changes)
    parts = prepare(config)
    parts.engine = Says(parts, text)  # type: ignore[assignment]
    return parts, config


def rollouts(parts: Parts, config: Config, *tasks: str) -> Played:
    chosen = [parts.world.panel.task(task) for task in tasks]
    return play(parts.world, parts.engine, parts.tokens, config, chosen, group_size=config.group_size, seed=7)


def test_moments_are_those_of_the_rollout_and_go_their_own_way() -> None:
    parts, config = made("grpo", at_random)
    played = rollouts(parts, config, "to-3-0")
    for episode in played.episodes:
        script, found = episode.transcript, branching.moments(parts, config, episode)
        assert [len(moment.rows) for moment in found] == list(range(len(episode.rows)))
        for moment, (begin, _) in zip(found, script.spans, strict=True):
            assert moment.transcript.ids == script.ids[:begin]
        found[0].take("go back", [9, 2], [-1.0, -1.0])
        assert [len(moment.transcript.spans) for moment in found[1:]] == list(range(1, len(found)))  # those stay put
    assert max(len(episode.rows) for episode in played.episodes) > 1


def test_a_world_that_does_not_repeat_cannot_branch(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, config = made("grpo", lambda request: "go on")
    played = rollouts(parts, config, "to-2-0")
    real = type(parts.world).transition

    def moody(self: Any, state: Any, action: Any, rng: Any) -> Any:
        turn = real(self, state, action, rng)
        turn.observation = f"at last {turn.state.now}"
        return turn

    monkeypatch.setattr(type(parts.world), "transition", moody)
    with pytest.raises(TrainError, match=r"replaying rollout 'to-2-0#7/0' gave other texts than playing it"):
        branching.moments(parts, config, played.episodes[0])


def test_values_are_mean_returns_of_continuations() -> None:
    """Whoever goes on gets (goal - now)/goal for the way and 1 at the goal: 2, 1.67, 1.33 from 0, 1, 2 of 3."""
    parts, config = made("vine", lambda request: "go on", continuations=3)
    batch = branching.with_values(rollouts(parts, config, "to-3-0", "to-1-0"), parts, config)
    by_task = {task: batch.value[(batch.task == task) & (batch.trajectory == f"{task}#{seed}/0")]
               for task, seed in (("to-3-0", 7), ("to-1-0", 8))}  # fmt: skip
    assert by_task["to-3-0"].tolist() == pytest.approx([2.0, 5 / 3, 4 / 3])
    assert by_task["to-1-0"].tolist() == pytest.approx([2.0])
    # all rollouts of a group read the same ids, so a moment is valued once: 3·(3 + 2 + 1) turns and 3·1
    assert batch.meta["branching"] == {"scheme": "vine", "k": 3, "rewards": "total", "steps": 21}
    outcomes, config = made("vine", lambda request: "go on", options={"rewards": "outcome"})
    batch = branching.with_values(rollouts(outcomes, config, "to-3-0"), outcomes, config)
    assert set(batch.value.tolist()) == {1.0}


def test_continuations_draw_anew_and_always_the_same() -> None:
    parts, config = made("vine", at_random, continuations=16, rollouts=12, group_size=4)
    played = rollouts(parts, config, "to-2-0")
    one, two = (branching.with_values(played, parts, config) for _ in range(2))
    assert one.value.tolist() == two.value.tolist()
    first = float(one.value[0])
    assert 0.0 < first < 2.0  # neither all of them nor none arrive
    more = branching.with_values(played, parts, replace(config, continuations=17))
    assert more.value[0] != first


def test_slate_samples_one_prefix_and_goes_on_from_one_of_its_candidates() -> None:
    parts, config = made("slate", at_random, group_size=4)
    tasks = [parts.world.panel.task("to-3-0"), parts.world.panel.task("to-2-0")]
    played = branching.slate(parts, config, tasks, 7)
    batch = played.batch
    assert batch.prefix.tolist() == batch.group.tolist()
    assert set(batch.turn.tolist()) == {0}
    groups: dict[str, list[str]] = {}
    for group, trajectory in zip(batch.group, batch.trajectory, strict=True):
        groups.setdefault(group, []).append(trajectory)
    assert all(len(members) == 4 for members in groups.values())
    roots = {"to-3-0#7/0", "to-2-0#8/0"}
    assert roots < set(groups)
    assert set(groups) - roots <= set(batch.trajectory)  # every further prefix is a candidate
    for row, name in enumerate(batch.trajectory):
        script = played.transcripts[name]
        ((begin, end),) = script.spans
        assert end == len(script.ids) or name in groups  # what the world answered follows where it was gone on from
        assert batch.token_ids[row].tolist() == script.ids[begin:end]
        if batch.group[row] not in roots:  # the prefix is what its own candidate said and read
            before = played.transcripts[batch.group[row]].ids
            assert script.ids[:begin] == before
    assert len(batch) == 4 * len(groups)
    assert played.lines is not None
    assert played.lines.num_rollouts == 2
    assert len(played.lines) == len(groups)
    again = branching.slate(parts, config, tasks, 7)
    assert again.batch.trajectory.tolist() == batch.trajectory.tolist()


def test_a_small_eta_follows_the_best_candidate() -> None:
    """Going on pays 1/3, going back −1/3: with η = 0.01 a line goes on wherever one of the four candidates did."""
    parts, config = made("slate", at_random, group_size=4, options={"eta": 0.01})
    played = branching.slate(parts, config, [parts.world.panel.task("to-3-0")] * 3, 7)
    assert played.lines is not None
    said: dict[str, set[str]] = {}
    for group, action in zip(played.batch.group, played.batch.action, strict=True):
        said.setdefault(group, set()).add(action)
    assert {"go on", "go back"} in said.values()
    followed = dict(zip(played.batch.trajectory, played.batch.action, strict=True))
    for name in said:
        before = name.rpartition("/")[0]
        if name in followed and "go on" in said[before]:
            assert followed[name] == "go on"


def test_grafts_keep_the_better_way_and_go_on_with_draws_of_their_own() -> None:
    parts, config = made("tstar", at_random, group_size=6, rollouts=6, grafts=2, options={"divergence_threshold": 0.1})
    played = rollouts(parts, config, "to-3-0")
    found = parts.estimator(played.batch, **config.options).diagnostics["divergences"]
    whole = branching.grafted(played, parts, config)
    assert whole.lines is played.batch
    new = [episode for episode in whole.episodes if episode.member >= 6]
    lasting = [each for each in found if each.better[1] + 1 < len(played.transcripts[each.better[0]].spans)]
    assert len(new) == 2 * len(lasting) > 0
    assert sorted(episode.member for episode in new) == list(range(6, 6 + len(new)))
    for place, episode in enumerate(new):
        name, turn = lasting[place // 2].better
        old, script = played.transcripts[name], episode.transcript
        kept = script.spans[: turn + 1]
        assert kept == old.spans[: turn + 1]
        assert script.ids[: kept[-1][1]] == old.ids[: kept[-1][1]]
        assert episode.over
    assert whole.batch.num_rollouts == 6 + len(new)
    assert {episode.draws for episode in new} and len({episode.draws for episode in new}) == len(new)
    assert np.isfinite(parts.estimator(whole.batch, **config.options).total).all()
