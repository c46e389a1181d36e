"""Gold pages seen, steps resolved and new queries, derived by hand, and on real questions."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from agentgym.envs.wiki_search.evidence import evidence_recall, gold_seen, hops_resolved, hops_supported, novelty
from agentgym.envs.wiki_search.passages import Passage
from agentgym.envs.wiki_search.sources import load_source, passages
from agentgym.envs.wiki_search.sources.question import passage_key

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")
ENGINE = Passage("Engine", "It was designed by Charles Babbage.")
OTHER = Passage("Engine", "A steam engine turns heat into work.")
BABBAGE = Passage("Charles Babbage", "He was born in London, in 1791.")


def page(passage: Passage) -> dict[str, str]:
    return {"title": passage.title, "passage": passage_key(passage)}


def hop(question: str, answer: str, title: str = "", passage: str = "") -> dict[str, str]:
    return {"question": question, "answer": answer, "title": title, "passage": passage}


def test_the_very_passage_counts_where_the_set_names_it() -> None:
    gold = [page(ENGINE), page(BABBAGE)]
    assert gold_seen(gold, [OTHER]) == set()  # the title alone is not enough
    assert gold_seen(gold, [OTHER, ENGINE]) == {0}
    assert gold_seen(gold, [BABBAGE, ENGINE, OTHER]) == {0, 1}


def test_any_passage_of_a_page_counts_where_the_set_names_the_page() -> None:
    gold = [{"title": "Engine", "passage": ""}, {"title": "engine", "passage": ""}]
    assert gold_seen(gold, [OTHER]) == {0}  # titles are compared as they are


def test_recall_is_the_share_of_the_gold_pages() -> None:
    gold = [page(ENGINE), page(BABBAGE), page(OTHER)]
    seen = gold_seen(gold, [ENGINE])
    assert evidence_recall(gold, seen) == pytest.approx(1 / 3)
    assert evidence_recall(gold, seen | gold_seen(gold, [BABBAGE])) == pytest.approx(2 / 3)
    assert evidence_recall([], frozenset()) == 0.0


def test_a_step_is_resolved_by_its_page_once_what_it_refers_to_is() -> None:
    hops = [
        hop("Engine >> designer", "Charles Babbage", **page(ENGINE)),
        hop("#1 >> place of birth", "London", **page(BABBAGE)),
    ]
    late, early = hops_supported(hops, [BABBAGE]), hops_supported(hops, [ENGINE])
    assert (late, early) == ({1}, {0})
    assert hops_resolved(hops, late) == set()  # found, but for what?
    assert hops_resolved(hops, early) == {0}
    assert hops_resolved(hops, early | late) == {0, 1}


def test_a_step_without_a_page_is_supported_by_a_text_that_holds_its_answer() -> None:
    hops = [hop("Babbage >> birth place", "the London"), hop("year", "179"), hop("nothing", "The")]
    assert hops_supported(hops, [BABBAGE]) == {0}  # 179 is no word of the text, and «The» has none
    assert hops_supported(hops, [ENGINE]) == set()


def test_references_forward_are_none() -> None:
    hops = [hop("#1 and #2 and #9", "London", "Charles Babbage"), hop("#1, #1", "London", "Charles Babbage")]
    supported = hops_supported(hops, [BABBAGE])
    assert hops_resolved(hops, supported) == {0, 1}
    assert hops_resolved(hops, supported - {0}) == set()


@pytest.mark.parametrize(
    ("query", "earlier", "new"),
    [
        ("capital of France", [], 1.0),
        ("capital of France", ["The CAPITAL, France?"], 0.0),  # order, case, stop words and signs are nothing
        ("capital France Paris", ["capital France"], 1 / 3),  # two of three words in common
        ("capital France", ["capital France Paris"], 1 / 3),
        ("capital France", ["river", "capital", "capital Spain"], 1 / 2),  # 0, 1/2 and 1/3: the nearest counts
        ("river river", ["capital"], 1.0),
        ("of the", [], 0.0),  # no word at all
        ("", ["capital"], 0.0),
        ("capital", [""], 1.0),
    ],
)
def test_how_new_a_query_is(query: str, earlier: list[str], new: float) -> None:
    assert novelty(query, earlier) == pytest.approx(new)


@pytest.mark.skipif(not REFERENCE, reason="AGENTGYM_REFERENCE names no folder with samples of public sets")
def test_the_gold_passages_resolve_every_step_of_real_questions() -> None:
    source = load_source(folder=Path(REFERENCE, "data", "musique"))
    by_key = {passage_key(passage): passage for passage in passages(source)}
    tasks: list[Any] = [task.data for split in source.panel for task in source.panel[split]]
    for data in tasks:
        shown, recalls, resolved = list[Passage](), [0.0], [0]
        for found in data["gold"]:  # in the order of the steps
            shown.append(by_key[found["passage"]])
            recalls.append(evidence_recall(data["gold"], gold_seen(data["gold"], shown)))
            resolved.append(len(hops_resolved(data["hops"], hops_supported(data["hops"], shown))))
        assert recalls == sorted(set(recalls)) and recalls[-1] == 1.0
        assert resolved == sorted(set(resolved)) and resolved[-1] == len(data["hops"])
    assert len(tasks) == 300
