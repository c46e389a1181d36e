"""CustomerServiceEnv: tools, a policy and a customer."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from agentgym.action import Action, Say, ToolCall, clean
from agentgym.digest import encode
from agentgym.env import AgentEnv
from agentgym.envs.customer_service import card, expert, exploits, menu, quality, rewards, tasks, text
from agentgym.envs.customer_service.customer.talk import CustomerState, View, opening, react
from agentgym.envs.customer_service.domain import Domain
from agentgym.envs.customer_service.sheet import AGENT, Call
from agentgym.envs.customer_service.sources import load_source
from agentgym.envs.customer_service.sources.play import PublicDomain, case_of_public, public
from agentgym.envs.customer_service.state import Case, ServiceState, call_key
from agentgym.errors import unknown
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task, TaskPanel
from agentgym.tool import Tools
from agentgym.turn import InvalidAction, Opening, Turn, safe_name
from agentgym.user import SCRIPTED, Scene, UserSimulator, as_user

MANNERS = 1 << 16


class CustomerServiceEnv(AgentEnv[ServiceState]):
    """A customer, a policy, and tools over a database.

    Description:
        A customer writes to a service: a shop, an airline, a phone company. The agent finds out what they want, looks
        things up, asks for a yes before it changes anything, refuses what the policy forbids, and changes the database.
        Customers are state machines: seeded, with facts that they tell when asked, patience, moods and second thoughts.
    Actions:
        A message to the customer, or one call of one of the domain's tools (`info["tools"]`), as JSON in <tool_call>.
    Observations:
        First what the customer writes. Then the customer's answer to a message, or the result of a call as JSON; a
        call that was refused begins with "Error: " and says what is allowed.
    State and hash:
        The task's sheet, the database (a hash that follows each write), what the customer wants, has told and heard,
        which records the agent has looked at, and which calls it made. Anchor: the same
        without what nobody can see of the customer (patience, ways of speaking).
    Turn rewards:
        progress: the rise of the potential as a share of the task's work: gold writes that stand in the database,
        things said that had to be said, refusals that were accepted. An episode that ends rightly sums to 1.
    Outcome:
        1 if the database is what it is after the gold writes, by whichever path, everything was said that had to be
        said, and what the policy forbids was refused for the right reason; else 0.
    Episode end:
        The customer ends the talk: solved or failed; user_left when patience is used up; turn_limit.
    Info:
        tag: gold, soft, read, state, error, duplicate for calls (`rewards.tag_of`), message. step_score: the share of
        the work done. violations: rules broken by this turn (`rewards.broken_by`, pried, false_claim, refused_allowed),
        whose number is the column cost. safe: were there none. metrics: soft_match of a call; with the last turn
        database, tells, refusals. tool_result: did a call succeed. By signal: menu, expert, potential (−the work that
        is left), describe; critique (+1, 0, −1: the potential rose, stayed, fell or a rule was broken). With
        privileged=True: what the customer knows and wants, and the gold calls.

    Arguments:
        domain: "retail" (the default), "airline", "telecom", or a domain of your own as "module:OBJECT". Of public
            data: which of its domains; default: its first.
        families: which of the domain's families; default: all.
        train: how many tasks of each family the split train holds; they are drawn without end.
        data, data_dir: public data instead (tau2, tau-bench), by its name in the store, or its folder.
        user: who puts the customer's answers into words: a `UserSimulator`, or a language model's description
            (`agentgym.user.as_user`). The rules decide what the customer does, but a user may leave. The first message
            is the world's own. Default: the scripted words.
        and those of AgentEnv; `tasks` replaces the panel: Task(id, sheet), see `sheet_json`. Tasks that cannot be
            played are left out, and named in `problems`.
    Determinism:
        The seed draws the customer's manner once; afterwards nothing is drawn, but by a user of one's own.
    Known exploits tried:
        See README.md: no action, refusing everything, saying yes to everything, stuffing, claims, forged results.
    Source:
        Yao et al. 2024, tau-bench (arXiv 2406.12045); Barres et al. 2025, tau2-bench (arXiv 2506.07982). Domains,
        customers and policies are this project's own.
    Versions:
        1: first.
    """

    version: ClassVar[str] = "1"
    max_turns = 40
    rewards: ClassVar[RewardSpec] = RewardSpec({"progress": 1.0})
    default_codec: ClassVar[str] = "hermes"
    extra_signals: ClassVar[Sequence[str]] = ("critique",)
    state_types: ClassVar[Sequence[type]] = (CustomerState,)

    def __init__(
        self,
        *,
        domain: str | None = None,
        families: Sequence[str] | None = None,
        train: int = tasks.SIZES["train"],
        data: str = "",
        data_dir: str = "",
        user: UserSimulator | Mapping[str, Any] = SCRIPTED,
        **shell: Any,
    ) -> None:
        self.user = as_user(user)
        own = shell.get("tasks")
        self.problems: list[str] = []
        self.domain: Domain
        if isinstance(families, str):
            raise ValueError(f"families must be a list of names, not a text: write [{families!r}]")
        if families is not None and (own is not None or data or data_dir):
            raise ValueError("families= chooses among the shipped tasks: leave it out where tasks= or data= says which")
        if data or data_dir:
            if own is not None:
                raise ValueError("tasks= and data= or data_dir= each say which tasks there are: leave one out")
            self.domain, shell["tasks"] = public(load_source(data, data_dir), domain)
            if "train" not in shell["tasks"]:
                shell.setdefault("split", next(iter(shell["tasks"])))
        elif own is None:
            self.domain = tasks.domain_of(domain or tasks.DOMAINS[0])
            shell["tasks"] = tasks.panel_of(self.domain, train, None if families is None else tuple(families))
        else:
            self.domain = tasks.domain_of(domain or tasks.DOMAINS[0])
            panel = own if isinstance(own, TaskPanel) else TaskPanel(self.domain.name, {"train": own})
            shell["tasks"], self.problems = tasks.playable(panel, self.domain)
        self.problems += self.domain.problems
        self._tools = Tools({name: tool.spec for name, tool in self.domain.tools.items() if tool.side == AGENT})
        super().__init__(**shell)
        self._cases: dict[str, Case] = {}
        self._system = text.system(self.domain, self.max_turns)

    def initial(self, task: Task, rng: TurnRng) -> Opening[ServiceState]:
        """Return the task's first state; the customer's manner is drawn."""
        case = self._case(task)
        customer, said = opening(case.domain, case.sheet, rng.integers(MANNERS))
        state = ServiceState(case, case.start, customer)
        return Opening(state if self.user is SCRIPTED else state.talked(("user", said)), said, self._system)

    def transition(self, state: ServiceState, action: Action, rng: TurnRng) -> Turn[ServiceState]:
        """Return what a message or a call does; nothing is drawn, but by a user of one's own."""
        return self._said(state, action.text, rng) if isinstance(action, Say) else self._called(state, action)

    def apply(
        self, state: ServiceState, action: str | ToolCall, rng: TurnRng
    ) -> tuple[Turn[ServiceState], bool, Action | None]:
        """Return (turn, valid, parsed action or None), with what every turn of this world records."""
        turn, valid, parsed = super().apply(state, action, rng)
        after = turn.state
        turn.safe = not turn.violations
        if not valid:
            turn.tag = "error"
        if after is not state:
            turn.rewards = {"progress": rewards.progress(state, after)}
        turn.step_score = 1.0 - after.remaining / after.case.total
        if "critique" in self.signals:
            turn.critique = rewards.critique(state, after, bool(turn.violations) or not valid)
        return turn, valid, parsed

    def _said(self, state: ServiceState, said: str, rng: TurnRng) -> Turn[ServiceState]:
        """Return what the customer does about a message."""
        case = state.case
        view = View(state.database, state.looked, state.served)
        heard = react(case.domain, case.sheet, state.customer, said, view)
        after, answer = state.heard(heard.database, heard.state), heard.text
        if self.user is not SCRIPTED:
            after, answer = self._spoken(after.talked(*state.talk, ("assistant", said)), answer, heard.kind, rng)
        turn = Turn(after, answer, tag="message", violations=heard.faults, subgoal=heard.kind)
        if after.customer.ended:
            turn.outcome = rewards.outcome(after)
            turn.metrics = case.parts(after)
        return turn

    def _spoken(self, state: ServiceState, text: str, kind: str, rng: TurnRng) -> tuple[ServiceState, str]:
        """Return the state after the user has said the drafted answer in its own words, or left, and the words."""
        drafted = card.draft(state, text, kind)
        said = self.user.speak(Scene(card.card(state), state.talk), drafted, rng)
        words = clean(said.text)[: self.max_observation]
        if said.act in drafted.choices:
            state = state.left()
        return state.talked(("user", words)), words

    def _called(self, state: ServiceState, action: ToolCall) -> Turn[ServiceState]:
        """Return what a call of a tool does."""
        spec = self._tools.get(action.name)
        if spec is None:
            if safe_name(action.name)[0] != "'":
                raise InvalidAction(f"there is no tool of this name; call one of: {', '.join(self._tools)}")
            raise InvalidAction(unknown("tool", action.name, self._tools))
        case = state.case
        call = Call(action.name, case.domain.checked(action.name, action.arguments))
        reply = case.domain.run(state.database, call)
        written = reply.database is not state.database
        texts = frozenset(rewards.texts_in(call))
        key, tag, after = call_key(call), "error", state
        fit = rewards.match(case, call, key)
        broken: tuple[str, ...] = ()
        if written:
            broken = tuple(rewards.broken_by(state, call, texts, reply.database))
        elif not reply.error and rewards.pries(state, texts):
            broken = ("pried",)
        if not reply.error:
            tag = rewards.tag_of(case.domain.tools[call.name].tag, fit, key in state.called, written)
            after = state.called_with(reply.database, texts, key, case.made(call))
        elif written:
            after = state.called_with(reply.database, frozenset(), "", case.made(call))
        metrics = {"soft_match": fit}
        return Turn(
            after, text.result(reply.text), tag=tag, violations=broken, metrics=metrics, tool_result=not reply.error
        )

    # ---- hooks -------------------------------------------------------------------------------------------------------

    def canonical(self, state: ServiceState) -> Any:
        """Return all that decides the futures of a state; the talk too, for a user whose words follow from it."""
        return state.canonical() if self.user.scripted else state.canonical() + b"\n" + encode(state.talk)

    def anchor(self, state: ServiceState) -> Any:
        """Return what the agent can tell apart: the state without the customer's patience and manner."""
        return state.visible

    def potential(self, state: ServiceState) -> float:
        """Return −(writes, answers and refusals that are still missing)."""
        return -float(state.remaining)

    def expert(self, state: ServiceState) -> str:
        """Return the expert's message or call."""
        return written(expert.advice(state))

    def menu(self, state: ServiceState) -> Sequence[str]:
        """Return messages and calls that make sense, the expert's among them; see `menu`."""
        return [written(entry) for entry in menu.entries(state)]

    def card(self, state: ServiceState) -> str:
        """Return the customer's role card: who they are, what they want, and what they tell only when asked."""
        return card.card(state)

    def describe(self, state: ServiceState) -> str:
        """Return what an agent knows by now."""
        return text.describe(state)

    def secrets(self, state: ServiceState) -> dict[str, Any]:
        """Return what the customer knows and wants, and the calls that serve them, a sentence each."""
        return text.secrets(state.case)

    def panels(self) -> list[tuple[TaskPanel, float | None]]:
        """Return the shipped panels, each with the success of random choice on its test split."""
        measured = tasks.random_success()
        return [(tasks.panel_of(tasks.domain_of(name)), measured.get(name)) for name in tasks.DOMAINS]

    def exploits(self) -> dict[str, exploits.Played]:
        """Return what agents may try in this domain instead of serving the customer; see `exploits`."""
        return {name: partial(_as_text, script) for name, script in exploits.scripts(self.domain).items()}

    def quality(self) -> list[Quality]:
        """Return what was measured of the shipped domains' test tasks, whatever this world plays; it takes minutes."""
        worlds = [type(self)(domain=name) for name in tasks.DOMAINS]
        return [found for world in worlds for found in quality.measure(world, world.panel["test"])]

    @property
    def base_hash(self) -> str:
        """Return the hash of the database that all tasks share."""
        return self.domain.database.digest

    def pack(self, state: ServiceState) -> Any:
        """Return plain values that hold the state, but for what its task says."""
        return state.pack()

    def unpack(self, value: Any) -> ServiceState:
        """Return the state of such values."""
        task, *rest = value
        return ServiceState.unpack(self._case(self.panel.task(task)), rest)

    def _case(self, task: Task) -> Case:
        found = self._cases.get(task.id)
        if found is None:
            found = self._cases[task.id] = _case_of(task, self.domain)
        return found


def _case_of(task: Task, domain: Domain) -> Case:
    return case_of_public(task, domain) if isinstance(domain, PublicDomain) else tasks.case(task, domain)


def _as_text(script: exploits.Script, opening: str, rng: TurnRng) -> Generator[str, str, None]:
    """Play an exploit in the world's own dialect."""
    acting = script(opening, rng)
    action = next(acting, "")
    while True:
        read = yield written(action)
        try:
            action = acting.send(read)
        except StopIteration:
            return


def written(action: str | Call) -> str:
    """Return an action as the agent writes it: a message as it is, a call as JSON in <tool_call>."""
    if isinstance(action, str):
        return action
    body = json.dumps({"name": action.name, "arguments": dict(action.arguments)}, ensure_ascii=False)
    return f"<tool_call>\n{body}\n</tool_call>"
