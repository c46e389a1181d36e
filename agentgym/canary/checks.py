"""Checks of the record: what a trainer trained on, beside what the worlds said and paid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from agentgym.canary.evidence import Trained
from agentgym.canary.report import DROPPED, KEPT, NOT_CHECKED, Line
from agentgym.canary.truth import Truth, game_of, squeezed, tickets

Pair = tuple[Trained, Truth]
Look = Callable[[Trained, Truth], str | None]
"""Looks at one rollout: what is wrong, "" for nothing, None where the rollout does not say."""

CLOSE = 1e-6
"""Rewards that differ by no more are equal: a float32 keeps 0.7 to 3e-8."""
FLAT = 1e-3
"""The largest advantage that a group of equal rewards may have; rounding before a division by a tiny ε gives 0.06."""


def each(check: str, pairs: Sequence[Pair], look: Look, needs: str = "") -> Line:
    """Return what a check of single rollouts says: the first fault, and how many rollouts have one."""
    found = [(rollout, look(rollout, truth)) for rollout, truth in pairs]
    looked = [(rollout, fault) for rollout, fault in found if fault is not None]
    wrong = [(rollout, fault) for rollout, fault in looked if fault]
    if wrong:
        rollout, fault = wrong[0]
        return Line(check, "record", DROPPED, f"{len(wrong)} of {len(looked)} rollouts; {rollout.place}: {fault}")
    if not looked:
        return Line(check, "record", NOT_CHECKED, needs or "no rollouts of a canary world")
    return Line(check, "record", KEPT, f"{len(looked)} rollouts")


# ---- texts ---------------------------------------------------------------------------------------------------------


def opening(rollout: Trained, truth: Truth) -> str | None:
    """Look for the observation of reset in what was read before the first reply."""
    if not rollout.heard:
        return "it has no reply"
    wanted = truth.observations[0]
    if squeezed(wanted) in squeezed(rollout.heard[0]):
        return ""
    return f"what was read before the first reply lacks the observation of reset, {wanted!r}"


def observations(rollout: Trained, truth: Truth) -> str | None:
    """Look for each later observation before the reply that follows it, and nowhere else."""
    for turn, heard in enumerate(rollout.heard):
        found = [one for one in tickets(heard) if turn or one.move]
        if turn == 0:
            if found:
                return f"before the first reply stands an observation of move {found[0].move}"
            continue
        if turn >= len(truth.observations):
            return f"reply {turn + 1} comes after the world's end"
        wanted = tickets(truth.observations[turn])  # none where the shell refused an empty or too long reply
        if len(found) != len(wanted):
            return f"{len(found)} observations stand before reply {turn + 1}, where {len(wanted)} should"
        if squeezed(truth.observations[turn]) not in squeezed(heard):
            right, there = truth.observations[turn], heard.strip()
            return f"before reply {turn + 1} should stand {right!r}, and there stands {there!r:.200}"
    return ""


def actions(rollout: Trained, truth: Truth) -> str | None:
    """Look for an answer that the world would not give to the reply before it: it was sent something else.

    The receipts in its texts follow from the words that it was sent. An answer that belongs to another turn is none of
    this check's business.
    """
    said = [squeezed(text) for text in truth.observations]
    for turn, heard in enumerate((*rollout.heard, rollout.after)):
        found = tickets(heard)
        if turn == 0 or turn >= len(said) or len(found) != 1:
            continue
        text = squeezed(heard)
        if found != tickets(truth.observations[turn]) and not any(one in text for one in said):
            reply, there = rollout.replies[turn - 1], heard.strip()
            return f"reply {turn} reads {reply!r:.40}, and the world's answer is to something else: {there!r:.80}"
    return ""


# ---- numbers -------------------------------------------------------------------------------------------------------


def rewards(rollout: Trained, truth: Truth) -> str | None:
    """Compare the rewards with those that were paid; with one number alone, their sum."""
    paid = truth.rewards
    if rollout.rewards is not None:
        got = list(rollout.rewards)
        if len(got) != len(paid):
            return f"it has {len(got)} rewards for {len(paid)} turns"
        wrong = next((turn for turn, pair in enumerate(zip(got, paid, strict=True)) if not same(*pair)), None)
        if wrong is None:
            return ""
        return f"turn {wrong + 1} was paid {paid[wrong]:g} and the trainer has {got[wrong]:g} (all: {shown(paid)})"
    if rollout.reward is None:
        return None
    if same(rollout.reward, truth.total):
        return ""
    parts = {"the last turn's reward alone": paid[-1:], "the first turn's reward alone": paid[:1]}
    which = next((name for name, part in parts.items() if same(rollout.reward, sum(part))), "something else")
    return f"the turns were paid {shown(paid)}, {truth.total:g} in all, and the trainer has {rollout.reward:g}: {which}"


def same(one: float, other: float) -> bool:
    """Return whether two rewards are equal but for rounding."""
    return abs(one - other) <= CLOSE * max(1.0, abs(other))


def shown(numbers: Sequence[float]) -> str:
    """Return numbers in a line."""
    return ", ".join(f"{number:g}" for number in numbers)


def truncation(rollout: Trained, truth: Truth) -> str | None:
    """Compare the flag."""
    if rollout.truncated is None or not (truth.truncated or truth.terminated):
        return None
    if rollout.truncated is truth.truncated:
        return ""
    words = {True: "cut (truncated)", False: "ended by its rules (terminated)"}
    return f"it was {words[truth.truncated]} and the trainer holds it to be {words[rollout.truncated]}"


def outages(rollout: Trained, truth: Truth) -> str | None:
    """Refuse a rollout that an error of the infrastructure ended."""
    if truth.reason != "infra_error":
        return ""
    return f"game {truth.seed} ended with infra_error and was trained on: leave it out, and count it"


# ---- groups --------------------------------------------------------------------------------------------------------


def members(pairs: Sequence[Pair]) -> Iterator[list[Pair]]:
    """Yield the groups that the trainer names."""
    groups: dict[Hashable, list[Pair]] = defaultdict(list)
    for rollout, truth in pairs:
        if rollout.group is not None:
            groups[truth.world, rollout.group].append((rollout, truth))
    yield from groups.values()


def groups(rollouts: Sequence[Trained]) -> Line:
    """Check that a group is of one game."""
    named: dict[Hashable, list[Trained]] = defaultdict(list)
    for rollout in rollouts:
        if rollout.group is not None and game_of(rollout) is not None:
            named[rollout.group].append(rollout)
    many = [group for group in named.values() if len(group) > 1]
    for group in many:
        games = {game[:2] for rollout in group if (game := game_of(rollout)) is not None}
        if len(games) > 1:
            (one, first), (other, second) = sorted(games)[:2]
            found = f"{one} game {first} and {other} game {second}"
            return Line("groups", "record", DROPPED, f"group {group[0].group!r:.40} holds {found}")
    if not many:
        return Line("groups", "record", NOT_CHECKED, "needs group, and groups of at least two rollouts")
    return Line("groups", "record", KEPT, f"{len(many)} groups")


def counted(rollout: Trained, truth: Truth) -> float:
    """Return what a rollout earned by the trainer's own count, so that a wrong reward is told once, as such."""
    if rollout.rewards is not None:
        return sum(rollout.rewards)
    return truth.total if rollout.reward is None else rollout.reward


def advantage(rollout: Trained) -> float | None:
    """Return the mean advantage of what was trained on."""
    given = rollout.advantages
    if given is None or not isinstance(given, Sequence):
        return given
    values = list(given)
    if rollout.mask is not None and len(rollout.mask) == len(values):
        values = [value for value, mask in zip(given, rollout.mask, strict=True) if mask]
    return sum(values) / len(values) if values else 0.0


def constant(pairs: Sequence[Pair]) -> Line:
    """Check that groups of equal rewards have no advantages."""
    looked = 0
    for group in members(pairs):
        totals = [counted(*pair) for pair in group]
        if len(group) < 2 or max(totals) - min(totals) > CLOSE:
            continue
        for rollout, _ in group:
            given = rollout.advantages
            values = list(given) if isinstance(given, Sequence) else [] if given is None else [given]
            looked += bool(values)
            worst = max(map(abs, values), default=0.0)
            if worst > FLAT:
                what = f"every reward of its group is {totals[0]:g} and its advantage is {worst:g}"
                return Line("constant", "record", DROPPED, f"{rollout.place}: {what}")
    if not looked:
        return Line("constant", "record", NOT_CHECKED, "needs advantages and group, and a group of equal rewards")
    return Line("constant", "record", KEPT, f"{looked} rollouts")


def credit(pairs: Sequence[Pair]) -> Line:
    """Check that advantages rise with what was earned, over all groups together."""
    product, looked, zero = 0.0, 0, 0
    for group in members(pairs):
        values = [(advantage(rollout), counted(rollout, truth)) for rollout, truth in group]
        kept = [(value, total) for value, total in values if value is not None]
        mean = sum(total for _, total in kept) / max(len(kept), 1)
        for value, total in kept:
            if abs(total - mean) > CLOSE:
                looked += 1
                zero += value == 0.0
                product += value * (total - mean)
    if not looked:
        return Line("credit", "record", NOT_CHECKED, "needs advantages and group, and a group whose rewards differ")
    if product <= 0.0:
        why = "all of them are 0" if zero == looked else "they do not rise with what the rollouts earned"
        return Line("credit", "record", DROPPED, f"the advantages of {looked} rollouts: {why}")
    return Line("credit", "record", KEPT, f"{looked} rollouts")
