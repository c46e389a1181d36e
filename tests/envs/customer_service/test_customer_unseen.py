"""How well customers of the shipped domains hear wordings that were written before their author had read a rule.

`paraphrases_second.txt` was written from the policies, the world's page and the names of facts, acts, reasons and
tools alone. At first measurement 41 of its 102 sets were judged as labelled; the rules have been corrected by it since,
so that it measures unseen wordings no longer and only holds what was reached. A label is the domain, a slash, and a
label of `paraphrases.txt`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from paraphrase_sets import judged, sets

from agentgym.envs.customer_service.customer.hear import hear
from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.domains.airline.words import WORDS as AIRLINE
from agentgym.envs.customer_service.domains.retail.words import WORDS as RETAIL
from agentgym.envs.customer_service.domains.telecom.words import WORDS as TELECOM

DOMAINS = {"retail": RETAIL, "airline": AIRLINE, "telecom": TELECOM}
SECOND = sets("paraphrases_second.txt")
THIRD = sets("paraphrases_third.txt")
FOURTH = sets("paraphrases_fourth.txt")


def plain(words: CustomerWords, label: str) -> tuple[str, frozenset[str]]:
    """A label as its kind and what it names; of intents with the same rule, which no message tells apart, the first."""
    kind, _, rest = label.removesuffix("+yes").partition(":")
    names = rest.split(",") if rest else []
    if kind in ("yes", "done"):
        names = [next(act for act in words.acts if words.acts[act] == words.acts[name]) for name in names]
    return kind + "+yes" * label.endswith("+yes"), frozenset(names)


def heard_as(lists: Sequence[Any]) -> list[tuple[tuple[str, frozenset[str]], list[tuple[str, frozenset[str]]]]]:
    """Each set's label, and what each of its wordings is taken for."""
    found = []
    for one in lists:
        domain, _, label = one.label.partition("/")
        words = DOMAINS[domain]
        found.append((plain(words, label), [plain(words, judged(hear(words, text), words)) for text in one.wordings]))
    return found


def enough(want: tuple[str, frozenset[str]], got: tuple[str, frozenset[str]]) -> bool:
    """Whether a message is taken for what it is, and for no fact and no act less than it names.

    A fact that is heard besides is told too, and an act that is heard besides does no harm where the customer's own is
    among them; a reason or a tool besides counts as a miss.
    """
    return got[0] == want[0] and (got[1] >= want[1] if want[0] in ("ask", "yes", "done") else got[1] == want[1])


def test_the_second_list_names_what_the_domains_know() -> None:
    """A label that no message can be judged as would count as a miss of the rules."""
    assert len(SECOND) == 102
    assert all(len(set(one.wordings)) == 3 for one in SECOND)
    assert Counter(one.label.partition("/")[0] for one in SECOND) == {"retail": 36, "telecom": 34, "airline": 32}
    for one in SECOND:
        domain, _, label = one.label.partition("/")
        words = DOMAINS[domain]
        acts = words.acts
        known = {"ask": words.asked, "yes": acts, "done": acts, "no": words.refused, "use": words.instructed}
        kind, _, rest = label.partition(":")
        assert set(filter(None, rest.split(","))) <= set(known.get(kind, ())), one.label


def test_the_second_list_is_heard_no_worse_than_measured() -> None:
    """Measured: of 102 sets 98 are judged alike and 94 as labelled; of 306 wordings 286 are judged as labelled."""
    found = heard_as(SECOND)
    assert sum(len(set(got)) == 1 for _, got in found) >= 96
    assert sum(set(got) == {want} for want, got in found) >= 92
    assert sum(one == want for want, got in found for one in got) >= 282


def test_what_the_second_list_means_is_among_what_is_heard() -> None:
    """Measured: in 97 of 102 sets, and in 301 of 306 wordings, nothing that was meant is missed."""
    found = heard_as(SECOND)
    assert sum(all(enough(want, one) for one in got) for want, got in found) >= 96
    assert sum(enough(want, one) for want, got in found for one in got) >= 294


def test_the_third_list_by_which_no_rule_was_corrected_is_heard_no_worse_than_measured() -> None:
    """Measured: of 60 sets 32 are judged alike and 29 as labelled; of 180 wordings 131, and 148 where more is no miss.

    The kind of message is right for 167. The list was written before its author had read a rule of these domains, and
    measured after the rules were corrected by the second; keep it so: a rule that is corrected by it needs a fourth.
    """
    assert len(THIRD) == 60 and all(len(set(one.wordings)) == 3 for one in THIRD)
    found = heard_as(THIRD)
    assert sum(len(set(got)) == 1 for _, got in found) >= 28
    assert sum(set(got) == {want} for want, got in found) >= 25
    assert sum(one == want for want, got in found for one in got) >= 124
    assert sum(enough(want, one) for want, got in found for one in got) >= 142
    assert sum(one[0] == want[0] for want, got in found for one in got) >= 162


def test_the_fourth_list_by_which_the_rules_were_corrected_is_heard_no_worse_than_measured() -> None:
    """Measured: of 207 sets 186 are judged alike and 180 as labelled; of 621 wordings 572, 614 where more is no miss.

    It was written in three parts of 86, 64 and 57 sets; of each, before the rules were corrected by it, 57, 38 and 37
    were judged alike.
    """
    assert len(FOURTH) == 207 and all(len(set(one.wordings)) == 3 for one in FOURTH)
    found = heard_as(FOURTH)
    assert sum(len(set(got)) == 1 for _, got in found) >= 180
    assert sum(set(got) == {want} for want, got in found) >= 174
    assert sum(one == want for want, got in found for one in got) >= 562
    assert sum(enough(want, one) for want, got in found for one in got) >= 604


def test_of_all_sets_together_the_share_that_is_judged_alike() -> None:
    """Measured: 316 of 369 sets for the shipped domains; for the shop of the tests see `test_customer_words`."""
    found = heard_as([*SECOND, *THIRD, *FOURTH])
    assert len(found) == 369
    assert sum(len(set(got)) == 1 for _, got in found) >= 0.85 * 369
