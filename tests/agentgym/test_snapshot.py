"""Moments: snapshot, restore, fork; the same in every process, refused when they do not fit, never executed."""

import json
import pickle
from hashlib import blake2b
from typing import Any, ClassVar

import gymnasium
import pytest
from hypothesis import given
from hypothesis import strategies as st
from processes import run_python
from worlds import STOCK, WORLDS, Counter, Dice, Shop, Talk, script

from agentgym import AgentEnv, Opening, Snapshot, SnapshotError, StepAfterEnd, Task, Turn, TurnRng
from agentgym.digest import decode, encode
from agentgym.snapshot import _MAGIC, Packed

names = st.sampled_from(sorted(WORLDS))
seeds = st.integers(0, 2**63 - 1)


def reach(name: str, seed: int, turns: int, **kwargs: Any) -> tuple[AgentEnv[Any], list[str]]:
    """Return a world after up to so many turns of its script, and the actions that come next."""
    env = WORLDS[name](**kwargs)
    env.reset(seed=seed)
    actions = script(name, seed, 12)
    for index in range(turns):
        if env._over:
            return env, []
        env.step(actions[index])
    return env, actions[turns:]


def play(env: AgentEnv[Any], actions: list[str]) -> list[Any]:
    out = []
    for action in actions:
        if env._over:
            break
        out.append(env.step(action))
    return out


@given(names, seeds, st.integers(0, 5), st.booleans())
def test_a_restored_moment_goes_on_byte_for_byte(name: str, seed: int, turns: int, as_bytes: bool) -> None:
    env, actions = reach(name, seed, turns)
    moment = env.snapshot()
    data = moment.to_bytes()
    info = env._current_info()
    future = play(env, actions)
    last = env.snapshot().to_bytes()
    for other in (env, WORLDS[name](), reach(name, seed // 2, 2)[0]):
        observation, restored = other.restore(data if as_bytes else moment)
        assert restored == info
        assert observation == info["messages"][-1]["content"]
        assert other.snapshot().to_bytes() == data
        assert play(other, actions) == future
        assert other.snapshot().to_bytes() == last
        if other._over:
            with pytest.raises(StepAfterEnd):
                other.step("x")


@given(names, seeds, st.integers(0, 4))
def test_forks_go_on_like_the_original_and_share_nothing(name: str, seed: int, turns: int) -> None:
    env, actions = reach(name, seed, turns)
    before = env.snapshot().to_bytes()
    forks = env.fork(3)
    futures = [play(fork, actions) for fork in forks]
    assert env.snapshot().to_bytes() == before
    assert futures[0] == futures[1] == futures[2] == play(env, actions)


def test_reseeded_forks_draw_each_their_own_and_always_the_same() -> None:
    env = Dice()
    env.reset(seed=5)
    env.step("pass")

    def rolls() -> list[int]:
        return [fork.step("roll")[4]["metrics"]["pips"] for fork in env.fork(40, reseed=True)]  # type: ignore[misc]

    first = rolls()
    assert first == rolls()
    assert set(first) == {1, 2, 3, 4, 5, 6}
    branches = [fork.snapshot().branch for fork in env.fork(40, reseed=True)]
    assert len(set(branches)) == 40
    assert all(0 <= branch < 2**63 for branch in branches)
    # forks of forks differ from the forks of the original
    inner = env.fork(1, reseed=True)[0].fork(40, reseed=True)
    assert not {fork.snapshot().branch for fork in inner} & set(branches)
    assert {fork.snapshot().info["branch"] for fork in inner} == {fork.snapshot().branch for fork in inner}


def test_a_fork_of_a_restored_moment_tells_its_own_branch() -> None:
    env = Dice()
    env.reset(seed=5)
    env.restore(env.snapshot(), branch=3)
    fork = env.fork(1, reseed=True)[0]
    assert fork.snapshot().info["branch"] == fork.snapshot().branch != 3


def test_restoring_with_a_branch_gives_draws_of_its_own() -> None:
    env = Dice()
    env.reset(seed=5)
    moment = env.snapshot()
    rolls = {}
    for branch in range(30):
        _, info = env.restore(moment, branch=branch)
        assert info["branch"] == branch
        rolls[branch] = env.step("roll")[4]["metrics"]["pips"]
    assert set(rolls.values()) == {1, 2, 3, 4, 5, 6}
    assert rolls[0] == TurnRng(5, 0, 0).integers(1, 7)
    env.restore(moment)
    assert env.step("roll")[4]["metrics"]["pips"] == rolls[0]
    before = env.snapshot().to_bytes()
    with pytest.raises(ValueError, match="branch must be an integer"):
        env.restore(moment, branch=-1)
    assert env.snapshot().to_bytes() == before


def test_a_restored_world_offers_its_own_signals() -> None:
    plain = Counter()
    plain.reset(seed=3, options={"task": "two"})
    plain.step("up")
    rich = Counter(signals=("menu", "potential", "expert", "describe"), privileged=True)
    rich.reset(seed=3, options={"task": "two"})
    rich.step("up")
    _, info = rich.fork()[0].restore(plain.snapshot())
    assert info == rich.snapshot().info
    _, info = plain.restore(rich.snapshot().to_bytes())  # and what was not asked for does not leak
    assert "privileged" not in info
    assert "expert" not in info
    assert info == Counter().restore(plain.snapshot())[1]


class Judged(Counter):
    """Gives verdicts of its own where they are asked for."""

    extra_signals: ClassVar[Any] = ("critique", "subgoal")

    def apply(self, state: Any, action: Any, rng: TurnRng) -> Any:
        turn, valid, parsed = super().apply(state, action, rng)
        if "critique" in self.signals:
            turn.critique, turn.channel = 1.0, "tone"
        if "subgoal" in self.signals:
            turn.subgoal, turn.switch = "count", False
        return turn, valid, parsed


@pytest.mark.parametrize(
    ("signals", "there"),
    [
        ((), set()),
        (("subgoal",), {"subgoal", "switch"}),
        (("critique", "menu"), {"critique", "channel", "menu"}),
        (("critique", "subgoal", "potential"), {"critique", "channel", "subgoal", "switch", "potential"}),
    ],
)
def test_a_restored_world_hands_out_no_verdicts_but_those_asked_for(signals: Any, there: set[str]) -> None:
    rich = Judged(signals=("critique", "subgoal", "menu"))
    rich.reset(seed=3, options={"task": "two"})
    rich.step("up")
    straight = Judged(signals=signals)
    straight.reset(seed=3, options={"task": "two"})
    expected = straight.step("up")[4]
    for moment in (rich.snapshot(), rich.snapshot().to_bytes()):
        env = Judged(signals=signals)
        info = env.restore(moment)[1]
        assert info == env.snapshot().info == expected
        assert there == info.keys() & {"critique", "channel", "subgoal", "switch", "menu", "potential"}
        assert env.step("up")[4] == straight.copy().step("up")[4]
    # where a world records these on its own, they are no signals and stay
    talk = Talk()
    talk.reset(seed=0)
    talk.step("hello")
    assert {"critique", "subgoal"} <= Talk().restore(talk.snapshot())[1].keys()


# ---- across processes -----------------------------------------------------------------------------------------------

MOMENTS = """
import sys, worlds
for name in sorted(worlds.WORLDS):
    for turns in range(4):
        env = worlds.WORLDS[name]()
        env.reset(seed=turns)
        for action in worlds.script(name, turns, turns):
            if not env._over:
                env.step(action)
        print(env.snapshot().to_bytes().hex())
"""


def test_bytes_are_equal_in_every_process() -> None:
    here = []
    for name in sorted(WORLDS):
        for turns in range(4):
            here.append(reach(name, turns, turns)[0].snapshot().to_bytes().hex())
    for seed in ("0", "1", "4242"):
        assert run_python(MOMENTS, PYTHONHASHSEED=seed).split() == here


def test_bytes_are_restored_in_another_process() -> None:
    env, actions = reach("Shop", 3, 1)
    code = """
import sys, json, worlds
env = worlds.Shop()
env.restore(bytes.fromhex(sys.argv[1]))
print(json.dumps(env.step(json.loads(sys.argv[2]))))
"""
    data = env.snapshot().to_bytes().hex()
    there = json.loads(run_python(code, data, json.dumps(actions[0]), PYTHONHASHSEED="7"))
    assert there == list(env.step(actions[0]))


# ---- what is refused ------------------------------------------------------------------------------------------------


class Other(Counter):
    """Counter under another name."""


class Newer(Counter):
    version: ClassVar[str] = "2"


def refused(env: AgentEnv[Any], moment: Snapshot | bytes, message: str) -> None:
    env.reset(seed=1)
    before = env.snapshot().to_bytes()
    with pytest.raises(SnapshotError, match=message):
        env.restore(moment)
    assert env.snapshot().to_bytes() == before


def test_moments_of_other_worlds_versions_panels_and_data_are_refused() -> None:
    env = Counter()
    env.reset(seed=0)
    Newer.__name__ = "Counter"
    for moment in (env.snapshot(), env.snapshot().to_bytes()):
        refused(Other(), moment, "the snapshot is of world 'Counter', this world has 'Other'")
        refused(Dice(), moment, "the snapshot is of world 'Counter', this world has 'Dice'")
        refused(Newer(), moment, "the snapshot is of version '1', this world has '2'")
        refused(Counter(tasks=[Task("two", {"goal": 5})]), moment, "the snapshot is of panel")
        refused(gymnasium.make("test/Counter-v0").unwrapped, moment, "this world has 'test/Counter-v0'")  # type: ignore[arg-type]
    shop = Shop()
    shop.reset(seed=0)
    moment = shop.snapshot()

    class Bigger(Shop):
        @property
        def base_hash(self) -> str:
            return STOCK.set("more", {}).digest

    Bigger.__name__ = "Shop"
    refused(Bigger(), moment, "the snapshot is of base")


def test_moments_before_the_start_do_not_exist() -> None:
    for ask in (Counter().snapshot, Counter().fork):
        with pytest.raises(StepAfterEnd, match=r"call reset\(\) first"):
            ask()
    env = Counter()
    env.reset(seed=0)
    assert env.fork(0) == []
    with pytest.raises(ValueError, match="n of at least 0"):
        env.fork(-1)
    fresh = Counter().copy()
    assert fresh.reset(seed=1) == Counter().reset(seed=1)


DATA = reach("Talk", 2, 2)[0].snapshot().to_bytes()


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_damage_at_any_byte_is_noticed(at: int, change: int) -> None:
    damaged = bytearray(DATA)
    damaged[at] ^= change
    refused(Talk(), bytes(damaged), "snapshot")


@given(st.integers(0, len(DATA) - 1))
def test_cut_bytes_are_noticed(length: int) -> None:
    refused(Talk(), DATA[:length], "snapshot")
    refused(Talk(), DATA + DATA[:1], "damaged snapshot")


def forged(**changes: Any) -> bytes:
    """Return bytes with a right digest around changed fields."""
    moment = reach("Talk", 2, 2)[0].snapshot()
    fields = {name: getattr(moment, name) for name in moment.__dataclass_fields__}
    return Snapshot(**{**fields, **changes}).to_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": 3}, "its fields are of other types"),
        ({"seed": "1"}, "its fields are of other types"),
        ({"turn": True}, "its fields are of other types"),
        ({"turn": -1}, "its fields are of other types"),
        ({"over": 0}, "its fields are of other types"),
        ({"observation": b""}, "its fields are of other types"),
        ({"record": {"schema": 1}}, "its info lacks the key"),
        ({"record": []}, "damaged snapshot"),
        ({"state": Packed(b"(")}, "state cannot be read"),
        ({"state": Packed(encode(3))}, "state cannot be read|not the one recorded"),
        ({"state": Packed(b"@9:TaskPaneln)")}, "state cannot be read"),
        ({"state": Packed(b"@8:AgentEnv)")}, "state cannot be read"),
        ({"state": Packed(b"e9:Mood.SULK")}, "state cannot be read"),
        ({"state": Packed(b"e14:Mood.__class__")}, "state cannot be read"),
        ({"state": Packed(b"@5:Guesti1;(s4:rude))")}, "not the one recorded"),
        ({"state": Packed(b"@5:Guesti1;)")}, "another version wrote them"),
    ],
    ids=str,
)
def test_forged_bytes_are_refused_and_build_nothing_but_states(changes: dict[str, Any], message: str) -> None:
    refused(Talk(), forged(**changes), message)


def retold(changes: dict[str, Any], **told: Any) -> dict[str, Any]:
    """Return changes of fields under which the record changes too."""
    record = {**reach("Talk", 2, 2)[0].snapshot().info, **told}
    return {**changes, "record": record}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": "nobody"}, "its info speaks of another moment"),
        ({"over": False}, "its info speaks of another moment"),
        (retold({}, turn=0), "its info speaks of another moment"),
        (retold({"task": "nobody"}, task="nobody"), "a task that this world lacks: unknown task 'nobody'"),
    ],
)
def test_forged_bytes_that_agree_with_themselves_are_refused(changes: dict[str, Any], message: str) -> None:
    refused(Talk(), forged(**changes), message)


def test_a_record_that_nests_without_end_is_refused() -> None:
    names, place, state, observation, _ = decode(DATA[len(_MAGIC) + 16 :])
    body = encode((names, place, state, observation, "[" * 100_000 + "]" * 100_000))
    refused(Talk(), _MAGIC + blake2b(body, digest_size=16).digest() + body, "damaged snapshot")


@pytest.mark.parametrize("moment", [None, bytearray(b"x"), "x", 3], ids=repr)
def test_what_is_no_moment_is_refused(moment: Any) -> None:
    with pytest.raises(TypeError, match=f"restore takes a Snapshot or its bytes, not {type(moment).__name__}"):
        Talk().restore(moment)


def test_a_version_is_text() -> None:
    with pytest.raises(TypeError, match=r"Bad.version must be a str such as '2', not 2"):
        type("Bad", (Counter,), {"version": 2})


def test_restoring_runs_no_constructor() -> None:
    code = """
import worlds
from agentgym import Snapshot
env = worlds.Talk()
env.reset(seed=0)
env.step("hello")
data = env.snapshot().to_bytes()
def fail(*args, **kwargs): raise AssertionError("a constructor ran")
worlds.Guest.__init__ = worlds.Guest.__new__ = worlds.Guest.__setattr__ = fail
import builtins
builtins.eval = builtins.exec = fail
worlds.Talk().restore(data)
assert b"pickle" not in data and data.startswith(b"agentgym-snapshot-1")
"""
    assert run_python(code) == ""


def test_an_unpack_that_does_not_invert_pack_is_noticed() -> None:
    class Forgets(Shop):
        def unpack(self, value: Any) -> Any:
            state = super().unpack(value)
            return type(state)(state.stock, ())

    Forgets.__name__ = "Shop"
    env, _ = reach("Shop", 0, 0)
    Forgets().restore(env.snapshot().to_bytes())
    env.step('<sell>{"key": "item4"}</sell>')
    refused(Forgets(), env.snapshot().to_bytes(), "the snapshot's state is not the one recorded: Shop.unpack")


class Hinted(AgentEnv[Any]):
    """A world whose state only stands for something, and no pack."""

    panel = (Task("t"),)

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        return Opening(STOCK, "")

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        return Turn(state, "")


def test_a_state_that_only_stands_for_something_needs_pack() -> None:
    env = Hinted()
    env.reset(seed=0)
    env.restore(env.snapshot())  # as a pointer it is fine
    with pytest.raises(TypeError, match=r"cannot encode a Table but only hash it: let pack\(state\)"):
        env.snapshot().to_bytes()


def test_snapshots_pickle_as_their_bytes() -> None:
    env, _ = reach("Talk", 2, 2)
    moment = env.snapshot()
    again = pickle.loads(pickle.dumps(moment))
    assert again.to_bytes() == moment.to_bytes()
    assert again.info == moment.info
    assert "record" not in repr(moment)


def test_a_snapshot_of_an_immutable_world_is_a_pointer() -> None:
    env, _ = reach("Shop", 2, 2)
    assert env.snapshot().state is env.state
    assert env.fork()[0].state is env.state
