"""What a buyer does about a message: the next state, and what it is about to say; `deals` does what calls do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agentgym.envs.sales import value
from agentgym.envs.sales.buyer import DOUBTS, REASSURING, Case
from agentgym.envs.sales.hear import BUDGET, MOST_ASKED, MOST_TOLD, RIVAL, Heard, hear, to_the_point
from agentgym.envs.sales.phrases import PHRASES
from agentgym.envs.sales.speech.fluency import fluency
from agentgym.envs.sales.speech.identity import asks_machine
from agentgym.envs.sales.speech.judge import weighed
from agentgym.envs.sales.speech.repetition import repeated
from agentgym.envs.sales.state import LEFT, LET_GO, SalesState
from agentgym.envs.sales.words import DOUBT_NAMES, NAMES, Voice, capital, money
from agentgym.turn import EMPTY
from agentgym.user import Draft

ACCEPTS, DECLINES, LEAVES = "accepts", "declines", "leaves"
"""Acts that a user with a mind of its own may choose: to buy or not when asked to decide, to leave at any time."""

MOST_REASONS: Final = 2
"""Of a seller who names more of them for letting a buyer go, nobody knows why it does."""
PRESSURE: Final = "pressure"
"""A rule that a seller may break, besides those of `speech.judge`."""


NOTHING: Final = Heard()


@dataclass(frozen=True, slots=True)
class Reaction:
    """The state after a turn, what the buyer is about to say, what the turn is worth by name, and what was heard."""

    state: SalesState
    draft: Draft
    rewards: Mapping[str, float] = EMPTY
    heard: Heard = NOTHING


def opening(case: Case, manner: int) -> tuple[SalesState, str]:
    """Return the first state and message of a buyer with a manner of wording things."""
    buyer = case.buyer
    first = buyer.needs[: buyer.opens]
    state = SalesState(case, manner, buyer.patience, buyer.trust, told=frozenset(need.attribute for need in first))
    voice = Voice(case, manner, "opening")
    needs = [voice.need(need, also=index > 0) for index, need in enumerate(first)]
    if buyer.target:
        return state.but(product=0), voice.say(PHRASES["listing"], product=case.shelf[0].name)
    parts = [voice.say(PHRASES["opening"][:2]), *needs, voice.say(PHRASES["opening"][2:])]
    return state, " ".join(parts)


# ---- a message -------------------------------------------------------------------------------------------------------


def listens(state: SalesState, text: str) -> Reaction:
    """Return what the buyer does about a message."""
    case, asked = state.case, state.asks_identity
    heard = hear(case, text, state.product, state.price, state.bid, _question(state), asked)
    relevant = to_the_point(case, state.product, state.open or state.wondered, text)
    again, total, repeats, sentences = repeated(text, state.earlier)
    speech = weighed(heard.claims, fluency(text), again / total if total else 0.0, asked, heard.machine, relevant)
    broken = (*speech.broken, PRESSURE) if heard.hurry else speech.broken
    answered = asked != "" and heard.machine != ""
    denied = heard.machine == "denied"
    after, fresh = _taken_in(state, heard)
    told, nothing = _answers(after, heard)
    settled = _settled(after, heard) - after.settled if heard.facts or heard.ease else set()
    machine = heard.machine if answered or (denied and state.machine != "") else after.machine
    useful = bool(told or nothing or fresh or settled or answered or (after.product != state.product and heard.facts))
    useful = useful or after.disclosed is not state.disclosed
    trust = state.trust + 2 * sum(met for _, met in fresh) + 3 * len(settled) + (8 if answered and not denied else 0)
    trust -= 12 * heard.hurry + (0 if useful or heard.hurry else 2)
    cost = 1 + (not useful) + 2 * heard.hurry + heard.long
    after = after.but(
        told=after.told | set(told), asked=after.asked | set(nothing), settled=after.settled | settled,
        machine=machine, trust=min(max(trust, 0), 100), patience=state.patience - cost,
        broken=state.broken + broken, earlier=tuple(sorted((*state.earlier, text))),
        sentences=state.sentences + sentences, repeated=state.repeated + repeats,
    )  # fmt: skip
    if heard.parting:
        return Reaction(after.but(end=LET_GO), _parts(after, heard), speech.rewards, heard)
    after, draft = _reply(after, heard, told, nothing, fresh, settled, answered)
    return Reaction(after, draft, speech.rewards, heard)


def _taken_in(state: SalesState, heard: Heard) -> tuple[SalesState, list[tuple[str, bool]]]:
    """Return the state with what is claimed and disclosed taken in, and (attribute, whether it fits) that is new."""
    case = state.case
    product = heard.product if heard.product >= 0 else state.product
    if product != state.product:
        state = state.but(product=product, price=-1, bid=-1, wondered="")
    if heard.disclosed and not {(product, number) for number in heard.disclosed} <= state.disclosed:
        state = state.but(disclosed=state.disclosed | {(product, number) for number in heard.disclosed})
    if not heard.facts:
        return state, []
    known = state.belief(product)
    fresh: list[tuple[str, bool]] = []
    for attribute, true in heard.facts:
        if attribute in case.needs and attribute in state.told and len(fresh) < MOST_TOLD:
            fits = (attribute in case.met[product]) is true
            if known.get(attribute) is not fits:
                fresh.append((attribute, fits))
    wondered = "" if any(attribute == state.wondered for attribute, _ in heard.facts) else state.wondered
    if not fresh:
        return state if wondered == state.wondered else state.but(wondered=wondered), []
    known.update(fresh)
    others = [belief for belief in state.beliefs if belief[0] != product]
    beliefs = tuple(sorted([*others, *((product, attribute, fits) for attribute, fits in known.items())]))
    return state.but(beliefs=beliefs, wondered=wondered), fresh


def _answers(state: SalesState, heard: Heard) -> tuple[list[str], list[str]]:
    """Return what the buyer tells of what it was asked, and what it was asked about where there is nothing to tell."""
    buyer, needs = state.case.buyer, state.case.needs
    told: list[str] = []
    nothing: list[str] = []
    for topic in heard.asks:
        if topic in state.told or topic in state.asked or len(told) + len(nothing) == MOST_ASKED:
            continue
        there = topic in needs or topic == BUDGET or (topic == RIVAL and buyer.rival != "")
        (told if there else nothing).append(topic)
    if heard.wide and not told and not nothing:
        told += [topic for topic in (*needs, BUDGET) if topic not in state.told][:1]
    return told, nothing


def _settled(state: SalesState, heard: Heard) -> set[str]:
    """Return the objections that a message resolves."""
    careful = state.case.buyer.careful
    true = {attribute for attribute, right in heard.facts if right or not careful}
    beliefs = state.belief(state.product)
    met = any(beliefs.get(attribute) for attribute, _ in heard.facts)
    if state.product >= 0:
        facts = state.case.facts[state.product]
        true -= {name for name in REASSURING if name in facts and not facts[name].value}
    found = set()
    for doubt in state.case.buyer.doubts:
        ways = DOUBTS[doubt]
        eased = "no hurry" in ways and heard.ease and not heard.hurry
        shown = "worth" in ways and state.open == doubt and met
        if eased or shown or any(way in true for way in ways):
            found.add(doubt)
    return found


def _reply(
    state: SalesState, heard: Heard, told: list[str], nothing: list[str], fresh: list[tuple[str, bool]],
    settled: set[str], answered: bool,
) -> tuple[SalesState, Draft]:  # fmt: skip
    """Return the state and draft: what the buyer says about the message, then what it has to say itself."""
    voice = voice_of(state)
    if state.patience <= 0:
        return state.but(end=LEFT), Draft(voice.say(PHRASES["leaves"]), LEAVES)
    said: list[str] = []
    act = ""
    if heard.long:
        said.append(voice.say(PHRASES["lectured"]))
    if heard.hurry:
        act = "pressed"
        said.append(voice.say(PHRASES["pressed"]))
    if answered:
        act = act or "reassured"
        said.append(voice.say(PHRASES["honest"] if state.machine == "honest" else PHRASES["denied"]))
    if told or nothing:
        act = act or "tells"
        said += _told(state, voice, told, nothing)
    goes_on = not heard.hurry and bool(said or heard.facts or heard.disclosed or settled)
    state, more, follow = _goes_on(state, voice, bool(told)) if goes_on else (state, [], "")
    if not (heard.hurry or said) or fresh or settled:
        act = act or "reacts"
        said += _reactions(state, voice, heard, fresh, settled, brief=bool(more))
    if not said:
        words = PHRASES["all told" if heard.wide else "confused"]
        return state, Draft(voice.say(words), "confused", choices=(LEAVES,))
    return state, Draft(" ".join([*said, *more]), follow or act, choices=(LEAVES,))


def _told(state: SalesState, voice: Voice, told: list[str], nothing: list[str]) -> list[str]:
    """Return the answers to what the buyer was asked."""
    said = []
    for topic in told:
        if topic == BUDGET:
            target = state.case.buyer.target
            hopes = voice.say(PHRASES["target"], price=money(100 * target)) if target else ""
            said.append(hopes or voice.say(PHRASES["budget"]))
        elif topic == RIVAL:
            said.append(voice.say(PHRASES["rival"]))
        else:
            said.append(voice.need(state.case.needs[topic], also=bool(said)))
    for topic in nothing:
        said += [voice.say(PHRASES["no_rival"]) if topic == RIVAL else voice.say(PHRASES["unwanted"], topic=topic)]
    return said


def _reactions(
    state: SalesState, voice: Voice, heard: Heard, fresh: list[tuple[str, bool]], settled: set[str], *, brief: bool
) -> list[str]:
    """Return what the buyer says about facts and answers; `brief` where it has more to say of its own."""
    parts = 2 if brief else 3
    name = _name(state)
    good = [attribute for attribute, fits in fresh if fits]
    bad = [attribute for attribute, fits in fresh if not fits]
    said = []
    if settled:
        said.append(voice.say(PHRASES["settled"][:parts], product=name, doubt=DOUBT_NAMES[min(settled)]))
    elif good:
        said.append(voice.say(PHRASES["fits"][:parts], product=name, topic=good[-1]))
    if bad:
        said.append(voice.say(PHRASES["misses"][:parts], product=name, topic=bad[0]))
    if not said and (heard.facts or heard.disclosed):
        about = heard.facts[0][0] if heard.facts else ""
        said.append(voice.say(PHRASES["noted" if heard.facts else "disclosed"][:parts], product=name, topic=about))
    return said


def _goes_on(state: SalesState, voice: Voice, told: bool) -> tuple[SalesState, list[str], str]:
    """Return what the buyer says of its own accord: asks again, asks what it talks to, objects, wonders."""
    case, buyer = state.case, state.case.buyer
    if state.asks_identity:
        text = voice.say(PHRASES["still"][:1] + PHRASES["machine"][1:2])
        return state.but(machine=asks_machine(text)), [text], "asks identity"
    known = len(state.told) + len(state.beliefs)
    if buyer.curious and state.machine == "" and known >= buyer.curious:
        text = voice.say(PHRASES["machine"])
        return state.but(machine=asks_machine(text)), [text], "asks identity"
    if told or state.product < 0:
        return state, [], ""
    if state.open:
        return state, [], ""
    beliefs = state.belief(state.product)
    for doubt in buyer.doubts:
        if beliefs and doubt not in state.raised and doubt not in state.settled and doubt != "price":
            state = state.but(raised=(*state.raised, doubt))
            return state, [voice.say(PHRASES[f"doubt {doubt}"])], "objects"
    for need in buyer.needs:
        if need.attribute in state.told and need.attribute not in beliefs:
            if state.wondered == need.attribute:
                break
            wonder = _one(case.sells.topics[need.attribute].wonder, state)
            state = state.but(wondered=need.attribute)
            return state, [voice.say(PHRASES["wonder"], wonder=wonder)], "asks"
    return state, [], ""


def _parts(state: SalesState, heard: Heard) -> Draft:
    """Return what a buyer says who is let go."""
    voice = voice_of(state)
    right = rightly_let_go(state, heard)
    if not right:
        return Draft(voice.say(PHRASES["dismissed"]), LEAVES)
    reason = min(value.blocks(state.case) & set(heard.reasons))
    topic = NAMES.get(reason, reason)
    return Draft(voice.say(PHRASES["grateful"], topic=topic), LEAVES)


def rightly_let_go(state: SalesState, heard: Heard) -> bool:
    """Whether a seller lets a buyer go who cannot be won, for the reason, which the buyer told before."""
    named = value.blocks(state.case) & state.told & set(heard.reasons)
    return bool(named) and len(heard.reasons) <= MOST_REASONS


# ---- what they share -------------------------------------------------------------------------------------------------


def voice_of(state: SalesState) -> Voice:
    """Return the buyer's voice at a moment."""
    known = (
        f"{state.patience},{state.trust},{state.product},{state.price},{len(state.told)},{len(state.beliefs)},"
        f"{len(state.raised)},{len(state.settled)}"
    )
    return Voice(state.case, state.manner, known)


def _question(state: SalesState) -> str:
    """Return the buyer's question that waits for an answer, in its plainest words."""
    return f"{capital(state.case.sells.topics[state.wondered].wonder[0])}?" if state.wondered else ""


def _name(state: SalesState) -> str:
    return state.case.shelf[state.product].name if state.product >= 0 else f"this {state.case.sells.noun}"


def _one(texts: tuple[str, ...], state: SalesState) -> str:
    return texts[(state.manner + state.patience) % len(texts)]
