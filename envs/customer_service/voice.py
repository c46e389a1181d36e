"""Voice: what the expert of a domain says. No customer's rule imports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Texts = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Voice:
    """The expert's words; every entry has several texts, of which one is drawn.

    Attributes:
        asks: fact → a question for it.
        proposes: intent → what is going to be done and a question for a yes, with slots for the goal's facts.
        done: intent → what was done, with the same slots.
        refuses: reason → why it cannot be done, slots as above.
        tells: topic → a sentence with {text}.
        instructs: tool of the customer's own → a request to use it.
    """

    asks: Texts
    proposes: Texts
    done: Texts
    refuses: Texts = field(default_factory=dict)
    tells: Texts = field(default_factory=dict)
    instructs: Texts = field(default_factory=dict)
