"""Scores of answers against a slow twin, written from the rules word by word, on texts drawn at random."""

from __future__ import annotations

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from agentgym.envs.wiki_search.answers import SCORERS, normalize, score
from agentgym.envs.wiki_search.evidence import novelty

PIECES = ["a", "an", "the", "The", "no", "yes", "noanswer", "York", "york", "é", "e\u0301", "1", "1.5", "-", ".", "'s"]
PIECES += [" ", "  ", "\u00a0", "\u200b", "_", "İ", "ß", "中", "Apple", "banana", "\n"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)


def slow_normalize(text: str) -> list[str]:
    """Return the words that are left: every article that stands between signs that are not of words is taken away."""
    kept = [sign for sign in text.lower() if sign not in string.punctuation]
    out, word = list[str](), list[str]()
    for sign in [*kept, " "]:
        if sign.isalnum() or sign == "_":
            word.append(sign)
            continue
        out += [" "] if "".join(word) in ("a", "an", "the") else word
        out.append(sign)
        word = []
    return "".join(out).split()


def slow_f1(given: list[str], wanted: list[str]) -> float:
    left, same = list(wanted), 0
    for word in given:
        if word in left:
            left.remove(word)
            same += 1
    return 2 * same / (len(given) + len(wanted)) if same else 0.0


def slow_score(scorer: str, prediction: str, answer: str) -> float:
    given, wanted = slow_normalize(prediction), slow_normalize(answer)
    if scorer == "em":
        return float(given == wanted)
    if scorer == "sub_em":
        return float(" ".join(wanted) in " ".join(given))
    closed = {"yes", "no", "noanswer"}
    if scorer == "f1_hotpot" and given != wanted and {" ".join(given), " ".join(wanted)} & closed:
        return 0.0
    if scorer == "f1_squad2" and not (given and wanted):
        return float(given == wanted)
    return slow_f1(given, wanted)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))
def test_the_twin_agrees(prediction: str, answers: list[str]) -> None:
    assert normalize(prediction).split() == slow_normalize(prediction)
    for scorer in SCORERS:
        slow = max(slow_score(scorer, prediction, answer) for answer in answers)
        assert abs(score(scorer, prediction, answers) - slow) < 1e-12


@settings(max_examples=100, deadline=None)
@given(TEXTS, TEXTS, TEXTS)
def test_what_holds_of_all_scores(prediction: str, answer: str, other: str) -> None:
    for scorer in SCORERS:
        found = score(scorer, prediction, [answer])
        assert 0.0 <= found <= score(scorer, prediction, [answer, other]) <= 1.0
        assert score(scorer, prediction, [other, answer]) == score(scorer, prediction, [answer, other])
        if scorer != "sub_em":
            assert score(scorer, answer, [prediction]) == found  # none of the others tells the two sides apart
    if score("em", prediction, [answer]):
        assert score("f1_squad2", prediction, [answer]) == score("sub_em", prediction, [answer]) == 1.0


@settings(max_examples=100, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_what_holds_of_novelty(query: str, earlier: list[str]) -> None:
    found = novelty(query, earlier)
    assert 0.0 <= found <= novelty(query, earlier[1:]) <= 1.0
    assert novelty(query, [*earlier, query]) == 0.0
    assert novelty(query, earlier[::-1]) == found
