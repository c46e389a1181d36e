r"""Search-R1's /retrieve in JSON: what is asked, what is answered, and what is refused.

    POST /retrieve  {"queries": ["…"], "topk": 3, "return_scores": true}
    →  {"result": [[{"document": {"id": "7", "contents": "\"Title\"\nText"}, "score": 1.5}, …], …]}

One list a query, best first; without `return_scores` the documents alone. Our own servers also know titles, to the
letter or, where there are none, in any case: POST /titled {"titles": ["…"]}, answered in the same form.

Source: search_r1/search/retrieval_server.py and infer.py of https://github.com/PeterGriffinJin/Search-R1, commit
a14dc3a (Jin et al. 2025, arXiv 2503.09516).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from agentgym.envs.wiki_search.passages import Passage

RETRIEVE: Final = "/retrieve"
TITLED: Final = "/titled"
HEALTH: Final = "/health"
CONTENT: Final = "Agentgym-Content"
"""Header of every answer: the content hash of what was searched."""
TOPK: Final = 3
"""Where none is asked for, as in Search-R1."""
MOST_BODY: Final = 1 << 20
MOST_QUERIES: Final = 1024
MOST_LETTERS: Final = 10_000
MOST_K: Final = 1000
MOST_HITS: Final = 20_000
MOST_TITLES: Final = MOST_HITS // MOST_K


class Refused(Exception):
    """A request that is not answered: its status, why, and headers of the reply."""

    def __init__(self, status: int, why: str, **headers: str) -> None:
        super().__init__(why)
        self.status, self.headers = status, headers


@dataclass(frozen=True, slots=True)
class Asked:
    """The queries, or titles, of a request, how many passages each may bring, and whether scores are wanted."""

    queries: tuple[str, ...]
    k: int
    scores: bool


def read_asked(body: bytes) -> Asked:
    """Return what a body asks for.

    Raises:
        Refused: 400 for what is no JSON object in UTF-8, 422 for values of other types or out of bounds.
    """
    value = _object(body)
    queries, scores = _texts(value, "queries", MOST_QUERIES), value.get("return_scores", False)
    if not isinstance(scores, bool):
        raise Refused(422, f"return_scores must be true or false, not {_kind(scores)}")
    k = _topk(value.get("topk"))
    if k * len(queries) > MOST_HITS:
        raise Refused(422, f"topk times the queries must be at most {MOST_HITS}: send them in parts")
    return Asked(queries, k, scores)


def read_titles(body: bytes) -> Asked:
    """Return which titles a body asks for. Raises Refused: as `read_asked`."""
    return Asked(_texts(_object(body), "titles", MOST_TITLES), MOST_K, True)


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:  # bad UTF-8, bad JSON, a number of too many digits, deep nesting
        raise Refused(400, f"the body is no JSON in UTF-8 ({error!s:.80})") from None
    if not isinstance(value, dict):
        raise Refused(400, f"the body is {_kind(value)}: send an object")
    return value


def _texts(value: Mapping[str, Any], name: str, most: int) -> tuple[str, ...]:
    texts = value.get(name)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise Refused(422, f"{name} must be a list of texts")
    if len(texts) > most:
        raise Refused(422, f"{name} must be at most {most}, not {len(texts)}: send them in parts")
    longest = max(map(len, texts), default=0)
    if longest > MOST_LETTERS:
        raise Refused(422, f"one of the {name} has {longest} characters: send at most {MOST_LETTERS}")
    return tuple(texts)


def _topk(value: Any) -> int:
    if value is None:
        return TOPK
    if type(value) is not int or not 1 <= value <= MOST_K:
        shown = value if type(value) is int and abs(value) < 1 << 62 else _kind(value)
        raise Refused(422, f"topk must be a whole number from 1 to {MOST_K}, not {shown}")
    return value


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return kinds.get(type(value), "a number")


def document(key: int, passage: Passage) -> dict[str, str]:
    """Return a passage as Search-R1's corpus holds it; `passage_of` gives the same passage back, to the letter.

    Where contents alone would not, as with a line break in the title, title and text stand beside it.
    """
    found = {"id": str(key), "contents": f'"{passage.title}"\n{passage.text}'}
    if passage_of(found) != passage:
        found |= {"title": passage.title, "text": passage.text}
    return found


def passage_of(value: Mapping[str, Any]) -> Passage:
    """Return the passage of a document: its title and text, or its contents, whose first line is the title.

    Contents are read as `sources.wiki18` reads them, quotes around the title and blanks around both taken away. What
    UTF-8 does not know becomes "?", as in a store.

    Raises:
        ValueError: it has neither.
    """
    match value:
        case {"title": str(title), "text": str(text)}:
            pass
        case {"contents": str(contents)}:
            title, _, text = contents.partition("\n")
            title = title.strip()
            quoted = len(title) > 1 and title[0] == title[-1] == '"'
            title, text = (title[1:-1] if quoted else title).strip(), text.strip()
        case _:
            raise ValueError("a document has neither contents nor title and text")
    return Passage(_known(title), _known(text))


def _known(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def read_hits(body: bytes, k: int) -> list[tuple[float, Passage]]:
    """Return score and passage of the answer to one query, the first k in the order in which they came.

    Scores are rounded to 6 digits. Servers of Search-R1 that ask the web give none: those are 0. Documents without text
    are left out.

    Raises:
        ValueError: the body is something else; the message says what.
    """
    try:
        value = json.loads(body.decode("utf-8"))
    except RecursionError:
        raise ValueError("its JSON is nested too deeply") from None
    match value:
        case {"result": [list(found)]}:
            hits = [_hit(item) for item in found[:k]]
            return [hit for hit in hits if hit[1].text and not hit[1].text.isspace()]
        case _:
            raise ValueError("it holds no result with one list for the one query")


def _hit(item: Any) -> tuple[float, Passage]:
    match item:
        case {"document": dict(found)}:
            score = item.get("score", 0)
        case dict(found):
            score = 0
        case _:
            raise ValueError(f"a hit is {_kind(item)}, not an object with a document")
    if type(score) not in (int, float) or not abs(score) < 1e300 or not math.isfinite(score):
        raise ValueError("a score is no finite number")
    return round(float(score), 6) + 0.0, passage_of(found)
