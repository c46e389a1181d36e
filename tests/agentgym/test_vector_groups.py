"""Groups: equal starts, checked by hash, also where slots restart by themselves; and worlds that fail."""

import pickle
from typing import Any, ClassVar

import numpy as np
import pytest
import worlds

from agentgym import AgentEnv, GroupVectorEnv, Opening, SlotError, StepAfterEnd, Task, Turn, TurnRng, WorldError

Infos = list[Any]


class Drawn(AgentEnv[int]):
    """The first state and every turn is a draw; an episode lasts as many turns as the action says at most."""

    panel = tuple(Task(f"t{index}") for index in range(50))
    max_turns = 2

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        return Opening(rng.integers(10**9), "Go on.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        return Turn(rng.integers(10**9), f"{state}")


def starts(infos: Infos) -> list[tuple[str, int, str]]:
    return [(info["task"], info["seed"], info["state_hash"]) for info in infos]


@pytest.mark.parametrize("seed", [None, 7, [3, 3, 9]])
def test_members_start_equal_and_groups_apart(seed: Any) -> None:
    envs = GroupVectorEnv(Drawn, 12, 4)
    for _ in range(3):
        begun = starts(envs.reset(seed=seed)[1]["turns"])
        groups = [set(begun[start : start + 4]) for start in (0, 4, 8)]
        assert [len(group) for group in groups] == [1, 1, 1]
        if seed is None:
            assert len(set(begun)) == 3
        else:
            given = [7, 8, 9] if seed == 7 else seed  # seed + g, or as they are
            assert [begun[start][1] for start in (0, 4, 8)] == given
        envs.step(["x"] * 12)
    assert len(set(envs.step(["x"] * 12)[0])) == (2 if seed == [3, 3, 9] else 3)  # they also share their draws


def test_members_with_draws_of_their_own() -> None:
    envs = GroupVectorEnv(Drawn, 6, 3, noise="own")
    _, infos = envs.reset(seed=5)
    assert infos["branch"].tolist() == [0, 1, 2, 0, 1, 2]
    assert len(set(infos["state_hash"].tolist())) == 2
    after = [info["state_hash"] for info in envs.step(["x"] * 6)[4]["turns"]]
    assert len(set(after)) == 6
    single = Drawn()
    single.reset(seed=6, options={"branch": 2, "task": infos["turns"][5]["task"]})
    assert single.step("x")[4] == infos_of(envs)[5]


def infos_of(envs: GroupVectorEnv) -> Infos:
    """Return every slot's last info."""
    return [env.snapshot().info for env in envs.envs]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("seed", [None, 4])
def test_nth_episodes_of_a_group_start_equal_whenever_they_begin(mode: str, seed: int | None) -> None:
    envs = GroupVectorEnv(Drawn, 4, 2, autoreset_mode=mode, noise="own")
    first = envs.reset(seed=seed)[1]["turns"]
    begun: list[Infos] = [[info] for info in first]
    rows: list[list[str | None]] = [["x", None, "x", "x"]] * 7 + [["x", "x", None, "x"]] * 9
    for row in rows:  # slot 1 begins late, slot 2 stops early
        for slot, info in enumerate(envs.step(row)[4]["turns"]):
            if info is not None and info["turn"] == 0:
                begun[slot].append(info)
    for left, right in ((0, 1), (2, 3)):
        pairs = list(zip(begun[left], begun[right], strict=False))
        assert len(pairs) >= 3
        for one, other in pairs:
            assert starts([one]) == starts([other])
            assert (one["branch"], other["branch"]) == (0, 1)
    assert len({info["seed"] for episodes in begun for info in episodes}) >= 8  # and no two episodes of a slot are one


def test_autoreset_draws_what_reset_without_a_seed_draws() -> None:
    envs = GroupVectorEnv(Drawn, 2, 2, autoreset_mode="SameStep", max_turns=1)
    envs.reset(seed=[8])
    single = Drawn(max_turns=1)
    single.reset(seed=8)
    for _ in range(4):
        texts, _, _, truncated, infos = envs.step(["x", "x"])
        last = single.step("x")
        assert truncated.tolist() == [True, True]
        assert infos["final_turns"] == [last[4]] * 2
        assert infos["final_obs"].tolist() == [last[0]] * 2
        text, info = single.reset()
        assert (texts, infos["turns"]) == ((text,) * 2, [info] * 2)
        assert envs._slots.groups._begun == [{}]  # nothing is kept once all members have begun an episode
    assert "final_turns" in infos and infos.get("final_turns")[0]["turn"] == 1


def test_next_step_restarts_with_the_next_action_given() -> None:
    envs = GroupVectorEnv(worlds.Counter, 2, autoreset_mode="NextStep")
    envs.reset(seed=0, options={"tasks": ["two", "two"]})
    envs.step(["quit", None])
    assert envs.live.tolist() == [False, True]
    texts, rewards, terminated, _, infos = envs.step([None, "up"])
    assert texts == ("You leave.", "At 1.") and infos["turns"][0] is None  # left alone
    texts, rewards, terminated, _, infos = envs.step(["ignored", "up"])
    assert texts[0].startswith("At 0. Reach") and rewards.tolist() == [0, 1] and terminated.tolist() == [False, True]
    assert infos["turns"][0]["turn"] == 0 and "final_info" not in infos
    assert envs.live.tolist() == [True, False]


class Unequal(Drawn):
    """Starts differ from world to world: the contract is broken."""

    made = 0

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        Unequal.made += 1
        return Opening(Unequal.made if task.id == "t1" else 0, "Go on.")


def test_unequal_starts_are_refused() -> None:
    envs = GroupVectorEnv(Unequal, 4, 2)
    message = "members of group 1 do not start equal: in slot 3, task 't1', seed 1, state_hash is '[0-9a-f]{32}', and"
    with pytest.raises(WorldError, match=message) as caught:
        envs.reset(seed=0, options={"tasks": ["t0", "t1"]})
    assert caught.value.__notes__ == ["in slot 3, member 1 of group 1"]
    assert envs.live.tolist() == [True, True, False, False]
    with pytest.raises(StepAfterEnd, match=r"slot 2 has no episode: call reset.*, or restart group 1"):
        envs.step([None, None, "x", None])
    envs.reset(options={"reset_mask": np.array([False, False, True, True]), "tasks": [None, "t0"]})
    assert envs.live.all()


def test_texts_count_as_part_of_a_start() -> None:
    class Greeting(Drawn):
        def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
            Unequal.made += 1
            return Opening(0, f"Hello {Unequal.made}.")

    with pytest.raises(WorldError, match=r"group 0 do not start equal: in slot 1, .* history_hash is"):
        GroupVectorEnv(Greeting, 2, 2).reset(seed=0)


class Failing(AgentEnv[int]):
    """Raises where it is told to: by an action, and at its start while `broken` holds the seed."""

    panel = (Task("only"),)
    max_turns = 3
    broken: ClassVar[set[int]] = set()

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        if rng.seed in self.broken or -1 in self.broken:
            raise ConnectionError("no answer")
        return Opening(0, "Go on.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        if action.text == "fail":
            raise ConnectionError("no answer")
        return Turn(state + 1, f"{state + 1}")


@pytest.fixture(autouse=True)
def _mended() -> Any:
    yield
    Failing.broken = set()


def test_a_world_that_raises_loses_nothing_of_the_others() -> None:
    envs = GroupVectorEnv(Failing, 4, 2)
    envs.reset(seed=6)
    envs.step(["x"] * 4)
    message = (
        r"slot 1 raised ConnectionError\('no answer'\) in Failing, task 'only', seed 6, turn 1; "
        r"slots \[2\] raised too; the other slots were stepped: see .result"
    )
    with pytest.raises(SlotError, match=message) as caught:
        envs.step(["x", "fail", "fail", "x"])
    error = caught.value
    assert list(error.errors) == [1, 2]
    assert error.__cause__ is error.errors[1]
    notes = error.errors[2].__notes__
    assert "Failing, task 'only', seed 7, branch 0, turn 1" in notes[0]
    assert notes[1] == "in slot 2, member 0 of group 1"
    texts, rewards, _, _, infos = error.result
    assert texts == ("2", "1", "1", "2") and rewards.tolist() == [0] * 4
    assert [info and info["turn"] for info in infos["turns"]] == [2, None, None, 2]
    assert envs.live.all()
    assert envs.step([None, "x", "x", None])[0] == ("2", "2", "2", "2")  # as if nothing had been
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.result[0] == texts and list(again.errors) == [1, 2]


def test_a_reset_that_raises_leaves_its_group_unstarted() -> None:
    envs = GroupVectorEnv(Failing, 6, 2)
    envs.reset(seed=0)
    envs.step(["x"] * 6)
    Failing.broken = {11}
    with pytest.raises(ConnectionError) as caught:
        envs.reset(seed=10)  # groups get 10, 11, 12
    assert caught.value.__notes__[-1] == "in slot 2, member 0 of group 1"
    assert envs.live.tolist() == [True, True, False, False, True, True]
    assert [env.snapshot().turn for env in (envs.envs[0], envs.envs[4])] == [0, 1]
    with pytest.raises(StepAfterEnd, match="nothing to snapshot"):
        envs.envs[2].snapshot()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_restart_that_raises(mode: str) -> None:
    envs = GroupVectorEnv(Failing, 4, 2, autoreset_mode=mode, max_turns=1)
    envs.reset(seed=0)
    if mode == "NextStep":
        envs.step(["x", "x", None, None])
    Failing.broken.add(-1)
    with pytest.raises(SlotError, match="slot 0 raised ConnectionError") as caught:
        envs.step(["x", None, "x", None] if mode == "NextStep" else ["x", None, None, None])
    texts, _, _, truncated, infos = caught.value.result
    assert texts[0] == "1"  # the last text of the episode that ended
    assert not envs.live[0]
    if mode == "NextStep":
        assert infos["turns"][0] is None and truncated.tolist() == [False, False, True, False]
    else:
        assert infos["turns"][0]["turn"] == 1 and truncated.tolist() == [True, False, False, False]
        assert "final_info" not in infos
        with pytest.raises(StepAfterEnd, match="slot 0 is over"):
            envs.step(["x", None, None, None])
    Failing.broken.clear()
    if mode == "NextStep":  # the restart is tried again, and is the same episode
        restarted = envs.step(["x", "x", None, None])[4]["turns"]
        assert starts(restarted[:1]) == starts(restarted[1:2])


class Interrupted(AgentEnv[int]):
    """Is interrupted, as by Ctrl-C, at the start that brings `left` to 0."""

    panel = (Task("only"),)
    max_turns = 1
    left: ClassVar[int] = 0

    def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
        Interrupted.left -= 1
        if Interrupted.left == 0:
            raise KeyboardInterrupt
        return Opening(rng.integers(1000), "Go on.")

    def transition(self, state: int, action: Any, rng: TurnRng) -> Turn[int]:
        return Turn(state, "On.")


def test_after_an_interrupted_restart_the_next_one_is_the_same_episode() -> None:
    """Both slots of the group end; slot 0 restarts, slot 1 is interrupted (the second start), and tries again."""
    envs = GroupVectorEnv(Interrupted, 2, 2, autoreset_mode="NextStep")
    envs.reset(seed=0)
    envs.step(["x", "x"])
    Interrupted.left = 2
    with pytest.raises(KeyboardInterrupt):
        envs.step(["x", "x"])
    assert envs.live.tolist() == [True, False]
    first = envs.envs[0]._current_info()
    assert starts([envs.step([None, "x"])[4]["turns"][1]]) == starts([first])


def test_a_group_whose_restart_is_unequal() -> None:
    envs = GroupVectorEnv(Unequal, 2, 2, autoreset_mode="SameStep", max_turns=1, tasks=[Task("t0"), Task("t1")])
    envs.reset(seed=0, options={"tasks": ["t0"]})
    play = [lambda: envs.step(["x", "x"])] * 50  # until the draws pick t1
    with pytest.raises(SlotError, match=r"slot 1 raised WorldError\(.the members of group 0 do not start equal"):
        [step() for step in play]
    assert envs.live.tolist() == [True, False]
