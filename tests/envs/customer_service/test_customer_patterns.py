"""A domain's patterns are only tried where the letters that they need occur; nothing is missed by that."""

from __future__ import annotations

import re
import re._parser as parser

import pytest
from paraphrase_sets import WORDS, sets
from toy_service import WORDS as SHOP

from agentgym.envs.customer_service.customer.cues import _TABLE, cues
from agentgym.envs.customer_service.customer.hear import Ear
from agentgym.envs.customer_service.customer.patterns import Patterns, compiled, first, needed
from agentgym.envs.customer_service.customer.words import CustomerWords
from agentgym.envs.customer_service.tasks import DOMAINS, domain_of


@pytest.mark.parametrize(
    ("pattern", "runs"),
    [
        (r"\bcancel", {"cancel"}),
        (r"\border (?:number|id)\b", {"order "}),  # the longest shortest: "order " against {"number", "id"}
        (r"(?:zip|post(?:al)? ?code)", {"zip", "post"}),
        (r"\b(?:re-?boot|start)", {"boot", "start"}),
        (r"a+b+cd", {"cd"}),
        (r"(?:abc)+", {"abc"}),
        (r"(?:abc)?x", None),
        (r"(?:abc|\d+)", None),
        (r"\d+", None),
        (r"(?<!no )refund(?! yet)", {"refund"}),
        (r"[ab]cd\w*ef", {"cd"}),  # of two equally long runs the first
    ],
)
def test_runs_that_a_pattern_needs(pattern: str, runs: set[str] | None) -> None:
    assert needed(parser.parse(pattern)) == runs


def test_a_pattern_is_found_where_a_search_finds_it() -> None:
    found = compiled(r"\bwhich (?:item|product)", "here")
    assert first([found], "tell me which product") is not None
    assert first([found], "tell me which one of the products") is None
    assert first([compiled(r"\d\d", "here"), found], "which item 7 or 17")[0] == "17"


def test_keys_with_equal_patterns_are_all_found() -> None:
    patterns = Patterns({"one": ["ab", "x"], "two": ["ab", "x"], "three": ["cd"]}, "acts")
    assert patterns.keys("xyz") == {"one", "two"}
    assert patterns.keys("") == frozenset()
    assert patterns.order == ("one", "two", "three")
    assert [(match[0], keys) for match, keys in patterns.matches("ab cd")] == [
        ("ab", ("one", "two")),
        ("cd", ("three",)),
    ]


def test_a_broken_pattern_is_named() -> None:
    broken = CustomerWords(wants={}, again={}, says={}, names={}, asked={"size": [r"\bsize", r"size("]}, acts={})
    with pytest.raises(ValueError, match=r"asked\['size'\]: 'size\(' is no pattern: missing \)"):
        Ear(broken)


def _words() -> list[CustomerWords]:
    return [WORDS, SHOP, *(domain_of(name).words for name in DOMAINS)]


def test_nothing_is_missed_for_want_of_a_run() -> None:
    """For all patterns of all domains on every wording of the sets: the fast search finds what `re.search` finds."""
    texts = ["\n".join(wording.lower() for wording in one.wordings) for one in sets()]
    found = 0
    for words in _words():
        choices = [items for values in words.choices.values() for items in values.values()]
        for items in [*words.asked.values(), *words.acts.values(), *words.refused.values(), *choices]:
            for item in items:
                fast, plain = compiled(item, "here"), re.compile(item)
                for text in texts:
                    slow = plain.search(text)
                    found += slow is not None
                    assert (first([fast], text) is None) == (slow is None), (item, text)
    assert found > 1_000


def test_among_keeps_what_may_be_found_and_what_needs_no_letters() -> None:
    """ "cancel" is kept for its letters, "set it" for "set", the longer of its words; a number needs none."""
    patterns = Patterns({"one": ["cancel", "order"], "two": [r"\d\d"], "three": ["return"], "four": ["set it"]}, "acts")
    picked = patterns.among({"please", "cancel", "the", "setting"})
    assert [(len(some), keys) for some, keys in picked.groups] == [(1, ("one",)), (1, ("two",)), (1, ("four",))]
    assert picked.order == patterns.order
    assert picked.keys("please cancel it, 17") == {"one", "two"}
    assert picked.keys("the order") == frozenset()  # no piece of that text
    assert Patterns({"one": ["cancel"]}, "acts").among({"no", "such", "word"}).groups == []


def test_nothing_is_missed_for_want_of_a_word() -> None:
    """For all domains, on every wording and each of its sentences: what is picked finds what all patterns find."""
    found = 0
    for words in _words():
        for texts, where in ((words.asked, "asked"), (words.acts, "acts"), (words.refused, "refused")):
            patterns = Patterns(texts, where)
            for one in sets():
                for wording in one.wordings:
                    text = wording.lower()
                    picked = patterns.among(text.split())
                    for part in (text, *text.split(". ")):
                        assert picked.keys(part) == patterns.keys(part), part
                        found += bool(patterns.keys(part))
    assert found > 1_000


def test_cues_are_what_one_pattern_for_all_of_them_finds() -> None:
    """The slow way: one alternation of all first words, each with what may follow, tried at every place."""
    follows: dict[str, dict[str, list[str]]] = {}
    for kind, entries in _TABLE.items():
        for entry in entries:
            words, _, rest = entry.partition("|")
            for word in words.split():
                follows.setdefault(word, {}).setdefault(kind, []).append(rest)
    kinds = ["", *(kind for _, rests in sorted(follows.items()) for kind in rests)]
    heads = (
        f"{word}\\b(?:{'|'.join('(' + '|'.join(some) + ')' for some in rests.values())})"
        for word, rests in sorted(follows.items())
    )
    slow = re.compile(rf"\b(?:{'|'.join(heads)})")
    found = 0
    for one in sets():
        for wording in one.wordings:
            text = wording.lower()
            wanted = [(kinds[some.lastindex or 0], *some.span()) for some in slow.finditer(text)]
            assert cues(text) == wanted, text
            found += len(wanted)
    assert found > 500
