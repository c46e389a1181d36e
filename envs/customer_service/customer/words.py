"""CustomerWords: what the customers of a domain say, and what they listen for.

Templates hold {fact} for the facts of a goal or of the customer; patterns are regular expressions that are searched in
lower-cased text. The expert's words are kept apart (`voice`), so that customers are not tuned to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Texts = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class CustomerWords:
    r"""What is said and heard in a domain; every entry of a mapping has several texts, of which one is drawn.

    Attributes:
        wants: intent → the request, with slots for what the goal opens with (`Goal.opens`).
        again: intent → the request in a few words, for reminding.
        says: fact → the answer to a question for it; {value} is what it is.
        names: fact → what it is called after "I don't remember", such as "my order number".
        pretexts: intent → pushing back on a refusal.
        questions: topic of a `Tell` → how the customer asks for it.
        reports: tool of the customer's own → what the customer says having used it; {result} is what it came to.
        asked: fact → patterns by which an agent's question means it, such as r"order (number|id|no)".
        acts: intent → patterns that a proposal of this act contains, such as r"cancel".
        refused: reason → patterns that a refusal for this reason contains.
        instructed: tool of the customer's own → patterns by which an agent tells the customer to use it.
        choices: fact → value → patterns by which a message names this value; a proposal that names another value than
            the goal's, and not the goal's, is declined.
        handles: patterns of record ids, such as r"\bord-\\d+"; a proposal that names an id that has nothing to do with
            the goal is declined.
    """

    wants: Texts
    again: Texts
    says: Texts
    names: Mapping[str, str]
    asked: Texts
    acts: Texts
    questions: Texts = field(default_factory=dict)
    pretexts: Texts = field(default_factory=dict)
    refused: Texts = field(default_factory=dict)
    reports: Texts = field(default_factory=dict)
    instructed: Texts = field(default_factory=dict)
    choices: Mapping[str, Texts] = field(default_factory=dict)
    handles: Sequence[str] = ()
