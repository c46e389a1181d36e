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
