"""Checkpoints: whole or not there, and refused where the configuration is another.

There is no generator to save: every draw follows from the seed and the update's number.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from agentgym.baselines.grpo.config import Config, TrainError, differences

FORMAT = 2


def save(path: Path, state: Mapping[str, Any]) -> None:
    """Write a checkpoint beside the old one and put it in its place once it is on the disk."""
    name = path.with_name(f".{path.name}.part")  # always the same, so what a killed process left is written over
    try:
        with name.open("wb") as file:
            torch.save({**state, "format": FORMAT}, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        name.unlink(missing_ok=True)
        raise


def writable(folder: Path) -> None:
    """Make a folder and try to write in it. Raises TrainError."""
    probe = folder / ".probe"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise TrainError(f"cannot write to {folder}: {error.strerror}; choose another folder with --out") from error


def load(path: Path, config: Mapping[str, Any] | None = None, device: str = "cpu") -> dict[str, Any]:
    """Return a checkpoint's entries.

    Args:
        path: of the file.
        config: what its configuration must be; None: any.
        device: where its tensors go.

    Raises:
        TrainError: no such file, a damaged one, or one of another configuration, whose differing fields are named.
    """
    if not path.is_file():
        remedy = "leave out --resume to start a run there" if config is not None else "give the path of one that is"
        raise TrainError(f"there is no checkpoint {path}: {remedy}")
    try:
        state: dict[str, Any] = torch.load(path, map_location=device, weights_only=True)
    except Exception as error:  # torch raises whatever the damage provokes
        raise TrainError(f"{path} is no whole checkpoint ({type(error).__name__}): start the run anew") from error
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise TrainError(f"{path} is no checkpoint of this version: start the run anew")
    differing = differences(state["config"], config) if config is not None else []
    if differing:
        raise TrainError(
            f"{path} was made with another configuration ({'; '.join(differing)}): repeat that, or choose another --out"
        )
    return state


def check_model(path: str, held: Mapping[str, Any], config: Config) -> None:
    """Refuse the weights of another kind of model, whose shapes may be the same: the heads are in no shape.

    Args:
        path: of the checkpoint.
        held: its configuration.
        config: of the run that would begin with its weights.

    Raises:
        TrainError: one is a small model and the other is not, or their sizes differ.
    """
    names: tuple[str, ...] = ("width", "layers", "heads")
    if held["model"] or config.model:
        names = () if held["model"] and config.model else ("model",)
    differing = [f"{name}: {held[name]!r} there, {getattr(config, name)!r} here" for name in names
                 if held[name] != getattr(config, name)]  # fmt: skip
    if differing:
        raise TrainError(
            f"{path} holds another model ({'; '.join(differing)}): repeat that, or choose another warm_from"
        )
