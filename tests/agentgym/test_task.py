"""Tasks and panels: lookups, faults, a content hash that follows content alone."""

import copy
import pickle
from typing import Any

import pytest
from processes import run_python

from agentgym import Task, TaskPanel
from agentgym.task import as_panel


def panel(name: str = "sums", size: int = 3) -> TaskPanel:
    return TaskPanel(name, {"train": [Task(f"{n}", {"n": n}) for n in range(size)], "test": [Task("last", {"n": [1]})]})


def test_splits_are_a_mapping() -> None:
    mine = panel()
    assert list(mine) == ["train", "test"]
    assert len(mine) == 2
    assert [task.id for task in mine["train"]] == ["0", "1", "2"]
    assert mine.task("last").data == {"n": [1]}
    assert "dev" not in mine
    assert repr(mine) == "TaskPanel('sums', train: 3, test: 1)"


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(
        KeyError, match=r"unknown split 'tran' of panel 'sums'; did you mean 'train'\? known: train, test"
    ):
        panel()["tran"]
    with pytest.raises(KeyError, match=r"unknown task 'lost' of panel 'sums'; did you mean 'last'\?"):
        panel().task("lost")
    with pytest.raises(KeyError, match="unknown task"):
        panel().task(["0"])  # type: ignore[arg-type]
    with pytest.raises(KeyError, match=r"… \(102 in all\)"):
        panel(size=101).task("x")


def test_bad_panels_are_refused() -> None:
    with pytest.raises(ValueError, match="holds the task id 'a' twice; ids are unique over splits"):
        TaskPanel("p", {"train": [Task("a")], "test": [Task("a")]})
    with pytest.raises(ValueError, match="panel 'p' holds no task"):
        TaskPanel("p", {})
    with pytest.raises(ValueError, match="the split 'test' of panel 'p' holds no task"):
        TaskPanel("p", {"train": [Task("a")], "test": []})
    with pytest.raises(TypeError, match=r"panel 'p', train\[1\] is 'b', not a Task"):
        TaskPanel("p", {"train": [Task("a"), "b"]})  # type: ignore[list-item]
    for name in ("", 3, None):
        with pytest.raises(TypeError, match="a task id must be a non-empty str"):
            Task(name)  # type: ignore[arg-type]


def test_the_hash_follows_name_splits_ids_data_and_order() -> None:
    data = {"a": 1, "b": 2}
    one = TaskPanel("p", {"train": [Task("x", data), Task("y")]})
    assert one.hash == TaskPanel("p", {"train": (Task("x", dict(reversed(data.items()))), Task("y"))}).hash
    others = [
        TaskPanel("q", {"train": [Task("x", data), Task("y")]}),
        TaskPanel("p", {"test": [Task("x", data), Task("y")]}),
        TaskPanel("p", {"train": [Task("y"), Task("x", data)]}),
        TaskPanel("p", {"train": [Task("x", {**data, "b": 2.0}), Task("y")]}),
        TaskPanel("p", {"train": [Task("x", data)]}),
    ]
    assert len({one.hash, *(other.hash for other in others)}) == 6
    assert len(one.hash) == 32


def test_copies_have_the_same_hash_and_deep_copies_are_the_panel_itself() -> None:
    mine = panel()
    assert pickle.loads(pickle.dumps(mine)).hash == mine.hash
    assert pickle.loads(pickle.dumps(mine)) == mine
    assert copy.deepcopy(mine) is mine


def test_the_hash_is_the_same_in_another_process() -> None:
    code = "from agentgym import *; print(TaskPanel('p', {'train': [Task('x', {'s': {'a', 'b', 'c'}})]}).hash)"
    found = {run_python(code, PYTHONHASHSEED=seed).strip() for seed in ("0", "1", "4242")}
    assert found == {TaskPanel("p", {"train": [Task("x", {"s": {"a", "b", "c"}})]}).hash}


def test_a_task_keeps_its_data_whatever_its_maker_does_to_it() -> None:
    data = {"n": 1, "deep": [{"m": [2]}]}
    panel = TaskPanel("p", {"train": [Task("t", data)]})
    data["n"] = 3
    data["deep"][0]["m"].append(4)  # type: ignore[index]
    task = panel.task("t")
    assert task.data == {"n": 1, "deep": [{"m": [2]}]}
    assert panel.hash == TaskPanel("p", {"train": [Task("t", {"n": 1, "deep": [{"m": [2]}]})]}).hash
    assert pickle.loads(pickle.dumps(task)) == task


@pytest.mark.parametrize(
    "splits, words",
    [
        (5, "panel 'p': splits must map names to sequences of Task, not 5"),
        ([Task("a")], "panel 'p': splits must map names"),
        ({"train": 5}, "panel 'p': the split 'train' must be a sequence of Task, not 5"),
        ({"train": "abc"}, "panel 'p': the split 'train' must be a sequence of Task, not 'abc'"),
    ],
)
def test_what_holds_no_tasks_is_named(splits: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        TaskPanel("p", splits)
    with pytest.raises(TypeError, match="the data of task 'a' must be a mapping of names to values, not 5"):
        Task("a", 5)  # type: ignore[arg-type]


def test_tasks_as_a_panel() -> None:
    mine = panel()
    assert as_panel(mine, "other") is mine
    made = as_panel((task for task in (Task("a"), Task("b"))), "other")
    assert (made.name, dict(made)) == ("other", {"train": (Task("a"), Task("b"))})
    with pytest.raises(TypeError, match=r"tasks must be a TaskPanel or a sequence of Task, not 5: write \[Task"):
        as_panel(5, "other")
    with pytest.raises(TypeError, match=r"tasks must be .* not \{'train': .*: write TaskPanel\(name"):
        as_panel({"train": [Task("a")]}, "other")


def test_data_that_contains_itself_is_refused() -> None:
    loop: dict[str, object] = {}
    loop["again"] = loop
    with pytest.raises(ValueError, match="the data of task 't' nests too deep, or contains itself"):
        Task("t", {"loop": loop})
