"""Kept graphs: which worlds count as equal."""

from collections.abc import Callable

import pytest

from agentgym import AgentEnv, Opening, Outcome, Task
from agentgym.baselines.policies import RandomPolicy
from agentgym.fidelity import Graphs, true_advantages
from agentgym.rollout import collect
from agentgym.turn import Turn


def make(pay: float) -> type[AgentEnv[int]]:
    """Return a world of one turn that pays `pay` for "a" and 0.1 for "b"."""

    class Made(AgentEnv[int]):
        panel = (Task("t"),)
        max_turns = 1

        def initial(self, task, rng):
            return Opening(0, "a or b?")

        def transition(self, state, action, rng):
            return Turn(1, "", outcome=Outcome(True, pay if action.text == "a" else 0.1))

        def menu(self, state):
            return ("a", "b")

    return Made


def value(world: AgentEnv[int], graphs: Graphs) -> float:
    """Return V of the first row under random choice."""
    batch = collect(world, RandomPolicy(), group_size=2)
    return float(true_advantages(batch, RandomPolicy(), env=world, method="tree", graphs=graphs).value[0])


def test_classes_that_share_a_name_share_no_graph() -> None:
    # Random choice: (1 + 0.1) / 2 = 0.55 and (0.5 + 0.1) / 2 = 0.3.
    graphs = Graphs()
    rich, poor = make(1.0), make(0.5)
    assert (rich.__module__, rich.__qualname__) == (poor.__module__, poor.__qualname__)
    assert value(rich(), graphs) == pytest.approx(0.55)
    assert value(poor(), graphs) == pytest.approx(0.3)
    assert len(graphs) == 2  # the first state of each
    assert value(rich(), graphs) == pytest.approx(0.55)
    assert len(graphs) == 2


def test_a_class_that_is_gone_leaves_no_graph_to_the_next_one() -> None:
    # Were the class known by id() alone, a later class at the same address would inherit the graph.
    graphs = Graphs()
    for pay in (1.0, 0.5, 0.3, 0.7):
        assert value(make(pay)(), graphs) == pytest.approx((pay + 0.1) / 2)


class Paying(make(0.0)):  # type: ignore[misc]
    """The same with a function as argument, and a count of transitions."""

    calls = 0

    def __init__(self, pay: Callable[[], float] | float = 0.5, **kwargs) -> None:
        super().__init__(**kwargs)
        self.pay = pay() if callable(pay) else pay

    def transition(self, state, action, rng):
        type(self).calls += 1
        return Turn(1, "", outcome=Outcome(True, self.pay if action.text == "a" else 0.1))


def test_worlds_with_arguments_that_are_no_json_share_no_graph() -> None:
    graphs = Graphs()
    assert value(Paying(pay=lambda: 1.0), graphs) == pytest.approx(0.55)
    assert value(Paying(pay=lambda: 0.5), graphs) == pytest.approx(0.3)
    assert len(graphs) == 0


def test_other_arguments_mean_another_graph_and_signals_do_not_count() -> None:
    graphs = Graphs()
    assert value(Paying(pay=1.0), graphs) == pytest.approx(0.55)
    assert value(Paying(pay=0.5), graphs) == pytest.approx(0.3)
    assert len(graphs) == 2
    batch = collect(Paying(pay=1.0), RandomPolicy(), group_size=2)
    Paying.calls = 0
    true_advantages(batch, RandomPolicy(), env=Paying(pay=1.0, signals=("menu",)), method="tree", graphs=graphs)
    assert Paying.calls == 0
    assert len(graphs) == 2


class Priced(make(0.0)):  # type: ignore[misc]
    """Pays for "a" what `prices` says of the number 1; JSON would turn that key into text."""

    def __init__(self, prices: dict | None = None, **kwargs) -> None:
        super().__init__(**kwargs)
        self.price = (prices or {}).get(1, 0.3)

    def transition(self, state, action, rng):
        return Turn(1, "", outcome=Outcome(True, self.price if action.text == "a" else 0.1))


def test_arguments_that_json_would_change_are_not_taken_for_equal() -> None:
    # {1: 0.9} pays 0.9, {"1": 0.9} the default 0.3; as JSON the two look alike. V = 0.5 and 0.2.
    graphs = Graphs()
    assert value(Priced(prices={1: 0.9}), graphs) == pytest.approx(0.5)
    assert value(Priced(prices={"1": 0.9}), graphs) == pytest.approx(0.2)
    assert value(Priced(prices={1: 0.9}), graphs) == pytest.approx(0.5)
    assert len(graphs) == 1  # that of the plain JSON one


def test_the_world_is_rebuilt_with_plain_dicts_and_lists() -> None:
    seen = []

    class Spying(Priced):
        def __init__(self, prices: dict | None = None, **kwargs) -> None:
            seen.append((type(prices), [type(value) for value in prices.values()]))
            super().__init__(prices, **kwargs)

    value(Spying(prices={"1": [0.9], "2": {"a": 1}}), Graphs())
    assert len(seen) > 1
    assert all(kinds == (dict, [list, dict]) for kinds in seen)


def test_arguments_by_position_count_too() -> None:
    graphs = Graphs()
    assert value(Paying(1.0), graphs) == pytest.approx(0.55)
    assert value(Paying(0.5), graphs) == pytest.approx(0.3)


def test_signals_of_the_world_are_not_recorded_again() -> None:
    """A signal may cost more than the turn; no truth reads it, and none is in the kept graph's world."""
    world = make(1.0)(signals=("menu",))
    graphs = Graphs()
    assert value(world, graphs) == pytest.approx(0.55)
    (graph,) = graphs._kept.values()
    assert not graph.env.signals
    assert type(graph.env) is type(world)
