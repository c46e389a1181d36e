"""Worlds that break the contract: the error names the turn, the episode stays as it was."""

import math
from typing import Any, ClassVar

import numpy as np
import pytest
from worlds import Book, Counter, Ledger

from agentgym import (
    AgentEnv,
    EndReason,
    InvalidAction,
    Opening,
    Outcome,
    Task,
    Turn,
    TurnRng,
    WorldError,
    tool,
    validate_info,
)


class Broken(Counter):
    """Does what `does` says."""

    does: ClassVar[Any] = None

    def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
        turn: Turn[Any] = type(self).does(state)
        return turn


@pytest.mark.parametrize(
    ("does", "error", "message"),
    [
        (lambda state: 1 / 0, ZeroDivisionError, "division"),
        (lambda state: None, WorldError, "Fault.transition returned None: it must return a Turn"),
        (lambda state: (state, "text"), WorldError, "Fault.transition returned .*: it must return a Turn"),
        (lambda state: Turn(state, None), WorldError, "gave an observation of type NoneType, not str"),
        (lambda state: Turn(state, "", {"progress": math.nan}), WorldError, "rewards that are not finite"),
        (lambda state: Turn(state, "", 1.0), WorldError, "Fault returned a Turn with rewards=1.0: pay by name, as"),
        (lambda state: Turn(state, "", {"unheard": math.inf}), WorldError, "rewards that are not finite"),
        (lambda state: Turn(state, "", {}, Outcome(True, math.inf)), WorldError, "not a finite number"),
        (lambda state: Turn(state, "", {}, Outcome(True, True)), WorldError, "not a finite number"),
        (lambda state: Turn(state, "", {}, Outcome(False, 0.0)), WorldError, "contradict each other"),
        (lambda state: Turn(state, "", {}, Outcome(True, 0.0, EndReason.FAILED)), WorldError, "contradict"),
        (lambda state: Turn(state, "", {}, Outcome(True, 0.0, "won")), WorldError, "not an EndReason"),
        (lambda state: Turn(state, "", {}, Outcome(True, "1")), WorldError, "not a finite number"),
        (lambda state: Turn(state, "", {}, Outcome(True, None)), WorldError, "not a finite number"),
        (lambda state: Turn(state, "", {}, Outcome("no", 0.0)), WorldError, "success must be a bool"),
        (lambda state: Turn(state, "", {}, Outcome(True, 1.0, detail=None)), WorldError, "detail a str"),
        (lambda state: Turn(state, "", {}, 1.0), WorldError, "Fault ended with 1.0: that is no Outcome"),
        (lambda state: Turn(object(), ""), TypeError, "cannot encode a builtins.object"),
        (lambda state: Turn((math.nan,), ""), ValueError, "cannot encode nan"),
    ],
)
def test_faults_of_a_world_name_the_turn_and_leave_the_episode_as_it_was(does: Any, error: Any, message: str) -> None:
    class Fault(Broken):
        pass

    Fault.does = staticmethod(lambda state: Turn(state, "fine"))
    env = Fault()
    env.reset(seed=5, options={"task": "two"})
    env.step("x")
    before = env.snapshot().to_bytes()
    Fault.does = staticmethod(does)
    with pytest.raises(error, match=message) as caught:
        env.step("the action")
    assert "in step of Fault, task 'two', seed 5, branch 0, turn 1, action 'the action'" in caught.value.__notes__
    assert env.snapshot().to_bytes() == before
    Fault.does = staticmethod(lambda state: Turn(state, "fine"))
    assert env.step("x")[4]["turn"] == 2


@pytest.mark.parametrize(
    "bad",
    [{"metrics": {"a": math.nan}}, {"rubrics": {"a": math.inf}}, {"step_score": math.nan}, {"critique": math.nan}],
)
def test_numbers_of_a_world_are_finite(bad: Any) -> None:
    class Fault(Broken):
        does = staticmethod(lambda state: Turn(state, "", **bad))

    env = Fault(signals=("potential",))
    env.reset(seed=0)
    before = env.snapshot().to_bytes()
    with pytest.raises(WorldError, match="every number in info is finite"):
        env.step("x")
    assert env.snapshot().to_bytes() == before
    with pytest.raises(WorldError, match="the world gave potential = inf"):
        type("Far", (Counter,), {"potential": lambda self, state: math.inf})(signals=("potential",)).reset(seed=0)


@pytest.mark.parametrize("limit", [math.nan, math.inf, 2.0, None, "2", True], ids=repr)
def test_a_limit_is_a_number_of_turns(limit: Any) -> None:
    class Endless(Counter):
        def limit(self, state: Any) -> Any:
            return limit

    env = Endless()
    env.reset(seed=0)
    before = env.snapshot().to_bytes()
    with pytest.raises(WorldError, match=rf"Endless.limit\(state\) returned {limit!r}: it must return an int"):
        env.step("up")
    assert env.snapshot().to_bytes() == before


def test_a_limit_may_be_numpys() -> None:
    env = type("Short", (Counter,), {"limit": lambda self, state: np.int64(2)})()
    env.reset(seed=0)
    assert [env.step("stay")[3] for _ in range(2)] == [False, True]


@pytest.mark.parametrize("outcome", [None, False, 0.0], ids=repr)
def test_a_timeout_ends_the_episode(outcome: Any) -> None:
    class Endless(Counter):
        def timeout(self, state: Any) -> Any:
            return outcome

    env = Endless(max_turns=2)
    env.reset(seed=0)
    env.step("stay")
    before = env.snapshot().to_bytes()
    with pytest.raises(WorldError, match=rf"Endless.timeout\(state\) returned {outcome}: it must return an Outcome"):
        env.step("stay")
    assert env.snapshot().to_bytes() == before


def test_states_that_change_in_place_stay_on_invalid_actions_and_errors() -> None:
    class Rash(Ledger):
        """Writes first and thinks then."""

        def transition(self, state: Book, action: Any, rng: TurnRng) -> Turn[Book]:
            turn = super().transition(state, action, rng)
            if action.text == "no":
                raise InvalidAction("not this word")
            if action.text == "fail":
                raise OSError("no disk")
            return Turn(state, turn.observation, {"odd": math.nan}) if action.text == "nan" else turn

    env = Rash()
    env.reset(seed=0)
    env.step("one")
    info = env.step("no")[4]
    assert (info["valid"], env.state.entries) == (False, ["one"])
    before = env.snapshot().to_bytes()
    for word, error in [("fail", OSError), ("nan", WorldError)]:
        with pytest.raises(error):
            env.step(word)
        assert env.snapshot().to_bytes() == before
    state = env.state
    after = env.apply(state, "two", TurnRng(0, 0, 2))[0].state
    assert (state.entries, after.entries) == (["one"], ["one", "two"])
    assert env.step("two")[0] == "2 entries"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"tag": 5}, "tag = 5: it must be a str"),
        ({"subgoal": 5}, "subgoal = 5: it must be a str"),
        ({"channel": b"x"}, "channel = b'x': it must be a str"),
        ({"plan": ["a", 3]}, "an item of plan = 3: it must be a str"),
        ({"plan": "walk"}, "plan = 'walk': it must be a sequence of str"),
        ({"violations": [None]}, "an item of violations = None: it must be a str"),
        ({"metrics": {3: 1.0}}, "the name of a number = 3: it must be a str"),
        ({"rubrics": {"a": "0.5"}}, "a = '0.5': it must be a number"),
        ({"step_score": "0.5"}, "step_score = '0.5': it must be a number"),
        ({"rewards": {"progress": "0.5"}}, "Fault paid 'progress': '0.5': pay numbers under a str"),
        ({"rewards": {"progress": None}}, "Fault paid 'progress': None: pay numbers under a str"),
        ({"rewards": {3: 1.0}}, "Fault paid 3: 1.0: pay numbers under a str"),
    ],
)
def test_what_the_record_holds_is_of_its_types(bad: Any, message: str) -> None:
    class Fault(Broken):
        does = staticmethod(lambda state: Turn(state, "", **bad))

    env = Fault()
    env.reset(seed=0)
    before = env.snapshot().to_bytes()
    with pytest.raises(WorldError, match=message) as caught:
        env.step("x")
    assert "in step of Fault" in caught.value.__notes__[0]
    assert env.snapshot().to_bytes() == before


@pytest.mark.parametrize(
    ("hook", "value"), [("expert", None), ("describe", 3), ("menu", ["up", 3]), ("potential", "1"), ("potential", None)]
)
def test_hooks_give_what_the_record_holds(hook: str, value: Any) -> None:
    with pytest.raises(WorldError, match=f"the world gave .*{hook} = .*: it must be a"):
        type("Odd", (Counter,), {hook: lambda self, state: value})(signals=(hook,)).reset(seed=0)


def test_a_failed_reset_changes_nothing() -> None:
    class Fault(Counter):
        def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
            if task.id == "minus":
                raise OSError("no such level")
            return super().initial(task, rng)

    env = Fault()
    env.reset(seed=1, options={"task": "two"})
    env.step("up")
    before = env.snapshot().to_bytes()
    with pytest.raises(OSError, match="no such level") as caught:
        env.reset(seed=2, options={"task": "minus"})
    assert caught.value.__notes__ == ["in reset of Fault, task 'minus', seed 2, branch 0, turn 0"]
    assert env.snapshot().to_bytes() == before


def test_an_invalid_action_without_words_still_says_something() -> None:
    class Mute(Counter):
        def transition(self, state: Any, action: Any, rng: TurnRng) -> Turn[Any]:
            raise InvalidAction

    env = Mute()
    env.reset(seed=0)
    validate_info(env.step("x")[4])


@pytest.mark.parametrize("opening", [None, Opening((0, 1), "", None), ((0, 1), "text")], ids=repr)  # type: ignore[arg-type]
def test_an_episode_starts_with_an_opening(opening: Any) -> None:
    with pytest.raises(WorldError, match=r"Odd\.initial returned .*: it must return an Opening"):
        type("Odd", (Counter,), {"initial": lambda self, task, rng: opening})().reset(seed=0)


def test_a_tool_that_returns_no_turn_is_named_and_what_it_returned_is_cut_with_a_sign() -> None:
    class Tools(AgentEnv[int]):
        panel: ClassVar[Any] = (Task("t"),)

        def initial(self, task: Task, rng: TurnRng) -> Opening[int]:
            return Opening(0, "Ask.")

        @tool
        def ask(self, state: int, rng: TurnRng) -> Any:
            """Ask."""
            return "a" * 100

    env = Tools()
    env.reset(seed=0)
    with pytest.raises(WorldError) as caught:
        env.step("<ask></ask>")
    assert str(caught.value) == f"the tool 'ask' of Tools returned '{'a' * 58}…: it must return a Turn"


def test_rewards_that_are_no_spec_are_refused_where_the_class_is_written() -> None:
    with pytest.raises(TypeError, match=r"Plain.rewards must be a RewardSpec, as RewardSpec\(\{'found': 0.1\}\), not"):

        class Plain(AgentEnv[int]):
            rewards: ClassVar[Any] = {"a": 1.0}
