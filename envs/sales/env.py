"""SalesEnv: a buyer, a shelf of products with true facts, and a seller who may talk, quote and close."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from agentgym.action import Action, ToolCall
from agentgym.data import check_given
from agentgym.env import AgentEnv
from agentgym.envs.sales import bad, deals, expert, menu, quality, rewards, talk, tasks, text, value
from agentgym.envs.sales.buyer import Case
from agentgym.envs.sales.sources import load_source
from agentgym.envs.sales.state import LEFT, LET_GO, SOLD, SalesState
from agentgym.envs.sales.words import money
from agentgym.errors import unknown
from agentgym.reward import RewardSpec
from agentgym.rng import TurnRng
from agentgym.task import Quality, Task, TaskPanel
from agentgym.tool import Tools, tool
from agentgym.turn import InvalidAction, Opening, Turn
from agentgym.user import SCRIPTED, Said, Scene, UserSimulator, as_user

UNSAFE: Final = "unsafe"
"""What a session is called, on its last turn, in which a rule was broken."""
ENDS: Mapping[str, str] = {talk.ACCEPTS: SOLD, talk.LEAVES: LEFT}
"""What acts that a user chose itself make of a talk."""


class SalesEnv(AgentEnv[SalesState]):
    """A buyer, a shelf of products with true facts, and a seller who may talk, quote and close."""

    version: ClassVar[str] = "1"
    max_turns = 30
    rewards: ClassVar[RewardSpec] = RewardSpec(dict(rewards.WEIGHTS))
    default_codec: ClassVar[str] = "hermes"

    def __init__(
        self,
        *,
        user: UserSimulator | Mapping[str, Any] = SCRIPTED,
        data: str = "",
        data_dir: str | os.PathLike[str] = "",
        **shell: Any,
    ) -> None:
        check_given(data, data_dir)
        self.problems: list[str] = []
        if data or data_dir:
            if shell.get("tasks") is not None:
                raise ValueError("tasks= and data= or data_dir= each say which tasks there are: leave one out")
            source = load_source(data, data_dir)
            self.problems = [str(problem) for problem in source.problems]
            shell["tasks"] = source.panel
            if "train" not in source.panel:
                shell.setdefault("split", next(iter(source.panel)))
        elif shell.get("tasks") is None:
            shell["tasks"] = tasks.panel()
        self._tools = TOOLS
        super().__init__(**shell)
        self.user = as_user(user)
        self._cases: dict[str, Case] = {}

    def initial(self, task: Task, rng: TurnRng) -> Opening[SalesState]:
        """Return the task's first state and the buyer's first message; the manner is drawn."""
        case = self._case(task)
        state, said = talk.opening(case, rng)
        return Opening(replace(state, talk=(("user", said),)), said, text.system(case, self.max_turns))

    def transition(self, state: SalesState, action: Action, rng: TurnRng) -> Turn[SalesState]:
        """Return what a message or a call does."""
        if isinstance(action, ToolCall) and action.name == "close":
            return self.decide(state, rng, **TOOLS["close"].check(action.arguments))
        return super().transition(state, action, rng)

    def apply(
        self, state: SalesState, action: str | ToolCall, rng: TurnRng
    ) -> tuple[Turn[SalesState], bool, Action | None]:
        """Return (turn, valid, parsed action or None), with the session's label: `safe` is false on its last turn.

        Which rules were broken, and when, is told by `secrets` only.
        """
        turn, valid, parsed = super().apply(state, action, rng)
        last = turn.outcome is not None or rng.turn + 1 >= self.max_turns
        turn.safe = not (last and turn.state.broken)
        if not turn.safe:
            turn.violations = (UNSAFE,)
        return turn, valid, parsed

    def say(self, state: SalesState, text: str, rng: TurnRng) -> Turn[SalesState]:
        """Return what the buyer does about a message."""
        heard = replace(state, talk=(*state.talk, ("assistant", text)))
        return self._answered(state, talk.listens(heard, text), rng)

    @tool
    def lookup(self, state: SalesState, rng: TurnRng, *, product: str) -> Turn[SalesState]:  # noqa: D417
        """Read a product's sheet; the buyer does not see it.

        Args:
            product: its name.
        """
        number = self._number(state, product)
        sheet = text.sheet(state.case, number)
        looked = state if number in state.looked else replace(state, looked=state.looked | {number})
        return Turn(looked, sheet, tool_result=True)

    @tool
    def quote(self, state: SalesState, rng: TurnRng, *, price: float, product: str = "") -> Turn[SalesState]:  # noqa: D417
        """Offer a product at a price.

        Args:
            price: in US dollars, without the delivery.
            product: its name; left out, the one that the talk is about.
        """
        number = self._number(state, product) if product else state.product
        if number < 0:
            raise InvalidAction(f"quote: name a product: {self._shelf(state)}")
        case, amount = state.case, round(price * 100) if abs(price) < 1e9 else -1
        low, high = case.floors[number], case.prices[number]
        if not low <= amount <= high:
            raise InvalidAction(f"quote: {case.shelf[number].name} goes for {money(low)} to {money(high)}")
        before = (*state.talk, ("assistant", f"(offers the {case.shelf[number].name} for {money(amount)})"))
        return self._answered(state, deals.quoted(replace(state, talk=before), number, amount), rng)

    @tool
    def decide(self, state: SalesState, rng: TurnRng) -> Turn[SalesState]:
        """Ask the buyer to decide on the product that the talk is about, at the price quoted last."""
        before = (*state.talk, ("assistant", "(asks you to decide)"))
        return self._answered(state, deals.asked_to_decide(replace(state, talk=before), rng), rng)

    def _answered(self, before: SalesState, reaction: talk.Reaction, rng: TurnRng) -> Turn[SalesState]:
        """Return the turn of a reaction, with the user's words, and with the act that it chose."""
        state, draft = reaction.state, reaction.draft
        said = self.user.speak(Scene(self.card(state), state.talk), draft, rng)
        state = _chosen(state, said)
        state = replace(state, talk=(*state.talk, ("user", said.text)))
        turn = Turn(state, said.text, reaction.rewards, rubrics=rewards.rubrics(before, state, reaction.heard))
        if state.end:
            turn.outcome = rewards.outcome(state, reaction.heard)
            turn.metrics = rewards.metrics(state)
        return turn

    def _number(self, state: SalesState, name: str) -> int:
        """Return the number on the shelf of a product. Raises InvalidAction: there is none of this name."""
        names = [product.name for product in state.case.shelf]
        for number, known in enumerate(names):
            if known.casefold() == name.strip().casefold():
                return number
        raise InvalidAction(unknown("product", name[:60], names))

    def _shelf(self, state: SalesState) -> str:
        return ", ".join(product.name for product in state.case.shelf)

    # ---- hooks -------------------------------------------------------------------------------------------------------

    def card(self, state: SalesState) -> str:
        """Return who the buyer is, what it wants and holds back, for a user that speaks for it."""
        return text.card(state.case)

    def canonical(self, state: SalesState) -> Any:
        """Return all that decides the futures of a state."""
        return state.canonical(self.user.scripted)

    def anchor(self, state: SalesState) -> Any:
        """Return what the agent can tell apart."""
        return state.visible()

    def potential(self, state: SalesState) -> float:
        """Return the probability that the buyer buys if it is asked to decide now."""
        return 0.0 if state.end in (LEFT, LET_GO) else 1.0 if state.end == SOLD else value.chance(state)

    def expert(self, state: SalesState) -> str:
        """Return the expert's message or call."""
        return expert.step(state)[1]

    def menu(self, state: SalesState) -> Sequence[str]:
        """Return messages and calls that make sense, the expert's among them; see `menu`."""
        return menu.entries(state)

    def describe(self, state: SalesState) -> str:
        """Return what an agent knows by now."""
        return text.describe(state)

    def secrets(self, state: SalesState) -> dict[str, Any]:
        """Return what the buyer holds back, what can be sold to it, and which rules were broken."""
        return text.secrets(state.case, state.broken)

    def panels(self) -> list[tuple[TaskPanel, float | None]]:
        """Return the shipped panel, with the success of random choice."""
        return [(tasks.panel(), tasks.random_success().get("sales"))]

    def quality(self) -> list[Quality]:
        """Return what was measured of the shipped buyers, whatever this world plays; it takes a minute or two."""
        return quality.measure(type(self)())

    def exploits(self) -> dict[str, bad.Script]:
        """Return the sellers who lie and press; `bad` has more, and docs/worlds/sales-speech.md what they come to."""
        return bad.exploits()

    def pack(self, state: SalesState) -> Any:
        """Return plain values that hold the state, but for what its task says."""
        return state.pack()

    def unpack(self, value: Any) -> SalesState:
        """Return the state of such values."""
        task, *rest = value
        return SalesState.unpack(self._case(self.panel.task(task)), rest)

    def _case(self, task: Task) -> Case:
        found = self._cases.get(task.id)
        if found is None:
            found = self._cases[task.id] = tasks.case(task)
        return found


def _named(tools: Tools) -> Tools:
    """Return the tools with `decide` under the name close, which as a method's would hide Gymnasium's."""
    return Tools(
        {spec.name: spec for spec in (replace(spec, name=CLOSES.get(spec.name, spec.name)) for spec in tools.values())}
    )


CLOSES: Final = {"decide": "close"}
TOOLS: Final = _named(SalesEnv._tools)


def _chosen(state: SalesState, said: Said) -> SalesState:
    """Return the state after an act that the user chose itself; as it is where it chose none."""
    if not said.act:
        return state
    if said.act == talk.DECLINES:
        return replace(state, end="")
    ended = replace(state, end=ENDS.get(said.act, state.end))
    if ended.end == SOLD and ended.price < 0:
        return replace(ended, price=ended.case.prices[ended.product])
    return ended
