"""BabyAIEnv: the contract's shell around the kernel."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import warnings
from pathlib import Path

import gymnasium
import pytest
from babyai_hostile import HOSTILE
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

from agentgym import StepAfterEnd, Task, TurnRng, validate_info
from agentgym.digest import state_hash
from agentgym.envs.babyai import kernel, tasks
from agentgym.envs.babyai.env import BabyAIEnv

ROOT = Path(__file__).parents[3]
SIGNALS = ("menu", "describe")


def play(env, seed, turns, task=None):
    """Play at random from the menu; return everything that was handed out."""
    options = {} if task is None else {"task": task}
    seen = [env.reset(seed=seed, options=options)]
    draw = TurnRng(seed, stream="test")
    for _ in range(turns):
        seen.append(env.step(draw.choice(seen[-1][-1]["menu"])))
        if seen[-1][2] or seen[-1][3]:
            break
    return seen


def test_gymnasium_has_nothing_to_complain_about():
    env = gymnasium.make("agentgym:agentgym/BabyAI-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    assert env.unwrapped.panel.name == "goto"


@pytest.mark.parametrize("level", tasks.MIXED)
def test_same_seed_same_trace_and_valid_infos(level):
    first, again = BabyAIEnv(level=level, signals=SIGNALS), BabyAIEnv(level=level, signals=SIGNALS)
    for seed in range(5):
        play(again, seed + 100, 7)  # what was played before must not matter
        trace = play(first, seed, 30)
        assert trace == play(again, seed, 30)
        for moment in trace:
            validate_info(moment[-1])


def test_task_alone_decides_the_first_state():
    env = BabyAIEnv()
    texts = {env.reset(seed=seed, options={"task": "goto-7"})[0] for seed in range(3)}
    assert len(texts) == 1


def test_golden_episode():
    # No derivation: the hash pins draws, menus, rules, words, rewards and state hashes of one episode to the byte.
    start, *turns = play(BabyAIEnv(signals=SIGNALS), 0, 20, task="goto-0")
    chain = [(start[0], start[1]["state_hash"], start[1]["menu"])]
    for observation, reward, terminated, truncated, info in turns:
        chain.append((observation, reward, terminated, truncated, info["turn_reward"], info["state_hash"]))
    assert state_hash(chain) == "d5dac3af0c8f44d22dd3251585f026a2"


def test_first_observation_and_system_text_name_the_goal():
    env = BabyAIEnv()
    observation, info = env.reset(seed=1)
    mission = env.state.level.mission
    assert mission in observation
    assert info["messages"][0]["role"] == "system"
    assert mission in info["messages"][0]["content"]
    assert env.describe(env.state) == observation
    after, *_ = env.step("turn left")
    assert mission not in after


def test_describe_follows_the_state_and_not_the_history():
    env = BabyAIEnv(signals=("describe",))
    _, start = env.reset(seed=2)
    for action in ("turn left", "turn right"):
        *_, info = env.step(action)
    assert info["describe"] == start["describe"]
    assert info["state_hash"] == start["state_hash"]


def test_invalid_actions_change_nothing_and_pay_nothing():
    env = BabyAIEnv(reward="dense")
    _, before = env.reset(seed=3)
    for text in ("", "   ", "turn lefft", "go forward 1000000", "x" * 20000, "pick up the red ball"):
        _, reward, terminated, truncated, info = env.step(text)
        assert (reward, terminated, truncated, info["valid"]) == (0.0, False, False, False)
        assert info["components"] == {}
        assert info["state_hash"] == before["state_hash"]
    assert info["turn"] == 6


def test_doing_nothing_scores_nothing():
    env = BabyAIEnv(reward="dense")
    env.reset(seed=4)
    total, over = 0.0, False
    while not over:
        _, reward, terminated, truncated, info = env.step("")
        total, over = total + reward, terminated or truncated
    assert (total, info["end_reason"], info["turn"]) == (0.0, "turn_limit", 64)
    assert (terminated, truncated) == (False, True)
    with pytest.raises(StepAfterEnd):
        env.step("done")


def search(state, level, most=10):
    """Return a shortest way to success found by trying everything, as action names."""
    seen, rim = {state.canonical()}, [(state, ())]
    for _ in range(most):
        ahead = []
        for at, way in rim:
            for number, name in enumerate(kernel.ACTIONS):
                after, verdict = kernel.step(at, number)
                if verdict == kernel.SUCCESS:
                    return (*way, name)
                if after.canonical() not in seen:
                    seen.add(after.canonical())
                    ahead.append((after, (*way, name)))
        rim = ahead
    raise AssertionError(f"no way within {most} turns in {level}")


@pytest.fixture(scope="module")
def short_task():
    """Return (task id, way): a goto task that a few turns solve."""
    env = BabyAIEnv()
    for task in env.panel["train"]:
        env.reset(seed=0, options={"task": task.id})
        try:
            return task.id, search(env.state, task.id, 4)
        except AssertionError:
            continue
    raise AssertionError("no short task")


@pytest.mark.parametrize(("outcome", "wait"), [("scaled", 0), ("scaled", 9), ("binary", 9)])
def test_success_pays_by_time(short_task, outcome, wait):
    task, way = short_task
    env = BabyAIEnv(outcome=outcome)
    env.reset(seed=0, options={"task": task})
    for _ in range(wait):
        env.step("")
    for action in way:
        _, reward, terminated, truncated, info = env.step(action)
    assert (terminated, truncated, info["success"], info["end_reason"]) == (True, False, True, "solved")
    # 64 is the limit of the mixed goto level (64 turns x 1 room x 1 walk)
    assert reward == (1 - 0.9 * ((wait + len(way)) / 64) if outcome == "scaled" else 1.0)


def test_success_on_the_last_turn_is_terminated_only(short_task):
    task, way = short_task
    env = BabyAIEnv()
    env.reset(seed=0, options={"task": task})
    for _ in range(64 - len(way)):
        env.step("")
    for action in way:
        _, reward, terminated, truncated, info = env.step(action)
    assert (terminated, truncated, info["turn"]) == (True, False, 64)
    assert reward == pytest.approx(0.1)


def test_smaller_max_turns_truncates_earlier_and_leaves_the_scale_alone(short_task):
    task, way = short_task
    env = BabyAIEnv(max_turns=len(way))
    env.reset(seed=0, options={"task": task})
    for action in way:
        _, reward, terminated, truncated, _ = env.step(action)
    assert (terminated, truncated) == (True, False)
    assert reward == 1 - 0.9 * (len(way) / 64)
    env.reset(seed=0, options={"task": task})
    for _ in way:
        *_, terminated, truncated, info = env.step("")
    assert (terminated, truncated, info["end_reason"]) == (False, True, "turn_limit")


def test_larger_max_turns_never_passes_the_levels_own_limit():
    env = BabyAIEnv(max_turns=1000)
    env.reset(seed=0)
    assert env.limit(env.state) == 64


def test_styles_and_grammars_change_words_only():
    plain = BabyAIEnv(level="open")
    wordy = BabyAIEnv(level="open", style="babyai_text", grammar="fixed")
    assert "You see" not in plain.reset(seed=0)[0]
    assert "You see" in wordy.reset(seed=0)[0]
    assert plain.step("turn left")[-1]["state_hash"] == wordy.step("turn left")[-1]["state_hash"]


def test_fork_and_restore_go_on_alike():
    env = BabyAIEnv(level="pickup", signals=SIGNALS)
    play(env, 5, 6)
    snapshot, [fork] = env.snapshot(), env.fork()
    other = BabyAIEnv(level="pickup", signals=SIGNALS)
    other.restore(snapshot.to_bytes())
    traces = []
    for world in (env, fork, other):
        trace = []
        for action in ("go forward", "turn left", "pick up", "drop", "nonsense", "toggle"):
            trace.append(world.step(action))
        for moment in trace:
            moment[-1].pop("env_id")
        traces.append(trace)
    assert traces[0] == traces[1] == traces[2]
    env.restore(snapshot)
    assert env.snapshot().to_bytes() == snapshot.to_bytes()


SCRIPT = """
import sys
from agentgym.envs.babyai.env import BabyAIEnv
env = BabyAIEnv(level="open")
observation, info = env.restore(sys.stdin.buffer.read())
print(info["state_hash"], [env.step(a)[-1]["state_hash"] for a in ("turn left", "go forward", "toggle")])
"""


def test_snapshot_bytes_restore_in_another_process():
    env = BabyAIEnv(level="open")
    env.reset(seed=9)
    env.step("turn right")
    data, start = env.snapshot().to_bytes(), env.snapshot().info["state_hash"]
    ours = f"{start} {[env.step(action)[-1]['state_hash'] for action in ('turn left', 'go forward', 'toggle')]}"
    theirs = subprocess.run([sys.executable, "-c", SCRIPT], input=data, capture_output=True, cwd=ROOT, check=False)
    assert theirs.stdout.decode().strip() == ours, theirs.stderr.decode()


def test_bad_arguments_name_the_remedy():
    for arguments, message in (
        ({"level": "gotoo"}, "did you mean 'goto'"),
        ({"level": "BabyAI-GoToLokal-v0"}, "did you mean 'BabyAI-GoToLocal-v0'"),
        ({"outcome": "scale"}, "did you mean 'scaled'"),
        ({"style": "balrok"}, "did you mean 'balrog'"),
        ({"grammar": "fix"}, "did you mean 'fixed'"),
        ({"num_dists": 17}, "from 0 to 8"),
        ({"level": "GoToLocal", "num_dists": 3}, "belongs to the mixed panels"),
        ({"signals": ("menus",)}, "did you mean 'menu'"),
        ({"reward": {"progres": 1.0}}, "did you mean 'progress'"),
        ({"tasks": [Task("a", {"level": "goto", "seed": 1})], "level": "goto"}, "leave out"),
    ):
        with pytest.raises(ValueError, match=message):
            BabyAIEnv(**arguments)
    with pytest.raises(TypeError, match="levle"):
        BabyAIEnv(levle="goto")
    with pytest.raises(KeyError, match="goto-1"):
        BabyAIEnv().reset(seed=0, options={"task": "goto_1"})


def test_tasks_of_ones_own():
    own = [Task("mine", {"level": "BabyAI-OneRoomS8-v0", "seed": 3}), Task("other", {"level": "pickup", "seed": 5})]
    env = BabyAIEnv(tasks=own)
    env.reset(seed=0, options={"task": "mine"})
    assert env.state.level.mission == "pick up the ball"
    assert env.limit(env.state) == 64
    env.reset(seed=0, options={"task": "other"})
    assert env.state is tasks.mixed_state("pickup", 5, 8)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, r"task 'bad': data\['level'\]"),
        ({"level": "goto"}, r"task 'bad': data\['seed'\]"),
        ({"level": "goto", "seed": -1}, r"task 'bad': data\['seed'\]"),
        ({"level": "BabyAI-GoToObi-v0", "seed": 1}, "task 'bad': .*did you mean 'BabyAI-GoToObj-v0'"),
    ],
)
def test_bad_tasks_are_named(data, message):
    with pytest.raises(ValueError, match=message):
        BabyAIEnv(tasks=[Task("bad", data)]).reset(seed=0)


def test_every_part_of_the_state_is_in_the_hash():
    env = BabyAIEnv(level="pick_up_seq_go_to")
    env.reset(seed=2)
    state = env.state
    level = state.level
    changed = [
        state._replace(pos=state.pos + 1),
        state._replace(dir=(state.dir + 1) % 4),
        state._replace(carry=20),
        state._replace(noted=((), (1,))),
        state._replace(done=2),
        state._replace(held=1),
    ]
    changed += [
        state._replace(cells=state.cells[:cell] + bytes([code ^ 1]) + state.cells[cell + 1 :])
        for cell, code in enumerate(state.cells)
    ]
    changed += [
        state._replace(level=dataclasses.replace(level, **{name: value}))
        for name, value in (("max_steps", 65), ("mission", "do"), ("room_size", 9), ("kinds", level.kinds[:-1]))
    ]
    hashes = {state_hash(env.canonical(other)) for other in (state, *changed)}
    assert len(hashes) == len(changed) + 1


MIXED_TEXTS = st.one_of(
    st.sampled_from(kernel.ACTIONS),
    st.sampled_from(HOSTILE),
    st.sampled_from(kernel.ACTIONS).flatmap(lambda name: st.sampled_from([name.upper(), f" {name}\n", name + "."])),
    st.text(max_size=30),
)


@given(st.sampled_from(tasks.MIXED), st.integers(0, 2**63 - 1), st.lists(MIXED_TEXTS, max_size=80))
def test_whatever_is_written_nothing_breaks(level, seed, texts):
    env = BabyAIEnv(level=level, signals=SIGNALS, reward="dense")
    _, info = env.reset(seed=seed)
    for turn, text in enumerate(texts, 1):
        before = info["state_hash"]
        observation, reward, terminated, truncated, info = env.step(text)
        validate_info(info)
        assert info["turn"] == turn
        assert env.observation_space.contains(observation)
        assert reward == info["turn_reward"] + info["outcome_reward"]
        assert info["valid"] or info["state_hash"] == before
        assert not (terminated and truncated)
        if terminated or truncated:
            break


def test_the_docstring_has_its_headings():
    headings = (
        "Description", "Actions", "Observations", "State and hash", "Turn rewards", "Outcome", "Episode end", "Info",
        "Arguments", "Determinism", "Known exploits tried", "Source", "Versions",
    )  # fmt: skip
    places = [BabyAIEnv.__doc__.index(f"\n    {heading}:\n") for heading in headings]
    assert places == sorted(places)
