"""Public tasks in the world: the official tools, a scripted customer, and the official grading.

Grading is `official.grading`: what is in the task's basis is multiplied, and that the customer was not turned away.
NL_ASSERTION needs a judge: without one the rest decides, and the outcome's detail says that nobody judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from agentgym.data import Source
from agentgym.envs.customer_service.customer.state import DROPPED
from agentgym.envs.customer_service.database import Database
from agentgym.envs.customer_service.domain import Domain, Reply, ServiceTool
from agentgym.envs.customer_service.official.domains import Official, officials
from agentgym.envs.customer_service.official.grading import Call as Made
from agentgym.envs.customer_service.official.grading import asserted, matches
from agentgym.envs.customer_service.sheet import AGENT, CUSTOMER, Call, Sheet
from agentgym.envs.customer_service.sources import open_database, policy
from agentgym.envs.customer_service.sources.entries import begin
from agentgym.envs.customer_service.sources.scripts import HAND_OVER, sheet_of
from agentgym.envs.customer_service.sources.words import voice, words
from agentgym.envs.customer_service.state import Case, ServiceState
from agentgym.envs.customer_service.voice import Voice
from agentgym.errors import unknown
from agentgym.task import Task, TaskPanel

_SIDES: Final = {AGENT: "assistant", CUSTOMER: "user"}
_TITLES: Final = {
    "retail": ("an online shop", "2024-05-15 15:00:00"),
    "airline": ("an airline", "2024-05-15 15:00:00"),
    "telecom": ("a phone company", "2025-02-25 12:08:00"),
}
JUDGED: Final = "NL_ASSERTION"
HANDED_OVER: Final = -1
"""Among the gold actions that were made: the customer was handed over to a human, in whatever words."""
_DOMAINS: Final[dict[int, tuple[Source, dict[str, tuple[PublicDomain, TaskPanel]]]]] = {}
"""Sets that were played in this process (held, so that no other object gets their id) → their domains."""


class PublicDomain(Domain):
    """A domain of a public set: the official tools with their faults, and the set's policy.

    Args:
        kind: of the set, which says what its tools are.
        name: retail, airline or telecom.
        database: the base that all of its tasks share.
        policy: what the agent has to keep to.
    """

    words = words()

    def __init__(self, kind: str, name: str, database: Database, policy: str) -> None:
        self.kind = kind
        self.name = name  # type: ignore[misc]
        self.title, self.clock = _TITLES[name]  # type: ignore[misc]
        self.customers = "customers" if name == "telecom" else "users"  # type: ignore[misc]
        self.database = database
        self.policy = policy

    @property
    def official(self) -> Official:
        """The official tools."""
        return officials(self.kind)[self.name]

    @cached_property
    def voice(self) -> Voice:  # type: ignore[override]
        """What the expert says."""
        own = self.official.user_tools
        return voice(tuple(own.tools) if own is not None else ())

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

    def owner(self, database: Database, text: str) -> str:
        """Return the customer whose record `text` is the key of; "" where it is nobody's, or no key."""
        for name, table in database.items():
            record = table.get(text)
            if record is not None:
                return text if name == self.customers else str(record.get("user_id", record.get("customer_id", "")))
        return ""

    def call(self, database: Database, call: Call) -> Reply:
        """Run an official tool; one that fails may have written."""
        found = self.official.call(database, call.name, call.arguments, _SIDES[call.side])
        return Reply(found.database, found.text, found.error)

    run = call


@dataclass(frozen=True, eq=False)
class PublicCase(Case):
    """The case of a public task.

    Attributes:
        data: the task's.
    """

    data: Mapping[str, Any]

    def made(self, call: Call) -> frozenset[int]:
        """Return which gold actions a call is, and HANDED_OVER for that."""
        done = Made(_SIDES[call.side], call.name, call.arguments)
        found = frozenset(index for index, action in enumerate(self.data["gold"]) if matches(action, done))
        return found | {HANDED_OVER} if call.name == HAND_OVER else found

    def is_served(self, number: int, state: ServiceState) -> bool:
        """Whether the task's database, or what it asserts of its end, is reached."""
        done = set(self.made_due).issubset(state.made)
        if self.data["env_assertions"]:
            return done and asserted(self.data, state.database)
        return done and state.database.digest == self.data["end"]

    def is_wanted(self, state: ServiceState, call: Call, after: Database) -> bool:
        """Whether a write is what the customer wants: True, since a public task does not say what a yes was to."""
        return True

    @cached_property
    def made_due(self) -> tuple[int, ...]:
        """What must be made before the customer is served, whatever the database says.

        Where ACTION counts the gold actions that look nothing up; where a human is all that helps, handing over.
        """
        tools = self.domain.tools
        golds = enumerate(self.data["gold"]) if "ACTION" in self.data["basis"] else ()
        due = tuple(index for index, action in golds if tools[action["name"]].tag != "read")
        alone = {call.name for call in self.goals[0].gold} == {HAND_OVER}
        return (*due, HANDED_OVER) if alone else due

    def parts(self, state: ServiceState) -> dict[str, float]:
        """Return what success is the product of: the basis without NL_ASSERTION, which needs a judge, and SERVED.

        SERVED: the customer was not turned away with what the gold path grants, where the database cannot tell.
        """
        data, tells = self.data, self.goals[0].tells
        measured = {
            "DB": state.database.digest == data["end"],
            "ENV_ASSERTION": asserted(data, state.database),
            "COMMUNICATE": all((0, index) in state.customer.said for index in range(len(tells))),
            "ACTION": state.made.issuperset(range(len(data["gold"]))),
            "SERVED": DROPPED not in state.customer.results,
        }
        return {name: float(measured[name]) for name in (*data["basis"], "SERVED") if name != JUDGED}

    @property
    def brief(self) -> tuple[str, ...]:
        """What the set tells whoever plays the customer."""
        return tuple(f"{name.replace('_', ' ')}: {text}" for name, text in self.data["scenario"].items() if text)

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
        database = open_database(source, panel[next(iter(panel))][0])
        kept[name] = PublicDomain(source.kind, name, database, policy(source, name)), panel
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
    """Return the case of a public task, which was checked with the domain's database."""
    start = begin(domain.database, task.data["prepare"])
    sheet: Sheet = sheet_of(task.data, domain.official, start)
    end = start
    for action in task.data["gold"]:
        end = domain.official.call(end, action["name"], action["arguments"], action["side"]).database
    return PublicCase(task.id, domain, sheet, start, end, (end.changes(start),), task.data)
