"""One turn of a customer: from what was heard to what is decided and said."""

from __future__ import annotations

import re
from typing import Final

from agentgym.envs.customer_service.customer.figures import names_another
from agentgym.envs.customer_service.customer.hear import ear_of, hear
from agentgym.envs.customer_service.customer.plan import Step, plan_of, used
from agentgym.envs.customer_service.customer.say import Speaker
from agentgym.envs.customer_service.customer.sentences import BULLET, fold
from agentgym.envs.customer_service.customer.state import DROPPED, REFUSED, SERVED, CustomerState, Reaction, View
from agentgym.envs.customer_service.customer.telling import plain, tells
from agentgym.envs.customer_service.domain import Domain, Reply
from agentgym.envs.customer_service.sheet import CUSTOMER, Call, Sheet

REASONS: Final = 2  # more at once are not understood
LED: Final = 2  # sentences that lead up to a question for a yes
STEPS: Final = 3  # instructions that are carried out at once

_REGRETS: Final = re.compile(r"\b(?:sorry|apologi[sz]e|unfortunately|disappointing|regret|afraid|only able to)\b", re.I)
_LINKED: Final = re.compile(  # a request that takes up what was said before by itself
    r"(?:then|so|ok|okay|all right|fine|very well|right|hm|a pity|in that case|oh|hold on|actually|sorry|wait)\b", re.I
)


class Turn:
    """The customer's answer to one message; `reaction` gives it.

    The fields of the state are taken apart here, changed by the moves, and put together again.
    """

    def __init__(self, domain: Domain, sheet: Sheet, state: CustomerState, text: str, view: View) -> None:
        self.domain, self.sheet, self.before, self.view, self.text = domain, sheet, state, view, text
        self.plan = plan_of(domain.words, sheet)
        self.goal, self.depth, self.told, self.said = state.goal, state.depth, state.told, state.said
        self.offered, self.agreed, self.yielded, self.pushed = state.offered, state.agreed, state.yielded, state.pushed
        self.used, self.idle = state.used, state.idle
        self.patience, self.results, self.ended = state.patience, state.results, False
        self.database = view.database
        self.heard = hear(domain.words, text)
        self.parts: list[str] = []
        self.faults: tuple[str, ...] = ()
        mark = f"{state.goal}.{state.depth}.{len(state.told)}.{state.pushed}.{state.idle}.{state.patience}"
        self.speaker = Speaker(domain.words, sheet.mood, state.manner, f"{mark}.{len(state.said)}.{state.agreed:d}")

    def reaction(self) -> Reaction:
        """Decide, and return the outcome."""
        step = self.plan[self.goal][self.depth]
        heard_now = self._listen(step)
        answered = self._answer(step)
        kind = self._decide(step, answered, heard_now)
        if self.patience <= 0 and not self.ended:
            self.ended = True
            self.parts.append(self.speaker.phrase("leave"))
        state = CustomerState(
            self.before.manner, self.goal, self.depth, self.told, self.said, self.offered, self.agreed, self.yielded,
            self.pushed, self.used, self.idle, self.patience, self.results, self.ended,
        )  # fmt: skip
        return Reaction(state, " ".join(part for part in self.parts if part), self.database, kind, self.faults)

    def _decide(self, step: Step, answered: bool, told_now: bool) -> str:
        heard, goal = self.heard, step.goal
        settled = self.yielded or (self.view.served and not goal.reason and not goal.change)
        missing = self._missing(step)
        if settled and not missing and (not answered or self.goal + 1 < len(self.plan) or self._follows(step)):
            return self._settle(step, REFUSED if self.yielded else SERVED)
        if heard.instructs and self._instructed(step):
            return "instruction"
        if settled and (goal.gold or self.yielded):
            return self._ask_missing(step, missing, answered, told_now) if missing else "asks"
        self._note_offer(step)
        unasked = bool(goal.change) and heard.claims and self._claims(step)  # done before a yes was asked for
        fits = heard.proposes and self._fits(step) and not self._differs(step)
        if (heard.refuses or self._gives_reason(step)) and not unasked and self._is_refusal(step, fits, answered):
            return self._refused(step, answered)
        if unasked or (heard.proposes and (fits or goal.change or not answered)):
            return self._proposed(step, fits, missing, told_now)
        if answered:
            return "asks"
        return self._otherwise(step, missing, told_now)

    def _otherwise(self, step: Step, missing: list[int], told_now: bool) -> str:
        """Take a message that neither settles, proposes, refuses nor asks for facts."""
        heard, speaker = self.heard, self.speaker
        if told_now:
            return self._ask_missing(step, missing, True, True) if missing else self._nods("tell")
        if heard.claims and self._claims(step):
            if step.goal.gold:
                self.faults = ("false_claim",)
            return self._in_vain("claim", speaker.phrase("unseen"))
        if heard.lost or heard.wonders:
            return self._idly("lost" if heard.lost else "wish", speaker.wants(step))
        if heard.waits:
            return self._idly("wait", speaker.phrase("wait"))
        if self.offered and heard.plans:
            return self._idly("offer", speaker.reminds(step))
        if heard.offers_more:
            return self._in_vain("more", speaker.reminds(step))
        if not self.text.strip():
            return self._in_vain("silence", speaker.phrase("silence"))
        if missing and not step.goal.gold and not step.goal.reason:
            return self._in_vain("missing", speaker.phrase("unclear"), speaker.asks(step, missing))
        return self._in_vain("unclear", speaker.phrase("unclear"), speaker.reminds(step))

    def _listen(self, step: Step) -> bool:
        """Note what the message tells; whether it told something that was missing."""
        missing = self._missing(step)
        if not missing:
            return False
        folded = self.heard.folded.replace(",", "")
        found = frozenset((step.number, place) for place in missing if tells(folded, step.tells[place]))
        self.said |= found
        return bool(found)

    def _missing(self, step: Step) -> list[int]:
        if not step.tells:
            return []
        return [place for place in range(len(step.tells)) if (step.number, place) not in self.said]

    def _answer(self, step: Step) -> bool:
        """State the facts that are asked for; whether there were any."""
        asks = self.heard.asks
        if not asks:
            return False
        known = {fact: step.facts[fact] for fact in asks if fact in step.facts}
        again = self.told.issuperset(asks)
        self.parts.append(self.speaker.phrase("as_said" if again else "sure"))
        self.parts += self.speaker.states(known)
        if len(known) < len(asks):
            others = [fact for fact in asks if fact not in known]
            forgotten = [fact for fact in others if fact in self.sheet.unknown]
            nothing = [fact for fact in others if fact not in self.sheet.unknown]
            self.parts += [
                self.speaker.lacks(key, some) for key, some in (("forgot", forgotten), ("nothing", nothing)) if some
            ]
        self.told = self.told.union(asks)
        if again and not (self.heard.lost or self.heard.proposes):
            self.patience -= 1
        return True

    def _settle(self, step: Step, result: str) -> str:
        if result == SERVED:
            self.parts.append(self.speaker.phrase("thanks"))
        self._advance(step, result)
        return "goodbye" if self.ended else "settled"

    def _follows(self, step: Step) -> bool:
        return step.goal.fallback is not None and self.yielded

    def _advance(self, step: Step, result: str) -> None:
        """Go on to the fallback, the next goal, or the end."""
        self.results = (*self.results, result)
        if result == REFUSED and step.goal.fallback is not None:
            self._open(self.goal, self.depth + 1, "instead")
        elif self.goal + 1 < len(self.plan):
            self._open(self.goal + 1, 0, "next")
        else:
            self.goal, self.depth, self.ended = len(self.plan), 0, True
            self.offered = self.agreed = self.yielded = False
            self.pushed = self.idle = 0
            self.parts.append(self.speaker.phrase("bye"))

    def _open(self, goal: int, depth: int, phrase: str) -> None:
        """Come out with another goal."""
        step = self.plan[goal][depth]
        own = self.told - self.plan[self.goal][self.depth].goal.facts.keys()
        self.told = frozenset(fact for fact in own if fact not in step.goal.facts).union(step.opens)
        self.goal, self.depth = goal, depth
        self.offered = self.agreed = self.yielded = False
        self.pushed = self.idle = 0
        wants = self.speaker.wants(step)
        self.parts += (wants,) if phrase != "next" and _LINKED.match(wants) else (self.speaker.phrase(phrase), wants)

    def _proposed(self, step: Step, fits: bool, missing: list[int], told_now: bool) -> str:
        """Answer a question for a yes."""
        if step.goal.change is not None:
            if missing:
                return self._ask_missing(step, missing, True, told_now)
            self._open(self.goal, self.depth + 1, "changed")
            return "changed"
        if fits:
            self.agreed = True
            self.parts.append(self.speaker.phrase("yes"))
            return "agreed"
        if self.heard.either and step.goal.intent in self.heard.agreed:
            return self._idly("either", self.speaker.phrase("either") + " " + self.speaker.wants(step))
        return self._in_vain("declined", self.speaker.phrase("no"), self.speaker.reminds(step))

    def _is_about(self, step: Step) -> bool:
        """Whether a message names no foreign id, and no other value of a choice than the goal's."""
        heard = self.heard
        if heard.names - step.names:
            return False
        named = ((value, heard.values.get(fact)) for fact, value in step.choices)
        return all(not some or value in some for value, some in named)

    def _fits(self, step: Step) -> bool:
        """Whether a proposal is the goal's: its act or a value of it, no foreign id, no other value of a choice."""
        heard = self.heard
        if not self._is_about(step):
            return False
        if heard.refuses and step.goal.reason and heard.points:  # "I can't, but I could …": something else is offered
            return False
        if heard.agreed:
            return step.goal.intent in heard.agreed and not heard.either
        if step.goal.intent in heard.acts or heard.refuses:
            return step.goal.intent in heard.acts
        if step.tells and not step.goal.gold and not step.goal.reason:  # who only asks does not want anything done
            return False
        if self.before.offered and not heard.acts:
            return True
        folded = self.heard.folded
        return any(value in folded for value in step.values)

    def _note_offer(self, step: Step) -> None:
        """Keep in mind whether what the message says that the agent can or will do is what is wanted."""
        heard = self.heard
        if heard.plans:
            fits = step.goal.intent in heard.plans and self._is_about(step)
            self.offered = fits and not self._differs(step)
        elif heard.refuses or heard.claims:
            self.offered = False

    def _differs(self, step: Step) -> bool:
        """Whether the sentences that propose, or say what is proposed, name another figure than the goal's."""
        if not step.shapes:
            return False
        folded = self.heard.folded
        sentences = self.heard.said.sentences
        asked = {place for place, sentence in enumerate(sentences) if sentence.endswith("?")}
        led = {place - back for place in asked for back in range(LED + 1)}
        about = [
            sentence
            for place, sentence in enumerate(sentences)
            if place in led or sentence.startswith(BULLET) or step.goal.intent in self.heard.doing.keys(sentence)
        ]
        return names_another(about, folded, step.shapes)

    def _gives_reason(self, step: Step) -> bool:
        """Whether a message regrets what policy forbids and names the reason, or names it again after a push."""
        heard, reason = self.heard, step.goal.reason
        if not reason or heard.asks or step.goal.intent in heard.agreed:
            return False
        if not (_REGRETS.search(self.text) or (self.pushed and not heard.proposes)):
            return False
        return reason in ear_of(self.domain.words).reasons(self.text)

    def _is_refusal(self, step: Step, fits: bool, answered: bool) -> bool:
        """Whether a message that says that something cannot be done is a refusal of the goal."""
        if step.goal.reason and (self.heard.reasons or not self.heard.refuses):
            return True
        return not fits and (not answered or bool(self.heard.reasons))

    def _refused(self, step: Step, answered: bool) -> str:
        goal, speaker = step.goal, self.speaker
        reasons = self.heard.reasons or ear_of(self.domain.words).reasons(self.text)
        if not goal.reason:
            self.faults = ("refused_allowed",)
            if self.pushed < max(1, goal.insist) or answered:
                return self._push(step)
            self.parts.append(speaker.phrase("drop"))
            self._advance(step, DROPPED)
            return "dropped"
        if not step.looks <= self._looked():
            return self._in_vain("doubted", speaker.phrase("unlooked"))
        if not reasons:
            return self._in_vain("why", speaker.phrase("why"))
        if len(reasons) > REASONS:
            return self._in_vain("unclear", speaker.phrase("many"))
        if goal.reason not in reasons:
            return self._in_vain("doubted", speaker.phrase("doubt"))
        if self.pushed < goal.insist:
            return self._push(step)
        self.yielded = True
        self.parts.append(speaker.phrase("give_in"))
        missing = self._missing(step)
        if missing:
            self.parts += (speaker.phrase("missing"), speaker.asks(step, missing))
        elif not answered or self.goal + 1 < len(self.plan) or self._follows(step):
            self._advance(step, REFUSED)
        return "gave_in"

    def _push(self, step: Step) -> str:
        self.parts.append(self.speaker.pushes(step))
        self.pushed += 1
        return "pushed"

    def _looked(self) -> frozenset[str]:
        return frozenset(map(fold, self.view.looked))

    def _instructed(self, step: Step) -> bool:
        """Use the customer's own tools as told; False where it has none of them.

        What the goal does not use is used too, on what is the customer's: told the wrong thing, customers do it.
        """
        tools = self.domain.tools
        named = [tool for tool in self.heard.instructs if tool in tools and tools[tool].side == CUSTOMER]
        if not named:
            return False
        if len(named) > STEPS:
            self._in_vain("instruction", self.speaker.phrase("busy"))
            return True
        before, shown = self.database, self.used
        for tool in named:
            reply = self._use(step, tool)
            self.database = reply.database
            self.used |= {(tool, reply.text)}
            if reply.error:
                self.parts.append(self.speaker.phrase("unable"))
            else:
                self.parts.append(self.speaker.reports(tool, plain(reply.text)))
        if self.used == shown and self.database == before:
            self._idly("instruction")
        return True

    def _use(self, step: Step, tool: str) -> Reply:
        """Call a tool of the customer's own: as the goal has it, the first way that still changes anything."""
        own = dict.fromkeys(self.domain.tools[tool].spec.parameters["required"], self.sheet.customer)
        for arguments in used(step.goal, tool, CUSTOMER) or (own,):
            reply = self.domain.call(self.database, Call(tool, arguments, CUSTOMER))
            if reply.database != self.database:
                break
        return reply

    def _claims(self, step: Step) -> bool:
        """Whether what is claimed to be done may be the goal at hand."""
        heard = self.heard
        if heard.names and not heard.names & step.names:
            return False
        return not heard.done or step.goal.intent in heard.done

    def _ask_missing(self, step: Step, missing: list[int], free: bool, told_now: bool) -> str:
        texts = (self.speaker.phrase("noted" if told_now else "missing"), self.speaker.asks(step, missing))
        if free or told_now:
            self.parts += texts
            return "missing"
        return self._idly("missing", *texts)

    def _nods(self, kind: str) -> str:
        self.parts.append(self.speaker.phrase("noted"))
        return kind

    def _idly(self, kind: str, *texts: str) -> str:
        """Bear a message that brings nothing: the first for a goal is free."""
        self.idle += 1
        if self.idle > 1:
            self.patience -= 1
        self.parts += texts
        return kind

    def _in_vain(self, kind: str, *texts: str) -> str:
        self.patience -= 1
        self.parts += texts
        return kind
