"""A small model of sentence-transformers' layout, made here with drawn weights, and what comes of its folder."""

import copy
import json
import multiprocessing
import pickle
import shutil
import threading
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agentgym.cli import main
from agentgym.envs.wiki_search import corpus, dense, embed, serving
from agentgym.envs.wiki_search.embed import open_embedder
from agentgym.envs.wiki_search.library import open_library
from agentgym.errors import DataError
from tests.corpora import SMALL

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # other people's, at their import
    torch = pytest.importorskip("torch", reason="an embedder needs torch (the extra `train`)")
    transformers = pytest.importorskip("transformers", reason="an embedder needs transformers (the extra `train`)")

pytestmark = pytest.mark.filterwarnings("ignore")
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lisbon", "is", "the", "capital", "of", "portugal", "river", "a"]
TEXTS = ["Lisbon is the capital of Portugal", "a river", "the", "unheard of", " a river "]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let transformers do the work, also where sentence-transformers is installed, and each folder be read anew."""
    find = embed.find_spec
    monkeypatch.setattr(embed, "find_spec", lambda name: None if name == "sentence_transformers" else find(name))
    embed._opened.cache_clear()


def write(folder: Path, seed: int = 0, pooling: str = "mean_tokens", normal: bool = True, **settings: Any) -> Path:
    """Write a model of two layers into a folder; return it."""
    folder.mkdir(parents=True)
    (folder / "vocab.txt").write_text("".join(f"{word}\n" for word in WORDS), "utf-8")
    torch.manual_seed(seed)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = transformers.BertConfig(vocab_size=len(WORDS), max_position_embeddings=12, **sizes)
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizerFast(vocab=str(folder / "vocab.txt")).save_pretrained(folder)
    kinds = ["Transformer", "Pooling", "Normalize"][: 3 if normal else 2]
    modules = [{"type": f"sentence_transformers.models.{kind}", "path": f"{n}_{kind}"} for n, kind in enumerate(kinds)]
    modules[0]["path"] = ""
    (folder / "modules.json").write_text(json.dumps(modules), "utf-8")
    (folder / "1_Pooling").mkdir()
    modes = {f"pooling_mode_{mode}": mode == pooling for mode in ("cls_token", "mean_tokens", "max_tokens")}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"word_embedding_dimension": 16, **modes}), "utf-8")
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 8, **settings}), "utf-8")
    return folder


def hidden(folder: Path, text: str) -> np.ndarray:
    """Return the vectors of a text's tokens, the text alone in its batch and so without filling."""
    model = transformers.AutoModel.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    with torch.inference_mode():
        found = model(**tokenizer(text.strip(), truncation=True, max_length=8, return_tensors="pt"))
    return np.asarray(found.last_hidden_state[0])


@pytest.mark.parametrize(("pooling", "normal"), [("mean_tokens", True), ("mean_tokens", False), ("cls_token", True)])
def test_vectors_are_pooled_as_the_folder_says(tmp_path: Path, pooling: str, normal: bool) -> None:
    folder = write(tmp_path / "model", pooling=pooling, normal=normal)
    found = open_embedder(folder).encode(TEXTS)
    assert found.shape == (5, 16) and found.dtype == np.float32
    for vector, text in zip(found, TEXTS, strict=True):
        tokens = hidden(folder, text)
        expected = tokens.mean(axis=0) if pooling == "mean_tokens" else tokens[0]
        expected = expected / np.linalg.norm(expected) if normal else expected
        assert vector == pytest.approx(expected, abs=1e-5)
    assert found[1] == pytest.approx(found[4], abs=1e-6)  # blanks around a text count nothing


def test_order_and_batches_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = open_embedder(write(tmp_path / "model"))
    texts = [" ".join(WORDS[5 + place % 8 :][: 1 + place % 5]) for place in range(23)]
    whole = embedder.encode(texts)
    monkeypatch.setattr(embed, "BATCH", 4)
    assert np.abs(embedder.encode(texts) - whole).max() < 1e-6
    assert np.abs(embedder.encode(texts[::-1])[::-1] - whole).max() < 1e-6
    assert embedder.encode([]).shape == (0, 16)


def test_a_long_text_is_cut_where_the_folder_says(tmp_path: Path) -> None:
    # 8 tokens: [CLS], six words, [SEP]; the model would take 12.
    embedder = open_embedder(write(tmp_path / "model"))
    six = "lisbon is the capital of portugal"
    assert embedder.encode([f"{six} a river"])[0] == pytest.approx(embedder.encode([six])[0], abs=1e-6)
    bare = write(tmp_path / "bare")
    (bare / "sentence_bert_config.json").unlink()
    long = open_embedder(bare).encode([f"{six} a river a river a", f"{six} a river a river", f"{six} a river a"])
    assert long[0] == pytest.approx(long[1], abs=1e-6) and np.abs(long[1] - long[2]).max() > 1e-3  # 12: ten words


def test_a_bare_transformer_is_pooled_by_mean_and_keeps_its_length(tmp_path: Path) -> None:
    folder = write(tmp_path / "model")
    (folder / "modules.json").unlink()
    (found,) = open_embedder(folder).encode(["the river"])
    assert found == pytest.approx(hidden(folder, "the river").mean(axis=0), abs=1e-5)


def test_the_name_is_that_of_the_files_wherever_they_lie(tmp_path: Path) -> None:
    first = open_embedder(write(tmp_path / "a" / "model"))
    shutil.copytree(first.folder, tmp_path / "b")
    (tmp_path / "b" / "README.md").write_text("about", "utf-8")
    assert open_embedder(tmp_path / "b").name == first.name
    assert first.name.startswith("bert ") and len(first.name) == 5 + 12
    others = [
        write(tmp_path / "c", seed=1),
        write(tmp_path / "d", pooling="cls_token"),
        write(tmp_path / "e", normal=False),
    ]
    assert len({first.name, *(open_embedder(folder).name for folder in others)}) == 4


def test_one_object_a_process_and_folder(tmp_path: Path) -> None:
    folder = write(tmp_path / "model")
    embedder = open_embedder(folder)
    assert open_embedder(str(folder)) is embedder
    assert copy.deepcopy(embedder) is embedder and pickle.loads(pickle.dumps(embedder)) is embedder
    expected = embedder.encode(TEXTS)
    found: dict[int, np.ndarray] = {}
    threads = [threading.Thread(target=lambda n=n: found.__setitem__(n, embedder.encode(TEXTS[n:]))) for n in (0, 1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.abs(found[n] - expected[n:]).max() < 1e-6 for n in (0, 1, 2))
    with multiprocessing.get_context("fork").Pool(1) as pool:  # what torch's threads did before does not stop it
        assert np.abs(pool.apply_async(embedder.encode, (TEXTS,)).get(60) - expected).max() < 1e-6


def test_sentence_transformers_does_the_work_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    class Model:
        def __init__(self, folder: str, device: str) -> None:
            asked.append((Path(folder).name, device))

        def encode(self, texts: list[str], **settings: Any) -> np.ndarray:
            assert settings["show_progress_bar"] is False
            return np.array([[len(text), 1.0] for text in texts])

    monkeypatch.setattr(embed, "find_spec", lambda name: name)
    monkeypatch.setitem(__import__("sys").modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Model))
    embedder = open_embedder(write(tmp_path / "model"))
    assert embedder.encode(["a", "bcd", "ef"]).tolist() == [[1, 1], [3, 1], [2, 1]]
    assert asked == [("model", "cpu")] and embedder.dimension == 2


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "another pooling than that by mean or by first"),
        ("1_Pooling/config.json", "{", r"1_Pooling/config.json is no JSON .*: download the model again"),
        (
            "modules.json",
            '[{"type": "a.Transformer", "path": ""}, {"type": "a.Dense", "path": "x"}]',
            "→ Dense: install",
        ),
        ("config.json", "{}", "holds no model that transformers can read"),
    ],
)
def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path, file: str, content: str, message: str) -> None:
    folder = write(tmp_path / "model")
    (folder / file).write_text(content, "utf-8")
    with pytest.raises(DataError, match=message):
        open_embedder(folder)


def test_no_folder_and_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"nowhere is no folder: give a folder that holds a model of sentence-transfor"):
        open_embedder(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"has no config\.json"):
        open_embedder(tmp_path)
    monkeypatch.setattr(embed, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"install agentgym-suite\[train\]"):
        open_embedder(write(tmp_path / "model"))


# ---- The command, and the world's library --------------------------------------------------------------------------


def run(tmp_path: Path, model: Path) -> int:
    file = tmp_path / "f.jsonl"
    file.write_text("".join(json.dumps({"title": p.title, "text": p.text}) + "\n" for p in SMALL), "utf-8")
    return main(["data", "index", "--from", str(file), "--dense", str(model), "--out", str(tmp_path / "out")])


def test_the_command_makes_vectors_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("faiss", reason="dense retrieval needs the package faiss (the extra `search`)")
    model, out = write(tmp_path / "model"), tmp_path / "out"
    assert run(tmp_path, model) == 0
    said = capsys.readouterr()
    embedder = open_embedder(model)
    made = dense.open_dense(out / corpus.DENSE, encoder=embedder, name=embedder.name)
    assert said.out.splitlines()[1] == f"{out}: vectors of {embedder.name}, 16 numbers each, index {made.content}"
    assert said.err.splitlines()[-1] == "vector 6 of 6"
    text = f"{SMALL[4].title} {SMALL[4].text}"
    assert made.search(text, 1) == [(4, 1.0)]
    manifest = out / corpus.DENSE / "manifest.json"
    written = manifest.stat().st_mtime_ns
    assert run(tmp_path, model) == 0 and manifest.stat().st_mtime_ns == written
    assert run(tmp_path, write(tmp_path / "other", seed=1)) == 0  # another model: its vectors take their place
    assert open_embedder(tmp_path / "other").name in capsys.readouterr().out


def test_the_world_searches_by_a_model_named_by_its_folder(tmp_path: Path) -> None:
    pytest.importorskip("faiss", reason="dense retrieval needs the package faiss (the extra `search`)")
    model, other = write(tmp_path / "model"), write(tmp_path / "other", seed=1)
    assert run(tmp_path, model) == 0
    text = f"{SMALL[2].title} {SMALL[2].text}"
    for retriever in ("dense", "hybrid"):
        assert open_library(tmp_path / "out", retriever, str(model)).search(text, 1)[0].key == 2
        with pytest.raises(DataError, match=r"dense holds vectors of 'bert \w+', not of 'bert \w+': give that one"):
            open_library(tmp_path / "out", retriever, other)


def test_the_server_takes_a_models_folder_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("faiss", reason="dense retrieval needs the package faiss (the extra `search`)")
    model = write(tmp_path / "model")
    assert run(tmp_path, model) == 0
    served: list[Any] = []
    monkeypatch.setattr(serving, "serve", lambda library, *settings: served.append(library))
    asked = ["data", "serve", str(tmp_path / "out"), "--retriever", "dense", "--encoder", str(model)]
    assert main(asked) == 0
    assert served[0].search(f"{SMALL[2].title} {SMALL[2].text}", 1)[0].key == 2


def test_a_model_that_is_none_is_refused_before_any_passage_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, tmp_path / "nothing") != 0
    assert "nothing is no folder: give a folder that holds a model" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
