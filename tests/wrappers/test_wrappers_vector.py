"""Vectors: infos become records again, which episodes form a group, what a reset gives up, what is refused."""

from __future__ import annotations

import gc
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit
from gymnasium.wrappers.vector import DictInfoToList
from worlds import Counter
from wrapper_loops import KINDS, MODES, WORDS, Expected, by_member, check, play_vector, said, vector

from agentgym import AgentEnv, GroupVectorEnv, MissingColumn, Opening, Task, Turn, collect, credit, validate_info
from agentgym.vector import SlotError
from agentgym.wrappers.episode import Episode
from agentgym.wrappers.vector import HindsightAdvantage, RecordTurns, RewardTerms, StepGroupAdvantage, TurnAdvantage
from agentgym.wrappers.vector.groups import Groups
from agentgym.wrappers.vector.slots import rows_of

DISABLED, NEXT_STEP, SAME_STEP = MODES


def plain(kind: str, name: str, mode: AutoresetMode, steps: int) -> list[Any]:
    """Return observation, info and final info of every slot and step."""
    envs = vector(name, kind, mode, 4, 2, privileged=name == "Counter", signals=SIGNALS.get(name, ()))
    seen: list[Any] = []
    try:
        observations, infos = envs.reset(seed=[3, 4] if kind == "group" else [3, 3, 4, 4])
        seen.append((list(observations), *map(list, rows_of(infos, 4))))
        for turn in range(steps):
            words = [said(name, 3, slot, turn) for slot in range(4)]
            observations, _, terminated, truncated, infos = envs.step(words)
            seen.append((list(observations), *map(list, rows_of(infos, 4))))
            if mode is DISABLED and (terminated | truncated).any():
                break
    finally:
        envs.close()
    return seen


SIGNALS = {"Counter": ("menu", "potential", "expert", "describe")}


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", [name for name in WORDS if name != "Flaky"])
def test_columns_become_the_infos_that_the_worlds_gave(name: str, mode: AutoresetMode) -> None:
    theirs, ours = plain("sync", name, mode, 12), plain("group", name, mode, 12)
    assert theirs == ours
    for _, rows, finals in theirs:
        for row in [*rows, *filter(None, finals)]:
            validate_info(row)  # which looks at exact types: a column's numbers have become Python's own again
    assert mode is not SAME_STEP or any(any(finals) for _, _, finals in theirs)


@pytest.mark.parametrize("name", ["Talk", "Counter"])
def test_columns_from_other_processes(name: str) -> None:
    assert plain("async", name, SAME_STEP, 8) == plain("group", name, SAME_STEP, 8)


def test_masks_are_not_taken_for_numbers() -> None:
    there = np.array([True, False])
    columns = {
        "state_hash": np.array(["a", None], object),
        "_state_hash": there,
        "components": {"x": np.array([0.5, 0.0]), "_x": there, "_y": np.array([2.0, 0.0]), "__y": there},
        "_components": there,
        "turn": np.array([3, 0]),
        "_turn": there,
    }
    rows, finals = rows_of(columns, 2)
    assert rows == [{"state_hash": "a", "turn": 3, "components": {"x": 0.5, "_y": 2.0}}, None]
    assert type(rows[0]["turn"]) is int
    assert finals == [None, None]
    assert rows_of({}, 2) == ([None, None], [None, None])


def test_columns_are_not_built_by_looking() -> None:
    envs = TurnAdvantage(vector("Counter", "group", SAME_STEP, 4, 2), "grpo")
    _, infos = envs.reset(seed=0, options={"tasks": ["two", "two"]})
    assert infos._finals is not None
    infos = envs.step(["up"] * 4)[4]
    assert infos._finals is not None  # the mark of columns that nobody has asked for yet
    assert envs.step(["up"] * 4)[4]["_credit"].all()


def test_noise_of_ones_own() -> None:
    envs = StepGroupAdvantage(GroupVectorEnv("test/Dice-v0", 3, 3, noise="own"))
    _, infos = envs.reset(seed=6)
    while "credit" not in infos:
        turns = infos["turns"]
        words = [said("Dice", 6, slot, turns[slot]["turn"]) if live else None for slot, live in enumerate(envs.live)]
        infos = envs.step(words)[4]
    policy = lambda views: [view.rng.choice(WORDS["Dice"]) for view in views]
    batch = collect("test/Dice-v0", policy, tasks=["dice"], seed=6, group_size=3, noise="own")
    assert batch.branch.tolist() != [0] * len(batch)
    wanted = by_member(batch, credit.estimate("gigpo", batch).total)
    assert [values.tobytes() for values in infos["credit"]] == [wanted[slot].tobytes() for slot in range(3)]


def grouped(mode: AutoresetMode = DISABLED, num_envs: int = 4, size: int = 2, **kwargs: Any) -> TurnAdvantage:
    return TurnAdvantage(vector("Counter", "group", mode, num_envs, size, **kwargs), "grpo")


def test_credit_is_there_in_the_step_that_completes_a_group() -> None:
    envs = grouped()
    envs.reset(seed=0, options={"tasks": ["two", "minus"]})
    infos = envs.step(["up", "up", "down", "up"])[4]
    assert "credit" not in infos and envs.waiting == 1
    infos = envs.step(["up", "quit", None, "quit"])[4]  # all are over now
    assert infos["credit"].dtype == object and infos["_credit"].tolist() == [True] * 4
    assert [len(values) for values in infos["credit"]] == [2, 2, 1, 2]
    assert envs.waiting == 0 and not envs.live.any()
    envs.reset(seed=1, options={"tasks": ["two", "two"], "reset_mask": np.array([True, True, False, False])})
    infos = envs.step(["quit", "quit", None, None])[4]
    assert infos["_credit"].tolist() == [True, True, False, False]
    assert infos["credit"][2] is None and infos["credit"][3] is None
    assert envs.dropped == 0


def test_nothing_is_kept_of_what_had_its_credit() -> None:
    def alive() -> int:
        gc.collect()
        return sum(type(one) is Episode for one in gc.get_objects())

    before = alive()
    envs = TurnAdvantage(vector("Counter", "sync", NEXT_STEP, 4, 2), group_size=2)
    came = play_vector(envs, "Counter", 2, "sync", NEXT_STEP, steps=120, seeds=[1, 2])
    assert len(came) > 60
    assert alive() <= before + 4 + envs.waiting  # one under way a slot, and those that wait for their group
    assert len(came) + envs.waiting >= 60 and envs.waiting < 12


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize("kind", KINDS[:2])
def test_a_reset_of_all_drops_what_is_not_complete(kind: str, mode: AutoresetMode) -> None:
    envs = TurnAdvantage(vector("Counter", kind, mode, 4, 2), "grpo", group_size=2)
    start = {"seed": [1, 2] if kind == "group" else [1, 1, 2, 2]}
    envs.reset(**start)
    envs.reset(**start)
    assert envs.dropped == 0  # nobody had played
    infos = envs.step(["quit", "stay", "quit", "quit"])[4]
    assert infos["_credit"].tolist() == [False, False, True, True]
    envs.reset(**start)
    assert envs.dropped == 2 and envs.waiting == 0  # the first group: one had finished, one had not
    infos = envs.step(["quit"] * 4)[4]
    assert infos["_credit"].all() and envs.dropped == 2


def test_a_mask_that_cuts_one_slot_drops_its_group() -> None:
    envs = TurnAdvantage(vector("Counter", "sync", DISABLED, 4, 2), "grpo", group_size=2)
    envs.reset(seed=[1, 1, 2, 2])
    envs.step(["stay", "stay", "stay", "quit"])

    def again(*slots: int) -> None:
        envs.reset(options={"reset_mask": np.isin(np.arange(4), slots)})

    again(0, 3)
    assert envs.dropped == 1 and envs.waiting == 1
    infos = envs.step(["stay", "quit", "quit", "stay"])[4]
    assert infos["_credit"].tolist() == [False, False, True, True]  # the second group's first episodes
    assert envs.dropped == 2  # slot 1's finished after its group was cut
    again(1, 2)  # nobody else of the group has begun this round's turns but slot 3
    infos = envs.step(["quit", "quit", "quit", "quit"])[4]
    assert infos["_credit"].all()
    assert envs.dropped == 2


def test_a_group_that_is_seeded_anew_counts_anew() -> None:
    envs = TurnAdvantage(vector("Dice", "sync", DISABLED, 2, 2), "grpo", group_size=2)
    envs.reset(seed=[1, 1])
    while not envs.step(["roll", "pass"])[2][0]:
        pass
    envs.reset(options={"reset_mask": np.array([True, False])})  # slot 0 is in its second episode, slot 1 in its first
    envs.step(["roll", "pass"])
    envs.reset(seed=[7, 7], options={"reset_mask": np.array([True, True])})
    assert envs.dropped == 3 and envs.waiting == 0
    for _ in range(6):
        infos = envs.step(["pass", "pass"])[4]
    assert infos["_credit"].all()


def test_a_group_of_ours_that_is_reset_counts_anew() -> None:
    envs = TurnAdvantage(GroupVectorEnv("test/Dice-v0", 4, 2, autoreset_mode=SAME_STEP), "grpo")
    envs.reset(seed=1)
    while not envs.step(["roll", "pass", None, None])[2][0]:
        pass
    envs.reset(options={"reset_mask": np.array([True, True, False, False])})  # slot 0 had begun its second episode
    assert envs.dropped == 2 and envs.waiting == 0
    for _ in range(6):
        infos = envs.step(["pass", "pass", None, None])[4]
    assert infos["_credit"].tolist() == [True, True, False, False]


def test_slots_that_start_differently_are_named() -> None:
    envs = TurnAdvantage(vector("Dice", "sync", NEXT_STEP, 4, 2), group_size=2)
    with pytest.raises(ValueError, match=r"slots 0 and 1 are in one group of 2 and start differently: task 'dice' wit"):
        envs.reset(seed=1)  # Gymnasium's meaning: 1, 2, 3, 4
    envs.reset(seed=[1, 1, 2, 2])
    envs.step(["roll"] * 4)
    envs = TurnAdvantage(vector("Counter", "sync", NEXT_STEP, 2, 2), group_size=2)
    other = next(
        seed for seed in range(9) if Counter().reset(seed=seed)[1]["task"] != Counter().reset(seed=1)[1]["task"]
    )
    with pytest.raises(ValueError, match=r"task '(two|minus)' with state .*task '(two|minus)' with state .*same seed"):
        envs.reset(seed=[1, other])


def test_a_world_that_raises_loses_nothing_of_the_others() -> None:
    class Brittle(AgentEnv[int]):
        panel = (Task("t"),)
        max_turns = 2

        def initial(self, task: Task, rng: Any) -> Opening[int]:
            return Opening(0, "Say anything but break.")

        def transition(self, state: int, action: Any, rng: Any) -> Turn[int]:
            if action.text == "break":
                raise OSError("broken")
            return Turn(state + 1, "", {"step": float(len(action.text))})

    envs = RewardTerms(TurnAdvantage(GroupVectorEnv(Brittle, 2, 2), "grpo", rewards="total"))
    envs.reset(seed=0)
    with pytest.raises(SlotError) as caught:
        envs.step(["break", "a"])
    assert caught.value.result[4]["_reward_terms"].tolist() == [False, True]
    envs.step(["aa", "aa"])
    with pytest.raises(SlotError):
        envs.step(["break", None])
    infos = envs.step(["aa", None])[4]
    assert [len(values) for values in infos["credit"]] == [2, 2]


def test_a_time_limit_inside_counts_as_the_end() -> None:
    limited = [lambda: TimeLimit(gymnasium.make("test/Counter-v0"), 2)] * 2
    envs = TurnAdvantage(SyncVectorEnv(limited, autoreset_mode=SAME_STEP), "grpo", group_size=2)
    envs.reset(seed=[1, 1], options={"task": "two"})
    envs.step(["up", "x"])
    infos = envs.step(["x", "x"])[4]
    # Returns 1 and 0: (1 − 0.5)/(0.5 + 1e-6) on both turns of the first, its negative on the second.
    assert infos["credit"][0].tolist() == pytest.approx([0.999998] * 2, abs=1e-9)
    assert infos["credit"][1].tolist() == pytest.approx([-0.999998] * 2, abs=1e-9)


def test_wrappers_inside_the_workers_do_not_disturb() -> None:
    makers = [lambda: RecordEpisodeStatistics(gymnasium.make("test/Counter-v0"))] * 4
    envs = TurnAdvantage(SyncVectorEnv(makers, autoreset_mode=SAME_STEP), group_size=2)
    came = play_vector(envs, "Counter", 2, "sync", SAME_STEP, steps=20, seeds=[1, 2])
    assert len(came) >= 4
    check(came, Expected("Counter", 2, "mt_grpo"))


def test_credit_inside_and_outside_is_refused() -> None:
    with pytest.raises(ValueError, match="StepGroupAdvantage around TurnAdvantage: both would write"):
        StepGroupAdvantage(RecordTurns(grouped()))
    single = partial(gymnasium.make, "test/Counter-v0")
    makers = [lambda: gymnasium.make(_credited(single()).spec)] * 2
    envs = TurnAdvantage(SyncVectorEnv(makers, autoreset_mode=NEXT_STEP), group_size=2)
    envs.reset(seed=[1, 1])
    with pytest.raises(ValueError, match=r"infos hold 'credit' already: TurnAdvantage is around a world that gives it"):
        [envs.step(["stay", "stay"]) for _ in range(5)]


def _credited(env: Any) -> Any:
    from agentgym.wrappers import TurnAdvantage as Single

    return Single(env, group_size=1)


@pytest.mark.parametrize(
    "make, kind, message",
    [
        (lambda: TurnAdvantage(vector("Counter", "sync", NEXT_STEP, 4, 2)), ValueError, "group_size is needed"),
        (
            lambda: TurnAdvantage(gymnasium.make_vec("test/Counter-v0", num_envs=4)),
            ValueError,
            "group_size is needed: the vector has groups of 1, .*; make the vector with group_size=8",
        ),
        (
            lambda: TurnAdvantage(vector("Counter", "sync", NEXT_STEP, 4, 2), group_size=3),
            ValueError,
            "4 slots are no mu",
        ),
        (
            lambda: TurnAdvantage(GroupVectorEnv("test/Counter-v0", 4, 2), group_size=4),
            ValueError,
            "group_size=4, but the environment has groups of 2: leave group_size out",
        ),
        (lambda: grouped().__class__(grouped().env, "gripo"), ValueError, "did you mean 'grpo'"),
        (lambda: StepGroupAdvantage(grouped().env, step_weigth=1.0), TypeError, "did you mean 'step_weight'"),
        (lambda: TurnAdvantage(grouped().env, "hcapo"), MissingColumn, r"HindsightAdvantage\(env, score\)"),
        (lambda: HindsightAdvantage(grouped().env, "score"), TypeError, "score must be a function"),
        (
            lambda: TurnAdvantage(vector("Counter", "sync", NEXT_STEP, 2, 2), credit.column("potential"), group_size=2),
            ValueError,
            r"reads the signal 'potential', .* with signals=\('potential',\)",
        ),
    ],
)
def test_bad_arguments(make: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        make()


def test_the_size_of_the_vector_may_be_said_again_and_live_is_seen_through_a_stack() -> None:
    envs = RewardTerms(RecordTurns(TurnAdvantage(GroupVectorEnv("test/Counter-v0", 4, 2), group_size=2)))
    envs.reset(seed=0)
    assert envs.live.tolist() == [True] * 4
    assert envs.env.env.group_size == 2
    with pytest.raises(AttributeError, match="live"):
        _ = TurnAdvantage(vector("Counter", "sync", NEXT_STEP, 2, 2), group_size=2).live


def test_groups_of_one_are_possible_where_somebody_says_so() -> None:
    envs = TurnAdvantage(GroupVectorEnv("test/Counter-v0", 2), "grpo", group_size=1, singleton="raw")
    envs.reset(seed=0, options={"tasks": ["two", "two"]})
    envs.step(["up", "up"])
    infos = envs.step(["up", "quit"])[4]
    # Returns 2 of progress + 1, and 1 of progress; raw: divided by 1 + 1e-6.
    assert [values[-1] for values in infos["credit"]] == pytest.approx([3 / (1 + 1e-6), 1 / (1 + 1e-6)])


def test_infos_of_another_shape_are_named() -> None:
    listed = DictInfoToList(vector("Counter", "sync", DISABLED, 2, 2))
    with pytest.raises(TypeError, match="infos are a list, not a dict: put what changes their shape, such as DictInfo"):
        TurnAdvantage(listed, group_size=2).reset(seed=[1, 1])
    around = DictInfoToList(TurnAdvantage(vector("Counter", "sync", DISABLED, 2, 2, max_turns=1), group_size=2))
    around.reset(seed=[1, 1])
    assert all(len(info["credit"]) == 1 for info in around.step(["up", "x"])[4])


def test_a_step_without_the_wrappers_reset() -> None:
    bare = vector("Counter", "group", DISABLED, 2, 2)
    bare.reset(seed=0)
    with pytest.raises(RuntimeError, match=r"slot 0 took a turn in an episode that RecordTurns has not seen the start"):
        RecordTurns(bare).step(["up", None])
    envs = RecordTurns(vector("Counter", "group", DISABLED, 2, 2))
    envs.reset(seed=0)
    saved: Any = envs.unwrapped
    moment = saved.envs[1].snapshot()
    envs.step(["stay", "stay"])
    saved.envs[1].restore(moment)
    with pytest.raises(RuntimeError, match=r"the world is at turn 1 of task .* where turn 2"):
        envs.step(["stay", "stay"])


# ---- groups by themselves


def starting(task: str = "t", state: str = "s", turns: int = 0, end: str = "") -> Episode:
    info = {"task": task, "state_hash": state, "end_reason": end}
    return Episode("", info, rows=[("", info, None, info)] * turns)


def take(episode: Episode, end: str = "failed") -> Episode:
    """Add a turn to an episode, the last one."""
    episode.rows.append(("", episode.info, None, {**episode.info, "end_reason": end}))
    episode.info = episode.rows[-1][3]
    return episode


def test_rounds_are_counted_by_slot() -> None:
    groups = Groups(4, 2)
    first = [starting() for _ in range(4)]
    for slot, episode in enumerate(first):
        groups.begin(slot, episode)
    assert groups.finish(1, take(first[1])) == []
    second = starting(state="other")
    groups.begin(1, second)  # slot 1 is in its second round while slot 0 is in its first
    assert groups.finish(1, take(second)) == []
    assert groups.waiting == 2
    assert groups.finish(0, take(first[0])) == [(0, first[0]), (1, first[1])]
    third = starting(state="other")
    groups.begin(0, third)
    assert groups.finish(0, take(third)) == [(0, third), (1, second)]
    assert groups.waiting == groups.dropped == 0


def test_a_failed_episode_completes_its_group() -> None:
    groups = Groups(2, 2)
    one, two = starting(), starting()
    groups.begin(0, one), groups.begin(1, two)
    assert groups.finish(0, take(one, "infra_error")) == []
    assert groups.finish(1, take(two)) == [(0, one), (1, two)]
    assert (groups.infra_errors, groups.dropped) == (1, 0)


def test_a_group_that_is_cut_counts_each_of_its_episodes_once() -> None:
    groups = Groups(3, 3)
    episodes = [starting() for _ in range(3)]
    for slot, episode in enumerate(episodes):
        groups.begin(slot, episode)
    groups.finish(0, take(episodes[0]))
    take(episodes[1]), take(episodes[2])
    groups.restart([1], anew=True)  # part of a group: never anew
    assert groups.dropped == 2 and groups.waiting == 0
    groups.begin(1, starting())
    assert groups.finish(2, episodes[2]) == []
    assert groups.dropped == 3
    groups.begin(2, starting())
    groups.begin(0, starting())
    assert groups._rounds[0].keys() == {1}  # nothing is left of the first round
    groups.restart([0, 1, 2], anew=True)
    assert groups.dropped == 3 and groups._rounds[0] == {}


def test_a_slot_that_had_not_begun_to_play_is_started_again() -> None:
    groups = Groups(2, 2)
    groups.begin(0, starting()), groups.begin(1, starting())
    groups.restart([0, 1], anew=False)
    one, two = starting(state="x"), starting(state="x")
    groups.begin(0, one), groups.begin(1, two)  # in the same round, from another start
    groups.finish(0, take(one))
    assert groups.finish(1, take(two)) == [(0, one), (1, two)]
    groups.begin(0, three := starting()), groups.begin(1, starting())
    take(three)
    groups.restart([1], anew=False)  # slot 0 has played: the round cannot be had any more
    assert groups.dropped == 0
    assert groups.finish(0, three) == [] and groups.dropped == 1


def test_one_slot_that_is_started_again_stays_in_its_round() -> None:
    groups = Groups(2, 2)
    one, two = starting(), starting()
    groups.begin(0, one), groups.begin(1, starting())
    groups.restart([1], anew=False)
    groups.begin(1, two)
    groups.finish(1, take(two))
    assert groups.finish(0, take(one)) == [(0, one), (1, two)]
    assert groups._rounds == [{}]


def test_failed_episodes_are_not_counted_twice() -> None:
    groups = Groups(2, 2)
    one, two = starting(), starting()
    groups.begin(0, one), groups.begin(1, two)
    groups.finish(0, take(one, "infra_error"))
    take(two)
    groups.restart([0, 1], anew=True)
    assert (groups.infra_errors, groups.dropped) == (1, 1)
