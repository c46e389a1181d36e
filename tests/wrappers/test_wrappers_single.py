"""One world: what a group is, what ends one early, what is counted, what is refused."""

from __future__ import annotations

import gc
from typing import Any

import gymnasium
import pytest
import wrapper_loops
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit, TransformObservation
from worlds import Counter

from agentgym import AgentEnv, MissingColumn, Opening, StepAfterEnd, Task, ToolCall, Turn, WorldError, credit
from agentgym.wrappers import HindsightAdvantage, RecordTurns, RewardTerms, StepGroupAdvantage, TurnAdvantage
from agentgym.wrappers.episode import Episode
from agentgym.wrappers.judge import ALWAYS_RECORDED, BY_WORLD


def counter(size: int = 2, estimator: Any = "grpo", **kwargs: Any) -> TurnAdvantage:
    return TurnAdvantage(gymnasium.make("test/Counter-v0", **kwargs), estimator, group_size=size)


def episode(env: Any, *words: str, **start: Any) -> dict[str, Any]:
    """Play an episode and return its last info; the last word has to end it."""
    env.reset(**start)
    over = False
    for word in words:
        assert not over
        _, _, terminated, truncated, info = env.step(word)
        over = terminated or truncated
    assert over
    return info


def lengths(info: dict[str, Any]) -> list[int]:
    return [len(values) for values in info["credit"]]


def test_the_groups_are_the_episodes_of_the_bare_world() -> None:
    bare, env = Counter(), counter(3)
    starts = [bare.reset(seed=7)[1], bare.reset()[1], bare.reset()[1]]
    for number, start in enumerate(starts):
        for member in range(3):
            _, info = env.reset(**({"seed": 7} if number == member == 0 else {}))
            assert info == {**start, "env_id": "test/Counter-v0"}
            env.step("quit")
    assert env.dropped == 0


def test_the_last_info_of_a_group_holds_all_of_its_arrays() -> None:
    env = counter(3)
    assert "credit" not in episode(env, "up", "up", seed=1, options={"task": "two"})
    assert "credit" not in episode(env, "quit")
    info = episode(env, "up", "stay", "up")
    assert lengths(info) == [2, 1, 3]
    assert "credit" not in episode(env, "quit", options={"task": "two"})  # a group of its own begins


def test_the_same_seed_and_task_go_on_and_others_begin_a_new_group() -> None:
    env = counter(2)
    episode(env, "quit", seed=5, options={"task": "two"})
    assert lengths(episode(env, "up", "quit", seed=5, options={"task": "two"})) == [1, 2]
    episode(env, "quit", seed=5, options={"task": "two"})
    assert "credit" not in episode(env, "quit", seed=6, options={"task": "two"})
    assert env.dropped == 1
    assert "credit" not in episode(env, "quit", options={"task": "minus"})
    assert env.dropped == 2
    info = episode(env, "stay", "quit", options={"task": "minus"})
    assert lengths(info) == [1, 2] and info["task"] == "minus"
    assert env.dropped == 2


def test_a_reset_in_the_middle_of_an_episode_drops_its_group() -> None:
    env = counter(3)
    _, first = env.reset(seed=5)
    env.reset()  # nothing was played: nothing is dropped, and the world's next episode begins
    assert env.dropped == 0
    episode(env, "quit", seed=5)
    env.reset()
    env.reset()  # twice before the second member's first turn: it just begins again
    assert env.dropped == 0
    env.step("stay")
    _, info = env.reset()
    assert env.dropped == 2  # the finished one and the one under way
    assert info["seed"] != first["seed"]
    env.step("quit")
    episode(env, "quit")
    assert lengths(episode(env, "quit")) == [1, 1, 1]


def test_draws_of_its_own_for_a_member() -> None:
    env = TurnAdvantage(gymnasium.make("test/Dice-v0"), "grpo", group_size=3)

    def rolls(**start: Any) -> tuple[int, str, list[str]]:
        _, first = env.reset(**start)
        texts, over = [], False
        while not over:
            text, _, terminated, truncated, info = env.step("roll")
            texts.append(text)
            over = terminated or truncated
        assert ("credit" in info) is (len(played) == 2)
        return first["branch"], first["state_hash"], texts

    played: list[tuple[int, str, list[str]]] = []
    for start in ({"seed": 3, "options": {"branch": 4}}, {"options": {"branch": 9}}, {}):
        played.append(rolls(**start))
    branches, states, texts = zip(*played, strict=True)
    assert branches == (4, 9, 4)  # without options the first one's
    assert len(set(states)) == 1
    assert texts[0] != texts[1] and texts[0] == texts[2]
    assert env.dropped == 0


def test_a_world_that_does_not_start_again_is_named() -> None:
    starts = iter(range(9))

    class Drifting(AgentEnv[int]):
        panel = (Task("t"),)
        max_turns = 1

        def initial(self, task: Task, rng: Any) -> Opening[int]:
            return Opening(next(starts), "Start.")

        def transition(self, state: int, action: Any, rng: Any) -> Turn[int]:
            return Turn(state, "")

    env = TurnAdvantage(Drifting(), group_size=2)
    episode(env, "x", seed=1)
    with pytest.raises(WorldError, match="Drifting did not start again as it did before: task 't', seed 1 had the"):
        env.reset()


def test_a_start_that_fails_changes_no_later_seed() -> None:
    fails = iter([False, False, False, True, False, False])

    class Stumbling(Counter):
        def initial(self, task: Task, rng: Any) -> Opening[Any]:
            if next(fails):
                raise OSError("no answer")
            return super().initial(task, rng)

    env = TurnAdvantage(Stumbling(max_turns=1), "grpo", group_size=2)
    episode(env, "x", seed=1)
    episode(env, "up")
    episode(env, "x")
    with pytest.raises(OSError, match="no answer"):
        env.reset()
    assert len(episode(env, "up")["credit"]) == 2  # the second group goes on
    bare = Counter()
    bare.reset(seed=1)
    bare.reset()
    assert env.reset()[1]["seed"] == bare.reset()[1]["seed"]  # the third group: the world's third episode


@pytest.mark.parametrize("wrapper", [counter, lambda: RecordTurns(gymnasium.make("test/Counter-v0"))])
def test_steps_that_the_wrapper_cannot_place(wrapper: Any) -> None:
    env = wrapper()
    with pytest.raises(StepAfterEnd, match=r"no episode is under way .* call its reset\(\) first"):
        env.step("up")
    env.reset(seed=1, options={"task": "two"})
    saved = env.unwrapped.snapshot()
    env.step("stay")
    env.unwrapped.restore(saved)
    with pytest.raises(RuntimeError, match="at turn 1 of task 'two', seed 1, where turn 2 of task 'two', seed 1 was"):
        env.step("stay")
    episode(env, "quit", seed=1)
    with pytest.raises(StepAfterEnd):
        env.step("up")


def test_failed_episodes_of_a_dropped_group_are_not_counted_twice() -> None:
    env = TurnAdvantage(gymnasium.make("test/Flaky-v0"), group_size=3)
    episode(env, "go", "fail", seed=1)
    episode(env, "win", seed=1)
    env.reset(seed=2)
    assert (env.infra_errors, env.dropped) == (1, 1)


def test_a_time_limit_inside_truncates_and_one_outside_cuts() -> None:
    inside = counter(2, max_episode_steps=3)
    assert "TimeLimit" in str(inside)
    # Progress pays 1 once in one episode and nothing in the other: R = 1 and 0, mean and standard deviation 0.5, and
    # 0.5 / (0.5 + 1e-6) = 0.999998.
    episode(inside, "up", "x", "x", seed=1, options={"task": "two"})
    info = episode(inside, "x", "x", "x")
    first, second = info["credit"]
    assert first.tolist() == pytest.approx([0.999998] * 3, abs=1e-9)
    assert second.tolist() == pytest.approx([-0.999998] * 3, abs=1e-9)
    assert info["end_reason"] == ""  # the world does not know of it
    around = TimeLimit(counter(2), 2)
    for _ in range(3):
        around.reset()
        around.step("x")
        assert around.step("x")[3]
    around.reset()
    assert around.env.dropped == 3  # it saw three episodes that were given up


def test_a_time_limit_that_runs_out_in_the_last_turn_is_no_truncation() -> None:
    env = RecordTurns(counter(2, max_episode_steps=2))
    env.reset(seed=1, options={"task": "two"})
    env.step("up")
    assert env.step("up")[2:4] == (True, True)  # solved, and Gymnasium's limit says so too
    credit_given = episode(env, "x", "x")["credit"]
    # The world without that limit, which is cut by its own, gives the same.
    plain = counter(2, max_turns=2)
    episode(plain, "up", "up", seed=1, options={"task": "two"})
    wanted = episode(plain, "x", "x")["credit"]
    assert [values.tobytes() for values in credit_given] == [values.tobytes() for values in wanted]
    batch = env.batch()
    assert batch.terminated.tolist() == [False, True, False, False]
    assert batch.truncated.tolist() == [False, False, False, True]


def test_statistics_inside_and_outside() -> None:
    inside = RecordEpisodeStatistics(gymnasium.make("test/Counter-v0"))
    for env in (RecordEpisodeStatistics(counter(2)), TurnAdvantage(inside, "grpo", group_size=2)):
        first = episode(env, "up", "up", seed=1, options={"task": "two"})
        last = episode(env, "quit")
        assert (first["episode"]["l"], last["episode"]["l"]) == (2, 1)
        assert lengths(last) == [2, 1] and "credit" not in first


def test_what_the_caller_does_to_an_info_does_not_reach_the_credit() -> None:
    def play(spoil: bool) -> Any:
        heard: list[Any] = []
        score = lambda messages: heard.append(messages) or [0.0] * len(messages[2::2])
        record = RecordTurns(gymnasium.make("test/Counter-v0"))
        env = HindsightAdvantage(record, score, "gigpo", group_size=2)
        for words in (("up", "up"), ("stay", "quit")):
            _, info = env.reset(seed=1, options={"task": "two"})
            for word in words:
                if spoil:
                    info.update(anchor_hash="0" * 32, turn_reward=9.0, turn=7, task="other")
                    for part in [*info["messages"], info["messages"], info["components"], info["metrics"]]:
                        part.clear()
                info = env.step(word)[4]
        assert [message["content"] for message in heard[1][2::2]] == ["stay", "quit"]
        return [values.tobytes() for values in info["credit"]], heard, record.batch().to_rows()

    assert play(spoil=True) == play(spoil=False)


def test_the_arrays_are_the_callers_own() -> None:
    env = counter(2)
    episode(env, "up", "up", seed=1, options={"task": "two"})
    first, second = episode(env, "quit")["credit"]
    first[:] = 9.0
    assert second.base is None and first.base is None and 9.0 not in second


def test_tool_calls_are_recorded_by_what_they_say() -> None:
    env = RecordTurns(gymnasium.make("test/Shop-v0"))
    env.reset(seed=0)
    env.step(ToolCall("look", {"key": "item3"}))
    env.step(ToolCall("sell", {"key": "item3"}))
    assert list(env.batch().action) == [
        '{"tool": "look", "arguments": {"key": "item3"}}',
        '{"tool": "sell", "arguments": {"key": "item3"}}',
    ]


def test_an_observation_wrapper_inside_is_what_the_agent_read() -> None:
    loud = TransformObservation(gymnasium.make("test/Counter-v0"), str.upper, None)
    env = RecordTurns(loud)
    episode(env, "up", "up", seed=0, options={"task": "two"})
    assert list(env.batch().observation) == ["AT 0. REACH 2.", "AT 1."]


def episodes_alive() -> int:
    gc.collect()
    return sum(type(one) is Episode for one in gc.get_objects())


def test_a_long_loop_does_not_grow() -> None:
    before = episodes_alive()
    env = counter(3, "mt_grpo")
    for _ in range(90):
        episode(env, "stay", "quit")
    assert episodes_alive() == before
    env.reset()
    assert episodes_alive() == before + 1
    del env


@pytest.mark.parametrize(
    "arguments, kind, message",
    [
        ({}, ValueError, "group_size is needed: say how many episodes"),
        ({"group_size": 0}, ValueError, "group_size must be an integer of at least 1, not 0"),
        ({"group_size": True}, ValueError, "not True"),
        ({"group_size": 2.0}, ValueError, "not 2.0"),
        ({"estimator": "mt-grpo", "group_size": 2}, ValueError, "unknown estimator 'mt-grpo'; did you mean 'mt_grpo'"),
        ({"estimator": 7, "group_size": 2}, TypeError, "an estimator is a name, an Estimator or a function"),
        ({"group_size": 2, "coeff": 1.0}, TypeError, "unknown option 'coeff' of mt_grpo; did you mean 'coef'"),
        ({"group_size": 2, "preset": "two_segments"}, ValueError, "did you mean 'two_segment'"),
        ({"estimator": "gigpo", "group_size": 2, "key": "anker"}, ValueError, "did you mean 'anchor'"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        TurnAdvantage(gymnasium.make("test/Counter-v0"), **arguments)


def needing(*columns: str, signals: tuple[str, ...] = ()) -> Any:
    """Return an estimator that says that it reads these columns."""
    made = credit.as_estimator(lambda batch: batch.turn_reward)
    object.__setattr__(made, "_needs", columns)
    object.__setattr__(made, "_signals", signals)
    return made


def test_what_a_loop_cannot_give_is_refused_at_once() -> None:
    with pytest.raises(MissingColumn, match=r"'hcapo' needs the column 'hindsight_logprob', .* HindsightAdvantage\("):
        counter(2, "hcapo")
    with pytest.raises(
        MissingColumn, match=r"column 'logprob', .* only text passes .* batch.with_columns\(logprob=…\)"
    ):
        counter(2, needing("turn_reward", "logprob"))
    score = lambda messages: [0.0]
    with pytest.raises(MissingColumn, match="needs the column 'logprob'"):
        HindsightAdvantage(gymnasium.make("test/Counter-v0"), score, group_size=2, variant="policy_ratio")
    with pytest.raises(ValueError, match=r"'<lambda>' reads the signal 'potential', .* signals=\('potential',\)"):
        counter(2, needing("next_potential"))
    with pytest.raises(ValueError, match=r"reads the signal 'expert', .* with signals=\('menu', 'expert'\)"):
        counter(2, needing("menu", signals=("expert",)), signals=("menu",))
    counter(2, needing("menu", "potential", signals=("expert",)), signals=("menu", "expert", "potential"))


def test_the_columns_that_are_always_there_are_those_of_collect() -> None:
    batch = wrapper_loops.reference("Counter", "two", 1, 2)
    assert set(batch.columns) - BY_WORLD == ALWAYS_RECORDED


def test_a_column_that_the_world_does_not_give_is_missed_when_the_group_ends() -> None:
    env = TurnAdvantage(gymnasium.make("test/Counter-v0"), group_size=1, preset="two_segment")
    with pytest.raises(MissingColumn, match="'mt_grpo' needs the column 'tool_result'"):
        episode(env, "quit", seed=1)
    talk = TurnAdvantage(gymnasium.make("test/Talk-v0"), group_size=1, preset="two_segment")
    with pytest.raises(MissingColumn):  # only the turns before the last say whether there was a tool's result
        episode(talk, "hello", "bye")


def test_one_credit_a_stack() -> None:
    inside = RewardTerms(RecordEpisodeStatistics(counter(2)))
    with pytest.raises(ValueError, match=r"StepGroupAdvantage around TurnAdvantage: both would write info\['credit'\]"):
        StepGroupAdvantage(inside, group_size=2)
