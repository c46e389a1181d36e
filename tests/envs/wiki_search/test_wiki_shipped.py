"""The shipped panels as they are played: by default, by name, by the expert."""

from __future__ import annotations

from itertools import combinations

import gymnasium
import pytest

from agentgym.check import check
from agentgym.envs.wiki_search.env import WikiSearchEnv
from agentgym.envs.wiki_search.shipped.panels import PANELS
from agentgym.envs.wiki_search.sources.question import passage_key


def solve(env: WikiSearchEnv, split: str, every: int = 1) -> int:
    """Let the expert play every so-many-th task of a split; return how many turns the longest took."""
    longest = 0
    for task in env.panel[split][::every]:
        _, info = env.reset(seed=0, options={"task": task.id})
        over = False
        while not over:
            *_, terminated, truncated, info = env.step(info["expert"])
            over = terminated or truncated
        assert info["success"] and env.state.recall == 1.0, task.id
        longest = max(longest, info["turn"])
    return longest


def test_the_world_plays_the_shipped_questions_by_default() -> None:
    env = gymnasium.make("agentgym:agentgym/WikiSearch-v0").unwrapped
    assert isinstance(env, WikiSearchEnv) and list(env.panel) == ["train", "dev", "test"]
    observation, info = env.reset(seed=0)
    assert observation.startswith("Question: ") and info["panel"] == "all"
    assert f"an encyclopedia of {env._library.size:,} passages" in info["messages"][0]["content"]


def test_gold_pages_are_pages_of_the_shipped_corpus() -> None:
    env = WikiSearchEnv()
    for split in env.panel:
        for task in env.panel[split]:
            for page in [*task.data["gold"], *task.data["hops"]]:
                (hit,) = env._library.titled(page["title"])
                assert hit.passage.title == page["title"] and passage_key(hit.passage) == page["passage"], task.id


def test_the_expert_solves_a_part_of_every_panel() -> None:
    assert solve(WikiSearchEnv(signals=("expert",)), "test", every=16) <= 9


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_expert_solves_every_question(split: str) -> None:
    assert solve(WikiSearchEnv(signals=("expert",)), split) <= 9


def test_panels_are_parts_of_the_whole() -> None:
    panels = {panel.name: panel for panel, _ in WikiSearchEnv().panels()}
    assert tuple(panels) == PANELS
    ids = {name: {task.id for split in panel for task in panel[split]} for name, panel in panels.items()}
    assert all(found and found <= ids["all"] for found in ids.values())
    types = [ids[name] for name in PANELS if name not in ("all", "hard")]
    assert set().union(*types) == ids["all"] and not any(one & other for one, other in combinations(types, 2))
    assert len({panel.hash for panel in panels.values()}) == len(PANELS)


@pytest.mark.slow
def test_the_shipped_world_keeps_the_contract() -> None:
    report = check(WikiSearchEnv, tasks=40)
    assert report.ok and not report.not_checked, str(report)
