"""Tasks and panels: which sheets there are, in which splits. A task's data is its sheet (`sheet_json`).

The customers of a domain are cut into three: of every ten, one plays in dev, two in test, seven in train, so no task of
one split can equal one of another. The sheets of a family come from its draw, customer by customer, each once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from itertools import islice
from typing import Any, Final

from agentgym.envs.customer_service.customer.phrases import MOODS
from agentgym.envs.customer_service.customer.plan import plan_of
from agentgym.envs.customer_service.domain import Domain, Family
from agentgym.envs.customer_service.sheet import Goal, Sheet
from agentgym.envs.customer_service.sheet_json import as_json, read_sheet
from agentgym.envs.customer_service.state import Case, Leaves, case_of
from agentgym.errors import unknown
from agentgym.rng import TurnRng
from agentgym.task import Task, TaskPanel

DOMAINS: Final = ("retail", "airline", "telecom")
SIZES: Final = {"train": 40, "dev": 5, "test": 10}
"""How many tasks of each family a panel holds; those of train go on without end (`drawn`)."""
MOST: Final = 100_000
"""The most tasks of a family that can be asked for; these many take minutes."""
_SHARES: Final = {"dev": (0,), "test": (1, 2), "train": (3, 4, 5, 6, 7, 8, 9)}
_ROUNDS: Final = 30  # over all customers without a new sheet


def domain_of(name: str) -> Domain:
    """Return a shipped domain by its name, or one of your own as "module:OBJECT".

    Raises:
        ValueError: there is none, or the object is no Domain; the nearest name is offered.
    """
    if name in DOMAINS:
        return _domain(f"agentgym.envs.customer_service.domains.{name}:{name.upper()}")
    module, _, found = name.partition(":") if isinstance(name, str) else ("", "", "")
    if not module or not found or module.startswith("."):
        raise ValueError(unknown("domain", name, DOMAINS) + ", or your own as 'module:OBJECT'")
    return _domain(name)


@lru_cache(maxsize=32)
def _domain(path: str) -> Domain:
    module, _, name = path.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise ValueError(f"domain {path!r} cannot be imported: {error}") from error
    if not isinstance(found, Domain):
        raise ValueError(f"domain {path!r} is {found!r:.60}: it must be an object of a class that derives from Domain")
    return found


@lru_cache(maxsize=64)
def customers_of(domain: Domain, split: str) -> Sequence[str]:
    """Return the keys of the customers who play in a split, in the order of their table."""
    keys = domain.database.rows(domain.customers)
    return tuple(key for index, key in enumerate(keys) if index % 10 in _SHARES[split])


def drawn(domain: Domain, family: Family, split: str) -> Iterator[Sheet]:
    """Yield the sheets of a family in a split, no two alike; ends when 30 rounds over its customers give none anew."""
    return (read_sheet(data) for data in _written(domain, family, split))


def _written(domain: Domain, family: Family, split: str) -> Iterator[dict[str, Any]]:
    """Yield the same as JSON."""
    customers, seen, stale = customers_of(domain, split), set[str](), 0
    number = 0
    while stale < _ROUNDS:
        order = TurnRng(number, stream=f"{domain.name}/{family.name}/{split}").shuffled(customers)
        before = len(seen)
        for customer in order:
            rng = TurnRng(number, stream=f"{domain.name}/{family.name}/{customer}")
            sheet = family.draw(domain.database, customer, rng)
            if sheet is None:
                continue
            written = as_json(sheet)
            key = json.dumps(written)
            if key not in seen:
                seen.add(key)
                yield written
        stale = 0 if len(seen) > before else stale + 1
        number += 1


@lru_cache(maxsize=16)
def panel_of(domain: Domain, train: int = SIZES["train"], families: tuple[str, ...] | None = None) -> TaskPanel:
    """Return the panel of a domain; the same object every time.

    Args:
        domain: a domain with families.
        train: tasks of each family in the split "train".
        families: names of those to play, in the domain's order whatever the order here; None: all.

    Raises:
        ValueError: `train` is no integer from 1 to 100,000; there is no family of a name, none is named, or one has too
            few sheets; the message names it.
    """
    if type(train) is not int or not 1 <= train <= MOST:
        raise ValueError(f"train must be an integer from 1 to {MOST:,}, tasks of each family, not {train!r:.60}")
    names = [family.name for family in domain.families]
    for name in families or ():
        if name not in names:
            raise ValueError(unknown("family", name, names, f"of {domain.name}"))
    if families == ():
        raise ValueError(f"families names none: leave it out to play all {len(names)} of {domain.name}")
    chosen = [family for family in domain.families if families is None or family.name in families]
    splits: dict[str, list[Task]] = {}
    for split, size in {**SIZES, "train": train}.items():
        splits[split] = []
        for family in chosen:
            sheets = list(islice(_written(domain, family, split), size))
            if len(sheets) < size:
                raise ValueError(
                    f"{domain.name}: the family {family.name} has {len(sheets)} sheets for the customers of {split}, "
                    f"{size} are asked for"
                )
            splits[split] += [
                Task(f"{domain.name}/{family.name}/{split}/{index}", sheet) for index, sheet in enumerate(sheets)
            ]
    return TaskPanel(domain.name, splits)


def random_success() -> Mapping[str, float]:
    """Return by domain how often uniform random choice from the menu solves a test task (`measure_random`)."""
    kept = files(__package__) / "data" / "random.json"
    found = json.loads(kept.read_text("utf-8")) if kept.is_file() else {}
    return {name: measured["success"] for name, measured in found.items()}


def case(task: Task, domain: Domain) -> Case:
    """Return the case of a task.

    Raises:
        ValueError: its sheet is malformed, of another domain, or one of its writes fails; the message names the task.
    """
    sheet = read_sheet(task.data, f"task {task.id!r}")
    if sheet.domain != domain.name:
        raise ValueError(f"task {task.id!r} is of the domain {sheet.domain!r}, this world plays {domain.name!r}")
    return case_of(task.id, domain, sheet)


def playable(tasks: TaskPanel, domain: Domain) -> tuple[TaskPanel, list[str]]:
    """Return the tasks that play, and what is wrong with the others, one message each.

    Raises:
        ValueError: none of them plays; the message says what is wrong with the first.
    """
    splits: dict[str, list[Task]] = {}
    problems = []
    for split in tasks:
        for task in tasks[split]:
            try:
                wrong = dangling(case(task, domain))
            except ValueError as error:
                wrong = str(error)
            if wrong:
                problems.append(wrong)
            else:
                splits.setdefault(split, []).append(task)
    if not splits:
        raise ValueError(f"none of the {len(problems)} tasks plays; the first: {problems[0]}")
    return (TaskPanel(tasks.name, splits) if problems else tasks), problems


def dangling(case: Case) -> str:
    """Return what a sheet names that its domain does not have, "" if there is nothing of the kind."""
    domain, sheet, words = case.domain, case.sheet, case.domain.words
    where = f"task {case.task!r}"
    if sheet.customer not in domain.database[domain.customers]:
        return f"{where}: there is no customer {sheet.customer}"
    if not sheet.patience:
        return f"{where}: patience must be at least 1: with 0 the customer leaves at the first message"
    if sheet.mood not in MOODS:
        return f"{where}: " + unknown("mood", sheet.mood, MOODS)
    if not case.goals:
        return f"{where} has no goals: give it at least one"
    for number, goal in enumerate(case.goals):
        at = f"{where}, goal {number}"
        if goal.intent not in words.wants:
            return f"{at}: " + unknown("intent", goal.intent, words.wants)
        known = {**sheet.facts, **goal.facts}
        for fact in goal.opens:
            if fact not in known:
                return f"{at}, opens: " + unknown("fact", fact, known)
        if goal.reason and goal.reason not in words.refused:
            return f"{at}: " + unknown("reason", goal.reason, words.refused)
        for tell in goal.tells:
            if tell.topic not in words.questions:
                return f"{at}: " + unknown("topic", tell.topic, words.questions)
            if not tell.text.replace(",", "").strip():
                return f"{at}: the text of the tell {tell.topic!r} is empty"
        wrong = _failing(case, goal.reads) or _idle(goal, case.leaves[number])
        if wrong:
            return f"{at}: {wrong}"
    try:
        plan_of(words, sheet)
    except ValueError as error:
        return f"{where}: {error}"
    return _failing(case, sheet.identify) and f"{where}: {_failing(case, sheet.identify)}"


def _failing(case: Case, calls: Sequence[object]) -> str:
    for call in case.golds:
        if call in calls:
            reply = case.domain.call(case.start, call)
            if reply.error:
                return f"the look-up {call.name} fails: {reply.text}"
    return ""


def _idle(goal: Goal, leaves: Leaves) -> str:
    """Return what is wrong with what a goal asks for, "" if nothing: it has to ask for something, and for one thing."""
    if goal.change is not None:
        return ""
    if goal.reason:
        return "it has a reason why it is forbidden, and gold writes: leave one out" if goal.gold else ""
    if goal.gold:
        return "" if any(leaves.values()) else f"its writes ({goal.gold[0].name} …) change nothing"
    if not goal.tells:
        return "it asks for nothing: give it gold writes, tells, a reason or a change"
    return ""
