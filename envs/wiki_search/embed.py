"""Texts as vectors, by a model in a folder as the package sentence-transformers writes it.

Such a folder holds a transformer, the way in which the vectors of its tokens become one, and whether that is brought to
length 1. Where sentence-transformers is installed, it does the work. Else transformers reads the model, and the rest is
done here, for pooling by mean or first token, which most models have. The name of an embedder has a hash of its files,
so a dense index takes queries of the very model that made its vectors, wherever that lies.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from agentgym.data import file_hash
from agentgym.errors import DataError

NEEDS: Final = "an embedder needs the packages torch and transformers: install agentgym-suite[train]"
BATCH: Final = 32
_READ: Final = (".json", ".txt", ".model", ".safetensors", ".bin")
"""Endings of the files that a model is read from."""
_POOLING: Final = {"pooling_mode_cls_token": "first", "pooling_mode_mean_tokens": "mean"}

Encode = Callable[[list[str]], Any]


class TextEmbedder:
    """A model of sentence-transformers; see `open_embedder`. Copies are the same object; threads take turns.

    Attributes:
        folder: where the model is, absolute.
        name: what the model calls itself and a hash of its files.
        dimension: of its vectors.
    """

    def __init__(self, folder: Path, device: str) -> None:
        self.folder, self.device, self.name = folder, device, _name(folder)
        self._encode = _sentence_transformers(folder, device) if find_spec("sentence_transformers") else None
        self._encode = self._encode or _transformers(folder, device)
        self._lock = threading.Lock()
        self.dimension = int(np.asarray(self._encode(["a"])).shape[1])

    def encode(self, texts: list[str]) -> np.ndarray:
        """Return the vectors of texts, 4-byte floats of shape (texts, dimension); too long a text is cut at its end."""
        out = np.empty((len(texts), self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))  # so little is filled up in a batch
        with self._lock:  # a tokenizer serves one thread at a time
            for start in range(0, len(order), BATCH):
                some = order[start : start + BATCH]
                out[some] = self._encode([texts[place] for place in some])
        return out

    def __deepcopy__(self, memo: object) -> TextEmbedder:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return open_embedder, (str(self.folder), self.device)

    def __repr__(self) -> str:
        return f"TextEmbedder({str(self.folder)!r}: {self.name}, {self.dimension} dimensions)"


def open_embedder(folder: str | os.PathLike[str], device: str = "cpu") -> TextEmbedder:
    """Return the embedder in a folder, one object a process, folder and device. Nothing is downloaded.

    Args:
        folder: what `SentenceTransformer.save` wrote, or a copy of such a repository.
        device: what torch calls the place where the model runs, such as "cuda"; "" takes an accelerator where
            there is one.

    Raises:
        DataError: there is no such folder, no model in it, or one that only sentence-transformers knows to use.
        ImportError: torch or transformers is not installed.
    """
    place = Path(folder).absolute()
    if not (place / "config.json").is_file() and not (place / "modules.json").is_file():
        state = "has no config.json" if place.is_dir() else "is no folder"
        raise DataError(f"{place} {state}: give a folder that holds a model of sentence-transformers")
    if not (find_spec("torch") and find_spec("transformers")):
        raise ImportError(NEEDS)
    return _opened(str(place), device or _best_device())


@lru_cache(maxsize=8)
def _opened(folder: str, device: str) -> TextEmbedder:
    found = TextEmbedder(Path(folder), device)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _in_child(found))
    return found


def _in_child(embedder: TextEmbedder) -> None:
    import torch

    embedder._lock = threading.Lock()  # a thread of the parent may have held the old one
    torch.set_num_threads(1)  # the others did not survive the fork, and whoever waited for them would wait for ever


def _best_device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _name(folder: Path) -> str:
    """Return what a model calls itself and a hash of the files that it is read from."""
    digest = blake2b(digest_size=6)
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.suffix in _READ and path.is_file())
    for file in files:
        digest.update(f"{file.as_posix()}\0{file_hash(folder / file)}\0".encode("utf-8", "surrogateescape"))
    config = _json(folder / "config.json")
    called = str(config.get("_name_or_path") or config.get("model_type") or "model").rstrip("/")
    return f"{called.rpartition('/')[2]} {digest.hexdigest()}"


def _json(path: Path) -> Any:
    """Return what a JSON file holds, {} where there is none. Raises DataError: it is no JSON."""
    with suppress(FileNotFoundError):
        try:
            return json.loads(path.read_bytes())
        except ValueError as error:
            raise DataError(f"{path} is no JSON ({error}): download the model again") from error
    return {}


# ---- Two ways to run a model -------------------------------------------------------------------------------------


def _sentence_transformers(folder: Path, device: str) -> Encode:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device=device)
    return lambda texts: model.encode(texts, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True)


def _transformers(folder: Path, device: str) -> Encode:
    import torch
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    part, pooling, normal = _parts(folder)
    bars = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        tokenizer: Any = AutoTokenizer.from_pretrained(part, local_files_only=True)
        model: Any = AutoModel.from_pretrained(part, local_files_only=True).to(device).eval()
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{part} holds no model that transformers can read ({error}): download it again") from error
    finally:
        if bars:
            logging.enable_progress_bar()
    settings = _json(part / "sentence_bert_config.json")
    longest = settings.get("max_seq_length") or min(
        tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", 512)
    )
    lower = bool(settings.get("do_lower_case"))

    def encode(texts: list[str]) -> Any:
        cleaned = [text.strip().lower() if lower else text.strip() for text in texts]
        found = tokenizer(cleaned, padding=True, truncation=True, max_length=longest, return_tensors="pt").to(device)
        with torch.inference_mode():
            vectors = model(**found).last_hidden_state
            if pooling == "mean":
                mask = found["attention_mask"].unsqueeze(-1).to(vectors.dtype)
                vectors = (vectors * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            else:
                vectors = vectors[:, 0]
            if normal:
                vectors = torch.nn.functional.normalize(vectors, p=2, dim=1)
            return vectors.float().cpu().numpy()

    return encode


def _parts(folder: Path) -> tuple[Path, str, bool]:
    """Return where the transformer is, how its vectors become one ("mean" or "first"), and whether length is made 1.

    Raises:
        DataError: the folder asks for something else.
    """
    modules = _json(folder / "modules.json") or [{"type": "Transformer", "path": ""}]  # a bare model: mean of all
    kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
    pooling, known = "mean", ["Transformer", "Pooling", "Normalize"]
    if "Pooling" in kinds:
        config = _json(folder / modules[kinds.index("Pooling")]["path"] / "config.json")
        chosen = [mode for mode, value in config.items() if mode.startswith("pooling_mode_") and value is True]
        pooling = _POOLING.get(chosen[0], "") if len(chosen) == 1 else ""
    if not pooling or kinds[0] != "Transformer" or kinds != [kind for kind in known if kind in kinds]:
        what = " → ".join(kinds) if pooling else "another pooling than that by mean or by first token"
        raise DataError(f"{folder} asks for {what}: install the package sentence-transformers, which knows more")
    return folder / modules[0]["path"], pooling, "Normalize" in kinds
