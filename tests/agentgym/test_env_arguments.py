"""What a world says of its constructor's arguments rebuilds it, whichever way they were given."""

import enum
import json
from typing import Any

import numpy as np
import pytest
from worlds import Counter

from agentgym import Opening, Task, TurnRng, collect


class Leaning(Counter):
    """Takes arguments by position too, and shows one of them."""

    def __init__(self, lean: float = 0.0, table: Any = None, *, note: Any = "", **shell: Any) -> None:
        super().__init__(**shell)
        self.lean = lean

    def initial(self, task: Task, rng: TurnRng) -> Opening[Any]:
        return Opening((0, task.data["goal"]), f"leaning {self.lean}")


class Strict(Leaning):
    """Takes one by position, and no other."""

    def __init__(self, lean: float = 0.0) -> None:
        super().__init__(lean)


class Loose(Leaning):
    """Takes any number by position."""

    def __init__(self, *lean: float) -> None:
        super().__init__(*lean)


def test_arguments_by_position_are_kept_under_their_names() -> None:
    env = Leaning(0.5, [1], max_turns=1)
    assert env.spec_dict()["kwargs"] == {"lean": 0.5, "table": [1], "max_turns": 1}
    assert env.spec_dict()["opaque"] == []
    read: list[Any] = []

    def up(views: Any) -> list[str]:
        read.extend(view.messages[-1]["content"] for view in views)
        return ["up"] * len(views)

    batch = collect(env, up, tasks=["two"], group_size=1)
    assert batch.meta["env"]["kwargs"]["lean"] == 0.5
    assert read == ["leaning 0.5"]  # one turn
    assert type(env)(**env._init_kwargs).reset(seed=0)[0] == "leaning 0.5"


def test_arguments_that_have_no_name_are_refused() -> None:
    for made, message in [
        (lambda: Counter("train"), r"^Counter takes its arguments by name: write name=value$"),
        (lambda: Loose(0.5), r"^Loose takes its arguments by name: write name=value$"),
        (lambda: Strict(0.5, 3), r"^Strict takes its arguments by name, all but the first 1: write name=value$"),
        (lambda: Leaning(0.5, lean=1.0), "multiple values for argument 'lean'"),
    ]:
        with pytest.raises(TypeError, match=message):
            made()  # type: ignore[no-untyped-call]


class Word(enum.StrEnum):
    A = "a"


@pytest.mark.parametrize(
    "value",
    [{1: 0.5}, {"a": {None: 1}}, [{True: 1}], np.float64(0.5), Word.A, [Word.A], float("nan"), {1}, np.int64(3), len],
    ids=repr,
)
def test_what_json_would_change_is_opaque(value: Any) -> None:
    described = Leaning(table=value, note="n").spec_dict()
    assert described["opaque"] == ["table"]
    assert described["kwargs"] == {"note": "n"}


def test_what_json_keeps_is_not_opaque_and_tuples_become_lists() -> None:
    for value, kept in [
        (1.0, 1.0), (1, 1), (True, True), (None, None), ({"a": [1, 1.0, "é\ud800"]}, {"a": [1, 1.0, "é\ud800"]}),
        ((1, ("a", ())), [1, ["a", []]]), ({"a": (1,)}, {"a": [1]}),
    ]:  # fmt: skip
        described = Leaning(table=value).spec_dict()
        assert described["opaque"] == []
        assert json.dumps(described["kwargs"]) == json.dumps({"table": kept})  # 1, 1.0 and true are told apart
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert Leaning(table=deep).spec_dict()["opaque"] == ["table"]
