"""Checks of the ids: which of them are trained on, and whether they are those that were sampled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agentgym.canary.evidence import PER_ID, Trained
from agentgym.canary.truth import Truth, squeezed

RATIO: Final = 0.05
"""The most that log-probabilities may differ on average; float32 engines differ by 1e-5, bfloat16 ones by 0.02."""
_SPECIAL: Final = re.compile(r"<[^<>]*>|\[/?[A-Z_]+\]|\W")
"""What may stand beside a reply: markers of a template, punctuation."""


def lengths(rollout: Trained, truth: Truth) -> str | None:
    """Compare the numbers of ids, pieces, mask, log-probabilities and advantages."""
    counts = {name: len(value) for name in PER_ID if (value := getattr(rollout, name)) is not None}
    if isinstance(rollout.advantages, list | tuple):
        counts["advantages"] = len(rollout.advantages)
    if len(counts) < 2:
        return None
    return "" if len(set(counts.values())) == 1 else ", ".join(f"{many} {name}" for name, many in counts.items())


def mask(rollout: Trained, truth: Truth) -> str | None:
    """Look for words in what is trained on that the policy did not write."""
    if not whole(rollout):
        return None
    left = list(map(squeezed, rollout.replies))
    for span in spans(rollout):
        text = squeezed(span)
        while left and left[0] in text:  # a span may hold several replies where nothing stands between; "" is in all
            text = text.replace(left.pop(0), " ", 1)
        rest = _SPECIAL.sub("", text)
        if rest and not any(rest in reply for reply in left):
            return f"the loss counts {span.strip()!r:.80}, which the policy did not write"
    return ""


def replies(rollout: Trained, truth: Truth) -> str | None:
    """Look for every reply in what is trained on."""
    if not whole(rollout):
        return None
    text = squeezed("".join(spans(rollout)))
    for turn, reply in enumerate(rollout.replies):
        at = text.find(squeezed(reply))
        if at < 0:
            return f"reply {turn + 1} of {len(rollout.replies)}, {reply!r:.40}, does not count in the loss"
        text = text[at + len(squeezed(reply)) :]
    return ""


def sampled(rollout: Trained, truth: Truth) -> str | None:
    """Look for the ids that the sampler returned, turn after turn, among those that went into the loss."""
    if rollout.sampled is None or rollout.ids is None:
        return None
    turn, at = _found(rollout.ids, rollout.sampled)
    if turn == len(rollout.sampled):
        return ""
    drawn, there = list(rollout.sampled[turn])[:8], list(rollout.ids[at:])[:24]
    return f"the sampler returned {drawn} in turn {turn + 1} and {there} … follow: was the text encoded again?"


def _found(ids: Sequence[int], turns: Sequence[Sequence[int]]) -> tuple[int, int]:
    """Return how many turns stand in the ids as they were sampled, and where the last of them ends."""
    at = 0
    for number, drawn in enumerate(turns):
        wanted, last = list(drawn), len(ids) - len(drawn)
        begin = next((k for k in range(at, last + 1) if list(ids[k : k + len(wanted)]) == wanted), -1)
        if begin < 0:
            return number, at
        at = begin + len(wanted)
    return len(turns), at


def ratio(rollout: Trained, truth: Truth) -> str | None:
    """Compare the log-probabilities of the policy's own ids."""
    old, new, mask = rollout.logprobs, rollout.rescored, rollout.mask
    if old is None or new is None or mask is None or not len(old) == len(new) == len(mask) or sampled(rollout, truth):
        return None
    gaps = [abs(a - b) for a, b, counts in zip(old, new, mask, strict=True) if counts and a]
    if sum(gaps) <= RATIO * len(gaps):
        return ""
    average = sum(gaps) / len(gaps)
    return f"they differ by {average:.3f} on average and {max(gaps):.3f} at most: temperature, top-p, other weights?"


def whole(rollout: Trained) -> bool:
    """Return whether pieces and mask are there, and equally many."""
    return rollout.pieces is not None and rollout.mask is not None and len(rollout.pieces) == len(rollout.mask)


def spans(rollout: Trained) -> Iterator[str]:
    """Yield the text of each run of ids that the loss counts."""
    run: list[str] = []
    for piece, counts in zip(rollout.pieces or (), rollout.mask or (), strict=True):
        if counts:
            run.append(piece)
        elif run:
            yield "".join(run)
            run = []
    if run:
        yield "".join(run)
