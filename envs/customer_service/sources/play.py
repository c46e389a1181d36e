"""Public tasks in the world: the official tools, a scripted customer, and the official grading.

Grading is `official.grading`: what is in the task's basis is multiplied. NL_ASSERTION needs a judge: without one the
rest decides, and the outcome's detail says that the statements were not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from agentgym.data import Source
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Domain, Reply, ServiceTool
from agentgym.envs.customer_service.official.domains import DOMAINS
from agentgym.envs.customer_service.official.grading import Call as Made
from agentgym.envs.customer_service.official.grading import asserted, matches
from agentgym.envs.customer_service.sheet import AGENT, CUSTOMER, Call, Sheet
from agentgym.envs.customer_service.sources import open_database, policy
from agentgym.envs.customer_service.sources.entries import begin
from agentgym.envs.customer_service.sources.scripts import sheet_of
from agentgym.envs.customer_service.sources.words import voice, words
from agentgym.envs.customer_service.state import Case, ServiceState
from agentgym.errors import unknown
from agentgym.task import Task, TaskPanel

_SIDES: Final = {AGENT: "assistant", CUSTOMER: "user"}
_TITLES: Final = {
    "retail": ("an online shop", "2024-05-15 15:00:00"),
    "airline": ("an airline", "2024-05-15 15:00:00"),
    "telecom": ("a phone company", "2025-02-25 12:08:00"),
}
JUDGED: Final = "NL_ASSERTION"
_DOMAINS: Final[dict[int, tuple[Source, dict[str, tuple[PublicDomain, TaskPanel]]]]] = {}
"""Sets that were played in this process (held, so that no other object gets their id) → their domains."""


class PublicDomain(Domain):
    """A domain of a public set: the official tools with their faults, and the set's policy.

    Args:
        source: the set.
        name: retail, airline or telecom.
    """

    def __init__(self, source: Source, name: str) -> None:
        self.source = source
        self.official = DOMAINS[name]
        self.name = name  # type: ignore[misc]
        self.title, self.clock = _TITLES[name]  # type: ignore[misc]
        self.customers = "customers" if name == "telecom" else "users"  # type: ignore[misc]
        self.words = words()  # type: ignore[misc]
        own = self.official.user_tools
        self.voice = voice(tuple(own.tools) if own is not None else ())  # type: ignore[misc]

    @cached_property
    def database(self) -> Database:
        """The base of the first task of this domain; all of them share it."""
        panel = tasks_of(self.source, self.name)
        return open_database(self.source, panel[next(iter(panel))][0])

    @cached_property
    def policy(self) -> str:
        """The set's policy."""
        return policy(self.source, self.name)

    @cached_property
    def tools(self) -> Mapping[str, ServiceTool]:
        """The official tools of both sides."""
        kits = [(AGENT, self.official.tools), (CUSTOMER, self.official.user_tools)]
        return {
            name: ServiceTool(tool.spec, tool.tag, side, tool.run)
            for side, kit in kits
            if kit is not None
            for name, tool in kit.tools.items()
        }

    def checked(self, name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments as they came: the official tools do not check them."""
        return arguments

    def call(self, database: Database, call: Call) -> Reply:
        """Run an official tool; one that fails may have written."""
        found = self.official.call(database, call.name, call.arguments, _SIDES[call.side])
        return Reply(found.database, found.text, found.error)


@dataclass(frozen=True, eq=False)
class PublicCase(Case):
    """The case of a public task.

    Attributes:
        data: the task's.
    """

    data: Mapping[str, Any]

    def made(self, call: Call) -> frozenset[int]:
        """Return which gold actions a call is."""
        done = Made(_SIDES[call.side], call.name, call.arguments)
        return frozenset(index for index, action in enumerate(self.data["gold"]) if matches(action, done))

    def is_served(self, number: int, state: ServiceState) -> bool:
        """Whether the task's database, or what it asserts of its end, is reached."""
        done = set(self.made_due).issubset(state.made)
        if self.data["env_assertions"]:
            return done and asserted(self.data, state.database)
        return done and state.database.digest == self.data["end"]

    @cached_property
    def made_due(self) -> tuple[int, ...]:
        """The gold actions that must be made where ACTION counts: those that look nothing up."""
        tools = self.domain.tools
        golds = enumerate(self.data["gold"]) if "ACTION" in self.data["basis"] else ()
        return tuple(index for index, action in golds if tools[action["name"]].tag != "read")

    def parts(self, state: ServiceState) -> dict[str, float]:
        """Return what success is the product of; NL_ASSERTION is absent, since it needs a judge."""
        data, tells = self.data, self.goals[0].tells
        measured = {
            "DB": state.database.digest == data["end"],
            "ENV_ASSERTION": asserted(data, state.database),
            "COMMUNICATE": all((0, index) in state.customer.said for index in range(len(tells))),
            "ACTION": len(state.made) == len(data["gold"]),
        }
        return {name: float(measured[name]) for name in data["basis"] if name != JUDGED}

    @property
    def note(self) -> str:
        """What the outcome leaves open; "" where nothing is."""
        needed = JUDGED in self.data["basis"] and self.data["nl_assertions"]
        return "NL_ASSERTION needs a judge and was left out" if needed else ""


def public(source: Source, name: str | None) -> tuple[PublicDomain, TaskPanel]:
    """Return a domain of a set, by default the first that it has tasks of, and its tasks; one object a set and name.

    Raises:
        ValueError: the set has no task of this domain.
    """
    name = name or source.panel[next(iter(source.panel))][0].data["domain"]
    kept = _DOMAINS.setdefault(id(source.panel), (source, {}))[1]
    if name not in kept:
        panel = tasks_of(source, name)
        kept[name] = PublicDomain(source, name), panel
    return kept[name]


def tasks_of(source: Source, name: str) -> TaskPanel:
    """Return the tasks of one domain of a set, in the set's splits.

    Raises:
        ValueError: the set has no task of this domain.
    """
    splits = {split: [task for task in source.panel[split] if task.data["domain"] == name] for split in source.panel}
    held = {split: tasks for split, tasks in splits.items() if tasks}
    if not held:
        known = sorted({task.data["domain"] for split in source.panel for task in source.panel[split]})
        raise ValueError(f"the data set {source.kind}: " + unknown("domain", name, known))
    return TaskPanel(f"{source.kind}/{name}", held)


def case_of_public(task: Task, domain: PublicDomain) -> PublicCase:
    """Return the case of a public task."""
    start = begin(open_database(domain.source, task), task.data["prepare"])
    sheet: Sheet = sheet_of(task.data, domain.official, start)
    end = start
    for action in task.data["gold"]:
        end = domain.official.call(end, action["name"], action["arguments"], action["side"]).database
    return PublicCase(task.id, domain, sheet, start, end, (end.changes(start),), task.data)
