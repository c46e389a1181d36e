"""Observations, messages, signals, hashes, draws."""

from typing import Any

from worlds import Counter, Dice, Shop, chain

from agentgym import (
    ToolCall,
    Turn,
    TurnRng,
    validate_info,
)


def test_observations_are_cut_and_encodable() -> None:
    class Long(Counter):
        max_observation = 100

        def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
            return Turn(state, "é\ud800" * 500)

    env = Long()
    env.reset(seed=0)
    observation, *_, info = env.step("x")
    assert observation == "é?" * 50
    assert observation in env.observation_space
    assert info["messages"][1]["content"] == observation


def test_messages() -> None:
    env = Counter()
    observation, info = env.reset(seed=0, options={"task": "two"})
    assert info["messages"] == [
        {"role": "system", "content": "Say up, down or stay."},
        {"role": "user", "content": "At 0. Reach 2."},
    ]
    assert observation == "At 0. Reach 2."
    text = "<think>hm</think> up "
    assert env.step(text)[4]["messages"] == [
        {"role": "assistant", "content": text},
        {"role": "user", "content": "At 1."},
    ]
    assert "tools" not in info
    assert [message["role"] for message in Dice().reset(seed=0)[1]["messages"]] == ["user"]


def test_messages_of_calls_carry_ids() -> None:
    env = Shop()
    _, info = env.reset(seed=0)
    assert [schema["function"]["name"] for schema in info["tools"]] == ["look", "sell"]
    asked, answer = env.step(ToolCall("look", {"key": "item3"}, "abc"))[4]["messages"]
    function = {"name": "look", "arguments": '{"key": "item3"}'}
    assert asked == {
        "role": "assistant", "content": "", "tool_calls": [{"id": "abc", "type": "function", "function": function}]
    }  # fmt: skip
    assert answer == {"role": "tool", "tool_call_id": "abc", "content": "item3: 3"}
    # without an id of its own the call gets one that no other turn has
    ids = [env.step(ToolCall("look", {"key": "item3"}))[4]["messages"][1]["tool_call_id"] for _ in range(2)]
    assert ids == ["call_2", "call_3"]


def test_signals_come_when_asked_for_and_only_then() -> None:
    keys = {"menu", "potential", "expert", "describe", "privileged"}
    assert not keys & set(Counter().reset(seed=0)[1])
    env = Counter(signals=("menu", "potential", "expert", "describe"), privileged=True)
    _, info = env.reset(seed=0, options={"task": "two"})
    assert sorted(info["menu"]) == ["down", "stay", "up"]
    assert (info["potential"], info["expert"], info["describe"]) == (-2.0, "up", "You are at 0 and want 2.")
    assert info["privileged"] == '{"goal": 2}'
    info = env.step("up")[4]
    assert (info["potential"], info["expert"], info["describe"]) == (-1.0, "up", "You are at 1 and want 2.")
    info = env.step("up")[4]  # the end: nothing more to choose
    assert keys & set(info) == {"potential", "describe", "privileged"}
    validate_info(info)


def test_menus_are_shuffled_by_seed_and_turn_alone() -> None:
    def menus(seed: int, branch: int, action: str) -> list[list[str]]:
        env = Counter(signals=("menu",))
        out = [env.reset(seed=seed, options={"task": "two", "branch": branch})[1]["menu"]]
        return [*out, *(env.step(action)[4]["menu"] for _ in range(3))]

    assert menus(1, 0, "stay") == menus(1, 9, "down")
    assert len({tuple(menu) for seed in range(30) for menu in menus(seed, 0, "stay")}) == 6  # all orders come up


def test_signals_are_computed_once_a_turn() -> None:
    calls = []

    class Dear(Counter):
        def expert(self, state: Any) -> str:
            calls.append(state)
            return super().expert(state)

    env = Dear(signals=("expert",))
    env.reset(seed=0, options={"task": "two"})
    env.step("up")
    env.snapshot()
    env.fork(3)[0].snapshot()
    assert calls == [(0, 2), (1, 2)]


def test_a_state_that_did_not_change_is_not_hashed_again() -> None:
    hashed = []

    class Spied(Counter):
        def canonical(self, state: Any) -> Any:
            hashed.append(state)
            return state

    env = Spied()
    env.reset(seed=0, options={"task": "two"})
    for action in ("stay", "nonsense", "up", "stay"):
        env.step(action)
    assert hashed == [(0, 2), (1, 2)]


def test_hashes() -> None:
    env = Dice()
    _, first = env.reset(seed=0)
    info = env.step("pass")[4]
    assert info["state_hash"] == first["state_hash"]  # the turn counter is not part of it
    assert info["history_hash"] != first["history_hash"]
    assert info["state_hash"] != info["anchor_hash"]
    assert Counter().reset(seed=0)[1]["anchor_hash"] == Counter().reset(seed=0)[1]["state_hash"]
    # two ways to one sum: equal anchors, other states
    anchors = {}
    for seed in range(40):
        _, info = env.reset(seed=seed)
        anchors.setdefault(env.state[0], set()).add(info["anchor_hash"])
    assert all(len(found) == 1 for found in anchors.values())


def test_histories_differ_by_what_was_said_and_seen() -> None:
    def history(*actions: str) -> str:
        return str(chain(Counter(), 0, list(actions), task="two")[-1][-1]["history_hash"])

    assert history("stay") == history(" stay ")
    assert len({history("stay"), history("stay", "stay"), history("stays"), history("up", "down")}) == 4


def test_draws_are_of_seed_branch_and_turn() -> None:
    env = Dice()
    env.reset(seed=11)
    first = env.state[0]
    assert first == TurnRng(11).integers(1, 7)
    env.step("pass")
    env.step("roll")
    assert env.state[1] == TurnRng(11, 0, 1).integers(1, 7)  # one turn had been taken
    rolls = set()
    for branch in range(20):
        env.reset(seed=11, options={"branch": branch})
        assert env.state == (first,)  # members of a group start equal ...
        env.step("roll")
        rolls.add(env.state[1])
    assert rolls == {1, 2, 3, 4, 5, 6}  # ... and go on with draws of their own
