"""The shell: determinism, flags, limits, arguments, and what Gymnasium asks of it."""

import copy
import math
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st
from processes import run_python
from worlds import WORLDS, Counter, Dice, Ledger, Talk, chain, play, script

from agentgym import (
    AgentEnv,
    EndReason,
    Opening,
    Outcome,
    RewardSpec,
    StepAfterEnd,
    Task,
    Turn,
    TurnRng,
    validate_info,
)

names = st.sampled_from(sorted(WORLDS))
seeds = st.integers(0, 2**63 - 1)


@given(names, seeds, seeds)
def test_equal_seeds_and_actions_give_equal_chains_in_fresh_and_in_used_worlds(
    name: str, seed: int, other: int
) -> None:
    actions = script(name, seed, 8)
    used = WORLDS[name]()
    for garbage in range(3):
        chain(used, other // (garbage + 1), script(name, other + garbage, 5))
    assert chain(used, seed, actions) == chain(WORLDS[name](), seed, actions)


@given(names, seeds, seeds)
def test_two_worlds_stepped_in_turns_equal_two_alone(name: str, seed: int, other: int) -> None:
    one, two = WORLDS[name](), WORLDS[name]()
    actions, others = script(name, seed, 8), script(name, other, 8)
    alone = chain(one, seed, actions), chain(two, other, others)
    mixed: tuple[list[Any], list[Any]] = ([one.reset(seed=seed)], [two.reset(seed=other)])
    for index in range(8):
        for env, moves, out in ((one, actions, mixed[0]), (two, others, mixed[1])):
            if len(out) == 1 or not (out[-1][2] or out[-1][3]):
                out.append(env.step(moves[index]))
    assert mixed == alone


@given(names, seeds, st.integers(0, 6))
def test_pickled_and_copied_worlds_go_on_alike(name: str, seed: int, turns: int) -> None:
    env = WORLDS[name]()
    actions = script(name, seed, 10)
    past = chain(env, seed, actions[:turns])
    if len(past) > 1 and (past[-1][2] or past[-1][3]):
        return
    twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), env.copy(), *env.fork(2)]
    futures = [play(twin, actions[turns:]) for twin in [env, *twins]]
    assert all(future == futures[0] for future in futures)
    unseeded = {pickle.loads(pickle.dumps(twin)).reset()[1]["seed"] for twin in (env, copy.deepcopy(env))}
    assert len(unseeded) == 1  # np_random travels with a pickle and a deep copy


@given(names, seeds)
def test_rewards_add_up_under_every_spec(name: str, seed: int) -> None:
    own = WORLDS[name].rewards
    some = dict.fromkeys(own.weights, 2.0)
    for reward in ("sparse", "dense", RewardSpec(some, outcome=10.0, invalid=-1.0), some):
        spec = {"sparse": RewardSpec(), "dense": own}.get(reward) if isinstance(reward, str) else reward  # type: ignore[arg-type]
        if not isinstance(spec, RewardSpec):
            spec = RewardSpec(some)
        env = WORLDS[name](reward=reward)  # type: ignore[arg-type]
        env.reset(seed=seed)
        steps = play(env, script(name, seed, 10))
        declared = sum(step[1] for step in steps)
        by_hand = 0.0
        for *_, info in steps:
            for component, value in info["components"].items():
                by_hand += spec.weights.get(component, spec.default) * value
            by_hand += (0.0 if info["valid"] else spec.invalid) + spec.outcome * info["outcome_reward"]
        assert math.isclose(declared, by_hand, abs_tol=1e-9)
        assert all(type(step[1]) is float for step in steps)
        # the record is under the world's own weights whatever `reward` says
        for *_, info in steps:
            paid = sum(own.weights.get(key, own.default) * value for key, value in info["components"].items())
            assert math.isclose(info["turn_reward"], paid + (0.0 if info["valid"] else own.invalid), abs_tol=1e-9)


@given(names, seeds)
def test_an_invalid_action_changes_nothing_but_the_turn_counter(name: str, seed: int) -> None:
    env = WORLDS[name]()
    _, before = env.reset(seed=seed)
    for turn, action in enumerate(script(name, seed, 10)):
        state = env.state
        observation, _, terminated, truncated, info = env.step(action)
        assert info["turn"] == turn + 1
        assert not (terminated and truncated)
        if not info["valid"]:
            assert info["state_hash"] == before["state_hash"]
            assert env.state is state
            assert info["error"] == observation != ""
            assert info["kind"] == "invalid"
            assert not terminated
        if terminated or truncated:
            break
        before = info


def ended(*actions: str, world: type[AgentEnv[Any]] = Counter, **options: Any) -> tuple[Any, ...]:
    env = world()
    step = chain(env, 0, list(actions), **options)[-1]
    info = step[4]
    return step[1], step[2], step[3], info["success"], info["end_reason"], info["end_detail"], info["outcome_reward"]


def test_ends() -> None:
    two = {"task": "two"}
    assert ended("up", "up", **two) == (1.0, True, False, True, "solved", "", 1.0)
    assert ended("quit", **two) == (0.0, True, False, False, "gave_up", "by choice", 0.0)
    assert ended(*["stay"] * 5, **two) == (0.0, False, True, False, "turn_limit", "", 0.0)
    # solved on the last allowed turn: terminated, not truncated, and never both
    assert ended("stay", "stay", "stay", "up", "up", **two) == (1.0, True, False, True, "solved", "", 1.0)
    assert ended("up", **two) == (0.0, False, False, False, "", "", 0.0)
    assert ended("SHOUT", world=Talk) == (-1.0, True, False, False, "user_left", "shouted at", -1.0)
    assert ended(*["hello"] * 4, world=Talk) == (0.5, False, True, False, "token_limit", "Ada grew tired", 0.5)
    # an invalid action counts as the last turn too
    assert ended(*["nonsense"] * 5, **two)[1:5] == (False, True, False, "turn_limit")


@pytest.mark.parametrize("reason", list(EndReason))
def test_a_reason_either_terminates_or_truncates(reason: EndReason) -> None:
    class Ends(Counter):
        def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
            return Turn(state, "", outcome=Outcome(reason is EndReason.SOLVED, 0, reason))

    env = Ends()
    env.reset(seed=0)
    _, reward, terminated, truncated, info = env.step("x")
    cut = {"turn_limit", "token_limit", "infra_error"}
    assert (terminated, truncated) == (reason.value not in cut, reason.value in cut)
    assert info["end_reason"] == reason.value
    assert type(reward) is type(info["outcome_reward"]) is float
    validate_info(info)


def test_reasons_are_these() -> None:
    assert sorted(EndReason) == sorted(
        ["solved", "failed", "gave_up", "user_left", "violation", "turn_limit", "token_limit", "infra_error"]
    )


def test_stepping_before_the_start_or_after_the_end_is_the_callers_error() -> None:
    env = Counter()
    with pytest.raises(StepAfterEnd, match=r"Counter: the episode is over \(turn 0\); call reset\(\) first"):
        env.step("up")
    env.reset(seed=0, options={"task": "two"})
    env.step("up")
    env.step("up")
    before = env.snapshot().to_bytes()
    with pytest.raises(StepAfterEnd, match=r"turn 2"):
        env.step("up")
    assert env.snapshot().to_bytes() == before


def test_the_turn_limit_of_class_and_argument() -> None:
    assert len(chain(Counter(max_turns=2), 0, ["stay"] * 9)) == 1 + 2
    assert len(chain(Counter(max_turns=np.int64(3)), 0, ["stay"] * 9)) == 1 + 3  # type: ignore[arg-type]
    assert len(chain(Counter(), 0, ["stay"] * 9)) == 1 + 5
    for bad in (0, -1, True, 2.5, math.nan, math.inf, "5", [3]):
        with pytest.raises(ValueError, match="max_turns must be an integer of at least 1, not"):
            Counter(max_turns=bad)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 2**63, 2**70, True, 1.0, "1"])
def test_bad_seeds_are_refused_and_change_nothing(seed: Any) -> None:
    env = Dice()
    env.reset(seed=3)
    before = env.snapshot().to_bytes()
    with pytest.raises(ValueError, match=r"seed must be an integer with 0 <= seed < 2\*\*63"):
        env.reset(seed=seed)
    with pytest.raises(ValueError, match=r"branch must be an integer"):
        env.reset(seed=1, options={"branch": seed})
    assert env.snapshot().to_bytes() == before


@pytest.mark.parametrize("seed", [0, 2**63 - 1, np.int64(5), np.uint32(5)])
def test_good_seeds(seed: int) -> None:
    info = Dice().reset(seed=seed)[1]
    assert info["seed"] == int(seed)
    validate_info(info)


def test_the_seed_that_follows_is_the_next_of_np_random() -> None:
    one, two = Dice(), Dice()
    one.reset(seed=7)
    two.reset(seed=7)
    second = one.reset()[1]["seed"], one.reset()[1]["seed"]
    assert second == (two.reset()[1]["seed"], two.reset()[1]["seed"])
    assert len({7, *second}) == 3
    one.reset(seed=0)  # seed 0 is a seed
    two.reset(seed=0)
    assert one.reset()[1]["seed"] == two.reset()[1]["seed"]


def test_np_random_is_what_gymnasium_seeds_made_when_it_is_asked_for() -> None:
    env = Dice()
    env.reset(seed=7)
    assert vars(env)["_generator"] is None and env.np_random_seed == 7
    wanted, _ = seeding.np_random(7)
    assert env._np_random is not None and env.np_random.bit_generator.state == wanted.bit_generator.state
    assert env.np_random.random() == wanted.random()
    env.np_random = wanted
    assert env.np_random is wanted and env.np_random_seed == -1  # Gymnasium's mark of a generator of one's own
    assert Dice().np_random.bit_generator.state != Dice().np_random.bit_generator.state  # unseeded: from the system


def test_what_a_kept_opening_begins_with_is_computed_once() -> None:
    """The members of a group begin with the same objects; another state or another text is computed anew."""
    base, hashed = Counter(), []
    openings = {name: base.initial(base.panel.task(name), TurnRng(0)) for name in ("two", "minus")}

    class Kept(Counter):
        def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
            return openings[task.id]

        def canonical(self, state: Any) -> Any:
            hashed.append(state)
            return super().canonical(state)

    env = Kept()
    for seed, name in ((1, "two"), (2, "two"), (3, "minus"), (4, "two")):
        here, there = (world.reset(seed=seed, options={"task": name}) for world in (env, base))
        assert here == (there[0], {**there[1], "env_id": "Kept"})
        assert env.step("up")[4]["history_hash"] == base.step("up")[4]["history_hash"]
    starts = [state for state in hashed if state[0] == 0]
    assert starts == [(0, 2), (0, -1), (0, 2)]
    openings["two"].observation = "Go to 2."  # an opening may be changed, its texts and states cannot
    observation, info = env.reset(seed=4, options={"task": "two"})
    assert observation == info["messages"][-1]["content"] == "Go to 2."


def test_tasks_and_splits() -> None:
    env = Counter(split="test")
    assert {env.reset(seed=seed)[1]["task"] for seed in range(20)} == {"three"}
    assert {Counter().reset(seed=seed)[1]["task"] for seed in range(20)} == {"two", "minus"}
    assert env.reset(seed=0, options={"task": "minus"})[1]["task"] == "minus"
    own = Counter(tasks=[Task("own", {"goal": 4})])
    assert own.reset(seed=0)[0] == "At 0. Reach 4."
    assert own.panel.hash != Counter().panel.hash


def test_unknown_names_are_answered_with_the_nearest() -> None:
    env = Counter()
    with pytest.raises(KeyError, match=r"did you mean 'minus'\?"):
        env.reset(options={"task": "mins"})
    with pytest.raises(ValueError, match=r"unknown reset option 'tusk'; did you mean 'task'\?"):
        env.reset(options={"tusk": "two"})
    with pytest.raises(TypeError, match=r"options must be a mapping of names to values, not 'task'"):
        env.reset(options="task")  # type: ignore[arg-type]
    for arguments, message in [
        ({"split": "tst"}, r"unknown split 'tst' of panel 'numbers'; did you mean 'test'\?"),
        ({"signals": ["menus"]}, r"unknown signal 'menus' of Counter; did you mean 'menu'\?"),
        ({"reward": "dens"}, r"unknown reward 'dens'; did you mean 'dense'\?"),
        ({"reward": {"progres": 1}}, r"unknown reward component 'progres'; did you mean 'progress'\?"),
        ({"reward": {"progress": math.nan}}, "must be a finite number"),
        ({"codec": "tag"}, r"unknown codec 'tag'; did you mean 'tags'\?"),
        ({"render_mode": "human"}, "unknown render mode 'human'; did you mean 'ansi'"),
        ({"tasks": []}, "holds no task"),
    ]:
        with pytest.raises(ValueError, match=message):
            Counter(**arguments)  # type: ignore[arg-type]
    for wrong in ({"signals": "menu"}, {"signals": 3}, {"reward": 3}, {"codec": 3}, {"tasks": ["a"]}, {"tasks": 5}):
        with pytest.raises(TypeError, match=r"signals must be|reward must be|codec must be|not a Task|tasks must be"):
            Counter(**wrong)  # type: ignore[arg-type]
    for tasks in ({"train": [Task("a")]}, "two", b"two", True):
        with pytest.raises(TypeError, match=r"tasks must be a TaskPanel or a sequence of Task, not .*: write"):
            Counter(tasks=tasks)  # type: ignore[arg-type]
    for split in (5, [], {"a": 1}, None):
        with pytest.raises(ValueError, match=r"unknown split .* of panel 'numbers'"):
            Counter(split=split)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="unknown signal 'menu' of Dice"):
        Dice(signals=["menu"])
    with pytest.raises(ValueError, match=r"Dice has no privileged information: it defines no secrets"):
        Dice(privileged=True)


def test_a_misspelt_argument_is_answered_with_the_nearest() -> None:
    class Open(Counter):
        def __init__(self, *, distance: int = 2, **shell: Any) -> None:
            super().__init__(**shell)

    class Closed(Open):
        def __init__(self, *, speed: int = 1) -> None:
            super().__init__()

    for world, name, near in [
        (Counter, "max_turn", "max_turns"),
        (Open, "max_turn", "max_turns"),
        (Open, "distanse", "distance"),
        (Closed, "sped", "speed"),
    ]:
        with pytest.raises(TypeError, match=rf"unknown argument '{name}' of {world.__name__}; did you mean '{near}'\?"):
            world(**{name: 3})
    with pytest.raises(TypeError, match=r"known: speed$"):  # max_turns would not reach the base
        Closed(max_turns=3)  # type: ignore[call-arg]
    assert Open(distance=3, max_turns=4).max_turns == 4
    assert Closed(speed=3).spec_dict()["kwargs"] == {"speed": 3}
    with pytest.raises(TypeError, match=r"unknown argument 'num_dist' of BabyAIEnv; did you mean 'num_dists'\?"):
        gymnasium.make("agentgym/BabyAI-v0", num_dist=2)


def test_a_class_without_a_move_is_refused() -> None:
    class Still(AgentEnv[int]):
        panel = (Task("t"),)

    with pytest.raises(TypeError, match=r"Still must define transition\(state, action, rng\)"):
        Still()


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_gymnasiums_checker_finds_nothing(name: str) -> None:
    env = gymnasium.make(f"test/{name}-v0", render_mode="ansi")
    check_env(env.unwrapped)
    assert env.unwrapped.env_id == f"test/{name}-v0"  # type: ignore[attr-defined]
    env.reset(seed=1)
    env.step("x")
    env.close()


def test_gymnasiums_checker_runs_on_the_world_as_a_user_makes_it() -> None:
    # -W error in another process: any warning of make, of its wrappers or of the checker ends it
    code = """
import gymnasium, worlds
from gymnasium.utils.env_checker import check_env
for name in worlds.WORLDS:
    env = gymnasium.make(f"worlds:test/{name}-v0", render_mode="ansi")
    check_env(env.unwrapped)
    env.reset(seed=1)
    env.step(env.action_space.sample())
    env.render()
"""
    assert run_python(code) == ""


def test_rendering_is_the_last_observation_without_control_characters() -> None:
    env = Talk(render_mode="ansi")
    assert env.render() == ""
    env.reset(seed=0)
    assert env.render() == "Ada: good morning!"
    env.step("\x1b[31mred\r\n\u202etxt")
    assert env.render() == "Ada: �[31mred�\n�txt?"


def test_spaces_belong_to_one_world_and_stay_the_same_object() -> None:
    env = Counter()
    space = env.action_space
    env.reset(seed=0)
    copies = [env.copy(), *env.fork(2)]
    assert env.action_space is space
    assert len({id(one.action_space) for one in [env, *copies]}) == 4
    assert len({id(one.observation_space) for one in [env, *copies]}) == 4
    space.seed(1)
    before = copy.deepcopy(space)
    copies[0].action_space.seed(2)
    copies[0].action_space.sample()
    assert space.sample() == before.sample()


def test_mutable_worlds_share_nothing_between_copies() -> None:
    env = Ledger()
    env.reset(seed=0)
    env.step("one")
    twin, fork = env.copy(), env.fork()[0]
    moment = env.snapshot()
    env.step("two")
    twin.step("zwei")
    assert (env.state.entries, twin.state.entries, fork.state.entries) == (["one", "two"], ["one", "zwei"], ["one"])
    env.restore(moment)
    env.step("deux")
    fork.restore(moment)
    assert fork.state.entries == ["one"]


def test_the_pure_core_gives_what_step_gives() -> None:
    for name, world in WORLDS.items():
        env = world()
        env.reset(seed=3)
        opening = env.initial(env.panel.task(env.reset(seed=3)[1]["task"]), TurnRng(3))
        state = opening.state
        for turn, action in enumerate(script(name, 3, 10)):
            after, valid, _ = env.apply(env.copy_state(state), action, TurnRng(3, 0, turn))
            observation, _, terminated, truncated, info = env.step(action)
            assert (after.observation.replace("\ud800", "?"), valid) == (observation, info["valid"])
            state = after.state
            if terminated or truncated:
                break


def test_nothing_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    for name, world in WORLDS.items():
        chain(world(), 1, script(name, 1, 9))
    assert capsys.readouterr() == ("", "")
