"""What the agent reads: rules, the question, passages, sentences; every cut is visible.

Text from passages is the work of strangers: it stands on one line each, behind a mark, so that no line begins with a
label of ReAct, and its angle brackets are escaped where they could open or close a tag. So no passage can end a result,
forge one, or call a tool, whatever dialect is read and however a trainer wraps it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from agentgym.envs.wiki_search.library import Hit
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.state import NO_PAGE, SearchQuestion, SearchState

QUERY: Final = 1_000  # characters of a query, a title and a text to look up that are read
TITLE: Final = 200  # characters of a title that are shown
TEXT: Final = 1_000  # characters of a text that are shown by a search
PAGE: Final = 20_000  # characters of a page that are shown
SENTENCES: Final = 5  # sentences that a lookup shows
HEAD: Final = 300  # characters of a text that `describe` tells
KNOWN: Final = 60  # passages that `describe` tells
MOST_K: Final = 20

_ASKED: Final = {
    "sub_em": "it contains an accepted answer",
    "em": "it equals an accepted answer, but for case, punctuation and articles",
    "f1": "the more of its words are those of an accepted answer",
}
_SYSTEM: Final = """\
You answer a question by searching an encyclopedia{size}.

search(query, k) shows the k passages that fit a query best, {k} if you give no k, at most {most}.
open(title) shows the whole page with this title.
lookup(text) shows the sentences of the open page that hold a text.
answer(text) gives your answer and ends the episode.

Answer with the name, number, date, yes or no that is asked for, and nothing else: an answer is {judged}. \
You may write down a plan in <plan>…</plan>, a step a line. You have {turns} turns."""
_NO_ANSWERS: Final = (
    "not compared with anything here; what counts is to have seen the passages that answer the question"
)

_TAG: Final = re.compile(r"<(?=[/!?|A-Za-z])")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")


def system(question: SearchQuestion, turns: int) -> str:
    """Return rules and limits, and when an answer is right."""
    size = question.library.size
    scoring = question.rules.scoring
    return _SYSTEM.format(
        size=f" of {size:,} passages" if size else "",
        k=question.rules.k,
        most=MOST_K,
        judged=_judged(scoring) if question.answers else _NO_ANSWERS,
        turns=turns,
    )


def _judged(scoring: str) -> str:
    if scoring.startswith("f1"):
        return f"worth more {_ASKED['f1']}"
    return f"right if {_ASKED['sub_em' if scoring == 'sub_em' else 'em']}"


def opening(question: SearchQuestion) -> str:
    """Return the first observation."""
    return f"Question: {plain(question.text)}"


def plain(text: str) -> str:
    """Return a text on one line, in which no tag begins or ends."""
    text = " ".join(text.split())
    return _TAG.sub("&lt;", text) if "<" in text else text


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters, and how many more there are."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


def title(found: Passage) -> str:
    """Return the title of a passage as it is shown."""
    return cut(plain(found.title), TITLE)


@lru_cache(maxsize=1 << 15)
def shown(found: Passage) -> str:
    """Return a passage as a search shows it, without its number."""
    return f"(Title: {title(found)}) {cut(plain(found.text), TEXT)}"


def results(hits: Sequence[Hit]) -> str:
    """Return what a search found, a line a passage."""
    if not hits:
        return "Nothing was found. Try other words."
    return "\n".join([f"Doc {number} {shown(hit.passage)}" for number, hit in enumerate(hits, 1)])


def page(hits: Sequence[Hit]) -> tuple[str, int]:
    """Return a page and how many of its passages are shown; those that PAGE has no room for are counted."""
    of = f" of {len(hits)}" if len(hits) > 1 else ""
    lines: list[str] = []
    size = 0
    for number, hit in enumerate(hits, 1):
        part = f", part {number}{of}" if of else ""
        line = f"(Title: {title(hit.passage)}{part}) {cut(plain(hit.passage.text), PAGE)}"
        size += len(line) + 1
        if lines and size > PAGE:
            left = len(hits) - len(lines)
            return "\n".join([*lines, f"… {left} more part{'s' * (left != 1)}: search for what you need"]), len(lines)
        lines.append(line)
    return "\n".join(lines), len(lines)


def several(titles: Iterable[str]) -> str:
    """Return what to say where several pages have a title but for its case."""
    return _listed("Several pages have this title. Open one of them:", titles)


def missing(titles: Iterable[str]) -> str:
    """Return what to say where no page has a title: those that are near."""
    near = list(titles)
    if not near:
        return "There is no page with this title. Search for it."
    return _listed("There is no page with this title. The nearest ones:", near)


def _listed(said: str, titles: Iterable[str]) -> str:
    return "\n".join([said, *(f"- {cut(plain(title), TITLE)}" for title in titles)])


def sentences(hits: Iterable[Hit], wanted: str) -> list[tuple[Hit, str]]:
    """Return the sentences of a page that hold a text, whatever its case, each with its passage; none for a blank."""
    sought = " ".join(wanted.split()).casefold()
    if not sought:
        return []
    meant = sought.replace("&lt;", "<")  # a text may be written as it was shown
    whole = ((hit, sentence) for hit in hits for sentence in _SENTENCE.split(" ".join(hit.passage.text.split())))
    return [(hit, sentence) for hit, sentence in whole if sought in (said := sentence.casefold()) or meant in said]


def looked_up(found: Sequence[str], heading: str) -> str:
    """Return the first sentences that were found, a line each, and how many there are."""
    if not found:
        return f"(Title: {heading}) No sentence of this page holds that text."
    lines = [
        f"(Title: {heading}, result {number} of {len(found)}) {cut(plain(sentence), TEXT)}"
        for number, sentence in enumerate(found[:SENTENCES], 1)
    ]
    return "\n".join(lines)


def describe(state: SearchState) -> str:
    """Return what an agent would read now: the question, every passage seen in short, and the page that is open."""
    question = state.question
    known = [question.library.passage(key) for key in state.seen[:KNOWN]]
    lines = [opening(question), f"Passages seen: {len(state.seen)}"]
    lines += [f"(Title: {title(found)}) {cut(plain(found.text), HEAD)}" for found in known]
    if len(state.seen) > KNOWN:
        lines.append(f"… {len(state.seen) - KNOWN} more")
    if state.page != NO_PAGE:
        lines.append(f"Open page: {title(question.library.passage(state.page))}")
    if state.answer:
        lines.append(f"Answered: {cut(plain(state.answer), TEXT)}")
    return "\n".join(lines)


def secrets(question: SearchQuestion) -> dict[str, list[str]]:
    """Return what an agent has to find out, a sentence each: answers, gold pages, decomposition."""
    return {
        "answers": [f"an accepted answer: {answer}" for answer in question.answers],
        "gold": [f"a gold page: {page['title']}" for page in question.gold],
        "hops": [f"a step: {hop['question']} -> {hop['answer']}" for hop in question.hops],
    }
