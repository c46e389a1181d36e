"""Whether an answer is right, as the official scorers of SQuAD, HotpotQA, MuSiQue and Search-R1 judge it.

Every score is the best over the accepted answers, in [0, 1]. Both texts are normalised first, all four scorers alike.

    em          both are equal
    f1          SQuAD 1.1: the harmonic mean of precision and recall over words; 0 without a common word
    f1_hotpot   the same, but 0 if either is yes, no or noanswer and they differ
    f1_squad2   SQuAD 2.0 and MuSiQue: the same as f1, but 1 if nothing is left of both
    sub_em      Search-R1: an accepted answer is part of the answer given, also in the middle of a word

Sources: Rajpurkar et al. 2016, arXiv 1606.05250, and 2018, arXiv 1806.03822; Yang et al. 2018, arXiv 1809.09600
(hotpot_evaluate_v1.py); Trivedi et al. 2022, arXiv 2108.00573 (metrics/answer.py); Jin et al. 2025, arXiv 2503.09516
(qa_em.py).
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from agentgym.errors import unknown

SCORERS: Final = ("em", "f1", "f1_hotpot", "f1_squad2", "sub_em")
"""Their names, as `score` knows them."""

_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)
_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")
_CLOSED: Final = frozenset({"yes", "no", "noanswer"})


def normalize(text: str) -> str:
    """Return a text as the scorers compare it; linear in its length.

    In this order: lower case; the 32 punctuation characters of ASCII are dropped, not replaced by a blank; the words
    a, an and the become a blank; what Unicode calls white space becomes one blank, and none is left at the ends.
    Other punctuation, accents and their encoding stay as they are.

    Example:
        >>> normalize("  The Spider-Man of 1.5 km. ")
        'spiderman of 15 km'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def score(scorer: str, prediction: str, answers: Sequence[str]) -> float:
    """Return the best score of an answer over the accepted ones; linear in the texts.

    Args:
        scorer: one of SCORERS.
        prediction: what was answered, of any length.
        answers: the accepted answers, at least one.

    Returns:
        In [0, 1]; 0.0 or 1.0 from em and sub_em.

    Raises:
        ValueError: an unknown scorer; no accepted answer.
        TypeError: one text in place of a sequence of answers.
    """
    if scorer not in SCORERS:
        raise ValueError(unknown("scorer", scorer, SCORERS))
    if isinstance(answers, str):
        raise TypeError(f"answers must be a sequence of texts, not the text {answers!r:.60}: write [answer]")
    if not answers:
        raise ValueError("there is no accepted answer to compare with: give at least one")
    given, accepted = normalize(prediction), list(map(normalize, answers))
    if scorer == "em":
        return float(given in accepted)
    if scorer == "sub_em":
        return float(any(answer in given for answer in accepted))
    words = Counter(given.split())
    return max(_f1(scorer, given, words, answer) for answer in accepted)


def _f1(scorer: str, given: str, words: Mapping[str, int], answer: str) -> float:
    """Return the F1 of two normalised texts; `words` counts those of the one given."""
    if scorer == "f1_hotpot" and given != answer and (given in _CLOSED or answer in _CLOSED):
        return 0.0
    if scorer == "f1_squad2" and not (given and answer):
        return float(given == answer)
    wanted = Counter(answer.split())
    same = sum(min(count, words.get(word, 0)) for word, count in wanted.items())
    if not same:
        return 0.0
    precision, recall = same / sum(words.values()), same / wanted.total()
    return 2 * precision * recall / (precision + recall)
