"""HindsightAdvantage: what the score is asked, what it may answer, and that menu policies are exact."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from wrapper_loops import by_member, infra, play_single, reference, said, vector

from agentgym import Reply, TurnBatch, View, collect, credit
from agentgym.baselines.hindsight import HindsightPolicy
from agentgym.baselines.policies import LogLinearPolicy, RandomPolicy
from agentgym.rng import TurnRng
from agentgym.wrappers import HindsightAdvantage


def score_of(messages: list[dict[str, Any]]) -> list[float]:
    """Return for each turn minus the length of what was said, and a bit for what was said before."""
    texts = [message["content"] for message in messages if message["role"] == "assistant"]
    return [-0.25 * len(text) - 0.125 * index for index, text in enumerate(texts)]


def test_a_score_of_messages_gives_what_the_column_gives() -> None:
    env = HindsightAdvantage(gymnasium.make("test/Counter-v0"), score_of, group_size=4, temperature=1.0)
    came = play_single(env, "Counter", 4, groups=2, seed=5)
    seen = set()
    for played, values in came:
        batch = reference("Counter", *played[:2], 4)
        told = [-0.25 * len(text) - 0.125 * turn for text, turn in zip(batch.action, batch.turn, strict=True)]
        batch = batch.with_columns(hindsight_logprob=told)
        total = credit.estimate("hcapo", batch, temperature=1.0).total
        assert values.tobytes() == by_member(batch, total)[played[2]].tobytes()
        assert (
            total.tobytes()
            != credit.estimate("hcapo", batch.with_columns(hindsight_logprob=np.zeros(len(batch)))).total.tobytes()
        )
        seen.add(played)
    assert len(seen) == 8


def test_the_score_reads_the_whole_conversation_once_an_episode() -> None:
    asked: list[list[dict[str, Any]]] = []

    def score(messages: list[dict[str, Any]]) -> list[float]:
        asked.append(copy.deepcopy(messages))
        messages.clear()  # its own list
        return [0.0] * sum(message["role"] == "assistant" for message in asked[-1])

    env = HindsightAdvantage(gymnasium.make("test/Counter-v0"), score, group_size=2)
    env.reset(seed=1, options={"task": "two"})
    env.step("up")
    assert asked == []
    env.step("up")
    assert asked == [
        [
            {"role": "system", "content": "Say up, down or stay."},
            {"role": "user", "content": "At 0. Reach 2."},
            {"role": "assistant", "content": "up"},
            {"role": "user", "content": "At 1."},
            {"role": "assistant", "content": "up"},
            {"role": "user", "content": "At 2."},
        ]
    ]
    env.reset()
    assert len(env.step("quit")[4]["credit"]) == 2
    assert len(asked) == 2


@pytest.mark.parametrize(
    "answer, message",
    [
        ([0.0], r"shape \(1,\) for the 2 turns of task 'two', seed 1: return one log-probability a turn"),
        ([0.0] * 3, r"shape \(3,\) for the 2 turns"),
        (0.0, r"shape \(\) for the 2 turns"),
        ([[0.0], [0.0]], r"shape \(2, 1\)"),
        ([0.0, float("nan")], "returned nan for turn 1 of task 'two', seed 1: not finite"),
        ([float("-inf"), 0.0], "returned -inf for turn 0"),
        (None, "returned None for task 'two'|not finite|shape"),
        (["a", "b"], r"returned \['a', 'b'\] for task 'two', seed 1"),
        (["-1", "-2"], r"returned \['-1', '-2'\] for task 'two', seed 1"),
        ([True, False], r"returned \[True, False\] for task 'two', seed 1: return one log-probability a turn"),
        ([[0.0], [0.0, 1.0]], "return one log-probability a turn"),
    ],
)
@pytest.mark.parametrize("kind", ["single", "vector"])
def test_other_answers_are_refused_by_name(kind: str, answer: Any, message: str) -> None:
    score = lambda messages: answer
    if kind == "single":
        env = HindsightAdvantage(gymnasium.make("test/Counter-v0"), score, group_size=2)
        env.reset(seed=1, options={"task": "two"})
        with pytest.raises(ValueError, match=message):
            [env.step("up") for _ in range(2)]
    else:
        envs = HindsightAdvantage(vector("Counter", "group", AutoresetMode.DISABLED, 2, 2), score)
        envs.reset(seed=1, options={"tasks": ["two"]})
        with pytest.raises(ValueError, match=message):
            [envs.step(["up", "x"]) for _ in range(2)]


def test_a_score_that_failed_is_asked_again_when_the_group_ends() -> None:
    tries: list[int] = []

    def score(messages: list[dict[str, Any]]) -> list[float]:
        tries.append(len(messages))
        if len(tries) == 1:
            raise ConnectionError("endpoint gone")
        return score_of(messages)

    env = HindsightAdvantage(gymnasium.make("test/Counter-v0"), score, group_size=2)
    for word in ("quit", "quit"):
        env.reset(seed=1, options={"task": "two"})
        if not tries:
            with pytest.raises(ConnectionError):
                env.step(word)
        else:
            assert len(env.step(word)[4]["credit"]) == 2
    assert len(tries) == 3


def test_failed_episodes_are_not_scored() -> None:
    asked: list[Any] = []
    score = lambda messages: asked.append(messages) or score_of(messages)
    env = HindsightAdvantage(gymnasium.make("test/Flaky-v0"), score, group_size=4)
    came = play_single(env, "Flaky", 4, groups=3, seed=1)
    assert len(asked) == sum(not infra("Flaky", played) for played, _ in came) < 12


def menu_groups(policy: Any, start: dict[str, Any], size: int, **kwargs: Any) -> tuple[TurnBatch, TurnBatch]:
    """Return what collect records of one group, without and with the policy's hindsight."""
    batch = collect(
        "test/Counter-v0", policy, tasks=[start["task"]], seed=start["seed"], group_size=size,
        env_kwargs={"signals": ("menu", "describe"), **kwargs},
    )  # fmt: skip
    return batch, policy.with_hindsight(batch)


def learned(seed: int) -> LogLinearPolicy:
    policy = LogLinearPolicy(1 << 10)
    policy.weights[:] = np.random.default_rng(seed).normal(size=policy.weights.size)
    return policy


@pytest.mark.parametrize("acting", [RandomPolicy, partial(learned, 3)], ids=["random", "log-linear"])
@pytest.mark.parametrize("options", [{}, {"variant": "policy_ratio"}], ids=str)
@pytest.mark.parametrize("kind", ["single", "group", "sync"])
def test_a_menu_policy_is_exact(kind: str, options: dict[str, Any], acting: Any) -> None:
    size, start, signals = 6, {"seed": 4, "task": "two"}, ("menu", "describe")
    policy = HindsightPolicy(acting(), size=1 << 10)

    def choose(info: Any, member: int, observation: str) -> str:
        view = View(
            info["messages"], info["turn"], TurnRng(4, member, info["turn"], "policy"), info["state_hash"], info,
            tuple(info["menu"]), "", info["describe"],
        )  # fmt: skip
        reply: Reply = policy([view])[0]
        return reply.text

    came: list[np.ndarray] = []
    if kind == "single":
        env = HindsightAdvantage(gymnasium.make("test/Counter-v0", signals=signals), policy, group_size=size, **options)
        for member in range(size):
            observation, info = env.reset(seed=4, options={"task": "two"})
            over = False
            while not over:
                observation, _, terminated, truncated, info = env.step(choose(info, member, observation))
                over = terminated or truncated
        came = info["credit"]
    else:
        envs = vector("Counter", kind, AutoresetMode.SAME_STEP, size, size, signals=signals)
        wrapped = HindsightAdvantage(envs, policy, group_size=size, **options)
        group = kind == "group"
        how = {"tasks": ["two"]} if group else {"task": "two"}
        observations, infos = wrapped.reset(seed=[4] * (1 if group else size), options=how)
        while "credit" not in infos:
            rows = [
                {key: infos[key][slot] for key in ("messages", "turn", "state_hash", "menu", "describe", "seed")}
                for slot in range(size)
            ]
            words = [
                choose(row, slot, observations[slot]) if row["seed"] == 4 else "quit" for slot, row in enumerate(rows)
            ]  # those that have finished play on elsewhere
            observations, _, _, _, infos = wrapped.step(words)
        assert infos["_credit"].all()
        came = list(infos["credit"])
    _, batch = menu_groups(policy, start, size)
    assert batch.success.any()
    wanted = by_member(batch, credit.estimate("hcapo", batch, **options).total)
    assert [values.tobytes() for values in came] == [wanted[member].tobytes() for member in range(size)]


def test_a_menu_policy_sees_the_draws_of_the_member_that_played() -> None:
    seen: list[tuple[int, int]] = []

    class Watching(HindsightPolicy):
        def log_probs(self, views: Any) -> Any:
            seen.extend((view.rng.branch, view.turn) for view in views)
            return super().log_probs(views)

    env = HindsightAdvantage(
        gymnasium.make("test/Counter-v0", signals=("menu", "describe"), max_turns=2),
        Watching(RandomPolicy()),
        group_size=2,
    )
    for _ in range(2):
        env.reset(seed=1, options={"task": "two"})
        env.step("up")
        env.step("down")
    assert seen[:4] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_a_menu_policy_needs_its_signals_and_actions_from_the_menu() -> None:
    policy = HindsightPolicy(RandomPolicy())
    with pytest.raises(ValueError, match=r"HindsightPolicy reads the signal 'describe', .* signals=\('menu', 'descr"):
        HindsightAdvantage(gymnasium.make("test/Counter-v0", signals=("menu",)), policy, group_size=2)
    env = HindsightAdvantage(gymnasium.make("test/Counter-v0", signals=("menu", "describe")), policy, group_size=1)
    env.reset(seed=1, options={"task": "two"})
    env.step("up")
    with pytest.raises(ValueError, match="do not fit the menu of 3 at turn 1 of task 'two', seed 1"):
        env.step("quit")


def test_what_is_no_score() -> None:
    with pytest.raises(TypeError, match=r"score must be a function from messages .*HindsightPolicy, not 3"):
        HindsightAdvantage(gymnasium.make("test/Counter-v0"), 3, group_size=2)


def test_the_score_is_recorded_by_reference() -> None:
    class Model:
        def __deepcopy__(self, memo: Any) -> Any:
            raise AssertionError("a model was copied")

        def score(self, messages: Any) -> list[float]:
            return score_of(messages)

    model = Model()
    env = HindsightAdvantage(gymnasium.make("test/Counter-v0"), model.score, group_size=2)
    again = gymnasium.make(gymnasium.wrappers.RecordEpisodeStatistics(env).spec)
    inner: Any = again.env
    assert inner._judge.score.__self__ is model
    assert said("Counter", 1, 0, 0)
    assert play_single(again, "Counter", 2, groups=1, seed=3)
