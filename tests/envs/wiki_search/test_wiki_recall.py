"""What BM25 finds of the pages that real questions rest on, beside bm25s on the same passages."""

import os
from pathlib import Path

import numpy as np
import pytest

from agentgym.envs.wiki_search import bm25
from agentgym.envs.wiki_search.passages import build_store
from agentgym.envs.wiki_search.sources import load_source, passages
from agentgym.envs.wiki_search.tokens import tokens

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")
DEPTHS = (1, 5, 10, 20)


@pytest.mark.skipif(not REFERENCE, reason="AGENTGYM_REFERENCE, the folder of reference data, is not set")
@pytest.mark.parametrize(("kind", "floor"), [("hotpotqa", 0.85), ("musique", 0.55)])
def test_recall_of_gold_pages_equals_that_of_bm25s(tmp_path: Path, kind: str, floor: float) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is not installed here")
    source = load_source(folder=Path(REFERENCE) / "data" / kind)
    store = build_store(passages(source), tmp_path / "passages")
    bm25.build(store, tmp_path / "bm25")
    ours = bm25.open_index(tmp_path / "bm25", store)
    theirs = bm25s.BM25()
    theirs.index(bm25s.tokenize([f"{p.title} {p.text}" for p in store], show_progress=False), show_progress=False)
    titles = [passage.title for passage in store]
    shares: dict[str, list[list[float]]] = {"ours": [], "theirs": []}
    for split in source.panel:
        for task in source.panel[split]:
            question, gold = task.data["question"], {page["title"] for page in task.data["gold"]}
            scores = theirs.get_scores(tokens(question))
            order = {
                "ours": [place for place, _ in ours.search(question, DEPTHS[-1])],
                "theirs": np.argsort(-scores, kind="stable")[: DEPTHS[-1]].tolist(),
            }
            for name, places in order.items():
                found = [gold & {titles[place] for place in places[:depth]} for depth in DEPTHS]
                shares[name].append([len(some) / len(gold) for some in found])
    assert len(shares["ours"]) == 300
    recall = {name: np.mean(values, axis=0) for name, values in shares.items()}
    print(kind, len(store), {name: values.round(4).tolist() for name, values in recall.items()})
    assert recall["ours"] == pytest.approx(recall["theirs"], abs=0.005)
    assert recall["ours"][2] > floor  # so that it is not both that find nothing
