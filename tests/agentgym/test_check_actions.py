"""What the checker sends: valid where it can know, and all kinds of wrong."""

from __future__ import annotations

from collections import Counter as Count
from typing import Any

from broken_envs.sound import Sound, SoundTools
from worlds import Dice, Shop, Talk

from agentgym import ToolCall, TurnRng
from agentgym.check.actions import CALLS, HOSTILE, _value, call, choose, hostile, valid
from agentgym.check.subject import Subject


def started(world: Any, seed: int = 0) -> Any:
    env = world()
    env.reset(seed=seed)
    return env


def test_valid_actions_come_from_expert_and_menu() -> None:
    env = started(Sound)
    drawn = {valid(env, (), TurnRng(0, stream=str(index))) for index in range(200)}
    assert drawn == set(env.menu(env.state))  # six entries, and "read" of the expert


def test_calls_follow_the_schemas() -> None:
    env = started(Shop)
    rng = TurnRng(0)
    calls = [call(env.tool_schemas, rng) for _ in range(300)]
    assert {one.name for one in calls} == {"look", "sell"}
    sold = [one.arguments for one in calls if one.name == "sell"]
    assert all("key" in arguments for arguments in sold)  # required
    # Each optional argument is there in about half of some 150 calls: fewer than 40 would be five deviations off.
    assert min(Count(name for arguments in sold for name in arguments).values()) > 40
    assert {arguments["to"] for arguments in sold if "to" in arguments} == {"shop", "guest"}
    assert {type(arguments["notes"]) for arguments in sold if "notes" in arguments} == {list, type(None)}
    assert all(type(arguments.get("price", 0.0)) is float for arguments in sold)
    for one in calls:  # a wrong item at most, never a wrong form
        _, ok, _ = env.apply(env.state, one, rng)
        assert ok or "there is no" in env.step(one)[0] or "cannot sell" in env.step(one)[0]
        env.reset(seed=0)


def test_values_follow_every_kind_of_schema() -> None:
    rng = TurnRng(3)
    kinds = {"integer": int, "number": float, "boolean": bool, "string": str, "array": list, "object": dict}
    for name, kind in kinds.items():
        assert {type(_value({"type": name}, rng)) for _ in range(50)} == {kind}
        assert {type(_value({"type": [name, "null"]}, rng)) for _ in range(50)} == {kind, type(None)}
    assert {_value({"type": "string", "enum": ["a", "b"]}, rng) for _ in range(50)} == {"a", "b"}
    nested = [_value({"type": "array", "items": {"type": "integer"}}, rng) for _ in range(50)]
    assert {type(item) for items in nested for item in items} == {int}
    nested = [_value({"type": "object", "additionalProperties": {"type": "boolean"}}, rng) for _ in range(50)]
    assert {type(item) for items in nested for item in items.values()} == {bool}


def test_a_skilled_player_follows_the_expert() -> None:
    env = started(Sound)
    drawn = [choose(env, (), TurnRng(2, stream=str(index)), skill=0.9) for index in range(500)]
    # the expert's nine times of ten, besides a quarter of the valid half of the others: 0.9 + 0.1 · (0.25 + 0.04)
    assert 430 < drawn.count("read") < 480
    assert [choose(started(Dice), ("roll",), TurnRng(2), only_valid=True, skill=0.9)] == ["roll"]  # no expert


def test_given_actions_and_words_where_nothing_else_is_known() -> None:
    env = started(Dice)
    assert {valid(env, (), TurnRng(0, stream=str(index))) for index in range(60)} == {"roll", "or", "pass"}
    assert {valid(env, ("roll",), TurnRng(0, stream=str(index))) for index in range(20)} == {"roll"}


def test_hooks_that_raise_do_not_stop_the_driver() -> None:
    class Lost(Sound):
        def expert(self, state: Any) -> str:
            raise RuntimeError("no way")

        def menu(self, state: Any) -> list[str]:
            return []

    env = started(Lost)
    assert valid(env, ("wait",), TurnRng(0)) == "wait"
    words = ["say", "read", "listen", "wait", "or", "dial", "and", "the", "code", "a", "safe", "note"]
    assert {valid(env, (), TurnRng(0, stream=str(index))) for index in range(200)} == set(words)


def test_the_mix_holds_all_kinds_and_is_a_function_of_the_draws() -> None:
    env = started(Sound)
    sent = [choose(env, (), TurnRng(1, stream=str(index))) for index in range(1000)]
    assert repr(sent) == repr([choose(env, (), TurnRng(1, stream=str(index))) for index in range(1000)])
    menu = set(env.menu(env.state))
    known = sum(action in menu for action in sent if isinstance(action, str))
    # half are valid (500 ± 16 at one deviation); a nearly valid one may be a menu entry by chance
    assert 420 < known < 600
    assert any(isinstance(action, ToolCall) for action in sent)
    assert {choose(env, (), TurnRng(1, stream=str(index)), only_valid=True) for index in range(200)} == menu


def test_hostile_actions_name_the_tools_and_break_every_argument() -> None:
    assert hostile([]) == HOSTILE
    sent = hostile(SoundTools().tool_schemas)
    texts = {action for action in sent if isinstance(action, str)}
    assert {"<take>", "<take></take>", '<leave>{"a": NaN}</leave>', "<take>a</take><take>b</take>"} <= texts
    wrong = [action for action in sent if isinstance(action, ToolCall) and "loudly" in (action.arguments or {})]
    assert len(wrong) > 8 and any(action.arguments["loudly"] is None for action in wrong)
    # per tool: the texts, three long ones, three bare calls, and 13 values for each of its arguments (one each)
    assert len(sent) == len(HOSTILE) + 2 * (len(CALLS) + 3 + 3 + 13)


def test_every_hostile_action_can_be_sent_to_any_world() -> None:
    for world in (Talk, Shop):
        subject = Subject(world)
        env = subject.make()
        task, seed = subject.few(1)[0]
        for action in subject.hostile:
            trace = subject.replay(env, task, seed, [action])
            assert trace.error is None, (world, action)
