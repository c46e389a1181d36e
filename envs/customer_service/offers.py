"""What may be put on a menu: for every kind of act, what fits in a state first, then its near misses.

Nothing is on offer before an agent can know of it: the right write not before what it needs was told and looked up, a
right figure not before it was looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, zip_longest
from typing import Final
from zlib import crc32

from agentgym.envs.customer_service import plan
from agentgym.envs.customer_service.catalog import catalog
from agentgym.envs.customer_service.expert import pushes, slots_of, worded
from agentgym.envs.customer_service.misses import adapted, is_known, near_calls, other_facts, other_tells, slip
from agentgym.envs.customer_service.plan import Step
from agentgym.envs.customer_service.sheet import AGENT, CUSTOMER, Call, Goal, Tell
from agentgym.envs.customer_service.state import Case, ServiceState
from agentgym.rng import TurnRng

Entry = str | Call

SHORT: Final = ("So {told}?", "I have noted {told}.", "You said {told}.")
LONG: Final = (
    "Let me see whether I have it all: you said that it is {told}, and this is what I have here now. Is that right?",
    "Thank you. What I have from you so far is {told}; please tell me if that is not what you said to me.",
    "So you want me to go by {told}. If there is more to it that I should know about, please let me know now.",
)
NOTHING: Final = (
    "I see. One moment.",
    "I see what you want from me. Let me have a look at it, and I will be back with you in a moment.",
)


@dataclass(frozen=True)
class Scene:
    """What the entries of a state are made of.

    Attributes:
        state: the state.
        case: its task.
        goal: what the talk is about.
        number: the goal's number; −1: none.
        count: how often the customer was put off.
        lacking: facts that have to be known and were not told.
        reads: the agent's look-ups that are left, those by which the customer is found among them.
    """

    state: ServiceState
    case: Case
    goal: Goal | None
    number: int
    count: int
    lacking: tuple[str, ...]
    reads: tuple[Call, ...]

    @property
    def ready(self) -> bool:
        """Whether all is known that the goal needs."""
        return not self.lacking and not self.reads

    @property
    def moment(self) -> str:
        """What tells this moment of the goal from others."""
        return f"{len(self.state.called)} {len(self.state.customer.told)} {self.count}"

    @property
    def has_tools(self) -> bool:
        """Whether the goal is one of the customer's own tools."""
        calls = () if self.goal is None else (*self.goal.gold, *self.goal.reads)
        return any(call.side == CUSTOMER for call in calls)

    def rng(self, what: str) -> TurnRng:
        """Return draws that belong to a goal of a task."""
        return TurnRng(crc32(self.case.task.encode()), stream=f"menu {self.number} {what}")

    def said(self, step: Step, goal: Goal | None = None) -> Iterator[str]:
        """Yield a step's message; nothing where the voice has no text that fits."""
        try:
            line = worded(self.case, goal or self.goal, step, self.count)
        except KeyError:
            return
        if isinstance(line, str):
            yield line


def scene_of(state: ServiceState) -> Scene:
    """Return what the entries of a state are made of."""
    case, goal = state.case, state.goal
    number = -1 if goal is None else state.number
    unknown = [call for call in case.sheet.identify if not plan.was_called(state, call)]
    needed = plan.identity_facts(case) if unknown else () if goal is None else plan.needed_facts(case, goal)
    looked = [call for call in (goal.reads if goal else ()) if not plan.was_called(state, call)]
    left = tuple(call for call in (*unknown, *looked) if call.side == AGENT)
    return Scene(state, case, goal, number, pushes(state), plan.missing(state, needed), left)


@dataclass(frozen=True)
class _Drawn:
    """What is drawn once for each goal of a task: the order of what is wrong, and goals with a wrong detail."""

    asks: tuple[str, ...]
    tools: tuple[str, ...]
    reasons: tuple[str, ...]
    misses: tuple[Goal, ...]
    others: tuple[Goal, ...]
    turn: int


@lru_cache(maxsize=4096)
def _drawn(case: Case, number: int) -> _Drawn:
    rng, voice = _draws(case, number, "orders"), case.domain.voice
    goal = None if number < 0 else case.goals[number]
    slots = {slot for text in voice.proposes.get(goal.intent if goal else "", ()) for slot in slots_of(text)}
    misses = [replace(goal, facts=facts) for facts in other_facts(case, goal, slots, rng)] if goal else []
    intents = rng.shuffled(list(voice.proposes))[:3]
    return _Drawn(
        tuple(rng.shuffled(list(voice.asks))),
        tuple(rng.shuffled([name for name, tool in case.domain.tools.items() if tool.side == CUSTOMER])),
        tuple(rng.shuffled(list(voice.refuses))),
        tuple(rng.shuffled(misses)[:3]),
        tuple(replace(goal, intent=intent) for intent in intents) if goal else (),
        rng.integers(12),
    )


# ---- pools: what fits comes first, then its twin ---------------------------------------------------------------------


def _asks(scene: Scene) -> Iterator[str]:
    """Yield questions: for what is still to be known, for that with another thing in it, for other things."""
    others = [fact for fact in _drawn(scene.case, scene.number).asks if fact not in scene.lacking][:3]
    for asked in (scene.lacking, *((*scene.lacking[:-1], fact) for fact in others), *((fact,) for fact in others)):
        if asked:
            yield from scene.said(Step(plan.ASK, asked))


def _reads(scene: Scene) -> Iterator[Call]:
    """Yield look-ups: the next one to make, its twin, a twin of that, and others about what the talk is about."""
    others = _other_reads(scene.case, scene.number)
    if scene.reads:
        yield scene.reads[0]
        yield from _beside(scene.case, scene.number, _due(scene.case, scene.number).index(scene.reads[0]))
    yield from others


def _due(case: Case, number: int) -> list[Call]:
    """Return the agent's look-ups that a goal needs, those by which the customer is found first."""
    reads = () if number < 0 else case.goals[number].reads
    return [call for call in (*case.sheet.identify, *reads) if call.side == AGENT]


@lru_cache(maxsize=8192)
def _beside(case: Case, number: int, place: int) -> tuple[Call, ...]:
    """Return what stands beside a look-up that is due: its twin and a twin of that, or others."""
    right, rng, others = _due(case, number)[place], _draws(case, number, f"reads {place}"), _other_reads(case, number)
    apart = len(right.arguments) == 1 and others and rng.random() < 0.5  # a longer call needs a twin of its length
    centre = others[0] if apart else next(iter(near_calls(case, right, rng)), right)
    return (centre, *[call for call in near_calls(case, centre, rng) if call != right][:1])


@lru_cache(maxsize=4096)
def _other_reads(case: Case, number: int) -> tuple[Call, ...]:
    """Return look-ups about what the talk is about, which the goal does not need, then those that it does."""
    goal, mine = None if number < 0 else case.goals[number], _due(case, number)
    rng = _draws(case, number, "other reads")
    near = [other for call in reversed(mine) if is_known(case, call) for other in near_calls(case, call, rng)[:2]]
    fitted = [adapted(case, call, goal, rng) for call in rng.shuffled(catalog(case.domain).reads)]
    able = [call for call in fitted if call.side == AGENT and is_known(case, call)]
    found = [call for pair in zip_longest(able, near) for call in pair if call is not None]
    return (*(call for call in found if call not in mine), *reversed(mine))


def _writes(scene: Scene) -> Iterator[Call]:
    """Yield writes: the next one to make, once all is known that it needs, and near misses of it."""
    goal = scene.goal
    gold = () if goal is None else tuple(call for call in goal.due if call.side == AGENT)
    left = [] if goal is None else plan.writes_left(scene.state, goal, scene.number)
    here = next((call for call in left if call.side == AGENT), gold[-1] if gold else None)
    if here is not None and scene.ready:
        yield here
    yield from _near_writes(scene.case, scene.number, gold.index(here) if here in gold else -1)


@lru_cache(maxsize=8192)
def _near_writes(case: Case, number: int, place: int) -> tuple[Call, ...]:
    """Return near misses of the gold write at a place (−1: none), and writes that others ask for.

    Those that the tools would carry out come first: the others do no harm.
    """
    goal, rng = None if number < 0 else case.goals[number], _draws(case, number, f"writes {place}")
    known = catalog(case.domain).writes
    same = [call for call in known.get(goal.intent if goal else "", ()) if call.side == AGENT]
    every = [call for intent in known for call in known[intent] if call.side == AGENT]
    fitted = [adapted(case, call, goal, rng) for call in (*same, *rng.shuffled(every))]
    gold = [] if goal is None or place < 0 else [call for call in goal.due if call.side == AGENT][place : place + 1]
    near = [*(other for call in gold for other in near_calls(case, call, rng)), *fitted]
    able = {id(call): not case.domain.call(case.start, call).error for call in near}
    return tuple(call for call in sorted(near, key=lambda call: not able[id(call)]) if call not in case.golds)


def _draws(case: Case, number: int, what: str) -> TurnRng:
    return TurnRng(crc32(case.task.encode()), stream=f"menu {number} {what}")


def _instructions(scene: Scene) -> Iterator[str]:
    """Yield requests to use a tool of the customer's own, that which is due first."""
    goal = scene.goal
    left = () if goal is None else plan.writes_left(scene.state, goal, scene.number)
    others = [Call(name, {}, CUSTOMER) for name in _drawn(scene.case, scene.number).tools]
    for call in chain([call for call in left if call.side == CUSTOMER][:1], others):
        yield from scene.said(Step(plan.INSTRUCT, call=call))


def _proposals(scene: Scene) -> Iterator[str]:
    """Yield questions for a yes: to what is asked for, to that with another detail, to something else."""
    goal = scene.goal
    if goal is None:
        return
    drawn, tells = _drawn(scene.case, scene.number), plan.tells_now(scene.state, goal)
    right, wrong = Step(plan.PROPOSE, tells=tells), Step(plan.PROPOSE, tells=_wrong(scene, tells))
    options = [(right, which) for which in drawn.misses] + ([(wrong, goal)] if tells else [])
    options = options[drawn.turn % max(len(options), 1) :] + options[: drawn.turn % max(len(options), 1)]
    if scene.ready or not tells:
        options.insert(0 if scene.ready else drawn.turn % 2, (right, goal))
    for step, which in (*options, *((Step(plan.PROPOSE), which) for which in drawn.others)):
        yield from scene.said(step, which)


def _wrong(scene: Scene, tells: Sequence[Tell]) -> tuple[Tell, ...]:
    return other_tells(scene.case, tells, scene.rng(f"tells {len(tells)}"))


def _refusals(scene: Scene) -> Iterator[str]:
    """Yield refusals: for the right reason if there is one, then for others."""
    goal = scene.goal
    right = [goal.reason] if goal is not None and goal.reason else []
    told = plan.tells_now(scene.state, goal) if goal is not None and scene.ready else ()
    for reason in dict.fromkeys([*right, *_drawn(scene.case, scene.number).reasons]):
        yield from scene.said(Step(plan.REFUSE, reason=reason, tells=told))


def _reports(scene: Scene) -> Iterator[str]:
    """Yield what is said once something is done, with a right figure once that was looked up, and with a wrong one."""
    if scene.goal is not None:
        tells, first = scene.goal.tells, _drawn(scene.case, scene.number).turn % 2
        told = [_wrong(scene, tells), tells] if scene.ready else [_wrong(scene, tells)]
        for which in (*told[first:], *told[:first]):
            yield from scene.said(Step(plan.DONE, tells=which))
    more = worded(scene.case, None, Step(plan.MORE), scene.count)
    assert isinstance(more, str)
    yield more


def _echoes(scene: Scene) -> Iterator[str]:
    """Yield repetitions of what the customer told, right or with a slip."""
    facts = {**scene.case.sheet.facts, **(scene.goal.facts if scene.goal else {})}
    told = [value for fact, value in facts.items() if fact in scene.state.customer.told]
    rng = scene.rng(f"echoes {scene.moment}")
    if told:
        wrong = slip(told, rng) or told
        yield rng.choice(SHORT).format(told=listed(rng.choice([told, wrong])))
        yield rng.choice(LONG).format(told=listed(rng.choice([told, wrong])))
    yield from NOTHING


def listed(values: Sequence[str]) -> str:
    """Return values as a list in a sentence."""
    return " and ".join([*([", ".join(values[:-1])] if len(values) > 1 else []), values[-1]])


POOLS: Final[Mapping[str, Callable[[Scene], Iterable[Entry]]]] = {
    "ask": _asks,
    "read": _reads,
    "propose": _proposals,
    "write": _writes,
    "instruct": _instructions,
    "refuse": _refusals,
    "report": _reports,
    "echo": _echoes,
}
